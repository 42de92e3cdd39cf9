package reconcile

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

const (
	// recordFormat is the version of the JSON inside a record. Readers accept
	// every version up to it.
	recordFormat = 1
	recordPrefix = "keel."
	// maxConfigSize is what the engine takes as the data of a config: it refuses
	// anything of 1000 KiB and more (swarmkit, api/validation).
	maxConfigSize = 1000*1024 - 1
	// maxRecordSize bounds what decoding a record may unpack to.
	maxRecordSize = 64 << 20
)

// recordBody is the JSON of a revision record. It never changes once written:
// the status of the revision is a label of the record.
type recordBody struct {
	Format   int             `json:"format"`
	Kind     string          `json:"kind"`
	Instance string          `json:"instance"`
	Commit   string          `json:"commit,omitempty"`
	Created  time.Time       `json:"created"`
	Objects  []object.Object `json:"objects"`
	// Images came later; a record without it pins nothing.
	Images   map[string]string `json:"images,omitempty"`
	Adopted  []Adopted         `json:"adopted,omitempty"`
	Retained []Adopted         `json:"retained,omitempty"`
	External []Adopted         `json:"external,omitempty"`
}

func recordName(release string, number int) string {
	return recordPrefix + release + ".v" + strconv.Itoa(number)
}

// recordNumber is the inverse of recordName; 0 when name is no record of release.
func recordNumber(release, name string) int {
	digits, ok := strings.CutPrefix(name, recordPrefix+release+".v")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || strconv.Itoa(n) != digits {
		return 0
	}
	return n
}

// record returns the object to write for a revision. It fails when the engine
// could not hold it, before anything is written.
func (r Revision) record() (object.Object, error) {
	body := recordBody{
		Format: recordFormat, Kind: r.Owner.Kind, Instance: r.Owner.Instance, Commit: r.Commit,
		Created: r.Created.UTC(), Objects: r.Objects, Images: r.Images, Adopted: r.Adopted, Retained: r.Retained, External: r.External,
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return object.Object{}, fmt.Errorf("encode revision %d: %w", r.Number, err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(raw); err != nil {
		return object.Object{}, fmt.Errorf("pack revision %d: %w", r.Number, err)
	}
	if err := w.Close(); err != nil {
		return object.Object{}, fmt.Errorf("pack revision %d: %w", r.Number, err)
	}
	name := recordName(r.Owner.Release, r.Number)
	if packed.Len() > maxConfigSize {
		return object.Object{}, &Error{
			Reason: ReasonInvalid,
			Op:     "record revision " + name,
			Detail: fmt.Sprintf("The record of this release is %d bytes; the engine's limit for a config is %d. "+
				"Split the release into several, or make its services smaller.", packed.Len(), maxConfigSize),
		}
	}
	o := object.Object{Kind: object.KindRecord, Key: "v" + strconv.Itoa(r.Number), Name: name, Spec: &swarm.ConfigSpec{
		Annotations: swarm.Annotations{Name: name, Labels: map[string]string{LabelStatus: string(r.Status)}},
		Data:        packed.Bytes(),
	}}
	if r.Earlier {
		(*labelsOf(&o))[LabelEarlier] = "true"
	}
	return stamp(o, r.Owner), nil
}

func decodeRecord(l *Live) (*Revision, error) {
	fail := func(err error) error {
		return &Error{
			Reason: ReasonInvalid,
			Op:     "read revision record " + l.Name,
			Detail: "Nothing was changed. Use a version of the provider that knows this format, or remove the record with `docker config rm " +
				l.Name + "`: the next apply writes a new one.",
			Err: err,
		}
	}
	spec, ok := l.Spec.(*swarm.ConfigSpec)
	if !ok {
		return nil, fail(fmt.Errorf("unexpected %T", l.Spec))
	}
	zr, err := gzip.NewReader(bytes.NewReader(spec.Data))
	if err != nil {
		return nil, fail(err)
	}
	raw, err := io.ReadAll(io.LimitReader(zr, maxRecordSize+1))
	if err != nil {
		return nil, fail(err)
	}
	if len(raw) > maxRecordSize {
		return nil, fail(fmt.Errorf("unpacks to more than %d bytes", maxRecordSize))
	}
	// The format comes first: of an unknown one nothing else may be as expected.
	var head struct{ Format int }
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fail(err)
	}
	if head.Format < 1 || head.Format > recordFormat {
		return nil, fail(fmt.Errorf("format %d is not known; this version knows up to %d", head.Format, recordFormat))
	}
	var body recordBody
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, fail(err)
	}
	owner := l.Owner
	owner.Kind, owner.Instance = body.Kind, body.Instance
	return &Revision{
		Number: recordNumber(owner.Release, l.Name), Status: Status(l.Status), Owner: owner, Commit: body.Commit,
		Created: body.Created, Objects: body.Objects, Images: body.Images, Adopted: body.Adopted, Retained: body.Retained, External: body.External,
		Earlier: labelOf(l.Object, LabelEarlier) != "", live: l,
	}, nil
}

