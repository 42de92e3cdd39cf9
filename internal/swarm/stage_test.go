package swarm

import (
	"testing"
	"time"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// stage is a release's worth of names on a real engine, and a backend on it.
type stage struct {
	*Backend
	engine *acctest.Swarm
	name   string
	t      *testing.T
}

func newStage(t *testing.T) stage {
	t.Helper()
	engine := acctest.Start(t)
	s := stage{Backend: connect(t, engine.Host()), engine: engine, name: engine.RandomName(t), t: t}
	return s
}

func (s stage) labels(key string) map[string]string {
	return map[string]string{
		reconcile.LabelStack: s.name, reconcile.LabelRelease: s.name, reconcile.LabelKind: "application",
		reconcile.LabelInstance: "8a1e", reconcile.LabelOwner: "test", reconcile.LabelKey: key,
	}
}

func (s stage) annotations(key string) swarm.Annotations {
	return swarm.Annotations{Name: s.name + "_" + key, Labels: s.labels(key)}
}

func (s stage) network(key string) object.Object {
	name := s.name + "_" + key
	return object.Object{Kind: object.KindNetwork, Key: key, Name: name, Spec: &object.NetworkSpec{
		Name: name, Options: network.CreateOptions{Driver: "overlay", Attachable: true, Labels: s.labels(key)},
	}}
}

func (s stage) secret(key, text string) object.Object {
	spec := &swarm.SecretSpec{Annotations: s.annotations(key), Data: []byte(text)}
	spec.Labels[reconcile.LabelFingerprint] = "f00d"
	return object.Object{Kind: object.KindSecret, Key: key, Name: spec.Name, Spec: spec}
}

func (s stage) config(key, text string) object.Object {
	spec := &swarm.ConfigSpec{Annotations: s.annotations(key), Data: []byte(text)}
	return object.Object{Kind: object.KindConfig, Key: key, Name: spec.Name, Spec: spec}
}

func (s stage) record(status string) object.Object {
	spec := &swarm.ConfigSpec{Annotations: swarm.Annotations{Name: "keel." + s.name + ".v1", Labels: s.labels("v1")}, Data: []byte("record")}
	spec.Labels[reconcile.LabelStatus] = status
	return object.Object{Kind: object.KindRecord, Key: "v1", Name: spec.Name, Spec: spec}
}

// service runs the test program; change makes it what the test needs.
func (s stage) service(key string, change func(*swarm.ServiceSpec)) object.Object {
	none := time.Duration(0)
	spec := &swarm.ServiceSpec{
		Annotations: s.annotations(key),
		TaskTemplate: swarm.TaskSpec{
			ContainerSpec: &swarm.ContainerSpec{Image: acctest.Image("1.0")},
			RestartPolicy: &swarm.RestartPolicy{Delay: &none},
		},
	}
	if change != nil {
		change(spec)
	}
	return object.Object{Kind: object.KindService, Key: key, Name: spec.Name, Spec: spec}
}

func (s stage) create(o object.Object) string {
	s.t.Helper()
	id, err := s.Do(s.t.Context(), reconcile.Step{Verb: reconcile.Create, Object: o})
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// observe returns a live object, nil when there is none of its name.
func (s stage) observe(o object.Object) *reconcile.Live {
	s.t.Helper()
	state, err := s.Observe(s.t.Context(), reconcile.Scope{})
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range state.Live {
		if l := &state.Live[i]; l.Kind == o.Kind && l.Name == o.Name {
			return l
		}
	}
	return nil
}

func (s stage) do(verb reconcile.Verb, o object.Object, live *reconcile.Live) error {
	_, err := s.Do(s.t.Context(), reconcile.Step{Verb: verb, Object: o, Live: live})
	return err
}

func wantReason(t *testing.T, err error, want reconcile.Reason) {
	t.Helper()
	if got := reconcile.ReasonOf(err); got != want {
		t.Errorf("reason %q, want %q: %v", got, want, err)
	}
}
