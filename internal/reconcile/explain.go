package reconcile

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

const (
	// logLines is how much of a failed task's output an error quotes.
	logLines = 20
	// quoted is how many tasks of one service an error describes.
	quoted = 3
)

// explain turns the evidence into the error that somebody reads at night.
func (r *rollout) explain(ctx context.Context, failed map[*watch]verdict) error {
	watches := make([]*watch, 0, len(failed))
	for w := range failed {
		watches = append(watches, w)
	}
	sort.Slice(watches, func(i, j int) bool { return watches[i].service < watches[j].service })
	var b strings.Builder
	for i, w := range watches {
		v := failed[w]
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "%s: %s. %d of %d tasks of the new version run.", w.service, v.failed, w.fulfilled(), w.last.Want)
		if w.last.Update.State == "" || !strings.Contains(v.failed, w.last.Update.State) {
			if w.last.Update.State != "" {
				fmt.Fprintf(&b, " Update state: %s (%s).", w.last.Update.State, w.last.Update.Message)
			}
		}
		tasks := v.tasks
		if len(tasks) == 0 && !w.last.rolledBack() { // else those that are current are of the version before
			tasks = w.failures()
		}
		for _, t := range distinct(tasks) {
			b.WriteString("\n" + r.describe(ctx, t))
		}
		if hint := r.hint(w, tasks); hint != "" {
			b.WriteString("\n  " + hint)
		}
	}
	return &Error{
		Reason: ReasonNotConverged,
		Op:     summary(watches),
		Ref:    object.Ref{Kind: object.KindService, Key: watches[0].key},
		Detail: b.String(),
	}
}

func summary(watches []*watch) string {
	if len(watches) == 1 {
		return "Service " + watches[0].service + " did not converge"
	}
	services := make([]string, len(watches))
	for i, w := range watches {
		services[i] = w.service
	}
	return "Services " + strings.Join(services, ", ") + " did not converge"
}

// distinct keeps the newest task of every cause, at most a few of them.
func distinct(tasks []Task) []Task {
	seen := map[string]bool{}
	var out []Task
	for _, t := range tasks {
		if key := t.cause() + t.Message; !seen[key] && len(out) < quoted {
			seen[key] = true
			out = append(out, t)
		}
	}
	return out
}

func (r *rollout) describe(ctx context.Context, t Task) string {
	var b strings.Builder
	where := ""
	if t.Node != "" {
		where = " on " + t.Node
	}
	fmt.Fprintf(&b, "\n  %s%s: %s", t.Name, where, t.State)
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n    %-7s %s", label, text)
		}
	}
	line("task", t.ID)
	line("image", t.Image)
	engine := t.Err
	if engine == "" {
		engine = t.Message
	}
	line("engine", engine)
	if t.ExitCode != nil {
		line("exit", fmt.Sprint(*t.ExitCode))
	}
	if t.Node == "" || t.State == "rejected" {
		return b.String() // no container was ever made
	}
	reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.core.closing)
	defer cancel()
	lines, err := r.core.backend.Logs(reading, t.ID, logLines)
	if err != nil {
		line("log", fmt.Sprintf("(not readable: %v)", err))
		return b.String()
	}
	label := "log"
	for _, l := range lines {
		fmt.Fprintf(&b, "\n    %-7s %s", label, l)
		label = ""
	}
	return b.String()
}

// unfinished is the error of a wait that was ended from outside.
func (r *rollout) unfinished(cause error) error {
	account := r.account()
	if !errors.Is(cause, context.DeadlineExceeded) {
		return &Error{Reason: ReasonInterrupted, Op: "wait for " + r.plan.Release.Release, Detail: account, Err: cause}
	}
	return &Error{
		Reason: ReasonTimeout,
		Op:     fmt.Sprintf("Release %s did not converge in time", r.plan.Release.Release),
		Detail: fmt.Sprintf("After %s: %s. Raise timeouts if it only needs longer.", r.core.now().Sub(r.started).Round(time.Second), account),
	}
}
