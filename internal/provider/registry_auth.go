package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/swarm"
)

func registryAuthAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "Credentials for registries, each sent for images of its registry only: to resolve tags, and to the nodes that pull. " +
			"Without an entry for a registry, the configuration of the Docker CLI is looked at, its credential helpers included. " +
			"Another user or password is a difference of the services with images from there (`registry_credential` in their `objects`), which applying writes without restarting a task.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"address": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Host of the registry, with its port if images name one: `registry.example.com:5000`. Docker Hub is `docker.io`.",
				Validators: []validator.String{
					stringvalidator.RegexMatches(regexp.MustCompile(`^((https?://)?[A-Za-z0-9.-]+(:[0-9]+)?/?|https://index\.docker\.io/v1/)$`),
						"must be the host of a registry, with or without a port, and no path: a credential is for all of a registry"),
				},
			},
			"username": schema.StringAttribute{Required: true, MarkdownDescription: "User name.", Validators: []validator.String{stringvalidator.LengthAtLeast(1)}},
			"password": schema.StringAttribute{Required: true, Sensitive: true, MarkdownDescription: "Password or access token."},
		}},
	}
}

type registryAuth struct {
	Address  types.String `tfsdk:"address"`
	Username types.String `tfsdk:"username"`
	Password types.String `tfsdk:"password"`
}

// registries are the credentials for registries, and whether all of them are
// known already. Two entries for one registry are an error.
func (c config) registries(ctx context.Context) (credentials *swarm.Credentials, known bool, diags diag.Diagnostics) {
	raw, err := c.RegistryAuth.ToTerraformValue(ctx)
	if err != nil || !raw.IsFullyKnown() {
		return swarm.NewCredentials(nil, nil), false, nil
	}
	var entries []registryAuth
	diags = c.RegistryAuth.ElementsAs(ctx, &entries, false)
	var given []swarm.Credential
	seen := map[string]bool{}
	for i, e := range entries {
		host := swarm.RegistryHost(e.Address.ValueString())
		if seen[host] {
			diags.AddAttributeError(path.Root("registry_auth").AtListIndex(i).AtName("address"), "Registry "+host+" is given twice",
				"An image names its registry, so there can be one credential for each. Remove one of the entries.")
		}
		seen[host] = true
		given = append(given, swarm.Credential{Address: host, Username: e.Username.ValueString(), Password: e.Password.ValueString()})
	}
	return swarm.NewCredentials(given, nil), true, diags
}

// useRegistries tells the session which credentials services are written with.
func useRegistries(opts *lifecycle.SessionOptions, credentials *swarm.Credentials, known bool) {
	opts.CredentialsUnknown = !known
	opts.Credential = func(image string) (host, secret string, ok bool) {
		c, ok := credentials.Given(image)
		return c.Address, c.Username + "\x00" + c.Password, ok
	}
}
