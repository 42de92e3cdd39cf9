package application_test

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// storm is a proxy at which random calls fail in random ways, and one moment is waited for.
type storm struct {
	proxy *acctest.Proxy
	snare *providertest.Trap

	mu     sync.Mutex
	rng    *rand.Rand
	rate   float64 // share of the calls that fail
	faults map[string]int
}

// newStorm makes a calm one.
func newStorm(proxy *acctest.Proxy, seed uint64) *storm {
	s := &storm{proxy: proxy, snare: &providertest.Trap{}, rng: rand.New(rand.NewPCG(seed, 1)), faults: map[string]int{}}
	proxy.OnAnswer = func(c *acctest.Call) { s.snare.Meets(*c) }
	proxy.SetOnRequest(func(*acctest.Call) acctest.Fault { return s.fault() })
	return s
}

// begin lets a share of the calls fail from now on, and does something at a moment.
func (s *storm) begin(rate float64, at providertest.Moment, act func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rate = rate
	clear(s.faults)
	s.snare.Set(at, act)
}

// end calms the storm, and tells whether the moment came and which faults there were.
func (s *storm) end() (sprung bool, faults map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rate = 0
	sprung = s.snare.Sprung()
	s.snare.Set(providertest.Moment{}, nil)
	return sprung, maps.Clone(s.faults)
}

func (s *storm) fault() acctest.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rng.Float64() >= s.rate {
		return acctest.Fault{}
	}
	kinds := []struct {
		name  string
		fault acctest.Fault
	}{
		{"call lost before the engine acted", acctest.Fault{Kind: acctest.DropBefore}},
		{"answer lost after the engine acted", acctest.Fault{Kind: acctest.DropAfter}},
		{"answer truncated", acctest.Fault{Kind: acctest.Truncate}},
		{"500 instead of a call", acctest.Fault{Kind: acctest.Answer, Status: http.StatusInternalServerError, Message: "injected"}},
		{"500 instead of an answer", acctest.Fault{Kind: acctest.AnswerAfter, Status: http.StatusInternalServerError, Message: "injected"}},
		{"503 instead of a call", acctest.Fault{Kind: acctest.Answer, Status: http.StatusServiceUnavailable, Message: "injected"}},
		{"call delayed", acctest.Fault{Delay: time.Duration(s.rng.IntN(3000)) * time.Millisecond}},
	}
	one := kinds[s.rng.IntN(len(kinds))]
	s.faults[one.name]++
	return one.fault
}
