package lifecycle

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// CheckedBy is a validator of a text, for the case that something else in the
// configuration is unknown and nothing is rendered yet.
func CheckedBy(check spec.TextCheck) validator.String { return checkedText{check} }

type checkedText struct{ check spec.TextCheck }

var _ validator.String = checkedText{}

func (checkedText) Description(context.Context) string {
	return "value must be one that rendering takes"
}

func (c checkedText) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

func (c checkedText) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if p := c.check(req.ConfigValue.ValueString()); p != nil {
		resp.Diagnostics.AddAttributeError(req.Path, p.Summary, problemDetail(*p))
	}
}
