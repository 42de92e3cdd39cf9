package application_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// plan is what `terraform plan` has to say, for a person and as data.
type plan struct {
	text string
	tfjson.Plan
}

// plan runs `terraform plan`, which must end with an exit code: 0 without changes, 2 with some.
func (w *workspace) plan(code int, args ...string) *plan {
	w.t.Helper()
	p := &plan{text: w.expect(code, append([]string{"plan", "-detailed-exitcode", "-input=false", "-out=tfplan"}, args...)...)}
	cmd := w.command("show", "-json", "tfplan")
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("terraform show -json: %v", err)
	}
	if err := json.Unmarshal(out, &p.Plan); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// change is what the plan does to the application, nil when it is not in the plan.
func (p *plan) change() *tfjson.Change {
	for _, c := range p.ResourceChanges {
		if c.Type == "swarm_application" {
			return c.Change
		}
	}
	return nil
}

// drift is what was found to have moved, by the refresh of the plan.
func (p *plan) drift(t *testing.T) *differences {
	t.Helper()
	for _, c := range p.ResourceDrift {
		if c.Type == "swarm_application" {
			return compare(t, c.Change)
		}
	}
	return &differences{paths: map[string][]string{}}
}

// differences holds, by element of `objects`, the leaves that differ; "*" is an element that one side lacks. An
// attribute beside `objects` is an element by its name, one that is a map by its name and key ("images/web").
type differences struct {
	paths map[string][]string
}

// compare lists what a change changes.
func compare(t *testing.T, c *tfjson.Change) *differences {
	t.Helper()
	before, _ := c.Before.(map[string]any)
	after, _ := c.After.(map[string]any)
	d := &differences{paths: map[string][]string{}}
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
		for _, difference := range object.Diff(form(t, a), form(t, b)) {
			d.paths[ref] = append(d.paths[ref], difference.Path.String())
		}
	}
	return d
}

// take returns the leaves of one element, and counts it as accounted for.
func (d *differences) take(element string) []string {
	paths := d.paths[element]
	delete(d.paths, element)
	return paths
}

// rest is what nobody has taken.
func (d *differences) rest() map[string][]string { return d.paths }

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

func form(t *testing.T, text string) object.Form {
	t.Helper()
	f, err := object.ParseForm(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
