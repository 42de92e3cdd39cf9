// Package acctest gives tests real Docker Swarms, and the means to disturb them: throwaway engines with one node
// or three, a proxy that counts and breaks API calls, names that do not collide, and checks that nothing is left.
//
// Engines come from scripts/test-swarm, which the Makefile and CI use as well. None of it touches an engine that it
// did not start, with one exception: SWARM_TEST_HOST names an engine that the Makefile started for the tests.
package acctest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/docker/docker/client"
)

// EnvHost names the engine to use instead of starting one: unix://DIR/n1/docker.sock of a `test-swarm start DIR`,
// its images loaded.
const EnvHost = "SWARM_TEST_HOST"

// Swarm is a running swarm, talked to through its first node: see Through.
type Swarm struct {
	dir    string // folder given to scripts/test-swarm
	via    int    // node, 1 is the first
	client *client.Client
}

// shared is the one-node swarm that all tests of a binary use.
var shared struct {
	sync.Once
	swarm *Swarm
	err   error
}

// Main runs the tests of a package and stops the swarm that they shared: `func TestMain(m *testing.M) { acctest.Main(m) }`.
// A test binary that is killed leaves nothing either, since the script watches for the end of its process. Before it
// ends the process it calls afterwards, for what the package's tests shared themselves.
func Main(m *testing.M, afterwards ...func()) {
	prepareTerraform()
	code := m.Run()
	for _, f := range afterwards {
		f()
	}
	if shared.swarm != nil {
		shared.swarm.close()
	}
	os.Exit(code)
}

// prepareTerraform makes the tests independent of a CLI configuration that is named but not there, at which
// Terraform prints a warning into each output, and points the test framework to OpenTofu where that is what is on PATH.
func prepareTerraform() {
	const config = "TF_CLI_CONFIG_FILE"
	if path := os.Getenv(config); path != "" {
		if _, err := os.Stat(path); err != nil {
			_ = os.Unsetenv(config)
		}
	}
	if _, err := exec.LookPath("terraform"); err == nil || os.Getenv("TF_ACC_TERRAFORM_PATH") != "" {
		return
	}
	if tofu, err := exec.LookPath("tofu"); err == nil {
		_ = os.Setenv("TF_ACC_TERRAFORM_PATH", tofu)
		_ = os.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
	}
}

// Start returns the one-node swarm that the tests of this binary share, starting it at the first call. It skips the
// test, saying why, where acceptance tests were not asked for or are impossible.
func Start(t testing.TB) *Swarm {
	t.Helper()
	require(t)
	shared.Do(func() {
		if host := os.Getenv(EnvHost); host != "" {
			shared.swarm, shared.err = open(strings.TrimSuffix(strings.TrimPrefix(host, "unix://"), "/n1/docker.sock"))
			return
		}
		shared.swarm, shared.err = start()
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.swarm
}

// StartNodes starts a swarm of several nodes for one test alone. Options are those of `test-swarm start`, for example
// "--workers" or "--heartbeat", "1s".
func StartNodes(t testing.TB, nodes int, options ...string) *Swarm {
	t.Helper()
	require(t)
	s, err := start(append([]string{"--nodes", strconv.Itoa(nodes)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

// require skips tests that need an engine where there can be none.
func require(t testing.TB) {
	t.Helper()
	switch {
	case os.Getenv("TF_ACC") == "":
		t.Skip("acceptance test: set TF_ACC=1 (make testacc does)")
	case os.Getenv(EnvHost) != "":
	case runtime.GOOS != "linux":
		t.Skip("acceptance test: needs Linux, since its swarms run in namespaces; this is " + runtime.GOOS)
	case os.Geteuid() != 0:
		t.Skip("acceptance test: needs root, since its swarms run in namespaces; or name a swarm made by scripts/test-swarm in " + EnvHost)
	}
}

// start starts a swarm below a folder of its own; short, since socket paths are limited to 108 characters.
func start(options ...string) (*Swarm, error) {
	if _, err := script("ensure"); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "keel")
	if err != nil {
		return nil, err
	}
	if _, err := script(append([]string{"start", dir, "--while", strconv.Itoa(os.Getpid())}, options...)...); err != nil {
		_ = os.Remove(dir) // only if it is still empty
		return nil, err
	}
	s, err := open(dir)
	if err == nil {
		_, err = script("images", dir)
	}
	if err != nil {
		_, _ = script("stop", dir)
		return nil, err
	}
	return s, nil
}

func open(dir string) (*Swarm, error) {
	s := &Swarm{dir: dir, via: 1}
	c, err := client.NewClientWithOpts(client.WithHost(s.Host()), client.WithAPIVersionNegotiation())
	if err != nil {
		return nil, fmt.Errorf("client for %s: %w", s.Host(), err)
	}
	if _, err := c.Ping(context.Background()); err != nil {
		return nil, fmt.Errorf("no engine answers at %s: %w", s.Host(), err)
	}
	s.client = c
	return s, nil
}

// close stops the swarm, unless it was there before.
func (s *Swarm) close() {
	_ = s.client.Close()
	if s.Host() == os.Getenv(EnvHost) {
		return
	}
	if _, err := script("stop", s.dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// Host is the address of the engine that is talked to, as DOCKER_HOST takes it.
func (s *Swarm) Host() string { return s.host(s.via) }

func (s *Swarm) host(node int) string {
	return "unix://" + filepath.Join(s.dir, "n"+strconv.Itoa(node), "docker.sock")
}

// Client talks to that engine.
func (s *Swarm) Client() *client.Client { return s.client }

// Docker runs the Docker CLI against that engine and returns what it printed to stdout, trimmed.
func (s *Swarm) Docker(t testing.TB, args ...string) string {
	t.Helper()
	return s.DockerInput(t, "", args...)
}

// DockerInput is Docker with something to read on stdin.
func (s *Swarm) DockerInput(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("docker", append([]string{"-H", s.Host()}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	// A folder without credentials or contexts: what the person at this machine has configured is not the test's.
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "DOCKER_")
	}), "DOCKER_CONFIG="+filepath.Join(s.dir, "docker-config"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// RandomName returns a release name that nobody else uses, and removes what is left of that release when the test ends.
func (s *Swarm) RandomName(t testing.TB) string {
	t.Helper()
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	name := "t" + hex.EncodeToString(b[:])
	t.Cleanup(func() { s.Sweep(t, name) })
	return name
}

// script runs scripts/test-swarm and returns what it printed.
func script(args ...string) (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return "", fmt.Errorf("test-swarm %s: the source folder is not known", args[0])
	}
	cmd := exec.Command(filepath.Join(filepath.Dir(file), "..", "..", "scripts", "test-swarm"), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("test-swarm %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}
