package kindtest

import (
	"maps"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// TestAccLifecycle takes each kind through a whole life. After every step the kind works, the swarm has what it needs
// and no more, nothing is planned, and an apply writes nothing.
func TestAccLifecycle(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		var proxy *acctest.Proxy
		r := newRelease(t, k, func(s *acctest.Swarm) string { proxy = s.NewProxy(t); return proxy.Host() })
		rows := []string{}
		step := func(rule string, v version) {
			t.Run(rule, func(t *testing.T) {
				r.T = t
				r.declare(v)
				r.Apply()
				r.works(rows...)
				rows = append(rows, r.store())
				r.holds(v)
				r.untouched(proxy)
			})
			r.T = t
			if t.Failed() {
				t.FailNow()
			}
		}
		step("created", version{})
		step("changed, with something extra", version{change: 1, extra: true})
		step("without it again", version{change: 1})
		before := r.newSecret()
		step("with another secret", version{change: 1})
		if err := k.use(r, before); err == nil && !k.lasting {
			t.Error("the secret of before is still taken")
		}
		r.destroy()
	})
}

// untouched requires that a release on which nothing is to be done is left alone.
func (r *release) untouched(proxy *acctest.Proxy) {
	r.T.Helper()
	r.Settled()
	r.Settled()
	r.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
	before := r.versions()
	proxy.Reset()
	r.Apply()
	if writes := proxy.Writes(); len(writes) > 0 {
		r.T.Errorf("an apply with nothing to do wrote %v", writes)
	}
	if after := r.versions(); !maps.Equal(before, after) {
		r.T.Errorf("an apply with nothing to do moved %v to %v", before, after)
	}
}
