package acctest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/registry"
	"golang.org/x/crypto/bcrypt"
)

// Registry is a registry that asks for a password: the real one, as a service on the swarm's first node.
type Registry struct {
	// Address is the host and port that images name; all nodes reach it.
	Address        string
	User, Password string

	swarm   *Swarm
	configs int
}

const registryService = "registry"

// StartRegistry starts a registry in a swarm of the test's own.
func StartRegistry(t testing.TB, s *Swarm, user, password string) *Registry {
	t.Helper()
	Load(t, s, Distribution)
	r := &Registry{Address: s.Address(t, 1) + ":5000", User: user, Password: password, swarm: s}
	s.Docker(t, "service", "create", "-q", "--name", registryService, "--constraint", "node.hostname==n1",
		"--publish", "mode=host,published=5000,target=5000",
		"--config", fmt.Sprintf("source=%s,target=/htpasswd", r.htpasswd(t)),
		"--env", "REGISTRY_AUTH=htpasswd", "--env", "REGISTRY_AUTH_HTPASSWD_REALM=test", "--env", "REGISTRY_AUTH_HTPASSWD_PATH=/htpasswd",
		"--env", "REGISTRY_STORAGE_FILESYSTEM_ROOTDIRECTORY=/data", "--mount", "type=volume,source=registry,target=/data",
		"--restart-delay", "100ms", "--update-monitor", "100ms", RegistryImage("2"))
	r.awaitPassword(t)
	return r
}

// SetPassword makes the registry take another password, and no longer the one before.
func (r *Registry) SetPassword(t testing.TB, password string) {
	t.Helper()
	before := fmt.Sprintf("htpasswd-%d", r.configs)
	r.Password = password
	r.swarm.Docker(t, "service", "update", "-q", "--config-rm", before,
		"--config-add", fmt.Sprintf("source=%s,target=/htpasswd", r.htpasswd(t)), registryService)
	r.awaitPassword(t)
}

// htpasswd makes a config with the user and returns its name.
func (r *Registry) htpasswd(t testing.TB) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(r.Password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	r.configs++
	name := fmt.Sprintf("htpasswd-%d", r.configs)
	r.swarm.DockerInput(t, fmt.Sprintf("%s:%s\n", r.User, hash), "config", "create", name, "-")
	return name
}

func (r *Registry) awaitPassword(t testing.TB) {
	t.Helper()
	Wait(t, 2*time.Minute, "the registry takes the password", func() bool {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+r.Address+"/v2/", nil)
		if err != nil {
			return false
		}
		req.SetBasicAuth(r.User, r.Password)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// Push pushes an image of the first node under a name at the registry ("app:1"), forgets it there, and returns the full
// name with the digest.
func (r *Registry) Push(t testing.TB, from, name string) string {
	t.Helper()
	ctx, full := context.Background(), r.Address+"/"+name
	auth, err := registry.EncodeAuthConfig(registry.AuthConfig{Username: r.User, Password: r.Password, ServerAddress: r.Address})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.swarm.client.ImageTag(ctx, from, full); err != nil {
		t.Fatal(err)
	}
	out, err := r.swarm.client.ImagePush(ctx, full, image.PushOptions{RegistryAuth: auth})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	digest := ""
	for decoder := json.NewDecoder(out); ; {
		var line struct {
			Error string
			Aux   struct{ Digest string }
		}
		if err := decoder.Decode(&line); err == io.EOF {
			break
		} else if err != nil || line.Error != "" {
			t.Fatalf("pushing %s: %v %s", full, err, line.Error)
		}
		if line.Aux.Digest != "" {
			digest = line.Aux.Digest
		}
	}
	if !strings.HasPrefix(digest, "sha256:") {
		t.Fatalf("pushing %s gave no digest", full)
	}
	if _, err := r.swarm.client.ImageRemove(ctx, full, image.RemoveOptions{}); err != nil {
		t.Fatal(err)
	}
	return full + "@" + digest
}
