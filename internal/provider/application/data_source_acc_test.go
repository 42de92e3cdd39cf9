package application_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// status is what the data source gives, as JSON.
type status struct {
	Name, ID, Kind, Owner, Instance, Revision, Status string
	SwarmID                                           string `json:"swarm_id"`
	Services                                          map[string]struct {
		Name, Mode, Image string
		Desired           string `json:"replicas_desired"`
		Running           string `json:"replicas_running"`
		UpdateState       string `json:"update_state"`
		UpdateMessage     string `json:"update_message"`
		Tasks             []taskStatus
	}
	History []struct{ Revision, Status, Created string }
}

type taskStatus struct {
	Name, Node, Image, State, Error, Since string
	ExitCode                               string `json:"exit_code"`
}

// look reads a release with the data source, in a workspace of its own: what is in no state can be read as well.
func look(t *testing.T, s *acctest.Swarm, name string) status {
	t.Helper()
	w := providertest.NewWorkspace(t, `
provider "swarm" {
  host = "`+s.Host()+`"
}

data "swarm_application" "app" {
  name = "`+name+`"
}

output "app" {
  value = data.swarm_application.app
}
`)
	w.Apply()
	return output[status](t, w, "app")
}

// TestAccDataSource reads a release that runs, and the same one after an update that fails.
func TestAccDataSource(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	config := func(command string) string {
		return application(s.Host(), name, "services:\n"+quickService("web", command, "replicas: 2")+quickService("idle", "", "replicas: 0"),
			`on_failure = "keep"`)
	}
	w := providertest.NewWorkspace(t, config(`command: [serve, -lines, "1"]`))
	w.Apply()

	now := look(t, s, name)
	web := now.Services["web"]
	for what, got := range map[string][2]string{
		"name": {now.Name, name}, "id": {now.ID, name}, "kind": {now.Kind, "application"}, "owner": {now.Owner, "terraform"},
		"revision": {now.Revision, "1"}, "status": {now.Status, "deployed"},
		"web's name": {web.Name, name + "_web"}, "web's mode": {web.Mode, "replicated"}, "web's image": {web.Image, acctest.Image("1.0")},
		"web's desired replicas": {web.Desired, "2"}, "web's running replicas": {web.Running, "2"},
		"idle's desired replicas": {now.Services["idle"].Desired, "0"}, "idle's running replicas": {now.Services["idle"].Running, "0"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s of the healthy release is %q, want %q", what, got[0], got[1])
		}
	}
	if now.SwarmID == "" || now.Instance == "" {
		t.Errorf("the swarm is %q and the instance %q, want both", now.SwarmID, now.Instance)
	}
	if len(web.Tasks) != 2 || web.Tasks[0].State != "running" || web.Tasks[0].Node != "n1" || web.Tasks[0].Name != name+"_web.1" || web.Tasks[0].Error != "" {
		t.Errorf("the tasks of the healthy release are %+v", web.Tasks)
	}
	if len(now.History) != 1 || now.History[0].Status != "deployed" || now.History[0].Created == "" {
		t.Errorf("the history is %+v, want one deployed revision", now.History)
	}

	w.Write("main.tf", config(`command: [job, -exit-code, "3", -message, "no ledger"]`))
	w.Expect(1, "apply", "-auto-approve", "-input=false")
	// Three failures alike are evidence before Swarm's own monitor has come to its verdict.
	acctest.Wait(t, 30*time.Second, "Swarm pauses the update", func() bool {
		status := s.Service(t, name+"_web").UpdateStatus
		return status != nil && status.State == swarm.UpdateStatePaused
	})
	now = look(t, s, name)
	web = now.Services["web"]
	if now.Status != "failed" || now.Revision != "2" {
		t.Errorf("after a failed update the release is %s at revision %s, want failed at 2", now.Status, now.Revision)
	}
	if web.UpdateState != "paused" || web.UpdateMessage == "" {
		t.Errorf("after a failed update the update is %q (%q), want paused", web.UpdateState, web.UpdateMessage)
	}
	if web.Desired != "2" || web.Running != "0" && web.Running != "1" {
		t.Errorf("after a failed update %s of %s replicas run, want fewer than 2 of 2", web.Running, web.Desired)
	}
	failed := slices.IndexFunc(web.Tasks, func(task taskStatus) bool {
		return task.State == "failed"
	})
	if failed < 0 || web.Tasks[failed].ExitCode != "3" || web.Tasks[failed].Error != "task: non-zero exit (3)" || web.Tasks[failed].Node != "n1" || web.Tasks[failed].Since == "" {
		t.Errorf("no failed task with its error and exit code in %+v", web.Tasks)
	}
	if len(now.History) != 2 || now.History[0].Status != "failed" || now.History[0].Revision != "2" || now.History[1].Status != "deployed" {
		t.Errorf("the history is %+v, want revision 2 failed before revision 1 deployed", now.History)
	}
}

// output reads one output of a workspace.
func output[T any](t *testing.T, w *providertest.Workspace, name string) T {
	t.Helper()
	cmd := w.Command("output", "-json", name)
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("terraform output %s: %v", name, err)
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("output %s is %s: %v", name, text, err)
	}
	return value
}
