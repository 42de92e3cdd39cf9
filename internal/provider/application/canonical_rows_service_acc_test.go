package application_test

import (
	"strings"
	"time"

	"github.com/docker/docker/api/types/swarm"
)

func ptr[T any](v T) *T { return &v }

// serviceRows are the fields beside the task template.
var serviceRows = []row{
	{rule: "replicas", deploy: `replicas: 0, placement: {constraints: [node.labels.never==true]}`, always: true, moved: []string{"replicas"},
		change: func(x *target) { x.Mode.Replicated.Replicas = ptr(uint64(2)) }},
	{rule: "image", service: "image: never/there", always: true, moved: []string{"image"},
		change: func(x *target) { x.c.Image = "never/there:2" }},
	{rule: "image by its full name", service: "image: docker.io/library/never:2", always: true, moved: []string{"image"},
		change: func(x *target) { x.c.Image = "never:3" }},
	{rule: "image pinned", service: "image: never/there:1@sha256:" + strings.Repeat("a", 64), always: true, moved: []string{"image"},
		change: func(x *target) { x.c.Image = "never/there:1@sha256:" + strings.Repeat("b", 64) }},
	{rule: "labels", deploy: `labels: {a.b: "1", c: "2"}`, moved: []string{`labels["a.b"]`, "labels.d"},
		change: func(x *target) { x.Labels["a.b"], x.Labels["d"] = "x", "y" }},
	{rule: "port published", service: `ports: [{target: 80, published: PORT}]`, moved: []string{"ports[0].published"},
		change: func(x *target) { x.port(func(p *swarm.PortConfig) { p.PublishedPort += 2000 }) }},
	{rule: "port published that the engine chose", service: `ports: [{target: 80}]`, moved: []string{"ports[0].published"},
		change: func(x *target) {
			x.port(func(p *swarm.PortConfig) {
				p.PublishedPort = map[swarm.PortConfigPublishMode]uint32{"ingress": 25080, "host": 25081}[p.PublishMode]
			})
		}},
	{rule: "port target", service: `ports: [{target: 80, mode: host}]`, moved: []string{"ports[0].target"},
		change: func(x *target) { x.port(func(p *swarm.PortConfig) { p.TargetPort = 81 }) }},
	{rule: "port protocol", service: `ports: [{target: 80, mode: host}]`, moved: []string{"ports[0].protocol"},
		change: func(x *target) { x.port(func(p *swarm.PortConfig) { p.Protocol = "udp" }) }},
	{rule: "port mode", service: `ports: [{target: 80}]`, moved: []string{"ports[0].mode"},
		change: func(x *target) { x.port(func(p *swarm.PortConfig) { p.PublishMode = "host" }) }},
	{rule: "endpoint mode", deploy: `endpoint_mode: dnsrr`, moved: []string{"endpoint_mode"},
		change: func(x *target) {
			if x.EndpointSpec.Mode == "dnsrr" {
				x.EndpointSpec.Mode = "vip"
			} else {
				x.EndpointSpec.Mode = "dnsrr"
			}
		}},
	{rule: "update parallelism", deploy: `update_config: {parallelism: 2}`, moved: []string{"update_config.parallelism"},
		change: update(func(u *swarm.UpdateConfig) { u.Parallelism = 3 })},
	{rule: "update delay", deploy: `update_config: {delay: 3s}`, moved: []string{"update_config.delay"},
		change: update(func(u *swarm.UpdateConfig) { u.Delay = time.Second })},
	{rule: "update failure action", deploy: `update_config: {failure_action: rollback}`, moved: []string{"update_config.failure_action"},
		change: update(func(u *swarm.UpdateConfig) { u.FailureAction = "continue" })},
	{rule: "update monitor", deploy: `update_config: {monitor: 1ms}`, moved: []string{"update_config.monitor"},
		change: update(func(u *swarm.UpdateConfig) { u.Monitor = time.Second })},
	{rule: "update failure ratio", deploy: `update_config: {max_failure_ratio: 0.1}`, moved: []string{"update_config.max_failure_ratio"},
		change: update(func(u *swarm.UpdateConfig) { u.MaxFailureRatio = 0.3 })},
	{rule: "update order", deploy: `update_config: {order: start-first}`, moved: []string{"update_config.order"},
		change: update(func(u *swarm.UpdateConfig) {
			if u.Order == "start-first" {
				u.Order = "stop-first"
			} else {
				u.Order = "start-first"
			}
		})},
	{rule: "update config of nothing", deploy: `update_config: {}`, moved: []string{"update_config.parallelism"},
		change: update(func(u *swarm.UpdateConfig) { u.Parallelism = 3 })},
	{rule: "rollback parallelism", deploy: `rollback_config: {parallelism: 2}`, moved: []string{"rollback_config.parallelism"},
		change: rollback(func(u *swarm.UpdateConfig) { u.Parallelism = 3 })},
	{rule: "rollback delay", deploy: `rollback_config: {delay: 3s}`, moved: []string{"rollback_config.delay"},
		change: rollback(func(u *swarm.UpdateConfig) { u.Delay = time.Second })},
	{rule: "rollback failure action", deploy: `rollback_config: {failure_action: pause}`, moved: []string{"rollback_config.failure_action"},
		change: rollback(func(u *swarm.UpdateConfig) { u.FailureAction = "continue" })},
	{rule: "rollback monitor", deploy: `rollback_config: {monitor: 1s}`, moved: []string{"rollback_config.monitor"},
		change: rollback(func(u *swarm.UpdateConfig) { u.Monitor = time.Minute })},
	{rule: "rollback failure ratio", deploy: `rollback_config: {max_failure_ratio: 0.7}`, moved: []string{"rollback_config.max_failure_ratio"},
		change: rollback(func(u *swarm.UpdateConfig) { u.MaxFailureRatio = 0.3 })},
	{rule: "rollback order", deploy: `rollback_config: {order: stop-first}`, moved: []string{"rollback_config.order"},
		change: rollback(func(u *swarm.UpdateConfig) { u.Order = "start-first" })},
}

