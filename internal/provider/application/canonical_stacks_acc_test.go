package application_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/versions"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// fullStack uses every field of the canonical table that Compose has a word for. Nothing of it can run.
const fullStack = `
services:
  full:
    image: docker.io/library/never:2
    entrypoint: ["/x", "a b"]
    command: ["c", "", "{{.Node.Hostname}}"]
    user: "7:8"
    working_dir: /d
    hostname: h
    stop_signal: SIGINT
    stop_grace_period: 3s
    read_only: true
    tty: true
    stdin_open: true
    init: false
    isolation: default
    environment: {A: "1", B: "", C: null}
    labels: {l: "1"}
    extra_hosts: ["a:10.0.0.1", "b:10.0.0.2"]
    group_add: ["9", "8"]
    cap_add: [NET_ADMIN]
    cap_drop: [ALL]
    dns: [10.0.0.2, 10.0.0.1]
    dns_search: [b.example, a.example]
    dns_opt: ["ndots:2"]
    sysctls: {net.core.somaxconn: 1024}
    ulimits: {nofile: {soft: 10, hard: 20}, core: -1}
    credential_spec: {file: f}
    logging: {driver: json-file, options: {max-size: 1m}}
    healthcheck: {test: ["CMD", "a b", "c"], interval: 1s, timeout: 1500ms, start_period: 1m, retries: 2}
    ports:
      - {target: 81, mode: host}
      - {target: 80, published: 20080, protocol: udp}
      - "20443:443"
    networks: {front: {aliases: [b, a], driver_opts: {o: "1"}}, back: null}
    configs: [{source: conf, target: /etc/c, uid: "7", gid: "8", mode: 0440}]
    secrets: [{source: key, target: k, uid: "7", gid: "8", mode: 0400}]
    volumes:
      - {type: bind, source: /b, target: /bind, read_only: true, bind: {propagation: rshared}}
      - {type: volume, source: data, target: /data, volume: {nocopy: true}}
      - {type: volume, target: /anonymous}
      - {type: tmpfs, target: /tmpfs, tmpfs: {size: 1048576}}
    deploy:
      replicas: 0
      labels: {d.e: "1"}
      update_config: {parallelism: 2, delay: 3s, failure_action: rollback, monitor: 4s, max_failure_ratio: 0.1, order: start-first}
      rollback_config: {parallelism: 0, delay: 1s, failure_action: continue, monitor: 4s, max_failure_ratio: 0.7, order: stop-first}
      restart_policy: {condition: on-failure, delay: 0s, max_attempts: 3, window: 1m}
      resources:
        limits: {cpus: "0.5", memory: 64M, pids: 100}
        reservations: {cpus: "0.1", memory: 5M, generic_resources: [{discrete_resource_spec: {kind: gpu, value: 2}}]}
      placement:
        constraints: [node.role==worker, node.labels.never==true]
        preferences: [{spread: node.labels.z}, {spread: node.labels.a}]
        max_replicas_per_node: 2
  resolver: {image: "never/there", networks: [back], deploy: {endpoint_mode: dnsrr, replicas: 0}}
networks:
  front: {driver: overlay, driver_opts: {com.docker.network.driver.mtu: "1400"}, attachable: true, labels: {n: "1"}, ipam: {config: [{subnet: 10.87.1.0/24}]}}
  back: {internal: true}
configs:
  conf: {content: "listen 80", labels: {c: "1"}, template_driver: golang}
secrets:
  key: {labels: {s: "1"}}
volumes:
  data: {driver: local, driver_opts: {type: tmpfs, device: tmpfs}, labels: {v: "1"}}
`

// fullFields are what a plan shows of the service "full"; endpoint_mode is shown of "resolver".
const fullFields = `cap_add cap_drop command configs container_labels dns entrypoint env groups healthcheck hosts hostname image init
	labels limits logging mode mounts networks placement ports privileges read_only replicas reservations restart_policy rollback_config
	secrets stdin_open stop_grace_period stop_signal sysctls tty ulimits update_config user working_dir`

