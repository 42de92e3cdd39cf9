package reconcile

import (
	"fmt"
	"sort"
	"time"
)

const (
	// pendingPatience is how long a task may find no node, with a reason given,
	// before that counts as evidence. Nodes come and go, and so do ports.
	pendingPatience = 15 * time.Second
	// sameFailures is how often a task must fail in the same way before that
	// counts as evidence: services that crash until their database is up are
	// normal.
	sameFailures = 3
	// rejections is the same for tasks that a node refuses to run at all.
	rejections = 2
)

// watch follows one service from the moment it was written until it has
// converged or will not.
type watch struct {
	service string
	key     string
	// rewritten is set when this apply gave the service a new task template, so
	// that every up-to-date task is a consequence of this apply.
	rewritten bool
	// takenBack is set when Swarm itself rolled back what this apply wrote.
	takenBack bool
	// required services must converge; others are looked at for the sake of
	// services that depend on them.
	required bool

	// before holds the tasks that had already failed when the watch began.
	before map[string]bool
	// held is since when every slot runs; zero while one does not.
	held time.Time
	// pending is since when a task waits for a node.
	pending   map[string]time.Time
	converged bool
	last      Rollout
}

// verdict is what one look at a service says.
type verdict struct {
	// converged, or failed for this reason, or neither: it may still come.
	converged bool
	failed    string
	// tasks are the evidence.
	tasks []Task
}

// look takes in the newest state of a service. Whether repeated failures count
// is settled by the caller, who sees the other services: see repeated.
func (w *watch) look(r Rollout, now time.Time) verdict {
	w.last = r
	if w.before == nil {
		w.before = map[string]bool{}
		for _, t := range r.Tasks {
			if !w.rewritten && r.ended(t) {
				w.before[t.ID] = true
			}
		}
	}
	if v := w.evidence(r, now); v.failed != "" {
		w.converged, w.held = false, time.Time{}
		return v
	}
	if w.fulfilled() < r.Want || r.updating() {
		w.converged, w.held = false, time.Time{}
		return verdict{}
	}
	if w.held.IsZero() {
		w.held = now
	}
	w.converged = r.Job || r.Want == 0 || now.Sub(w.held) >= r.Window
	return verdict{converged: w.converged}
}

// fulfilled counts the slots that are as they should be. A task that ended well
// and is not to be replaced is: this is how one-shot services look.
func (w *watch) fulfilled() int {
	if w.last.Job || w.last.Restart == "any" || w.last.Restart == "" {
		return w.last.Have
	}
	slots := map[string]bool{}
	for _, t := range w.last.Tasks {
		if t.State == "complete" {
			slots[t.Name] = true
		}
	}
	return w.last.Have + len(slots)
}

// evidence looks for signs that the service will not converge by itself.
func (w *watch) evidence(r Rollout, now time.Time) verdict {
	if r.Gone {
		return verdict{failed: "the service was removed while this apply ran"}
	}
	failed := w.failures()
	switch r.Update.State {
	case "rollback_started", "rollback_paused", "rollback_completed":
		if w.rewritten {
			return verdict{failed: fmt.Sprintf("Swarm rolled it back (%s: %s)", r.Update.State, r.Update.Message), tasks: r.Reverted}
		}
		if w.takenBack && r.Update.State == "rollback_paused" {
			return verdict{failed: "Swarm's own roll-back failed and is paused: " + r.Update.Message, tasks: failed}
		}
	case "paused":
		if w.fulfilled() < r.Want {
			return verdict{failed: "Swarm paused the update: " + r.Update.Message, tasks: failed}
		}
	}
	var rejected []Task
	perSlot := map[string]int{}
	for _, t := range failed {
		perSlot[t.Name]++
		if t.State == "rejected" {
			rejected = append(rejected, t)
		}
	}
	if len(rejected) >= rejections {
		return verdict{failed: fmt.Sprintf("rejected %s", times(len(rejected))), tasks: rejected}
	}
	if len(failed) > 0 && r.Restart == "none" {
		return verdict{failed: "it failed and is not restarted (restart condition none)", tasks: failed}
	}
	if r.MaxAttempts > 0 && !r.active() {
		for _, t := range failed {
			if perSlot[t.Name] > r.MaxAttempts {
				return verdict{failed: fmt.Sprintf("all %d restarts are used up", r.MaxAttempts), tasks: failed}
			}
		}
	}
	return w.homeless(r, now)
}

