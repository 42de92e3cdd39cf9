// Package gitcommit is the data source that turns a branch or tag of a git
// repository into a commit.
package gitcommit

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
)

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// DataSource asks a git host what a reference stands for. It needs no engine.
type DataSource struct{ lifecycle.DataSource }

// NewDataSource returns the swarm_git_commit data source.
func NewDataSource() datasource.DataSource {
	return &DataSource{lifecycle.DataSource{Name: "git_commit"}}
}

// Schema implements datasource.DataSource.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The commit that a branch, tag or other reference of a git repository stands for right now. " +
			"It is looked up when planning and kept in the plan, so that what was planned is what is applied. The server's list of references suffices for all but SHAs of older commits.",
		Attributes: map[string]schema.Attribute{
			"url": schema.StringAttribute{Required: true, MarkdownDescription: "The repository, as in `git.url` of `swarm_application`. Credentials are those of the provider's `git_auth`."},
			"ref": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "A full name (`refs/heads/main`), a tag, a branch, a full or unique short SHA; of a tag and a branch of the same name the tag. Default: what the remote's HEAD points to.",
			},
			"commit":   schema.StringAttribute{Computed: true, MarkdownDescription: "Full SHA of the commit; of an annotated tag that of the commit which it tags."},
			"full_ref": schema.StringAttribute{Computed: true, MarkdownDescription: "Full name of the reference, for instance `refs/tags/v1.2`; empty for a SHA."},
		},
	}
}

type model struct {
	URL     types.String `tfsdk:"url"`
	Ref     types.String `tfsdk:"ref"`
	Commit  types.String `tfsdk:"commit"`
	FullRef types.String `tfsdk:"full_ref"`
}

// Read asks the host.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data model
	if resp.Diagnostics.Append(req.Config.Get(ctx, &data)...); resp.Diagnostics.HasError() {
		return
	}
	client := d.Session.Git()
	if client == nil {
		resp.Diagnostics.AddError("Provider configuration not known yet",
			"The git host has to be asked, and the provider's git_auth will be known only after other resources have been applied. "+
				"Apply those first, for instance with -target, or give the provider a value that is known from the start.")
		return
	}
	found, err := client.Resolve(ctx, data.URL.ValueString(), data.Ref.ValueString())
	if err != nil {
		report(resp, err)
		return
	}
	data.Commit, data.FullRef = types.StringValue(found.Commit), types.StringValue(found.Ref)
	if data.Ref.ValueString() == "" {
		data.Ref = types.StringValue(found.Ref)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
}

func report(resp *datasource.ReadResponse, err error) {
	var e *git.Error
	switch {
	case !errors.As(err, &e):
		resp.Diagnostics.AddError("The git repository cannot be read", err.Error())
	case e.Reason == git.NotFound || e.Reason == git.Ambiguous:
		resp.Diagnostics.AddAttributeError(path.Root("ref"), e.Summary(), e.Explanation())
	default:
		resp.Diagnostics.AddAttributeError(path.Root("url"), e.Summary(), e.Explanation())
	}
}
