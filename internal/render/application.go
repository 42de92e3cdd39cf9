// Package render turns what a user means (package spec) into the objects that
// the reconcile core plans and applies (package object). It is pure: it reads no
// file, no environment and no clock, and the same input gives the same output.
package render

import (
	"crypto/sha256"
	"encoding/hex"
	"sort"

	"github.com/docker/cli/cli/compose/convert"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// Rendered is what a spec becomes.
type Rendered struct {
	// Objects are the desired objects: networks, secrets, configs, services, each
	// kind sorted by key.
	Objects []object.Object
	// External are objects of others that have to exist already.
	External []object.External
	// Needs are the engine's API versions that the objects ask for beyond 1.41.
	Needs []object.Need
	// Sensitive are the sensitive values that went into the rendering, whatever
	// became of them.
	Sensitive []string
	// Before and After are the jobs that an apply runs on the way, see
	// reconcile.Release.
	Before, After []object.OneShot
	// Empty are the jobs of a removal that is to take the data along.
	Empty []object.OneShot
	// Local are the services whose data stays on their node.
	Local []string
}

// kindApplication is the kind of release in fingerprints.
const kindApplication = "application"

// Application renders a Compose stack. It returns every problem it finds, sorted
// by file and line; with an error among them there are no objects.
//
// What comes out is what `docker stack deploy` of docker/cli would create, but
// for the names of configs and secrets, which carry a part of their content's
// fingerprint.
func Application(app spec.Application) (*Rendered, spec.Problems) {
	r := &report{}
	vars := variablesOf(app, r)
	var rendered *Rendered
	if !r.problems.HasErrors() {
		rendered = renderApplication(app, vars, r)
	}
	if !r.problems.HasErrors() {
		markSensitive(app, vars, rendered, r)
		rendered.Sensitive = vars.hidden()
	}
	if app.Tree != nil {
		inRepository(r.problems)
	}
	r.problems.Sort()
	if r.problems.HasErrors() {
		return nil, r.problems
	}
	return rendered, r.problems
}

// inRepository points to the attribute that names the Compose files, where they
// are not in the configuration themselves.
func inRepository(problems spec.Problems) {
	for i, p := range problems {
		if len(p.Attribute) > 0 && p.Attribute[0] == "compose" {
			problems[i].Attribute = append([]string{"git", "files"}, p.Attribute[1:]...)
		}
	}
}

func renderApplication(app spec.Application, vars variables, r *report) *Rendered {
	checkReleaseName(app.Name, r)
	s := readStack(app, vars, r)
	if s.config == nil {
		return nil
	}
	a := &applicationRenderer{
		stack: s, namespace: convert.NewNamespace(app.Name),
		realNames: map[object.Kind]map[string]string{object.KindConfig: {}, object.KindSecret: {}},
		external:  map[externalRef]map[string]bool{},
	}
	a.checkApplication()
	a.networks()
	a.secrets()
	a.configs()
	a.services()
	return a.result()
}

// applicationRenderer turns a merged stack into objects.
type applicationRenderer struct {
	*stack
	namespace convert.Namespace
	objects   []object.Object
	needs     []object.Need
	// realNames of configs and secrets by kind and key.
	realNames map[object.Kind]map[string]string
	// external holds the services that use an external object.
	external map[externalRef]map[string]bool
}

// externalRef names an external object.
type externalRef struct {
	kind object.Kind
	name string
}

func (a *applicationRenderer) useExternal(kind object.Kind, name, service string) {
	ref := externalRef{kind, name}
	if a.external[ref] == nil {
		a.external[ref] = map[string]bool{}
	}
	a.external[ref][service] = true
}

func (a *applicationRenderer) result() *Rendered {
	rendered := &Rendered{Objects: a.objects, Needs: a.needs}
	for ref, services := range a.external {
		rendered.External = append(rendered.External, object.External{Kind: ref.kind, Name: ref.name, UsedBy: sortedKeys(services)})
	}
	sort.Slice(rendered.External, func(i, j int) bool {
		x, y := rendered.External[i], rendered.External[j]
		return x.Kind < y.Kind || x.Kind == y.Kind && x.Name < y.Name
	})
	sort.Slice(rendered.Needs, func(i, j int) bool { return rendered.Needs[i].What < rendered.Needs[j].What })
	return rendered
}

func checkReleaseName(name string, r *report) {
	if p := spec.CheckReleaseName(name); p != nil {
		r.add(*p)
	}
}

// redeployHash is the value of the label that makes a changed trigger visible.
func redeployHash(trigger string) string {
	sum := sha256.Sum256([]byte(trigger))
	return hex.EncodeToString(sum[:])[:12]
}
