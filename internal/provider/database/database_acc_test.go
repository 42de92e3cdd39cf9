package database_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

func TestAccRowsOutliveChangesRestartsAndTheDatabaseItself(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *acctest.Swarm, e engine) {
		d := newDatabase(t, s, e)
		w := providertest.NewWorkspace(t, d.config())
		w.Apply()
		d.ask(t, d.insert)
		d.keeps(t, "the first row")
		w.Settled()
		w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")

		setting := fmt.Sprintf("settings = { %s = %q }", d.setting, d.value)
		w.Write("main.tf", d.config(setting))
		w.Apply()
		d.keeps(t, "a change of settings")
		if got := d.ask(t, d.show); got != d.shown {
			t.Errorf("the server says %q, want %q", got, d.shown)
		}

		w.Write("main.tf", d.config(setting, `resources = { memory = "300M", cpus = "1.5" }`))
		w.Apply()
		d.keeps(t, "a change of resources")

		upgraded := []string{setting, fmt.Sprintf("version = %q", d.minor), fmt.Sprintf("image = %q", d.image(d.minor))}
		w.Write("main.tf", d.config(upgraded...))
		w.Apply()
		d.keeps(t, "a minor upgrade")
		w.Settled()

		w.Expect(0, "destroy", "-auto-approve", "-input=false")
		if left := s.ReleaseObjects(t, d.name); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		w.Write("main.tf", d.config(append(upgraded, `existing_volume = "reuse"`)...))
		w.Apply()
		d.keeps(t, "destroying and creating anew")
		w.Settled()
	})
}

// TestAccApplyFailsWhenNoClientGetsAnAnswer has a server that is healthy for itself, and refuses whoever is not on its node.
func TestAccApplyFailsWhenNoClientGetsAnAnswer(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	acctest.Load(t, s, acctest.Postgres)
	d := newDatabase(t, s, engines[0])
	closed := d.image("15-closed-" + d.name)
	made := s.Docker(t, "create", d.image(d.version))
	s.DockerInput(t, archive(t, "docker-entrypoint-initdb.d/close.sh", `sed -i 's/^host all all all .*/host all all all reject/' "$PGDATA/pg_hba.conf"`),
		"cp", "-", made+":/")
	s.Docker(t, "commit", made, closed)
	s.Docker(t, "rm", made)
	t.Cleanup(func() { s.Docker(t, "rmi", "--force", closed) })

	w := providertest.NewWorkspace(t, d.config(fmt.Sprintf("image = %q", closed)))
	said := providertest.Flat(w.Expect(1, "apply", "-auto-approve", "-input=false"))
	for _, words := range []string{"Database " + d.name + " answers no client", d.name + ":5432 on network " + d.name + "_default", "pg_hba.conf rejects connection"} {
		if !strings.Contains(said, words) {
			t.Errorf("it does not say %q:\n%s", words, said)
		}
	}
	if !strings.Contains(w.State(), `"status": "failed"`) {
		t.Error("the state does not say that it failed")
	}
}

// archive is a tar of one file.
func archive(t testing.TB, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
