package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// deployed is a swarm with the release "shop", whose web runs a pinned digest, has
// a sensitive environment variable and a named volume.
func deployed(t *testing.T, b *memory.Backend) reconcile.Release {
	t.Helper()
	b.Push("acme/web:1", digestA)
	r := basic().release()
	r.Resolve = reconcile.ResolveChanged
	for i, o := range r.Objects {
		if o.Key == "web" {
			c := o.Spec.(*swarm.ServiceSpec).TaskTemplate.ContainerSpec
			c.Env = []string{"TOKEN=hunter2-hunter2", "MODE=fast"}
			r.Objects[i].Sensitive = []object.Path{{"env", "TOKEN"}}
		}
	}
	mustApply(t, b, r, "")
	return r
}

func TestDriftIsFoundWithObjectAndField(t *testing.T) {
	container := func(s *swarm.ServiceSpec) *swarm.ContainerSpec { return s.TaskTemplate.ContainerSpec }
	for rule, c := range map[string]struct {
		hands func(sabotage)
		want  []string
	}{
		"a scaled service": {func(s sabotage) { s.service("web", func(x *swarm.ServiceSpec) { *x.Mode.Replicated.Replicas = 5 }) },
			[]string{"service/web replicas: 2, not 5"}},
		"fields of two services": {func(s sabotage) {
			s.service("web", func(x *swarm.ServiceSpec) { container(x).Env = append(container(x).Env, "ADDED=1") })
			s.service("api", func(x *swarm.ServiceSpec) { container(x).Args = []string{"-v", "<all>"} })
		}, []string{`service/api command: (not set), not ["-v","<all>"]`, "service/web env.ADDED: (not set), not 1"}},
		"a label": {func(s sabotage) { s.service("api", func(x *swarm.ServiceSpec) { x.Labels["a.b"] = "1" }) },
			[]string{`service/api labels["a.b"]: (not set), not 1`}},
		"another tag": {func(s sabotage) { s.service("api", func(x *swarm.ServiceSpec) { container(x).Image = "acme/api:2" }) },
			[]string{"service/api image: acme/api:1, not acme/api:2"}},
		"another digest than was pinned": {func(s sabotage) {
			s.service("web", func(x *swarm.ServiceSpec) { container(x).Image = "acme/web:1@" + digestB })
		},
			[]string{"service/web image: acme/web:1@" + digestA + ", not acme/web:1@" + digestB}},
		"a pinned digest that is gone": {func(s sabotage) { s.service("web", func(x *swarm.ServiceSpec) { container(x).Image = "acme/web:1" }) },
			[]string{"service/web image: acme/web:1@" + digestA + ", not acme/web:1"}},
		"a volume": {func(s sabotage) {
			s.service("api", func(x *swarm.ServiceSpec) {
				container(x).Mounts = []mount.Mount{{Type: mount.TypeVolume, Source: "shop_data", Target: "/data"}}
			})
		}, []string{`service/api mounts["/data"].source: (not set), not shop_data`, `service/api mounts["/data"].type: (not set), not volume`, "volume/data exists: false, not true"}},
		"a service that was removed": {func(s sabotage) { s.remove(object.KindService, "shop_api") },
			[]string{"service/api exists: true, not false"}},
		"an own service more than declared": {func(s sabotage) {
			o := s.find(object.KindService, "shop_api").Clone()
			o.Key, o.Name = "cuckoo", "shop_cuckoo"
			o.Spec.(*swarm.ServiceSpec).Name = o.Name
			s.do(reconcile.Step{Verb: reconcile.Create, Object: o})
		}, []string{"service/cuckoo exists: false, not true"}},
		"a second service that claims to be a declared one": {func(s sabotage) {
			o := s.find(object.KindService, "shop_api").Clone()
			o.Name = "shop_api2"
			o.Spec.(*swarm.ServiceSpec).Name = o.Name
			s.do(reconcile.Step{Verb: reconcile.Create, Object: o})
		}, []string{"service/shop_api2 exists: false, not true"}},
		"a network that was replaced": {func(s sabotage) {
			s.again([]string{"api", "web"}, func() {
				o := s.remove(object.KindNetwork, "shop_default").Clone()
				o.Spec.(*object.NetworkSpec).Options.Internal = true
				s.do(reconcile.Step{Verb: reconcile.Create, Object: o})
			})
		}, []string{"network/default internal: (not set), not true"}},
		"everything that runs is gone": {func(s sabotage) {
			s.remove(object.KindService, "shop_api")
			s.remove(object.KindService, "shop_web")
			s.remove(object.KindNetwork, "shop_default")
		}, []string{"network/default exists: true, not false", "service/api exists: true, not false", "service/web exists: true, not false"}},
	} {
		t.Run(rule, func(t *testing.T) {
			b := memory.New()
			r := deployed(t, b)
			c.hands(sabotage{t, b})
			report := drift(t, b)
			d := only(t, report)
			if got := lines(d); !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
			wantVerdict(t, d, reconcile.False, reconcile.BecauseDrifted)
			if report.InSync() || d.Name != stack || d.Kind != "application" || d.Revision != 1 {
				t.Errorf("in sync %v, name %q, kind %q, revision %d", report.InSync(), d.Name, d.Kind, d.Revision)
			}
			view, err := newCore(b).Inspect(t.Context(), stack, "")
			if err != nil {
				t.Fatal(err)
			}
			r.Instance = view.Owner.Instance
			if p, err := newCore(b).Plan(t.Context(), r, reconcile.PlanOptions{}); err != nil || p.Empty() {
				t.Errorf("a plan has nothing to do about it, or fails: %v", err)
			}
			if said := fmt.Sprintf("%+v", report); strings.Contains(said, "hunter2") {
				t.Errorf("the report holds a sensitive value: %s", said)
			}
		})
	}
}