// partlyStack declares a part of every struct, and what the engine writes in another way than it was told.
const partlyStack = `
services:
  pinned: {image: "never/there:1@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", deploy: {replicas: 0}}
  digest: {image: "never/there@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", deploy: {replicas: 0}}
  full-name: {image: "docker.io/never/there:1", deploy: {replicas: 0}}
  registry: {image: "registry.example:5000/there", deploy: {replicas: 0}}
  partly:
    image: never/there
    healthcheck: {interval: 1s}
    logging: {driver: json-file}
    dns_search: a.example
    stop_grace_period: 10s
    environment: [A]
    volumes: ["/anonymous", "data:/data", "/b:/b:ro"]
    ports: ["80", {target: 81}]
    networks: {default: {}}
    configs: [conf]
    deploy:
      replicas: 0
      update_config: {order: start-first}
      rollback_config: {monitor: 1s}
      restart_policy: {max_attempts: 0}
      resources: {limits: {memory: 64M}, reservations: {cpus: "0.01"}}
      placement: {max_replicas_per_node: 1}
  empty:
    image: never/there
    healthcheck: {}
    labels: {}
    environment: {}
    deploy: {replicas: 0, labels: {}, update_config: {}, rollback_config: {}, restart_policy: {}, placement: {}, resources: {limits: {}, reservations: {}}}
  global: {image: never/there, deploy: {mode: global, placement: {constraints: [node.labels.never==true]}}}
  job: {image: IMAGE, command: [job], deploy: {mode: replicated-job}}
  jobs: {image: IMAGE, command: [job], deploy: {mode: replicated-job, replicas: 2}}
  every-node: {image: IMAGE, command: [job], deploy: {mode: global-job}}
configs: {conf: {content: "x"}}
volumes: {data: {}}
`

// nothingStack sets nothing that could be left out.
const nothingStack = `
services: {bare: {image: IMAGE}}
`

// TestAccCanonicalStacks creates stacks that use every field, a part of each, and none: the plan shows every object with its
// fields, and after the apply nothing is left to do, twice.
func TestAccCanonicalStacks(t *testing.T) {
	s := acctest.Start(t)
	for _, c := range []struct {
		rule, compose, settings string
		objects                 string
		service, fields         string
		change                  []string // old, new, the element and the leaves that move
	}{
		{
			rule: "every field", compose: fullStack, settings: `secrets_wo = { key = "hunter2" }`,
			objects: "config/conf network/back network/front secret/key service/full service/resolver volume/data",
			service: "service/full", fields: fullFields,
			change: []string{"max_attempts: 3", "max_attempts: 4", "service/full", "restart_policy.max_attempts"},
		},
		{
			rule: "a part of each", compose: partlyStack,
			objects: "config/conf network/default service/digest service/empty service/every-node service/full-name service/global service/job service/jobs service/partly service/pinned service/registry volume/data",
			service: "service/partly",
			fields:  "configs dns env healthcheck image limits logging mode mounts networks placement ports replicas reservations restart_policy rollback_config update_config",
			change:  []string{"interval: 1s", "interval: 2s", "service/partly", "healthcheck.interval"},
		},
		{
			rule: "nothing", compose: nothingStack, objects: "network/default service/bare", service: "service/bare", fields: "image mode networks replicas",
			change: []string{"image: IMAGE", "image: IMAGE, stop_signal: SIGINT", "service/bare", "stop_signal"},
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			name := s.RandomName(t)
			if versions.GreaterThanOrEqualTo(apiVersion(t, s), "1.46") {
				c.compose = strings.Replace(c.compose, "    user: ", "    oom_score_adj: 5\n    user: ", 1)
			}
			config := func(compose string) string {
				return application(s.Host(), name, strings.ReplaceAll(compose, "IMAGE", acctest.Image("1.0")), c.settings)
			}
			w := providertest.NewWorkspace(t, config(c.compose))
			created, _ := w.Plan(2).Change(resource).After.(map[string]any)
			objects, _ := created["objects"].(map[string]any)
			unknown, _ := w.Plan(2).Change(resource).AfterUnknown.(map[string]any)["objects"].(map[string]any)
			planned := slices.Collect(maps.Keys(objects))
			for ref := range unknown {
				if _, known := objects[ref]; !known { // a secret: its fingerprint may be another one at apply
					planned = append(planned, ref)
				}
			}
			if slices.Sort(planned); strings.Join(planned, " ") != c.objects {
				t.Errorf("the plan shows %v\nwant %s", planned, c.objects)
			}
			text, _ := objects[c.service].(string)
			fields := slices.DeleteFunc(slices.Sorted(maps.Keys(providertest.Form(t, text))), func(f string) bool { return f == "oom_score_adj" })
			if want := strings.Fields(c.fields); !slices.Equal(fields, slices.Sorted(slices.Values(want))) {
				t.Errorf("the plan shows of %s %v\nwant %v", c.service, fields, want)
			}

			w.Apply()
			w.Settled()
			w.Settled()
			w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
			providertest.InSync(t, s, name)

			w.Write("main.tf", config(strings.Replace(c.compose, c.change[0], c.change[1], 1)))
			d := providertest.Compare(t, w.Plan(2).Change(resource))
			if got := d.Take(c.change[2]); !slices.Equal(got, c.change[3:]) {
				t.Errorf("the plan of a change shows of %s %v, want %v", c.change[2], got, c.change[3:])
			}
			for element := range d.Rest() {
				if slices.Contains(strings.Fields(c.objects), element) {
					t.Errorf("the plan of a change shows %s as well", element)
				}
			}
			w.Apply()
			w.Settled()
		})
	}
}
