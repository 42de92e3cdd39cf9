package reconcile_test

import (
	"context"
	"testing"
	"time"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

const stack = "shop"

// build makes a release for a test: one network, one config, one secret, and
// services that mount them.
type build struct {
	services map[string]string // logical name → image
	config   string
	secret   string
	limit    int
	depends  map[string][]object.Dependency
	job      string // a service that is a job
	internal bool   // an immutable option of the network
	made     string // inputs of secrets that are made, "" for none
	jobs     bool   // a look before, and a proof after
}

func basic() build {
	return build{services: map[string]string{"api": "acme/api:1", "web": "acme/web:1"}, config: "listen 80", secret: "s3cret"}
}

func (b build) with(change func(*build)) build {
	services := map[string]string{}
	for k, v := range b.services {
		services[k] = v
	}
	b.services = services
	change(&b)
	return b
}

func (b build) release() reconcile.Release {
	r := reconcile.Release{
		Owner:        reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform"},
		HistoryLimit: b.limit,
	}
	r.Objects = append(r.Objects, object.Object{
		Kind: object.KindNetwork, Key: "default", Name: stack + "_default",
		Spec: &object.NetworkSpec{Name: stack + "_default", Options: network.CreateOptions{Driver: "overlay", Internal: b.internal}},
	})
	var configs []*swarm.ConfigReference
	var secrets []*swarm.SecretReference
	if b.config != "" {
		spec := &swarm.ConfigSpec{Data: []byte(b.config)}
		o := object.Object{Kind: object.KindConfig, Key: "conf", Spec: spec, Fingerprint: object.ConfigFingerprint(spec)}
		o.Name = object.ContentName(stack, "conf", o.Fingerprint)
		spec.Name = o.Name
		r.Objects = append(r.Objects, o)
		configs = []*swarm.ConfigReference{{ConfigName: o.Name, File: &swarm.ConfigReferenceFileTarget{Name: "/conf", UID: "0", GID: "0", Mode: 0o444}}}
	}
	if b.secret != "" {
		o := object.Object{Kind: object.KindSecret, Key: "key", Fingerprint: object.SecretFingerprint("application", stack, "key", []byte(b.secret))}
		o.Name = object.ContentName(stack, "key", o.Fingerprint)
		o.Spec = &swarm.SecretSpec{Annotations: swarm.Annotations{Name: o.Name}, Data: []byte(b.secret)}
		r.Objects = append(r.Objects, o)
		secrets = []*swarm.SecretReference{{SecretName: o.Name, File: &swarm.SecretReferenceFileTarget{Name: "key", UID: "0", GID: "0", Mode: 0o400}}}
	}
	if b.made != "" {
		for _, o := range madeSecrets(b.made) {
			r.Objects = append(r.Objects, o)
			secrets = append(secrets, &swarm.SecretReference{SecretName: o.Name, File: &swarm.SecretReferenceFileTarget{Name: o.Key, UID: "0", GID: "0", Mode: 0o400}})
		}
	}
	if b.jobs {
		r.Before = []object.OneShot{oneShot("look", nil)}
		r.After = []object.OneShot{oneShot("ready", secrets)}
	}
	for _, key := range []string{"api", "db", "job", "web", "worker"} {
		image, ok := b.services[key]
		if !ok {
			continue
		}
		replicas := uint64(2)
		spec := &swarm.ServiceSpec{
			Annotations: swarm.Annotations{Name: stack + "_" + key, Labels: map[string]string{}},
			Mode:        swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: &replicas}},
			TaskTemplate: swarm.TaskSpec{
				ContainerSpec: &swarm.ContainerSpec{Image: image, Configs: configs, Secrets: secrets},
				Networks:      []swarm.NetworkAttachmentConfig{{Target: stack + "_default"}},
			},
		}
		if b.job == key {
			one := uint64(1)
			spec.Mode = swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: &one, TotalCompletions: &one}}
		}
		r.Objects = append(r.Objects, object.Object{
			Kind: object.KindService, Key: key, Name: stack + "_" + key, Spec: spec, DependsOn: b.depends[key],
		})
	}
	return r
}

func newCore(b reconcile.Backend) *reconcile.Core {
	return reconcile.New(b, reconcile.PollEvery(time.Microsecond))
}

// apply plans and applies, as one Terraform apply does. instance is what the
// state knows.
func apply(ctx context.Context, b reconcile.Backend, r reconcile.Release, instance string, opts reconcile.PlanOptions) (*reconcile.Result, error) {
	return applyWith(ctx, newCore(b), r, instance, opts)
}

func applyWith(ctx context.Context, core *reconcile.Core, r reconcile.Release, instance string, opts reconcile.PlanOptions) (*reconcile.Result, error) {
	r.Instance = instance
	p, err := core.Plan(ctx, r, opts)
	if err != nil {
		return nil, err
	}
	return core.Apply(ctx, p, reconcile.ApplyOptions{})
}

func mustApply(t *testing.T, b reconcile.Backend, r reconcile.Release, instance string) *reconcile.Result {
	t.Helper()
	result, err := apply(t.Context(), b, r, instance, reconcile.PlanOptions{})
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	return result
}

// wantSettled fails unless a plan is empty and the swarm holds exactly what the
// release declares: nothing missing, nothing left behind.
func wantSettled(t *testing.T, b *memory.Backend, r reconcile.Release, instance string) {
	t.Helper()
	r.Instance = instance
	p, err := newCore(b).Plan(t.Context(), r, reconcile.PlanOptions{})
	if err != nil {
		t.Fatalf("plan after apply: %v", err)
	}
	if !p.Empty() {
		t.Fatalf("plan after apply is not empty: steps %v, prune %v, newest %+v", verbs(p.Steps), verbs(p.Prune), p.Newest)
	}
	for _, kind := range []object.Kind{object.KindService, object.KindNetwork} {
		want := 0
		for _, o := range r.Objects {
			if o.Kind == kind {
				want++
			}
		}
		if got := b.Names(kind); len(got) != want {
			t.Errorf("%d of kind %s exist, want %d: %v", len(got), kind, want, got)
		}
	}
}

func verbs(steps []reconcile.Step) []string {
	var out []string
	for _, s := range steps {
		out = append(out, string(s.Verb)+" "+s.Object.Ref().String())
	}
	return out
}
