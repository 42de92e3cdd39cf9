package providertest

import (
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/swarm"
)

// Report is what the data source swarm_drift tells of one release, and the same as
// Differences.
type Report struct {
	reconcile.ReleaseDrift
	*Differences
}

// Drift asks the core for the drift of a release, without a Terraform command.
func Drift(t testing.TB, s *acctest.Swarm, release string) Report {
	t.Helper()
	backend, err := swarm.New(swarm.Config{Host: s.Host()})
	if err != nil {
		t.Fatal(err)
	}
	report, err := reconcile.New(backend).Drift(t.Context(), "", []string{release})
	if err != nil {
		t.Fatal(err)
	}
	r := Report{report.Releases[0], &Differences{paths: map[string][]string{}}}
	for _, d := range r.ReleaseDrift.Differences {
		path := d.Path
		if path == "exists" {
			path = "*"
		}
		r.paths[d.Object] = append(r.paths[d.Object], path)
	}
	if len(r.paths) > 0 && (r.InSync || r.Reason != reconcile.BecauseDrifted) {
		t.Errorf("of release %s %v differs, and it is called %s", release, r.paths, r.Reason)
	}
	return r
}

// InSync requires that a release which nobody touched is in sync, three times.
func InSync(t testing.TB, s *acctest.Swarm, release string) {
	t.Helper()
	for range 3 {
		if r := Drift(t, s, release); !r.InSync {
			t.Errorf("release %s is not in sync: %s, %+v", release, r.Conditions[2].Message, r.ReleaseDrift.Differences)
		}
	}
}
