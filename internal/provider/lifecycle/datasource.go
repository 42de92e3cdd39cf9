package lifecycle

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
)

// DataSource is what every data source of the provider has in common. A data
// source embeds it, and adds its schema and Read.
type DataSource struct {
	// Name is the type without the provider's name ("git_commit").
	Name string
	// Session is nil until the provider is configured.
	Session *Session
}

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.Name
}

// Configure takes over the session of the configured provider.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.Session = SessionFrom(req.ProviderData, &resp.Diagnostics)
}
