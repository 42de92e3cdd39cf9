package application_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccHistory reads the revisions of a release with the data source while they are added, fail, and are trimmed.
func TestAccHistory(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	stack := func(image, greeting string, more string) string {
		return application(s.Host(), name, "services:\n"+strings.Replace(quickService("web", "configs: [greeting]", "replicas: 0"), acctest.Image("1.0"), image, 1)+
			more+"configs:\n  greeting: {content: "+greeting+"}\n", `history_limit = "3"`)
	}
	idle := quickService("idle", "", "replicas: 0")
	w := providertest.NewWorkspace(t, "")
	for i, tc := range []struct {
		config  string
		changed []string
		kept    []string // revisions, newest first
	}{
		{stack(acctest.Image("1.0"), "hello", ""), nil, []string{"1"}},
		{stack(acctest.Image("1.1"), "hello", ""), []string{"service/web"}, []string{"2", "1"}},
		{stack(acctest.Image("1.1"), "bye", ""), []string{"config/greeting"}, []string{"3", "2", "1"}},
		{stack(acctest.Image("1.1"), "bye", idle), []string{"service/idle"}, []string{"4", "3", "2"}},
		{stack(acctest.Image("1.1"), "bye", ""), []string{"service/idle"}, []string{"5", "4", "3"}},
	} {
		w.Write("main.tf", tc.config)
		w.Apply()
		w.Settled()
		history := history(t, s, name)
		var kept []string
		for _, h := range history {
			kept = append(kept, h.Revision)
			if h.Status != "deployed" || h.Created == "" {
				t.Errorf("after apply %d the history has %+v", i+1, h)
			}
		}
		if !slices.Equal(kept, tc.kept) {
			t.Errorf("after apply %d the revisions are %v, want %v", i+1, kept, tc.kept)
		}
		if !slices.Equal(history[0].Changed, tc.changed) {
			t.Errorf("apply %d changed %v according to the history, want %v", i+1, history[0].Changed, tc.changed)
		}
	}
}

// revision is one entry of the data source's history.
type revision struct {
	Revision, Status, Commit, Created string
	Changed                           []string
}

func history(t *testing.T, s *acctest.Swarm, name string) []revision {
	t.Helper()
	w := providertest.NewWorkspace(t, fmt.Sprintf(`
provider "swarm" {
  host = %q
}

data "swarm_application" "app" {
  name = %q
}

output "history" {
  value = data.swarm_application.app.history
}
`, s.Host(), name))
	w.Apply()
	return output[[]revision](t, w, "history")
}

// TestAccRecordOfANewerFormat puts a record beside a release that a later version of the provider may have written. It
// is neither read as something else nor overwritten.
func TestAccRecordOfANewerFormat(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name, proxy := s.RandomName(t), s.NewProxy(t)
	stack := func(replicas int) string {
		return application(proxy.Host(), name, "services:\n"+quickService("web", "", fmt.Sprintf("replicas: %d\n      labels: {n: \"%[1]d\"}", replicas)))
	}
	w := providertest.NewWorkspace(t, stack(0))
	w.Apply()
	first, _, err := s.Client().ConfigInspectWithRaw(t.Context(), "keel."+name+".v1")
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	packed := gzip.NewWriter(&data)
	_, _ = fmt.Fprint(packed, `{"format": 99, "kind": "application", "objects": "told in another way"}`)
	_ = packed.Close()
	record := "keel." + name + ".v2"
	labels := maps.Clone(first.Spec.Labels)
	labels["io.swarmkeel.key"] = "v2"
	created, err := s.Client().ConfigCreate(t.Context(), swarm.ConfigSpec{Annotations: swarm.Annotations{Name: record, Labels: labels}, Data: data.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	proxy.Reset()
	for _, args := range [][]string{{"plan", "-input=false"}, {"apply", "-auto-approve", "-input=false"}, {"destroy", "-auto-approve", "-input=false"}} {
		said := joined(diagnostic(t, w.Expect(1, args...)))
		for _, want := range []string{record, "format 99 is not known; this version knows up to 1", "docker config rm " + record} {
			if !strings.Contains(said, want) {
				t.Errorf("terraform %s does not say %q:\n%s", args[0], want, said)
			}
		}
	}
	if writes := proxy.Writes(); len(writes) > 0 {
		t.Errorf("written beside a record that cannot be read: %v", writes)
	}
	if err := s.Client().ConfigRemove(t.Context(), created.ID); err != nil {
		t.Fatal(err)
	}
	w.Settled()
}
