package providertest

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// Refused requires that a plan of a configuration is refused with all of these texts, whatever the line breaks, and
// that no engine is needed for it. It returns all that is said, without line breaks.
func Refused(t *testing.T, config string, texts ...string) string {
	t.Helper()
	said := ""
	unreachable := memory.New()
	unreachable.Fault = func(memory.Call) memory.Fault { return memory.Fail }
	refused := false
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: Factories(On(unreachable)),
		ErrorCheck: func(err error) error {
			refused = true
			said = Flat(err.Error())
			for _, text := range texts {
				if !strings.Contains(said, text) {
					t.Errorf("it is not said that %q:\n%s", text, err)
				}
			}
			return nil
		},
		Steps: []resource.TestStep{{Config: config, PlanOnly: true}},
	})
	if !refused {
		t.Error("the plan is not refused")
	}
	return said
}
