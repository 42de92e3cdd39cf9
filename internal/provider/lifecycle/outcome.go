package lifecycle

import (
	"context"
	"maps"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// planOutcome plans what only an apply can tell. What a change cannot touch stays
// as it is, element by element: a plan that shows every service as "known after
// apply" hides the one that changes.
func (c *Common) planOutcome(declared map[string]string, prior *Common) {
	c.Revision = types.StringUnknown()
	live := prior.objects()
	files := sameOfKind(declared, live, object.KindConfig) && sameOfKind(declared, live, object.KindSecret)
	networks := sameOfKind(declared, live, object.KindNetwork)

	images, services := map[string]attr.Value{}, map[string]attr.Value{}
	for ref, form := range declared {
		parsed, err := object.ParseRef(ref)
		if err != nil || parsed.Kind != object.KindService {
			continue
		}
		// A service that mounts a new config or secret is written, and a write may
		// settle its image anew.
		images[parsed.Key] = keep(prior.images(), parsed.Key, form == live[ref] && files, types.StringUnknown())
		// An update keeps the service; a new mode or network makes another one.
		services[parsed.Key] = keep(prior.services(), parsed.Key,
			networks && sameFields(form, live[ref], "mode", "ports"), types.ObjectUnknown(serviceType.AttrTypes))
	}
	c.Images = types.MapValueMust(types.StringType, images)
	c.Services = types.MapValueMust(serviceType, services)
}

// keep returns the prior element where it will stay, else the unknown one.
func keep(prior map[string]attr.Value, key string, stays bool, unknown attr.Value) attr.Value {
	if was, ok := prior[key]; ok && stays {
		return was
	}
	return unknown
}

// asPlanned fills the elements of a planned map that were unknown with what was
// observed. What was planned as known stays, because Terraform takes nothing
// else: if it has moved since, the next refresh shows it.
func asPlanned(planned, observed types.Map, absent attr.Value) types.Map {
	if planned.IsUnknown() {
		return observed
	}
	seen := observed.Elements()
	elements := maps.Clone(planned.Elements())
	for key, v := range elements {
		if !v.IsUnknown() {
			continue
		}
		if elements[key] = seen[key]; elements[key] == nil {
			elements[key] = absent // gone again already
		}
	}
	return types.MapValueMust(observed.ElementType(context.Background()), elements)
}

// sameOfKind reports whether all objects of a kind are live as declared.
func sameOfKind(declared, live map[string]string, kind object.Kind) bool {
	prefix := string(kind) + "/"
	of := func(m map[string]string) map[string]string {
		out := map[string]string{}
		for ref, form := range m {
			if strings.HasPrefix(ref, prefix) {
				out[ref] = form
			}
		}
		return out
	}
	return maps.Equal(of(declared), of(live))
}

// sameFields compares fields of two canonical forms.
func sameFields(a, b string, fields ...string) bool {
	x, errX := object.ParseForm(a)
	y, errY := object.ParseForm(b)
	if errX != nil || errY != nil {
		return false
	}
	for _, f := range fields {
		if !reflect.DeepEqual(x[f], y[f]) {
			return false
		}
	}
	return true
}

func (c *Common) images() map[string]attr.Value {
	if c == nil {
		return nil
	}
	return c.Images.Elements()
}

func (c *Common) services() map[string]attr.Value {
	if c == nil {
		return nil
	}
	return c.Services.Elements()
}
