package faulttest

import (
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// TestAccFaultAtEveryCallOfACreate breaks the calls of a create, each of a new release. The same create again, which knows
// nothing of the first, must finish it and write no service a second time.
func TestAccFaultAtEveryCallOfACreate(t *testing.T) {
	matrix(t, func(t *testing.T, s subject, l lane) {
		r := s.rig(t)
		r.everyCall(t, l, func(t *testing.T, hit *strike) {
			r.name = r.RandomName(t)
			result, err := apply(t, r.core(t), release(t, r.name, "", s.created), reconcile.ApplyOptions{RollBack: true})
			judged(t, err, hit.fired())
			r.mend()
			// A provider that was killed saved no state: the instance is known only after success.
			instance := ""
			if err == nil {
				instance = result.Instance
			}
			instance = r.mustApply(t, instance, s.created)
			r.settled(t, instance, s.created)
			r.holds(t, s.created.objects()...)
			for _, object := range s.created.objects() {
				if name, ok := strings.CutPrefix(object, "service/NAME"); ok && r.Service(t, r.name+name).PreviousSpec != nil {
					t.Errorf("%s was written a second time", r.name+name)
				}
			}
			s.store(t, r, s.created)
			s.serves(t, r, s.created)
		})
	})
}

// TestAccFaultAtEveryCallOfAnUpdate breaks the calls of updates, one after the other in one release. The service that changes
// may be written once a version, and one that does not change not at all: every further write may restart its tasks. Only
// where the release was rolled back it is written three times. What was stored before stays.
func TestAccFaultAtEveryCallOfAnUpdate(t *testing.T) {
	matrix(t, func(t *testing.T, s subject, l lane) {
		for _, c := range s.changes {
			t.Run(c.rule, func(t *testing.T) { c.breakEveryCall(t, s, l, false) })
			if l.name == "500" {
				t.Run(c.rule+", rolled back", func(t *testing.T) { c.breakEveryCall(t, s, l, true) })
			}
		}
	})
}

func (c change) breakEveryCall(t *testing.T, s subject, l lane, rollBack bool) {
	r, n := s.rig(t), 1
	instance := r.mustApply(t, "", c.version(n))
	s.store(t, r, c.version(n))
	steady := ""
	if s.steady != "" {
		steady = r.Tasks(t, r.name+"_"+s.steady)[0].ID
	}
	service := r.Service(t, r.name+"_"+s.service).ID
	r.everyCall(t, l, func(t *testing.T, hit *strike) {
		n++
		version := c.version(n)
		result, err := apply(t, r.core(t), release(t, r.name, instance, version), reconcile.ApplyOptions{RollBack: rollBack})
		judged(t, err, hit.fired())
		r.mend()
		writes := c.writes
		if err != nil && result != nil && result.Status == reconcile.RolledBack {
			if hit.onRead() {
				t.Errorf("rolled back for a read that failed: %v", err)
			}
			if r.updates.of(service) > 0 {
				writes = 3 * c.writes
			}
		}
		r.mustApply(t, instance, version)
		r.settled(t, instance, version)
		r.holds(t, version.objects()...)
		if s.steady != "" {
			if now := r.Tasks(t, r.name+"_"+s.steady); len(now) != 1 || now[0].ID != steady {
				t.Errorf("a service that does not change had task %s and has now %+v", steady, now)
			}
		}
		if have := r.updates.of(service); have != writes {
			t.Errorf("%s was written %d times, want %d", s.service, have, writes)
		}
		s.serves(t, r, version)
	})
}

// TestAccFaultAtEveryCallOfADestroy breaks the calls of a destroy with the data, each of a new release. The same destroy again
// must leave nothing, but an emptied volume of which the first one has warned.
func TestAccFaultAtEveryCallOfADestroy(t *testing.T) {
	matrix(t, func(t *testing.T, s subject, l lane) {
		r := s.rig(t)
		r.everyCall(t, l, func(t *testing.T, hit *strike) {
			r.name = r.RandomName(t)
			result, err := apply(t, newCore(t, r.Host()), release(t, r.name, "", s.created), reconcile.ApplyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			said, err := uninstall(t, r.core(t), r.name, result.Instance, s.created)
			judged(t, err, hit.fired())
			r.mend()
			if _, err := uninstall(t, r.core(t), r.name, result.Instance, s.created); err != nil {
				t.Errorf("the second run: %v", err)
			}
			r.Gone(t, r.name)
			for _, left := range r.ReleaseVolumes(t, r.name) {
				if !strings.Contains(said, left) {
					t.Errorf("volume %s is still there, and was not warned of: %q", left, said)
				}
			}
		})
	})
}
