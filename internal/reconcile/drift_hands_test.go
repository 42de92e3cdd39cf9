package reconcile_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// sabotage is what somebody does by hand to the objects of a swarm.
type sabotage struct {
	t *testing.T
	b *memory.Backend
}

func (s sabotage) find(kind object.Kind, name string) *reconcile.Live {
	s.t.Helper()
	state, err := s.b.Observe(s.t.Context(), reconcile.Scope{Fresh: true})
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range state.Live {
		if l := &state.Live[i]; l.Kind == kind && (l.Name == name || l.Key == name) {
			return l
		}
	}
	s.t.Fatalf("there is no %s %s", kind, name)
	return nil
}

func (s sabotage) do(step reconcile.Step) {
	s.t.Helper()
	if _, err := s.b.Do(s.t.Context(), step); err != nil {
		s.t.Fatal(err)
	}
}

func (s sabotage) change(kind object.Kind, name string, change func(*object.Object)) {
	s.t.Helper()
	l := s.find(kind, name)
	o := l.Clone()
	change(&o)
	s.do(reconcile.Step{Verb: reconcile.Update, Object: o, Live: l})
}

// service changes the spec of a service of the release "shop".
func (s sabotage) service(key string, change func(*swarm.ServiceSpec)) {
	s.t.Helper()
	s.change(object.KindService, stack+"_"+key, func(o *object.Object) { change(o.Spec.(*swarm.ServiceSpec)) })
}

func (s sabotage) remove(kind object.Kind, name string) *reconcile.Live {
	s.t.Helper()
	l := s.find(kind, name)
	s.do(reconcile.Step{Verb: reconcile.Delete, Object: l.Object, Live: l})
	return l
}

// again removes services, lets something be done, and makes the services again.
func (s sabotage) again(services []string, between func()) {
	s.t.Helper()
	var were []*reconcile.Live
	for _, key := range services {
		were = append(were, s.remove(object.KindService, stack+"_"+key))
	}
	between()
	for _, l := range were {
		s.do(reconcile.Step{Verb: reconcile.Create, Object: l.Object})
	}
}

// drift looks for drift in the releases of the owner "terraform", or named ones.
func drift(t *testing.T, b reconcile.Backend, names ...string) *reconcile.DriftReport {
	t.Helper()
	report, err := newCore(b).Drift(t.Context(), "terraform", names)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// only is the one release of a report.
func only(t *testing.T, report *reconcile.DriftReport) reconcile.ReleaseDrift {
	t.Helper()
	if len(report.Releases) != 1 {
		t.Fatalf("%d releases are reported, want 1: %+v", len(report.Releases), report.Releases)
	}
	return report.Releases[0]
}

// lines are the differences as "service/web replicas: 2, not 5".
func lines(d reconcile.ReleaseDrift) []string {
	var out []string
	for _, f := range d.Differences {
		out = append(out, fmt.Sprintf("%s %s: %s, not %s", f.Object, f.Path, f.Desired, f.Live))
	}
	return out
}

// wantVerdict checks the release's in_sync and reason against its condition.
func wantVerdict(t *testing.T, d reconcile.ReleaseDrift, status reconcile.ConditionStatus, reason reconcile.ConditionReason) {
	t.Helper()
	var kinds []reconcile.ConditionType
	for _, c := range d.Conditions {
		kinds = append(kinds, c.Type)
		if c.Message == "" {
			t.Errorf("%s has no message", c.Type)
		}
	}
	if !slices.Equal(kinds, []reconcile.ConditionType{reconcile.ConditionDeployed, reconcile.ConditionConverged, reconcile.ConditionInSync}) {
		t.Fatalf("conditions %v", kinds)
	}
	if c := d.Conditions[2]; d.Reason != reason || c.Reason != reason || c.Status != status || d.InSync != (status == reconcile.True) {
		t.Errorf("in sync %v because %s, condition %s because %s (%s); want %s because %s", d.InSync, d.Reason, c.Status, c.Reason, c.Message, status, reason)
	}
}
