package reconcile

import (
	"strings"
	"testing"
	"time"
)

func code(n int) *int { return &n }

// poll is one look at a service.
type poll struct {
	after time.Duration // since the look before
	roll  Rollout
}

func running(n, want int) Rollout {
	r := Rollout{Service: "s", Want: want, Have: n, Restart: "any", Window: 5 * time.Second}
	for i := range n {
		r.Tasks = append(r.Tasks, Task{ID: "run" + string(rune('a'+i)), Name: "s." + string(rune('1'+i)), State: "running", Desired: "running"})
	}
	return r
}

func (r Rollout) with(change func(*Rollout)) Rollout {
	change(&r)
	return r
}

func failing(n int, exit int) Rollout {
	r := Rollout{Service: "s", Want: 1, Restart: "any", Window: 5 * time.Second}
	for i := range n {
		r.Tasks = append(r.Tasks, Task{ID: "fail" + string(rune('a'+i)), Name: "s.1", State: "failed", Desired: "shutdown", ExitCode: code(exit), Err: "task: non-zero exit"})
	}
	return r
}

func TestVerdictOnOneService(t *testing.T) {
	pending := Rollout{Service: "s", Want: 1, Restart: "any", Tasks: []Task{{ID: "p", Name: "s.1", State: "pending", Desired: "running", Err: "no suitable node"}}}
	cases := []struct {
		name      string
		rewritten bool
		polls     []poll
		converged bool
		failed    string // part of the reason
	}{
		{"all slots run and the window has passed", true, []poll{{0, running(2, 2)}, {5 * time.Second, running(2, 2)}}, true, ""},
		{"all slots run and the window has not passed", true, []poll{{0, running(2, 2)}, {4 * time.Second, running(2, 2)}}, false, ""},
		{"a slot that stops inside the window starts it anew", true, []poll{
			{0, running(2, 2)}, {3 * time.Second, running(1, 2)}, {time.Second, running(2, 2)}, {4 * time.Second, running(2, 2)},
		}, false, ""},
		{"slots run and the engine still updates", true, []poll{
			{0, running(2, 2)}, {9 * time.Second, running(2, 2).with(func(r *Rollout) { r.Update.State = "updating" })},
		}, false, ""},
		{"no slot wanted", true, []poll{{0, running(0, 0)}}, true, ""},
		{"a job needs no window", true, []poll{{0, running(1, 1).with(func(r *Rollout) { r.Job = true })}}, true, ""},
		{"a one-shot that ended well is as it should be, although Swarm calls the update paused", true, []poll{
			{0, Rollout{Service: "s", Want: 1, Restart: "none", Update: UpdateStatus{State: "paused"}, Tasks: []Task{{ID: "d", Name: "s.1", State: "complete", ExitCode: code(0)}}}},
		}, true, ""},
		{"paused while slots are missing", true, []poll{{0, running(1, 2).with(func(r *Rollout) { r.Update = UpdateStatus{"paused", "task x failed"} })}}, false, "paused the update: task x failed"},
		{"rolled back by Swarm", true, []poll{{0, running(2, 2).with(func(r *Rollout) { r.Update = UpdateStatus{"rollback_completed", "m"} })}}, false, "rolled it back"},
		{"an old roll-back of a service that was not written says nothing", false, []poll{
			{0, running(2, 2).with(func(r *Rollout) { r.Update.State = "rollback_completed" })},
			{5 * time.Second, running(2, 2).with(func(r *Rollout) { r.Update.State = "rollback_completed" })},
		}, true, ""},
		{"a roll-back of Swarm's goes on", false, []poll{
			{0, running(2, 2).with(func(r *Rollout) { r.Update.State = "rollback_started" })},
			{9 * time.Second, running(2, 2).with(func(r *Rollout) { r.Update.State = "rollback_started" })},
		}, false, ""},
		{"rejected once may be a race", true, []poll{{0, Rollout{Service: "s", Want: 1, Restart: "any", Tasks: []Task{{ID: "a", State: "rejected", Err: "No such image"}}}}}, false, ""},
		{"rejected twice", true, []poll{{0, Rollout{Service: "s", Want: 1, Restart: "any", Tasks: []Task{
			{ID: "a", State: "rejected", Err: "No such image"}, {ID: "b", State: "rejected", Err: "No such image"},
		}}}}, false, "rejected twice"},
		{"a failure that is not restarted", true, []poll{{0, failing(1, 3).with(func(r *Rollout) { r.Restart = "none" })}}, false, "not restarted"},
		{"restarts used up", true, []poll{{0, failing(3, 3).with(func(r *Rollout) { r.MaxAttempts = 2 })}}, false, "all 2 restarts are used up"},
		{"restarts left", true, []poll{{0, failing(2, 3).with(func(r *Rollout) { r.MaxAttempts = 2 })}}, false, ""},
		{"failures from before a write that changed no template do not count", false, []poll{
			{0, failing(3, 3).with(func(r *Rollout) { r.Restart = "none" })},
		}, false, ""},
		{"no node for less than the patience", true, []poll{{0, pending}, {14 * time.Second, pending}}, false, ""},
		{"no node for the patience", true, []poll{{0, pending}, {15 * time.Second, pending}}, false, "no node takes the task"},
		{"a task that waits for its predecessor waits as long as it takes", true, []poll{
			{0, pending.with(func(r *Rollout) {
				r.Tasks = []Task{{ID: "p", State: "pending", Desired: "ready", Err: "host-mode port already in use"}}
			})},
			{time.Minute, pending.with(func(r *Rollout) {
				r.Tasks = []Task{{ID: "p", State: "pending", Desired: "ready", Err: "host-mode port already in use"}}
			})},
		}, false, ""},
		{"pending without a reason is the scheduler at work", true, []poll{
			{0, pending.with(func(r *Rollout) { r.Tasks = []Task{{ID: "p", State: "pending", Desired: "running"}} })},
			{time.Minute, pending.with(func(r *Rollout) { r.Tasks = []Task{{ID: "p", State: "pending", Desired: "running"}} })},
		}, false, ""},
		{"removed by somebody", true, []poll{{0, Rollout{Service: "s", Gone: true}}}, false, "removed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := &watch{service: "s", rewritten: c.rewritten, required: true}
			now := time.Unix(0, 0)
			var v verdict
			for _, p := range c.polls {
				now = now.Add(p.after)
				v = w.look(p.roll, now)
			}
			if v.converged != c.converged {
				t.Errorf("converged = %v, want %v", v.converged, c.converged)
			}
			if c.failed == "" && v.failed != "" {
				t.Errorf("failed with %q, want no evidence", v.failed)
			}
			if !strings.Contains(v.failed, c.failed) {
				t.Errorf("failed = %q, want %q in it", v.failed, c.failed)
			}
		})
	}
}

