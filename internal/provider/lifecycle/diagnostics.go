package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// subject is what a diagnostic is about.
type subject struct{ kind, name string }

func (r *Resource) subject(name string) subject { return subject{kind: r.kind.Name(), name: name} }

// String reads like "Application shop".
func (s subject) String() string {
	return strings.ToUpper(s.kind[:1]) + s.kind[1:] + " " + s.name
}

// address is how the resource is written in a Terraform command; only the user
// knows the name after the dot.
func (s subject) address() string { return "swarm_" + s.kind + ".<name>" }

// warn adds one warning with all texts: of several warnings with the same summary
// Terraform shows the first, and counts the others.
func warn(diags *diag.Diagnostics, summary string, texts []string) {
	if len(texts) > 0 {
		diags.AddWarning(summary, strings.Join(texts, "\n"))
	}
}

// Report adds the diagnostic of an error of the core to diags. kind and name tell
// which release was asked for.
func (s *Session) Report(ctx context.Context, diags *diag.Diagnostics, err error, kind, name string) {
	s.report(ctx, diags, err, subject{kind: kind, name: name})
}

func (s *Session) report(ctx context.Context, diags *diag.Diagnostics, err error, who subject) {
	var e *reconcile.Error
	if !errors.As(err, &e) {
		e = &reconcile.Error{Reason: reconcile.ReasonUnknown, Err: err}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		// Whatever the cancelled call was answered with, the cause is the user.
		interrupted := *e
		interrupted.Reason = reconcile.ReasonInterrupted
		e = &interrupted
	}
	if e.Reason == reconcile.ReasonUnreachable {
		summary, detail := s.unreachable(e, who)
		diags.AddError(summary, detail)
		return
	}
	detail := detailOf(e)
	if e.Reason == reconcile.ReasonNotManager || e.Reason == reconcile.ReasonOtherSwarm {
		detail = s.once(detail, who)
	}
	diags.AddError(summaryOf(e, who), detail)
}

// once returns a text that is true of every resource of the command the first
// time, and every other time points to the resource whose diagnostic has it.
func (s *Session) once(detail string, who subject) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	by, said := s.told[detail]
	if said && by != who.String() {
		return sameCause(who, by)
	}
	s.told[detail] = who.String()
	return detail
}

func sameCause(who subject, toldBy string) string {
	return fmt.Sprintf("%s: the same cause as for %s, see the error there.", who, toldBy)
}

// unreachable says in full what was tried and answered once in a command, and
// points to that every other time.
func (s *Session) unreachable(e *reconcile.Error, who subject) (summary, detail string) {
	const what = "The Docker engine does not answer"
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.toldBy != "" && s.toldBy != who.String() {
		return what, sameCause(who, s.toldBy)
	}
	s.toldBy = who.String()
	return what, detailOf(e)
}

func summaryOf(e *reconcile.Error, who subject) string {
	switch e.Reason {
	case reconcile.ReasonNotManager:
		return "The Docker engine is no manager of a swarm"
	case reconcile.ReasonOtherSwarm:
		return "The Docker engine belongs to another swarm"
	case reconcile.ReasonOtherOwner:
		return who.String() + " belongs to another owner"
	case reconcile.ReasonRefused:
		return who.String() + " cannot be created: its name is taken"
	case reconcile.ReasonInterrupted:
		return who.String() + ": interrupted"
	case reconcile.ReasonNotConverged, reconcile.ReasonTimeout:
		// What was tried is already a sentence about a service or a release.
		return sentence(e.Op)
	case reconcile.ReasonLeaseLost:
		return who.String() + ": another writer may be at work"
	case reconcile.ReasonNotFound:
		return who.String() + " is not there"
	case reconcile.ReasonInUse:
		return who.String() + ": something is still in use"
	case reconcile.ReasonCredential:
		return who.String() + ": the registry refuses the credential"
	case reconcile.ReasonForbidden:
		return who.String() + ": the engine does not permit it"
	case reconcile.ReasonInvalid:
		return who.String() + " cannot be applied as it stands"
	case reconcile.ReasonConflict, reconcile.ReasonExists:
		return who.String() + " was changed by somebody else at the same time"
	}
	return who.String() + ": the engine answered with an error"
}

// nextSteps say what to do where the error itself cannot know it.
var nextSteps = map[reconcile.Reason]string{
	reconcile.ReasonUnreachable: "Nothing that cannot be read now was taken for absent: the state keeps what was known.",
	reconcile.ReasonNotManager:  "Nothing was taken for absent: the state keeps what was known. Point the provider's host or context at a manager.",
	reconcile.ReasonOtherSwarm: "Nothing was read or changed. Point the provider's host or context at the swarm of the state. " +
		"If that swarm is gone for good and the release shall live in the new one, take the resource out of the state (terraform state rm) and apply again.",
	reconcile.ReasonConflict:   "Apply again: the next plan starts from what is there now.",
	reconcile.ReasonExists:     "Apply again: the next plan starts from what is there now.",
	reconcile.ReasonInUse:      "Remove what uses it, then do the same again.",
	reconcile.ReasonCredential: "No service was written. Correct user and password in the provider's registry_auth, or log in with the Docker CLI again where they come from there.",
	reconcile.ReasonForbidden:  "Check the certificate or user that the provider connects with, and authorization plugins of the engine.",
	reconcile.ReasonUnknown:    "Doing the same again is safe: it starts from what is there.",
}

// detailOf says what was tried, what was answered, and what to do next.
func detailOf(e *reconcile.Error) string {
	var parts []string
	switch e.Reason {
	case reconcile.ReasonNotConverged, reconcile.ReasonTimeout:
		// The summary says what was tried.
	default:
		if e.Op != "" {
			parts = append(parts, "Tried to "+e.Op+".")
		}
	}
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	if cause := causeOf(e.Err); cause != "" {
		parts = append(parts, cause)
	}
	if next := nextSteps[e.Reason]; next != "" {
		parts = append(parts, next)
	}
	return strings.Join(parts, "\n\n")
}

// causeOf puts the wrapped error into words. A context that ended is no cause:
// the reason says so already, and better.
func causeOf(err error) string {
	var e *reconcile.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		text := "What was under way: " + e.Op + "."
		if e.Detail != "" {
			text = "What was under way: " + e.Op + ": " + strings.TrimSuffix(e.Detail, ".") + "."
		}
		if cause := causeOf(e.Err); cause != "" {
			text += "\n" + cause
		}
		return text
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ""
	}
	return "The cause: " + err.Error()
}

func sentence(s string) string {
	if s == "" {
		return "Not done in time"
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
