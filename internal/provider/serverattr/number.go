package serverattr

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// WholeNumber validates the text of a whole number; numbers are texts in
// resources, see the package lifecycle.
func WholeNumber(least, most int) validator.String { return wholeNumber{least, most} }

// NumberOr is the whole number that an attribute holds, of so many bits, or the
// fallback for a text that is none: of that the validator speaks.
func NumberOr(v types.String, bits int, fallback uint64) uint64 {
	n, err := strconv.ParseUint(v.ValueString(), 10, bits)
	if err != nil || n == 0 {
		return fallback
	}
	return n
}

type wholeNumber struct{ least, most int }

// Description implements validator.String.
func (v wholeNumber) Description(context.Context) string {
	return fmt.Sprintf("must be a whole number from %d to %d", v.least, v.most)
}

// MarkdownDescription implements validator.String.
func (v wholeNumber) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (v wholeNumber) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	text := req.ConfigValue.ValueString()
	// The text is compared as well: "+5" and "007" are read back as other texts.
	if n, err := strconv.Atoi(text); err != nil || strconv.Itoa(n) != text || n < v.least || n > v.most {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid number",
			fmt.Sprintf("%s %s, and is %q.", req.Path, v.Description(ctx), text))
	}
}
