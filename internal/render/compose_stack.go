package render

import (
	"fmt"

	"github.com/docker/cli/cli/compose/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// stack is what the Compose files of an application say, merged, with what
// docker/cli's types have no room for beside it.
type stack struct {
	app    spec.Application
	vars   variables
	report *report
	roots  []*node

	config *types.Config
	// dependencies of each service on others.
	dependencies map[string]map[string]dependency
	// built are services with a build section, profiled those that Compose leaves
	// out unless a profile is chosen.
	built, profiled map[string]place
	// dnsOptions, groups and oomScores have a place in a service, and docker/cli
	// does not fill it: the first two are not in its schema, and the third is lost
	// by its loader (types.ServiceConfig.OomScoreAdj lacks the mapstructure tag).
	dnsOptions map[string][]string
	groups     map[string][]string
	oomScores  map[string]int64
	// ports are the published ports as written, to find the line of one again.
	ports map[string][]writtenPort
	// inline are texts that stand in for files: `content` and `environment` of
	// configs and secrets, by the made-up file name.
	inline map[string]string

	cleanFiles map[string]string
}

type dependency struct {
	at        place
	condition object.Condition
	optional  bool
}

// readStack reads all Compose files. The result is usable only when the report
// has no errors.
func readStack(app spec.Application, vars variables, r *report) *stack {
	s := &stack{
		app: app, vars: vars, report: r,
		dependencies: map[string]map[string]dependency{},
		built:        map[string]place{}, profiled: map[string]place{},
		dnsOptions: map[string][]string{}, groups: map[string][]string{}, oomScores: map[string]int64{},
		ports: map[string][]writtenPort{}, inline: map[string]string{},
	}
	if len(app.Compose) == 0 {
		r.attributeError([]string{"compose"}, "No Compose file", "An application needs at least one Compose text.")
		return s
	}
	for i, source := range app.Compose {
		if source.Name == "" {
			source.Name = fmt.Sprintf("compose[%d]", i)
		}
		root := readText(source, i, app, vars.values, r)
		if root == nil {
			continue
		}
		dropExtensions(root)
		interpolate(root, vars, r)
		(&checker{report: r}).conform(root, fileShape, nil)
		s.roots = append(s.roots, root)
	}
	for i, root := range s.roots {
		s.normalise(root, i)
	}
	s.checkReferences()
	if len(s.roots) == len(app.Compose) {
		s.load()
	}
	return s
}

// at finds where a path was written, or as much of it as was; the last file that
// has it wins, as in the merge.
func (s *stack) at(p path) place {
	for length := len(p); length > 0; length-- {
		for i := len(s.roots) - 1; i >= 0; i-- {
			if at, ok := s.roots[i].find(p[:length]); ok {
				return at
			}
		}
	}
	return place{}
}

func (s *stack) errorAt(p path, summary, detail string) {
	s.report.errorAt(s.at(p), p, summary, detail)
}

func (s *stack) warnAt(p path, summary, detail string) {
	s.report.warnAt(s.at(p), p, summary, detail)
}

// eachEntry visits the entries of a section of all files.
func (s *stack) eachEntry(section string, visit func(e *entry, p path)) {
	for _, root := range s.roots {
		n := root.get(section)
		if n == nil {
			continue
		}
		for _, e := range n.entries {
			visit(e, path{section, e.key})
		}
	}
}

// declared are the keys of a section over all files.
func (s *stack) declared(section string) map[string]bool {
	keys := map[string]bool{}
	s.eachEntry(section, func(e *entry, _ path) { keys[e.key] = true })
	return keys
}
