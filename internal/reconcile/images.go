package reconcile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/docker/docker/api/types/swarm"
	"golang.org/x/sync/errgroup"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// Resolver is what a backend can do besides that reaches registries. Images are
// pinned to digests only over a backend that is one.
type Resolver interface {
	// Resolve returns the digest that an image's tag stands for at its registry at
	// this moment, as "sha256:…". The error is an *Error: ReasonCredential when the
	// registry refuses the credential that was sent along.
	Resolve(ctx context.Context, image string) (digest string, err error)
	// CredentialFor says in a sentence which credential goes along with an image.
	CredentialFor(image string) string
}

// Resolution says when tags are pinned to digests.
type Resolution string

// The resolutions.
const (
	// ResolveNever leaves images as they are declared; each node pulls what the tag
	// stands for when it pulls.
	ResolveNever Resolution = "never"
	// ResolveChanged pins a reference when a service gets it, and keeps the digest
	// for as long as the reference stays.
	ResolveChanged Resolution = "changed"
	// ResolveAlways pins anew whatever is written anyway.
	ResolveAlways Resolution = "always"
)

// pins are the images with digests of a release's services, by logical name.
type pins map[string]string

// pinned returns the digests on record that still hold: those of references that
// have not changed.
func (r Release) pinned(newest *Revision) pins {
	out := pins{}
	if r.Resolve == ResolveNever {
		return out
	}
	known := r.Pinned // those of the revision to go back to, or of the plan before
	if known == nil && newest != nil && newest.Owner.Instance == r.Instance {
		known = newest.Images
	}
	for _, o := range r.ofKind(object.KindService) {
		image := imageOf(o)
		if pin, ok := known[o.Key]; ok && image != "" && strings.HasPrefix(pin, object.NormalizeImage(image)+"@") {
			out[o.Key] = pin
		}
	}
	return out
}

// moved says in words that a service runs another digest than was deployed, ""
// when it does not.
func (p pins) moved(o, live object.Object) string {
	pin, ok := p[o.Key]
	if have := imageOf(live); ok && have != pin {
		return fmt.Sprintf("it runs %s, and %s was deployed", have, pin)
	}
	return ""
}

// pin puts the digest into an object that is to be written, if there is one.
func (p pins) pin(o object.Object) object.Object {
	pin, ok := p[o.Key]
	spec, isService := o.Spec.(*swarm.ServiceSpec)
	if !ok || !isService || spec.TaskTemplate.ContainerSpec == nil {
		return o
	}
	service, container := *spec, *spec.TaskTemplate.ContainerSpec
	container.Image = pin
	service.TaskTemplate.ContainerSpec = &container
	o.Spec = &service
	return o
}

func imageOf(o object.Object) string {
	spec, ok := o.Spec.(*swarm.ServiceSpec)
	if !ok || spec.TaskTemplate.ContainerSpec == nil {
		return ""
	}
	return spec.TaskTemplate.ContainerSpec.Image
}

// settleImages asks for the digests of the images that the plan's services are
// written with, and puts them into the steps and the revision. It is called under
// the lease and before the first write. What cannot be resolved stays a tag, and
// a warning says so: it may well be on the nodes. A registry that refuses the
// credential stops the apply, since no node could pull with it either.
func (c *Core) settleImages(ctx context.Context, p *Plan) ([]string, error) {
	if c.resolver == nil || p.Release.Resolve == ResolveNever || p.Release.Resolve == "" {
		return nil, nil
	}
	settled := maps.Clone(p.Release.Pinned)
	asked := map[string][]int{} // image → steps that are written with it
	for i, s := range p.Steps {
		if s.Object.Kind != object.KindService || s.Verb == Delete || !s.Restarts {
			continue
		}
		declared := object.NormalizeImage(imageOf(s.Object))
		if name, _, isPinned := strings.Cut(declared, "@"); isPinned {
			if settled[s.Object.Key] == "" || p.Release.Resolve != ResolveAlways {
				continue // declared with a digest, or pinned already
			}
			declared = name
		}
		asked[declared] = append(asked[declared], i)
	}
	digests, err := resolveAll(ctx, c.resolver, slices.Sorted(maps.Keys(asked)))
	if err != nil {
		return nil, err
	}
	var warnings []string
	for _, image := range slices.Sorted(maps.Keys(asked)) {
		found := digests[image]
		if found.err != nil {
			warnings = append(warnings, fmt.Sprintf("Image %s is not pinned to a digest, because its registry could not be asked (%s): each node takes what it has or pulls under that name. "+
				"An application whose images are on the nodes only can say resolve_image = \"never\".", image, briefly(found.err)))
			continue
		}
		for _, i := range asked[image] {
			s := &p.Steps[i]
			settled[s.Object.Key] = image + "@" + found.digest
			s.Object = pins(settled).pin(s.Object)
		}
	}
	p.Release.Pinned, p.next.Images = settled, settled
	return warnings, nil
}

// ResolveImage returns the digest that an image's tag stands for at this moment,
// as "sha256:…". The error is an *Error.
func (c *Core) ResolveImage(ctx context.Context, image string) (string, error) {
	if c.resolver == nil {
		return "", &Error{Reason: ReasonInvalid, Op: "resolve image " + image, Detail: "What the provider talks to reaches no registry."}
	}
	digest, err := c.resolver.Resolve(ctx, image)
	return digest, ended(ctx, "resolve image "+image, err)
}

type resolved struct {
	digest string
	err    error
}

// resolveAll asks for several images at once. The error is one that must stop
// the apply.
func resolveAll(ctx context.Context, resolver Resolver, images []string) (map[string]resolved, error) {
	var mu sync.Mutex
	out := map[string]resolved{}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, image := range images {
		g.Go(func() error {
			digest, err := resolver.Resolve(gctx, image)
			switch ReasonOf(err) {
			case ReasonCredential, ReasonUnreachable, ReasonInterrupted, ReasonTimeout:
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			out[image] = resolved{digest, err}
			return nil
		})
	}
	return out, g.Wait()
}

// briefly is the innermost text of an error, which is what the registry said.
func briefly(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Err != nil {
		return strings.Join(strings.Fields(e.Err.Error()), " ")
	}
	return err.Error()
}
