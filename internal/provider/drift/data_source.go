// Package drift is the data source that compares what is in the swarm with what
// was deployed.
package drift

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/computed"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

const kindName = "drift"

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// DataSource looks for drift, in one pass.
type DataSource struct{ lifecycle.DataSource }

// NewDataSource returns the swarm_drift data source.
func NewDataSource() datasource.DataSource {
	return &DataSource{lifecycle.DataSource{Name: kindName}}
}

// Read compares.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data model
	if resp.Diagnostics.Append(req.Config.Get(ctx, &data)...); resp.Diagnostics.HasError() {
		return
	}
	var names []string
	if resp.Diagnostics.Append(data.Names.ElementsAs(ctx, &names, false)...); resp.Diagnostics.HasError() {
		return
	}
	core, diags := d.Session.Core()
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	report, err := core.Drift(ctx, d.Session.Owner(), names)
	if err != nil {
		d.Session.Report(ctx, &resp.Diagnostics, err, kindName, "of "+d.Session.Owner())
		return
	}
	data.fill(report)
	resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
}

type model struct {
	Names     types.Set      `tfsdk:"names"`
	InSync    types.Bool     `tfsdk:"in_sync"`
	CheckedAt types.String   `tfsdk:"checked_at"`
	Releases  []releaseModel `tfsdk:"releases"`
}

type releaseModel struct {
	Name        types.String         `tfsdk:"name"`
	Kind        types.String         `tfsdk:"kind"`
	Revision    types.String         `tfsdk:"revision"`
	InSync      types.Bool           `tfsdk:"in_sync"`
	Reason      types.String         `tfsdk:"reason"`
	Conditions  []computed.Condition `tfsdk:"conditions"`
	Differences []differenceModel    `tfsdk:"differences"`
}

type differenceModel struct {
	Object  types.String `tfsdk:"object"`
	Path    types.String `tfsdk:"path"`
	Desired types.String `tfsdk:"desired"`
	Live    types.String `tfsdk:"live"`
}

func (m *model) fill(report *reconcile.DriftReport) {
	m.InSync, m.CheckedAt = types.BoolValue(report.InSync()), computed.Moment(report.Checked)
	m.Releases = make([]releaseModel, len(report.Releases))
	for i, r := range report.Releases {
		out := releaseModel{
			Name: types.StringValue(r.Name), Kind: types.StringValue(r.Kind), Revision: types.StringValue(""),
			InSync: types.BoolValue(r.InSync), Reason: types.StringValue(string(r.Reason)),
			Conditions: computed.ConditionsOf(r.Conditions), Differences: make([]differenceModel, len(r.Differences)),
		}
		if r.Revision > 0 {
			out.Revision = computed.Number(r.Revision)
		}
		for j, f := range r.Differences {
			out.Differences[j] = differenceModel{
				Object: types.StringValue(f.Object), Path: types.StringValue(f.Path),
				Desired: types.StringValue(f.Desired), Live: types.StringValue(f.Live),
			}
		}
		m.Releases[i] = out
	}
}
