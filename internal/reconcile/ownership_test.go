package reconcile_test

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// foreign puts the objects of a release into the swarm as `docker stack deploy`
// would: with the stack's label and none of ours, under names without a hash.
func foreign(t *testing.T, b *memory.Backend, r reconcile.Release) {
	t.Helper()
	for _, o := range r.Objects {
		if o.Kind == object.KindConfig || o.Kind == object.KindSecret {
			plain := stack + "_" + o.Key
			for i, s := range r.Objects {
				if s.Kind == object.KindService {
					r.Objects[i] = object.RenameReferences(s, o.Kind, o.Name, plain)
				}
			}
		}
	}
	for _, o := range r.Objects {
		o = o.Clone()
		switch spec := o.Spec.(type) {
		case *swarm.ServiceSpec:
			spec.Labels = map[string]string{reconcile.LabelStack: stack}
		case *swarm.ConfigSpec:
			o.Name, spec.Name = stack+"_"+o.Key, stack+"_"+o.Key
			spec.Labels = map[string]string{reconcile.LabelStack: stack}
		case *swarm.SecretSpec:
			o.Name, spec.Name, o.Fingerprint = stack+"_"+o.Key, stack+"_"+o.Key, ""
			spec.Labels = map[string]string{reconcile.LabelStack: stack}
		case *object.NetworkSpec:
			spec.Options.Labels = map[string]string{reconcile.LabelStack: stack}
		}
		if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Create, Object: o}); err != nil {
			t.Fatal(err)
		}
	}
	b.ResetCalls()
}

