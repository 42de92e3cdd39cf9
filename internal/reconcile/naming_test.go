package reconcile_test

import (
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// What cannot be changed in place is replaced under another name, and the services roll.
func TestFilesRemadeByHandAreReplaced(t *testing.T) {
	golang := &swarm.Driver{Name: "golang"}
	for _, c := range []struct {
		rule   string
		kind   object.Kind
		change func(*object.Object)
	}{
		{"a config of other content", object.KindConfig, func(o *object.Object) {
			o.Spec.(*swarm.ConfigSpec).Data = []byte("by hand")
			o.Fingerprint = object.ConfigFingerprint(o.Spec.(*swarm.ConfigSpec))
		}},
		{"a config of another template driver", object.KindConfig, func(o *object.Object) {
			o.Spec.(*swarm.ConfigSpec).Templating = golang
			o.Fingerprint = object.ConfigFingerprint(o.Spec.(*swarm.ConfigSpec))
		}},
		{"a secret of unknown content", object.KindSecret, func(o *object.Object) { o.Fingerprint = "" }},
		{"a secret of another template driver", object.KindSecret, func(o *object.Object) { o.Spec.(*swarm.SecretSpec).Templating = golang }},
	} {
		t.Run(c.rule, func(t *testing.T) {
			b := memory.New()
			r := basic().with(func(b *build) { b.limit = 1 }).release()
			first := mustApply(t, b, r, "")
			was := b.Names(c.kind)[0]
			remake(t, b, c.kind, c.change)
			mustApply(t, b, r, first.Instance)
			wantSettled(t, b, r, first.Instance)
			if is := b.Names(c.kind); len(is) != 1 || is[0] == was {
				t.Errorf("it is %v and was %s, want one of another name", is, was)
			}
		})
	}
}

// remake removes the objects of a kind and makes changed ones of the same name, with what mounts them.
func remake(t *testing.T, b *memory.Backend, kind object.Kind, change func(*object.Object)) {
	t.Helper()
	state, err := b.Observe(t.Context(), reconcile.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	do := func(verb reconcile.Verb, kind object.Kind, change func(*object.Object)) {
		for i := range state.Live {
			l := &state.Live[i]
			if l.Kind != kind {
				continue
			}
			o := l.Clone()
			if change != nil {
				change(&o)
			}
			if _, err := b.Do(t.Context(), reconcile.Step{Verb: verb, Object: o, Live: l}); err != nil {
				t.Fatal(err)
			}
		}
	}
	do(reconcile.Delete, object.KindService, nil)
	do(reconcile.Delete, kind, nil)
	do(reconcile.Create, kind, change)
	do(reconcile.Create, object.KindService, nil)
}
