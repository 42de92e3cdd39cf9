package swarm

import (
	"maps"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Every kind is created, seen again with its owner, changed where the engine
// allows it, and deleted twice.
func TestAccLifeOfEachKind(t *testing.T) {
	for name, tt := range map[string]struct {
		make   func(stage) object.Object
		change func(object.Object) object.Object // nil: the kind cannot be changed
		check  func(*testing.T, *reconcile.Live)
	}{
		"network": {
			make: func(s stage) object.Object { return s.network("net") },
			check: func(t *testing.T, l *reconcile.Live) {
				if o := l.Spec.(*object.NetworkSpec).Options; o.Driver != "overlay" || !o.Attachable || o.Scope != "swarm" {
					t.Errorf("network is %+v", o)
				}
			},
		},
		"secret": {
			make: func(s stage) object.Object { return s.secret("key", "hunter2") },
			change: func(o object.Object) object.Object {
				return relabelled(o, &o.Spec.(*swarm.SecretSpec).Labels)
			},
			check: func(t *testing.T, l *reconcile.Live) {
				if l.Fingerprint != "f00d" {
					t.Errorf("fingerprint %q is not the label's", l.Fingerprint)
				}
			},
		},
		"config": {
			make: func(s stage) object.Object { return s.config("conf", "a=1") },
			change: func(o object.Object) object.Object {
				return relabelled(o, &o.Spec.(*swarm.ConfigSpec).Labels)
			},
			check: func(t *testing.T, l *reconcile.Live) {
				spec := l.Spec.(*swarm.ConfigSpec)
				if string(spec.Data) != "a=1" || l.Fingerprint != object.ConfigFingerprint(spec) {
					t.Errorf("config has text %q and fingerprint %q", spec.Data, l.Fingerprint)
				}
			},
		},
		"record": {
			make: func(s stage) object.Object { return s.record("applying") },
			change: func(o object.Object) object.Object {
				return relabelled(o, &o.Spec.(*swarm.ConfigSpec).Labels)
			},
			check: func(t *testing.T, l *reconcile.Live) {
				if l.Status != "applying" {
					t.Errorf("status %q", l.Status)
				}
			},
		},
		"service": {
			make: func(s stage) object.Object { return s.service("web", nil) },
			change: func(o object.Object) object.Object {
				return relabelled(o, &o.Spec.(*swarm.ServiceSpec).Labels)
			},
			check: func(t *testing.T, l *reconcile.Live) {
				if image := l.Spec.(*swarm.ServiceSpec).TaskTemplate.ContainerSpec.Image; image != acctest.Image("1.0") {
					t.Errorf("image %q", image)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			o := tt.make(s)
			id := s.create(o)
			wantReason(t, s.do(reconcile.Create, o, nil), reconcile.ReasonExists)

			live := s.observe(o)
			if live == nil || live.ID != id {
				t.Fatalf("after create with id %s, observed %+v", id, live)
			}
			owner := reconcile.Owner{Release: s.name, Kind: "application", Instance: "8a1e", Owner: "test"}
			if live.Owner != owner || live.Stack != s.name || live.Key != o.Key || live.Created.IsZero() {
				t.Errorf("owner %+v, stack %q, key %q, created %v", live.Owner, live.Stack, live.Key, live.Created)
			}
			tt.check(t, live)

			if tt.change == nil {
				wantReason(t, s.do(reconcile.Update, o, live), reconcile.ReasonInvalid)
			} else {
				changed := tt.change(o)
				if err := s.do(reconcile.Update, changed, live); err != nil {
					t.Fatal(err)
				}
				// What was observed before is out of date now.
				wantReason(t, s.do(reconcile.Update, changed, live), reconcile.ReasonConflict)
				again := s.observe(o)
				if again.Version == live.Version || labelsOf(again.Object)["changed"] != "yes" {
					t.Errorf("after the update version %d → %d, labels %v", live.Version, again.Version, labelsOf(again.Object))
				}
				live = again
			}

			if err := s.do(reconcile.Delete, live.Object, live); err != nil {
				t.Fatal(err)
			}
			if err := s.do(reconcile.Delete, live.Object, live); err != nil {
				t.Errorf("deleting what is gone: %v", err)
			}
			if left := s.observe(o); left != nil {
				t.Errorf("after delete there is still %+v", left)
			}
			if tt.change != nil {
				wantReason(t, s.do(reconcile.Update, o, live), reconcile.ReasonNotFound)
			}
		})
	}
}

func relabelled(o object.Object, labels *map[string]string) object.Object {
	*labels = maps.Clone(*labels)
	(*labels)["changed"] = "yes"
	return o
}

func labelsOf(o object.Object) map[string]string {
	switch spec := o.Spec.(type) {
	case *swarm.SecretSpec:
		return spec.Labels
	case *swarm.ConfigSpec:
		return spec.Labels
	case *swarm.ServiceSpec:
		return spec.Labels
	}
	return nil
}
