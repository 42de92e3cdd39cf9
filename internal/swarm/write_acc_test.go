package swarm

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
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

// A service refers to everything by name, on the way in and on the way out.
func TestAccReferencesAreNames(t *testing.T) {
	s := newStage(t)
	net, conf, key := s.network("net"), s.config("conf", "a=1"), s.secret("key", "hunter2")
	for _, o := range []object.Object{net, conf, key} {
		s.create(o)
	}
	web := s.service("web", func(spec *swarm.ServiceSpec) {
		c := spec.TaskTemplate.ContainerSpec
		c.Configs = []*swarm.ConfigReference{{ConfigName: conf.Name, File: &swarm.ConfigReferenceFileTarget{Name: "/conf", UID: "0", GID: "0", Mode: 0o444}}}
		c.Secrets = []*swarm.SecretReference{{SecretName: key.Name, File: &swarm.SecretReferenceFileTarget{Name: "key", UID: "0", GID: "0", Mode: 0o400}}}
		spec.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: net.Name, Aliases: []string{"www"}}}
	})
	s.create(web)
	host := s.service("host", func(spec *swarm.ServiceSpec) {
		spec.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: "host"}}
	})
	s.create(host)
	// The deprecated place of a service's networks.
	legacy := s.service("legacy", func(spec *swarm.ServiceSpec) {
		spec.Networks = []swarm.NetworkAttachmentConfig{{Target: net.Name}} //nolint:staticcheck // What is tested.
	})
	if _, err := s.engine.Client().ServiceCreate(t.Context(), *legacy.Spec.(*swarm.ServiceSpec), swarm.ServiceCreateOptions{}); err != nil {
		t.Fatal(err)
	}

	if spec := web.Spec.(*swarm.ServiceSpec); spec.TaskTemplate.Networks[0].Target != net.Name ||
		spec.TaskTemplate.ContainerSpec.Configs[0].ConfigID != "" || spec.TaskTemplate.ContainerSpec.Secrets[0].SecretID != "" {
		t.Error("writing changed the object that was given")
	}
	s.snapshot.invalidate()
	spec := s.observe(web).Spec.(*swarm.ServiceSpec)
	c := spec.TaskTemplate.ContainerSpec
	if got := spec.TaskTemplate.Networks; len(got) != 1 || got[0].Target != net.Name || got[0].Aliases[0] != "www" {
		t.Errorf("networks %+v", got)
	}
	if got := c.Configs[0]; got.ConfigName != conf.Name || got.ConfigID != "" {
		t.Errorf("config reference %+v", got)
	}
	if got := c.Secrets[0]; got.SecretName != key.Name || got.SecretID != "" {
		t.Errorf("secret reference %+v", got)
	}
	for o, want := range map[*object.Object]string{&host: "host", &legacy: net.Name} {
		spec := s.observe(*o).Spec.(*swarm.ServiceSpec)
		if got := spec.TaskTemplate.Networks; len(got) != 1 || got[0].Target != want || len(spec.Networks) != 0 { //nolint:staticcheck // What is tested.
			t.Errorf("%s: networks %+v", o.Name, got)
		}
	}

	// What is referred to cannot be deleted.
	for _, o := range []object.Object{net, conf, key} {
		wantReason(t, s.do(reconcile.Delete, o, s.observe(o)), reconcile.ReasonInUse)
	}
	// What a reference leads to may be new since the last reading.
	late := s.config("late", "b=2")
	late.Spec.(*swarm.ConfigSpec).Name = late.Name
	if _, err := s.engine.Client().ConfigCreate(t.Context(), *late.Spec.(*swarm.ConfigSpec)); err != nil {
		t.Fatal(err)
	}
	c.Configs[0].ConfigName = late.Name
	if err := s.do(reconcile.Update, web, &reconcile.Live{Object: web, ID: s.observe(web).ID, Version: s.observe(web).Version}); err != nil {
		t.Fatal(err)
	}
}

func TestAccReferenceThatLeadsNowhere(t *testing.T) {
	s := newStage(t)
	for name, change := range map[string]func(*swarm.ServiceSpec){
		"network no-such-net": func(spec *swarm.ServiceSpec) {
			spec.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: "no-such-net"}}
		},
		"config no-such-conf": func(spec *swarm.ServiceSpec) {
			spec.TaskTemplate.ContainerSpec.Configs = []*swarm.ConfigReference{{ConfigName: "no-such-conf", File: &swarm.ConfigReferenceFileTarget{Name: "/x"}}}
		},
		"secret no-such-key": func(spec *swarm.ServiceSpec) {
			spec.TaskTemplate.ContainerSpec.Secrets = []*swarm.SecretReference{{SecretName: "no-such-key", File: &swarm.SecretReferenceFileTarget{Name: "x"}}}
		},
	} {
		err := s.do(reconcile.Create, s.service("web", change), nil)
		wantReason(t, err, reconcile.ReasonInvalid)
		kind, missing, _ := strings.Cut(name, " ")
		if err == nil || !strings.Contains(err.Error(), kind+` "`+missing+`"`) {
			t.Errorf("the error does not name the %s: %v", name, err)
		}
	}
}

