package swarm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/docker/client"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// The few answers that only their text tells apart: swarmkit gives them no code
// of their own, and the engine passes them on as HTTP 500. Checked in Docker
// 20.10, 26.1 and current moby. No other text is looked at in this package.
const (
	// sayOutOfSequence: the version of the write is not the current one.
	sayOutOfSequence = "update out of sequence"
	// sayNoLeader and sayLostLeader: no manager is the leader just now.
	sayNoLeader   = "does not have a leader"
	sayLostLeader = "lost leader status"
	// sayDeadline: the manager waited in vain for a quorum or for the leader.
	sayDeadline = "context deadline exceeded"
)

// classify turns an error of the client into one of the closed set of reasons.
// ctx is the caller's, without the bound of the single call.
func (b *Backend) classify(ctx context.Context, a attempt, err error) *reconcile.Error {
	var done *reconcile.Error
	if errors.As(err, &done) {
		return done
	}
	if ctx.Err() != nil {
		return interrupted(ctx, a)
	}
	e := &reconcile.Error{Op: a.op, Ref: a.ref, Err: err}
	var old *versionError
	switch {
	case errors.As(err, &old):
		e.Reason = reconcile.ReasonInvalid
		e.Detail = "The engine is " + b.endpoint.String() + "."
	case errors.Is(err, context.DeadlineExceeded):
		// A manager that lost its quorum was seen to hold an answer back for minutes.
		e.Reason = reconcile.ReasonUnreachable
		e.Err = &connectionError{fmt.Errorf("no answer within %s: %w", callTimeout, err)}
		e.Detail = "Tried " + b.endpoint.String() + ". Either the engine is not reached, or its swarm has no quorum. " + b.endpoint.advice()
	case client.IsErrConnectionFailed(err), isTransport(err):
		e.Reason = reconcile.ReasonUnreachable
		e.Err = &connectionError{b.networkWords(ctx, err)}
		e.Detail = "Tried " + b.endpoint.String() + ". " + b.endpoint.advice()
	case errdefs.IsNotFound(err):
		e.Reason = reconcile.ReasonNotFound
	case errdefs.IsConflict(err):
		e.Reason = reconcile.ReasonExists
		if a.verb == reconcile.Delete {
			e.Reason = reconcile.ReasonInUse
		}
	case errdefs.IsUnauthorized(err), errdefs.IsPermissionDenied(err):
		e.Reason = reconcile.ReasonForbidden
		e.Detail = "The engine " + b.endpoint.String() + ", or an authorization plugin or proxy in front of it, does not allow this."
	case errdefs.IsInvalidArgument(err), errdefs.IsFailedPrecondition(err), errdefs.IsNotImplemented(err):
		e.Reason = reconcile.ReasonInvalid
		// What exists and may not be deleted is in use: the engine answers 400 and
		// has no other complaint about a delete by id.
		if a.verb == reconcile.Delete {
			e.Reason = reconcile.ReasonInUse
		}
	case errdefs.IsUnavailable(err):
		e.Reason, e.Detail = b.unavailable(ctx)
	case errdefs.IsInternal(err):
		e.Reason, e.Detail = internalReason(err.Error())
	default:
		e.Reason = reconcile.ReasonUnknown
	}
	return e
}

func internalReason(says string) (reconcile.Reason, string) {
	switch {
	case strings.Contains(says, sayOutOfSequence):
		return reconcile.ReasonConflict, "Somebody else changed it after it was read."
	case strings.Contains(says, sayNoLeader), strings.Contains(says, sayLostLeader), strings.Contains(says, sayDeadline):
		return reconcile.ReasonUnreachable, noQuorum
	}
	return reconcile.ReasonUnknown, ""
}

const noQuorum = "The engine itself is up, but its swarm has no leader or no quorum now, so nothing is known. " +
	"See `docker node ls` on another manager."

// unavailable tells the two meanings of 503 apart by asking the engine about
// itself: it is no manager at all, or it is one that cannot answer now.
func (b *Backend) unavailable(ctx context.Context) (reconcile.Reason, string) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	info, err := b.cli.Info(ctx)
	if err != nil {
		return reconcile.ReasonUnreachable, noQuorum
	}
	where := b.endpoint.String()
	switch self := info.Swarm; {
	case self.LocalNodeState == swarm.LocalNodeStateInactive:
		return reconcile.ReasonNotManager, "The engine " + where + " is not part of a swarm. " +
			"Run `docker swarm init` on it, or name a manager of a swarm."
	case self.LocalNodeState == swarm.LocalNodeStateActive && !self.ControlAvailable:
		return reconcile.ReasonNotManager, "The engine " + where + " is a worker" + managers(self.RemoteManagers) + ". Name a manager."
	case self.LocalNodeState == swarm.LocalNodeStateLocked:
		return reconcile.ReasonUnreachable, "The swarm's data on " + where + " is locked. Run `docker swarm unlock` there."
	case self.Error != "":
		return reconcile.ReasonUnreachable, "The engine " + where + " says of its part in the swarm: " + self.Error
	}
	return reconcile.ReasonUnreachable, noQuorum
}

func managers(peers []swarm.Peer) string {
	if len(peers) == 0 {
		return ""
	}
	addrs := make([]string, len(peers))
	for i, p := range peers {
		addrs[i] = p.Addr
	}
	return "; it knows managers at " + strings.Join(addrs, ", ")
}

// interrupted is the error of a caller whose context ended.
func interrupted(ctx context.Context, a attempt) *reconcile.Error {
	e := &reconcile.Error{Reason: reconcile.ReasonInterrupted, Op: a.op, Ref: a.ref, Err: context.Cause(ctx)}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Reason = reconcile.ReasonTimeout
	}
	return e
}

// isTransport reports whether a request ended without a whole answer.
func isTransport(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// invalid is the error of a step that cannot be asked for as it stands. Nothing
// was written.
func invalid(a attempt, format string, args ...any) *reconcile.Error {
	return &reconcile.Error{Reason: reconcile.ReasonInvalid, Op: a.op, Ref: a.ref, Err: fmt.Errorf(format, args...)}
}

// describe names an object of the engine: "service shop_web".
func describe(o object.Object) string { return string(o.Kind) + " " + o.Name }
