package lifecycle

import (
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// problemDiagnostics puts everything that is wrong with an input before the
// user, each at the attribute where it has to be mended.
func problemDiagnostics(problems spec.Problems, config tfsdk.Config) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, p := range problems {
		summary, detail := p.Summary, problemDetail(p)
		at := attributePath(p.Attribute, config)
		switch {
		case p.Severity == spec.Warning && at == nil:
			diags.AddWarning(summary, detail)
		case p.Severity == spec.Warning:
			diags.AddAttributeWarning(*at, summary, detail)
		case at == nil:
			diags.AddError(summary, detail)
		default:
			diags.AddAttributeError(*at, summary, detail)
		}
	}
	return diags
}

func problemDetail(p spec.Problem) string {
	var where []string
	if at := p.Position(); at != "" {
		where = append(where, at)
	}
	if p.Service != "" {
		where = append(where, "service "+p.Service)
	}
	if len(where) == 0 {
		return p.Detail
	}
	return strings.Join(where, ", ") + ":\n" + p.Detail
}

// attributePath turns the strings of a Problem into a path, with the help of the
// schema, which tells a list index from a map key. It stops where the schema does
// and at an object, because Terraform finds no line for what is inside of one
// and would point at the whole resource. It is nil when the attribute does not exist.
func attributePath(segments []string, config tfsdk.Config) *path.Path {
	if len(segments) == 0 {
		return nil
	}
	attribute, ok := config.Schema.GetAttributes()[segments[0]]
	if !ok {
		return nil
	}
	at, current := path.Root(segments[0]), attribute.GetType()
	for _, s := range segments[1:] {
		switch t := current.(type) {
		case types.ListType:
			n, err := strconv.Atoi(s)
			if err != nil {
				return &at
			}
			at, current = at.AtListIndex(n), t.ElemType
		case types.MapType:
			at, current = at.AtMapKey(s), t.ElemType
		default:
			return &at
		}
	}
	return &at
}
