package application_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest/canonical"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// variant is one of the ways in which a field moves: from a declared value to another one, from nothing to a value,
// and from a declared value to nothing.
type variant string

const (
	changed variant = "changed"
	added   variant = "added"
	removed variant = "removed"
)

// moved is one service whose live field is moved behind Terraform's back.
type moved struct {
	row     canonical.Row
	variant variant
	key     string // of the service
}

func (m moved) ref() string { return "service/" + m.key }

// yaml is the service as it is declared.
func (m moved) yaml(port int) string {
	image, service, deploy := "image: never/there:1", m.row.Service, m.row.Deploy
	if m.variant == added {
		service, deploy = "", ""
	}
	if strings.HasPrefix(service, "image:") {
		image = ""
	}
	if !strings.Contains(deploy, "replicas:") {
		deploy = "replicas: 0, " + deploy
	}
	lines := []string{image, service, "deploy: {" + strings.TrimSuffix(deploy, ", ") + "}"}
	body := strings.ReplaceAll(strings.Join(lines, "\n"), "\n", "\n    ")
	return strings.ReplaceAll(fmt.Sprintf("  %s:\n    %s\n", m.key, strings.ReplaceAll(body, "PORT", fmt.Sprint(port))), "KEY", m.key)
}

// TestAccCanonicalRows moves every field of the canonical table behind Terraform's back, each on services of its own:
// a refresh-only plan shows exactly that field, an apply brings the service back to the letter with one update, and
// the next plan is empty. No container runs.
func TestAccCanonicalRows(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	proxy := s.NewProxy(t)
	name := s.RandomName(t)
	services := movedServices(apiVersion(t, s))
	compose := rowsHeader
	for i, m := range services {
		compose += m.yaml(21000 + i)
	}
	w := providertest.NewWorkspace(t, application(proxy.Host(), name, compose, `secrets_wo = { first = "one", second = "two" }`))
	w.Apply()
	w.Settled()
	providertest.InSync(t, s, name)

	before := map[string]swarm.ServiceSpec{}
	for _, m := range services {
		before[m.key] = s.Service(t, name+"_"+m.key).Spec
	}
	bare := s.Service(t, name+"_bare").Spec
	known := liveNames(t, s, name)
	for _, m := range services {
		s.UpdateService(t, name+"_"+m.key, func(spec *swarm.ServiceSpec) {
			if m.variant == removed {
				takeAway(spec, bare, m.key)
				return
			}
			m.row.Change(canonical.On(spec, known))
		})
	}

	drift := w.Plan(2, "-refresh-only").Drift(t, resource)
	report := providertest.Drift(t, s, name)
	proxy.Reset()
	w.Apply()
	// A write that the engine refuses because Swarm has just moved the version is tried again.
	updates := proxy.Calls(func(c acctest.Call) bool {
		return c.Status == http.StatusOK && strings.HasSuffix(c.Path, "/update") && strings.HasPrefix(c.Path, "/services/")
	})
	if len(updates) != len(services) {
		t.Errorf("%d services were moved and %d updated", len(services), len(updates))
	}
	w.Settled()
	for _, m := range services {
		t.Run(fmt.Sprintf("%s, %s", m.row.Rule, m.variant), func(t *testing.T) {
			m.check(t, "the refresh-only plan", name, drift.Take(m.ref()))
			m.check(t, "the drift report", name, report.Take(m.ref()))
			if got := s.Service(t, name+"_"+m.key).Spec; !reflect.DeepEqual(got, before[m.key]) {
				t.Errorf("after the apply the service is\n%s\nand was\n%s", providertest.AsJSON(t, got), providertest.AsJSON(t, before[m.key]))
			}
			if beside := m.row.Beside(); beside != "" && len(drift.Take(beside+"/"+m.key)) == 0 {
				t.Errorf("the refresh-only plan does not show it in %s", beside)
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
	if left := s.ReleaseObjects(t, name); len(left) > 0 {
		t.Errorf("the destroy left %v", left)
	}
}

// check holds what somebody shows of the service against what was moved.
func (m moved) check(t *testing.T, who, release string, paths []string) {
	t.Helper()
	if m.variant == changed {
		want := strings.Split(strings.ReplaceAll(strings.Join(m.row.Moved, "\n"), "RELEASE", release), "\n")
		if !slices.Equal(paths, want) {
			t.Errorf("%s shows %v, want %v", who, paths, want)
		}
		return
	}
	if len(paths) == 0 {
		t.Errorf("%s shows nothing", who)
	}
	for _, p := range paths {
		if !strings.HasPrefix(p, m.row.Field()) {
			t.Errorf("%s shows %s, which is not of %s", who, p, m.row.Field())
		}
	}
}

// movedServices lists what an engine of an API version can do.
func movedServices(api string) []moved {
	var out []moved
	for i, r := range canonical.Rows() {
		if !r.Suits(api) {
			continue
		}
		variants := []variant{changed, added, removed}
		switch {
		case r.Always:
			variants = []variant{changed}
		case r.Service == "" && r.Deploy == "":
			variants = []variant{added}
		}
		for _, v := range variants {
			out = append(out, moved{row: r, variant: v, key: fmt.Sprintf("r%02d-%s", i, v)})
		}
	}
	return out
}

// takeAway leaves of a service what one has that declares nothing.
func takeAway(spec *swarm.ServiceSpec, bare swarm.ServiceSpec, key string) {
	annotations := spec.Annotations
	labels := map[string]string{}
	for k, v := range annotations.Labels {
		if strings.HasPrefix(k, "io.swarmkeel.") || strings.HasPrefix(k, "com.docker.stack.") {
			labels[k] = v
		}
	}
	*spec = bare
	spec.Annotations = annotations
	spec.Labels = labels
	// Each service is an alias of itself.
	spec.TaskTemplate.Networks = slices.Clone(bare.TaskTemplate.Networks)
	spec.TaskTemplate.Networks[0].Aliases = []string{key}
}