func TestDriftOfFilesIsFoundByTheirFingerprint(t *testing.T) {
	const fingerprint = `(fingerprint `
	for rule, c := range map[string]struct {
		hands func(sabotage)
		want  []string // beginnings, up to what fingerprints say
	}{
		"a config of the same name with another content": {func(s sabotage) {
			s.change(object.KindConfig, "conf", func(o *object.Object) { o.Spec.(*swarm.ConfigSpec).Data = []byte("by hand") })
		}, []string{"config/conf content: " + fingerprint}},
		"a config of the same name with a template driver": {func(s sabotage) {
			s.change(object.KindConfig, "conf", func(o *object.Object) { o.Spec.(*swarm.ConfigSpec).Templating = &swarm.Driver{Name: "golang"} })
		}, []string{"config/conf template_driver: (not set), not golang"}},
		"both": {func(s sabotage) {
			s.change(object.KindConfig, "conf", func(o *object.Object) {
				spec := o.Spec.(*swarm.ConfigSpec)
				spec.Data, spec.Templating = []byte("by hand"), &swarm.Driver{Name: "golang"}
			})
		}, []string{"config/conf content: " + fingerprint, "config/conf template_driver: (not set), not golang"}},
		"a label of a config": {func(s sabotage) {
			s.change(object.KindConfig, "conf", func(o *object.Object) { o.Spec.(*swarm.ConfigSpec).Labels["a"] = "1" })
		}, []string{"config/conf labels.a: (not set), not 1"}},
		"a secret of the same name that somebody made": {func(s sabotage) {
			s.change(object.KindSecret, "key", func(o *object.Object) {
				o.Spec.(*swarm.SecretSpec).Data, o.Fingerprint = []byte("by hand"), ""
			})
		}, []string{"secret/key fingerprint: "}},
		"a config that has lost its labels is found by its name, which is all that services know of it then": {func(s sabotage) {
			s.change(object.KindConfig, "conf", func(o *object.Object) {
				o.Key = o.Name
				o.Spec.(*swarm.ConfigSpec).Labels, o.Spec.(*swarm.ConfigSpec).Data = nil, []byte("by hand")
			})
		}, []string{"config/conf content: " + fingerprint,
			"service/api configs.conf: ", "service/api configs.shop_conf-", "service/web configs.conf: ", "service/web configs.shop_conf-"}},
	} {
		t.Run(rule, func(t *testing.T) {
			b := memory.New()
			deployed(t, b)
			c.hands(sabotage{t, b})
			d := only(t, drift(t, b))
			got := lines(d)
			if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
			for _, f := range d.Differences {
				if f.Desired == f.Live || strings.Contains(f.Desired+f.Live, "by hand") {
					t.Errorf("%s %s: %s, not %s", f.Object, f.Path, f.Desired, f.Live)
				}
			}
		})
	}
}

// A kept revision's config and secret are still there, and somebody puts one service back to them.
func TestDriftToAnotherGenerationNamesTheService(t *testing.T) {
	b := memory.New()
	first := mustApply(t, b, basic().release(), "")
	was := b.Names(object.KindConfig)[0]
	next := basic().with(func(b *build) { b.config = "listen 81" }).release()
	mustApply(t, b, next, first.Instance)
	wantVerdict(t, only(t, drift(t, b)), reconcile.True, reconcile.BecauseInSync)

	sabotage{t, b}.service("web", func(x *swarm.ServiceSpec) { x.TaskTemplate.ContainerSpec.Configs[0].ConfigName = was })
	var is string
	for _, o := range next.Objects {
		if o.Kind == object.KindConfig {
			is = o.Name
		}
	}
	got := lines(only(t, drift(t, b)))
	want := "service/web configs.conf: " + is + ", not " + was
	if len(got) != 2 || !strings.HasPrefix(got[0], "config/conf content: (fingerprint ") || got[1] != want {
		t.Errorf("got %v, want the content of config/conf and %q", got, want)
	}
}

