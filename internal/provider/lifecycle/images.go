package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/swarm"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// pinnedKey is where the private state of a resource keeps the images with digests
// that the last apply pinned its services to: `images` shows what runs, and the
// plan has to tell the two apart without asking the engine.
const pinnedKey = "pinned_images"

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// keepPinned notes what an apply has pinned. After a failed one the earlier note
// stays: it counts only as far as references have not changed.
func (c *Common) keepPinned(ctx context.Context, private privateWriter) diag.Diagnostics {
	if c.pinned == nil {
		return nil
	}
	text, err := json.Marshal(c.pinned)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("The pinned images cannot be kept", err.Error())}
	}
	return private.SetKey(ctx, pinnedKey, text)
}

func readPinned(ctx context.Context, private privateReader) (map[string]string, diag.Diagnostics) {
	text, diags := private.GetKey(ctx, pinnedKey)
	if len(text) == 0 || diags.HasError() {
		return nil, diags
	}
	var pinned map[string]string
	if err := json.Unmarshal(text, &pinned); err != nil {
		diags.AddError("The pinned images of the last apply cannot be read", err.Error())
	}
	return pinned, diags
}

// movedImages names the services that run another digest than was deployed, with
// a sentence about each.
func movedImages(release *reconcile.Release, pinned map[string]string, prior *Common) map[string]string {
	moved := map[string]string{}
	if prior == nil || release.Resolve == reconcile.ResolveNever {
		return moved
	}
	live := Strings(prior.Images)
	for _, o := range release.Objects {
		spec, ok := o.Spec.(*swarm.ServiceSpec)
		if !ok || spec.TaskTemplate.ContainerSpec == nil {
			continue
		}
		pin, have := pinned[o.Key], live[o.Key]
		declared := object.NormalizeImage(spec.TaskTemplate.ContainerSpec.Image)
		name, _, _ := strings.Cut(have, "@")
		if pin != have && name == declared && strings.HasPrefix(pin, declared+"@") {
			moved[o.Key] = fmt.Sprintf("Service %s runs %s, and %s was deployed: applying takes it back.", o.Key, have, pin)
		}
	}
	return moved
}

// planMoved plans that the services get their digests back.
func (c *Common) planMoved(moved map[string]string, changed bool, declared map[string]string, prior *Common) {
	if !changed {
		c.planOutcome(declared, prior)
	}
	if c.Images.IsUnknown() {
		return
	}
	images := maps.Clone(c.Images.Elements())
	for key := range moved {
		images[key] = attr.Value(types.StringUnknown())
	}
	c.Images = types.MapValueMust(types.StringType, images)
}

func sentences(moved map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(moved)) {
		out = append(out, moved[key])
	}
	return out
}

// CredentialsKnown is an error while registry_auth is not known yet.
func (s *Session) CredentialsKnown() diag.Diagnostics {
	if s == nil || !s.opts.CredentialsUnknown {
		return nil
	}
	return diag.Diagnostics{diag.NewErrorDiagnostic("Provider configuration not known yet",
		"A registry has to be asked, and the provider's registry_auth will be known only after other resources have been applied. "+
			"Apply those first, for instance with -target, or give the provider a value that is known from the start.")}
}

// labelCredentials puts the fingerprint of the configured credential for its
// registry on each service, so that another credential is a difference of its
// own: the swarm keeps the credential that a service was last written with, and
// nobody can read it back. Jobs are left out, since a write runs them again.
func (s *Session) labelCredentials(release *reconcile.Release) {
	if s.opts.Credential == nil {
		return
	}
	for i, o := range release.Objects {
		spec, ok := o.Spec.(*swarm.ServiceSpec)
		if !ok || spec.TaskTemplate.ContainerSpec == nil || spec.Mode.ReplicatedJob != nil || spec.Mode.GlobalJob != nil {
			continue
		}
		host, secret, ok := s.opts.Credential(spec.TaskTemplate.ContainerSpec.Image)
		if !ok {
			continue
		}
		labelled := *spec
		labelled.Labels = maps.Clone(spec.Labels)
		if labelled.Labels == nil {
			labelled.Labels = map[string]string{}
		}
		fingerprint := object.SecretFingerprint("registry", release.Release, host, []byte(secret))
		labelled.Labels[object.LabelCredential] = fmt.Sprintf("%s (sensitive %.12s)", host, fingerprint)
		release.Objects[i].Spec = &labelled
	}
}
