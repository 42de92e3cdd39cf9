package application_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccSavedPlan applies saved plans, after what they were made for has moved on in one way or another.
func TestAccSavedPlan(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	for _, tc := range []struct {
		rule   string
		meddle func(t *testing.T, name string)
		said   []string // empty: the plan is applied
	}{
		{rule: "nothing has changed", meddle: func(*testing.T, string) {}},
		{
			rule: "what was to be done is done already",
			meddle: func(t *testing.T, name string) {
				s.UpdateService(t, name+"_web", func(spec *swarm.ServiceSpec) { spec.TaskTemplate.ContainerSpec.Env = []string{"VERSION=2"} })
			},
		},
		{
			rule: "the field that changes was changed to something else",
			meddle: func(t *testing.T, name string) {
				s.UpdateService(t, name+"_web", func(spec *swarm.ServiceSpec) { spec.TaskTemplate.ContainerSpec.Env = []string{"VERSION=9"} })
			},
			said: []string{"service/web: env.VERSION was 1 and is now 9", "Nothing was written", "Plan again"},
		},
		{
			rule: "a field of a service that is not to change was changed",
			meddle: func(t *testing.T, name string) {
				s.UpdateService(t, name+"_idle", func(spec *swarm.ServiceSpec) {
					spec.TaskTemplate.ContainerSpec.Hostname, spec.TaskTemplate.ContainerSpec.User = "other", "nobody"
				})
			},
			said: []string{"service/idle: hostname was not set and is now other, user was not set and is now nobody", "Nothing was written"},
		},
		{
			rule:   "a service was removed, and comes back",
			meddle: func(t *testing.T, name string) { s.Docker(t, "service", "rm", name+"_idle") },
		},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			name, proxy := s.RandomName(t), s.NewProxy(t)
			stack := func(version int) string {
				return application(proxy.Host(), name, "services:\n"+quickService("web", fmt.Sprintf("environment: {VERSION: \"%d\"}", version), "replicas: 0")+
					quickService("idle", "", "replicas: 0"))
			}
			w := providertest.NewWorkspace(t, stack(1))
			w.Apply()
			w.Write("main.tf", stack(2))
			w.Expect(0, "plan", "-input=false", "-out=saved")
			tc.meddle(t, name)
			proxy.Reset()
			if len(tc.said) == 0 {
				w.Expect(0, "apply", "-input=false", "saved")
				w.Settled()
				return
			}
			said := joined(diagnostic(t, w.Expect(1, "apply", "-input=false", "saved")))
			for _, want := range tc.said {
				if !strings.Contains(said, want) {
					t.Errorf("the diagnostic does not say %q:\n%s", want, said)
				}
			}
			if writes := proxy.Writes(); len(writes) > 0 {
				t.Errorf("the apply that was stopped wrote %v", writes)
			}
			w.Apply() // a new plan shows what has changed, so it may be overwritten
			w.Settled()
		})
	}
}
