package reconcile_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

const digestA, digestB, digestC = "sha256:" + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	"sha256:" + "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
	"sha256:" + "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

// images are the images of the services as they are in the swarm.
func images(t *testing.T, b *memory.Backend) map[string]string {
	t.Helper()
	view, err := newCore(b).Inspect(t.Context(), stack, "")
	if err != nil {
		t.Fatal(err)
	}
	return view.Images
}

func wantImages(t *testing.T, b *memory.Backend, web, api string) {
	t.Helper()
	want := map[string]string{"web": web, "api": api}
	if got := images(t, b); !maps.Equal(got, want) {
		t.Errorf("images %v\nwant   %v", got, want)
	}
}

// setLive changes the image of a service behind the core's back.
func setLive(t *testing.T, b *memory.Backend, service, image string) {
	t.Helper()
	state, err := b.Observe(t.Context(), reconcile.Scope{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range state.Live {
		if l := &state.Live[i]; l.Kind == object.KindService && l.Name == stack+"_"+service {
			o := l.Object.Clone()
			o.Spec.(*swarm.ServiceSpec).TaskTemplate.ContainerSpec.Image = image
			if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Update, Object: o, Live: l}); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("there is no service %s", service)
}

func resolving(mode reconcile.Resolution, change func(*build)) reconcile.Release {
	r := basic().with(change).release()
	r.Resolve = mode
	return r
}

func same(*build) {}

func TestImagesArePinned(t *testing.T) {
	newWeb := func(b *build) { b.services["web"] = "acme/web:2" }
	newConfig := func(b *build) { b.config = "listen 81" }
	for rule, c := range map[string]struct {
		mode     reconcile.Resolution
		change   func(*build)
		drift    string
		web, api string
		empty    bool
	}{
		"an unchanged reference keeps its digest, and nothing is written": {mode: reconcile.ResolveChanged, change: same, web: "acme/web:1@" + digestA, api: "acme/api:1@" + digestA, empty: true},
		"always causes no write":                                     {mode: reconcile.ResolveAlways, change: same, web: "acme/web:1@" + digestA, api: "acme/api:1@" + digestA, empty: true},
		"a changed reference is resolved, the others are not":        {mode: reconcile.ResolveChanged, change: newWeb, web: "acme/web:2@" + digestC, api: "acme/api:1@" + digestA},
		"always resolves what is written anyway, and nothing else":   {mode: reconcile.ResolveAlways, change: newWeb, web: "acme/web:2@" + digestC, api: "acme/api:1@" + digestA},
		"what is written for another reason keeps its digest":        {mode: reconcile.ResolveChanged, change: newConfig, web: "acme/web:1@" + digestA, api: "acme/api:1@" + digestA},
		"what is written for another reason is resolved with always": {mode: reconcile.ResolveAlways, change: newConfig, web: "acme/web:1@" + digestB, api: "acme/api:1@" + digestB},
		"another digest than was deployed is taken back":             {mode: reconcile.ResolveChanged, change: same, drift: "acme/web:1@" + digestB, web: "acme/web:1@" + digestA, api: "acme/api:1@" + digestA},
		"no digest any more is taken back":                           {mode: reconcile.ResolveChanged, change: same, drift: "acme/web:1", web: "acme/web:1@" + digestA, api: "acme/api:1@" + digestA},
		"never asks for nothing, and takes nothing back":             {mode: reconcile.ResolveNever, change: same, drift: "acme/web:1@" + digestB, web: "acme/web:1@" + digestB, api: "acme/api:1@" + digestA, empty: true},
	} {
		t.Run(rule, func(t *testing.T) {
			b := memory.New()
			b.Push("acme/web:1", digestA)
			b.Push("acme/api:1", digestA)
			first := mustApply(t, b, resolving(reconcile.ResolveChanged, same), "")
			wantImages(t, b, "acme/web:1@"+digestA, "acme/api:1@"+digestA)
			wantSettled(t, b, resolving(reconcile.ResolveChanged, same), first.Instance)
			for image, digest := range map[string]string{"acme/web:1": digestB, "acme/api:1": digestB, "acme/web:2": digestC} {
				b.Push(image, digest)
			}
			if c.drift != "" {
				setLive(t, b, "web", c.drift)
			}
			b.ResetCalls()
			result := mustApply(t, b, resolving(c.mode, c.change), first.Instance)
			wantImages(t, b, c.web, c.api)
			if c.mode != reconcile.ResolveNever && !maps.Equal(result.Images, map[string]string{"web": c.web, "api": c.api}) {
				t.Errorf("the result says %v", result.Images)
			}
			for _, call := range b.Calls() {
				if c.empty && call.Method == "Do" {
					t.Errorf("it writes %s %s", call.Step.Verb, call.Step.Object.Ref())
				}
			}
			wantSettled(t, b, resolving(c.mode, c.change), first.Instance)
		})
	}
}

func TestAnImageThatNoRegistryHasIsAWarning(t *testing.T) {
	b := memory.New()
	b.Push("acme/api:1", digestA)
	result := mustApply(t, b, resolving(reconcile.ResolveChanged, same), "")
	wantImages(t, b, "acme/web:1", "acme/api:1@"+digestA)
	if text := strings.Join(result.Warnings, "\n"); !strings.Contains(text, "acme/web:1 is not pinned") || !strings.Contains(text, "manifest unknown") {
		t.Errorf("warnings: %s", text)
	}
	wantSettled(t, b, resolving(reconcile.ResolveChanged, same), result.Instance)
}

func TestRollBackTakesTheDigestBack(t *testing.T) {
	b := memory.New()
	for _, image := range []string{"acme/web:1", "acme/api:1"} {
		b.Push(image, digestA)
	}
	b.Push("acme/web:2", digestC)
	first := mustApply(t, b, resolving(reconcile.ResolveChanged, same), "")
	b.Push("acme/web:1", digestB)
	b.Behave = func(service string, spec *swarm.ServiceSpec) memory.Outcome {
		if strings.HasPrefix(spec.TaskTemplate.ContainerSpec.Image, "acme/web:2") {
			return memory.Outcome{Rejected: "No such image: acme/web:2"}
		}
		return memory.Outcome{}
	}
	r := resolving(reconcile.ResolveChanged, func(b *build) { b.services["web"] = "acme/web:2" })
	r.Instance = first.Instance
	core := newCore(b)
	p, err := core.Plan(t.Context(), r, reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = core.Apply(t.Context(), p, reconcile.ApplyOptions{RollBack: true})
	if err == nil || !strings.Contains(err.Error(), "No credential is configured for the registry of") {
		t.Errorf("the error does not say which credential was sent along: %v", err)
	}
	wantImages(t, b, "acme/web:1@"+digestA, "acme/api:1@"+digestA)
}
