package application_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// replacement is an object that the engine cannot change in place: somebody has removed it by hand and made another
// one of the same name.
type replacement struct {
	rule string
	// service declares the service KEY and top what it refers to, where Compose has a word for it.
	service, top string
	replace      func(*hands)
	// shown are the leaves that a plan shows, by element; KEY and RELEASE stand for what they say.
	shown map[string][]string
}

// replacements are the rows of the canonical table that TestAccCanonicalRows cannot move.
var replacements = []replacement{
	{
		rule: "mode global", service: `deploy: {mode: global, placement: {constraints: [node.labels.never==true]}}`,
		replace: service(func(s *swarm.ServiceSpec) { s.Mode = replicated(0) }),
		shown:   map[string][]string{"service/KEY": {"mode", "replicas"}, "services/KEY": {"*"}},
	},
	{
		rule: "mode replicated", service: `deploy: {replicas: 0, placement: {constraints: [node.labels.never==true]}}`,
		replace: service(func(s *swarm.ServiceSpec) { s.Mode = swarm.ServiceMode{Global: &swarm.GlobalService{}} }),
		shown:   map[string][]string{"service/KEY": {"mode", "replicas"}, "services/KEY": {"*"}},
	},
	{
		rule: "mode of a job", service: `deploy: {mode: global-job, placement: {constraints: [node.labels.never==true]}}`,
		replace: service(func(s *swarm.ServiceSpec) {
			s.Mode = swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: ptr(uint64(2)), TotalCompletions: ptr(uint64(3))}}
		}),
		shown: map[string][]string{"service/KEY": {"max_concurrent", "mode", "total_completions"}, "services/KEY": {"*"}},
	},
	{
		rule: "completions of a job", service: `deploy: {mode: replicated-job, replicas: 1}`,
		replace: service(func(s *swarm.ServiceSpec) {
			s.Mode = swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: ptr(uint64(2)), TotalCompletions: ptr(uint64(3))}}
		}),
		shown: map[string][]string{"service/KEY": {"max_concurrent", "total_completions"}},
	},
	{
		rule: "network options", service: attached, top: `networks: {KEY: {driver_opts: {com.docker.network.driver.mtu: "1400"}}}`,
		replace: net(func(o *network.CreateOptions) { o.Options["com.docker.network.driver.mtu"] = "1300" }),
		shown:   map[string][]string{"network/KEY": {`options["com.docker.network.driver.mtu"]`}},
	},
	{
		rule: "network attachable", service: attached, top: `networks: {KEY: {attachable: true}}`,
		replace: net(func(o *network.CreateOptions) { o.Attachable = false }),
		shown:   map[string][]string{"network/KEY": {"attachable"}},
	},
	{
		rule: "network internal", service: attached, top: `networks: {KEY: {}}`,
		replace: net(func(o *network.CreateOptions) { o.Internal = true }),
		shown:   map[string][]string{"network/KEY": {"internal"}},
	},
	{
		rule: "network ipv6", service: attached, top: `networks: {KEY: {}}`,
		replace: net(func(o *network.CreateOptions) {
			o.EnableIPv6 = ptr(true)
			o.IPAM = &network.IPAM{Config: []network.IPAMConfig{{Subnet: "fd78::/64"}}}
		}),
		shown: map[string][]string{"network/KEY": {"ipv6"}},
	},
	{
		rule: "network subnet", service: attached, top: `networks: {KEY: {ipam: {config: [{subnet: 10.88.1.0/24}]}}}`,
		replace: net(func(o *network.CreateOptions) {
			o.IPAM = &network.IPAM{Config: []network.IPAMConfig{{Subnet: "10.88.2.0/24"}}}
		}),
		shown: map[string][]string{"network/KEY": {"ipam.config[0].subnet"}},
	},
	{
		rule: "network driver", service: attached, top: `networks: {KEY: {}}`,
		replace: net(func(o *network.CreateOptions) { o.Driver = "macvlan" }),
		shown:   map[string][]string{"network/KEY": {"driver"}},
	},
	{
		rule: "config content", service: `configs: [KEY]`, top: `configs: {KEY: {content: declared}}`,
		replace: config(func(c *swarm.ConfigSpec) { c.Data = []byte("by hand") }),
		shown:   map[string][]string{"config/KEY": {"content"}},
	},
	{
		rule: "config template driver", service: `configs: [KEY]`, top: `configs: {KEY: {content: declared, template_driver: golang}}`,
		replace: config(func(c *swarm.ConfigSpec) { c.Templating = nil }),
		shown:   map[string][]string{"config/KEY": {"template_driver"}},
	},
	{
		rule: "config labels", service: `configs: [KEY]`, top: `configs: {KEY: {content: declared, labels: {a: "1"}}}`,
		replace: func(h *hands) {
			c := h.config()
			c.Spec.Labels["a"], c.Spec.Labels["b"] = "2", "3"
			h.must(h.s.Client().ConfigUpdate(h.ctx, c.ID, c.Version, c.Spec))
		},
		shown: map[string][]string{"config/KEY": {"labels.a", "labels.b"}},
	},
	{
		rule: "secret fingerprint", service: `secrets: [one]`, top: `secrets: {one: {}}`,
		replace: secret(func(c *swarm.SecretSpec) {
			c.Data = []byte("by hand")
			delete(c.Labels, "io.swarmkeel.fingerprint")
		}),
		shown: map[string][]string{"secret/one": {"fingerprint"}},
	},
	{
		rule: "secret labels", service: `secrets: [two]`, top: `secrets: {two: {labels: {a: "1"}}}`,
		replace: func(h *hands) {
			c := h.secret()
			c.Spec.Labels["a"], c.Spec.Labels["b"] = "2", "3"
			h.must(h.s.Client().SecretUpdate(h.ctx, c.ID, c.Version, c.Spec))
		},
		shown: map[string][]string{"secret/two": {"labels.a", "labels.b"}},
	},
	{
		rule: "secret template driver", service: `secrets: [three]`, top: `secrets: {three: {}}`,
		replace: secret(func(c *swarm.SecretSpec) {
			c.Data = []byte("3")
			c.Templating = &swarm.Driver{Name: "golang"}
		}),
		shown: map[string][]string{"secret/three": {"template_driver"}},
	},
	{
		rule: "volume driver options", service: `volumes: ["KEY:/v"]`, top: `volumes: {KEY: {driver: local, driver_opts: {type: tmpfs}, labels: {a: "1"}}}`,
		replace: func(h *hands) {
			h.s.UpdateService(h.t, h.name(), func(s *swarm.ServiceSpec) {
				o := s.TaskTemplate.ContainerSpec.Mounts[0].VolumeOptions
				o.DriverConfig.Options["type"], o.Labels["a"] = "nfs", "2"
			})
		},
		shown: map[string][]string{
			"volume/KEY":  {"labels.a", "options.type"},
			"service/KEY": {`mounts["/v"].volume.labels.a`, `mounts["/v"].volume.options.type`},
		},
	},
}

