package lifecycle

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Session is what all resources and data sources of one Terraform command share:
// one core, hence one snapshot of the swarm, and what has been said already.
type Session struct {
	opts SessionOptions

	mu sync.Mutex
	// toldBy is whose diagnostic has said in full that the engine does not answer.
	toldBy string
	// told maps other texts that hold for all resources to whose diagnostic has
	// them.
	told map[string]string
	// held are the releases that this command has in state.
	held map[string]bool
	// taken are the instances that creates of this command have made their own.
	taken map[string]bool
}

// SessionOptions is what a configured provider knows.
type SessionOptions struct {
	// Core reaches the swarm; nil while Unknown is not empty.
	Core *reconcile.Core
	// Unknown names the provider attributes whose values are not known yet.
	Unknown []string
	// Owner tells this configuration's releases from those of others.
	Owner string
	// ProtectedSecrets may be neither mounted nor declared by any release.
	ProtectedSecrets []string
	// Credential returns the configured credential for an image's registry: the
	// registry's host and what a fingerprint is made of. nil when none is configured.
	Credential func(image string) (host, secret string, ok bool)
	// CredentialsUnknown is set while the configured credentials are not known yet.
	CredentialsUnknown bool
	// Git reads repositories; nil while the credentials for them are not known.
	Git *git.Client
}

// NewSession starts a session. It reaches out to nothing.
func NewSession(opts SessionOptions) *Session {
	return &Session{opts: opts, held: map[string]bool{}, taken: map[string]bool{}, told: map[string]string{}}
}

// SessionFrom returns what the provider's Configure has handed over; nil before
// that, when Terraform only validates.
func SessionFrom(data any, diags *diag.Diagnostics) *Session {
	if data == nil {
		return nil
	}
	session, ok := data.(*Session)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("A resource or data source was handed a %T. This is a bug of the provider.", data))
	}
	return session
}

// Core returns the reconcile core, or an error that names the provider
// attributes that have to be known first.
func (s *Session) Core() (*reconcile.Core, diag.Diagnostics) {
	var diags diag.Diagnostics
	switch {
	case s == nil:
		diags.AddError("Provider not configured", "The swarm provider has not been configured, so there is no engine to ask.")
		return nil, diags
	case s.opts.Core == nil:
		diags.AddError("Provider configuration not known yet", fmt.Sprintf(
			"The engine has to be asked, and the provider's %s will be known only after other resources have been applied. "+
				"Apply those first, for instance with -target, or give the provider a value that is known from the start.",
			strings.Join(s.opts.Unknown, ", ")))
		return nil, diags
	}
	return s.opts.Core, nil
}

// core is Core for checks that are left out where there is no engine to ask: nil
// while validating, and while it is not known which engine that is.
func (s *Session) core() *reconcile.Core {
	if s == nil {
		return nil
	}
	return s.opts.Core
}

// Git reads repositories; nil as long as it is not known with which credentials:
// while validating, and while the provider's git_auth is unknown.
func (s *Session) Git() *git.Client {
	if s == nil {
		return nil
	}
	return s.opts.Git
}

// Owner tells this configuration's releases from those of others.
func (s *Session) Owner() string { return s.opts.Owner }

// hold notes that a release is in the state of this command, so that a create of
// the same name is understood as the second half of a replacement.
func (s *Session) hold(release string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[release] = true
}

// tookOver notes that a create of this command has made an instance its own.
func (s *Session) tookOver(instance string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[instance] = true
}

func (s *Session) hasTaken(instance string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken[instance]
}

func (s *Session) holds(release string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[release]
}
