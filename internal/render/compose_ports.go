package render

import (
	"fmt"
	"strings"

	"github.com/docker/go-connections/nat"
)

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
