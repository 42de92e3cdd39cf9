package reconcile

import (
	"bytes"
	"compress/gzip"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// Whatever stands in a config that has a record's name: it is read or refused,
// without a panic, and what was read can be written and reads the same again.
func FuzzRecordDecode(f *testing.F) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
		return b.Bytes()
	}
	owner := Owner{Release: "shop", Kind: "application", Instance: "i", Owner: "o"}
	whole, err := Revision{Number: 1, Status: Deployed, Owner: owner, Created: time.Unix(0, 0), Objects: []object.Object{
		{Kind: object.KindService, Key: "web", Name: "shop_web", Spec: &swarm.ServiceSpec{Annotations: swarm.Annotations{Name: "shop_web"}}, Sensitive: []object.Path{{"env", "A"}}},
		{Kind: object.KindConfig, Key: "conf", Name: "shop_conf-0", Spec: &swarm.ConfigSpec{}, Fingerprint: "f"},
	}}.record()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Spec.(*swarm.ConfigSpec).Data)
	f.Add(pack(`{"format":1,"objects":[{"kind":"service","key":"a","spec":null}]}`))
	f.Add(pack(`{"format":2}`))
	f.Add(pack(`{"format":1,"objects":[{"kind":"nonsense"}]}`))
	f.Add([]byte("not packed at all"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		l := &Live{
			Object: object.Object{Kind: object.KindRecord, Key: "v1", Name: recordName("shop", 1), Spec: &swarm.ConfigSpec{Data: data}},
			Owner:  owner, Status: string(Deployed),
		}
		rev, err := decodeRecord(l)
		if err != nil {
			if ReasonOf(err) != ReasonInvalid {
				t.Fatalf("refused with %s: %v", ReasonOf(err), err)
			}
			return
		}
		again, err := rev.record()
		if err != nil {
			return // too large, or of values that JSON cannot hold
		}
		l.Spec = again.Spec
		second, err := decodeRecord(l)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if !rev.sameContent(*second) {
			t.Errorf("reads as another revision:\n%v\n%v", rev.content(), second.content())
		}
	})
}
