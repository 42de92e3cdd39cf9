// Package image is the data source of images at their registries.
package image

import (
	"context"
	"fmt"

	"github.com/distribution/reference"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
)

const kindName = "image"

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// DataSource resolves a tag to the digest that it stands for now.
type DataSource struct{ lifecycle.DataSource }

// NewDataSource returns the swarm_image data source.
func NewDataSource() datasource.DataSource {
	return &DataSource{lifecycle.DataSource{Name: kindName}}
}

// Schema implements datasource.DataSource.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The digest that an image's tag stands for, asked at its registry through the engine, with the credential that the provider has for it. " +
			"It is resolved while planning, so that a tag that moves shows as a difference in the plan, and what was planned is what is deployed.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "The image as a Compose file names it: `nginx:1.27`, `registry.example.com/acme/web`.",
			},
			"digest":    schema.StringAttribute{Computed: true, MarkdownDescription: "`sha256:…`"},
			"reference": schema.StringAttribute{Computed: true, MarkdownDescription: "The image with the digest in place of the tag, for `image:` in a Compose file: `nginx@sha256:…`."},
		},
	}
}

type model struct {
	Name      types.String `tfsdk:"name"`
	Digest    types.String `tfsdk:"digest"`
	Reference types.String `tfsdk:"reference"`
}

// Read asks the registry.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data model
	if resp.Diagnostics.Append(req.Config.Get(ctx, &data)...); resp.Diagnostics.HasError() {
		return
	}
	name := data.Name.ValueString()
	named, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Invalid image", fmt.Sprintf("%q is no image reference: %v.", name, err))
		return
	}
	core, diags := d.Session.Core()
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if resp.Diagnostics.Append(d.Session.CredentialsKnown()...); resp.Diagnostics.HasError() {
		return
	}
	digest, err := core.ResolveImage(ctx, name)
	if err != nil {
		d.Session.Report(ctx, &resp.Diagnostics, err, kindName, name)
		return
	}
	data.Digest = types.StringValue(digest)
	data.Reference = types.StringValue(reference.FamiliarName(named) + "@" + digest)
	resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
}
