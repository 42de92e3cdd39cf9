package database_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccFailedUpdateTakesTheOldPasswordBack changes the password together with a setting that no server starts with.
func TestAccFailedUpdateTakesTheOldPasswordBack(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *acctest.Swarm, e engine) {
		d := newDatabase(t, s, e)
		config := func(settings ...string) string { return d.config(append(settings, "password_wo = var.password")...) }
		w := providertest.NewWorkspace(t, config())
		w.Variable("password", "the first one")
		w.Apply()
		d.ask(t, d.insert)

		w.Variable("password", "the second one")
		w.Write("main.tf", config(fmt.Sprintf("settings = { %q = \"nonsense\" }", e.strict)))
		said := providertest.Flat(w.Expect(1, "apply", "-auto-approve", "-input=false"))
		for _, words := range []string{"rolled back to revision 1", "nonsense"} {
			if !strings.Contains(said, words) {
				t.Errorf("it does not say %q:\n%s", words, said)
			}
		}
		d.changed(t, "the second one", "the first one")

		w.Write("main.tf", config())
		w.Apply()
		d.changed(t, "the first one", "the second one")
		w.Settled()
	})
}
