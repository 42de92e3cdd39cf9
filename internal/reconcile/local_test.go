package reconcile_test

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// placed is a release whose service api keeps data on its node.
func placed(constraints ...string) reconcile.Release {
	r := basic().release()
	r.Local = []string{"api"}
	for _, o := range r.Objects {
		if o.Key == "api" {
			o.Spec.(*swarm.ServiceSpec).TaskTemplate.Placement = &swarm.Placement{Constraints: constraints}
		}
	}
	return r
}

func threeNodes() *memory.Backend {
	b := memory.New()
	for _, name := range []string{"2", "3"} {
		b.Nodes = append(b.Nodes, reconcile.Node{ID: "node" + name, Hostname: "n" + name, Role: "worker", Availability: "active", Ready: true, State: "ready"})
	}
	return b
}

func TestDataStaysOnItsNode(t *testing.T) {
	cases := map[string]struct {
		one      bool // node
		deployed bool
		place    []string
		warns    []string
		refuses  []string
	}{
		"one node needs no pin":                   {one: true},
		"one node, and kept off it":               {one: true, deployed: true, place: []string{"node.hostname==n9"}, refuses: []string{"shop_api", "node n1", "node.hostname==n9"}},
		"a new service that no node may run":      {place: []string{"node.hostname==n9"}, warns: []string{"shop_api", "node.hostname==n9", "n1, n2, n3"}},
		"a pinned service is at rest":             {place: []string{"node.hostname==n2"}},
		"pinned where the data is":                {deployed: true, place: []string{"node.hostname==n1"}},
		"a new service may land anywhere":         {warns: []string{"shop_api", "n1, n2, n3", "node.hostname==n1"}},
		"a constraint that several nodes satisfy": {place: []string{"node.role==worker"}, warns: []string{"n2, n3", "node.hostname==n2"}},
		"the node with the data is named":         {deployed: true, warns: []string{"volume of node n1", "moved to n2, n3", "node.hostname==n1"}},
		"a placement away from the data":          {deployed: true, place: []string{"node.hostname==n2"}, refuses: []string{"shop_api", "node n1", "node.hostname==n2"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := threeNodes()
			if c.one {
				b = memory.New()
			}
			instance := ""
			if c.deployed {
				instance = mustApply(t, b, placed(), "").Instance
			}
			r := placed(c.place...)
			r.Instance = instance
			p, err := newCore(b).Plan(t.Context(), r, reconcile.PlanOptions{})
			if len(c.refuses) > 0 {
				if reconcile.ReasonOf(err) != reconcile.ReasonInvalid {
					t.Fatalf("reason %s, want Invalid", reconcile.ReasonOf(err))
				}
				wantSays(t, err.Error(), c.refuses)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(p.Warnings, "\n")
			if len(c.warns) == 0 && said != "" {
				t.Errorf("warns: %s", said)
			}
			wantSays(t, said, c.warns)
		})
	}
}

func wantSays(t *testing.T, text string, want []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("does not say %q:\n%s", w, text)
		}
	}
}

// The task of an update that finds no node says nothing about where the data is.
func TestDataStaysWhileAnUpdateWaitsForANode(t *testing.T) {
	b := threeNodes()
	instance := mustApply(t, b, placed(), "").Instance
	b.Behave = func(string, *swarm.ServiceSpec) memory.Outcome { return memory.Outcome{Pending: "no suitable node"} }
	r := placed("node.hostname==n2")
	r.Instance = instance
	if _, err := newCore(b).Plan(t.Context(), r, reconcile.PlanOptions{}); reconcile.ReasonOf(err) != reconcile.ReasonInvalid {
		t.Errorf("got %v, want Invalid: the data is on n1", err)
	}
}

// A node that has left for good has taken its data along: nothing holds the
// service there.
func TestDataOfALeftNodeHoldsNothing(t *testing.T) {
	b := threeNodes()
	instance := mustApply(t, b, placed(), "").Instance
	b.Nodes = b.Nodes[1:]
	r := placed("node.hostname==n2")
	r.Instance = instance
	if _, err := newCore(b).Plan(t.Context(), r, reconcile.PlanOptions{}); err != nil {
		t.Error(err)
	}
}

