package reconcile

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// formatOne is a record as the first version of the provider has written it. It
// is never changed: swarms are full of such records.
const formatOne = `{"format":1,"kind":"application","instance":"8a1e","commit":"0f1e2d","created":"2026-01-02T03:04:05Z",
"objects":[
 {"kind":"network","key":"default","name":"shop_default","spec":{"Name":"shop_default","Options":{"Driver":"overlay","Labels":{"com.docker.stack.namespace":"shop"}}}},
 {"kind":"secret","key":"key","name":"shop_key-0123456789ab","spec":{"Name":"shop_key-0123456789ab","Labels":{}},"fingerprint":"f00d"},
 {"kind":"service","key":"web","name":"shop_web","spec":{"Name":"shop_web","Labels":{"team":"a"},"TaskTemplate":{"ContainerSpec":{"Image":"acme/web:1","Env":["PASSWORD=x"]}},"Mode":{"Replicated":{"Replicas":2}}},
  "sensitive":[["env","PASSWORD"]],"depends_on":[{"key":"db","condition":"service_healthy"}]}],
"adopted":[{"kind":"network","name":"shop_default"}],"retained":[{"kind":"service","name":"shop_old"}]}`

func packed(t *testing.T, text string) *Live {
	t.Helper()
	var data bytes.Buffer
	w := gzip.NewWriter(&data)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return &Live{
		Object: object.Object{Kind: object.KindRecord, Name: "keel.shop.v7", Spec: &swarm.ConfigSpec{Data: data.Bytes()}},
		Owner:  Owner{Release: "shop", Owner: "terraform"}, Status: "deployed",
	}
}

func TestRecordOfTheFirstFormatIsRead(t *testing.T) {
	rev, err := decodeRecord(packed(t, formatOne))
	if err != nil {
		t.Fatal(err)
	}
	if rev.Number != 7 || rev.Status != Deployed || rev.Commit != "0f1e2d" || !rev.Created.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
		t.Errorf("the revision is %+v", rev)
	}
	if want := (Owner{Release: "shop", Kind: "application", Instance: "8a1e", Owner: "terraform"}); rev.Owner != want {
		t.Errorf("the owner is %+v, want %+v", rev.Owner, want)
	}
	if len(rev.Objects) != 3 || len(rev.Adopted) != 1 || len(rev.Retained) != 1 || rev.Retained[0].Name != "shop_old" {
		t.Fatalf("objects %+v, adopted %+v, retained %+v", rev.Objects, rev.Adopted, rev.Retained)
	}
	if s := rev.Objects[1]; s.Fingerprint != "f00d" {
		t.Errorf("the secret is %+v", s)
	}
	web := rev.Objects[2]
	spec, ok := web.Spec.(*swarm.ServiceSpec)
	if !ok || spec.TaskTemplate.ContainerSpec.Image != "acme/web:1" || *spec.Mode.Replicated.Replicas != 2 {
		t.Errorf("the service is %+v", web.Spec)
	}
	if len(web.Sensitive) != 1 || len(web.DependsOn) != 1 || web.DependsOn[0].Condition != object.Healthy {
		t.Errorf("sensitive %v, depends on %v", web.Sensitive, web.DependsOn)
	}
}

func TestRecordThatCannotBeReadIsRefused(t *testing.T) {
	for rule, tc := range map[string]struct{ text, says string }{
		"a newer format, told in another way": {`{"format":99,"objects":"elsewhere"}`, "format 99 is not known"},
		"no format at all":                    {`{"objects":[]}`, "format 0 is not known"},
		"no JSON":                             {`{`, "unexpected end"},
	} {
		t.Run(rule, func(t *testing.T) {
			_, err := decodeRecord(packed(t, tc.text))
			if ReasonOf(err) != ReasonInvalid || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "docker config rm keel.shop.v7") {
				t.Errorf("got %v, want Invalid that says %q and what to do", err, tc.says)
			}
		})
	}
}
