package reconcile

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// Reason classifies an error. It is a closed set: code decides on it, and never
// on the text of a message.
type Reason string

// The reasons.
const (
	// ReasonNotFound: the engine says with certainty that the object is absent.
	ReasonNotFound Reason = "NotFound"
	// ReasonConflict: the object changed since it was observed.
	ReasonConflict Reason = "Conflict"
	// ReasonExists: an object of this name exists already.
	ReasonExists Reason = "AlreadyExists"
	// ReasonInUse: something still refers to the object.
	ReasonInUse Reason = "InUse"
	// ReasonInvalid: the engine refuses the request as it stands.
	ReasonInvalid Reason = "Invalid"
	// ReasonForbidden: credentials are missing or not sufficient.
	ReasonForbidden Reason = "Forbidden"
	// ReasonCredential: a registry refuses the credential that was sent to it.
	ReasonCredential Reason = "CredentialRefused"
	// ReasonUnreachable: no answer, or one that says that the engine cannot
	// answer now (no quorum, no leader). Nothing is known.
	ReasonUnreachable Reason = "Unreachable"
	// ReasonNotManager: the engine answers, and is no manager of a swarm.
	ReasonNotManager Reason = "NotManager"
	// ReasonOtherSwarm: the engine belongs to another swarm than the state.
	ReasonOtherSwarm Reason = "OtherSwarm"
	// ReasonOtherOwner: the release belongs to another owner than this one.
	ReasonOtherOwner Reason = "OtherOwner"
	// ReasonRefused: the objects exist and are not ours to take.
	ReasonRefused Reason = "Refused"
	// ReasonProtected: the release is not to be removed.
	ReasonProtected Reason = "Protected"
	// ReasonNotConverged: written, and evidence says that it will not run.
	ReasonNotConverged Reason = "NotConverged"
	// ReasonLeaseLost: another writer has taken over, or may have.
	ReasonLeaseLost Reason = "LeaseLost"
	// ReasonTimeout: the operation's time is used up.
	ReasonTimeout Reason = "Timeout"
	// ReasonInterrupted: the user cancelled.
	ReasonInterrupted Reason = "Interrupted"
	// ReasonUnknown: an error of the engine that fits none of the above.
	ReasonUnknown Reason = "Unknown"
)

// Error is every error that leaves this package and a Backend.
type Error struct {
	Reason Reason
	// Op is what was tried: "update service shop_web".
	Op string
	// Ref is the object it was about, if it was about one.
	Ref object.Ref
	// Detail says what is known and what to do next, in full sentences.
	Detail string
	// Err is the cause, with the engine's own words.
	Err error
}

func (e *Error) Error() string {
	switch {
	case e.Err != nil && e.Detail != "":
		return fmt.Sprintf("%s: %v. %s", e.Op, e.Err, e.Detail)
	case e.Err != nil:
		return fmt.Sprintf("%s: %v", e.Op, e.Err)
	case e.Detail != "":
		return fmt.Sprintf("%s: %s", e.Op, e.Detail)
	}
	return fmt.Sprintf("%s: %s", e.Op, e.Reason)
}

func (e *Error) Unwrap() error { return e.Err }

// ReasonOf returns the reason of the outermost *Error in err, ReasonUnknown for
// any other error and "" for nil.
func ReasonOf(err error) Reason {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ReasonUnknown
}

// ended turns the error of an operation whose context has ended into one that
// says so, and keeps what is known about the reason.
func ended(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	switch cause := ctx.Err(); {
	case errors.Is(cause, context.Canceled):
		return &Error{
			Reason: ReasonInterrupted, Op: op, Err: err,
			Detail: "Interrupted. What was written stays; the next apply goes on from there.",
		}
	case errors.Is(cause, context.DeadlineExceeded):
		if ReasonOf(err) == ReasonTimeout {
			return err
		}
		return &Error{
			Reason: ReasonTimeout, Op: op, Err: err,
			Detail: "The time for this operation (timeouts) is used up. What was written stays; the next apply goes on from there.",
		}
	}
	return err
}
