package acctest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/docker/api/types/volume"
)

// item is one object of the engine that belongs to a release.
type item struct {
	kind, name, id string
}

// ReleaseObjects lists every service, network, config and secret of a release as "kind/name", sorted: by its labels,
// by the stack label, and by the names of its records and its lease. Empty means that nothing was orphaned.
// Volumes are not in it, since they outlive a release: see ReleaseVolumes.
func (s *Swarm) ReleaseObjects(t testing.TB, release string) []string {
	t.Helper()
	items, err := s.items(context.Background(), release)
	if err != nil {
		t.Fatalf("listing the objects of %s: %v", release, err)
	}
	names := []string{}
	for _, i := range items {
		names = append(names, i.kind+"/"+i.name)
	}
	slices.Sort(names)
	return names
}

// Holds requires that the swarm has exactly the objects of these patterns of a release: kind/name, sorted, NAME for the
// release's name, HASH for the hash of a content. Its lease and its one record go without saying.
func (s *Swarm) Holds(t testing.TB, release string, patterns ...string) {
	t.Helper()
	Only(t, s.ReleaseObjects(t, release), release, patterns...)
}

// Gone requires that nothing of a release is left, volumes apart. An engine that was told to remove a network still lists it
// until the last container on it has ended.
func (s *Swarm) Gone(t testing.TB, release string) {
	t.Helper()
	var left []string
	if !poll(10*time.Second, func() bool { left = s.ReleaseObjects(t, release); return len(left) == 0 }) {
		t.Errorf("there are still %v", left)
	}
}

// Only is Holds for objects that were listed before.
func Only(t testing.TB, have []string, release string, patterns ...string) {
	t.Helper()
	want := append([]string{`config/keel-lease\.NAME`, `config/keel\.NAME\.v\d+`}, patterns...)
	text := strings.NewReplacer("NAME", regexp.QuoteMeta(release), "HASH", "[0-9a-f]{12}").Replace(strings.Join(want, "\n"))
	if !slices.IsSorted(have) || !regexp.MustCompile("^"+text+"$").MatchString(strings.Join(have, "\n")) {
		t.Errorf("there are\n%s\nwant\n%s", strings.Join(have, "\n"), text)
	}
}

// ReleaseVolumes lists the names of the first node's volumes that carry the release's stack label, sorted.
func (s *Swarm) ReleaseVolumes(t testing.TB, release string) []string {
	t.Helper()
	list, err := s.client.VolumeList(context.Background(), volume.ListOptions{Filters: filters.NewArgs(filters.Arg("label", stackLabel+"="+release))})
	if err != nil {
		t.Fatalf("listing the volumes of %s: %v", release, err)
	}
	names := []string{}
	for _, v := range list.Volumes {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	return names
}

const (
	stackLabel   = "com.docker.stack.namespace"
	releaseLabel = "io.swarmkeel.release"
)

// mine tells whether an object belongs to a release.
func mine(release, name string, labels map[string]string) bool {
	return labels[stackLabel] == release || labels[releaseLabel] == release ||
		strings.HasPrefix(name, "keel."+release+".v") || name == "keel-lease."+release
}

func (s *Swarm) items(ctx context.Context, release string) ([]item, error) {
	var items []item
	add := func(kind, name, id string, labels map[string]string) {
		if mine(release, name, labels) {
			items = append(items, item{kind, name, id})
		}
	}
	services, err := s.client.ServiceList(ctx, swarm.ServiceListOptions{})
	if err != nil {
		return nil, err
	}
	for _, o := range services {
		add("service", o.Spec.Name, o.ID, o.Spec.Labels)
	}
	configs, err := s.client.ConfigList(ctx, swarm.ConfigListOptions{})
	if err != nil {
		return nil, err
	}
	for _, o := range configs {
		add("config", o.Spec.Name, o.ID, o.Spec.Labels)
	}
	secrets, err := s.client.SecretList(ctx, swarm.SecretListOptions{})
	if err != nil {
		return nil, err
	}
	for _, o := range secrets {
		add("secret", o.Spec.Name, o.ID, o.Spec.Labels)
	}
	networks, err := s.client.NetworkList(ctx, network.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, o := range networks {
		add("network", o.Name, o.ID, o.Labels)
	}
	return items, nil // services first: they are what holds the others
}

// Sweep removes everything of a release, its volumes on the first node included.
func (s *Swarm) Sweep(t testing.TB, release string) {
	t.Helper()
	ctx := context.Background()
	var last error
	ok := poll(time.Minute, func() bool {
		var items []item
		if items, last = s.items(ctx, release); last != nil || len(items) == 0 {
			return last == nil
		}
		for _, i := range items {
			if err := s.remove(ctx, i); err != nil && !errdefs.IsNotFound(err) {
				last = fmt.Errorf("%s %s: %w", i.kind, i.name, err)
			}
		}
		return false
	})
	if !ok {
		t.Errorf("sweeping %s: %v", release, last)
		return
	}
	for _, v := range s.ReleaseVolumes(t, release) {
		// A container that still ends holds its volume for a moment, and those of jobs for good: Engine 20.10 keeps them.
		if !poll(time.Minute, func() bool {
			ended, _ := s.client.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("volume", v), filters.Arg("status", "exited"))})
			for _, c := range ended {
				_ = s.client.ContainerRemove(ctx, c.ID, container.RemoveOptions{})
			}
			last = s.client.VolumeRemove(ctx, v, true)
			return last == nil || errdefs.IsNotFound(last)
		}) {
			t.Errorf("sweeping volume %s of %s: %v", v, release, last)
		}
	}
}

func (s *Swarm) remove(ctx context.Context, i item) error {
	switch i.kind {
	case "service":
		return s.client.ServiceRemove(ctx, i.id)
	case "config":
		return s.client.ConfigRemove(ctx, i.id)
	case "secret":
		return s.client.SecretRemove(ctx, i.id)
	default:
		return s.client.NetworkRemove(ctx, i.id)
	}
}
