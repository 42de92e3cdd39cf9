package drift

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/computed"
)

// Schema implements datasource.DataSource.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Compares what is in the swarm with what was deployed: the newest revision on record of each release, field by field, whatever kind the release is. " +
			"It needs neither the configuration nor the state that deployed it, changes nothing, and costs the same few calls for one release and for a hundred.\n\n" +
			"Use it at the top level of a configuration, with a `check` block that asserts on `in_sync`; the [guide on drift](../guides/drift.md) tells why, and which exit codes come of it.",
		Attributes: map[string]schema.Attribute{
			"names": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Releases to look at, whoever deployed them. Default: all that the provider's `owner` has in the swarm. A name that is not there is reported, and no error.",
				Validators:          []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.NoNullValues(), setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"in_sync":    schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether all of them are in sync. True as well when there is none."},
			"checked_at": computed.Text("When they were compared (RFC 3339, UTC)."),
			"releases": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "What was found, by name.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":     computed.Text("Name of the release."),
					"kind":     computed.Text("Kind of the release, as `application`; empty when it is not there or no provider deployed it."),
					"revision": computed.Text("Number of the newest revision on record, which was compared with; empty when there is none."),
					"in_sync": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the newest revision was applied to its end and nothing differs from it. " +
						"What could not be found out is not in sync. Whether the tasks run is another question, which the condition `Converged` answers."},
					"reason": computed.Text("Why, from a closed set: `InSync`; `Drifted` (see `differences`); `Applying`, `Failed`, `RolledBack` (the newest revision was not applied to its end); " +
						"`NotFound`; `NoRecord` (there are objects and no revision to compare with); `Unreadable` (a record is damaged, or of a newer provider); " +
						"`NotComparable` (an object has no canonical form); `InternalError` (a bug of the provider)."),
					"conditions": computed.Conditions("The release in a few words that a program can decide on.",
						"`Deployed` (the newest revision was applied to its end), `Converged` (every slot of every service runs the declared version) or `InSync` (as `in_sync`, and `Unknown` where that could not be found out)."),
					"differences": schema.ListNestedAttribute{
						Computed: true, MarkdownDescription: "The fields that differ, by object.",
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"object":  computed.Text("The object as in `objects` of the resource: `service/web`."),
							"path":    computed.Text("The field as in `objects` of the resource: `env.TZ`, `ports[0].published`. `exists` when the object as a whole is missing or too many."),
							"desired": computed.Text("What was deployed: a text, lists as JSON, `(not set)` for nothing. Of a config's content, a fingerprint. Sensitive values look as in `objects`: `(sensitive 0123456789ab)`."),
							"live":    computed.Text("What is in the swarm, in the same form."),
						}},
					},
				}},
			},
		},
	}
}