const attached = "networks: [KEY]"

// TestAccCanonicalRowsOfReplacedObjects is TestAccCanonicalRows for what cannot be changed in place, and for the
// objects beside services.
func TestAccCanonicalRowsOfReplacedObjects(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	var compose []string
	for i, r := range replacements {
		body := "image: " + acctest.Image("1.0") + "\n    command: [job]\n    " + strings.ReplaceAll(r.service, "KEY", r.key(i))
		if !strings.Contains(r.service, "deploy:") {
			body += "\n    deploy: {replicas: 0}"
		}
		compose = append(compose, fmt.Sprintf("services:\n  %s:\n    %s\n%s", r.key(i), body, strings.ReplaceAll(r.top, "KEY", r.key(i))))
	}
	w := providertest.NewWorkspace(t, files(s.Host(), name, compose, `secrets_wo = { one = "1", two = "2", three = "3" }`))
	w.Apply()
	w.Settled()
	providertest.InSync(t, s, name)

	before := map[string]any{}
	for i, r := range replacements {
		before[r.key(i)] = r.live(t, s, name, i)
	}
	for i, r := range replacements {
		r.replace(&hands{t: t, s: s, ctx: context.Background(), release: name, key: r.key(i)})
	}
	drift := w.Plan(2, "-refresh-only").Drift(t, resource)
	report := providertest.Drift(t, s, name)
	out := w.Apply()
	for i, r := range replacements[:2] {
		if want := "Service " + name + "_" + r.key(i) + " is removed and created again"; !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("the apply does not warn: %s\n%s", want, out)
		}
	}
	w.Settled()
	for i, r := range replacements {
		t.Run(r.rule, func(t *testing.T) {
			for element, want := range r.shown {
				element = strings.ReplaceAll(element, "KEY", r.key(i))
				if got := drift.Take(element); !slices.Equal(got, want) {
					t.Errorf("the refresh-only plan shows of %s %v, want %v", element, got, want)
				}
				if strings.HasPrefix(element, "services/") {
					continue // an attribute beside objects
				}
				if got := report.Take(element); !slices.Equal(got, want) {
					t.Errorf("the drift report shows of %s %v, want %v", element, got, want)
				}
			}
			drift.Take("services/" + r.key(i)) // another id
			if got := r.live(t, s, name, i); !reflect.DeepEqual(got, before[r.key(i)]) {
				t.Errorf("after the apply it is\n%s\nand was\n%s", providertest.AsJSON(t, got), providertest.AsJSON(t, before[r.key(i)]))
			}
		})
	}
	if rest := drift.Rest(); len(rest) > 0 {
		t.Errorf("the plan shows more than was moved: %v", rest)
	}
	if rest := report.Rest(); len(rest) > 0 {
		t.Errorf("the drift report shows more than was moved: %v", rest)
	}
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
	s.Gone(t, name)
}

func (r replacement) key(i int) string {
	for _, key := range []string{"one", "two", "three"} {
		if strings.Contains(r.service, "["+key+"]") {
			return key
		}
	}
	return fmt.Sprintf("x%02d", i)
}
