package canonical

import (
	"strings"
	"time"

	"github.com/docker/docker/api/types/swarm"
)

func ptr[T any](v T) *T { return &v }

// serviceRows are the fields beside the task template.
var serviceRows = []Row{
	{Rule: "replicas", Deploy: `replicas: 0, placement: {constraints: [node.labels.never==true]}`, Always: true, Moved: []string{"replicas"},
		Change: func(x *Target) { x.Mode.Replicated.Replicas = ptr(uint64(2)) }},
	{Rule: "image", Service: "image: never/there", Always: true, Moved: []string{"image"},
		Change: func(x *Target) { x.Container.Image = "never/there:2" }},
	{Rule: "image by its full name", Service: "image: docker.io/library/never:2", Always: true, Moved: []string{"image"},
		Change: func(x *Target) { x.Container.Image = "never:3" }},
	{Rule: "image pinned", Service: "image: never/there:1@sha256:" + strings.Repeat("a", 64), Always: true, Moved: []string{"image"},
		Change: func(x *Target) { x.Container.Image = "never/there:1@sha256:" + strings.Repeat("b", 64) }},
	{Rule: "labels", Deploy: `labels: {a.b: "1", c: "2"}`, Moved: []string{`labels["a.b"]`, "labels.d"},
		Change: func(x *Target) { x.Labels["a.b"], x.Labels["d"] = "x", "y" }},
	{Rule: "port published", Service: `ports: [{target: 80, published: PORT}]`, Moved: []string{"ports[0].published"},
		Change: func(x *Target) { x.port(func(p *swarm.PortConfig) { p.PublishedPort += 2000 }) }},
	{Rule: "port published that the engine chose", Service: `ports: [{target: 80}]`, Moved: []string{"ports[0].published"},
		Change: func(x *Target) {
			x.port(func(p *swarm.PortConfig) {
				p.PublishedPort = map[swarm.PortConfigPublishMode]uint32{"ingress": 25080, "host": 25081}[p.PublishMode]
			})
		}},
	{Rule: "port target", Service: `ports: [{target: 80, mode: host}]`, Moved: []string{"ports[0].target"},
		Change: func(x *Target) { x.port(func(p *swarm.PortConfig) { p.TargetPort = 81 }) }},
	{Rule: "port protocol", Service: `ports: [{target: 80, mode: host}]`, Moved: []string{"ports[0].protocol"},
		Change: func(x *Target) { x.port(func(p *swarm.PortConfig) { p.Protocol = "udp" }) }},
	{Rule: "port mode", Service: `ports: [{target: 80}]`, Moved: []string{"ports[0].mode"},
		Change: func(x *Target) { x.port(func(p *swarm.PortConfig) { p.PublishMode = "host" }) }},
	{Rule: "endpoint mode", Deploy: `endpoint_mode: dnsrr`, Moved: []string{"endpoint_mode"},
		Change: func(x *Target) {
			if x.EndpointSpec.Mode == "dnsrr" {
				x.EndpointSpec.Mode = "vip"
			} else {
				x.EndpointSpec.Mode = "dnsrr"
			}
		}},
	{Rule: "update parallelism", Deploy: `update_config: {parallelism: 2}`, Moved: []string{"update_config.parallelism"},
		Change: update(func(u *swarm.UpdateConfig) { u.Parallelism = 3 })},
	{Rule: "update delay", Deploy: `update_config: {delay: 3s}`, Moved: []string{"update_config.delay"},
		Change: update(func(u *swarm.UpdateConfig) { u.Delay = time.Second })},
	{Rule: "update failure action", Deploy: `update_config: {failure_action: rollback}`, Moved: []string{"update_config.failure_action"},
		Change: update(func(u *swarm.UpdateConfig) { u.FailureAction = "continue" })},
	{Rule: "update monitor", Deploy: `update_config: {monitor: 1ms}`, Moved: []string{"update_config.monitor"},
		Change: update(func(u *swarm.UpdateConfig) { u.Monitor = time.Second })},
	{Rule: "update failure ratio", Deploy: `update_config: {max_failure_ratio: 0.1}`, Moved: []string{"update_config.max_failure_ratio"},
		Change: update(func(u *swarm.UpdateConfig) { u.MaxFailureRatio = 0.3 })},
	{Rule: "update order", Deploy: `update_config: {order: start-first}`, Moved: []string{"update_config.order"},
		Change: update(func(u *swarm.UpdateConfig) {
			if u.Order == "start-first" {
				u.Order = "stop-first"
			} else {
				u.Order = "start-first"
			}
		})},
	{Rule: "update config of nothing", Deploy: `update_config: {}`, Moved: []string{"update_config.parallelism"},
		Change: update(func(u *swarm.UpdateConfig) { u.Parallelism = 3 })},
	{Rule: "rollback parallelism", Deploy: `rollback_config: {parallelism: 2}`, Moved: []string{"rollback_config.parallelism"},
		Change: rollback(func(u *swarm.UpdateConfig) { u.Parallelism = 3 })},
	{Rule: "rollback delay", Deploy: `rollback_config: {delay: 3s}`, Moved: []string{"rollback_config.delay"},
		Change: rollback(func(u *swarm.UpdateConfig) { u.Delay = time.Second })},
	{Rule: "rollback failure action", Deploy: `rollback_config: {failure_action: pause}`, Moved: []string{"rollback_config.failure_action"},
		Change: rollback(func(u *swarm.UpdateConfig) { u.FailureAction = "continue" })},
	{Rule: "rollback monitor", Deploy: `rollback_config: {monitor: 1s}`, Moved: []string{"rollback_config.monitor"},
		Change: rollback(func(u *swarm.UpdateConfig) { u.Monitor = time.Minute })},
	{Rule: "rollback failure ratio", Deploy: `rollback_config: {max_failure_ratio: 0.7}`, Moved: []string{"rollback_config.max_failure_ratio"},
		Change: rollback(func(u *swarm.UpdateConfig) { u.MaxFailureRatio = 0.3 })},
	{Rule: "rollback order", Deploy: `rollback_config: {order: stop-first}`, Moved: []string{"rollback_config.order"},
		Change: rollback(func(u *swarm.UpdateConfig) { u.Order = "start-first" })},
}

