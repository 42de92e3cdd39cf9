package render

import (
	"fmt"
	"strings"

	"github.com/docker/cli/cli/compose/loader"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// checkReferences looks for what a service refers to and no file declares.
func (s *stack) checkReferences() {
	networks, volumes := s.declared("networks"), s.declared("volumes")
	secrets, configs := s.declared("secrets"), s.declared("configs")
	s.eachEntry("services", func(e *entry, p path) {
		if _, out := s.profiled[e.key]; out {
			return
		}
		if n := e.value.get("networks"); n != nil {
			for i, item := range n.items {
				s.checkReference("network", item.text(), networks, item.at, p.with("networks", fmt.Sprint(i)))
			}
			for _, a := range n.entries {
				s.checkReference("network", a.key, networks, a.at, p.with("networks", a.key))
			}
		}
		if n := e.value.get("volumes"); n != nil {
			for i, item := range n.items {
				if source := namedVolume(item); source != "" {
					s.checkReference("volume", source, volumes, item.at, p.with("volumes", fmt.Sprint(i)))
				}
			}
		}
		s.checkFileReferences("secret", e.value.get("secrets"), secrets, p.with("secrets"))
		s.checkFileReferences("config", e.value.get("configs"), configs, p.with("configs"))
		if config := e.value.get("credential_spec").get("config"); config != nil {
			s.checkReference("config", config.text(), configs, config.at, p.with("credential_spec", "config"))
		}
	})
	s.checkDependencies()
}

func (s *stack) checkFileReferences(kind string, n *node, declared map[string]bool, p path) {
	if n == nil {
		return
	}
	for i, item := range n.items {
		source := item.text()
		if item.kind == mappingNode {
			source = item.get("source").text()
		}
		s.checkReference(kind, source, declared, item.at, p.with(fmt.Sprint(i)))
	}
}

// namedVolume is the top-level volume a mount refers to, or "".
func namedVolume(item *node) string {
	kind, source := item.get("type").text(), item.get("source").text()
	if item.kind == scalarNode {
		volume, err := loader.ParseVolume(item.text())
		if err != nil {
			return ""
		}
		kind, source = volume.Type, volume.Source
	}
	if kind == "volume" || kind == "cluster" && !strings.HasPrefix(source, "group:") {
		return source
	}
	return ""
}

func (s *stack) checkReference(kind, key string, declared map[string]bool, at place, p path) {
	if declared[key] || kind == "network" && key == "default" {
		return
	}
	section := kind + "s"
	if s.report.isDamaged(path{section, key}) {
		return
	}
	s.report.errorAt(at, p, fmt.Sprintf("Undefined %s %q", kind, excerpt(key)),
		fmt.Sprintf("Service %s uses it, and no Compose file declares it. Add it under the top-level `%s:`, with `external: true` if it exists already.", p.service(), section))
}

// checkDependencies looks at depends_on: what it names, what can be waited for,
// and circles.
func (s *stack) checkDependencies() {
	services := s.declared("services")
	for _, name := range sortedKeys(s.dependencies) {
		p := path{"services", name, "depends_on"}
		for _, on := range sortedKeys(s.dependencies[name]) {
			d := s.dependencies[name][on]
			_, out := s.profiled[on]
			switch {
			case services[on] && !out:
				if d.condition == object.Completed && !s.isJob(on) {
					s.report.errorAt(d.at, p, fmt.Sprintf("Service %s waits for the end of %s, which does not end", name, on),
						fmt.Sprintf("service_completed_successfully is for jobs. Set deploy.mode of %s to replicated-job or global-job, or wait for service_healthy.", on))
				}
				continue
			case d.optional || s.report.isDamaged(path{"services", on}):
			case out:
				s.report.errorAt(d.at, p, fmt.Sprintf("Service %s depends on %s, which is left out", name, on),
					fmt.Sprintf("Service %s has profiles. Remove them, or write `required: false` here.", on))
			default:
				s.report.errorAt(d.at, p, fmt.Sprintf("Undefined service %q", excerpt(on)),
					fmt.Sprintf("Service %s depends on it, and no Compose file has it.", name))
			}
			delete(s.dependencies[name], on)
		}
	}
	if circle := s.findCircle(); len(circle) > 0 {
		first := circle[0]
		s.report.errorAt(s.dependencies[first][circle[1]].at, path{"services", first, "depends_on"},
			"Services depend on each other in a circle", strings.Join(circle, " → ")+". None of them could be the first to start.")
	}
}

func (s *stack) isJob(service string) bool {
	mode := ""
	for _, root := range s.roots {
		if m := root.get("services").get(service).get("deploy").get("mode"); m != nil {
			mode = m.text()
		}
	}
	return strings.HasSuffix(mode, "-job")
}

// findCircle returns a circle of depends_on, its first service repeated at the
// end, or nothing.
func (s *stack) findCircle() []string {
	const visiting, done = 1, 2
	state := map[string]int{}
	var trail []string
	var visit func(string) []string
	visit = func(name string) []string {
		switch state[name] {
		case done:
			return nil
		case visiting:
			for i, t := range trail {
				if t == name {
					return append(trail[i:len(trail):len(trail)], name)
				}
			}
		}
		state[name] = visiting
		trail = append(trail, name)
		for _, on := range sortedKeys(s.dependencies[name]) {
			if circle := visit(on); circle != nil {
				return circle
			}
		}
		trail = trail[:len(trail)-1]
		state[name] = done
		return nil
	}
	for _, name := range sortedKeys(s.dependencies) {
		if circle := visit(name); circle != nil {
			return circle
		}
	}
	return nil
}
