package application_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// randomValue is a value that stands nowhere by chance.
func randomValue(t testing.TB, prefix string) string {
	t.Helper()
	b := make([]byte, 10)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return prefix + hex.EncodeToString(b)
}

// places is text by the name of the place where it was found.
type places map[string]string

// having lists the places that hold a value: as it is, in hex, or as part of something in base64.
func (p places) having(value string) []string {
	needles := append([]string{value, hex.EncodeToString([]byte(value))}, base64Within(value)...)
	var found []string
	for _, where := range slices.Sorted(maps.Keys(p)) {
		if slices.ContainsFunc(needles, func(n string) bool { return strings.Contains(p[where], n) }) {
			found = append(found, where)
		}
	}
	return found
}

// base64Within is what base64 makes of a value at each of the three offsets that it can have within other text.
func base64Within(value string) []string {
	var out []string
	for offset := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", offset) + value))
		whole := len(text) / 4 * 4 // what follows the value changes the rest
		out = append(out, text[(offset*8+5)/6:whole])
	}
	return out
}

func TestBase64WithinFindsValuesAtEveryOffset(t *testing.T) {
	const value = "v1234567890abcdef"
	for _, before := range []string{"", "a", "ab", "abc", "abcd"} {
		p := places{"x": base64.StdEncoding.EncodeToString([]byte(before + value + "tail"))}
		if len(p.having(value)) != 1 {
			t.Errorf("not found behind %q", before)
		}
		if found := p.having("another1234567890"); len(found) != 0 {
			t.Errorf("found what is not there: %v", found)
		}
	}
}

// traced makes Terraform and the provider log everything they can into a file that evidence reads.
func (w *workspace) traced() {
	w.env = append(w.env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.dir, "trace.log"))
}

// variable sets an input variable for the commands that follow.
func (w *workspace) variable(name, value string) {
	prefix := "TF_VAR_" + name + "="
	w.env = append(slices.DeleteFunc(w.env, func(v string) bool { return strings.HasPrefix(v, prefix) }), prefix+value)
}

// evidence is everything that Terraform and the provider left in the folder, with the archives unpacked: plan, state
// and their backups, and the logs. Plan files hold the configuration too.
func (w *workspace) evidence() places {
	w.t.Helper()
	p := places{}
	err := filepath.WalkDir(w.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(w.dir, path)
		p[name] = string(data)
		if archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
			for _, f := range archive.File {
				content, err := f.Open()
				if err != nil {
					return err
				}
				text, err := io.ReadAll(content)
				if err != nil {
					return err
				}
				p[name+"/"+f.Name] = string(text)
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// inSwarm is everything that the engine tells of a release, with the records unpacked. "service/web" is the spec of a
// service, "config/settings" and "record/v1" the data of a config, and what begins with "about" names and labels of
// anything.
func inSwarm(t *testing.T, s *acctest.Swarm, release string) places {
	t.Helper()
	ctx, p := context.Background(), places{}
	text := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	services, err := s.Client().ServiceList(ctx, swarm.ServiceListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range services {
		if key, ok := strings.CutPrefix(o.Spec.Name, release+"_"); ok {
			p["service/"+key] = text(o.Spec)
		}
	}
	configs, err := s.Client().ConfigList(ctx, swarm.ConfigListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range configs {
		if !strings.Contains(o.Spec.Name, release) {
			continue
		}
		p["about config "+o.Spec.Name] = text(o.Spec.Annotations)
		if number, ok := strings.CutPrefix(o.Spec.Name, "keel."+release+"."); ok {
			p["record/"+number] = unpacked(t, o.Spec.Data)
		} else if key := o.Spec.Labels["io.swarmkeel.key"]; key != "" {
			p["config/"+key] += string(o.Spec.Data)
		}
	}
	secrets, err := s.Client().SecretList(ctx, swarm.SecretListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range secrets {
		if strings.Contains(o.Spec.Name, release) {
			p["about secret "+o.Spec.Name] = text(o)
		}
	}
	networks, err := s.Client().NetworkList(ctx, network.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range networks {
		if strings.Contains(o.Name, release) {
			p["about network "+o.Name] = text(o)
		}
	}
	return p
}

func unpacked(t *testing.T, data []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// flat is output on one line, without the frames and the line breaks that Terraform puts into diagnostics.
func flat(out string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(out)), " ")
}
