package lifecycle

import (
	"context"
	"regexp"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// Common holds the attributes that every kind of resource has.
type Common struct {
	Name         types.String   `tfsdk:"name"`
	OnFailure    types.String   `tfsdk:"on_failure"`
	HistoryLimit types.String   `tfsdk:"history_limit"`
	Adopt        types.Bool     `tfsdk:"adopt"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`

	ID       types.String `tfsdk:"id"`
	SwarmID  types.String `tfsdk:"swarm_id"`
	Instance types.String `tfsdk:"instance"`
	Revision types.String `tfsdk:"revision"`
	Status   types.String `tfsdk:"status"`
	Objects  types.Map    `tfsdk:"objects"`
	Images   types.Map    `tfsdk:"images"`
	Services types.Map    `tfsdk:"services"`

	// pinned are the images with digests that an apply has settled on.
	pinned map[string]string
}

// common is what embedding Common gives a model.
func (c *Common) common() *Common { return c } //nolint:unused // called through the interface Model

// historyLimit is how many revisions are kept. The validator of the attribute
// has seen to it that the text is a number.
func (c *Common) historyLimit() int {
	n, err := strconv.Atoi(c.HistoryLimit.ValueString())
	if err != nil {
		return reconcile.DefaultHistoryLimit
	}
	return n
}

// The operations' default timeouts.
const (
	changeTimeout = 10 * time.Minute
	deleteTimeout = 5 * time.Minute
)

// rollBack is the value of on_failure that takes a failed release back.
const rollBack = "rollback"

// maxNameLength leaves 23 of the 63 characters of a service's real name to the
// service.
const maxNameLength = 40

var serviceType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"id":    types.StringType,
	"name":  types.StringType,
	"mode":  types.StringType,
	"ports": types.ListType{ElemType: types.StringType},
}}

// commonAttributes is the schema of Common. Whole numbers are strings: with a
// number attribute in a resource Terraform 1.10 to 1.14 answers every clean
// refresh-only plan with exit code 2.
func commonAttributes(ctx context.Context) map[string]schema.Attribute {
	attributes := settingAttributes(ctx)
	for name, attribute := range computedAttributes() {
		attributes[name] = attribute
	}
	return attributes
}

func settingAttributes(ctx context.Context) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required: true,
			MarkdownDescription: "Name of the release, and the stack namespace: services are called `<name>_<service>`, and `docker stack ps <name>` works. " +
				"Lower-case letters, digits, `_` and `-`, at most 40 characters. All kinds of resources share one name space. Another name replaces the resource.",
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			Validators: []validator.String{
				CheckedBy(spec.CheckReleaseName),
				stringvalidator.LengthAtMost(maxNameLength),
			},
		},
		"on_failure": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(rollBack),
			MarkdownDescription: "What becomes of an update that fails: with `rollback` the whole release goes back to its last deployed revision, is waited for as long as the update's own timeout, and the apply returns the original error; with `keep` what was written stays for inspection. " +
				"Either way the next apply tries again. Jobs are never rolled back, and a first install is always kept. Default `rollback`.",
			Validators: []validator.String{stringvalidator.OneOf(rollBack, "keep")},
		},
		"history_limit": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(strconv.Itoa(reconcile.DefaultHistoryLimit)),
			MarkdownDescription: "How many revisions are kept in the swarm, a whole number of at least 1. The newest deployed revision is always kept. Default `10`.",
			Validators: []validator.String{
				stringvalidator.RegexMatches(regexp.MustCompile(`^[1-9][0-9]{0,3}$`), "must be a whole number from 1 to 9999"),
			},
		},
		"adopt": schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Whether creating takes over objects of this name that something else deployed. The plan lists what is taken. Default `false`: such a create is refused. Not needed after an import.",
		},
		"timeouts": timeoutsAttribute(ctx),
	}
}

func timeoutsAttribute(ctx context.Context) schema.Attribute {
	const form = "a duration such as `90s` or `15m`"
	attribute := timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, Update: true, Delete: true,
		CreateDescription: "How long creating may take, waiting included: " + form + ". Default `10m`.",
		UpdateDescription: "How long updating may take, waiting included: " + form + ". Default `10m`.",
		DeleteDescription: "How long destroying may take, draining of tasks included: " + form + ". Default `5m`.",
	})
	if nested, ok := attribute.(schema.SingleNestedAttribute); ok {
		nested.MarkdownDescription = "How long operations may take."
		return nested
	}
	return attribute
}

func computedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":       schema.StringAttribute{Computed: true, MarkdownDescription: "The same as `name`."},
		"swarm_id": schema.StringAttribute{Computed: true, MarkdownDescription: "Identifies the swarm that the release is in. Every operation checks that the engine belongs to it."},
		"instance": schema.StringAttribute{Computed: true, MarkdownDescription: "Identifies this life of the release: made when it is created or adopted, and on the labels of all its objects."},
		"revision": schema.StringAttribute{Computed: true, MarkdownDescription: "Number of the newest revision on record in the swarm."},
		"status":   schema.StringAttribute{Computed: true, MarkdownDescription: "Outcome of the newest revision: `applying`, `deployed`, `failed` or `rolled_back`. Anything but `deployed` is finished by the next apply."},
		"objects": schema.MapAttribute{Computed: true, ElementType: types.StringType,
			MarkdownDescription: "What is declared, and after a refresh what is live: `<kind>/<name>` (`service/web`) to the JSON of all owned fields in one canonical form. This is where plans and drift show, field by field. Secret values are fingerprints."},
		"images":   schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Service to its image as the engine has it, with the digest if there is one."},
		"services": servicesAttribute(),
	}
}

func servicesAttribute() schema.Attribute {
	return schema.MapNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The live services by their name in the declaration.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"id":    schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the service at the engine."},
			"name":  schema.StringAttribute{Computed: true, MarkdownDescription: "Real name of the service."},
			"mode":  schema.StringAttribute{Computed: true, MarkdownDescription: "`replicated`, `global`, `replicated-job` or `global-job`."},
			"ports": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Published ports as declared, for instance `8080:80/tcp (ingress)`; `:80/tcp (host)` when the engine chooses."},
		}},
	}
}
