package application_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccUnfinished ends updates too early in every way. The plan after it must not be empty, and must say why; the
// same configuration applied again finishes what is left.
func TestAccUnfinished(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	const keep = `on_failure = "keep"`
	for _, tc := range []struct {
		rule string
		// web is the service's image and command, %s an image that does not exist until ready makes it.
		web      string
		settings string
		how      providertest.Interruption
		at       providertest.Moment
		said     string
		status   string
		ready    func(t *testing.T, service, image string)
	}{
		{
			rule: "an update that Swarm paused", web: "image: %s", said: "did not converge", status: "failed", settings: keep,
			ready: func(t *testing.T, service, image string) {
				acctest.Wait(t, time.Minute, "Swarm pauses the update", func() bool {
					u := s.Service(t, service).UpdateStatus
					return u != nil && u.State == swarm.UpdateStatePaused
				})
				s.Docker(t, "tag", acctest.Image("1.1"), image)
				t.Cleanup(func() { s.Docker(t, "rmi", "-f", image) })
			},
		},
		{
			rule: "an update that was rolled back", web: "image: %s", said: "rolled back to revision 1", status: "rolled_back",
			ready: func(t *testing.T, _, image string) {
				s.Docker(t, "tag", acctest.Image("1.1"), image)
				t.Cleanup(func() { s.Docker(t, "rmi", "-f", image) })
			},
		},
		{
			rule: "an update whose time was used up", settings: keep + "\n  timeouts = { update = \"8s\" }",
			web:  "image: " + acctest.Image("1.1") + "\n    command: [serve, -ready-after, 15s]\n    healthcheck: {test: [CMD, /app, healthcheck], interval: 500ms, retries: 100}",
			said: "did not converge in time", status: "failed",
			ready: func(t *testing.T, service, _ string) { s.WaitRunning(t, service, 1) },
		},
		{
			rule: "an update that was interrupted", web: "image: " + acctest.Image("1.1"), status: "applying",
			how: providertest.CtrlC(), at: providertest.Moment{Look: true, N: 2},
		},
		{
			rule: "an update whose provider was killed", web: "image: " + acctest.Image("1.1"), status: "applying",
			how: providertest.ProviderKilled(), at: providertest.Moment{Look: true, N: 2},
		},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			proxy, snare := providertest.Trapped(t, s, tc.how)
			name := s.RandomName(t)
			image := "swarmkeel/later-" + name + ":1.0"
			stack := func(web string) string {
				return application(proxy.Host(), name, "services:\n  web:\n    "+web+"\n    stop_grace_period: 1s\n    deploy:"+quick, tc.settings)
			}
			web := tc.web
			if strings.Contains(web, "%s") {
				web = fmt.Sprintf(web, image)
			}
			w := providertest.NewWorkspace(t, stack("image: "+acctest.Image("1.0")))
			w.Apply()
			w.Write("main.tf", stack(web))
			if tc.at.N > 0 {
				interrupt(t, w, name, snare, tc.at, tc.how)
			} else {
				started := time.Now()
				said := diagnostic(t, w.Expect(1, "apply", "-auto-approve", "-input=false"))
				if !strings.Contains(said, tc.said) {
					t.Errorf("the diagnostic does not say %q:\n%s", tc.said, said)
				}
				if took := time.Since(started); took > 40*time.Second {
					t.Errorf("the apply took %s", took)
				}
			}
			plan := w.Expect(2, "plan", "-detailed-exitcode", "-input=false")
			if want := fmt.Sprintf("%q -> \"deployed\"", tc.status); !strings.Contains(plan, want) {
				t.Errorf("the plan does not say %s:\n%s", want, plan)
			}
			if tc.ready != nil {
				tc.ready(t, name+"_web", image)
			}
			w.Apply()
			w.Settled()
			s.WaitRunning(t, name+"_web", 1)
		})
	}
}
