package provider

import (
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/swarm"
)

// defaultOwner is the owner of a configuration that names none.
const defaultOwner = "terraform"

type config struct {
	Host             types.String `tfsdk:"host"`
	Context          types.String `tfsdk:"context"`
	CACert           types.String `tfsdk:"ca_cert"`
	ClientCert       types.String `tfsdk:"client_cert"`
	ClientKey        types.String `tfsdk:"client_key"`
	CertPath         types.String `tfsdk:"cert_path"`
	Owner            types.String `tfsdk:"owner"`
	ProtectedSecrets types.List   `tfsdk:"protected_secrets"`
	LockTimeout      types.String `tfsdk:"lock_timeout"`
	RegistryAuth     types.List   `tfsdk:"registry_auth"`
	GitAuth          types.List   `tfsdk:"git_auth"`
}

// unknown lists the attributes that have to be known before the engine can be
// asked anything.
func (c config) unknown() []string {
	var names []string
	for _, a := range []struct {
		name  string
		value attr.Value
	}{
		{"host", c.Host}, {"context", c.Context}, {"ca_cert", c.CACert}, {"client_cert", c.ClientCert},
		{"client_key", c.ClientKey}, {"cert_path", c.CertPath}, {"owner", c.Owner},
	} {
		if a.value.IsUnknown() {
			names = append(names, a.name)
		}
	}
	return names
}

// engine is where the engine is. What is not configured is looked up in the
// environment by package swarm, in the order of the Docker CLI.
func (c config) engine() swarm.Config {
	return swarm.Config{
		Host:       c.Host.ValueString(),
		Context:    c.Context.ValueString(),
		CACert:     c.CACert.ValueString(),
		ClientCert: c.ClientCert.ValueString(),
		ClientKey:  c.ClientKey.ValueString(),
		CertPath:   c.CertPath.ValueString(),
	}
}

func (c config) owner() string {
	if owner := c.Owner.ValueString(); owner != "" {
		return owner
	}
	if owner := os.Getenv("SWARM_OWNER"); owner != "" {
		return owner
	}
	return defaultOwner
}

// lockTimeout is how long to wait for another writer. The attribute's validator
// has seen to it that the text is a duration.
func (c config) lockTimeout() time.Duration {
	if d, err := time.ParseDuration(c.LockTimeout.ValueString()); err == nil {
		return d
	}
	return reconcile.DefaultLockTimeout
}

// session is what a configuration amounts to, without the backend.
func (c config) session() lifecycle.SessionOptions {
	opts := lifecycle.SessionOptions{Unknown: c.unknown(), Owner: c.owner()}
	for _, v := range c.ProtectedSecrets.Elements() {
		if name, ok := v.(types.String); ok && !name.IsUnknown() {
			opts.ProtectedSecrets = append(opts.ProtectedSecrets, name.ValueString())
		}
	}
	return opts
}
