// Package provider is the Terraform side of the project: the provider's own
// configuration and the list of what it offers.
package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/application"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/database"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/drift"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/gitcommit"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/image"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/nodes"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/registry"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/tunnel"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/swarm"
)

// Address is the provider's address in the registry.
const Address = "registry.terraform.io/swarmkeel/swarm"

var _ provider.Provider = (*Provider)(nil)

// Provider is the swarm provider.
type Provider struct {
	version string
	backend BackendFunc
}

// BackendFunc makes the backend for an engine. It reaches out to nothing.
type BackendFunc func(swarm.Config) (reconcile.Backend, error)

// Option changes how a Provider is put together.
type Option func(*Provider)

// WithBackend replaces the backend over the Docker Engine API.
func WithBackend(backend BackendFunc) Option {
	return func(p *Provider) { p.backend = backend }
}

// New returns the provider of a version.
func New(version string, options ...Option) provider.Provider {
	p := &Provider{version: version, backend: func(cfg swarm.Config) (reconcile.Backend, error) { return swarm.New(cfg) }}
	for _, option := range options {
		option(p)
	}
	return p
}

// Metadata names the provider; resource types begin with it.
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName, resp.Version = "swarm", p.version
}

// Schema implements provider.Provider.
func (p *Provider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Deploys and keeps applications on Docker Swarm. Without any attribute it talks to the engine that the Docker CLI would talk to.",
		Attributes: map[string]schema.Attribute{
			"host": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of a manager's engine: `unix:///path`, `tcp://host:port` or `ssh://user@host`. " +
					"Environment: `DOCKER_HOST`. Default: as the Docker CLI, its current context.",
				Validators: []validator.String{
					stringvalidator.RegexMatches(regexp.MustCompile(`^[a-z]+://.`), "must be an address such as unix:///var/run/docker.sock, tcp://10.0.0.1:2376 or ssh://user@host"),
					stringvalidator.ConflictsWith(path.MatchRoot("context")),
				},
			},
			"context": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Name of a context of the Docker CLI, its certificates included. Environment: `DOCKER_CONTEXT`. Conflicts with `host`.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"ca_cert": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Certificate authority of a `tcp://` engine, PEM text. Conflicts with `cert_path`.",
				Validators:          []validator.String{stringvalidator.ConflictsWith(path.MatchRoot("cert_path"))},
			},
			"client_cert": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Client certificate for a `tcp://` engine, PEM text. Goes with `client_key`.",
				Validators: []validator.String{
					stringvalidator.ConflictsWith(path.MatchRoot("cert_path")), stringvalidator.AlsoRequires(path.MatchRoot("client_key")),
				},
			},
			"client_key": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "Key of the client certificate, PEM text.",
				Validators: []validator.String{
					stringvalidator.ConflictsWith(path.MatchRoot("cert_path")), stringvalidator.AlsoRequires(path.MatchRoot("client_cert")),
				},
			},
			"cert_path": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Folder with `ca.pem`, `cert.pem` and `key.pem` for a `tcp://` engine. " +
					"Environment: `DOCKER_CERT_PATH`; `DOCKER_TLS_VERIFY` demands TLS. The engine's certificate is always verified.",
			},
			"owner": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Tells the releases of this configuration from those of others in the same swarm; a label on everything it deploys. " +
					"Environment: `SWARM_OWNER`. Default `terraform`.",
				Validators: []validator.String{
					stringvalidator.RegexMatches(regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$`), "must be at most 63 letters, digits, and . _ / -, beginning with a letter or digit"),
				},
			},
			"lock_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long to wait for another writer of the same release, in this or another process, on this or another machine: a duration such as `30s` or `5m`. " +
					"Default `2m`; `0s` does not wait.",
				Validators: []validator.String{
					stringvalidator.RegexMatches(regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`), "must be a duration such as 30s or 5m"),
				},
			},
			"git_auth":      gitAuthAttribute(),
			"registry_auth": registryAuthAttribute(),
			"protected_secrets": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Names of secrets that no release may mount or declare.",
				Validators:          []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
		},
	}
}

// Configure settles where the engine is. It asks it nothing, and takes values
// that are not known yet: what can be done without an engine is done without.
func (p *Provider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var cfg config
	if resp.Diagnostics.Append(req.Config.Get(ctx, &cfg)...); resp.Diagnostics.HasError() {
		return
	}
	opts := cfg.session()
	credentials, known, diags := cfg.registries(ctx)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	useRegistries(&opts, credentials, known)
	if len(opts.Unknown) == 0 {
		engine := cfg.engine()
		engine.Credentials = credentials
		backend, err := p.backend(engine)
		if err != nil {
			resp.Diagnostics.AddError("The Docker engine cannot be settled on", err.Error())
			return
		}
		if b, ok := backend.(interface{ Warnings() []string }); ok {
			for _, warning := range b.Warnings() {
				resp.Diagnostics.AddWarning("The connection to the Docker engine is not safe", warning)
			}
		}
		opts.Core = reconcile.New(backend, reconcile.LockTimeout(cfg.lockTimeout()))
	}
	client, diags := cfg.git(ctx)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	opts.Git = client
	session := lifecycle.NewSession(opts)
	resp.ResourceData, resp.DataSourceData = session, session
}

// Resources lists the managed resources.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		lifecycle.New(application.Kind{}),
		lifecycle.New(database.Kind{}),
		lifecycle.New(registry.Kind{}),
		lifecycle.New(tunnel.Kind{}),
	}
}

// DataSources lists the data sources.
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		application.NewDataSource,
		image.NewDataSource,
		gitcommit.NewDataSource,
		drift.NewDataSource,
		nodes.NewDataSource,
	}
}