func TestCreateRefusesAStackOfOthers(t *testing.T) {
	b := memory.New()
	foreign(t, b, basic().release())
	_, err := apply(t.Context(), b, basic().release(), "", reconcile.PlanOptions{})
	if reconcile.ReasonOf(err) != reconcile.ReasonRefused {
		t.Fatalf("got %v, want Refused", err)
	}
	for _, want := range []string{"terraform import swarm_application.", "adopt = true", "shop_web"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if w := writes(b); len(w) > 0 {
		t.Errorf("written all the same: %v", w)
	}
}

func TestAdoptionRestartsNothingAndKeepsEqualConfigs(t *testing.T) {
	b := memory.New()
	plain := basic().with(func(b *build) { b.secret = "" })
	foreign(t, b, plain.release())
	result, err := apply(t.Context(), b, plain.release(), "", reconcile.PlanOptions{Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	if result.Revision != 2 {
		t.Errorf("revision %d, want 2: the first is what was live", result.Revision)
	}
	for _, s := range []string{"shop_api", "shop_web"} {
		if n := b.Templates(s); n != 1 {
			t.Errorf("service %s got %d task templates, want 1", s, n)
		}
	}
	if got := b.Names(object.KindConfig); len(got) != 1 || got[0] != "shop_conf" {
		t.Errorf("configs %v, want the adopted one under its name", got)
	}
	if len(result.Warnings) == 0 || !strings.Contains(result.Warnings[0], "shop_web") {
		t.Errorf("warnings %q do not list what is taken", result.Warnings)
	}
	wantSettled(t, b, plain.release(), result.Instance)
	if _, err := newCore(b).Uninstall(t.Context(), reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform", Instance: result.Instance}, reconcile.UninstallOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []object.Kind{object.KindService, object.KindNetwork, object.KindConfig, object.KindRecord} {
		if left := b.Names(kind); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestAdoptedSecretOfUnknownContentIsReplaced(t *testing.T) {
	b := memory.New()
	foreign(t, b, basic().release())
	result, err := apply(t.Context(), b, basic().release(), "", reconcile.PlanOptions{Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range b.Names(object.KindSecret) {
		if name == "shop_key" {
			continue // kept for revision 1
		}
		if !strings.HasPrefix(name, "shop_key-") {
			t.Errorf("unexpected secret %s", name)
		}
	}
	wantSettled(t, b, basic().release(), result.Instance)
}

func TestKilledCreateIsResumedBySameOwnerOnly(t *testing.T) {
	crash := func(t *testing.T) *memory.Backend {
		b := memory.New()
		b.Fault = func(c memory.Call) memory.Fault {
			if c.Step != nil && c.Step.Object.Kind == object.KindService {
				return memory.Fail
			}
			return memory.None
		}
		if _, err := apply(t.Context(), b, basic().release(), "", reconcile.PlanOptions{}); err == nil {
			t.Fatal("the fault did not fire")
		}
		b.Fault = nil
		return b
	}
	t.Run("same owner", func(t *testing.T) {
		b := crash(t)
		result := mustApply(t, b, basic().release(), "")
		if len(result.Warnings) == 0 {
			t.Error("taken over without a warning")
		}
		wantSettled(t, b, basic().release(), result.Instance)
	})
	t.Run("another owner", func(t *testing.T) {
		b := crash(t)
		r := basic().release()
		r.Owner.Owner = "somebody"
		if _, err := apply(t.Context(), b, r, "", reconcile.PlanOptions{}); reconcile.ReasonOf(err) != reconcile.ReasonRefused {
			t.Errorf("got %v, want Refused", err)
		}
	})
	t.Run("another kind", func(t *testing.T) {
		b := crash(t)
		r := basic().release()
		r.Kind = "database"
		if _, err := apply(t.Context(), b, r, "", reconcile.PlanOptions{}); reconcile.ReasonOf(err) != reconcile.ReasonRefused {
			t.Errorf("got %v, want Refused", err)
		}
	})
	t.Run("state lost after a create that succeeded", func(t *testing.T) {
		b := memory.New()
		first := mustApply(t, b, basic().release(), "")
		if again := mustApply(t, b, basic().release(), ""); again.Instance != first.Instance {
			t.Errorf("instance %s, want %s", again.Instance, first.Instance)
		}
		other := basic().with(func(b *build) { b.services["web"] = "acme/web:2" })
		if _, err := apply(t.Context(), b, other.release(), "", reconcile.PlanOptions{}); reconcile.ReasonOf(err) != reconcile.ReasonRefused {
			t.Errorf("another declaration: got %v, want Refused", err)
		}
	})
}

func TestLostRecordsAndLostLabelsAreNoError(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, basic().release(), "").Instance
	for _, name := range b.Names(object.KindRecord) {
		if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Delete, Object: object.Object{Kind: object.KindRecord, Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	result := mustApply(t, b, basic().release(), instance)
	if result.Revision != 1 || len(b.Names(object.KindRecord)) != 1 {
		t.Errorf("revision %d with records %v, want a new record", result.Revision, b.Names(object.KindRecord))
	}
	wantSettled(t, b, basic().release(), instance)
}

func TestAbsentIsNotFoundAndUnreadableIsNot(t *testing.T) {
	b := memory.New()
	if _, err := newCore(b).Inspect(t.Context(), stack, ""); reconcile.ReasonOf(err) != reconcile.ReasonNotFound {
		t.Errorf("absent: got %v, want NotFound", err)
	}
	b.Fault = func(memory.Call) memory.Fault { return memory.Fail }
	if _, err := newCore(b).Inspect(t.Context(), stack, ""); reconcile.ReasonOf(err) != reconcile.ReasonUnreachable {
		t.Errorf("unreachable: got %v, want Unreachable", err)
	}
}

func TestAnotherOwnerTouchesNothing(t *testing.T) {
	theirs := basic().with(func(b *build) { b.services["web"] = "acme/web:2" }).release()
	theirs.Owner.Owner = "somebody-else"
	for name, before := range map[string]func(*testing.T, *memory.Backend){
		"by the record": func(*testing.T, *memory.Backend) {},
		"by the labels of objects without a record": func(t *testing.T, b *memory.Backend) {
			for _, record := range b.Names(object.KindRecord) {
				if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Delete, Object: object.Object{Kind: object.KindRecord, Name: record}}); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := memory.New()
			instance := mustApply(t, b, basic().release(), "").Instance
			before(t, b)
			if _, err := apply(t.Context(), b, theirs, instance, reconcile.PlanOptions{}); reconcile.ReasonOf(err) != reconcile.ReasonOtherOwner {
				t.Errorf("apply: got %v, want OtherOwner", err)
			}
			who := theirs.Owner
			who.Instance = instance
			if _, err := newCore(b).Uninstall(t.Context(), who, reconcile.UninstallOptions{}); reconcile.ReasonOf(err) != reconcile.ReasonOtherOwner {
				t.Errorf("uninstall: got %v, want OtherOwner", err)
			}
			wantSettled(t, b, basic().release(), mustApply(t, b, basic().release(), instance).Instance)
		})
	}
	t.Run("but an adoption of what is the same already hands it over", func(t *testing.T) {
		b := memory.New()
		instance := mustApply(t, b, basic().release(), "").Instance
		same := basic().release()
		same.Owner.Owner = "somebody-else"
		if _, err := apply(t.Context(), b, same, "", reconcile.PlanOptions{Adopt: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := apply(t.Context(), b, theirs, instance, reconcile.PlanOptions{}); err != nil {
			t.Errorf("the new owner: %v", err)
		}
		if _, err := apply(t.Context(), b, basic().release(), instance, reconcile.PlanOptions{}); reconcile.ReasonOf(err) != reconcile.ReasonOtherOwner {
			t.Errorf("the old owner: got %v, want OtherOwner", err)
		}
	})
}

// What is declared external is nobody's to delete, whatever stack its label
// names: not by adopting, not by pruning, not by destroying.
func TestExternalObjectsOfAnAdoptedStackAreNeverOwned(t *testing.T) {
	b := memory.New()
	foreign(t, b, basic().release())
	r := basic().with(func(b *build) { b.secret = "" }).release()
	for i, o := range r.Objects {
		if spec, ok := o.Spec.(*swarm.ServiceSpec); ok {
			spec.TaskTemplate.ContainerSpec.Secrets = []*swarm.SecretReference{{SecretName: "shop_key", File: &swarm.SecretReferenceFileTarget{Name: "key", UID: "0", GID: "0", Mode: 0o400}}}
			r.Objects[i] = o
		}
	}
	r.External = []object.External{{Kind: object.KindSecret, Name: "shop_key", UsedBy: []string{"api", "web"}}}
	result, err := apply(t.Context(), b, r, "", reconcile.PlanOptions{Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	wantSettled(t, b, r, result.Instance)
	view, err := newCore(b).Inspect(t.Context(), stack, result.Instance)
	if err != nil {
		t.Fatal(err)
	}
	if _, shown := view.Display["secret/key"]; shown {
		t.Error("the external secret is shown as the release's own")
	}
	if _, err := newCore(b).Uninstall(t.Context(), view.Owner, reconcile.UninstallOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := b.Names(object.KindSecret); len(got) != 1 || got[0] != "shop_key" {
		t.Errorf("secrets %v, want the external one still there", got)
	}
}
