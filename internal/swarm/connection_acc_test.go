package swarm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Engines that are no managers, or away, are told apart from absence.
func TestAccEngineThatIsNoManager(t *testing.T) {
	acctest.Start(t)
	worker := acctest.StartNodes(t, 2, "--workers")
	b := connect(t, worker.NodeHost(2))
	_, err := b.Observe(t.Context(), reconcile.Scope{})
	wantReason(t, err, reconcile.ReasonNotManager)
	if err == nil || !strings.Contains(err.Error(), worker.Address(t, 1)) {
		t.Errorf("the error does not say where a manager is: %v", err)
	}
	_, err = b.Do(t.Context(), secretStep(reconcile.Create))
	wantReason(t, err, reconcile.ReasonNotManager)

	if err := worker.NodeClient(t, 2).SwarmLeave(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	_, err = b.Observe(t.Context(), reconcile.Scope{})
	wantReason(t, err, reconcile.ReasonNotManager)
	if err == nil || !strings.Contains(err.Error(), "docker swarm init") {
		t.Errorf("the error does not say what to do: %v", err)
	}

	b = connect(t, worker.NodeHost(1))
	if _, err := b.Observe(t.Context(), reconcile.Scope{}); err != nil {
		t.Fatal(err)
	}
	worker.Kill(t, 1)
	_, err = b.Observe(t.Context(), reconcile.Scope{Fresh: true})
	wantReason(t, err, reconcile.ReasonUnreachable)
}

// The engine is reached through ssh as the Docker CLI does it. The test's ssh
// goes nowhere: it runs the remote command here.
func TestAccOverSSH(t *testing.T) {
	engine := acctest.Start(t)
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >" + bin + "/args\nexec docker -H " + engine.Host() + " system dial-stdio\n"
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	b := connect(t, "ssh://deploy@manager.example")
	state, err := b.Observe(t.Context(), reconcile.Scope{})
	if err != nil || state.SwarmID == "" || len(state.Nodes) == 0 {
		t.Fatalf("%+v, %v", state, err)
	}
	args, err := os.ReadFile(filepath.Join(bin, "args"))
	if err != nil || !strings.Contains(string(args), "-l deploy") || !strings.Contains(string(args), "manager.example docker system dial-stdio") {
		t.Errorf("ssh was called with %q, %v", args, err)
	}

	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte("#!/bin/sh\nread -r request\necho 'Permission denied (publickey).' >&2\nexit 255\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = connect(t, "ssh://deploy@manager.example").Observe(t.Context(), reconcile.Scope{})
	wantReason(t, err, reconcile.ReasonUnreachable)
	for _, want := range []string{"Permission denied (publickey)", "ssh deploy@manager.example docker version"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}
