package kindtest

import (
	"sync/atomic"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// stride is how many calls lie between two that a kind's tests meet.
func (k kind) stride() int {
	if k.sparse {
		return 3
	}
	return 1
}

// TestAccProviderKilledInACreate kills the provider in the middle of creates, after each write of one and while it waits. The
// same apply again finishes it and takes away what ran for it.
func TestAccProviderKilledInACreate(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		kill := func(at providertest.Moment, came *atomic.Bool) func(*testing.T) {
			return func(t *testing.T) {
				var snare *providertest.Trap
				r := newRelease(t, k, func(s *acctest.Swarm) (host string) {
					var proxy *acctest.Proxy
					proxy, snare = providertest.Trapped(t, s, providertest.ProviderKilled())
					return proxy.Host()
				})
				r.declare(version{})
				_, sprung := r.Interrupt(snare, at, providertest.ProviderKilled())
				if came.Store(sprung); !sprung {
					return
				}
				r.Apply()
				r.works(r.store())
				r.Settled()
				r.holds(version{})
			}
		}
		first := providertest.Moment{Look: true, N: 1}
		t.Run(first.String(), kill(first, new(atomic.Bool)))
		// A few at a time, until an apply has no more of them.
		for n, more := 1, true; more && !t.Failed(); {
			tests, came := map[string]func(*testing.T){}, make([]atomic.Bool, 4)
			for i := range came {
				at := providertest.Moment{N: n}
				tests[at.String()] = kill(at, &came[i])
				n += k.stride()
			}
			acctest.SideBySide(t, tests)
			more = came[len(came)-1].Load()
		}
	})
}

// TestAccProviderKilledInAnUpdate kills the provider in the middle of updates of one release, which change a setting and the
// secret in turn. What was stored before is there after each.
func TestAccProviderKilledInAnUpdate(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		kill := providertest.ProviderKilled()
		var snare *providertest.Trap
		r := newRelease(t, k, func(s *acctest.Swarm) string {
			proxy, trap := providertest.Trapped(t, s, kill)
			snare = trap
			return proxy.Host()
		})
		v := version{}
		r.declare(v)
		r.Apply()
		rows := []string{r.store()}
		killed := func(at providertest.Moment) (came bool) {
			t.Run(at.String(), func(t *testing.T) {
				r.T = t
				v.change++
				r.newSecret()
				r.declare(v)
				if _, came = r.Interrupt(snare, at, kill); !came {
					return
				}
				r.Apply()
				r.works(rows...)
				r.Settled()
				r.holds(v)
				rows = append(rows, r.store())
			})
			return came && !t.Failed()
		}
		for n := 1; killed(providertest.Moment{N: n}); n += k.stride() {
		}
		killed(providertest.Moment{Look: true, N: 1})
		r.T = t
		r.destroy()
	})
}
