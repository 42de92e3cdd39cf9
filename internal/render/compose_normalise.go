package render

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/docker/cli/cli/compose/loader"
	"github.com/docker/go-connections/nat"

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

// writtenPort is one published port where it was written.
type writtenPort struct {
	at          place
	first, last uint32 // published; the same unless it is a range
	protocol    string
}

func (s *stack) normalisePorts(n *node, p path) {
	ports := n.get("ports")
	if ports == nil {
		return
	}
	var kept []*node
	for i, item := range ports.items {
		if s.normalisePort(item, p.with("ports", fmt.Sprint(i))) {
			kept = append(kept, item)
		}
	}
	ports.items = kept
}

func (s *stack) normalisePort(item *node, p path) bool {
	service := p.service()
	if item.kind == mappingNode {
		item.remove("name")
		item.remove("app_protocol")
		w := writtenPort{at: item.at, protocol: "tcp"}
		if v, ok := item.get("published").intValue(); ok {
			w.first, w.last = uint32(v), uint32(v)
		}
		if protocol := item.get("protocol"); protocol != nil {
			w.protocol = protocol.text()
		}
		s.ports[service] = append(s.ports[service], w)
		return true
	}
	short := item.text()
	for _, everywhere := range []string{"0.0.0.0:", "[::]:"} {
		short = strings.TrimPrefix(short, everywhere)
	}
	item.value = short
	mappings, err := nat.ParsePortSpec(short)
	if err != nil {
		s.report.errorAt(item.at, p, fmt.Sprintf("Wrong value of %s", p), fmt.Sprintf("%q is no port.", excerpt(item.raw)))
		return false
	}
	for _, m := range mappings {
		if m.Binding.HostIP != "" {
			s.report.errorAt(item.at, p, "A port cannot be bound to one address",
				fmt.Sprintf("Swarm publishes %q on all addresses of a node. Remove %s, and restrict access with a firewall.", excerpt(item.raw), m.Binding.HostIP))
			return false
		}
		if first, last, err := nat.ParsePortRange(m.Binding.HostPort); err == nil {
			s.ports[service] = append(s.ports[service], writtenPort{at: item.at, first: uint32(first), last: uint32(last), protocol: m.Port.Proto()})
		}
	}
	return true
}

func (n *node) intValue() (int, bool) {
	if n == nil {
		return 0, false
	}
	v, ok := n.value.(int)
	return v, ok
}

func (s *stack) normaliseMounts(n *node, p path) {
	volumes := n.get("volumes")
	if volumes == nil {
		return
	}
	var kept []*node
	for i, item := range volumes.items {
		if s.checkMount(item, p.with("volumes", fmt.Sprint(i))) {
			kept = append(kept, item)
		}
	}
	volumes.items = kept
}

// checkMount refuses places that the engine refuses, and bind mounts of relative paths: they would be relative to a
// folder on the machine that runs Terraform, and are looked for on the nodes.
func (s *stack) checkMount(item *node, p path) bool {
	kind, source, target := item.get("type").text(), item.get("source").text(), item.get("target").text()
	if item.kind == scalarNode {
		volume, err := loader.ParseVolume(item.text())
		if err != nil {
			return false // reported by the shape
		}
		kind, source, target = volume.Type, volume.Source, volume.Target
	}
	switch {
	case !isAbsolute(target):
		s.report.errorAt(item.at, p, "Mount at a relative path",
			fmt.Sprintf("%s mounts at %q. The place in the container is an absolute path.", p, excerpt(target)))
		return false
	case kind == "bind" && source == "":
		s.report.errorAt(item.at, p, "Bind mount without a source", fmt.Sprintf("%s has no source: write the absolute path on the node.", p))
		return false
	case kind == "bind" && !isAbsolute(source):
		s.report.errorAt(item.at, p, "Bind mount of a relative path",
			fmt.Sprintf("%s mounts %q. A bind mount is looked for on the node that runs the task: write the absolute path there, or use a config for a file that belongs to the application.", p, excerpt(source)))
		return false
	}
	return true
}

// isAbsolute knows the paths of Linux and Windows nodes.
func isAbsolute(p string) bool {
	if strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`) {
		return true
	}
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// treePath is the normal form of a path in `files`. It returns false for a path
// that leaves the tree.
func treePath(name string) (string, bool) {
	clean := filepath.ToSlash(filepath.Clean(strings.ReplaceAll(name, `\`, "/")))
	if name == "" || isAbsolute(clean) || strings.HasPrefix(clean, "~") || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsRune(clean, 0) {
		return "", false
	}
	return clean, true
}