func TestRepeatedFailuresMustBeAlike(t *testing.T) {
	cases := []struct {
		name string
		roll Rollout
		want bool
	}{
		{"two are not enough", failing(2, 1), false},
		{"three with one exit code", failing(3, 1), true},
		{"three with three exit codes", failing(3, 1).with(func(r *Rollout) {
			for i := range r.Tasks {
				r.Tasks[i].ExitCode = code(i + 1)
			}
		}), false},
		{"three with one error and no exit code", failing(3, 1).with(func(r *Rollout) {
			for i := range r.Tasks {
				r.Tasks[i].ExitCode, r.Tasks[i].Err = nil, "starting container failed"
			}
		}), true},
		{"three that ended with 0 and were to run on", failing(3, 0).with(func(r *Rollout) {
			for i := range r.Tasks {
				r.Tasks[i].State, r.Tasks[i].Err = "complete", ""
			}
		}), true},
		{"a job's completions are no failures", failing(3, 0).with(func(r *Rollout) {
			r.Job = true
			for i := range r.Tasks {
				r.Tasks[i].State, r.Tasks[i].Err = "complete", ""
			}
		}), false},
		{"tasks that the engine shut down are no failures", failing(3, 0).with(func(r *Rollout) {
			for i := range r.Tasks {
				r.Tasks[i].State, r.Tasks[i].Err = "shutdown", ""
			}
		}), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := &watch{service: "s", rewritten: true}
			w.look(c.roll, time.Unix(0, 0))
			if got := w.repeated().failed != ""; got != c.want {
				t.Errorf("evidence = %v, want %v", got, c.want)
			}
		})
	}
}

func TestDependencyConditions(t *testing.T) {
	starting := Rollout{Service: "s", Want: 1, Restart: "any", Tasks: []Task{{ID: "a", Name: "s.1", State: "starting"}}}
	cases := []struct {
		name      string
		roll      Rollout
		condition string
		want      bool
	}{
		{"started: a slot that is starting", starting, "service_started", true},
		{"healthy: a slot that is starting", starting, "service_healthy", false},
		{"healthy: every slot runs", running(2, 2), "service_healthy", true},
		{"healthy: one of two runs", running(1, 2), "service_healthy", false},
		{"completed: a job that has completed", running(1, 1).with(func(r *Rollout) { r.Job = true }), "service_completed_successfully", true},
		{"completed: a job that has not", Rollout{Service: "s", Want: 1, Job: true}, "service_completed_successfully", false},
		{"a suspended service satisfies", running(0, 0), "service_healthy", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := &watch{service: "s"}
			w.look(c.roll, time.Unix(0, 0))
			if got := w.reached(c.condition); got != c.want {
				t.Errorf("reached = %v, want %v", got, c.want)
			}
		})
	}
}