// port changes the first port, published first where there is none.
func (x *target) port(change func(*swarm.PortConfig)) {
	if len(x.EndpointSpec.Ports) == 0 {
		x.EndpointSpec.Ports = []swarm.PortConfig{{TargetPort: 80, Protocol: "tcp", PublishMode: "host"}}
	}
	change(&x.EndpointSpec.Ports[0])
}

func update(change func(*swarm.UpdateConfig)) func(*target) {
	return func(x *target) {
		if x.UpdateConfig == nil {
			x.UpdateConfig = &swarm.UpdateConfig{Parallelism: 1}
		}
		change(x.UpdateConfig)
	}
}

func rollback(change func(*swarm.UpdateConfig)) func(*target) {
	return func(x *target) {
		if x.RollbackConfig == nil {
			x.RollbackConfig = &swarm.UpdateConfig{Parallelism: 1}
		}
		change(x.RollbackConfig)
	}
}

// taskRows are the fields of the task template beside its container.
var taskRows = []row{
	{rule: "limit of cpus", deploy: `resources: {limits: {cpus: "0.5"}}`, moved: []string{"limits.cpus"},
		change: func(x *target) { x.limits().NanoCPUs = 25e7 }},
	{rule: "limit of memory", deploy: `resources: {limits: {memory: 64M}}`, moved: []string{"limits.memory"},
		change: func(x *target) { x.limits().MemoryBytes = 32 << 20 }},
	{rule: "limit of pids", deploy: `resources: {limits: {pids: 100}}`, moved: []string{"limits.pids"},
		change: func(x *target) { x.limits().Pids = 50 }},
	{rule: "reservation of cpus", deploy: `resources: {reservations: {cpus: "0.1"}}`, moved: []string{"reservations.cpus"},
		change: func(x *target) { x.reservations().NanoCPUs = 2e8 }},
	{rule: "reservation of memory", deploy: `resources: {reservations: {memory: 5M}}`, moved: []string{"reservations.memory"},
		change: func(x *target) { x.reservations().MemoryBytes = 6 << 20 }},
	{rule: "reservation of generic resources", moved: []string{"reservations.generic_resources"},
		deploy: `resources: {reservations: {generic_resources: [{discrete_resource_spec: {kind: gpu, value: 2}}]}}`,
		change: func(x *target) {
			x.reservations().GenericResources = []swarm.GenericResource{{DiscreteResourceSpec: &swarm.DiscreteGenericResource{Kind: "gpu", Value: 3}}}
		}},
	{rule: "restart condition", deploy: `restart_policy: {condition: on-failure}`, moved: []string{"restart_policy.condition"},
		change: restart(func(p *swarm.RestartPolicy) { p.Condition = "none" })},
	{rule: "restart delay", deploy: `restart_policy: {delay: 2s}`, moved: []string{"restart_policy.delay"},
		change: restart(func(p *swarm.RestartPolicy) { p.Delay = ptr(time.Duration(0)) })},
	{rule: "restart attempts", deploy: `restart_policy: {max_attempts: 3}`, moved: []string{"restart_policy.max_attempts"},
		change: restart(func(p *swarm.RestartPolicy) { p.MaxAttempts = ptr(uint64(4)) })},
	{rule: "restart window", deploy: `restart_policy: {window: 1m}`, moved: []string{"restart_policy.window"},
		change: restart(func(p *swarm.RestartPolicy) { p.Window = ptr(time.Hour) })},
	{rule: "constraints", deploy: `placement: {constraints: [node.role==manager]}`, moved: []string{"placement.constraints"},
		change: func(x *target) { x.placement().Constraints = []string{"node.role==worker"} }},
	{rule: "preferences, in order", deploy: `placement: {preferences: [{spread: node.labels.z}, {spread: node.labels.a}]}`,
		moved: []string{"placement.preferences[0].spread", "placement.preferences[1].spread"},
		change: func(x *target) {
			x.placement().Preferences = []swarm.PlacementPreference{{Spread: &swarm.SpreadOver{SpreadDescriptor: "node.labels.a"}}, {Spread: &swarm.SpreadOver{SpreadDescriptor: "node.labels.z"}}}
		}},
	{rule: "replicas per node", deploy: `placement: {max_replicas_per_node: 2}`, moved: []string{"placement.max_replicas_per_node"},
		change: func(x *target) { x.placement().MaxReplicas = 3 }},
	{rule: "log driver", service: `logging: {driver: json-file}`, moved: []string{"logging.driver"},
		change: func(x *target) { x.log().Name = "none" }},
	{rule: "log options", service: `logging: {driver: json-file, options: {max-size: 1m}}`, moved: []string{"logging.options.max-size"},
		change: func(x *target) { x.log().Options = map[string]string{"max-size": "2m"} }},
}

func (x *target) resources() *swarm.ResourceRequirements {
	return filled(&x.task().Resources)
}

func (x *target) limits() *swarm.Limit           { return filled(&x.resources().Limits) }
func (x *target) reservations() *swarm.Resources { return filled(&x.resources().Reservations) }
func (x *target) placement() *swarm.Placement    { return filled(&x.task().Placement) }
func (x *target) log() *swarm.Driver             { return filled(&x.task().LogDriver) }

// filled makes what a pointer points to, where it is nil.
func filled[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

func restart(change func(*swarm.RestartPolicy)) func(*target) {
	return func(x *target) { change(filled(&x.task().RestartPolicy)) }
}
