package render

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/distribution/reference"
	"github.com/docker/cli/cli/compose/types"
)

// maxServiceNameChars and dnsName are swarmkit's rule for the names of services
// and networks (manager/controlapi/common.go, validateAnnotations).
const maxServiceNameChars = 63

var dnsName = regexp.MustCompile(`^[a-zA-Z0-9](?:[-_]*[A-Za-z0-9]+)*$`)

// What the engine assumes when a Compose file says nothing.
const (
	defaultMonitor             = 5 * time.Second
	defaultHealthcheckInterval = 30 * time.Second
	defaultHealthcheckRetries  = 3
)

// checkApplication looks at the services together.
func (a *applicationRenderer) checkApplication() {
	a.files()
	if len(a.config.Services) == 0 && len(a.profiled) == 0 && !a.report.isDamagedBelow(path{"services"}) {
		a.errorAt(path{"services"}, "No service", "The Compose files declare no service, so there is nothing to deploy.")
	}
	for _, key := range sortedKeys(a.config.Volumes) {
		a.checkLabels(a.config.Volumes[key].Labels, path{"volumes", key, "labels"})
	}
	a.checkPublishedPorts()
}

type portUse struct {
	service string
	mode    string
}

// checkPublishedPorts applies swarmkit's rules (controlapi: validateEndpointSpec,
// checkPortConflicts): within a service a port is published once; between
// services an ingress port is exclusive, and host-mode ports may repeat, as they
// can land on different nodes.
func (a *applicationRenderer) checkPublishedPorts() {
	type port struct {
		published uint32
		protocol  string
	}
	uses := map[port]portUse{}
	for _, service := range a.config.Services {
		own := map[port]bool{}
		for _, c := range service.Ports {
			id := port{c.Published, protocolOf(c)}
			if c.Published == 0 {
				continue
			}
			at := a.portPlace(service.Name, id.published, id.protocol)
			p := path{"services", service.Name, "ports"}
			if own[id] {
				a.report.errorAt(at, p, fmt.Sprintf("Port %d/%s is published twice", id.published, id.protocol),
					fmt.Sprintf("Service %s publishes it more than once. Remove one of the two.", service.Name))
				continue
			}
			own[id] = true
			other, taken := uses[id]
			if taken && (modeOf(c) == "ingress" || other.mode == "ingress") {
				a.report.errorAt(at, p, fmt.Sprintf("Port %d/%s is published by two services", id.published, id.protocol),
					fmt.Sprintf("Service %s publishes it too. An ingress port is taken on all nodes: publish another one.", other.service))
				continue
			}
			uses[id] = portUse{service.Name, modeOf(c)}
		}
	}
}

func protocolOf(p types.ServicePortConfig) string {
	if p.Protocol == "" {
		return "tcp"
	}
	return p.Protocol
}

func modeOf(p types.ServicePortConfig) string {
	if p.Mode == "" {
		return "ingress"
	}
	return p.Mode
}

// portPlace is where a published port was written; the last place, because that
// is the one at fault when there are two.
func (s *stack) portPlace(service string, published uint32, protocol string) place {
	written := s.ports[service]
	for i := len(written) - 1; i >= 0; i-- {
		w := written[i]
		if w.protocol == protocol && w.first <= published && published <= w.last {
			return w.at
		}
	}
	return s.at(path{"services", service, "ports"})
}

func (a *applicationRenderer) checkService(service types.ServiceConfig, p path) {
	name := a.namespace.Scope(service.Name)
	if len(name) > maxServiceNameChars || !dnsName.MatchString(name) {
		a.errorAt(p, fmt.Sprintf("Invalid name of service %s", service.Name),
			fmt.Sprintf("At the engine it is %q: a name has at most %d letters, digits, `-` and `_`, and starts and ends with a letter or digit.", name, maxServiceNameChars))
	}
	a.checkImage(service, p)
	a.checkLabels(service.Labels, p.with("labels"))
	a.checkLabels(service.Deploy.Labels, p.with("deploy", "labels"))
	a.checkMode(service, p)
	a.checkEndpoint(service, p)
	a.checkRollout(service, p)
	a.checkRestart(service, p)
	a.checkMountTargets(service, p)
}

func (a *applicationRenderer) checkImage(service types.ServiceConfig, p path) {
	built, isBuilt := a.built[service.Name]
	switch {
	case a.report.isDamaged(p.with("image")), service.Image == "" && a.report.isDamaged(p.with("extends")):
	case service.Image == "" && isBuilt:
		a.report.errorAt(built, p, fmt.Sprintf("Service %s has no image", service.Name),
			"Swarm builds nothing. Build and push the image, and name it under `image:`.")
	case service.Image == "":
		a.errorAt(p, fmt.Sprintf("Service %s has no image", service.Name), "Every service needs `image:`.")
	default:
		if _, err := reference.ParseAnyReference(service.Image); err != nil {
			a.errorAt(p.with("image"), fmt.Sprintf("Invalid image of service %s", service.Name),
				fmt.Sprintf("%q is no image reference: %v.", excerpt(service.Image), err))
		}
		if isBuilt {
			a.report.warnAt(built, p, fmt.Sprintf("%s.build has no effect on Swarm", p), fmt.Sprintf("Swarm builds nothing and runs %s as it is in the registry.", service.Image))
		}
	}
}

