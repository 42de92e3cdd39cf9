package application_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// The labels of a network cannot be changed while it exists. Other labels are seen and warned about; they replace
// nothing, and leave no plan that is never empty.
func TestAccCanonicalNetworkLabels(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	proxy := s.NewProxy(t)
	name := s.RandomName(t)
	compose := "services:\n  web: {image: \"never/there:1\", deploy: {replicas: 0}, networks: [net]}\nnetworks:\n  net: {labels: {a: \"1\"}}\n"
	w := providertest.NewWorkspace(t, application(proxy.Host(), name, compose))
	w.Apply()
	w.Settled()

	warning := "They cannot be changed while the network exists, and are not worth replacing it"
	warns := func(out string) {
		t.Helper()
		if !strings.Contains(strings.Join(strings.Fields(out), " "), warning) {
			t.Errorf("there is no warning %q in\n%s", warning, out)
		}
	}
	proxy.Reset()
	w.Write("main.tf", application(proxy.Host(), name, strings.Replace(compose, `a: "1"`, `a: "2"`, 1)))
	warns(w.Apply())
	if writes := proxy.Writes(); len(writes) > 0 {
		t.Errorf("other labels of a network alone made the apply write %v", writes)
	}
	w.Settled()
	w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")

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
	drift := w.Plan(2, "-refresh-only").Drift(t, resource)
	if got := drift.Take("network/net"); !slices.Equal(got, []string{"labels.a"}) {
		t.Errorf("the refresh-only plan shows %v", got)
	}
	p := w.Plan(0)
	warns(p.Text)

	// With another change of the network that needs it replaced, the labels come along.
	w.Write("main.tf", application(proxy.Host(), name, strings.Replace(compose, `{a: "1"}`, `{a: "3"}, attachable: true`, 1)))
	w.Apply()
	w.Settled()
	if got := networkOf(t, s, name+"_net").Labels["a"]; got != "3" {
		t.Errorf("the replaced network has label a=%q, want 3", got)
	}
}
