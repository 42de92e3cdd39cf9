package reconcile

import (
	"fmt"
	"strings"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// checkEngine refuses what the connected engine cannot do.
func (p *planner) checkEngine() error {
	var missing []string
	for _, n := range p.desired.Needs {
		if versionLess(p.state.APIVersion, n.APIVersion) {
			missing = append(missing, fmt.Sprintf("%s needs API %s", n.What, n.APIVersion))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return &Error{
		Reason: ReasonInvalid,
		Op:     "plan " + p.desired.Release,
		Detail: fmt.Sprintf("The engine speaks API %s, and %s. Upgrade the engine or leave the setting out.",
			p.state.APIVersion, strings.Join(missing, "; ")),
	}
}

// checkForeign refuses real names that somebody else holds, and external
// objects that are missing become warnings: they may be made by the same run.
func (p *planner) checkForeign() error {
	var taken []string
	for _, o := range p.desired.Objects {
		if l := p.state.find(o.Kind, o.Name); l != nil && !p.claim.owns(l) {
			taken = append(taken, fmt.Sprintf("%s %s (%s)", o.Kind, o.Name, whose(l)))
		}
	}
	if len(taken) > 0 {
		return &Error{
			Reason: ReasonRefused,
			Op:     "plan " + p.desired.Release,
			Detail: "These names are taken by objects that do not belong to this release: " + strings.Join(taken, ", ") +
				". Remove or rename them, or declare them as external.",
		}
	}
	for _, text := range missingExternals(p.state, p.desired) {
		p.out.Warnings = append(p.out.Warnings, text+" It must exist when this is applied.")
	}
	return nil
}

func missingExternals(state *State, desired Release) []string {
	var out []string
	for _, e := range desired.External {
		if e.Kind == object.KindVolume {
			continue // volumes live on nodes, out of a manager's sight
		}
		if state.find(e.Kind, e.Name) == nil {
			out = append(out, fmt.Sprintf("External %s %s does not exist (used by %s).", e.Kind, e.Name, strings.Join(e.UsedBy, ", ")))
		}
	}
	return out
}

func whose(l *Live) string {
	switch {
	case l.Owner.Release != "":
		return fmt.Sprintf("release %s of owner %q", l.Owner.Release, l.Owner.Owner)
	case l.Stack != "":
		return "stack " + l.Stack
	}
	return "nobody's"
}

// versionLess compares API versions such as "1.41".
func versionLess(a, b string) bool {
	var a1, a2, b1, b2 int
	if n, _ := fmt.Sscanf(a, "%d.%d", &a1, &a2); n != 2 {
		return false
	}
	if n, _ := fmt.Sscanf(b, "%d.%d", &b1, &b2); n != 2 {
		return false
	}
	return a1 < b1 || (a1 == b1 && a2 < b2)
}
