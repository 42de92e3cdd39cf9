package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/go-units"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// hint says what usually helps, with what of the service has to do with it. It looks at the engine's words because
// the engine gives nothing else; it decides nothing but a line of text.
func (r *rollout) hint(w *watch, tasks []Task) string {
	spec := r.spec(w.key)
	for _, t := range tasks {
		switch text := strings.ToLower(t.Err); {
		case strings.Contains(text, "no such image"):
			hint := "The node does not have the image and could not pull it: check the name and tag, that the node reaches the registry, and its credentials."
			if r.core.resolver != nil {
				hint += " " + r.core.resolver.CredentialFor(t.Image)
			}
			return strings.TrimSpace(hint)
		case strings.Contains(text, "host-mode port already in use"):
			return r.portHint(w, spec)
		case strings.Contains(text, "insufficient resources") && reserves(spec) != "":
			return "No node has left what each task reserves (" + reserves(spec) + "): reserve less, or make room. `docker node inspect` tells what a node has."
		case strings.Contains(text, "no suitable node"):
			return constraintHint(spec)
		case strings.Contains(text, "bind source path does not exist"):
			return "The directory must exist on every node that may run the task: create it, or pin the service with a constraint."
		case strings.Contains(text, "unhealthy"):
			return "The healthcheck does not pass: look at its test, start_period and timeout."
		case t.ExitCode != nil && *t.ExitCode == killed:
			return memoryHint(spec)
		case t.State == "complete":
			return endedHint(spec)
		}
	}
	return ""
}

// spec is what is desired of a service; empty when it is not known.
func (r *rollout) spec(key string) *swarm.ServiceSpec {
	for _, o := range r.plan.Release.ofKind(object.KindService) {
		if spec, ok := o.Spec.(*swarm.ServiceSpec); ok && o.Key == key {
			return spec
		}
	}
	return &swarm.ServiceSpec{}
}

// portHint names the host-mode ports of a service, and who else publishes one of them.
func (r *rollout) portHint(w *watch, spec *swarm.ServiceSpec) string {
	mine := hostPorts(spec)
	var others []string
	for i := range r.plan.state.Live {
		l := &r.plan.state.Live[i]
		other, ok := l.Spec.(*swarm.ServiceSpec)
		if !ok || l.Name == w.service {
			continue
		}
		if slices.ContainsFunc(hostPorts(other), func(p string) bool { return slices.Contains(mine, p) }) {
			others = append(others, l.Name)
		}
	}
	slices.Sort(others)
	ports := strings.Join(mine, ", ")
	if len(others) > 0 {
		return fmt.Sprintf("Of the ports that it publishes on the node itself (%s) one is published by %s as well: use another port, or keep the two on different nodes.",
			ports, strings.Join(others, ", "))
	}
	return fmt.Sprintf("Every node that fits has a task which publishes the same port (%s): use fewer replicas, another port, or order: stop-first.", ports)
}

// hostPorts lists the ports that a service publishes on its nodes, like "8080/tcp".
func hostPorts(spec *swarm.ServiceSpec) []string {
	if spec.EndpointSpec == nil {
		return nil
	}
	var out []string
	for _, p := range spec.EndpointSpec.Ports {
		if p.PublishMode == swarm.PortConfigPublishModeHost && p.PublishedPort != 0 {
			protocol := p.Protocol
			if protocol == "" {
				protocol = swarm.PortConfigProtocolTCP
			}
			out = append(out, fmt.Sprintf("%d/%s", p.PublishedPort, protocol))
		}
	}
	return out
}

// reserves lists what a task sets aside of a node; "" for nothing.
func reserves(spec *swarm.ServiceSpec) string {
	if spec.TaskTemplate.Resources == nil || spec.TaskTemplate.Resources.Reservations == nil {
		return ""
	}
	r, parts := spec.TaskTemplate.Resources.Reservations, []string{}
	if r.NanoCPUs > 0 {
		parts = append(parts, fmt.Sprintf("%g CPUs", float64(r.NanoCPUs)/1e9))
	}
	if r.MemoryBytes > 0 {
		parts = append(parts, units.BytesSize(float64(r.MemoryBytes))+" of memory")
	}
	return strings.Join(parts, ", ")
}

func constraintHint(spec *swarm.ServiceSpec) string {
	const check = "compare with `docker node ls` and the nodes' labels."
	if p := spec.TaskTemplate.Placement; p != nil && len(p.Constraints) > 0 {
		return "No node fits. Its constraints are " + strings.Join(p.Constraints, ", ") + "; reservations and platforms count as well: " + check
	}
	return "No node fits. Reservations, platforms and the limit of replicas per node count: " + check
}

// killed is the exit code of a program that SIGKILL ended. The engine knows when that was for want of memory, and does
// not pass it on.
const killed = 137

func memoryHint(spec *swarm.ServiceSpec) string {
	if r := spec.TaskTemplate.Resources; r != nil && r.Limits != nil && r.Limits.MemoryBytes > 0 {
		return "Exit code 137: it was killed, most likely because it needs more memory than its limit of " + units.BytesSize(float64(r.Limits.MemoryBytes)) + "."
	}
	return "Exit code 137: it was killed, most likely because its node had no memory left. The node's kernel log tells."
}

// endedHint is about a task that ended with 0 and was to go on. The engine stops a container whose healthcheck fails,
// and tells it from one that finished only by the exit code: https://github.com/moby/moby, daemon/cluster/executor/container/controller.go.
func endedHint(spec *swarm.ServiceSpec) string {
	const hint = "A service is meant to run on, and its program ended by itself: keep it in the foreground, or declare a job (mode: replicated-job) or restart_policy condition on-failure."
	if c := spec.TaskTemplate.ContainerSpec; c != nil && c.Healthcheck != nil && !slices.Equal(c.Healthcheck.Test, []string{"NONE"}) {
		return "Either its healthcheck does not pass (the engine then stops the container, which may well end with 0): look at its test, start_period and timeout. Or the program ended by itself."
	}
	return hint
}