// records returns the records of a release, oldest first.
func (s *State) records(release string) []*Live {
	var out []*Live
	for i := range s.Live {
		l := &s.Live[i]
		if l.Kind == object.KindRecord && l.Owner.Release == release && recordNumber(release, l.Name) > 0 {
			out = append(out, l)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		return recordNumber(release, out[i].Name) < recordNumber(release, out[j].Name)
	})
	return out
}

// revisions returns what is on record of a release, oldest first.
func (s *State) revisions(release string) ([]*Revision, error) {
	var out []*Revision
	for _, l := range s.records(release) {
		rev, err := decodeRecord(l)
		if err != nil {
			return nil, err
		}
		out = append(out, rev)
	}
	return out, nil
}

// newest returns the newest revision of a release, nil when none is on record.
func (s *State) newest(release string) (*Revision, error) {
	records := s.records(release)
	if len(records) == 0 {
		return nil, nil
	}
	return decodeRecord(records[len(records)-1])
}

// sameContent reports whether two revisions ask for the same things and show
// them in the same way. What nobody sees in the swarm (the commit, the order of
// the rollout) makes no revision.
func (r Revision) sameContent(other Revision) bool {
	return maps.Equal(r.content(), other.content())
}

func (r Revision) content() map[string]string {
	out := map[string]string{}
	names := object.NamesOf(r.Objects)
	scope := object.Scope{Kind: r.Owner.Kind, Release: r.Owner.Release}
	for _, o := range r.Objects {
		out[o.Ref().String()] = o.Name + " " + digest(o, names, scope)
	}
	for _, a := range r.Retained {
		out["retained "+string(a.Kind)+"/"+a.Name] = ""
	}
	return out
}

// digest stands for what an object means and how it is shown. Configs and
// secrets are known by their fingerprint: a record does not have their content.
func digest(o object.Object, names object.Names, scope object.Scope) string {
	if o.Kind == object.KindConfig || o.Kind == object.KindSecret {
		return fmt.Sprint(o.Fingerprint, o.Sensitive)
	}
	f, err := o.Form(object.View{Names: names})
	if err != nil {
		return err.Error()
	}
	return f.Redact(scope, o.Ref(), o.Sensitive).JSON()
}

// object returns the revision's object of this name within the release.
func (r *Revision) object(ref object.Ref) *object.Object {
	if r == nil {
		return nil
	}
	for i := range r.Objects {
		if r.Objects[i].Ref() == ref {
			return &r.Objects[i]
		}
	}
	return nil
}

// kept returns the revisions that stay when limit of them are kept: the newest
// ones, and never fewer than the newest deployed one. converged says that the
// newest is as good as deployed. revisions are oldest first.
func kept(revisions []*Revision, limit int, converged bool) (keep, drop []*Revision) {
	if limit < 1 {
		limit = DefaultHistoryLimit
	}
	cut := max(len(revisions)-limit, 0)
	for i := len(revisions) - 1; i >= 0; i-- {
		if revisions[i].Status == Deployed || (converged && i == len(revisions)-1) {
			cut = min(cut, i)
			break
		}
	}
	return revisions[cut:], revisions[:cut]
}
