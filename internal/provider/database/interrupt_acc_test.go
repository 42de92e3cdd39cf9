package database_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccProviderKilledInAnUpdate kills the provider when the new service is being written, while it is waited for, and
// while the client is. The same apply again finishes what was begun, and no row is lost.
func TestAccProviderKilledInAnUpdate(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *acctest.Swarm, e engine) {
		d := newDatabase(t, s, e)
		proxy, snare := providertest.Trapped(t, s, providertest.ProviderKilled())
		config := func(setting int) string {
			return strings.Replace(d.config("password_wo = var.password", fmt.Sprintf("resources = { memory = %q }", fmt.Sprintf("%dM", 300+setting))),
				s.Host(), proxy.Host(), 1)
		}
		w := providertest.NewWorkspace(t, config(0))
		w.Variable("password", "the first one")
		w.Apply()
		d.ask(t, d.insert)
		for i, at := range []providertest.Moment{{N: 5}, {Look: true, N: 2}, {Look: true, N: 12}} {
			password := fmt.Sprintf("password %d", i)
			w.Variable("password", password)
			w.Write("main.tf", config(i+1))
			if said, came := w.Interrupt(snare, at, providertest.ProviderKilled()); !came {
				t.Fatalf("%s never came:\n%s", at, said)
			}
			w.Apply()
			d.changed(t, "the first one", password)
			w.Settled()
		}
	})
}

// TestAccPowerCut takes the power away from the node of all three.
func TestAccPowerCut(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 1)
	acctest.Load(t, s, acctest.Postgres, acctest.MariaDB, acctest.Redis)
	var all []*database
	w := providertest.NewWorkspace(t, "")
	for _, e := range engines {
		d := newDatabase(t, s, e)
		config := strings.Replace(d.config(), `"swarm_database" "db"`, fmt.Sprintf("\"swarm_database\" %q", e.name), 1)
		if len(all) > 0 { // the provider and the variable are there
			config = config[strings.Index(config, "resource "):]
		}
		w.Write(e.name+".tf", config)
		all = append(all, d)
	}
	w.Apply()
	for _, d := range all {
		d.ask(t, d.insert)
	}
	s.Kill(t, 1)
	s.Restart(t, 1)
	acctest.Wait(t, time.Minute, "the engine answers", func() bool {
		_, err := s.Client().Info(t.Context())
		return err == nil
	})
	for _, d := range all {
		acctest.Wait(t, time.Minute, "database "+d.engine.name+" is healthy again", func() bool { return len(d.containers(t, "healthy")) == 1 })
		d.keeps(t, "a power cut")
	}
	w.Settled()
}