func TestSensitiveDriftIsShownAsAFingerprint(t *testing.T) {
	b := memory.New()
	r := deployed(t, b)
	s := sabotage{t, b}
	s.service("web", func(x *swarm.ServiceSpec) { x.TaskTemplate.ContainerSpec.Env[0] = "TOKEN=changed-by-hand" })
	d := only(t, drift(t, b))
	if len(d.Differences) != 1 || d.Differences[0].Path != "env.TOKEN" {
		t.Fatalf("differences %v, want env.TOKEN alone", lines(d))
	}
	f := d.Differences[0]
	if f.Desired == f.Live || !strings.HasPrefix(f.Desired, "(sensitive ") || !strings.HasPrefix(f.Live, "(sensitive ") {
		t.Errorf("%s, not %s", f.Desired, f.Live)
	}
	view, err := newCore(b).Inspect(t.Context(), stack, "")
	if err != nil {
		t.Fatal(err)
	}
	if live := view.Display["service/web"]; !strings.Contains(live, f.Live) {
		t.Errorf("a refresh shows it differently: %s, and here it is %s", live, f.Live)
	}
	if declared, err := reconcile.Declare(&r, nil); err != nil || !strings.Contains(declared["service/web"], f.Desired) {
		t.Errorf("a plan shows it differently: %s (%v), and here it is %s", declared["service/web"], err, f.Desired)
	}
}

// What runs after a roll-back is of a revision before the newest, which alone knows what of it is sensitive.
func TestSensitiveValuesOfOlderRevisionsStayHidden(t *testing.T) {
	b := memory.New()
	deployed(t, b)
	view, err := newCore(b).Inspect(t.Context(), stack, "")
	if err != nil {
		t.Fatal(err)
	}
	b.Behave = failOn("acme/web:2")
	next := basic().with(func(b *build) { b.services["web"] = "acme/web:2" }).release()
	if _, err := applyOrRollBack(t.Context(), t, b, next, view.Owner.Instance); err == nil {
		t.Fatal("the update was to fail")
	}
	d := only(t, drift(t, b))
	if said := strings.Join(lines(d), "\n"); !strings.Contains(said, "service/web env.TOKEN: (not set), not (sensitive ") || strings.Contains(said, "hunter2") {
		t.Errorf("differences\n%s", said)
	}
}

func TestNothingIsFoundWhereNobodyTouchedAnything(t *testing.T) {
	for rule, begin := range map[string]func(*testing.T, *memory.Backend){
		"a release": func(t *testing.T, b *memory.Backend) { deployed(t, b) },
		"a release with a job": func(t *testing.T, b *memory.Backend) {
			mustApply(t, b, basic().with(func(b *build) { b.services["job"], b.job = "acme/job:1", "job" }).release(), "")
		},
		"a release of several revisions": func(t *testing.T, b *memory.Backend) {
			i := mustApply(t, b, basic().release(), "").Instance
			mustApply(t, b, basic().with(func(b *build) { b.config, b.secret = "listen 81", "other" }).release(), i)
			mustApply(t, b, basic().with(func(b *build) { delete(b.services, "api") }).release(), i)
		},
		"what was kept on purpose is no object too many": func(t *testing.T, b *memory.Backend) {
			i := mustApply(t, b, basic().release(), "").Instance
			if _, err := apply(t.Context(), b, basic().with(func(b *build) { delete(b.services, "api") }).release(), i, reconcile.PlanOptions{NoPrune: true}); err != nil {
				t.Fatal(err)
			}
		},
		"an adopted stack": func(t *testing.T, b *memory.Backend) {
			foreign(t, b, basic().release())
			if _, err := apply(t.Context(), b, basic().release(), "", reconcile.PlanOptions{Adopt: true}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(rule, func(t *testing.T) {
			b := memory.New()
			begin(t, b)
			for range 3 {
				d := only(t, drift(t, b))
				wantVerdict(t, d, reconcile.True, reconcile.BecauseInSync)
				if len(d.Differences) > 0 {
					t.Errorf("differences %v", lines(d))
				}
			}
		})
	}
}
