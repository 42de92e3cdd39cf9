package reconcile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// DriftReport tells of releases how far what is in the swarm is from their newest
// revisions.
type DriftReport struct {
	SwarmID string
	// Checked is when the comparison was made.
	Checked time.Time
	// Releases are in the order of their names.
	Releases []ReleaseDrift
}

// InSync reports whether every release is.
func (r *DriftReport) InSync() bool {
	return !slices.ContainsFunc(r.Releases, func(d ReleaseDrift) bool { return !d.InSync })
}

// ReleaseDrift is what was found of one release.
type ReleaseDrift struct {
	Name string
	// Kind and Revision are of the newest record; "" and 0 when there is none.
	Kind     string
	Revision int
	// InSync is set when the newest revision was applied to its end and nothing
	// differs from it. What could not be found out is not in sync.
	InSync bool
	// Reason is that of the condition InSync.
	Reason ConditionReason
	// Conditions are Deployed, Converged and InSync, in this order.
	Conditions []ConditionOf
	// Differences are in the order of objects.
	Differences []FieldDrift
}

// FieldDrift is one field in which what is live differs from what is on record.
// Values are texts: lists and maps as JSON, "(not set)" where a side lacks the
// field, and sensitive ones as View.Display shows them.
type FieldDrift struct {
	// Object is "service/web".
	Object string
	// Path is "replicas", or "exists" when the object as a whole is missing or too
	// many; Desired and Live are then "true" or "false".
	Path          string
	Desired, Live string
}

// Drift compares what is in the swarm with the newest revisions of the named
// releases, whoever owns them; without names, of all releases of an owner. It
// writes nothing, and costs one observation and one read of the task list
// however many releases there are.
//
// What is wrong with one release, a panic included, is said of that release and
// stops no other. The error is an *Error, and means that the swarm could not be
// read.
func (c *Core) Drift(ctx context.Context, owner string, names []string) (*DriftReport, error) {
	state, err := c.backend.Observe(ctx, Scope{})
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = state.releasesOf(owner)
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))

	audits := make([]*audit, len(names))
	var services []string
	for i, name := range names {
		audits[i] = &audit{state: state, release: name}
		audits[i].guard(audits[i].compare)
		services = append(services, audits[i].services()...)
	}
	rollouts, err := c.rolloutsOf(ctx, services)
	if err != nil {
		return nil, err
	}
	report := &DriftReport{SwarmID: state.SwarmID, Checked: c.now(), Releases: make([]ReleaseDrift, len(audits))}
	for i, a := range audits {
		a.guard(func() error { return a.conclude(rollouts) })
		report.Releases[i] = a.verdict
	}
	return report, nil
}

// rolloutsOf maps the real names of services to how far they are.
func (c *Core) rolloutsOf(ctx context.Context, services []string) (map[string]Rollout, error) {
	out := make(map[string]Rollout, len(services))
	if len(services) == 0 {
		return out, nil
	}
	rollouts, err := c.backend.Progress(ctx, services)
	for _, r := range rollouts {
		out[r.Service] = r
	}
	return out, err
}

// releasesOf lists the releases of an owner. Whose one is, its newest record says;
// of one without a record, its objects.
func (s *State) releasesOf(owner string) []string {
	owners := map[string]string{}
	newest := map[string]int{}
	for i := range s.Live {
		l := &s.Live[i]
		release := l.Owner.Release
		if release == "" || l.Kind == object.KindLease {
			continue
		}
		// The number of what is no record is 0.
		n := 0
		if l.Kind == object.KindRecord {
			n = recordNumber(release, l.Name)
		}
		if _, seen := owners[release]; !seen || n > newest[release] {
			owners[release], newest[release] = l.Owner.Owner, n
		}
	}
	maps.DeleteFunc(owners, func(_, whose string) bool { return whose != owner })
	return slices.Collect(maps.Keys(owners))
}

// audit is the comparison of one release.
type audit struct {
	state   *State
	release string
	found   *located
	view    *View
	// incomparable says of objects why they could not be compared.
	incomparable []string
	// broken is set when the comparison came to no end; the verdict says why.
	broken  bool
	verdict ReleaseDrift
}

