// Package application is the resource and the data source of Compose stacks.
package application

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Kind is the swarm_application resource.
type Kind struct{}

var _ lifecycle.Kind = Kind{}

// Name implements lifecycle.Kind.
func (Kind) Name() string { return kindName }

const kindName = "application"

// NewModel implements lifecycle.Kind.
func (Kind) NewModel() lifecycle.Model { return &model{} }

// Description implements lifecycle.Kind.
func (Kind) Description() string {
	return `A Compose stack on Docker Swarm, from what ` + "`docker stack deploy`" + ` accepts.

The plan shows the difference between what is declared and what runs, field by field, in ` + "`objects`" + `. Applying makes exactly that difference, returns when the tasks of the new version really run, and says why when they do not. An interrupted apply is finished by the next one.`
}

// inClear heads the description of everything that ends up in the state.
const inClear = "**Stored in the state in clear: secrets belong into `secrets_wo` and `variables_wo`.** "

// Attributes implements lifecycle.Kind.
func (Kind) Attributes() map[string]schema.Attribute {
	noNulls := []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1))}
	return map[string]schema.Attribute{
		"compose": schema.ListAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: inClear + "Texts of the Compose files, merged in order as `docker stack deploy -c a.yml -c b.yml` does. Exactly one of `compose` and `git`. " +
				"What Swarm would drop without a word is an error or a warning in the plan, with file, line, service and key.",
			Validators: []validator.List{
				listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(),
				listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				listvalidator.ExactlyOneOf(path.MatchRoot("compose"), path.MatchRoot("git")),
			},
		},
		"git": gitAttribute(),
		"files": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: inClear + "Path, as the Compose texts write it, to the text of the file: what `configs: … file:` and `env_file:` refer to. With `git` such files are read from the repository.",
			Validators:          append([]validator.Map{mapvalidator.ConflictsWith(path.MatchRoot("git"))}, noNulls...),
		},
		"variables": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: inClear + "Values for `${VARIABLE}` in the Compose texts, by the Compose specification. " +
				"A variable that is set neither here nor in `variables_wo` and has no default is an error; the environment of Terraform is not looked at.",
			Validators: noNulls,
		},
		"variables_wo": schema.MapAttribute{
			Optional: true, WriteOnly: true, ElementType: types.StringType,
			MarkdownDescription: "Values for `${VARIABLE}` that are not stored and not shown: whatever one of them goes into is a fingerprint in plan and state. " +
				"Usable in environment, command, entrypoint, labels, healthcheck and config texts. The value must be the same when planning and applying, and is readable in the swarm where a service spec holds it: `secrets_wo` keeps it out of there.",
			Validators: noNulls,
		},
		"values": schema.ListAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: inClear + "YAML texts, merged in order: mappings key by key, anything else is replaced, and `null` takes a key away. " +
				"With `values` or `values_wo` the Compose texts are Go templates, executed before the YAML is read, with the values under `.Values`; see the guide to templates.",
			Validators: []validator.List{listvalidator.NoNullValues()},
		},
		"values_wo": schema.ListAttribute{
			Optional: true, WriteOnly: true, ElementType: types.StringType,
			MarkdownDescription: "YAML texts, merged over `values`, that are not stored and not shown: whatever a value of them goes into is a fingerprint in plan and state. " +
				"Usable where `variables_wo` is; a template in which a value decides what is declared is an error. The keys are names, and are not hidden. The value must be the same when planning and applying.",
			Validators: []validator.List{listvalidator.NoNullValues()},
		},
		"secrets_wo": schema.MapAttribute{
			Optional: true, WriteOnly: true, ElementType: types.StringType,
			MarkdownDescription: "Content of the top-level `secrets:` by their key, which are declared empty (`db_password: {}`). Neither stored nor shown; another value makes a new secret and rolls the services that mount it, without a version to bump.",
			Validators:          noNulls,
		},
		"resolve_image": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(string(reconcile.ResolveChanged)),
			MarkdownDescription: "When the tag of an image is pinned to the digest that it stands for at its registry, asked through the engine: `changed` when a service gets another reference, `always` whenever a service is written anyway, `never` not at all. " +
				"The digests show in `images`; a service that runs another one than was deployed is taken back. An image that no registry gives stays a tag, with a warning. Default `changed`.",
			Validators: []validator.String{stringvalidator.OneOf(string(reconcile.ResolveChanged), string(reconcile.ResolveAlways), string(reconcile.ResolveNever))},
		},
		"suspended": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Scales all replicated services to 0 and keeps everything else. Default `false`.",
		},
		"wait": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(true),
			MarkdownDescription: "Whether applying returns only when every task of the new version runs, is healthy and has stayed so for the service's `update_config.monitor` (5 s when unset). Default `true`.",
		},
		"prune": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(true),
			MarkdownDescription: "Whether objects that are no longer declared are deleted once the new version runs. Volumes never are. Default `true`.",
		},
		"purge_volumes": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Whether destroying deletes the named volumes as well, if the release has ever been deployed. The value in the state counts, so apply it before destroying. Volumes are per node: only those of the node that the provider talks to can be reached. Default `false`.",
		},
		"networks": schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "Network as declared to its real name.",
		},
		"redeploy_trigger": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Any text; a change of it restarts all tasks. For instance a version of something that the services read at start.",
		},
	}
}
