package application

import (
	"context"
	"sort"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/computed"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// DataSource reads how a release is right now, what moves included.
type DataSource struct{ lifecycle.DataSource }

// NewDataSource returns the swarm_application data source.
func NewDataSource() datasource.DataSource {
	return &DataSource{lifecycle.DataSource{Name: kindName}}
}

// Read looks the release up.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data dataModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &data)...); resp.Diagnostics.HasError() {
		return
	}
	core, diags := d.Session.Core()
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	name := data.Name.ValueString()
	view, err := core.Inspect(ctx, name, "")
	if err != nil {
		d.Session.Report(ctx, &resp.Diagnostics, err, kindName, name)
		return
	}
	rollouts, err := core.Rollouts(ctx, name)
	if err != nil {
		d.Session.Report(ctx, &resp.Diagnostics, err, kindName, name)
		return
	}
	history, err := core.History(ctx, name)
	if err != nil {
		d.Session.Report(ctx, &resp.Diagnostics, err, kindName, name)
		return
	}
	data.fill(view, rollouts, history)
	resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
}

type dataModel struct {
	Name       types.String            `tfsdk:"name"`
	ID         types.String            `tfsdk:"id"`
	SwarmID    types.String            `tfsdk:"swarm_id"`
	Kind       types.String            `tfsdk:"kind"`
	Owner      types.String            `tfsdk:"owner"`
	Instance   types.String            `tfsdk:"instance"`
	Revision   types.String            `tfsdk:"revision"`
	Status     types.String            `tfsdk:"status"`
	Commit     types.String            `tfsdk:"commit"`
	Conditions []computed.Condition    `tfsdk:"conditions"`
	Services   map[string]serviceModel `tfsdk:"services"`
	History    []revisionModel         `tfsdk:"history"`
}

type serviceModel struct {
	ID            types.String `tfsdk:"id"`
	Name          types.String `tfsdk:"name"`
	Mode          types.String `tfsdk:"mode"`
	Image         types.String `tfsdk:"image"`
	Desired       types.String `tfsdk:"replicas_desired"`
	Running       types.String `tfsdk:"replicas_running"`
	UpdateState   types.String `tfsdk:"update_state"`
	UpdateMessage types.String `tfsdk:"update_message"`
	Tasks         []taskModel  `tfsdk:"tasks"`
}

type taskModel struct {
	ID       types.String `tfsdk:"id"`
	Name     types.String `tfsdk:"name"`
	Node     types.String `tfsdk:"node"`
	Image    types.String `tfsdk:"image"`
	State    types.String `tfsdk:"state"`
	Desired  types.String `tfsdk:"desired_state"`
	Error    types.String `tfsdk:"error"`
	ExitCode types.String `tfsdk:"exit_code"`
	Since    types.String `tfsdk:"since"`
}

type revisionModel struct {
	Revision types.String `tfsdk:"revision"`
	Status   types.String `tfsdk:"status"`
	Commit   types.String `tfsdk:"commit"`
	Created  types.String `tfsdk:"created"`
	Changed  []string     `tfsdk:"changed"`
}

func (m *dataModel) fill(view *reconcile.View, rollouts []reconcile.Rollout, history []reconcile.Revision) {
	m.ID, m.SwarmID = m.Name, types.StringValue(view.SwarmID)
	m.Kind, m.Owner, m.Instance = types.StringValue(view.Owner.Kind), types.StringValue(view.Owner.Owner), types.StringValue(view.Owner.Instance)
	m.Status, m.Commit = types.StringValue(string(view.Status)), types.StringValue(view.Commit)
	m.Revision = types.StringValue("")
	if view.Revision > 0 {
		m.Revision = computed.Number(view.Revision)
	}
	byName := make(map[string]reconcile.Rollout, len(rollouts))
	for _, r := range rollouts {
		byName[r.Service] = r
	}
	m.Services = make(map[string]serviceModel, len(view.Services))
	for key, s := range view.Services {
		r := byName[s.Name]
		m.Services[key] = serviceModel{
			ID: types.StringValue(s.ID), Name: types.StringValue(s.Name), Mode: types.StringValue(s.Mode), Image: types.StringValue(view.Images[key]),
			Desired: computed.Number(r.Want), Running: computed.Number(r.Have),
			UpdateState: types.StringValue(r.Update.State), UpdateMessage: types.StringValue(r.Update.Message),
			Tasks: taskModels(r.Tasks),
		}
	}
	m.Conditions = computed.ConditionsOf(reconcile.Conditions(view, rollouts, nil))
	m.History = make([]revisionModel, len(history))
	for i, h := range history {
		m.History[i] = revisionModel{
			Revision: computed.Number(h.Number), Status: types.StringValue(string(h.Status)),
			Commit: types.StringValue(h.Commit), Created: computed.Moment(h.Created), Changed: []string{},
		}
		if i+1 < len(history) {
			m.History[i].Changed = changed(h.Objects, history[i+1].Objects)
		}
	}
}

func taskModels(tasks []reconcile.Task) []taskModel {
	out := make([]taskModel, 0, len(tasks))
	for _, t := range tasks {
		exit := types.StringValue("")
		if t.ExitCode != nil {
			exit = computed.Number(*t.ExitCode)
		}
		out = append(out, taskModel{
			ID: types.StringValue(t.ID), Name: types.StringValue(t.Name), Node: types.StringValue(t.Node), Image: types.StringValue(t.Image),
			State: types.StringValue(t.State), Desired: types.StringValue(t.Desired), Error: types.StringValue(t.Err),
			ExitCode: exit, Since: computed.Moment(t.Since),
		})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Name.ValueString() < out[j].Name.ValueString() })
	return out
}
