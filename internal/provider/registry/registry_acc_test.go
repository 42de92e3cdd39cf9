package registry_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccRegistry takes a registry through its life: who may use it, what is written for what change, and what becomes of
// its images.
func TestAccRegistry(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 1)
	acctest.Load(t, s, acctest.Distribution)
	r := server{Swarm: s, name: "images", host: s.Address(t, 1), node: "n1"}
	w := providertest.NewWorkspace(t, r.config(""))
	const rita, zoe = "rita:first password", "zoe:Ω ü"
	users(w, map[string]string{"rita": "first password", "zoe": "Ω ü"})
	w.Apply()
	w.Settled()
	w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
	if state := w.State(); !strings.Contains(state, `"address": "`+r.address()+`"`) || !strings.Contains(state, `"volume": "images_data"`) {
		t.Errorf("the state does not name address and volume:\n%s", state)
	}
	objects := []string{"network/NAME_default", "secret/NAME_config-HASH", "secret/NAME_htpasswd-HASH", "service/NAME_registry"}
	s.Holds(t, r.name, objects...)

	t.Run("nobody comes in without a password", func(t *testing.T) {
		for credential, want := range map[string]int{"": 401, "rita:wrong": 401, "nobody:first password": 401, rita: 200, zoe: 200} {
			if got := r.status(t, credential); got != want {
				t.Errorf("%q: %d, want %d", credential, got, want)
			}
		}
		refused(t, "an anonymous push", r.push(t, "1.0", "acme/app:1", ""))
		taken(t, "a push", r.push(t, "1.0", "acme/app:1", rita))
		refused(t, "an anonymous pull", r.pull(t, "acme/app:1", ""))
		taken(t, "a pull", r.pull(t, "acme/app:1", zoe))
	})

	t.Run("another password is applied in place, and the configuration stays", func(t *testing.T) {
		w.T = t
		before := secrets(s, t, r.name)
		users(w, map[string]string{"rita": "second password"})
		change := providertest.Compare(t, w.Plan(2).Change("swarm_registry"))
		if len(change.Take("secret/htpasswd")) == 0 {
			t.Error("the plan does not show that the users change")
		}
		change.Take("revision")
		change.Take("images/registry") // a service that is written may get another digest
		if rest := change.Rest(); len(rest) > 0 {
			t.Errorf("the plan changes more than the users: %v", rest)
		}
		w.Apply()
		w.Settled()
		for credential, want := range map[string]int{rita: 401, zoe: 401, "rita:second password": 200} {
			if got := r.status(t, credential); got != want {
				t.Errorf("%q: %d, want %d", credential, got, want)
			}
		}
		after := secrets(s, t, r.name)
		if before["config"] != after["config"] || before["htpasswd"] == after["htpasswd"] {
			t.Errorf("the secrets were %v and are %v", before, after)
		}
		taken(t, "what was pushed before", r.pull(t, "acme/app:1", "rita:second password"))
	})

	t.Run("a setting is changed and a restart survived without losing an image", func(t *testing.T) {
		w.T = t
		secret := secrets(s, t, r.name)
		w.Write("main.tf", strings.Replace(r.config("", `resources = { memory = "256M" }`), acctest.RegistryImage("2"), acctest.RegistryImage("2.1"), 1))
		w.Apply()
		w.Settled()
		taken(t, "what was pushed before", r.pull(t, "acme/app:1", "rita:second password"))
		if now := secrets(s, t, r.name); !maps.Equal(secret, now) {
			t.Errorf("the secrets were %v and are %v", secret, now)
		}
	})

	t.Run("the images outlive the registry", func(t *testing.T) {
		w.T = t
		w.Expect(0, "destroy", "-auto-approve", "-input=false")
		if left := s.ReleaseObjects(t, r.name); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		if got := s.ReleaseVolumes(t, r.name); len(got) != 1 || got[0] != "images_data" {
			t.Errorf("volumes: %v", got)
		}
		w.Apply()
		w.Settled()
		taken(t, "what was pushed before", r.pull(t, "acme/app:1", "rita:second password"))
	})

	t.Run("they go with it when asked", func(t *testing.T) {
		w.T = t
		w.Write("main.tf", r.config("", `delete_data = true`))
		w.Apply()
		said := w.Expect(0, "destroy", "-auto-approve", "-input=false")
		if left := append(s.ReleaseObjects(t, r.name), s.ReleaseVolumes(t, r.name)...); len(left) > 0 {
			t.Errorf("left: %v\n%s", left, said)
		}
	})
}

// TestAccRegistryThatServesEverybodyIsNoRegistry gives it an image that does not read the settings: the apply must not
// succeed.
func TestAccRegistryThatServesEverybodyIsNoRegistry(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 1)
	acctest.Load(t, s, acctest.Distribution)
	const open = "open-registry:1"
	s.DockerInput(t, "FROM "+acctest.RegistryImage("2")+`
RUN printf '#!/bin/sh\nunset REGISTRY_AUTH REGISTRY_AUTH_HTPASSWD_PATH REGISTRY_AUTH_HTPASSWD_REALM\nexec docker-entrypoint.sh "$@"\n' >/open && chmod 755 /open
ENTRYPOINT ["/open"]
`, "build", "-q", "-t", open, "-")
	r := server{Swarm: s, name: "images", host: s.Address(t, 1), node: "n1"}
	w := providertest.NewWorkspace(t, strings.Replace(r.config(""), acctest.RegistryImage("2"), open, 1))
	users(w, map[string]string{"rita": "first-password"})
	said := providertest.Flat(w.Expect(1, "apply", "-auto-approve", "-input=false"))
	for _, want := range []string{"Registry images does not ask for a password", "It serves everybody"} {
		if !strings.Contains(said, want) {
			t.Errorf("the error does not say %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "first-password") {
		t.Errorf("the password is shown:\n%s", said)
	}
}

// secrets are the names of the secrets of a release by their keys.
func secrets(s *acctest.Swarm, t testing.TB, release string) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, o := range s.ReleaseObjects(t, release) {
		if key, ok := strings.CutPrefix(o, "secret/"+release+"_"); ok {
			key, _, _ = strings.Cut(key, "-")
			names[key] = o
		}
	}
	return names
}

func refused(t testing.TB, what string, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "no basic auth credentials") {
		t.Errorf("%s: %v", what, err)
	}
}

func taken(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// TestAccRegistryOnEveryNode publishes on the ingress network, which is the default. Its ports carry traffic only where
// the kernel has IPVS, so that what is tested is the rest: the registry runs, and was asked on its own network.
func TestAccRegistryOnEveryNode(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	acctest.Load(t, s, acctest.Distribution)
	name := s.RandomName(t)
	w := providertest.NewWorkspace(t, strings.NewReplacer(
		`publish_mode = "host"`, "", `hostname     = "n1"`, "", `port         = "5000"`, `port = "5999"`,
	).Replace(server{Swarm: s, name: name, host: "n1", node: "n1"}.config("")))
	users(w, map[string]string{"rita": "first-password"})
	w.Apply()
	w.Settled()
	w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
	if state := w.State(); !strings.Contains(state, `"address": "127.0.0.1:5999"`) {
		t.Errorf("the state does not name the address:\n%s", state)
	}
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
}
