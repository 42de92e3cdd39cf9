// Package computed has what the data sources have in common: texts that the
// provider fills in, and conditions.
//
// Numbers are texts here as well, so that they compare with the attributes of the
// resources, which have none (ARCHITECTURE.md).
package computed

import (
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Text is an attribute that the provider fills in.
func Text(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// Number is a whole number as a text.
func Number[T int | int64](n T) types.String {
	return types.StringValue(strconv.FormatInt(int64(n), 10))
}

// Moment is a time as a text (RFC 3339, UTC), empty for none.
func Moment(t time.Time) types.String {
	if t.IsZero() {
		return types.StringValue("")
	}
	return types.StringValue(t.UTC().Format(time.RFC3339))
}

// Condition is one condition in the state.
type Condition struct {
	Type    types.String `tfsdk:"type"`
	Status  types.String `tfsdk:"status"`
	Reason  types.String `tfsdk:"reason"`
	Message types.String `tfsdk:"message"`
}

// Conditions is the attribute of a list of them. kinds says in a sentence which
// there are.
func Conditions(description, kinds string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"type":    Text(kinds),
			"status":  Text("`True`, `False`, or `Unknown` when it could not be found out."),
			"reason":  Text("One word for why, from a closed set."),
			"message": Text("The same for people."),
		}},
	}
}

// ConditionsOf brings what the core says into the state.
func ConditionsOf(conditions []reconcile.ConditionOf) []Condition {
	out := make([]Condition, len(conditions))
	for i, c := range conditions {
		out[i] = Condition{
			Type: types.StringValue(string(c.Type)), Status: types.StringValue(string(c.Status)),
			Reason: types.StringValue(string(c.Reason)), Message: types.StringValue(c.Message),
		}
	}
	return out
}
