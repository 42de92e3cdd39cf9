package render

import (
	"fmt"
	"strings"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// normalise takes out of one file what docker/cli's loader does not know, or
// would read from disk, and keeps it in the stack.
func (s *stack) normalise(root *node, index int) {
	s.normaliseHead(root)
	for _, section := range []string{"networks", "volumes", "secrets", "configs"} {
		if n := root.get(section); n != nil {
			for _, e := range n.entries {
				s.normaliseExternal(e.value, path{section, e.key})
			}
		}
	}
	for _, section := range []string{"secrets", "configs"} {
		if n := root.get(section); n != nil {
			for _, e := range n.entries {
				s.normaliseContent(e, path{section, e.key}, index)
			}
		}
	}
	if n := root.get("services"); n != nil {
		for _, e := range n.entries {
			s.normaliseService(e, path{"services", e.key})
		}
	}
}

func (s *stack) normaliseHead(root *node) {
	if e := root.entry("version"); e != nil {
		if version := e.value.text(); version != "" && version != "3" && !strings.HasPrefix(version, "3.") {
			s.report.errorAt(e.value.at, path{"version"}, fmt.Sprintf("Compose file version %q is not supported", excerpt(version)),
				"Swarm reads version 3. Remove the version line, and use the keys of version 3: deploy.resources instead of mem_limit and cpus, top-level volumes instead of volumes_from.")
		}
		root.remove("version")
	}
	if e := root.entry("name"); e != nil {
		if name := e.value.text(); name != s.app.Name {
			s.report.errorAt(e.value.at, path{"name"}, "The Compose file is for another name",
				fmt.Sprintf("It says name: %s, and the application is called %q. Remove the line, or make them the same.", excerpt(e.value.raw), s.app.Name))
		}
		root.remove("name")
	}
}

// normaliseExternal turns the old `external: {name: x}` into `external: true`
// and `name: x`.
func (s *stack) normaliseExternal(n *node, p path) {
	external := n.get("external")
	if external == nil || external.kind != mappingNode {
		return
	}
	if name := external.get("name"); name != nil {
		if n.get("name") != nil {
			s.report.errorAt(external.at, p, fmt.Sprintf("%s has two names", p), "external.name and name exclude each other. Keep name.")
		}
		n.set("name", name)
	}
	n.set("external", &node{kind: scalarNode, at: external.at, value: true, raw: "true"})
}

// normaliseContent replaces `content` and `environment` by a made-up file.
func (s *stack) normaliseContent(e *entry, p path, index int) {
	n := e.value
	var given []string
	for _, key := range []string{"file", "content", "environment"} {
		if n.entry(key) != nil {
			given = append(given, key)
		}
	}
	if len(given) > 1 {
		s.report.errorAt(e.at, p, fmt.Sprintf("%s has more than one source", p), strings.Join(given, " and ")+" exclude each other. Keep one.")
		return
	}
	if len(given) == 0 || given[0] == "file" {
		return
	}
	source := n.get(given[0])
	text := source.text()
	if given[0] == "environment" {
		value, ok := s.vars.lookup(text)
		if !ok {
			s.report.errorAt(source.at, p, fmt.Sprintf("Variable %s is not set", text),
				fmt.Sprintf("%s takes its content from it. Set it in `variables` or `variables_wo`.", p))
			s.report.damage(p.with("content"))
			return
		}
		text = value
	}
	n.remove(given[0])
	file := fmt.Sprintf("%s%d/%s", inlineFile, index, p)
	s.inline[file] = text
	n.set("file", stringNode(source.at, file))
}

// inlineFile starts the made-up names. No path of a user can be one.
const inlineFile = "\x00inline/"

func (s *stack) normaliseService(e *entry, p path) {
	n, name := e.value, e.key
	if profiles := n.get("profiles"); profiles != nil {
		if len(profiles.items) > 0 {
			s.profiled[name] = profiles.at
			s.report.warnAt(profiles.at, p, fmt.Sprintf("Service %s is left out", name),
				"It has profiles, and Compose starts such a service only when one of its profiles is chosen. Remove profiles to deploy it.")
		}
		n.remove("profiles")
	}
	if build := n.entry("build"); build != nil {
		s.built[name] = build.at
		n.remove("build")
	}
	if options := n.get("dns_opt"); options != nil {
		s.dnsOptions[name] = texts(options)
		n.remove("dns_opt")
	}
	if score, ok := n.get("oom_score_adj").intValue(); ok {
		s.oomScores[name] = int64(score)
		n.remove("oom_score_adj")
	}
	if groups := n.get("group_add"); groups != nil {
		s.groups[name] = texts(groups)
		n.remove("group_add")
	}
	s.normaliseDependencies(n, name)
	s.normaliseEnvironment(n, p)
	s.normalisePorts(n, p)
	s.normaliseMounts(n, p)
	// Neither key reaches a Swarm service; docker/cli's loader would only look at
	// their form.
	for _, key := range []string{"devices", "links", "external_links"} {
		n.remove(key)
	}
}

func texts(n *node) []string {
	if n.kind == scalarNode {
		return []string{n.text()}
	}
	list := make([]string, len(n.items))
	for i, item := range n.items {
		list[i] = item.text()
	}
	return list
}

func (s *stack) normaliseDependencies(n *node, name string) {
	dependsOn := n.get("depends_on")
	if dependsOn == nil {
		return
	}
	if s.dependencies[name] == nil {
		s.dependencies[name] = map[string]dependency{}
	}
	for _, item := range dependsOn.items {
		s.dependencies[name][item.text()] = dependency{at: item.at, condition: object.Started}
	}
	for _, e := range dependsOn.entries {
		d := dependency{at: e.at, condition: object.Started}
		if c := e.value.get("condition"); c != nil {
			d.condition = object.Condition(c.text())
		}
		if required := e.value.get("required"); required != nil {
			d.optional = required.value == false
		}
		s.dependencies[name][e.key] = d
	}
	n.remove("depends_on")
}
