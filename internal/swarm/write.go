package swarm

import (
	"context"
	"errors"
	"fmt"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Do implements reconcile.Backend. Creates are guarded by the name, updates by
// the observed version, deletes by the id: the engine's delete knows no version.
//
// Updates of configs, secrets and records write labels alone, which is all that
// the engine lets change. Networks have no update.
func (b *Backend) Do(ctx context.Context, step reconcile.Step) (string, error) {
	a := attempt{
		op:   fmt.Sprintf("%s %s", step.Verb, describe(step.Object)),
		ref:  step.Object.Ref(),
		verb: step.Verb,
	}
	if step.Object.Name == "" {
		return "", invalid(a, "the object has no name")
	}
	if step.Object.Kind == object.KindVolume && step.Verb == reconcile.Delete {
		// A volume belongs to a node: no list of the swarm's objects has it, and its name is its id.
		return step.Object.Name, b.remove(ctx, a, object.KindVolume, step.Object.Name)
	}
	if step.Verb != reconcile.Create && (step.Live == nil || step.Live.ID == "") {
		return "", invalid(a, "nothing was observed of it that could be changed")
	}
	// Whatever comes of it: from here on the engine may have done it. Nobody looks
	// at leases in a snapshot, and they are renewed every few seconds.
	if step.Object.Kind != object.KindLease {
		defer b.snapshot.invalidate()
	}

	var id string
	var err error
	switch step.Verb {
	case reconcile.Create:
		id, err = b.create(ctx, a, step.Object)
	case reconcile.Update:
		id, err = step.Live.ID, b.update(ctx, a, step.Object, *step.Live)
	case reconcile.Delete:
		id, err = step.Live.ID, b.remove(ctx, a, step.Object.Kind, step.Live.ID)
	default:
		return "", invalid(a, "there is no such verb")
	}
	if err != nil {
		b.names.forget()
		return "", err
	}
	return id, nil
}

func (b *Backend) create(ctx context.Context, a attempt, o object.Object) (id string, err error) {
	switch spec := o.Spec.(type) {
	case *object.NetworkSpec:
		id, err = b.createNetwork(ctx, a, *spec)
	case *swarm.SecretSpec:
		err = b.call(ctx, a, func(ctx context.Context) error {
			created, err := b.cli.SecretCreate(ctx, *spec)
			id = created.ID
			return err
		})
	case *swarm.ConfigSpec:
		err = b.call(ctx, a, func(ctx context.Context) error {
			created, err := b.cli.ConfigCreate(ctx, *spec)
			id = created.ID
			return err
		})
	case *swarm.ServiceSpec:
		id, err = b.createService(ctx, a, *spec)
	default:
		return "", invalid(a, "a %s cannot be written", o.Kind)
	}
	if err == nil {
		b.names.add(o.Kind, o.Name, id)
	}
	return id, err
}

func (b *Backend) createService(ctx context.Context, a attempt, spec swarm.ServiceSpec) (id string, err error) {
	spec, err = b.resolveReferences(ctx, a, spec)
	if err != nil {
		return "", err
	}
	err = b.call(ctx, a, func(ctx context.Context) error {
		created, err := b.cli.ServiceCreate(ctx, spec, swarm.ServiceCreateOptions{EncodedRegistryAuth: b.credential(spec)})
		id = created.ID
		return err
	})
	// What does not exist yet cannot be missing: 404 speaks of a reference.
	return id, missingReference(err)
}

func (b *Backend) update(ctx context.Context, a attempt, o object.Object, live reconcile.Live) error {
	version := swarm.Version{Index: live.Version}
	switch spec := o.Spec.(type) {
	case *swarm.SecretSpec:
		labels := swarm.SecretSpec{Annotations: swarm.Annotations{Name: live.Name, Labels: spec.Labels}}
		return b.call(ctx, a, func(ctx context.Context) error {
			return b.cli.SecretUpdate(ctx, live.ID, version, labels)
		})
	case *swarm.ConfigSpec:
		labels := swarm.ConfigSpec{Annotations: swarm.Annotations{Name: live.Name, Labels: spec.Labels}}
		return b.call(ctx, a, func(ctx context.Context) error {
			return b.cli.ConfigUpdate(ctx, live.ID, version, labels)
		})
	case *swarm.ServiceSpec:
		return b.updateService(ctx, a, *spec, live.ID, version)
	}
	return invalid(a, "a %s cannot be changed once it exists", o.Kind)
}

func (b *Backend) updateService(ctx context.Context, a attempt, spec swarm.ServiceSpec, id string, version swarm.Version) error {
	spec, err := b.resolveReferences(ctx, a, spec)
	if err != nil {
		return err
	}
	err = b.call(ctx, a, func(ctx context.Context) error {
		_, err := b.cli.ServiceUpdate(ctx, id, version, spec, swarm.ServiceUpdateOptions{
			EncodedRegistryAuth: b.credential(spec),
			RegistryAuthFrom:    swarm.RegistryAuthFromSpec,
		})
		return err
	})
	if reconcile.ReasonOf(err) != reconcile.ReasonNotFound {
		return err
	}
	// 404 speaks of the service or of a network that it refers to.
	there := false
	if look := b.call(ctx, a, func(ctx context.Context) error {
		_, _, err := b.cli.ServiceInspectWithRaw(ctx, id, swarm.ServiceInspectOptions{})
		there = err == nil
		return err
	}); there {
		return missingReference(err)
	} else if reconcile.ReasonOf(look) != reconcile.ReasonNotFound {
		return look
	}
	return err
}

// missingReference turns a NotFound that is not about the object of the step
// into ReasonInvalid.
func missingReference(err error) error {
	var e *reconcile.Error
	if errors.As(err, &e) && e.Reason == reconcile.ReasonNotFound {
		e.Reason = reconcile.ReasonInvalid
		e.Detail = "The service refers to something that the swarm does not have."
	}
	return err
}

// credential is the header for the registry of a service's image, empty when
// there is none: an update without the header keeps the stored credential.
func (b *Backend) credential(spec swarm.ServiceSpec) string {
	if b.auth == nil || spec.TaskTemplate.ContainerSpec == nil {
		return ""
	}
	return b.auth(spec.TaskTemplate.ContainerSpec.Image)
}

func (b *Backend) remove(ctx context.Context, a attempt, kind object.Kind, id string) error {
	var f func(context.Context) error
	switch kind {
	case object.KindService:
		f = func(ctx context.Context) error { return b.cli.ServiceRemove(ctx, id) }
	case object.KindConfig, object.KindRecord, object.KindLease:
		f = func(ctx context.Context) error { return b.cli.ConfigRemove(ctx, id) }
	case object.KindSecret:
		f = func(ctx context.Context) error { return b.cli.SecretRemove(ctx, id) }
	case object.KindNetwork:
		f = func(ctx context.Context) error { return b.removeNetwork(ctx, id) }
	case object.KindVolume:
		f = func(ctx context.Context) error { return b.removeVolume(ctx, id) }
	default:
		return invalid(a, "a %s cannot be deleted", kind)
	}
	return b.call(ctx, a, func(ctx context.Context) error {
		if err := f(ctx); !errdefs.IsNotFound(err) {
			return err
		}
		return nil // Gone is what was wanted.
	})
}
