package providertest

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

// RandomValue is a value that stands nowhere by chance.
func RandomValue(t testing.TB, prefix string) string {
	t.Helper()
	b := make([]byte, 10)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return prefix + hex.EncodeToString(b)
}

// Places is text by the name of the place where it was found.
type Places map[string]string

// Having lists the places that hold a value: as it is, in hex, or as part of something in base64.
func (p Places) Having(value string) []string {
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

// Evidence is everything that Terraform and the provider left in the folder, with the archives unpacked: plan, state
// and their backups, and the logs. Plan files hold the configuration too.
func (w *Workspace) Evidence() Places {
	w.T.Helper()
	p := Places{}
	err := filepath.WalkDir(w.Dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(w.Dir, path)
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
		w.T.Fatal(err)
	}
	return p
}

// InSwarm is everything that the engine tells of a release, with the records unpacked. "service/web" is the spec of a
// service, "config/settings" and "record/v1" the data of a config, and what begins with "about" names and labels of
// anything.
func InSwarm(t testing.TB, s *acctest.Swarm, release string) Places {
	t.Helper()
	ctx, p := context.Background(), Places{}
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

func unpacked(t testing.TB, data []byte) string {
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

// Flat is output on one line, without the frames and the line breaks that Terraform puts into diagnostics.
func Flat(out string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(out)), " ")
}

// Around is the text in which a value was found.
func Around(text, value string) string {
	at := strings.Index(text, value)
	if at < 0 {
		return "(encoded)"
	}
	return text[max(at-200, 0):min(at+len(value)+100, len(text))]
}
