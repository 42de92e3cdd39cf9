package application_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// moments are what every interruption is tried at. All of them come in each of the applies below.
func moments() []providertest.Moment { return providertest.Moments(8, 2) }

// interruptions are the ways in which it is stopped.
func interruptions() []providertest.Interruption {
	return []providertest.Interruption{providertest.CtrlC(), providertest.ProviderKilled()}
}

// interrupt applies and stops it at a moment, which must come.
func interrupt(t *testing.T, w *providertest.Workspace, release string, snare *providertest.Trap, at providertest.Moment, how providertest.Interruption) {
	t.Helper()
	said, came := w.Interrupt(snare, at, how)
	if !came {
		t.Fatalf("%s never came:\n%s", at, said)
	}
	// What concludes an apply is not cut short: it has come too far.
	if how.Before && !strings.Contains(said, " complete after ") && !strings.Contains(said, "Application "+release+": interrupted") {
		t.Errorf("an apply that was stopped at %s does not say that it was interrupted:\n%s", at, said)
	}
}

// ledger is a stack with every kind of object. A version changes the config and the service that mounts it; every
// other version has one more service.
func ledger(version int) string {
	stack := fmt.Sprintf(`
services:
  web:
    image: %[1]s
    environment: {VERSION: "%[2]d"}
    configs: [greeting]
    secrets: [key]
    stop_grace_period: 1s
    deploy:
      restart_policy: {delay: 100ms}
      update_config: {monitor: 500ms, delay: 0s}
  idle:
    image: %[1]s
    deploy: {replicas: 0}
`, acctest.Image("1.0"), version)
	if version%2 == 0 {
		stack += fmt.Sprintf("  extra: {image: %q, deploy: {replicas: 0}}\n", acctest.Image("1.0"))
	}
	return stack + fmt.Sprintf("configs:\n  greeting: {content: hello %d}\nsecrets:\n  key: {}\n", version)
}

func ledgerConfig(host, name string, version int) string {
	return application(host, name, ledger(version), `secrets_wo = { key = "correct horse" }`, `history_limit = "1"`)
}

// onlyItsOwn requires that the swarm holds exactly what a version of the ledger needs.
func onlyItsOwn(t *testing.T, s *acctest.Swarm, name string, version int) {
	t.Helper()
	onlyNeeded(t, s.ReleaseObjects(t, name), name, version)
}

// onlyNeeded requires that objects are exactly what a version of the ledger needs.
func onlyNeeded(t *testing.T, have []string, name string, version int) {
	t.Helper()
	want := []string{"config/NAME_greeting-HASH", "network/NAME_default", "secret/NAME_key-HASH"}
	if version%2 == 0 {
		want = append(want, "service/NAME_extra")
	}
	acctest.Only(t, have, name, append(want, "service/NAME_idle", "service/NAME_web")...)
}

// TestAccInterruptedCreate stops a create at ten moments in two ways. The same apply again must finish it.
func TestAccInterruptedCreate(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	for _, how := range interruptions() {
		t.Run(how.Name, func(t *testing.T) {
			t.Parallel()
			proxy, snare := providertest.Trapped(t, s, how)
			for _, at := range moments() {
				t.Run(at.String(), func(t *testing.T) {
					name := s.RandomName(t)
					w := providertest.NewWorkspace(t, ledgerConfig(proxy.Host(), name, 1))
					interrupt(t, w, name, snare, at, how)
					w.Apply()
					w.Settled()
					onlyItsOwn(t, s, name, 1)
				})
			}
		})
	}
}

// TestAccInterruptedUpdate stops updates at ten moments in two ways, one after the other in one release.
func TestAccInterruptedUpdate(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	for _, how := range interruptions() {
		t.Run(how.Name, func(t *testing.T) {
			t.Parallel()
			proxy, snare := providertest.Trapped(t, s, how)
			name, version := s.RandomName(t), 1
			w := providertest.NewWorkspace(t, ledgerConfig(proxy.Host(), name, version))
			w.Apply()
			for _, at := range moments() {
				version++
				t.Run(at.String(), func(t *testing.T) {
					w.T = t
					w.Write("main.tf", ledgerConfig(proxy.Host(), name, version))
					interrupt(t, w, name, snare, at, how)
					w.Apply()
					w.Settled()
					onlyItsOwn(t, s, name, version)
				})
			}
			w.T = t
			w.Expect(0, "destroy", "-auto-approve", "-input=false")
			if left := s.ReleaseObjects(t, name); len(left) > 0 {
				t.Errorf("after destroy there are %v", left)
			}
		})
	}
}