// homeless finds tasks that no node takes. A task that waits for its predecessor
// to leave has the desired state ready, and is none.
func (w *watch) homeless(r Rollout, now time.Time) verdict {
	waiting := map[string]time.Time{}
	var stuck []Task
	for _, t := range r.Tasks {
		if t.State != "pending" || t.Desired != "running" || t.Err == "" {
			continue
		}
		since, ok := w.pending[t.ID]
		if !ok {
			since = now
		}
		waiting[t.ID] = since
		if now.Sub(since) >= pendingPatience {
			stuck = append(stuck, t)
		}
	}
	w.pending = waiting
	if len(stuck) == 0 {
		return verdict{}
	}
	return verdict{failed: "no node takes the task for " + pendingPatience.String(), tasks: stuck}
}

// failures are the failed tasks that count, newest first.
func (w *watch) failures() []Task {
	var out []Task
	for _, t := range w.last.Tasks {
		if w.last.ended(t) && !w.before[t.ID] {
			out = append(out, t)
		}
	}
	return out
}

// repeated reports tasks that failed in the same way often enough to be called
// a failure of the service itself.
func (w *watch) repeated() verdict {
	groups := map[string][]Task{}
	for _, t := range w.failures() {
		groups[t.cause()] = append(groups[t.cause()], t)
	}
	causes := make([]string, 0, len(groups))
	for cause := range groups {
		causes = append(causes, cause)
	}
	sort.Slice(causes, func(i, j int) bool {
		if a, b := len(groups[causes[i]]), len(groups[causes[j]]); a != b {
			return a > b
		}
		return causes[i] < causes[j]
	})
	if len(causes) == 0 || len(groups[causes[0]]) < sameFailures {
		return verdict{}
	}
	tasks := groups[causes[0]]
	if tasks[0].State == "complete" {
		return verdict{failed: fmt.Sprintf("ended %s with exit code 0 and was to run on", times(len(tasks))), tasks: tasks}
	}
	return verdict{failed: fmt.Sprintf("failed %s in the same way", times(len(tasks))), tasks: tasks}
}

// settled reports whether the service is no reason to excuse the failures of
// another: it runs, or it fails by itself.
func (w *watch) settled() bool {
	return w.fulfilled() >= w.last.Want || len(w.failures()) > 0
}

// reached reports whether the service satisfies a dependency's condition.
func (w *watch) reached(condition string) bool {
	switch condition {
	case "service_started":
		slots := map[string]bool{}
		for _, t := range w.last.Tasks {
			switch t.State {
			case "starting", "running", "complete":
				slots[t.Name] = true
			}
		}
		return len(slots) >= w.last.Want || w.fulfilled() >= w.last.Want
	default: // healthy: Running means healthy; completed: Have counts completions
		return w.fulfilled() >= w.last.Want && !w.last.updating()
	}
}

// updating reports whether Swarm is still replacing tasks, in either direction.
func (r Rollout) updating() bool {
	return r.Update.State == "updating" || r.Update.State == "rollback_started"
}

// rolledBack reports whether Swarm rolled the last update back, or is at it.
func (r Rollout) rolledBack() bool {
	switch r.Update.State {
	case "rollback_started", "rollback_paused", "rollback_completed":
		return true
	}
	return false
}

// active reports whether a task is on its way or runs.
func (r Rollout) active() bool {
	for _, t := range r.Tasks {
		switch t.State {
		case "new", "allocated", "pending", "assigned", "accepted", "preparing", "ready", "starting", "running":
			if t.Desired != "shutdown" && t.Desired != "remove" {
				return true
			}
		}
	}
	return false
}

// ended reports whether a task of the service ended that was to run on. A task
// that completed is one when it is to be replaced for ever: a program that
// finishes, or a container that the engine stopped for its healthcheck and that
// answered with 0. The engine's own stopping is the state shutdown.
func (r Rollout) ended(t Task) bool {
	switch t.State {
	case "failed", "rejected":
		return true
	case "complete":
		return !r.Job && (r.Restart == "any" || r.Restart == "")
	}
	return false
}

// cause groups failures: the exit code where a container ended, else the
// engine's words.
func (t Task) cause() string {
	if t.ExitCode != nil {
		return fmt.Sprintf("exit code %d", *t.ExitCode)
	}
	return t.Err
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
