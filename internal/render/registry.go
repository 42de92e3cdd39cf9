package render

import (
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// kindRegistry is the kind of release in fingerprints.
const kindRegistry = "registry"

// Names within a registry's release, and places in its container.
const (
	registryKey      = "registry"
	registryData     = "/var/lib/registry"
	registryPort     = 5000
	registryConfig   = "config.yml"
	registryPassword = "htpasswd"
)

// Registry renders a container registry. It returns every problem it finds; with
// an error among them there are no objects.
//
// The settings go in as environment over a configuration file of constants: what
// the plan shows is the difference, and only what is secret is in secrets.
func Registry(r spec.Registry) (*Rendered, spec.Problems) {
	s := newServer(kindRegistry, r.Name)
	s.checkImage(r.Image)
	s.checkRegistryAddress(r)
	s.checkUsers(r.Users)
	for _, user := range sortedKeys(r.Users) {
		s.out.Sensitive = append(s.out.Sensitive, r.Users[user])
	}

	// One at a time: two registries on one volume would not see each other's
	// uploads, and a host-mode port is taken.
	service := s.service(registryKey, r.Image, swarm.UpdateOrderStopFirst)
	if r.PublishMode == spec.PublishIngress {
		service.EndpointSpec.Mode = swarm.ResolutionModeVIP
	}
	service.EndpointSpec.Ports = []swarm.PortConfig{{
		Protocol: swarm.PortConfigProtocolTCP, TargetPort: registryPort,
		PublishedPort: r.Port, PublishMode: swarm.PortConfigPublishMode(r.PublishMode),
	}}
	network := s.network(defaultNetwork)
	attach(service, network, registryKey)
	task := &service.TaskTemplate
	task.Resources, task.Placement = s.resources(r.Resources), s.placement(r.Placement)
	task.ContainerSpec.Args = []string{"serve", "/run/secrets/" + registryConfig}
	task.ContainerSpec.Env = registryEnvironment()
	task.ContainerSpec.Mounts = append(task.ContainerSpec.Mounts, s.volume(registryData))
	task.ContainerSpec.Secrets = []*swarm.SecretReference{
		mountSecret(s.registryConfig(), registryConfig),
		mountSecret(s.htpasswd(r.Users), registryPassword),
	}
	task.ContainerSpec.Healthcheck = registryHealth()
	s.out.Objects = append(s.out.Objects, serviceObject(registryKey, service))
	s.out.Local = []string{registryKey}
	s.out.After = []object.OneShot{s.asksForPassword(r, network, task.Placement)}
	return s.result()
}

// registryEnvironment are the settings that are no secret.
func registryEnvironment() []string {
	return environment(map[string]string{
		"REGISTRY_AUTH":                   "htpasswd",
		"REGISTRY_AUTH_HTPASSWD_PATH":     "/run/secrets/" + registryPassword,
		"REGISTRY_AUTH_HTPASSWD_REALM":    "Registry",
		"REGISTRY_STORAGE_DELETE_ENABLED": "true",
		// Version 3 sends traces to a collector at localhost unless it is told not to.
		"OTEL_TRACES_EXPORTER": "none",
	})
}

// registryHealth asks for the root, which the registry answers without a password
// (`alive` in registry/registry.go of distribution, 2.8 and 3).
func registryHealth() *container.HealthConfig {
	return &container.HealthConfig{
		Test:     []string{"CMD", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1:5000/"},
		Interval: 2 * time.Second, Timeout: 5 * time.Second, Retries: 5, StartPeriod: 30 * time.Second,
	}
}
