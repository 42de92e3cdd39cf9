package serverattr

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestWholeNumberIsTheOneTextOfANumberInRange(t *testing.T) {
	for _, c := range []struct {
		value types.String
		ok    bool
	}{
		{types.StringValue("1"), true},
		{types.StringValue("65535"), true},
		{types.StringNull(), true},
		{types.StringUnknown(), true},
		{types.StringValue("0"), false},
		{types.StringValue("65536"), false},
		{types.StringValue("080"), false},
		{types.StringValue("+80"), false},
		{types.StringValue("80 "), false},
		{types.StringValue("8e1"), false},
		{types.StringValue("http"), false},
		{types.StringValue(""), false},
		{types.StringValue("99999999999999999999"), false},
	} {
		t.Run(c.value.String(), func(t *testing.T) {
			var resp validator.StringResponse
			WholeNumber(1, 65535).ValidateString(t.Context(), validator.StringRequest{Path: path.Root("port"), ConfigValue: c.value}, &resp)
			if resp.Diagnostics.HasError() == c.ok {
				t.Errorf("diagnostics: %v", resp.Diagnostics)
			}
		})
	}
}