// The node goes on listing a network that the swarm has removed, and refuses its
// name, until the last task is gone there.
func TestAccRemovedNetworkIsGoneAtOnceAndItsNameFree(t *testing.T) {
	s := newStage(t)
	net := s.network("net")
	s.create(net)
	web := s.service("web", func(spec *swarm.ServiceSpec) {
		spec.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: net.Name}}
	})
	s.create(web)
	s.engine.WaitRunning(t, web.Name, 1)
	if err := s.do(reconcile.Delete, web, s.observe(web)); err != nil {
		t.Fatal(err)
	}
	acctest.Wait(t, 20*time.Second, "the network can be deleted", func() bool {
		live := s.observe(net)
		err := s.do(reconcile.Delete, net, live)
		if err != nil {
			wantReason(t, err, reconcile.ReasonInUse)
		}
		return err == nil
	})
	if left := s.observe(net); left != nil {
		t.Errorf("a removed network is observed: %+v", left)
	}
	s.create(net)
	if s.observe(net) == nil {
		t.Error("the network that was created again is not observed")
	}
}

// Engines that are no managers, or away, are told apart from absence.
func TestAccEngineThatIsNoManager(t *testing.T) {
	acctest.Start(t)
	worker := acctest.StartNodes(t, 2, "--workers")
	b := connect(t, worker.NodeHost(2))
	_, err := b.Observe(t.Context(), reconcile.Scope{})
	wantReason(t, err, reconcile.ReasonNotManager)
	if err == nil || !strings.Contains(err.Error(), worker.Address(t, 1)) {
		t.Errorf("the error does not say where a manager is: %v", err)
	}
	_, err = b.Do(t.Context(), secretStep(reconcile.Create))
	wantReason(t, err, reconcile.ReasonNotManager)

	if err := worker.NodeClient(t, 2).SwarmLeave(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	_, err = b.Observe(t.Context(), reconcile.Scope{})
	wantReason(t, err, reconcile.ReasonNotManager)
	if err == nil || !strings.Contains(err.Error(), "docker swarm init") {
		t.Errorf("the error does not say what to do: %v", err)
	}

	b = connect(t, worker.NodeHost(1))
	if _, err := b.Observe(t.Context(), reconcile.Scope{}); err != nil {
		t.Fatal(err)
	}
	worker.Kill(t, 1)
	_, err = b.Observe(t.Context(), reconcile.Scope{Fresh: true})
	wantReason(t, err, reconcile.ReasonUnreachable)
	if errors.Is(err, errUnreachable) {
		t.Errorf("the first failure only points to itself: %v", err)
	}
}

// The header with a credential goes along only where one is known.
func TestCredentialIsSentOnlyForItsRegistry(t *testing.T) {
	for image, want := range map[string]string{"registry.example/app:1": "encoded", "other.example/app:1": ""} {
		d := newDouble(t, "1.41")
		d.backend.auth = func(image string) (string, bool) { return "encoded", strings.HasPrefix(image, "registry.example/") }
		sent, present := "", false
		d.on("POST /services/create", func(w http.ResponseWriter, r *http.Request) {
			sent, present = r.Header.Get("X-Registry-Auth"), len(r.Header.Values("X-Registry-Auth")) > 0
			reply(http.StatusCreated, map[string]string{"ID": "w1"})(w, r)
		})
		spec := &swarm.ServiceSpec{Annotations: swarm.Annotations{Name: "web"}}
		spec.TaskTemplate.ContainerSpec = &swarm.ContainerSpec{Image: image}
		id, err := d.backend.Do(context.Background(), reconcile.Step{Verb: reconcile.Create, Object: object.Object{Kind: object.KindService, Key: "web", Name: "web", Spec: spec}})
		if err != nil || id != "w1" {
			t.Fatalf("id %q, %v", id, err)
		}
		if sent != want || present != (want != "") {
			t.Errorf("%s: header %q (present: %v), want %q", image, sent, present, want)
		}
	}
}
