package acctest

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"
)

func TestMain(m *testing.M) { Main(m) }

func TestSwarmRunsWhatItIsGiven(t *testing.T) {
	s := Start(t)
	name := s.RandomName(t)
	s.Docker(t, "network", "create", "-d", "overlay", "--label", stackLabel+"="+name, name+"_net")
	s.DockerInput(t, "hello", "config", "create", "--label", releaseLabel+"="+name, name+"_greeting", "-")
	s.DockerInput(t, "7", "secret", "create", "--label", stackLabel+"="+name, name+"_key", "-")
	s.DockerInput(t, "{}", "config", "create", "keel."+name+".v1", "-")
	s.Docker(t, "service", "create", "-d", "--name", name+"_web", "--label", stackLabel+"="+name, "--network", name+"_net",
		"--endpoint-mode", "dnsrr", "--publish", "mode=host,target=8080", "--config", "source="+name+"_greeting,target=/greeting",
		"--env", "COLOUR=blue", Image("1.1"))
	s.WaitRunning(t, name+"_web", 1)
	want := []string{"config/keel." + name + ".v1", "config/" + name + "_greeting", "network/" + name + "_net", "secret/" + name + "_key", "service/" + name + "_web"}
	if got := s.ReleaseObjects(t, name); !slices.Equal(got, want) {
		t.Errorf("objects %v, want %v", got, want)
	}
	s.UpdateService(t, name+"_web", func(spec *swarm.ServiceSpec) { spec.Labels["moved"] = "yes" })
	if got := s.Service(t, name+"_web").Spec.Labels["moved"]; got != "yes" {
		t.Errorf("label moved = %q after an update", got)
	}
	port := s.Tasks(t, name+"_web")[0].Status.PortStatus.Ports[0].PublishedPort
	res, err := http.Get("http://" + s.Address(t, 1) + ":" + strconv.Itoa(int(port)) + "/env/COLOUR")
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("the service answered %s, %v", res.Status, err)
	}
	s.Sweep(t, name)
	if got := s.ReleaseObjects(t, name); len(got) != 0 {
		t.Errorf("after Sweep there are %v", got)
	}
}

func TestProxyBeforeARealEngine(t *testing.T) {
	s := Start(t)
	proxy := s.NewProxy(t)
	out, err := exec.Command("docker", "-H", proxy.Host(), "service", "ls").CombinedOutput()
	if err != nil {
		t.Fatalf("docker service ls: %v\n%s", err, out)
	}
	if proxy.Count(http.MethodGet, "/services") != 1 || len(proxy.Writes()) != 0 {
		t.Errorf("docker service ls made the calls %v", proxy.Calls(nil))
	}
}

func TestLostNodesComeBack(t *testing.T) {
	s := StartNodes(t, 3, "--heartbeat", "1s", "--workers")
	state := func(n int) string {
		return s.Docker(t, "node", "inspect", "n"+strconv.Itoa(n), "--format", "{{.Status.State}}")
	}
	is := func(n int, want string) func() bool { return func() bool { return state(n) == want } }
	s.Cut(t, 3)
	Wait(t, 30*time.Second, "a node whose link is cut is down", is(3, "down"))
	s.Heal(t, 3)
	Wait(t, 30*time.Second, "a node whose link is healed is ready", is(3, "ready"))
	s.Kill(t, 2)
	Wait(t, 30*time.Second, "a killed node is down", is(2, "down"))
	s.Restart(t, 2)
	Wait(t, 30*time.Second, "a restarted node is ready", is(2, "ready"))
}

// The end of the process that started a swarm ends the swarm, so that a killed test binary leaves nothing.
func TestSwarmEndsWithItsOwner(t *testing.T) {
	require(t)
	owner := exec.Command("sleep", "infinity")
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "keel")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := script("start", dir, "--while", strconv.Itoa(owner.Process.Pid)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = script("stop", dir) })
	_ = owner.Process.Kill()
	_ = owner.Wait()
	Wait(t, 30*time.Second, "a swarm whose owner was killed is gone", func() bool {
		_, err := os.Stat(filepath.Join(dir, "n1"))
		return os.IsNotExist(err)
	})
}
