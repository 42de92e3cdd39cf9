package object

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
)

func volumeMount(source, target, driver string, labels map[string]string) mount.Mount {
	m := mount.Mount{Type: mount.TypeVolume, Source: source, Target: target, VolumeOptions: &mount.VolumeOptions{Labels: labels}}
	if driver != "" {
		m.VolumeOptions.DriverConfig = &mount.Driver{Name: driver}
	}
	return m
}

// oneOfEach returns an object of every kind.
func oneOfEach() []Object {
	return []Object{
		{
			Kind: KindService, Key: "web", Name: "shop_web",
			Spec:      spec(withEnv("A=1"), withLabels(map[string]string{"a": "1"})),
			Sensitive: []Path{{"env", "A"}},
			DependsOn: []Dependency{{Key: "db", Condition: Healthy}},
		},
		{Kind: KindNetwork, Key: "n", Name: "shop_n", Spec: &NetworkSpec{Name: "shop_n", Options: network.CreateOptions{Driver: "overlay", Labels: map[string]string{"a": "1"}}}},
		{Kind: KindConfig, Key: "c", Name: "shop_c-1", Fingerprint: "f1", FixedName: true, Spec: &swarm.ConfigSpec{Annotations: swarm.Annotations{Name: "shop_c-1"}, Data: []byte("config text")}},
		{Kind: KindSecret, Key: "s", Name: "shop_s-1", Fingerprint: "f2", Spec: &swarm.SecretSpec{Annotations: swarm.Annotations{Name: "shop_s-1"}, Data: []byte("hunter2")}},
		{Kind: KindVolume, Key: "v", Name: "shop_v", Spec: &VolumeSpec{Driver: &swarm.Driver{Name: "nfs"}}},
		{Kind: KindRecord, Key: "r", Name: "keel.shop.v1", Spec: &swarm.ConfigSpec{Data: []byte("record")}},
	}
}

func TestObjectCodec(t *testing.T) {
	objects := oneOfEach()
	text, err := json.Marshal(objects)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"config text", "Y29uZmlnIHRleHQ", "hunter2", "aHVudGVyMg"} {
		if strings.Contains(string(text), content) {
			t.Errorf("%q is in %s", content, text)
		}
	}
	if string(objects[2].Spec.(*swarm.ConfigSpec).Data) != "config text" {
		t.Error("writing took the content away from the object")
	}
	var got []Object
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for i, o := range objects {
		o.Spec = withoutContent(o.Spec)
		if !reflect.DeepEqual(got[i], o) {
			t.Errorf("%s came back as %+v, was %+v", o.Ref(), got[i], o)
		}
	}
}

func TestObjectDecodeRefusesWhatIsNoObject(t *testing.T) {
	for rule, text := range map[string]string{
		"an unknown kind":        `{"kind":"pod","key":"a","spec":{}}`,
		"no key":                 `{"kind":"service","spec":{}}`,
		"no spec":                `{"kind":"service","key":"a"}`,
		"a spec of null":         `{"kind":"service","key":"a","spec":null}`,
		"a spec of another type": `{"kind":"service","key":"a","spec":{"Labels":7}}`,
		"no object":              `[]`,
	} {
		var o Object
		if err := json.Unmarshal([]byte(text), &o); err == nil {
			t.Errorf("%s: read as %+v", rule, o)
		}
	}
}

func TestObjectDecodeDropsContent(t *testing.T) {
	for _, kind := range []Kind{KindConfig, KindSecret, KindRecord} {
		var o Object
		if err := json.Unmarshal([]byte(`{"kind":"`+string(kind)+`","key":"a","spec":{"Data":"aHVudGVyMg=="}}`), &o); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(o.Clone().Spec); err != nil || strings.Contains(string(again), "Data") {
			t.Errorf("%s came with its content: %s, %v", kind, again, err)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	for i, o := range oneOfEach() {
		c := o.Clone()
		if !reflect.DeepEqual(c, o) {
			t.Errorf("the clone of %s is %+v, not %+v", o.Ref(), c, o)
		}
		scribble(reflect.ValueOf(&c).Elem())
		if untouched := oneOfEach()[i]; !reflect.DeepEqual(o, untouched) {
			t.Errorf("writing to the clone of %s changed it to %+v", o.Ref(), o)
		}
	}
}

// scribble overwrites everything that can be reached from v.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			scribble(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			v.SetMapIndex(k, reflect.Zero(v.Type().Elem()))
		}
	default:
		if v.CanSet() {
			v.SetZero()
		}
	}
}

func TestCarryForceUpdate(t *testing.T) {
	with := func(counter uint64, trigger string) *swarm.ServiceSpec {
		s := spec(onTask(func(t *swarm.TaskSpec) { t.ForceUpdate = counter }))
		if trigger != "" {
			s.Labels = map[string]string{LabelRedeploy: trigger}
		}
		return s
	}
	for _, row := range []struct {
		rule          string
		desired, live *swarm.ServiceSpec
		want          uint64
	}{
		{"the counter of the engine is kept", with(0, ""), with(7, ""), 7},
		{"another trigger moves it on by one", with(0, "b"), with(7, "a"), 8},
		{"a first trigger too", with(0, "a"), with(7, ""), 8},
		{"the same trigger does not", with(0, "a"), with(7, "a"), 7},
		{"a recorded counter gives way to that of the engine", with(3, ""), with(7, ""), 7},
		{"a service that is created has its own", with(3, ""), nil, 3},
	} {
		t.Run(row.rule, func(t *testing.T) {
			got := CarryForceUpdate(row.desired, row.live)
			if got.TaskTemplate.ForceUpdate != row.want {
				t.Errorf("counter %d, want %d", got.TaskTemplate.ForceUpdate, row.want)
			}
			if got == row.desired {
				t.Error("no copy")
			}
		})
	}
}

func TestRenameReferences(t *testing.T) {
	o := service(spec(onContainer(func(c *swarm.ContainerSpec) {
		c.Secrets = []*swarm.SecretReference{{SecretID: "1", SecretName: "a"}, {SecretID: "2", SecretName: "b"}, nil}
		c.Configs = []*swarm.ConfigReference{{ConfigID: "3", ConfigName: "a"}, nil}
		c.Privileges = &swarm.Privileges{CredentialSpec: &swarm.CredentialSpec{Config: "a"}}
	})))
	names := func(o Object) string {
		c := o.Spec.(*swarm.ServiceSpec).TaskTemplate.ContainerSpec
		return strings.Join([]string{
			c.Secrets[0].SecretName, c.Secrets[0].SecretID, c.Secrets[1].SecretName, c.Secrets[1].SecretID,
			c.Configs[0].ConfigName, c.Configs[0].ConfigID, c.Privileges.CredentialSpec.Config,
		}, ",")
	}
	for rule, row := range map[string]struct{ got, want string }{
		"secrets of the name":            {names(RenameReferences(o, KindSecret, "a", "z")), "z,,b,2,a,3,a"},
		"configs of the name":            {names(RenameReferences(o, KindConfig, "a", "z")), "a,1,b,2,z,,z"},
		"nothing of another name":        {names(RenameReferences(o, KindSecret, "c", "z")), "a,1,b,2,a,3,a"},
		"the object itself is unchanged": {names(o), "a,1,b,2,a,3,a"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %s, want %s", rule, row.got, row.want)
		}
	}
}