func TestDataIsEmptiedWhereItIs(t *testing.T) {
	uninstall := func(b *memory.Backend, instance string) (*reconcile.Result, error) {
		return newCore(b).Uninstall(t.Context(), reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform", Instance: instance},
			reconcile.UninstallOptions{PurgeVolumes: true, Empty: []object.OneShot{oneShot("empty", nil)}})
	}
	t.Run("after the services are gone", func(t *testing.T) {
		b := threeNodes()
		instance := mustApply(t, b, placed(), "").Instance
		b.ResetCalls()
		if _, err := uninstall(b, instance); err != nil {
			t.Fatal(err)
		}
		order := strings.Join(writes(b), ", ")
		if api, empty := strings.Index(order, "delete service shop_api"), strings.Index(order, "create service shop_empty"); api < 0 || empty < api {
			t.Errorf("writes %s: want the job after the service is gone", order)
		}
		if left := b.Names(object.KindService); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	t.Run("not when its node cannot be reached", func(t *testing.T) {
		b := threeNodes()
		instance := mustApply(t, b, placed(), "").Instance
		b.Nodes[0].Ready, b.Nodes[0].State = false, "down"
		b.ResetCalls()
		_, err := uninstall(b, instance)
		if reconcile.ReasonOf(err) != reconcile.ReasonInvalid || !strings.Contains(err.Error(), "n1, which is down") {
			t.Errorf("error %v, want one that names the node", err)
		}
		if w := writes(b); len(w) > 0 {
			t.Errorf("a refused removal wrote %v", w)
		}
	})
	t.Run("not when its node takes no job", func(t *testing.T) {
		b := threeNodes()
		instance := mustApply(t, b, placed(), "").Instance
		b.Nodes[0].Availability = "drain"
		b.ResetCalls()
		_, err := uninstall(b, instance)
		if reconcile.ReasonOf(err) != reconcile.ReasonInvalid || !strings.Contains(err.Error(), "n1, which is set to drain") {
			t.Errorf("error %v, want one that names the node", err)
		}
		if w := writes(b); len(w) > 0 {
			t.Errorf("a refused removal wrote %v", w)
		}
	})
	t.Run("with the image that its node has", func(t *testing.T) {
		b := threeNodes()
		b.Push("acme/api:1", digestA)
		b.Push("acme/web:1", digestB)
		r := placed()
		r.Resolve = reconcile.ResolveChanged
		instance := mustApply(t, b, r, "").Instance
		image := ""
		b.Behave = func(service string, spec *swarm.ServiceSpec) memory.Outcome {
			if service == "shop_empty" {
				image = spec.TaskTemplate.ContainerSpec.Image
			}
			return memory.Outcome{}
		}
		if _, err := uninstall(b, instance); err != nil {
			t.Fatal(err)
		}
		if want := "acme/api:1@" + digestA; image != want {
			t.Errorf("the job ran %s, want %s", image, want)
		}
	})
	t.Run("not of a release that was never deployed", func(t *testing.T) {
		b := threeNodes()
		b.Behave = failing("api", 1)
		result, err := apply(t.Context(), b, placed(), "", reconcile.PlanOptions{})
		if err == nil {
			t.Fatal("a failing service was deployed")
		}
		b.ResetCalls()
		if _, err := uninstall(b, result.Instance); err != nil {
			t.Fatal(err)
		}
		if order := strings.Join(writes(b), ", "); strings.Contains(order, "shop_empty") {
			t.Errorf("the data was emptied: %s", order)
		}
	})
}

// mountElsewhere has a service of somebody else's mount a secret.
func mountElsewhere(t *testing.T, b *memory.Backend, secret string) {
	t.Helper()
	spec := &swarm.ServiceSpec{Annotations: swarm.Annotations{Name: "other"}, TaskTemplate: swarm.TaskSpec{ContainerSpec: &swarm.ContainerSpec{
		Image: "acme/other:1", Secrets: []*swarm.SecretReference{{SecretName: secret, File: &swarm.SecretReferenceFileTarget{Name: "key"}}},
	}}}
	if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Create, Object: object.Object{Kind: object.KindService, Key: "other", Name: "other", Spec: spec}}); err != nil {
		t.Fatal(err)
	}
}

// An application mounts the URL of a database, and follows after the database when
// that changes.
func TestOldSecretStaysWhileOthersMountIt(t *testing.T) {
	b := memory.New()
	version := func(secret string) reconcile.Release {
		return basic().with(func(b *build) { b.secret, b.limit = secret, 1 }).release()
	}
	instance := mustApply(t, b, version("one"), "").Instance
	old := nameOf(t, b, "key")
	mountElsewhere(t, b, old)
	result := mustApply(t, b, version("two"), instance)
	if len(result.Warnings) > 0 {
		t.Errorf("warns: %v", result.Warnings)
	}
	if b.Secret(old) == "" {
		t.Fatal("the secret was taken from the service that mounts it")
	}
	b.Remove(object.KindService, "other")
	mustApply(t, b, version("two"), instance)
	if b.Secret(old) != "" {
		t.Error("nobody mounts the old secret, and it is still there")
	}
}

func TestSecretThatOthersMountStopsTheRemoval(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, basic().release(), "").Instance
	secret := nameOf(t, b, "key")
	mountElsewhere(t, b, secret)
	b.ResetCalls()
	_, err := newCore(b).Uninstall(t.Context(), reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform", Instance: instance}, reconcile.UninstallOptions{})
	if reconcile.ReasonOf(err) != reconcile.ReasonInUse || !strings.Contains(err.Error(), "secret "+secret+" is used by service other") {
		t.Errorf("error %v, want one that names the secret and the service", err)
	}
	if w := writes(b); len(w) > 0 {
		t.Errorf("a refused removal wrote %v", w)
	}
}
