package reconcile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

const (
	// leastHidden is how long a value must be to be masked: shorter ones stand in
	// any text by chance.
	leastHidden = 4
	// leastHiddenLine is the same for one line of a value of several lines, which
	// logs tear apart.
	leastHiddenLine = 8
	maskText        = "(sensitive)"
)

// masker hides sensitive values in the words of others, which nothing else can:
// a program may write them to its log, and the engine quotes commands in errors.
type masker struct{ replace *strings.Replacer }

// newMasker hides the sensitive values of a release, and what its revisions on
// record have in sensitive places: tasks of those may be quoted after a rollback.
func newMasker(release Release, revisions ...*Revision) masker {
	hidden := map[string]bool{}
	hide := func(value string, least int) {
		for _, form := range []string{value, strings.Trim(strconv.Quote(value), `"`)} {
			if len(form) >= least {
				hidden[form] = true
			}
		}
	}
	known := slices.Clone(release.Sensitive)
	for _, o := range release.Objects {
		if spec, ok := o.Spec.(*swarm.SecretSpec); ok {
			known = append(known, string(spec.Data))
		}
	}
	for i, value := range known {
		known[i] = strings.TrimSpace(value)
		hide(known[i], leastHidden)
		if lines := strings.Split(known[i], "\n"); len(lines) > 1 {
			for _, line := range lines {
				hide(strings.TrimSpace(line), leastHiddenLine)
			}
		}
	}
	containsKnown := func(leaf string) bool {
		return slices.ContainsFunc(known, func(v string) bool { return v != "" && strings.Contains(leaf, v) })
	}
	// A list is sensitive as a whole. Of the release's own leaves those without a
	// known value are not, and would be missed in a log: "serve", "-verbose".
	leaves, harmless := sensitiveLeaves(release.Objects), map[string]bool{}
	if len(release.Sensitive) > 0 {
		for _, leaf := range leaves {
			harmless[leaf] = !containsKnown(leaf)
		}
	}
	for _, revision := range revisions {
		leaves = append(leaves, sensitiveLeaves(revision.Objects)...)
	}
	for _, leaf := range leaves {
		if !harmless[leaf] && !containsKnown(leaf) {
			hide(leaf, leastHidden)
		}
	}
	// The longest first: one value may be part of another.
	values := make([]string, 0, len(hidden))
	for value := range hidden {
		values = append(values, value)
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(values))
	for _, value := range values {
		pairs = append(pairs, value, maskText)
	}
	return masker{strings.NewReplacer(pairs...)}
}

func sensitiveLeaves(objects []object.Object) []string {
	var out []string
	for _, o := range objects {
		if len(o.Sensitive) == 0 {
			continue
		}
		form, err := o.Form(object.View{Names: object.NamesOf(objects)})
		if err != nil {
			continue // it could not be shown either
		}
		for _, p := range o.Sensitive {
			out = append(out, form.Strings(p)...)
		}
	}
	return out
}

func (m masker) text(s string) string { return m.replace.Replace(s) }

func (m masker) texts(list []string) []string {
	for i := range list {
		list[i] = m.text(list[i])
	}
	return list
}

// report masks the lines of a progress report.
func (m masker) report(report func(string)) func(string) {
	if report == nil {
		return nil
	}
	return func(line string) { report(m.text(line)) }
}

// error masks what an error and everything that it wraps says.
func (m masker) error(err error) error {
	switch e := err.(type) { //nolint:errorlint // each layer is masked by itself
	case nil:
		return nil
	case *Error:
		masked := *e
		masked.Op, masked.Detail, masked.Err = m.text(e.Op), m.text(e.Detail), m.error(e.Err)
		return &masked
	}
	said := m.text(err.Error())
	if said == err.Error() {
		return err
	}
	return &maskedError{says: said, cause: err, mask: m}
}

// maskedError says what its cause says with the sensitive values hidden.
type maskedError struct {
	says  string
	cause error
	mask  masker
}

func (e *maskedError) Error() string { return e.says }

// Is sees the cause as it is: identity tells nothing of its text.
func (e *maskedError) Is(target error) bool { return e.cause == target }

func (e *maskedError) Unwrap() error {
	if inner, ok := e.cause.(interface{ Unwrap() error }); ok {
		return e.mask.error(inner.Unwrap())
	}
	return nil
}

// rollouts masks what is said of tasks and updates, in place.
func (m masker) rollouts(list []Rollout) []Rollout {
	for i := range list {
		list[i].Update.Message = m.text(list[i].Update.Message)
		for _, tasks := range [][]Task{list[i].Tasks, list[i].Reverted} {
			for j := range tasks {
				tasks[j].Err, tasks[j].Message = m.text(tasks[j].Err), m.text(tasks[j].Message)
			}
		}
	}
	return list
}
