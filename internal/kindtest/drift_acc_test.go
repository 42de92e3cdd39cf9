package kindtest

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest/canonical"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccDrift changes the service of each kind behind Terraform's back, every field of the canonical table once: it is
// reported with the service and the field, and with nothing else. What is removed is reported as missing. An apply heals
// it; what nobody has touched is in sync.
func TestAccDrift(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		r := newRelease(t, k, direct)
		r.declare(version{})
		r.Apply()
		row := r.store()
		providertest.InSync(t, r.Swarm, r.name)
		r.everyField()
		shown := r.Plan(2, "-refresh-only").Drift(t, k.resource)
		if paths := shown.Take("service/" + k.service); !slices.Equal(topLevel(paths), []string{"env", "replicas", "stop_grace_period"}) {
			t.Errorf("the refresh-only plan shows of the service %v, want env, replicas and stop_grace_period", paths)
		}
		for element := range shown.Rest() {
			if isObject(element) {
				t.Errorf("the refresh-only plan shows more than was moved: %s", element)
			}
		}
		r.heals(row)
		r.everythingRemoved()
		r.heals(row)
		r.destroy()
	})
}

// heals applies, after which the release is as declared and has its rows.
func (r *release) heals(row string) {
	r.T.Helper()
	r.Apply()
	r.works(row)
	r.Settled()
	providertest.InSync(r.T, r.Swarm, r.name)
	r.holds(version{})
}

// everyField moves one field after the other, each from the declared service, and leaves two of them moved. The service has
// no tasks meanwhile: two servers at a time would spoil a volume, and not everything that can be declared runs.
func (r *release) everyField() {
	r.T.Helper()
	known := r.strangers()
	r.UpdateService(r.T, r.serviceName(), func(s *swarm.ServiceSpec) { s.Mode.Replicated.Replicas = new(uint64) })
	resting := r.Service(r.T, r.serviceName()).Spec
	acctest.Wait(r.T, time.Minute, "the server has ended", func() bool {
		tasks, err := r.Client().TaskList(r.T.Context(), swarm.TaskListOptions{Filters: filters.NewArgs(filters.Arg("service", r.serviceName()))})
		return err == nil && !slices.ContainsFunc(tasks, func(t swarm.Task) bool { return t.Status.State == swarm.TaskStateRunning })
	})
	api, impossible, moved := r.Client().ClientVersion(), []string{}, 0
	for _, row := range canonical.Rows() {
		if !row.Suits(api) || row.Rule == "replicas" {
			continue
		}
		if !r.rewrite(resting, known, row.Change) {
			impossible = append(impossible, row.Rule)
			continue
		}
		moved++
		want := []string{"replicas", row.Field()}
		slices.Sort(want)
		found := providertest.Drift(r.T, r.Swarm, r.name)
		if fields := topLevel(found.Take("service/" + r.kind.service)); !slices.Equal(fields, want) {
			r.T.Errorf("%s: of the service are reported %v, want %v", row.Rule, fields, want)
		}
		if row.Field() == "mounts" {
			for _, volume := range r.volumeElements() { // volumes are what the mounts of services say
				found.Take(volume)
			}
		}
		if rest := found.Rest(); len(rest) > 0 {
			r.T.Errorf("%s: reported is more than was moved: %v", row.Rule, rest)
		}
	}
	r.T.Logf("%d fields were moved; the engine takes no other value of %v", moved, impossible)
	if moved < 80 {
		r.T.Errorf("only %d fields were moved", moved)
	}
	r.rewrite(resting, known, func(x *canonical.Target) {
		grace := time.Second
		x.Container.Env, x.Container.StopGracePeriod = append(x.Container.Env, "MOVED=1"), &grace
	})
}

