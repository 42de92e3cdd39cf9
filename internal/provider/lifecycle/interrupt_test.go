package lifecycle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

func probeConfig(webImage string) map[string]tftypes.Value {
	texts := tftypes.Map{ElementType: tftypes.String}
	return map[string]tftypes.Value{
		"name": tftypes.NewValue(tftypes.String, "shop"),
		"run": tftypes.NewValue(texts, map[string]tftypes.Value{
			"api": tftypes.NewValue(tftypes.String, "acme/api:1"), "web": tftypes.NewValue(tftypes.String, webImage),
		}),
		"secrets_wo":    tftypes.NewValue(texts, map[string]tftypes.Value{"key": tftypes.NewValue(tftypes.String, "s3cret")}),
		"wait":          tftypes.NewValue(tftypes.Bool, true),
		"adopt":         tftypes.NewValue(tftypes.Bool, false),
		"history_limit": tftypes.NewValue(tftypes.String, "10"),
	}
}

// stopAt has Terraform stop the provider in the middle of the k-th call of the
// backend, whose answer is lost, and reports afterwards whether there was a k-th
// call.
func stopAt(b *memory.Backend, k int, stop func()) (reached func() bool) {
	hit := false
	b.ResetCalls()
	b.Fault = func(c memory.Call) memory.Fault {
		if c.N == k {
			hit = true
			stop()
			return memory.Lose
		}
		return memory.None
	}
	return func() bool { b.Fault = nil; return hit }
}

// wantKept checks the state of an apply that was stopped: enough to go on from,
// and nothing that Terraform would not take.
func wantKept(t *testing.T, w *wire, s state) {
	t.Helper()
	values := w.attributes(s.value)
	for name, v := range values {
		if !v.IsFullyKnown() {
			t.Errorf("%s is unknown in the state", name)
		}
	}
	for _, name := range []string{"name", "instance", "swarm_id"} {
		if values[name].IsNull() {
			t.Errorf("%s is null in the state", name)
		}
	}
	if !values["secrets_wo"].IsNull() {
		t.Error("a write-only argument is in the state")
	}
}

func TestStoppedCreateGoesOn(t *testing.T) {
	for k := 1; ; k++ {
		done := false
		t.Run(fmt.Sprintf("at call %d", k), func(t *testing.T) {
			b := memory.New()
			w := dial(t, b)
			reached := stopAt(b, k, w.stop)
			s, text := w.apply(state{}, probeConfig("acme/web:1"))
			if !reached() {
				done = true
				if text != "" {
					t.Fatalf("an undisturbed create failed: %s", text)
				}
				return
			}
			if text != "" && !strings.Contains(text, "interrupted") {
				t.Errorf("the error does not say interrupted: %q", text)
			}
			again := dial(t, b)
			if again.attributes(s.value) == nil {
				if n := len(b.Names(object.KindRecord)) + len(b.Names(object.KindService)); n > 0 {
					t.Errorf("no state, but %d objects in the swarm", n)
				}
				s = state{}
			} else {
				wantKept(t, w, s)
			}
			if text != "" && s.value != nil {
				// Terraform replaces what an erroneous create left.
				if text := again.destroy(s); text != "" {
					t.Fatalf("destroy: %s", text)
				}
				s = state{}
			}
			wantFinished(t, again, s, probeConfig("acme/web:1"))
		})
		if done || t.Failed() {
			return
		}
	}
}

func TestStoppedUpdateGoesOn(t *testing.T) {
	for k := 1; ; k++ {
		done := false
		t.Run(fmt.Sprintf("at call %d", k), func(t *testing.T) {
			b := memory.New()
			first := dial(t, b)
			before, text := first.apply(state{}, probeConfig("acme/web:1"))
			if text != "" {
				t.Fatal(text)
			}
			w := dial(t, b)
			reached := stopAt(b, k, w.stop)
			s, text := w.apply(before, probeConfig("acme/web:2"))
			if !reached() {
				done = true
				if text != "" {
					t.Fatalf("an undisturbed update failed: %s", text)
				}
				return
			}
			wantKept(t, w, s)
			again := dial(t, b)
			if text != "" && !strings.Contains(text, "interrupted") {
				t.Errorf("the error does not say interrupted: %q", text)
			}
			s, text = again.refresh(s)
			if text != "" {
				t.Fatalf("refresh: %s", text)
			}
			if finished, empty := finished(t, b), again.settled(s, probeConfig("acme/web:2")); finished != empty {
				t.Errorf("the swarm is finished: %t, and the plan is empty: %t", finished, empty)
			}
			wantFinished(t, again, s, probeConfig("acme/web:2"))
		})
		if done || t.Failed() {
			return
		}
	}
}

// wantFinished applies once more and fails unless that is the end of it.
func wantFinished(t *testing.T, w *wire, s state, config map[string]tftypes.Value) {
	t.Helper()
	s, text := w.apply(s, config)
	if text != "" {
		t.Fatalf("the next apply: %s", text)
	}
	s, text = w.refresh(s)
	if text != "" {
		t.Fatalf("refresh after the next apply: %s", text)
	}
	if !w.settled(s, config) {
		t.Error("the plan after the next apply is not empty")
	}
}

// An engine that goes away in the middle takes nothing out of the state, and
// nothing that was only planned into it.
func TestEngineLostDuringApply(t *testing.T) {
	lost := func(b *memory.Backend) {
		writes := 0
		b.Fault = func(c memory.Call) memory.Fault {
			if c.Method == "Do" {
				writes++
			}
			if writes >= 3 {
				return memory.Fail
			}
			return memory.None
		}
	}
	b := memory.New()
	lost(b)
	w := dial(t, b)
	created, text := w.apply(state{}, probeConfig("acme/web:1"))
	if !strings.Contains(text, "does not answer") {
		t.Errorf("the error of the create: %q", text)
	}
	wantKept(t, w, created)
	wantObjects(t, w, created, 0)

	b.Fault = nil
	if text := w.destroy(created); text != "" {
		t.Fatal(text)
	}
	before, text := w.apply(state{}, probeConfig("acme/web:1"))
	if text != "" {
		t.Fatal(text)
	}
	lost(b)
	updated, text := w.apply(before, probeConfig("acme/web:2"))
	if text == "" {
		t.Error("an update without an engine succeeded")
	}
	wantKept(t, w, updated)
	wantObjects(t, w, updated, 4)
	b.Fault = nil
	if w.settled(updated, probeConfig("acme/web:2")) {
		t.Error("nothing is planned after an update that failed")
	}
}

func wantObjects(t *testing.T, w *wire, s state, n int) {
	t.Helper()
	var objects map[string]tftypes.Value
	if err := w.attributes(s.value)["objects"].As(&objects); err != nil {
		t.Fatal(err)
	}
	if len(objects) != n {
		t.Errorf("%d objects in the state, want %d: %v", len(objects), n, objects)
	}
	for ref, v := range objects {
		var form string
		if err := v.As(&form); err != nil || strings.Contains(form, "acme/web:2") {
			t.Errorf("%s is in the state as it was planned only: %s", ref, form)
		}
	}
}

// finished looks whether the second image is deployed, and on record as that.
func finished(t *testing.T, b *memory.Backend) bool {
	t.Helper()
	web := find(t, b, object.KindService, "shop_web").Spec.(*swarm.ServiceSpec)
	for _, name := range b.Names(object.KindRecord) {
		if strings.HasSuffix(name, ".v2") {
			return web.TaskTemplate.ContainerSpec.Image == "acme/web:2" && find(t, b, object.KindRecord, name).Status == string(reconcile.Deployed)
		}
	}
	return false
}
