// Package lifecycle is the one Terraform resource of this provider. Every kind
// of resource (application, database …) is a schema, a model and a way to render
// it; creating, reading, planning, updating, deleting and importing are done
// here, once, and know no kind.
package lifecycle

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/render"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// Kind is what one kind of resource adds to the generic one.
type Kind interface {
	// Name is the kind as it stands in labels and records ("application"), and
	// the resource type without the provider's name.
	Name() string
	// Description heads the documentation page, in Markdown.
	Description() string
	// Attributes are the kind's own, without those that every kind has.
	Attributes() map[string]schema.Attribute
	// NewModel returns an empty model of the kind's schema.
	NewModel() Model
}

// Model is a kind's configuration, plan or state as a Go struct. It embeds
// Common, which carries the attributes that every kind has, and holds its own
// attributes as fields with tfsdk tags.
//
// What only some kinds have is an interface that a model may implement: Waiter,
// Remover, Changer, Computed.
type Model interface {
	// Render turns the model into what should run. It is called only with every
	// configured value known, write-only ones included, and fills in what should be
	// there and Commit; owner, history and credentials are not the kind's business.
	// It is pure: the same model gives the same release, because Terraform plans
	// twice and rejects another answer.
	//
	// The session gives what the values refer to (repositories); nil while there is
	// none, as in a validation.
	//
	// The release is nil when one of the problems is an error, and when what it is
	// made from cannot be had yet: then it is planned as unknown.
	Render(ctx context.Context, session *Session) (*reconcile.Release, spec.Problems)

	common() *Common
}

// Waiter is a model whose users settle what an apply waits for and leaves behind.
// Without it an apply waits and prunes.
type Waiter interface {
	Waiting() Waiting
}

// Waiting is what an apply leaves out.
type Waiting struct {
	// NoWait returns when everything is written.
	NoWait bool
	// NoPrune keeps what is no longer declared.
	NoPrune bool
}

// Remover is a model with something to say about its removal. It is asked of
// state, which has no write-only values.
type Remover interface {
	Removal() Removal
}

// Removal is what destroying does beyond removing what stands.
type Removal struct {
	// Protected names the attribute that refuses the removal of a release which has
	// once been deployed, "" when nothing does.
	Protected string
	// PurgeVolumes removes the named volumes that the connected node has.
	PurgeVolumes bool
	// Empty are jobs that empty volumes wherever they are.
	Empty []object.OneShot
}

// Changer is a model that does not become every other of its kind in place.
type Changer interface {
	// CheckChange refuses what cannot become of prior, which is a model of the same
	// kind: what the state holds. Values of either may be unknown or, after an
	// import, null.
	CheckChange(prior Model) spec.Problems
}

// Computed is a model with computed attributes besides those of Common.
type Computed interface {
	// PlanComputed plans them: what follows from the configuration is known, what an
	// apply settles is kept from prior where that stays, else unknown. prior is a
	// model of the same kind, nil for a create. stays reports whether an object
	// ("secret/password") is the very one of the prior state after the apply.
	PlanComputed(prior Model, stays func(ref string) bool)
	// Observe writes what is live into them. An attribute that has a value keeps it
	// when only the unknown ones are asked for: after an apply Terraform takes
	// nothing else.
	Observe(view *reconcile.View, unknownOnly bool)
}

// Release is what a kind's rendering asks the core for, with tags pinned when they
// change; nil for nil.
func Release(r *render.Rendered) *reconcile.Release {
	if r == nil {
		return nil
	}
	return &reconcile.Release{
		Objects: r.Objects, External: r.External, Needs: r.Needs, Sensitive: r.Sensitive,
		Before: r.Before, After: r.After, Local: r.Local, Resolve: reconcile.ResolveChanged,
	}
}