// guard takes one step of the comparison, after which its failure is the verdict.
func (a *audit) guard(step func() error) {
	if a.broken {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			a.fail(Unknown, BecauseInternal, fmt.Sprintf("The comparison of release %s failed inside the provider (%v). This is a bug of the provider; the other releases are not affected.", a.release, p))
		}
	}()
	switch err := step(); ReasonOf(err) {
	case "":
	case ReasonNotFound:
		a.fail(False, BecauseNotFound, fmt.Sprintf("Neither an object nor a record of a release %s is in the swarm.", a.release))
	default:
		a.fail(Unknown, BecauseUnreadable, err.Error())
	}
}

// fail makes one text the verdict on everything.
func (a *audit) fail(status ConditionStatus, reason ConditionReason, message string) {
	a.broken = true
	a.verdict = ReleaseDrift{Name: a.release, Reason: reason}
	for _, t := range []ConditionType{ConditionDeployed, ConditionConverged, ConditionInSync} {
		a.verdict.Conditions = append(a.verdict.Conditions, ConditionOf{Type: t, Status: status, Reason: reason, Message: message})
	}
	// A record that cannot be read still has its name and labels.
	if records := a.state.records(a.release); len(records) > 0 {
		l := records[len(records)-1]
		a.verdict.Kind, a.verdict.Revision = l.Owner.Kind, recordNumber(a.release, l.Name)
	}
}

// services are the real names of the services that are live or should be, sorted.
func (a *audit) services() []string {
	if a.broken {
		return nil
	}
	names := map[string]bool{}
	for _, s := range a.view.Services {
		names[s.Name] = true
	}
	if a.found.newest != nil {
		for _, o := range a.found.newest.Objects {
			if o.Kind == object.KindService {
				names[o.Name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// conclude puts the differences and the progress of services into conditions.
func (a *audit) conclude(progress map[string]Rollout) error {
	var rollouts []Rollout
	for _, name := range a.services() {
		rollouts = append(rollouts, progress[name])
	}
	conditions := Conditions(a.view, rollouts, nil)
	if slices.ContainsFunc(conditions, func(c ConditionOf) bool { return c.Type == ConditionConverged && c.Status != True }) {
		// Now words of the engine are quoted, which may hold sensitive values.
		revisions, err := a.state.revisions(a.release)
		if err != nil {
			return err
		}
		conditions = Conditions(a.view, newMasker(Release{}, revisions...).rollouts(rollouts), nil)
	}
	inSync := a.inSync()
	a.verdict.Name, a.verdict.Revision = a.release, a.view.Revision
	if a.view.Owner.Instance != "" { // else the kind is a guess
		a.verdict.Kind = a.view.Owner.Kind
	}
	a.verdict.InSync, a.verdict.Reason = inSync.Status == True, inSync.Reason
	a.verdict.Conditions = append(conditions, inSync)
	return nil
}

func (a *audit) inSync() ConditionOf {
	c := ConditionOf{Type: ConditionInSync, Status: False, Reason: outcome(a.view.Status)}
	var said []string
	switch c.Reason {
	case BecauseDeployed:
	case BecauseNoRecord:
		c.Status = Unknown
		said = append(said, "No revision is on record, so there is nothing to compare with; the next apply writes one.")
	default:
		said = append(said, fmt.Sprintf("Revision %d is %s: what it asks for may not be all there.", a.view.Revision, a.view.Status))
	}
	if len(a.verdict.Differences) > 0 {
		said = append(said, fmt.Sprintf("It differs from revision %d in %s.", a.view.Revision, a.fields()))
	}
	said = append(said, a.incomparable...)
	if c.Reason == BecauseDeployed {
		switch {
		case len(a.verdict.Differences) > 0:
			c.Reason = BecauseDrifted
		case len(a.incomparable) > 0:
			c.Status, c.Reason = Unknown, BecauseNotComparable
		default:
			c.Status, c.Reason = True, BecauseInSync
			said = append(said, fmt.Sprintf("It is as revision %d says.", a.view.Revision))
		}
	}
	c.Message = strings.Join(said, " ")
	return c
}

// fields names what differs: "service/web (image, replicas), config/site (content)".
func (a *audit) fields() string {
	var objects []string
	paths := map[string][]string{}
	for _, d := range a.verdict.Differences {
		if paths[d.Object] == nil {
			objects = append(objects, d.Object)
		}
		paths[d.Object] = append(paths[d.Object], d.Path)
	}
	for i, o := range objects {
		objects[i] = o + " (" + strings.Join(paths[o], ", ") + ")"
	}
	return strings.Join(objects, ", ")
}
