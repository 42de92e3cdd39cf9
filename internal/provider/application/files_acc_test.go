package application_test

import (
	bytes16 "encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// grown is a stack file as they have grown over the years: much of it docker/cli refuses, or reads in another way.
const grown = `# Läuft seit 2019
version: "3.7"
name: ${STACK}
x-logging: &logging
  logging: {driver: json-file, options: {max-size: "10m", max-file: "3"}}
x-deploy: &deploy
  restart_policy: {condition: on-failure, delay: 100ms, max_attempts: "3"}
  update_config: {monitor: 300ms, parallelism: "1"}
x-env: &env
  LANG: de_DE.UTF-8
  DEBUG: true
services:
  web:
    <<: *logging
    image: ${IMAGE:-absent}:${TAG:-${DEFAULT_TAG}}
    environment:
      <<: *env
      PRICE: "5$$"
      NODE: "{{.Node.Hostname}}"
      GREETING: "grüß Gott"
      WORKERS: 4
      EMPTY:
    env_file:
      - path: ./web.env
        required: false
    depends_on:
      api: {condition: service_healthy}
      migrate: {condition: service_completed_successfully}
    ports:
      - {target: "8080", published: "%d", protocol: tcp, mode: host}
    configs:
      - {source: page, target: /etc/page, mode: "0440", uid: "10"}
    ulimits: {nofile: {soft: 1024, hard: "2048"}}
    stop_grace_period: 1m30s
    deploy:
      <<: *deploy
      replicas: "1"
      resources: {limits: {cpus: 0.50, memory: 64M}, reservations: {memory: "33554432"}}
      update_config: {monitor: 300ms, order: stop-first}
  api:
    <<: *logging
    image: ${IMAGE}:1.1
    command: serve -ready-after 200ms
    healthcheck:
      test: ["CMD", "/app", "healthcheck"]
      interval: 300ms
      retries: "5"
      start_period: 1s
    environment: ["LANG=C", DEBUG=false]
    restart: unless-stopped
    deploy: {<<: *deploy, endpoint_mode: dnsrr, update_config: {monitor: 2s}}
  migrate:
    image: ${IMAGE}:1.0
    command: ["job", "-lines", "2"]
    deploy: {mode: replicated-job, restart_policy: {condition: none}}
  agent:
    image: ${IMAGE}:1.0
    hostname: "{{.Node.Hostname}}-{{.Task.Slot}}"
    deploy:
      <<: [*deploy]
      mode: global
      placement: {constraints: ["node.role==manager", "node.platform.os == linux"]}
  debug:
    image: ${IMAGE}:1.0
    profiles: [debug]
configs:
  page:
    content: |
      Preis: 5$$
      Version ${TAG:-${DEFAULT_TAG}}
networks:
  default:
    driver_opts: {com.example.mtu: 1400}
`

// TestAccFilesAsPeopleWriteThem deploys such a file for real, in every encoding that editors leave behind: it runs, and
// the plan afterwards is empty.
func TestAccFilesAsPeopleWriteThem(t *testing.T) {
	s := acctest.Start(t)
	for i, tc := range []struct {
		rule, compose string
		encode        func(string) string
	}{
		{"as it is", `file("stack.yml")`, func(s string) string { return s }},
		{"with the line ends of Windows", `file("stack.yml")`, func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
		{"with a byte order mark", `file("stack.yml")`, func(s string) string { return "\ufeff" + s }},
		{"in UTF-16", `textdecodebase64(filebase64("stack.yml"), "UTF-16LE")`, func(s string) string {
			var b []byte
			for _, unit := range utf16.Encode([]rune("\ufeff" + s)) {
				b = bytes16.LittleEndian.AppendUint16(b, unit)
			}
			return string(b)
		}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			name := s.RandomName(t)
			w := providertest.NewWorkspace(t, fmt.Sprintf(`
provider "swarm" {
  host = %q
}

resource "swarm_application" "app" {
  name      = %q
  compose   = [%s, "services:\n  web:\n    labels: {io.example.override: \"yes\"}\n"]
  files     = { "web.env" = "FROM_FILE=a b\r\n# a comment\r\nLANG=overridden\r\n" }
  variables = { STACK = %q, IMAGE = "swarmkeel/test-app", DEFAULT_TAG = "1.0" }
}
`, s.Host(), name, tc.compose, name))
			w.Write("stack.yml", tc.encode(fmt.Sprintf(grown, 18480+i)))
			out := w.Apply()
			if i == 0 {
				t.Log(out)
			}
			w.Settled()
			w.Settled()
			w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")

			web := s.Service(t, name+"_web").Spec
			container := web.TaskTemplate.ContainerSpec
			slices.Sort(container.Env)
			if want := []string{"DEBUG=true", "EMPTY", "FROM_FILE=a b", "GREETING=grüß Gott", "LANG=de_DE.UTF-8", "NODE={{.Node.Hostname}}", "PRICE=5$", "WORKERS=4"}; !slices.Equal(container.Env, want) {
				t.Errorf("environment %q, want %q", container.Env, want)
			}
			if c := container.Configs[0].File; c.Mode != 0o440 || c.UID != "10" {
				t.Errorf("config file %+v", c)
			}
			if p := web.EndpointSpec.Ports[0]; p.PublishedPort != uint32(18480+i) || p.PublishMode != swarm.PortConfigPublishModeHost {
				t.Errorf("port %+v", p)
			}
			if d := web.TaskTemplate.RestartPolicy; d.Condition != "on-failure" || *d.MaxAttempts != 3 {
				t.Errorf("restart policy %+v", d)
			}
			if text := providertest.InSwarm(t, s, name)["config/page"]; strings.ReplaceAll(text, "\r", "") != "Preis: 5$\nVersion 1.0\n" {
				t.Errorf("config %q", text)
			}
			if container.Labels["io.example.override"] != "yes" || container.Image != "swarmkeel/test-app:1.0" {
				t.Errorf("labels %v, image %s", container.Labels, container.Image)
			}
			if slices.Contains(s.ReleaseObjects(t, name), "service/"+name+"_debug") {
				t.Error("a service of a profile was deployed")
			}
			w.Expect(0, "destroy", "-auto-approve", "-input=false")
		})
	}
}
