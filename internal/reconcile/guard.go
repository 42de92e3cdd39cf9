package reconcile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// guard stops an apply before its first write when something has changed since
// the plan was made that the plan did not show: a live object that is neither as
// it was nor as it is to be. What is already as desired is no conflict (this is
// how a killed apply is finished, from the same saved plan too), and neither is
// what is gone: it is created.
func (p *Plan) guard(prior map[string]string) error {
	if prior == nil {
		return nil
	}
	view, err := inspect(p.state, p.Release.Release, p.Release.Instance)
	if ReasonOf(err) == ReasonNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	release := p.Release
	declared, err := declare(&release, prior)
	if err != nil {
		return err
	}
	var changed []string
	for _, ref := range slices.Sorted(maps.Keys(view.Display)) {
		was, planned := prior[ref]
		now := view.Display[ref]
		if !planned || now == was || now == declared[ref] || strings.HasPrefix(ref, string(object.KindVolume)+"/") {
			continue
		}
		changed = append(changed, fmt.Sprintf("%s: %s", ref, movedFields(was, now)))
	}
	if len(changed) == 0 {
		return nil
	}
	return &Error{
		Reason: ReasonConflict,
		Op:     "apply " + release.Release,
		Detail: "Since this plan was made, somebody changed what runs, and applying it would overwrite that unseen. Nothing was written. " +
			"Plan again to see the difference.\n\n  " + strings.Join(changed, "\n  "),
	}
}

// movedFields names the fields in which two shown forms differ.
func movedFields(was, now string) string {
	a, errA := object.ParseForm(was)
	b, errB := object.ParseForm(now)
	if errA != nil || errB != nil {
		return "changed"
	}
	parts := make([]string, 0, 4)
	for _, d := range object.Diff(a, b) {
		parts = append(parts, fmt.Sprintf("%s was %s and is now %s", d.Path, shown(d.Desired), shown(d.Live)))
	}
	return strings.Join(parts, ", ")
}

func shown(v any) string {
	if v == nil {
		return "not set"
	}
	return fmt.Sprintf("%v", v)
}
