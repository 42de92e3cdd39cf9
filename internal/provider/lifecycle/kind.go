// Package lifecycle is the one Terraform resource of this provider. Every kind
// of resource (application, database …) is a schema, a model and a way to render
// it; creating, reading, planning, updating, deleting and importing are done
// here, once, and know no kind.
package lifecycle

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
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
type Model interface {
	// Render turns the model into what should run. It is called only with every
	// configured value known, write-only ones included, and fills in Objects,
	// External, Needs and Commit of the release; the rest is not the kind's
	// business. It is pure: the same model gives the same release, because
	// Terraform plans twice and rejects another answer.
	//
	// The session gives what the values refer to (repositories); nil while there is
	// none, as in a validation.
	//
	// The release is nil when one of the problems is an error, and when what it is
	// made from cannot be had yet: then it is planned as unknown.
	Render(ctx context.Context, session *Session) (*reconcile.Release, spec.Problems)

	common() *Common
}
