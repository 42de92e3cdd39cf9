package providertest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// Plan is what `terraform plan` has to say, for a person and as data.
type Plan struct {
	Text string
	tfjson.Plan
}

// Plan runs `terraform plan`, which must end with an exit code: 0 without changes, 2 with some.
func (w *Workspace) Plan(code int, args ...string) *Plan {
	w.T.Helper()
	p := &Plan{Text: w.Expect(code, append([]string{"plan", "-detailed-exitcode", "-input=false", "-out=tfplan"}, args...)...)}
	cmd := w.Command("show", "-json", "tfplan")
	out, err := cmd.Output()
	if err != nil {
		w.T.Fatalf("terraform show -json: %v", err)
	}
	if err := json.Unmarshal(out, &p.Plan); err != nil {
		w.T.Fatal(err)
	}
	return p
}

// Change is what the plan does to the resource of a type, nil when there is none in the plan.
func (p *Plan) Change(resource string) *tfjson.Change {
	for _, c := range p.ResourceChanges {
		if c.Type == resource {
			return c.Change
		}
	}
	return nil
}

// Drift is what the refresh of the plan found to have moved of the resource of a type.
func (p *Plan) Drift(t testing.TB, resource string) *Differences {
	t.Helper()
	for _, c := range p.ResourceDrift {
		if c.Type == resource {
			return Compare(t, c.Change)
		}
	}
	return &Differences{paths: map[string][]string{}}
}

// Differences holds, by element of `objects`, the leaves that differ; "*" is an element that one side lacks. An
// attribute beside `objects` is an element by its name, one that is a map by its name and key ("images/web").
type Differences struct {
	paths map[string][]string
}

// Compare lists what a change changes.
func Compare(t testing.TB, c *tfjson.Change) *Differences {
	t.Helper()
	before, _ := c.Before.(map[string]any)
	after, _ := c.After.(map[string]any)
	d := &Differences{paths: map[string][]string{}}
	for name := range both(before, after) {
		if name == "objects" {
			continue
		}
		was, isMap := before[name].(map[string]any)
		is, stillMap := after[name].(map[string]any)
		if !isMap || !stillMap {
			was, is = map[string]any{"": before[name]}, map[string]any{"": after[name]}
		}
		for key := range both(was, is) {
			if !reflect.DeepEqual(was[key], is[key]) {
				d.paths[strings.TrimSuffix(name+"/"+key, "/")] = []string{"*"}
			}
		}
	}
	was, _ := before["objects"].(map[string]any)
	is, _ := after["objects"].(map[string]any)
	for ref := range both(was, is) {
		a, there := was[ref].(string)
		b, still := is[ref].(string)
		if !there || !still {
			d.paths[ref] = []string{"*"}
			continue
		}
		for _, difference := range object.Diff(Form(t, a), Form(t, b)) {
			d.paths[ref] = append(d.paths[ref], difference.Path.String())
		}
	}
	return d
}

// Take returns the leaves of one element, and counts it as accounted for.
func (d *Differences) Take(element string) []string {
	paths := d.paths[element]
	delete(d.paths, element)
	return paths
}

// Rest is what nobody has taken.
func (d *Differences) Rest() map[string][]string { return d.paths }

func both(a, b map[string]any) map[string]bool {
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return keys
}

// Form reads an element of `objects`.
func Form(t testing.TB, text string) object.Form {
	t.Helper()
	f, err := object.ParseForm(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

// AsJSON is a value as a person reads it.
func AsJSON(t testing.TB, v any) string {
	t.Helper()
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
