package reconcile_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// makings counts how often secrets were made.
var makings atomic.Int64

// madeSecrets are two secrets of one making, like a password and the URL with it.
func madeSecrets(inputs string) []object.Object {
	derived := &object.Derived{Keys: []string{"password", "url"}, Make: func() (map[string][]byte, error) {
		password := fmt.Sprintf("generated-%d", makings.Add(1))
		return map[string][]byte{"password": []byte(password), "url": []byte("db://" + password + "@" + inputs)}, nil
	}}
	var out []object.Object
	for _, key := range derived.Keys {
		o := object.Object{Kind: object.KindSecret, Key: key, Derived: derived, Fingerprint: object.SecretFingerprint("application", stack, key, []byte(inputs))}
		o.Name = object.ContentName(stack, key, o.Fingerprint)
		o.Spec = &swarm.SecretSpec{Annotations: swarm.Annotations{Name: o.Name}}
		out = append(out, o)
	}
	return out
}

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

// secretsOf returns the contents that the services of a release mount, by key.
func secretsOf(t *testing.T, b *memory.Backend) map[string]string {
	t.Helper()
	view, err := newCore(b).Inspect(t.Context(), stack, "")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for key, name := range view.Secrets {
		out[key] = b.Secret(name)
	}
	return out
}

func TestSecretsOfOneMakingStayTogether(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, server().release(), "").Instance
	first := secretsOf(t, b)
	if first["password"] == "" || first["url"] != "db://"+first["password"]+"@one" {
		t.Fatalf("made %v, want a URL with the password", first)
	}
	mustApply(t, b, server().with(func(b *build) { b.services["web"] = "acme/web:2" }).release(), instance)
	if again := secretsOf(t, b); again["password"] != first["password"] {
		t.Error("the password was made anew although its inputs stayed")
	}
	// Somebody deletes one of them, by force of another service spec.
	b.Remove(object.KindSecret, nameOf(t, b, "url"))
	mustApply(t, b, server().release(), instance)
	mended := secretsOf(t, b)
	if mended["url"] != "db://"+mended["password"]+"@one" || mended["password"] == first["password"] {
		t.Errorf("after one was lost: %v, want both made anew and matching (before %v)", mended, first)
	}
	wantSettled(t, b, server().release(), instance)
}

func nameOf(t *testing.T, b *memory.Backend, key string) string {
	t.Helper()
	view, err := newCore(b).Inspect(t.Context(), stack, "")
	if err != nil || view.Secrets[key] == "" {
		t.Fatalf("no secret %s: %v", key, err)
	}
	return view.Secrets[key]
}
