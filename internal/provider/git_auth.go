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

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
)

func gitAuthAttribute() schema.Attribute {
	text := func(description string, validators ...validator.String) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
	}
	secret := func(description string, validators ...validator.String) schema.Attribute {
		return schema.StringAttribute{Optional: true, Sensitive: true, MarkdownDescription: description, Validators: validators}
	}
	sibling := path.MatchRelative().AtParent().AtName
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "Credentials for git hosts, each sent to its host only, never to one that it redirects to. " +
			"Without an entry, https is asked anonymously, and ssh with the keys of the SSH agent and the hosts of `~/.ssh/known_hosts`.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"host": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Host of the URL, for all of its ports, or `host:port` for one of them, which goes first.",
				Validators:          []validator.String{stringvalidator.RegexMatches(regexp.MustCompile(`^[^/@\s]+$`), "must be a host, or host:port, and no URL")},
			},
			"username": text("User name for https. For a token what the host asks for; most take anything. Default `git`.", stringvalidator.AlsoRequires(sibling("password"))),
			"password": secret("Password or token for https, and for http where a URL has that.",
				stringvalidator.AtLeastOneOf(sibling("ca_cert"), sibling("ssh_private_key"), sibling("known_hosts"))),
			"ca_cert":         text("Certificate authority of the host, PEM text, trusted beside those of the system."),
			"ssh_private_key": secret("Private key for ssh, in OpenSSH or PEM format."),
			"ssh_passphrase":  secret("Passphrase of `ssh_private_key`.", stringvalidator.AlsoRequires(sibling("ssh_private_key"))),
			"known_hosts":     text("The host's ssh keys, as lines of a `known_hosts` file, instead of `~/.ssh/known_hosts`. Host keys are always verified."),
		}},
	}
}

type gitAuth struct {
	Host          types.String `tfsdk:"host"`
	Username      types.String `tfsdk:"username"`
	Password      types.String `tfsdk:"password"`
	CACert        types.String `tfsdk:"ca_cert"`
	SSHPrivateKey types.String `tfsdk:"ssh_private_key"`
	SSHPassphrase types.String `tfsdk:"ssh_passphrase"`
	KnownHosts    types.String `tfsdk:"known_hosts"`
}

// git is the client for repositories; nil as long as a credential is not known.
func (c config) git(ctx context.Context) (*git.Client, diag.Diagnostics) {
	raw, err := c.GitAuth.ToTerraformValue(ctx)
	if err != nil || !raw.IsFullyKnown() {
		return nil, nil
	}
	var (
		entries []gitAuth
		opts    git.Options
	)
	diags := c.GitAuth.ElementsAs(ctx, &entries, false)
	for _, e := range entries {
		opts.Credentials = append(opts.Credentials, git.Credential{
			Host: e.Host.ValueString(), Username: e.Username.ValueString(), Password: e.Password.ValueString(), CACert: e.CACert.ValueString(),
			PrivateKey: e.SSHPrivateKey.ValueString(), Passphrase: e.SSHPassphrase.ValueString(), KnownHosts: e.KnownHosts.ValueString(),
		})
	}
	return git.New(opts), diags
}
