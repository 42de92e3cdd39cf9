package kindtest

import (
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// untilOver kills at writes of an apply, until it has no more, and at its first look.
func (k kind) untilOver(killed func(at providertest.Moment) (came bool)) {
	stride := 3
	switch {
	case acctest.Thorough():
		stride = 1
	case k.sparse:
		stride = 6
	}
	for n := 1; killed(providertest.Moment{N: n}); n += stride {
	}
	killed(providertest.Moment{Look: true, N: 1})
}

// TestAccProviderKilledInACreate kills the provider in the middle of creates, after writes of one and while it waits. The
// same apply again finishes it and takes away what ran for it.
func TestAccProviderKilledInACreate(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		kill := providertest.ProviderKilled()
		killed := func(at providertest.Moment) (came bool) {
			t.Run(at.String(), func(t *testing.T) {
				var snare *providertest.Trap
				r := newRelease(t, k, func(s *acctest.Swarm) string {
					proxy, trap := providertest.Trapped(t, s, kill)
					snare = trap
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
		}
		k.untilOver(killed)
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
		k.untilOver(killed)
		r.T = t
		r.destroy()
	})
}
