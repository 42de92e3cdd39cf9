package render

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// variables are the values for interpolation.
type variables struct {
	plain, sensitive map[string]string
	// values are those of templates, nil when the texts are none.
	values *templateValues
	// isMarked is set in the second rendering, see markSensitive: the values are
	// longer than they are.
	isMarked bool
}

func variablesOf(app spec.Application, r *report) variables {
	return variables{plain: app.Variables, sensitive: app.SensitiveVariables, values: readValues(app, r)}
}

// hidden are all sensitive values.
func (v variables) hidden() []string {
	var hidden []string
	for _, name := range sortedKeys(v.sensitive) {
		hidden = append(hidden, v.sensitive[name])
	}
	if v.values != nil {
		hidden = append(hidden, v.values.hidden...)
	}
	return hidden
}

func (v variables) lookup(name string) (string, bool) {
	if s, ok := v.sensitive[name]; ok {
		return s, true
	}
	s, ok := v.plain[name]
	return s, ok
}

func (v variables) isSensitive(name string) bool {
	_, ok := v.sensitive[name]
	return ok
}

// all is every variable, as docker/cli's loader takes them for environment
// entries that have a name only.
func (v variables) all() map[string]string {
	all := make(map[string]string, len(v.plain)+len(v.sensitive))
	for k, s := range v.plain {
		all[k] = s
	}
	for k, s := range v.sensitive {
		all[k] = s
	}
	return all
}

// dropExtensions removes `x-…` keys: what they hold has reached the places that
// refer to it by alias, and a variable in an unused one is nobody's fault.
// Inside of user-named mappings such as labels a key may well start with x-.
func dropExtensions(root *node) {
	drop := func(n *node) {
		if n == nil || n.kind != mappingNode {
			return
		}
		n.keepEntries(func(e *entry) bool { return !strings.HasPrefix(e.key, "x-") || e.key == "x-cluster-spec" })
	}
	drop(root)
	for _, section := range []string{"services", "networks", "volumes", "secrets", "configs"} {
		n := root.get(section)
		if n == nil {
			continue
		}
		for _, e := range n.entries {
			drop(e.value)
		}
	}
}

// interpolate expands the variables of every string of the tree in place and
// reports what could not be expanded, each variable once per place.
func interpolate(root *node, vars variables, r *report) {
	walkScalars(root, nil, func(n *node, p path) {
		s, ok := n.value.(string)
		if !ok || !strings.Contains(s, "$") {
			return
		}
		result := expand(s, vars.lookup)
		n.value = result.text
		n.broken = len(result.unset)+len(result.faults) > 0
		if n.broken && len(n.secrets) > 0 {
			r.errorAt(n.at, p, "A value of values_wo contains a dollar sign",
				fmt.Sprintf("%s: Compose reads it as the start of a variable. Write {{ .Values.NAME | literal }}, which quotes the text and doubles its dollar signs.", p))
			return
		}
		for _, name := range result.used {
			if vars.isSensitive(name) {
				n.secrets = appendNew(n.secrets, name)
			}
		}
		if len(n.secrets) > 0 {
			sort.Strings(n.secrets)
			n.secretName = n.secretName || vars.inName(s)
		}
		for _, name := range appendNew(nil, result.unset...) {
			r.errorAt(n.at, p, fmt.Sprintf("Variable %s is not set", name),
				fmt.Sprintf("%s uses it without a default. Set it in `variables` or `variables_wo`, or write ${%s:-default}.", p, name))
		}
		for _, fault := range appendNew(nil, result.faults...) {
			r.errorAt(n.at, p, "Interpolation failed", fmt.Sprintf("%s: %s.", p, fault))
		}
	})
}

// inName tells whether a sensitive variable goes into the part before the `=` of
// a KEY=VALUE, or may do so.
func (v variables) inName(raw string) bool {
	name, _, _ := strings.Cut(raw, "=")
	result := expand(name, v.lookup)
	return len(result.faults) > 0 || slices.ContainsFunc(result.used, v.isSensitive)
}

func walkScalars(n *node, p path, visit func(*node, path)) {
	switch n.kind {
	case scalarNode:
		visit(n, p)
	case listNode:
		for i, item := range n.items {
			walkScalars(item, p.with(fmt.Sprint(i)), visit)
		}
	case mappingNode:
		for _, e := range n.entries {
			walkScalars(e.value, p.with(e.key), visit)
		}
	}
}

func appendNew(list []string, more ...string) []string {
next:
	for _, s := range more {
		for _, have := range list {
			if have == s {
				continue next
			}
		}
		list = append(list, s)
	}
	return list
}