func (a *applicationRenderer) checkMode(service types.ServiceConfig, p path) {
	mode := service.Deploy.Mode
	if service.Deploy.Replicas != nil && strings.HasPrefix(mode, "global") {
		a.errorAt(p.with("deploy", "replicas"), fmt.Sprintf("Service %s is global and has replicas", service.Name),
			"A global service has one task on every node. Remove replicas, or set mode: replicated.")
	}
	if !strings.HasSuffix(mode, "-job") {
		return
	}
	if service.Deploy.UpdateConfig != nil {
		a.errorAt(p.with("deploy", "update_config"), fmt.Sprintf("Job %s has an update_config", service.Name), "Swarm refuses it for jobs. Remove it.")
	}
}

func (a *applicationRenderer) checkEndpoint(service types.ServiceConfig, p path) {
	if service.Deploy.EndpointMode != "dnsrr" {
		return
	}
	for _, port := range service.Ports {
		if modeOf(port) == "ingress" {
			a.report.errorAt(a.portPlace(service.Name, port.Published, protocolOf(port)), p.with("ports"),
				fmt.Sprintf("Service %s publishes an ingress port with endpoint_mode dnsrr", service.Name),
				"Swarm refuses this: without a virtual IP there is no routing mesh. Publish with mode: host, or use endpoint_mode: vip.")
			return
		}
	}
}

// checkRollout looks for updates that can never finish, or finish too early.
func (a *applicationRenderer) checkRollout(service types.ServiceConfig, p path) {
	update := service.Deploy.UpdateConfig
	if update == nil {
		return
	}
	at := p.with("deploy", "update_config")
	if update.Order == "start-first" && publishesOnHost(service) {
		if service.Deploy.Mode == "global" {
			a.errorAt(at.with("order"), fmt.Sprintf("An update of %s could never finish", service.Name),
				"It is global, publishes a host-mode port, and start-first starts the new task while the old one still holds the port. Use order: stop-first.")
		} else {
			a.warnAt(at.with("order"), fmt.Sprintf("An update of %s needs a free node", service.Name),
				"It publishes a host-mode port, and start-first starts the new task while the old one still holds the port: this needs more nodes than replicas. Use order: stop-first otherwise.")
		}
	}
	monitor := time.Duration(update.Monitor)
	if monitor == 0 {
		monitor = defaultMonitor
	}
	if failing := timeToFail(service.HealthCheck); monitor < failing {
		a.warnAt(at, fmt.Sprintf("The updates of %s are watched too briefly", service.Name),
			fmt.Sprintf("Its healthcheck takes %s to fail (start_period + interval × retries), and monitor is %s: a task that turns unhealthy later does not stop the update. Set monitor to more.", failing, monitor))
	}
}

func publishesOnHost(service types.ServiceConfig) bool {
	for _, port := range service.Ports {
		if modeOf(port) == "host" && port.Published != 0 {
			return true
		}
	}
	return false
}

// timeToFail is how long a healthcheck needs to call a task unhealthy; 0 without
// one.
func timeToFail(check *types.HealthCheckConfig) time.Duration {
	if check == nil || check.Disable || len(check.Test) == 0 || check.Test[0] == "NONE" {
		return 0
	}
	interval, retries, start := defaultHealthcheckInterval, uint64(defaultHealthcheckRetries), time.Duration(0)
	if check.Interval != nil && *check.Interval != 0 {
		interval = time.Duration(*check.Interval)
	}
	if check.Retries != nil && *check.Retries != 0 {
		retries = *check.Retries
	}
	if check.StartPeriod != nil {
		start = time.Duration(*check.StartPeriod)
	}
	return start + interval*time.Duration(retries)
}

// checkRestart says when `restart` does not do what it says: convert honours it
// as long as there is no deploy.restart_policy, except for "no".
func (a *applicationRenderer) checkRestart(service types.ServiceConfig, p path) {
	at := p.with("restart")
	switch {
	case service.Restart == "":
	case service.Deploy.RestartPolicy != nil:
		a.warnAt(at, fmt.Sprintf("%s has no effect on Swarm", at), "deploy.restart_policy is set and wins. Remove it.")
	case service.Restart == "no":
		a.warnAt(at, fmt.Sprintf("%s has no effect on Swarm", at), "Swarm restarts tasks that end. Set deploy.restart_policy.condition to none, or deploy.mode to replicated-job.")
	}
}

// checkMountTargets applies swarmkit's rule that a mount point is used once.
func (a *applicationRenderer) checkMountTargets(service types.ServiceConfig, p path) {
	seen := map[string]bool{}
	for _, v := range service.Volumes {
		if seen[v.Target] {
			a.errorAt(p.with("volumes"), fmt.Sprintf("Service %s mounts two volumes at one place", service.Name),
				fmt.Sprintf("%q is the target of two volumes. Remove one of the two.", excerpt(v.Target)))
		}
		seen[v.Target] = true
	}
}
