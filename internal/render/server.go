package render

import (
	"fmt"
	"sort"
	"time"

	"github.com/docker/cli/cli/compose/convert"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// server renders a release around one service that the provider knows from the
// inside: a database, a registry, a tunnel. It gives objects the names and labels
// that `docker stack deploy` would, and collects problems.
type server struct {
	report
	// kind and name are those of the release.
	kind, name string
	namespace  convert.Namespace
	out        Rendered
}

func newServer(kind, name string) *server {
	s := &server{kind: kind, name: name, namespace: convert.NewNamespace(name)}
	checkReleaseName(name, &s.report)
	return s
}

// result is what has been added, or nothing when there is an error.
func (s *server) result() (*Rendered, spec.Problems) {
	s.problems.Sort()
	if s.problems.HasErrors() {
		return nil, s.problems
	}
	order := map[object.Kind]int{object.KindNetwork: 0, object.KindSecret: 1, object.KindConfig: 2, object.KindService: 3}
	sort.Slice(s.out.Objects, func(i, j int) bool {
		a, b := s.out.Objects[i], s.out.Objects[j]
		if a.Kind != b.Kind {
			return order[a.Kind] < order[b.Kind]
		}
		return a.Key < b.Key
	})
	return &s.out, s.problems
}

// labels are those that Docker's stack commands go by, as a map of its own.
func (s *server) labels() map[string]string { return convert.AddStackLabel(s.namespace, nil) }

// ServerNetwork is the real name of the network that a server's clients join.
func ServerNetwork(release string) string { return convert.NewNamespace(release).Scope(defaultNetwork) }

// network adds an overlay network that containers outside of the release may be
// attached to as well, and returns its real name.
func (s *server) network(key string) string {
	name := s.namespace.Scope(key)
	s.out.Objects = append(s.out.Objects, object.Object{
		Kind: object.KindNetwork, Key: key, Name: name,
		Spec: &object.NetworkSpec{Name: name, Options: network.CreateOptions{Driver: overlayDriver, Attachable: true, Labels: s.labels()}},
	})
	return name
}

// secret adds a secret of known content, and returns its real name.
func (s *server) secret(key string, content []byte) string {
	s.out.Sensitive = append(s.out.Sensitive, string(content))
	return s.addSecret(key, content, content, nil)
}

// derived adds a secret whose content is made when it is created, from inputs that
// tell whether it has to be made anew, and returns its real name.
func (s *server) derived(key string, inputs []byte, how *object.Derived) string {
	return s.addSecret(key, nil, inputs, how)
}

func (s *server) addSecret(key string, content, identity []byte, how *object.Derived) string {
	fingerprint := object.SecretFingerprint(s.kind, s.name, key, identity)
	name := object.ContentName(s.name, key, fingerprint)
	s.out.Objects = append(s.out.Objects, object.Object{
		Kind: object.KindSecret, Key: key, Name: name, Fingerprint: fingerprint, Derived: how,
		Spec: &swarm.SecretSpec{Annotations: swarm.Annotations{Name: name, Labels: s.labels()}, Data: content},
	})
	return name
}

// mountSecret mounts a secret, by its real name, as /run/secrets/<file>, readable
// by every user that an image's server may run as.
func mountSecret(name, file string) *swarm.SecretReference {
	return &swarm.SecretReference{
		SecretName: name,
		File:       &swarm.SecretReferenceFileTarget{Name: file, UID: "0", GID: "0", Mode: defaultFileMode},
	}
}

// DataKey is the key of the volume of a server that has one.
const DataKey = "data"

// DataVolume is the real name of that volume.
func DataVolume(release string) string { return convert.NewNamespace(release).Scope(DataKey) }

// volume mounts the data of the node that the task runs on.
func (s *server) volume(target string) mount.Mount {
	return mount.Mount{
		Type: mount.TypeVolume, Source: DataVolume(s.name), Target: target,
		// The labels that convert writes, and none of ours, see the package's
		// documentation of ownership.
		VolumeOptions: &mount.VolumeOptions{Labels: s.labels()},
	}
}

// Policies of a server's service. An update that fails is paused, which is the
// evidence that the core takes the release back on. Two seconds suffice for the
// monitor, because a task counts as running only when its healthcheck says so.
const (
	serverMonitor      = 2 * time.Second
	serverRestartDelay = 2 * time.Second
)

// service is the frame of a server's service: replicated once, restarted whenever
// it ends, updated in the given order, and found by the addresses of its tasks.
func (s *server) service(key, image, order string) *swarm.ServiceSpec {
	spec := s.frame(key, image)
	one, delay := uint64(1), serverRestartDelay
	spec.Mode.Replicated = &swarm.ReplicatedService{Replicas: &one}
	spec.TaskTemplate.RestartPolicy = &swarm.RestartPolicy{Condition: swarm.RestartPolicyConditionAny, Delay: &delay}
	policy := swarm.UpdateConfig{Parallelism: 1, FailureAction: swarm.UpdateFailureActionPause, Monitor: serverMonitor, Order: order}
	back := policy
	spec.UpdateConfig, spec.RollbackConfig = &policy, &back
	spec.EndpointSpec = &swarm.EndpointSpec{Mode: swarm.ResolutionModeDNSRR}
	return spec
}

// job is the frame of a job that runs once: one task, or one on every node that
// the placement allows.
func (s *server) job(key, image string, everywhere bool) *swarm.ServiceSpec {
	spec := s.frame(key, image)
	if everywhere {
		spec.Mode.Global = &swarm.GlobalService{}
	} else {
		one := uint64(1)
		spec.Mode.Replicated = &swarm.ReplicatedService{Replicas: &one}
	}
	spec.TaskTemplate.RestartPolicy = &swarm.RestartPolicy{Condition: swarm.RestartPolicyConditionNone}
	return spec
}

func (s *server) frame(key, image string) *swarm.ServiceSpec {
	labels := s.labels()
	labels[convert.LabelImage] = image
	return &swarm.ServiceSpec{
		Annotations: swarm.Annotations{Name: s.namespace.Scope(key), Labels: labels},
		TaskTemplate: swarm.TaskSpec{
			ContainerSpec: &swarm.ContainerSpec{Image: object.NormalizeImage(image), Labels: s.labels()},
		},
	}
}

// serviceObject is the object of a service or job.
func serviceObject(key string, spec *swarm.ServiceSpec) object.Object {
	return object.Object{Kind: object.KindService, Key: key, Name: spec.Name, Spec: spec}
}

// attach puts a service on a network, where it is known by the aliases besides
// the names that the engine gives.
func attach(spec *swarm.ServiceSpec, network string, aliases ...string) {
	spec.TaskTemplate.Networks = append(spec.TaskTemplate.Networks, swarm.NetworkAttachmentConfig{Target: network, Aliases: aliases})
}

// environment is a set of variables as a service spec has them, sorted.
func environment(variables map[string]string) []string {
	list := make([]string, 0, len(variables))
	for _, name := range sortedKeys(variables) {
		list = append(list, fmt.Sprintf("%s=%s", name, variables[name]))
	}
	return list
}

// config adds a config, and returns its real name.
func (s *server) config(key string, content []byte) string {
	spec := &swarm.ConfigSpec{Annotations: swarm.Annotations{Labels: s.labels()}, Data: content}
	fingerprint := object.ConfigFingerprint(spec)
	spec.Name = object.ContentName(s.name, key, fingerprint)
	s.out.Objects = append(s.out.Objects, object.Object{Kind: object.KindConfig, Key: key, Name: spec.Name, Fingerprint: fingerprint, Spec: spec})
	return spec.Name
}

// mountConfig mounts a config, by its real name, as a file.
func mountConfig(name, file string) *swarm.ConfigReference {
	return &swarm.ConfigReference{
		ConfigName: name,
		File:       &swarm.ConfigReferenceFileTarget{Name: file, UID: "0", GID: "0", Mode: defaultFileMode},
	}
}
