package application_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// The labels of a network cannot be changed while it exists. Other labels are seen and warned about; they replace
// nothing, and leave no plan that is never empty.
func TestAccCanonicalNetworkLabels(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	proxy := s.NewProxy(t)
	name := s.RandomName(t)
	compose := "services:\n  web: {image: \"never/there:1\", deploy: {replicas: 0}, networks: [net]}\nnetworks:\n  net: {labels: {a: \"1\"}}\n"
	w := newWorkspace(t, application(proxy.Host(), name, compose))
	w.apply()
	w.settled()

	warning := "They cannot be changed while the network exists, and are not worth replacing it"
	warns := func(out string) {
		t.Helper()
		if !strings.Contains(strings.Join(strings.Fields(out), " "), warning) {
			t.Errorf("there is no warning %q in\n%s", warning, out)
		}
	}
	proxy.Reset()
	w.write("main.tf", application(proxy.Host(), name, strings.Replace(compose, `a: "1"`, `a: "2"`, 1)))
	warns(w.apply())
	if writes := proxy.Writes(); len(writes) > 0 {
		t.Errorf("other labels of a network alone made the apply write %v", writes)
	}
	w.settled()
	w.expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")

	h := &hands{t: t, s: s, ctx: t.Context(), release: name, key: "net"}
	spec := s.Service(t, name+"_web").Spec
	h.must(s.Client().ServiceRemove(h.ctx, name+"_web"))
	options := h.withoutNetwork()
	options.Labels["a"] = "by hand"
	created, err := s.Client().NetworkCreate(h.ctx, name+"_net", network.CreateOptions{Driver: options.Driver, Labels: options.Labels})
	h.must(err)
	spec.TaskTemplate.Networks[0].Target = created.ID
	_, err = s.Client().ServiceCreate(h.ctx, spec, swarm.ServiceCreateOptions{})
	h.must(err)
	drift := w.plan(2, "-refresh-only").drift(t)
	if got := drift.take("network/net"); !slices.Equal(got, []string{"labels.a"}) {
		t.Errorf("the refresh-only plan shows %v", got)
	}
	p := w.plan(0)
	warns(p.text)

	// With another change of the network that needs it replaced, the labels come along.
	w.write("main.tf", application(proxy.Host(), name, strings.Replace(compose, `{a: "1"}`, `{a: "3"}, attachable: true`, 1)))
	w.apply()
	w.settled()
	if got := networkOf(t, s, name+"_net").Labels["a"]; got != "3" {
		t.Errorf("the replaced network has label a=%q, want 3", got)
	}
}
