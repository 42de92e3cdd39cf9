package reconcile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// comparison holds what the comparisons of a release's objects share.
type comparison struct {
	*audit
	// others are revisions before the newest that services may still be of.
	others []*Revision
	// names resolve references on either side.
	desiredNames, liveNames object.Names
}

// compare fills in the differences.
func (a *audit) compare() error {
	found, err := locate(a.state, a.release, "")
	if err != nil {
		return err
	}
	a.found, a.view = found, found.view(a.state)
	if found.newest == nil {
		return nil
	}
	others, err := a.state.mayStillRun(found.newest)
	if err != nil {
		return err
	}
	c := &comparison{audit: a, others: others, desiredNames: object.NamesOf(found.newest.Objects), liveNames: namesOfLive(found.owned)}
	c.objects()
	slices.SortStableFunc(a.verdict.Differences, func(x, y FieldDrift) int { return strings.Compare(x.Object, y.Object) })
	return nil
}

// objects pairs what is on record with what is live.
func (c *comparison) objects() {
	desired := c.found.newest.Objects
	desired = append(slices.Clone(desired), object.Volumes(desired, c.release)...)
	declared := map[object.Ref]bool{}
	for _, o := range desired {
		declared[o.Ref()] = true
	}
	taken := make([]bool, len(c.view.Objects))
	for _, o := range desired {
		i := c.counterpart(o)
		if i < 0 {
			c.add(o.Ref().String(), "exists", "true", "false")
			continue
		}
		taken[i] = true
		if err := c.object(o, c.view.Objects[i]); err != nil {
			c.incomparable = append(c.incomparable, fmt.Sprintf("%s cannot be compared: %v.", o.Ref(), err))
		}
	}
	for i, l := range c.view.Objects {
		if taken[i] {
			continue
		}
		ref := l.Ref()
		if declared[ref] { // a second one beside the declared
			ref.Key = l.Name
		}
		c.add(ref.String(), "exists", "false", "true")
	}
}

// counterpart returns the index of the live object that stands for one on record;
// -1 when there is none. Services and networks are what has the name. Of configs
// and secrets it is the generation in use, which has the key; one that somebody
// made by hand may have lost the label that says so.
func (c *comparison) counterpart(o object.Object) int {
	byName := func(l object.Object) bool { return l.Kind == o.Kind && l.Name == o.Name }
	if o.Kind == object.KindConfig || o.Kind == object.KindSecret {
		if i := slices.IndexFunc(c.view.Objects, func(l object.Object) bool { return l.Ref() == o.Ref() }); i >= 0 {
			return i
		}
	}
	return slices.IndexFunc(c.view.Objects, byName)
}

// object compares an object on record with its live counterpart.
func (c *comparison) object(o, live object.Object) error {
	want, err := o.Form(object.View{Names: c.desiredNames})
	if err != nil {
		return err
	}
	have, err := live.Form(object.View{Names: c.liveNames, Live: true, Declared: &o})
	if err != nil {
		return err
	}
	switch o.Kind {
	case object.KindConfig:
		contents(o, live, want, have)
	case object.KindService:
		pin, pinned := c.found.newest.Images[o.Key]
		if image := imageOf(live); pinned && image != pin && want["image"] == have["image"] {
			want["image"], have["image"] = pin, image
		}
	}
	c.forms(o.Ref(), want, have)
	if o.Kind == object.KindService {
		c.generations(o, live)
	}
	return nil
}

// forms adds the leaves in which two forms differ. Both are redacted before
// anything of them is told, and only if they differ: it takes its time.
func (c *comparison) forms(ref object.Ref, want, have object.Form) {
	if len(object.Diff(want, have)) == 0 {
		return
	}
	scope := object.Scope{Kind: c.found.owner.Kind, Release: c.release}
	hidden := hiddenIn(ref, have, c.found.newest, c.others)
	for _, d := range object.Diff(want.Redact(scope, ref, hidden), have.Redact(scope, ref, hidden)) {
		c.add(ref.String(), d.Path.String(), leafText(d.Desired), leafText(d.Live))
	}
}

// contents replaces the content in the forms of a config by what is known of it on
// both sides: no record has the text, but the fingerprint, which covers the
// template driver as well. Of a secret the fingerprint is all that is ever shown.
func contents(o, live object.Object, want, have object.Form) {
	delete(want, "content")
	delete(have, "content")
	recorded, isConfig := o.Spec.(*swarm.ConfigSpec)
	there, isLive := live.Spec.(*swarm.ConfigSpec)
	if !isConfig || !isLive {
		return
	}
	now := object.ConfigFingerprint(&swarm.ConfigSpec{Data: there.Data, Templating: recorded.Templating})
	if now != o.Fingerprint {
		want["content"], have["content"] = fingerprintText(o.Fingerprint), fingerprintText(now)
	}
}

func fingerprintText(f string) string { return "(fingerprint " + f[:min(len(f), 12)] + ")" }

// generations adds what no form shows, since that has logical names alone: a
// service that mounts another generation of an own config or secret.
func (c *comparison) generations(o, live object.Object) {
	want, have := c.mounted(o, c.desiredNames), c.mounted(live, c.liveNames)
	for _, ref := range slices.SortedFunc(maps.Keys(want), func(a, b object.Ref) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key)) }) {
		if w, h := want[ref], have[ref]; h != nil && !slices.Equal(w, h) {
			path := object.Path{string(ref.Kind) + "s", ref.Key}
			c.add(o.Ref().String(), path.String(), strings.Join(w, ", "), strings.Join(h, ", "))
		}
	}
}

// mounted maps the own configs and secrets that a service refers to, by logical
// name, to their real names, sorted.
func (c *comparison) mounted(o object.Object, own object.Names) map[object.Ref][]string {
	out := map[object.Ref][]string{}
	for r := range references(o) {
		if key, ok := own[r.Kind][r.Name]; ok {
			ref := object.Ref{Kind: r.Kind, Key: key}
			out[ref] = append(out[ref], r.Name)
		}
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

func (c *comparison) add(ref, path, desired, live string) {
	c.verdict.Differences = append(c.verdict.Differences, FieldDrift{Object: ref, Path: path, Desired: desired, Live: live})
}

// leafText is a leaf of a form for people: what it is without quotes, and lists
// and maps as JSON.
func leafText(v any) string {
	switch v.(type) {
	case nil:
		return "(not set)"
	case []any, map[string]any:
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return fmt.Sprint(v)
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	return fmt.Sprint(v)
}
