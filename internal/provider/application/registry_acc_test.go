package application_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// private is an application of one image, on one node, with a credential for its registry.
func private(s *acctest.Swarm, r *acctest.Registry, password, image, node string, settings ...string) string {
	config := application(s.Host(), "shop", fmt.Sprintf(`
services:
  web:
    image: %s
    stop_grace_period: 1s
    deploy:
      placement: {constraints: [node.hostname==%s]}
      update_config: {monitor: 500ms, order: stop-first}
      restart_policy: {delay: 100ms}
`, image, node), settings...)
	return strings.Replace(config, "provider \"swarm\" {", fmt.Sprintf("provider \"swarm\" {\n  registry_auth = [{ address = %q, username = %q, password = %q }]", r.Address, r.User, password), 1)
}

// TestAccPrivateImage deploys an image of a registry with a password on another node: with a wrong password, the right
// one, and a rotated one; and takes a build back that somebody else has put in its place.
func TestAccPrivateImage(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 3, "--workers")
	r := acctest.StartRegistry(t, s, "rita", "first-password")
	app := r.Address + "/acme/app:1"
	first := r.Push(t, acctest.Image("1.0"), "acme/app:1")
	w := providertest.NewWorkspace(t, private(s, r, "wr0ng-password", app, "n2"))

	out := w.Expect(1, "apply", "-auto-approve", "-input=false")
	for _, said := range []string{"user rita", "registry " + r.Address, "the registry refuses the credential", "registry_auth"} {
		if !strings.Contains(providertest.Flat(out), said) {
			t.Errorf("a refused password is not explained by %q:\n%s", said, out)
		}
	}
	if strings.Contains(out, "wr0ng-password") {
		t.Errorf("the password is shown:\n%s", out)
	}
	if left := s.ReleaseObjects(t, "shop"); len(left) > 1 { // the lease
		t.Errorf("before the credential was checked there was written: %v", left)
	}

	w.Write("main.tf", private(s, r, r.Password, app, "n2"))
	w.Apply()
	w.Settled()
	w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
	if on := runsOn(t, s, first); len(on) != 1 || on[0] != nodeID(t, s, 2) {
		t.Errorf("the image runs on %v, want once on n2", on)
	}
	if got := imageOf(w, "web"); got != first {
		t.Errorf("images says %s, want %s", got, first)
	}

	t.Run("a rotated password is applied in place", func(t *testing.T) {
		w.T = t
		before := s.Tasks(t, "shop_web")
		r.SetPassword(t, "second-password")
		w.Write("main.tf", private(s, r, r.Password, app, "n2"))
		d := providertest.Compare(t, w.Plan(2).Change(resource))
		if got := d.Take("service/web"); len(got) != 1 || got[0] != "registry_credential" {
			t.Errorf("the plan shows %v, want registry_credential", got)
		}
		w.Apply()
		w.Settled()
		if after := s.Tasks(t, "shop_web"); len(after) != 1 || after[0].ID != before[0].ID {
			t.Error("the task was restarted for it")
		}
		// The node that comes next has only the new password.
		w.Write("main.tf", private(s, r, r.Password, app, "n3"))
		w.Apply()
		if on := runsOn(t, s, first); len(on) != 1 || on[0] != nodeID(t, s, 3) {
			t.Errorf("the image runs on %v, want once on n3", on)
		}
	})

	t.Run("a tag that moves at the registry changes nothing, and another build that runs is taken back", func(t *testing.T) {
		w.T = t
		second := r.Push(t, acctest.Image("1.1"), "acme/app:1")
		w.Settled()
		s.Docker(t, "service", "update", "-q", "--no-resolve-image", "--image", second, "shop_web")
		out := w.Expect(2, "plan", "-detailed-exitcode", "-input=false")
		if !strings.Contains(providertest.Flat(out), "Service web runs "+second+", and "+first+" was deployed") {
			t.Errorf("the plan does not say which build runs:\n%s", out)
		}
		w.Expect(2, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
		report := providertest.Drift(t, s, "shop")
		if got := report.ReleaseDrift.Differences; len(got) != 1 || got[0] != (reconcile.FieldDrift{Object: "service/web", Path: "image", Desired: first, Live: second}) {
			t.Errorf("the drift report shows %+v, want the image of service/web", got)
		}
		w.Apply()
		w.Settled()
		providertest.InSync(t, s, "shop")
		if on := runsOn(t, s, first); len(on) != 1 {
			t.Errorf("the deployed build runs %d times", len(on))
		}

		w.Write("main.tf", private(s, r, r.Password, app, "n2", `resolve_image = "always"`))
		w.Apply()
		if got := imageOf(w, "web"); got != second {
			t.Errorf("with always, a service that is written anyway runs %s, want %s", got, second)
		}
		w.Settled()
	})

	t.Run("swarm_image gives the digest", func(t *testing.T) {
		w.T = t
		w.Write("image.tf", fmt.Sprintf("data \"swarm_image\" \"app\" {\n  name = %q\n}\n\noutput \"reference\" {\n  value = data.swarm_image.app.reference\n}\n", app))
		w.Apply()
		if got := output[string](t, w, "reference"); !strings.HasPrefix(got, r.Address+"/acme/app@sha256:") {
			t.Errorf("the reference is %s", got)
		}
	})
}

// imageOf is what `images` in state says of a service.
func imageOf(w *providertest.Workspace, service string) string {
	w.T.Helper()
	_, state := w.Terraform("state", "show", "swarm_application.app")
	_, images, _ := strings.Cut(state, "images ")
	_, text, _ := strings.Cut(images, `"`+service+`"`)
	_, text, _ = strings.Cut(text, `"`)
	text, _, _ = strings.Cut(text, `"`)
	return text
}