// port changes the first port, published first where there is none.
func (x *Target) port(change func(*swarm.PortConfig)) {
	if len(x.EndpointSpec.Ports) == 0 {
		x.EndpointSpec.Ports = []swarm.PortConfig{{TargetPort: 80, Protocol: "tcp", PublishMode: "host"}}
	}
	change(&x.EndpointSpec.Ports[0])
}

func update(change func(*swarm.UpdateConfig)) func(*Target) {
	return func(x *Target) {
		if x.UpdateConfig == nil {
			x.UpdateConfig = &swarm.UpdateConfig{Parallelism: 1}
		}
		change(x.UpdateConfig)
	}
}

func rollback(change func(*swarm.UpdateConfig)) func(*Target) {
	return func(x *Target) {
		if x.RollbackConfig == nil {
			x.RollbackConfig = &swarm.UpdateConfig{Parallelism: 1}
		}
		change(x.RollbackConfig)
	}
}

// taskRows are the fields of the task template beside its container.
var taskRows = []Row{
	{Rule: "limit of cpus", Deploy: `resources: {limits: {cpus: "0.5"}}`, Moved: []string{"limits.cpus"},
		Change: func(x *Target) { x.limits().NanoCPUs = 25e7 }},
	{Rule: "limit of memory", Deploy: `resources: {limits: {memory: 64M}}`, Moved: []string{"limits.memory"},
		Change: func(x *Target) { x.limits().MemoryBytes = 32 << 20 }},
	{Rule: "limit of pids", Deploy: `resources: {limits: {pids: 100}}`, Moved: []string{"limits.pids"},
		Change: func(x *Target) { x.limits().Pids = 50 }},
	{Rule: "reservation of cpus", Deploy: `resources: {reservations: {cpus: "0.1"}}`, Moved: []string{"reservations.cpus"},
		Change: func(x *Target) { x.reservations().NanoCPUs = 2e8 }},
	{Rule: "reservation of memory", Deploy: `resources: {reservations: {memory: 5M}}`, Moved: []string{"reservations.memory"},
		Change: func(x *Target) { x.reservations().MemoryBytes = 6 << 20 }},
	{Rule: "reservation of generic resources", Moved: []string{"reservations.generic_resources"},
		Deploy: `resources: {reservations: {generic_resources: [{discrete_resource_spec: {kind: gpu, value: 2}}]}}`,
		Change: func(x *Target) {
			x.reservations().GenericResources = []swarm.GenericResource{{DiscreteResourceSpec: &swarm.DiscreteGenericResource{Kind: "gpu", Value: 3}}}
		}},
	{Rule: "restart condition", Deploy: `restart_policy: {condition: on-failure}`, Moved: []string{"restart_policy.condition"},
		Change: restart(func(p *swarm.RestartPolicy) { p.Condition = "none" })},
	{Rule: "restart delay", Deploy: `restart_policy: {delay: 2s}`, Moved: []string{"restart_policy.delay"},
		Change: restart(func(p *swarm.RestartPolicy) { p.Delay = ptr(time.Duration(0)) })},
	{Rule: "restart attempts", Deploy: `restart_policy: {max_attempts: 3}`, Moved: []string{"restart_policy.max_attempts"},
		Change: restart(func(p *swarm.RestartPolicy) { p.MaxAttempts = ptr(uint64(4)) })},
	{Rule: "restart window", Deploy: `restart_policy: {window: 1m}`, Moved: []string{"restart_policy.window"},
		Change: restart(func(p *swarm.RestartPolicy) { p.Window = ptr(time.Hour) })},
	{Rule: "constraints", Deploy: `placement: {constraints: [node.role==manager]}`, Moved: []string{"placement.constraints"},
		Change: func(x *Target) { x.placement().Constraints = []string{"node.role==worker"} }},
	{Rule: "preferences, in order", Deploy: `placement: {preferences: [{spread: node.labels.z}, {spread: node.labels.a}]}`,
		Moved: []string{"placement.preferences[0].spread", "placement.preferences[1].spread"},
		Change: func(x *Target) {
			x.placement().Preferences = []swarm.PlacementPreference{{Spread: &swarm.SpreadOver{SpreadDescriptor: "node.labels.a"}}, {Spread: &swarm.SpreadOver{SpreadDescriptor: "node.labels.z"}}}
		}},
	{Rule: "replicas per node", Deploy: `placement: {max_replicas_per_node: 2}`, Moved: []string{"placement.max_replicas_per_node"},
		Change: func(x *Target) { x.placement().MaxReplicas = 3 }},
	{Rule: "log driver", Service: `logging: {driver: json-file}`, Moved: []string{"logging.driver"},
		Change: func(x *Target) { x.log().Name = "none" }},
	{Rule: "log options", Service: `logging: {driver: json-file, options: {max-size: 1m}}`, Moved: []string{"logging.options.max-size"},
		Change: func(x *Target) { x.log().Options = map[string]string{"max-size": "2m"} }},
}

func (x *Target) resources() *swarm.ResourceRequirements {
	return filled(&x.task().Resources)
}

func (x *Target) limits() *swarm.Limit           { return filled(&x.resources().Limits) }
func (x *Target) reservations() *swarm.Resources { return filled(&x.resources().Reservations) }
func (x *Target) placement() *swarm.Placement    { return filled(&x.task().Placement) }
func (x *Target) log() *swarm.Driver             { return filled(&x.task().LogDriver) }

// filled makes what a pointer points to, where it is nil.
func filled[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

func restart(change func(*swarm.RestartPolicy)) func(*Target) {
	return func(x *Target) { change(filled(&x.task().RestartPolicy)) }
}
