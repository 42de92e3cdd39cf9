package lifecycle

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// Resource is the generic resource of one kind.
type Resource struct {
	kind    Kind
	session *Session
}

// New returns a constructor for the resource of a kind, as the framework wants
// it.
func New(kind Kind) func() resource.Resource {
	return func() resource.Resource { return &Resource{kind: kind} }
}

// Identity is what tells one release from every other in the world.
type Identity struct {
	SwarmID types.String `tfsdk:"swarm_id"`
	Name    types.String `tfsdk:"name"`
}

// Metadata names the resource type.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.kind.Name()
}

// Schema joins the common attributes and the kind's own.
func (r *Resource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := commonAttributes(ctx)
	for name, attribute := range r.kind.Attributes() {
		attributes[name] = attribute
	}
	resp.Schema = schema.Schema{MarkdownDescription: r.kind.Description(), Attributes: attributes}
}

// IdentitySchema is the same for every kind.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"swarm_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "Id of the swarm. An import without it takes the swarm that the provider talks to.",
		},
		"name": identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "Name of the release.",
		},
	}}
}

// Configure takes over the session of the configured provider. Validation runs
// before there is one.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.session = SessionFrom(req.ProviderData, &resp.Diagnostics)
}
