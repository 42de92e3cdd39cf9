package render

import (
	"fmt"
	"strings"

	"github.com/docker/cli/pkg/kvfile"
)

// normaliseEnvironment puts the contents of env files under `environment`, which
// wins, as docker/cli's loader does when it reads the files itself.
func (s *stack) normaliseEnvironment(n *node, p path) {
	files := n.get("env_file")
	if files == nil {
		return
	}
	n.remove("env_file")
	merged := &node{kind: mappingNode, at: files.at}
	for i, item := range listOfOne(files) {
		for _, line := range s.readEnvFile(item, p.with("env_file", fmt.Sprint(i))) {
			key, value, _ := strings.Cut(line, "=")
			merged.set(key, stringNode(item.at, value))
		}
	}
	own := n.get("environment")
	if own != nil {
		for _, item := range own.items {
			key, value, hasValue := strings.Cut(item.text(), "=")
			v := &node{at: item.at}
			if hasValue {
				v = &node{kind: scalarNode, at: item.at, value: value, raw: item.raw, secrets: item.secrets}
			}
			merged.set(key, v)
		}
		for _, e := range own.entries {
			merged.set(e.key, e.value)
		}
	}
	n.set("environment", merged)
}

func listOfOne(n *node) []*node {
	if n.kind == listNode {
		return n.items
	}
	return []*node{n}
}

// readEnvFile returns the KEY=VALUE lines of an env file by docker's rules: no
// quotes, no interpolation, and a bare KEY takes the value of the variable of
// that name or is left out.
func (s *stack) readEnvFile(item *node, p path) []string {
	name, optional := item.text(), false
	if item.kind == mappingNode {
		name = item.get("path").text()
		required := item.get("required")
		optional = required != nil && required.value == false
	}
	text, ok := s.readFile(name, item.at, p, optional)
	if !ok {
		return nil
	}
	lines, err := kvfile.ParseFromReader(strings.NewReader(text), s.vars.lookup)
	if err != nil {
		s.report.errorAt(item.at, p, fmt.Sprintf("Invalid env file %s", name), s.envFileFault(text))
		return nil
	}
	return lines
}

// envFileFault finds the line at fault. kvfile's own error quotes it, and with it
// what may be a password.
func (s *stack) envFileFault(text string) string {
	for i, line := range strings.Split(text, "\n") {
		if _, err := kvfile.ParseFromReader(strings.NewReader(line), s.vars.lookup); err != nil {
			return fmt.Sprintf("Line %d is not of the form KEY=VALUE, with a KEY without white space.", i+1)
		}
	}
	return "It is not made of lines KEY=VALUE."
}
