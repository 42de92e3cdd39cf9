// Package exampletest applies the examples as they stand, on real swarms.
package exampletest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

func TestMain(m *testing.M) { providertest.Main(m) }

const appImage = "swarmkeel/example-app:1"

// importApp makes the image of the example's application, as its Dockerfile does.
func importApp(t *testing.T, s *acctest.Swarm) {
	t.Helper()
	fs := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(fs, "app"), ".")
	build.Dir = filepath.Join("..", "..", "examples", "complete", "app")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the application: %v\n%s", err, out)
	}
	tar, err := exec.Command("tar", "-C", fs, "-cf", "-", "app").Output()
	if err != nil {
		t.Fatal(err)
	}
	s.DockerInput(t, string(tar), "import", "--change", `ENTRYPOINT ["/app"]`, "--change", "USER 65534", "-", appImage)
}

// TestAccCompleteExample applies examples/complete: registry, database, an application that writes rows into it, a
// tunnel to the application, and the drift check. The connector and the edge that it calls are stand-ins; all else is
// the real thing.
func TestAccCompleteExample(t *testing.T) {
	s := acctest.Start(t)
	acctest.Load(t, s, acctest.Postgres, acctest.Distribution, acctest.Cloudflared)
	importApp(t, s)
	const host, tunnel = "shop.example.com", "6ff42ae2-765d-4adf-8112-31c55c1551ef"
	token := acctest.TunnelToken("account", tunnel, "the secret of the tunnel")
	network := s.RandomName(t)
	s.Docker(t, "network", "create", "-d", "overlay", "--attachable", network)
	t.Cleanup(func() { s.Docker(t, "network", "rm", network) })
	edge := acctest.StartEdge(t, s, network, map[string]string{host: "http://web:8080"}, token)

	w := providertest.NewWorkspace(t, "")
	copyExample(t, w, "complete", "main.tf", "variables.tf", "outputs.tf", "stack.yml")
	w.Write("versions.tf", "")
	w.Traced()
	secrets := map[string]string{
		"tunnel_token":      token,
		"registry_password": providertest.RandomValue(t, "p"),
	}
	for name, value := range secrets {
		w.Variable(name, value)
	}
	w.Variable("host", s.Host())
	w.Variable("postgres_version", "15")
	w.Variable("registry", asJSON(t, map[string]string{"publish_mode": "host", "hostname": s.Address(t, 1)}))
	w.Variable("images", asJSON(t, map[string]string{
		"app": appImage, "postgres": acctest.PostgresImage("15"), "registry": acctest.RegistryImage("2"), "cloudflared": acctest.CloudflaredImage("2025.4.0"),
	}))
	w.Variable("tunnel_networks", asJSON(t, []string{network}))

	w.Apply()
	t.Cleanup(func() {
		w.T = t
		w.Terraform("destroy", "-auto-approve", "-input=false") // when the test ended early
		s.Docker(t, "volume", "rm", "-f", "images_data", "orders_data")
	})
	if plan := w.Plan(0); strings.Contains(plan.Text, "Check block") {
		t.Errorf("the check does not hold after the apply:\n%s", plan.Text)
	}
	visit := func(want string) bool { return get(edge, "http://"+host+"/") == want }
	acctest.Wait(t, time.Minute, "the first visit comes through the tunnel", func() bool { return visit("visit 1") })
	if !visit("visit 2") {
		t.Error("the row of the first visit is gone")
	}

	t.Run("what is changed by hand is told by the check, and healed", func(t *testing.T) {
		w.T = t
		s.Docker(t, "service", "scale", "-d", "shop_web=1")
		refresh := w.Expect(2, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
		if said := providertest.Flat(refresh); !strings.Contains(said, "Not as applied: shop (Drifted).") {
			t.Errorf("the check does not say what drifted:\n%s", refresh)
		}
		if said := w.Apply(); strings.Contains(said, "Check block assertion failed") {
			t.Errorf("the check fails although the apply has healed it:\n%s", said)
		}
		w.Settled()
	})

	t.Run("another setting of the database keeps the rows", func(t *testing.T) {
		w.T = t
		text := read(t, w, "main.tf")
		changed := strings.Replace(text, `max_connections = "50"`, `max_connections = "60"`, 1)
		if changed == text {
			t.Fatal("the example has no such setting")
		}
		w.Write("main.tf", changed)
		w.Apply()
		w.Settled()
		acctest.Wait(t, time.Minute, "the application has its rows again", func() bool { return visit("visit 3") })
	})

	t.Run("nothing tells a secret", func(t *testing.T) {
		w.T = t
		for name, value := range secrets {
			if found := w.Evidence().Having(value); len(found) > 0 {
				t.Errorf("%s is in %v", name, found)
			}
		}
	})

	w.T = t
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
	for _, release := range []string{"images", "orders", "shop", "edge"} {
		if left := s.ReleaseObjects(t, release); len(left) > 0 {
			t.Errorf("left behind of %s: %v", release, left)
		}
	}
	if left := s.ReleaseVolumes(t, "orders"); len(left) > 0 {
		t.Errorf("the data was to be deleted, and there is %v", left)
	}
}

// get is what a page says, or what is wrong with it.
func get(edge *acctest.Edge, url string) string {
	resp, err := edge.Client.Get(url)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Sprintf("%s %s %v", resp.Status, text, err)
	}
	return strings.TrimSpace(string(text))
}

func copyExample(t *testing.T, w *providertest.Workspace, example string, files ...string) {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", example, file))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(file, string(text))
	}
}

func read(t *testing.T, w *providertest.Workspace, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
