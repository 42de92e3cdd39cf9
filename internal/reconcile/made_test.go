package reconcile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// A server that fails may print what it was given, in a roll-back as well.
func TestWhatAnApplyHasMadeIsHiddenInEveryError(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, server().release(), "").Instance
	code := 1
	b.Behave = func(string, *swarm.ServiceSpec) memory.Outcome {
		return memory.Outcome{ExitCode: &code, Log: []string{fmt.Sprintf("no login with generated-%d", makings.Load())}}
	}
	next := server().with(func(b *build) { b.made = "two" }).release()
	next.Instance = instance
	core := newCore(b)
	p, err := core.Plan(t.Context(), next, reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = core.Apply(t.Context(), p, reconcile.ApplyOptions{RollBack: true})
	if err == nil || !strings.Contains(err.Error(), "failed as well") || !strings.Contains(err.Error(), "no login with") {
		t.Fatalf("got %v, want the errors of apply and roll-back with what the server said", err)
	}
	if strings.Contains(err.Error(), fmt.Sprintf("generated-%d", makings.Load())) {
		t.Errorf("the password is in the error:\n%v", err)
	}
}

// Secrets of one making open the same door: one of another making beside them would
// open none.
func TestRollBackTakesNoSecretOfAnotherMaking(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, server().release(), "").Instance
	b.Remove(object.KindSecret, nameOf(t, b, "url"))
	next := server().with(func(b *build) { b.services["web"] = "acme/web:2" }).release()
	b.Behave = failOn("acme/web:2")
	if _, err := applyOrRollBack(t.Context(), t, b, next, instance); err == nil || !strings.Contains(err.Error(), "its content is not on record") {
		t.Errorf("got %v, want a roll-back that lacks a secret", err)
	}
	wantMatching := func() {
		t.Helper()
		if got := secretsOf(t, b); got["url"] != "db://"+got["password"]+"@one" {
			t.Errorf("the secrets do not match: %v", got)
		}
	}
	wantMatching()
	b.Behave = nil
	mustApply(t, b, server().release(), instance)
	wantMatching()
	wantSettled(t, b, server().release(), instance)
}
