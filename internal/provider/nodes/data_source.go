// Package nodes is the data source of the members of the swarm.
package nodes

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/computed"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

const kindName = "nodes"

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// DataSource lists the nodes of the swarm.
type DataSource struct{ lifecycle.DataSource }

// NewDataSource returns the swarm_nodes data source.
func NewDataSource() datasource.DataSource {
	return &DataSource{lifecycle.DataSource{Name: kindName}}
}

// Schema implements datasource.DataSource.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	texts := func(description string) schema.Attribute {
		return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The members of the swarm, as its managers see them right now. It costs no call of its own beside the other data sources and resources of the provider.",
		Attributes: map[string]schema.Attribute{
			"nodes": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The nodes, by host name.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":             computed.Text("Id of the node, as `node.id` in a placement constraint."),
					"hostname":       computed.Text("Host name of the node, as `node.hostname` in a placement constraint."),
					"role":           computed.Text("`manager` or `worker`."),
					"availability":   computed.Text("What it is meant for: `active`, `pause` (takes no new tasks) or `drain` (has none)."),
					"state":          computed.Text("How the managers see it: `ready`, `down`, `disconnected` or `unknown`."),
					"leader":         schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is the manager that leads."},
					"address":        computed.Text("IP address under which the managers know it."),
					"labels":         texts("Labels that `docker node update` gave it, as `node.labels.<key>` in a placement constraint."),
					"engine_labels":  texts("Labels of its engine's own configuration, as `engine.labels.<key>` in a placement constraint."),
					"engine_version": computed.Text("Version of its engine."),
					"os":             computed.Text("Operating system: `linux`."),
					"architecture":   computed.Text("Architecture as the engine calls it: `x86_64`, `aarch64`."),
					"cpus":           computed.Text("How many CPUs it has."),
					"memory_bytes":   computed.Text("How much memory it has, in bytes."),
					"conditions": computed.Conditions("The node in a few words that a program can decide on.",
						"`Ready` (it is in touch with the managers), `Schedulable` (it is ready and takes new tasks) or, of a manager, `Reachable` (the other managers reach it)."),
				}},
			},
		},
	}
}

// Read lists the nodes.
func (d *DataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	core, diags := d.Session.Core()
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	nodes, err := core.Nodes(ctx)
	if err != nil {
		d.Session.Report(ctx, &resp.Diagnostics, err, kindName, "of the swarm")
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, modelOf(nodes))...)
}

type model struct {
	Nodes []nodeModel `tfsdk:"nodes"`
}

type nodeModel struct {
	ID            types.String         `tfsdk:"id"`
	Hostname      types.String         `tfsdk:"hostname"`
	Role          types.String         `tfsdk:"role"`
	Availability  types.String         `tfsdk:"availability"`
	State         types.String         `tfsdk:"state"`
	Leader        types.Bool           `tfsdk:"leader"`
	Address       types.String         `tfsdk:"address"`
	Labels        map[string]string    `tfsdk:"labels"`
	EngineLabels  map[string]string    `tfsdk:"engine_labels"`
	EngineVersion types.String         `tfsdk:"engine_version"`
	OS            types.String         `tfsdk:"os"`
	Architecture  types.String         `tfsdk:"architecture"`
	CPUs          types.String         `tfsdk:"cpus"`
	MemoryBytes   types.String         `tfsdk:"memory_bytes"`
	Conditions    []computed.Condition `tfsdk:"conditions"`
}

func modelOf(nodes []reconcile.Node) *model {
	m := &model{Nodes: make([]nodeModel, len(nodes))}
	for i, n := range nodes {
		m.Nodes[i] = nodeModel{
			ID: types.StringValue(n.ID), Hostname: types.StringValue(n.Hostname), Role: types.StringValue(n.Role),
			Availability: types.StringValue(n.Availability), State: types.StringValue(n.State), Leader: types.BoolValue(n.Leader),
			Address: types.StringValue(n.Addr), Labels: filled(n.Labels), EngineLabels: filled(n.EngineLabels),
			EngineVersion: types.StringValue(n.EngineVersion), OS: types.StringValue(n.OS), Architecture: types.StringValue(n.Arch),
			CPUs:        types.StringValue(strconv.FormatFloat(float64(n.NanoCPUs)/1e9, 'f', -1, 64)),
			MemoryBytes: computed.Number(n.MemoryBytes), Conditions: computed.ConditionsOf(n.Conditions()),
		}
	}
	return m
}

// filled returns an empty map for none: a label that is missing is not unknown.
func filled(labels map[string]string) map[string]string {
	if labels == nil {
		return map[string]string{}
	}
	return labels
}
