// Package tunnel is the resource of Cloudflare tunnels' connectors.
package tunnel

import (
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/serverattr"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// Kind is the swarm_tunnel resource.
type Kind struct{}

var _ lifecycle.Kind = Kind{}

// Name implements lifecycle.Kind.
func (Kind) Name() string { return "tunnel" }

// NewModel implements lifecycle.Kind.
func (Kind) NewModel() lifecycle.Model { return &model{} }

// Description implements lifecycle.Kind.
func (Kind) Description() string {
	return `The connectors of a Cloudflare tunnel: ` + "`cloudflared`" + `, spread over the nodes, which carries requests from Cloudflare to services on overlay networks without a published port.

The tunnel exists already and is configured at Cloudflare, its public hostnames included; the URL of a service there is its name on the network: ` + "`http://shop_web:8080`" + `. Applying returns when the connectors say that they are connected. Updates start the new connector before the old one ends, and the old one finishes its requests first.`
}

var defaultReplicas = strconv.Itoa(spec.DefaultTunnelReplicas)

// mostReplicas is what Cloudflare takes: 100 connections a tunnel, of which a
// connector has four.
const mostReplicas = 25

// Attributes implements lifecycle.Kind.
func (Kind) Attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"token_wo": schema.StringAttribute{
			Required: true, WriteOnly: true,
			MarkdownDescription: "Token of the tunnel, as Cloudflare shows it for running a connector; space around it is ignored. It is mounted as a file, and is neither stored nor shown, nor in the service's arguments or environment. " +
				"Another token replaces one connector after the other, without a version to bump: while Cloudflare takes both, no request is lost.",
		},
		"networks": schema.ListAttribute{
			Required: true, ElementType: types.StringType,
			MarkdownDescription: "Real names of the overlay networks that the services are on which the tunnel leads to: `[swarm_application.shop.networks[\"default\"]]`.",
			Validators:          []validator.List{listvalidator.NoNullValues()},
		},
		"replicas": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(defaultReplicas),
			MarkdownDescription: "Number of connectors, spread over the nodes. One is replaced while all others run: with as many connectors as nodes, or more, an update may leave two on one node. Cloudflare takes " + strconv.Itoa(mostReplicas) + ". Default `" + defaultReplicas + "`.",
			Validators:          []validator.String{serverattr.WholeNumber(1, mostReplicas)},
		},
		"image": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(spec.DefaultTunnelImage),
			MarkdownDescription: "Image of `cloudflared`, of version 2025.4.0 or later: earlier ones do not read a token from a file. Default `" + spec.DefaultTunnelImage + "`.",
		},
		"placement": serverattr.Placement("Where connectors may run."),
		"resources": serverattr.Resources(),
	}
}
