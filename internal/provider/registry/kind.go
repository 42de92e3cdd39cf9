// Package registry is the resource of container registries.
package registry

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/serverattr"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// Kind is the swarm_registry resource.
type Kind struct{}

var _ lifecycle.Kind = Kind{}

// Name implements lifecycle.Kind.
func (Kind) Name() string { return "registry" }

// NewModel implements lifecycle.Kind.
func (Kind) NewModel() lifecycle.Model { return &model{} }

// Description implements lifecycle.Kind.
func (Kind) Description() string {
	return `A container registry in the swarm that asks everybody for a password: ` + "[distribution](https://distribution.github.io/distribution/)" + `, as one task with a volume.

Applying returns when it runs and refuses whoever has no password. Its images outlive it: destroying keeps the volume, and a registry of the same name on the same node finds them again.

The connection is not encrypted. Nodes take that at 127.0.0.1, which is where ` + "`publish_mode = \"ingress\"`" + ` puts the registry on every node, and elsewhere only when told: see the guide to registries.`
}

// Attributes implements lifecycle.Kind.
func (Kind) Attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"image": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(spec.DefaultRegistryImage),
			MarkdownDescription: "Image of the registry: the official one of version 2 or 3, or one built on it. Default `" + spec.DefaultRegistryImage + "`.",
		},
		"port": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(defaultPort),
			MarkdownDescription: "Published port. Default `" + defaultPort + "`.",
			Validators:          []validator.String{serverattr.WholeNumber(1, 65535)},
		},
		"publish_mode": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(spec.PublishIngress),
			MarkdownDescription: "How the port is published: `ingress` on every node, `host` on the registry's own node only, where it needs a `hostname`. Default `ingress`.",
			Validators:          []validator.String{stringvalidator.OneOf(spec.PublishIngress, spec.PublishHost)},
		},
		"hostname": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Name or IP address under which nodes and people reach the registry; the first part of `address`. Default with `ingress`: `127.0.0.1`.",
		},
		"users_wo": schema.MapAttribute{
			Required: true, WriteOnly: true, ElementType: types.StringType,
			MarkdownDescription: "Users and their passwords, of 1 to 72 bytes. Neither stored nor shown: the registry gets bcrypt hashes, as a secret. " +
				"A change takes effect when it is applied, with a restart of the registry and without a version to bump; applications that run are not touched.",
			Validators: []validator.Map{mapvalidator.NoNullValues()},
		},
		"placement": serverattr.Placement("Where the registry runs. Its images are on that node only: without a constraint that pins it, a swarm of several nodes may start it elsewhere, and empty."),
		"resources": serverattr.Resources(),
		"delete_data": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Whether destroying takes the images along. The value in the state counts, so apply it before destroying. Default `false`.",
		},
		"address": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Host and port that the names of images begin with, and `registry_auth` of the provider: `127.0.0.1:5000`.",
		},
		"volume": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Name of the volume of the images.",
		},
	}
}
