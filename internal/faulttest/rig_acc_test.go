// Package faulttest runs the whole below the provider (rendering, the core, the adapter of the engine) against real
// engines that fail at chosen moments. It holds tests alone.
package faulttest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/swarm"
)

func TestMain(m *testing.M) {
	actAsWriter()
	acctest.Main(m)
}

// limit bounds a single apply or uninstall.
const limit = 3 * time.Minute

// rig is one release on the shared engine, reached through a proxy of its own.
type rig struct {
	*acctest.Swarm
	proxy   *acctest.Proxy
	updates tally
	name    string
}

// tally counts what the engine did, whatever the client heard of it.
type tally struct {
	mu    sync.Mutex
	times map[string]int
}

// note is told of every call that the engine acted on.
func (c *tally) note(call *acctest.Call) {
	id, isUpdate := strings.CutSuffix(call.Path, "/update")
	if id, isService := strings.CutPrefix(id, "/services/"); isUpdate && isService && call.Status == http.StatusOK {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.times[id]++
	}
}

func (c *tally) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times = map[string]int{}
}

// of is how often a service was updated, by its id.
func (c *tally) of(id string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.times[id]
}

func newRig(t *testing.T) *rig {
	t.Helper()
	s := acctest.Start(t)
	r := &rig{Swarm: s, proxy: s.NewProxy(t), name: s.RandomName(t)}
	r.updates.reset()
	r.proxy.OnAnswer = r.updates.note
	return r
}

// core is what a new process would have: nothing read yet.
func (r *rig) core(t testing.TB, options ...reconcile.Option) *reconcile.Core {
	t.Helper()
	return newCore(t, r.proxy.Host(), options...)
}

func newCore(t testing.TB, host string, options ...reconcile.Option) *reconcile.Core {
	t.Helper()
	backend, err := swarm.New(swarm.Config{Host: host, Env: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = backend.Close() })
	return reconcile.New(backend, options...)
}

func owner(c content, name, instance string) reconcile.Owner {
	return reconcile.Owner{Release: name, Kind: c.kind(), Owner: "terraform", Instance: instance}
}

// release renders a content. One revision is kept, so that whatever an apply leaves behind shows.
func release(t testing.TB, name, instance string, c content) reconcile.Release {
	t.Helper()
	desired, err := rendered(name, instance, c)
	if err != nil {
		t.Fatal(err)
	}
	return desired
}

func rendered(name, instance string, c content) (reconcile.Release, error) {
	r, problems := c.render(name)
	if r == nil {
		return reconcile.Release{}, fmt.Errorf("rendering %s: %w\n%s", name, problems, c)
	}
	return reconcile.Release{Owner: owner(c, name, instance), Objects: r.Objects, External: r.External, Before: r.Before, After: r.After, Local: r.Local, HistoryLimit: 1}, nil
}

// apply plans and applies, as the provider does.
func apply(t testing.TB, core *reconcile.Core, desired reconcile.Release, opts reconcile.ApplyOptions) (*reconcile.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	planned, err := core.Plan(ctx, desired, reconcile.PlanOptions{})
	if err != nil {
		return nil, err
	}
	return core.Apply(ctx, planned, opts)
}

// mustApply is an apply that nothing disturbs. It returns the instance.
func (r *rig) mustApply(t testing.TB, instance string, c content) string {
	t.Helper()
	result, err := apply(t, r.core(t), release(t, r.name, instance, c), reconcile.ApplyOptions{RollBack: true})
	if err != nil {
		t.Fatalf("applying %s: %v", r.name, err)
	}
	if result.Status != reconcile.Deployed {
		t.Fatalf("the apply of %s ended as %s", r.name, result.Status)
	}
	return result.Instance
}

// uninstall removes a release with its data. It returns what was warned of as well.
func uninstall(t testing.TB, core *reconcile.Core, name, instance string, c content) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	r, _ := c.render(name)
	result, err := core.Uninstall(ctx, owner(c, name, instance), reconcile.UninstallOptions{PurgeVolumes: true, Empty: r.Empty})
	if result == nil {
		return "", err
	}
	return strings.Join(result.Warnings, "\n"), err
}

// settled requires a plan with nothing to do.
func (r *rig) settled(t testing.TB, instance string, c content) {
	t.Helper()
	planned, err := r.core(t).Plan(t.Context(), release(t, r.name, instance, c), reconcile.PlanOptions{})
	if err != nil {
		t.Fatalf("planning %s: %v", r.name, err)
	}
	if !planned.Empty() {
		t.Errorf("the plan of %s is not empty: steps %s, prune %s, newest revision %+v", r.name, steps(planned.Steps), steps(planned.Prune), planned.Newest)
	}
}

func steps(list []reconcile.Step) string {
	words := make([]string, 0, len(list))
	for _, s := range list {
		words = append(words, fmt.Sprintf("%s %s %v", s.Verb, s.Object.Name, s.Differences))
	}
	return "[" + strings.Join(words, "; ") + "]"
}

// holds requires that the swarm has exactly these objects of the release.
func (r *rig) holds(t testing.TB, patterns ...string) {
	t.Helper()
	r.Holds(t, r.name, patterns...)
}
