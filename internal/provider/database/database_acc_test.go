package database_test

import (
	"fmt"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

func TestAccRowsOutliveChangesRestartsAndTheDatabaseItself(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *acctest.Swarm, e engine) {
		d := newDatabase(t, s, e)
		w := providertest.NewWorkspace(t, d.config())
		w.Apply()
		d.ask(t, d.insert)
		d.keeps(t, "the first row")
		w.Settled()
		w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")

		setting := fmt.Sprintf("settings = { %s = %q }", d.setting, d.value)
		w.Write("main.tf", d.config(setting))
		w.Apply()
		d.keeps(t, "a change of settings")
		if got := d.ask(t, d.show); got != d.shown {
			t.Errorf("the server says %q, want %q", got, d.shown)
		}

		w.Write("main.tf", d.config(setting, `resources = { memory = "300M", cpus = "1.5" }`))
		w.Apply()
		d.keeps(t, "a change of resources")

		upgraded := []string{setting, fmt.Sprintf("version = %q", d.minor), fmt.Sprintf("image = %q", d.image(d.minor))}
		w.Write("main.tf", d.config(upgraded...))
		w.Apply()
		d.keeps(t, "a minor upgrade")
		w.Settled()

		w.Expect(0, "destroy", "-auto-approve", "-input=false")
		if left := s.ReleaseObjects(t, d.name); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		w.Write("main.tf", d.config(append(upgraded, `existing_volume = "reuse"`)...))
		w.Apply()
		d.keeps(t, "destroying and creating anew")
		w.Settled()
	})
}
