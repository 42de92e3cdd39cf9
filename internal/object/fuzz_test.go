package object

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/docker/docker/api/types/swarm"
)

// FuzzServiceForm gives the canonical form any service spec that JSON can
// describe: it never panics, changes nothing, has one answer, and its JSON reads
// back as the same form.
func FuzzServiceForm(f *testing.F) {
	f.Add([]byte(`{}`), true)
	f.Add([]byte(`{"TaskTemplate":{"ContainerSpec":{"Env":["A","A=1"],"Secrets":[null,{}],"Ulimits":[null],"Mounts":[{}]},"Resources":{"Limits":{"NanoCPUs":-1}}},"Mode":{"Global":{}},"EndpointSpec":{"Ports":[{}]}}`), false)
	f.Add([]byte(`{"Mode":{"Replicated":{"Replicas":18446744073709551615}},"UpdateConfig":{"MaxFailureRatio":0.1}}`), true)
	f.Add([]byte(`{"TaskTemplate":{"ContainerSpec":{"Image":"a@","Privileges":{"Seccomp":{"Profile":"/w=="}}},"PluginSpec":{}}}`), true)
	f.Fuzz(func(t *testing.T, text []byte, live bool) {
		s := &swarm.ServiceSpec{}
		if json.Unmarshal(text, s) != nil {
			return
		}
		before, err := json.Marshal(s)
		if err != nil {
			return
		}
		form, err := service(s).Form(View{Live: live})
		if after, _ := json.Marshal(s); string(after) != string(before) {
			t.Fatalf("the spec changed from %s to %s", before, after)
		}
		if err != nil {
			return
		}
		again, err := ParseForm(form.JSON())
		if err != nil || !again.Equal(form) || len(Diff(again, form)) > 0 {
			t.Fatalf("%s reads back as %s, %v", form.JSON(), again.JSON(), err)
		}
		if d := Diff(form, mustForm(t, service(clone(s)), View{Live: live})); len(d) > 0 {
			t.Fatalf("two answers differ in %v", paths(d))
		}
	})
}

// FuzzObjectDecode reads objects as a damaged or foreign record may hold them:
// what is read can be written, and reads back as the same.
func FuzzObjectDecode(f *testing.F) {
	for _, o := range oneOfEach() {
		text, err := json.Marshal(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var o Object
		if json.Unmarshal(text, &o) != nil {
			return
		}
		once, err := json.Marshal(o)
		if err != nil {
			t.Fatalf("cannot be written: %v", err)
		}
		var again Object
		if err := json.Unmarshal(once, &again); err != nil {
			t.Fatalf("%s cannot be read back: %v", once, err)
		}
		twice, err := json.Marshal(again)
		if err != nil || string(twice) != string(once) {
			t.Fatalf("%s became %s, %v", once, twice, err)
		}
		if cloned, err := json.Marshal(o.Clone()); err != nil || string(cloned) != string(once) {
			t.Fatalf("the clone of %s is %s, %v", once, cloned, err)
		}
		Volumes([]Object{o}, "shop")
	})
}

// BenchmarkPlanForms compares 300 services of 20 labels and 20 variables each
// with what is live.
func BenchmarkPlanForms(b *testing.B) {
	s := spec(withPorts(swarm.PortConfig{TargetPort: 80}))
	s.Labels = map[string]string{}
	for i := range 20 {
		s.Labels[fmt.Sprint("label.", i)] = "x"
		s.TaskTemplate.ContainerSpec.Env = append(s.TaskTemplate.ContainerSpec.Env, fmt.Sprint("VAR_", i, "=x"))
	}
	o := service(s)
	for b.Loop() {
		for range 300 {
			desired, err := o.Form(View{})
			if err != nil {
				b.Fatal(err)
			}
			live, err := o.Form(View{Declared: &o})
			if err != nil {
				b.Fatal(err)
			}
			if d := Diff(desired, live); len(d) > 0 {
				b.Fatal(d)
			}
		}
	}
}
