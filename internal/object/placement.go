package object

import (
	"net"
	"strings"
)

// Place is what placement constraints ask of a node.
type Place struct {
	ID, Hostname, Role, OS, Arch, Addr string
	Labels, EngineLabels               map[string]string
}

// Admits reports whether a node satisfies all constraints.
func Admits(constraints []string, n Place) bool {
	for _, c := range constraints {
		if !Satisfies(c, n) {
			return false
		}
	}
	return true
}

// Satisfies evaluates one constraint as swarmkit does (NodeMatches in
// manager/constraint): values compare without regard to case, label names with
// it, and what cannot be parsed matches no node.
func Satisfies(constraint string, n Place) bool {
	key, value, want, ok := parseConstraint(constraint)
	if !ok {
		return false
	}
	matches := func(have string) bool { return strings.EqualFold(value, have) == want }
	switch lower := strings.ToLower(key); {
	case lower == "node.id":
		return matches(n.ID)
	case lower == "node.hostname":
		return matches(n.Hostname)
	case lower == "node.role":
		return matches(n.Role)
	case lower == "node.platform.os":
		return matches(n.OS)
	case lower == "node.platform.arch":
		return matches(n.Arch)
	case lower == "node.ip":
		return satisfiesAddress(value, want, n.Addr)
	case strings.HasPrefix(lower, nodeLabel) && len(key) > len(nodeLabel):
		return matches(n.Labels[key[len(nodeLabel):]])
	case strings.HasPrefix(lower, engineLabel) && len(key) > len(engineLabel):
		return matches(n.EngineLabels[key[len(engineLabel):]])
	}
	return false
}

const (
	nodeLabel   = "node.labels."
	engineLabel = "engine.labels."
)

func parseConstraint(s string) (key, value string, want, ok bool) {
	// == is looked for first wherever it stands, as in swarmkit's Parse.
	for _, op := range []string{"==", "!="} {
		if key, value, ok = strings.Cut(s, op); ok {
			return strings.TrimSpace(key), strings.TrimSpace(value), op == "==", true
		}
	}
	return "", "", false, false
}

func satisfiesAddress(value string, want bool, addr string) bool {
	have := net.ParseIP(addr)
	if ip := net.ParseIP(value); ip != nil {
		return ip.Equal(have) == want
	}
	if _, subnet, err := net.ParseCIDR(value); err == nil {
		return subnet.Contains(have) == want
	}
	return false
}
