package render

import (
	"fmt"

	"github.com/docker/cli/cli/compose/loader"
)

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

// checkMount refuses mounts at relative paths, as the engine does, and bind mounts
// of relative paths: they would be relative to a folder on the machine that runs
// Terraform, and are looked for on the nodes.
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
