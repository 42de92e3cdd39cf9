package faulttest

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// TestAccVersionMovesBeforeAWrite lets somebody write a service right before an apply does. As long as that means
// nothing, the apply tries again, three times at most; when it means something, the apply stops and names the service.
func TestAccVersionMovesBeforeAWrite(t *testing.T) {
	t.Parallel()
	same := func(*swarm.ServiceSpec) {}
	for _, tc := range []struct {
		rule     string
		times    int32 // how many writes of the apply somebody is faster than
		meddle   func(*swarm.ServiceSpec)
		attempts int
		reason   reconcile.Reason // empty: the apply succeeds
	}{
		{"once, without a meaning", 1, same, 2, ""},
		{"three times, without a meaning", 3, same, 4, ""},
		{"again and again, without a meaning", 99, same, 4, reconcile.ReasonConflict},
		{"once, to what the apply wants", 1, func(s *swarm.ServiceSpec) { s.TaskTemplate.ContainerSpec.Env = []string{"VERSION=1"} }, 1, ""},
		{"once, to something else", 1, func(s *swarm.ServiceSpec) { s.TaskTemplate.ContainerSpec.Hostname = "other" }, 1, reconcile.ReasonConflict},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			instance := r.mustApply(t, "", ledger{})
			path := "/services/" + r.Service(t, r.name+"_web").ID + "/update"
			var seen atomic.Int32
			r.proxy.Reset()
			r.proxy.SetOnRequest(func(c *acctest.Call) acctest.Fault {
				if c.Path == path && seen.Add(1) <= tc.times {
					r.UpdateService(t, r.name+"_web", tc.meddle)
				}
				return acctest.Fault{}
			})
			_, err := apply(t, r.core(t), release(t, r.name, instance, ledger{version: 1}), reconcile.ApplyOptions{RollBack: true})
			if got := reconcile.ReasonOf(err); got != tc.reason {
				t.Errorf("the apply ended with %q, want %q: %v", got, tc.reason, err)
			}
			if err != nil && !strings.Contains(err.Error(), "service "+r.name+"_web") {
				t.Errorf("the error does not name the service: %v", err)
			}
			if n := int(seen.Load()); n != tc.attempts {
				t.Errorf("web was written %d times, want %d", n, tc.attempts)
			}
			if host := r.Service(t, r.name+"_web").Spec.TaskTemplate.ContainerSpec.Hostname; tc.reason != "" && tc.times == 1 && host != "other" {
				t.Errorf("what somebody wrote was overwritten: the host name is %q", host)
			}
			r.mend()
			r.mustApply(t, instance, ledger{version: 1})
			r.settled(t, instance, ledger{version: 1})
			r.holds(t, ledger{}.objects()...)
		})
	}
}

// TestAccReleaseTooLargeForItsRecord is refused before anything is written: at create and, with what runs left as it is,
// at an update.
func TestAccReleaseTooLargeForItsRecord(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	large := "services:\n"
	for i := range 8 {
		noise := make([]byte, 150_000) // does not compress
		_, _ = rand.Read(noise)        // never fails (crypto/rand)
		large += fmt.Sprintf("  s%d: {image: %q, environment: {NOISE: %q}, deploy: {replicas: 0}}\n", i, image(), base64.StdEncoding.EncodeToString(noise))
	}
	refused := func(instance string) {
		t.Helper()
		r.proxy.Reset()
		_, err := apply(t, r.core(t), release(t, r.name, instance, stack(large)), reconcile.ApplyOptions{RollBack: true})
		if reconcile.ReasonOf(err) != reconcile.ReasonInvalid || !strings.Contains(err.Error(), "Split the release") {
			t.Errorf("the apply ended with %v, want that the record is too large", err)
		}
		if writes := r.proxy.Writes(); len(writes) > 0 {
			t.Errorf("before it was refused there were the writes %v", writes)
		}
	}
	refused("")
	instance := r.mustApply(t, "", ledger{})
	refused(instance)
	r.settled(t, instance, ledger{})
}
