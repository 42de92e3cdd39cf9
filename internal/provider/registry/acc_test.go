package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/image"
	dockerregistry "github.com/docker/docker/api/types/registry"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

func TestMain(m *testing.M) { providertest.Main(m) }

// Ingress ports carry no traffic where the kernel has no IPVS, so that these registries are published on their node. One
// node cannot have two of them.
const port = "5000"

// server is a registry as one of these tests has it.
type server struct {
	*acctest.Swarm
	name string
	// host is where its node is reached.
	host string
	// node is the name of its node.
	node string
}

// address is what the names of images begin with.
func (r server) address() string { return r.host + ":" + port }

// config is the configuration of the registry called "images" and of what else is given. Settings are attributes, one a
// line; the users are in the variable of that name.
func (r server) config(more string, settings ...string) string {
	return fmt.Sprintf(`
variable "users" {
  type      = map(string)
  ephemeral = true
}

provider "swarm" {
  host = %q
}

resource "swarm_registry" "images" {
  name         = %q
  image        = %q
  publish_mode = "host"
  port         = %q
  hostname     = %q
  users_wo     = var.users
  placement    = { constraints = ["node.hostname==%s"] }
  %s
}
%s`, r.Host(), r.name, acctest.RegistryImage("2"), port, r.host, r.node, strings.Join(settings, "\n  "), more)
}

// users sets the variable of the workspace.
func users(w *providertest.Workspace, list map[string]string) {
	w.T.Helper()
	text, err := json.Marshal(list)
	if err != nil {
		w.T.Fatal(err)
	}
	w.Variable("users", string(text))
}

// status is what the registry answers to a request with a credential, of "user:password" or "" for nobody.
func (r server) status(t testing.TB, credential string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+r.address()+"/v2/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if user, password, ok := strings.Cut(credential, ":"); ok {
		req.SetBasicAuth(user, password)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("the registry does not answer: %v", err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func encode(t testing.TB, credential string) string {
	t.Helper()
	if credential == "" {
		return ""
	}
	user, password, _ := strings.Cut(credential, ":")
	auth, err := dockerregistry.EncodeAuthConfig(dockerregistry.AuthConfig{Username: user, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	return auth
}

// push pushes a test image under a name ("app:1"), as `docker push` does, and forgets it on the node.
func (r server) push(t testing.TB, version, name, credential string) error {
	t.Helper()
	ctx, full := context.Background(), r.address()+"/"+name
	if err := r.Client().ImageTag(ctx, acctest.Image(version), full); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Client().ImageRemove(ctx, full, image.RemoveOptions{}) }()
	out, err := r.Client().ImagePush(ctx, full, image.PushOptions{RegistryAuth: encode(t, credential)})
	return outcome(out, err)
}

// pull pulls it again, as `docker pull` does.
func (r server) pull(t testing.TB, name, credential string) error {
	t.Helper()
	ctx, full := context.Background(), r.address()+"/"+name
	defer func() { _, _ = r.Client().ImageRemove(ctx, full, image.RemoveOptions{}) }()
	out, err := r.Client().ImagePull(ctx, full, image.PullOptions{RegistryAuth: encode(t, credential)})
	return outcome(out, err)
}

// outcome reads a stream of progress to its end.
func outcome(out io.ReadCloser, err error) error {
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	for decoder := json.NewDecoder(out); ; {
		var line struct{ Error string }
		switch err := decoder.Decode(&line); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case line.Error != "":
			return errors.New(line.Error)
		}
	}
}
