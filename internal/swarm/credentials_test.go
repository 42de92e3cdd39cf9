package swarm

import (
	"context"
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/registry"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// dockerConfig is an environment whose Docker CLI has this configuration, and a
// credential helper that knows helped.example.
func dockerConfig(t *testing.T, config string) func(string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	helper := `#!/bin/sh
read server
echo run >>` + folder + `/runs
if [ "$server" = helped.example ]; then echo '{"ServerURL":"helped.example","Username":"hugo","Secret":"from-helper"}'; else echo 'the vault is sealed'; exit 1; fi
`
	if err := os.WriteFile(filepath.Join(folder, "docker-credential-test"), []byte(helper), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	return func(name string) string {
		if name == "DOCKER_CONFIG" {
			return folder
		}
		return ""
	}
}

func TestCredentialsGoToTheirRegistryAlone(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("cli:stored"))
	env := dockerConfig(t, `{
		"auths": {"stored.example:5000": {"auth": "`+basic+`"}, "given.example": {"auth": "`+basic+`"}, "https://index.docker.io/v1/": {"auth": "`+basic+`"}},
		"credHelpers": {"helped.example": "test", "sealed.example": "test"}}`)
	given := []Credential{{Address: "https://GIVEN.example/", Username: "gina", Password: "given"}, {Address: "registry.example:5000", Username: "rita", Password: "port"}}
	for rule, c := range map[string]struct {
		image string
		given []Credential
		user  string
		says  string
	}{
		"a given one, whatever the address is written like": {"given.example/a/b:1", given, "gina", "The credential of user gina for registry given.example, from registry_auth, was sent along."},
		"with its port":                     {"registry.example:5000/app@sha256:" + strings.Repeat("a", 64), given, "rita", "registry.example:5000"},
		"not to another port":               {"registry.example/app", given, "", "No credential is configured for registry registry.example"},
		"not to a host that contains it":    {"given.example.evil.example/app", given, "", "No credential is configured"},
		"not to Docker Hub":                 {"app", []Credential{{Address: "given.example"}}, "cli", "docker.io"},
		"from the Docker CLI":               {"stored.example:5000/app", given, "cli", "from the Docker CLI's configuration"},
		"from a credential helper":          {"helped.example/app", given, "hugo", "hugo"},
		"none, if the helper fails":         {"sealed.example/app", given, "", "the vault is sealed"},
		"Docker Hub by its short names":     {"library/redis:7", []Credential{{Address: "docker.io", Username: "dora"}}, "dora", "registry docker.io"},
		"Docker Hub by its index":           {"redis", []Credential{{Address: "https://index.docker.io/v1/", Username: "dora"}}, "dora", "registry docker.io"},
		"Docker Hub in full":                {"docker.io/acme/web", []Credential{{Address: "index.docker.io", Username: "dora"}}, "dora", "registry docker.io"},
		"Docker Hub's from the Docker CLI":  {"acme/web", nil, "cli", "registry docker.io"},
		"none for an id":                    {strings.Repeat("a", 64), given, "", ""},
		"none for what is no name of image": {"UPPER/CASE", given, "", ""},
	} {
		t.Run(rule, func(t *testing.T) {
			credentials := NewCredentials(c.given, env)
			user := ""
			if header := credentials.header(c.image); header != "" {
				auth, err := registry.DecodeAuthConfig(header)
				if err != nil {
					t.Fatal(err)
				}
				user = auth.Username
			}
			if user != c.user {
				t.Errorf("user %q, want %q", user, c.user)
			}
			if says := credentials.describe(c.image); !strings.Contains(says, c.says) || c.says == "" && says != "" {
				t.Errorf("it says %q, want %q", says, c.says)
			}
		})
	}
}

func TestAHelperIsRunOnce(t *testing.T) {
	env := dockerConfig(t, `{"credHelpers": {"helped.example": "test"}}`)
	credentials := NewCredentials(nil, env)
	for range 3 {
		credentials.header("helped.example/app")
	}
	runs, err := os.ReadFile(filepath.Join(env("DOCKER_CONFIG"), "runs"))
	if err != nil || strings.Count(string(runs), "run") != 1 {
		t.Errorf("runs: %q, %v", runs, err)
	}
}

func TestResolve(t *testing.T) {
	for rule, c := range map[string]struct {
		status     int
		body       any
		credential string
		digest     string
		reason     reconcile.Reason
	}{
		"a digest": {status: http.StatusOK, body: map[string]any{"Descriptor": map[string]any{"digest": "sha256:abc"}}, digest: "sha256:abc"},
		"a refused credential is an error of its own":     {status: http.StatusUnauthorized, body: map[string]string{"message": "unauthorized: authentication required"}, credential: "encoded", reason: reconcile.ReasonCredential},
		"refused without one, it may not be there at all": {status: http.StatusUnauthorized, body: map[string]string{"message": "unauthorized"}, reason: reconcile.ReasonNotFound},
		"denied":    {status: http.StatusForbidden, body: map[string]string{"message": "denied"}, credential: "encoded", reason: reconcile.ReasonNotFound},
		"not there": {status: http.StatusNotFound, body: map[string]string{"message": "manifest unknown"}, reason: reconcile.ReasonNotFound},
		"a registry that is away is no engine that is away":   {status: http.StatusInternalServerError, body: map[string]string{"message": "context deadline exceeded"}, reason: reconcile.ReasonUnknown},
		"an engine that is away between itself and the swarm": {status: http.StatusServiceUnavailable, body: map[string]string{"message": "dial tcp: lookup registry.example: no such host"}, reason: reconcile.ReasonUnknown},
	} {
		t.Run(rule, func(t *testing.T) {
			d := newDouble(t, "1.41")
			d.backend.auth = func(string) string { return c.credential }
			d.on("GET /distribution/registry.example/app:1/json", reply(c.status, c.body))
			digest, err := d.backend.Resolve(context.Background(), "registry.example/app:1")
			if digest != c.digest || reconcile.ReasonOf(err) != c.reason {
				t.Errorf("digest %q, reason %q (%v), want %q, %q", digest, reconcile.ReasonOf(err), err, c.digest, c.reason)
			}
			if err := d.backend.Ping(context.Background()); err != nil {
				t.Errorf("the engine is taken for away: %v", err)
			}
		})
	}
}
