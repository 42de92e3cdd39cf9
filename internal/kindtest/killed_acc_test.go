package kindtest

import (
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// moments are when a provider is killed: after each write, until an apply has no more of them, and while it waits. A
// sparse kind meets only every third.
func (k kind) moments(write func(at providertest.Moment) bool) {
	stride := 1
	if k.sparse {
		stride = 3
	}
	for n := 1; n < 100; n += stride {
		if !write(providertest.Moment{N: n}) {
			break
		}
	}
	for n := 1; n <= 2; n++ {
		write(providertest.Moment{Look: true, N: n})
	}
}

// TestAccProviderKilledInACreate kills the provider in the middle of creates. The same apply again finishes it and takes
// away what ran for it.
func TestAccProviderKilledInACreate(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		kill := providertest.ProviderKilled()
		var snare *providertest.Trap
		k.moments(func(at providertest.Moment) (came bool) {
			t.Run(at.String(), func(t *testing.T) {
				r := newRelease(t, k, func(s *acctest.Swarm) (host string) {
					var proxy *acctest.Proxy
					proxy, snare = providertest.Trapped(t, s, kill)
					return proxy.Host()
				})
				r.declare(version{})
				if _, came = r.Interrupt(snare, at, kill); !came {
					return
				}
				r.Apply()
				r.works(r.store())
				r.Settled()
				r.holds(version{})
			})
			return came && !t.Failed()
		})
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
		k.moments(func(at providertest.Moment) (came bool) {
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
		})
		r.T = t
		r.destroy()
	})
}
