package git

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// Reason says what went wrong, for programs.
type Reason string

// The reasons of an Error.
const (
	// Invalid: the URL cannot be used as it stands.
	Invalid Reason = "invalid"
	// Unreachable: the host did not answer, or not in time.
	Unreachable Reason = "unreachable"
	// Untrusted: the host could not prove that it is the one of the URL.
	Untrusted Reason = "untrusted"
	// Unauthorized: the host wants a credential, or another one.
	Unauthorized Reason = "unauthorized"
	// NoRepository: the host has no such repository, or does not show it.
	NoRepository Reason = "no repository"
	// NotFound: the repository has no such reference or commit.
	NotFound Reason = "not found"
	// NoFolder: the commit has no such folder.
	NoFolder Reason = "no folder"
	// Ambiguous: a short SHA stands for several commits.
	Ambiguous Reason = "ambiguous"
	// TooLarge: the repository exceeds a limit.
	TooLarge Reason = "too large"
	// Refused: the server does not do what it was asked for.
	Refused Reason = "refused"
	// Broken: what the server sent, or what is on disk, makes no sense.
	Broken Reason = "broken"
	// Local: the machine that this runs on is at fault.
	Local Reason = "local"
	// Interrupted: the caller gave up.
	Interrupted Reason = "interrupted"
)

// Error is a repository that could not be read.
type Error struct {
	Reason Reason
	// URL is the repository, without a password.
	URL string
	// Host is who was asked, with the port if the URL has one; empty for a local
	// repository.
	Host string
	// Op is what was tried ("resolve", "read").
	Op string
	// Ref is the reference or commit that was asked for; empty for the remote's
	// HEAD.
	Ref string
	// Detail says what was found instead, Next what to do about it.
	Detail, Next string
	// Err is the cause in somebody else's words.
	Err error
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Error is everything on one line.
func (e *Error) Error() string {
	return strings.Join(strings.Fields(e.Summary()+": "+e.Explanation()), " ")
}

// Summary is one short sentence without a full stop.
func (e *Error) Summary() string {
	switch e.Reason {
	case Invalid:
		return "The URL of the git repository cannot be used"
	case Unreachable:
		return "The git host " + e.Host + " does not answer"
	case Untrusted:
		return "The git host " + e.Host + " cannot be trusted"
	case Unauthorized:
		return "The git host " + e.Host + " refuses access"
	case NoRepository:
		return "There is no such git repository"
	case NotFound, Ambiguous:
		return "The git repository has no " + e.what()
	case NoFolder:
		return "The commit has no such folder"
	case TooLarge:
		return "The git repository is too large"
	case Interrupted:
		return "Reading the git repository was interrupted"
	}
	return "The git repository cannot be read"
}

func (e *Error) what() string {
	if e.Ref == "" {
		return "HEAD"
	}
	return e.Ref
}

// Explanation says what was tried, what was answered and what to do next.
func (e *Error) Explanation() string {
	parts := []string{"Tried to " + e.Op + " " + e.what() + " of " + e.URL + "."}
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	if e.Err != nil && !errors.Is(e.Err, context.Canceled) && !errors.Is(e.Err, context.DeadlineExceeded) {
		parts = append(parts, "The cause: "+e.Err.Error())
	}
	if e.Next != "" {
		parts = append(parts, e.Next)
	}
	return strings.Join(parts, "\n\n")
}

// explain completes an error, and classifies one that is not of ours. It is the
// one place that knows the errors of go-git and of the network.
func explain(err error, at location, op, ref string) error {
	var e *Error
	if errors.As(err, &e) {
		copied := *e
		e = &copied
	} else {
		e = classify(err)
	}
	e.URL, e.Host, e.Op, e.Ref = at.String(), at.hostPort(), op, ref
	return e
}

func classify(err error) *Error {
	var wrapped *plumbing.UnexpectedError // which does not unwrap
	if errors.As(err, &wrapped) {
		return classify(wrapped.Err)
	}
	var (
		status      *githttp.Err
		certificate *tls.CertificateVerificationError
		network     net.Error
		request     *url.Error
	)
	switch {
	case errors.Is(err, context.Canceled):
		return &Error{Reason: Interrupted, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Reason: Unreachable, Detail: "It took longer than " + fetchTime.String() + ".", Next: "Check the host and the way to it.", Err: err}
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return &Error{Reason: Unauthorized, Err: brief(err), Next: "Check the entry of the provider's git_auth for this host: its user name and password or token, and that they may read the repository. " +
			"Several hosts answer the same for a repository that does not exist. A credential is never sent on to another host that the server redirects to: use the URL of that host instead."}
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return &Error{Reason: NoRepository, Err: brief(err), Next: "Check the path of the URL. Several hosts answer the same when the credential is missing or may not read the repository: see the provider's git_auth."}
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return &Error{Reason: NotFound, Detail: "The repository has no commit yet."}
	case errors.As(err, &certificate):
		return &Error{Reason: Untrusted, Err: certificate, Next: "Where the host's certificate is from an authority of your own, give that as ca_cert in the provider's git_auth. Certificates are always verified."}
	case errors.As(err, &status):
		return &Error{Reason: Refused, Detail: "The server answered " + status.Response.Status + ".", Err: brief(errors.New(status.Reason))}
	case errors.As(err, &request):
		return &Error{Reason: Unreachable, Err: request.Err, Next: "Check the host and port of the URL, and the way to it. HTTPS_PROXY and NO_PROXY are honoured."}
	case errors.As(err, &network):
		return &Error{Reason: Unreachable, Err: err, Next: "Check the host and port of the URL, and the way to it."}
	}
	return &Error{Reason: Broken, Err: brief(err)}
}

// brief shortens what a server may have written at length, in HTML at worst.
func brief(err error) error {
	const enough = 300
	text := strings.Join(strings.Fields(strings.ToValidUTF8(err.Error(), "?")), " ")
	if text == "" {
		return nil
	}
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "") + "…"
	}
	return errors.New(text)
}