// rewrite gives the service a changed spec by hand. It returns false where that changes nothing or the engine refuses it.
func (r *release) rewrite(from swarm.ServiceSpec, known canonical.Names, change func(*canonical.Target)) bool {
	r.T.Helper()
	live := r.Service(r.T, r.serviceName())
	spec := copied(r.T, from)
	change(canonical.On(&spec, known))
	if reflect.DeepEqual(spec, copied(r.T, from)) {
		return false
	}
	_, err := r.Client().ServiceUpdate(r.T.Context(), live.ID, live.Version, spec, swarm.ServiceUpdateOptions{})
	for try := 0; err != nil && strings.Contains(err.Error(), "update out of sequence") && try < 10; try++ {
		live = r.Service(r.T, r.serviceName()) // Swarm moves the version itself
		_, err = r.Client().ServiceUpdate(r.T.Context(), live.ID, live.Version, spec, swarm.ServiceUpdateOptions{})
	}
	if err != nil && !errdefs.IsInvalidArgument(err) {
		r.T.Fatal(err)
	}
	return err == nil
}

// strangers makes what the service may be made to refer to.
func (r *release) strangers() canonical.Names {
	r.T.Helper()
	name := r.name + "-stranger"
	known := canonical.Names{
		Other:    r.Docker(r.T, "network", "create", "--driver", "overlay", name),
		ConfigID: r.DockerInput(r.T, "second", "config", "create", name, "-"), ConfigName: name,
		SecretID: r.DockerInput(r.T, "second", "secret", "create", name, "-"), SecretName: name,
	}
	if networks := r.Service(r.T, r.serviceName()).Spec.TaskTemplate.Networks; len(networks) > 0 {
		known.Default = networks[0].Target
	}
	r.T.Cleanup(func() {
		for _, kind := range []string{"network", "config", "secret"} {
			acctest.Wait(r.T, time.Minute, kind+" "+name+" is removed", func() bool {
				return r.removeStranger(kind, name) == nil
			})
		}
	})
	return known
}

func (r *release) removeStranger(kind, name string) error {
	ctx := context.Background()
	switch kind {
	case "network":
		return r.Client().NetworkRemove(ctx, name)
	case "config":
		return r.Client().ConfigRemove(ctx, name)
	default:
		return r.Client().SecretRemove(ctx, name)
	}
}

// everythingRemoved removes whatever the release consists of, its records apart, and requires that each is reported.
func (r *release) everythingRemoved() {
	r.T.Helper()
	var want []string
	for _, kind := range []string{"service", "secret", "config", "network"} {
		for _, object := range r.ReleaseObjects(r.T, r.name) {
			of, name, _ := strings.Cut(object, "/")
			if of != kind || strings.HasPrefix(name, "keel") {
				continue
			}
			if kind == "service" {
				r.Docker(r.T, "service", "rm", name)
			} else {
				acctest.Wait(r.T, time.Minute, object+" is removed", func() bool { return r.removeStranger(kind, name) == nil })
			}
			key, _, _ := strings.Cut(strings.TrimPrefix(name, r.name+"_"), "-")
			want = append(want, kind+"/"+key)
		}
	}
	found := providertest.Drift(r.T, r.Swarm, r.name)
	for _, element := range append(want, r.volumeElements()...) {
		if paths := found.Take(element); !slices.Equal(paths, []string{"*"}) {
			r.T.Errorf("%s was removed, and reported of it is %v", element, paths)
		}
	}
	if rest := found.Rest(); len(rest) > 0 {
		r.T.Errorf("reported is more than was removed: %v", rest)
	}
}

// volumeElements are the volumes as elements of a report.
func (r *release) volumeElements() []string {
	var out []string
	for _, name := range r.kind.volumes {
		out = append(out, strings.Replace(name, "NAME_", "volume/", 1))
	}
	return out
}

// topLevel are the fields that leaves are of, each once.
func topLevel(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, canonical.Row{Moved: []string{p}}.Field())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// copied is a service spec that shares nothing with the one that it was made of.
func copied(t testing.TB, spec swarm.ServiceSpec) swarm.ServiceSpec {
	t.Helper()
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	var out swarm.ServiceSpec
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
