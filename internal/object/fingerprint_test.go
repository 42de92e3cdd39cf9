package object

import (
	"encoding/hex"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/docker/docker/api/types/swarm"
)

func TestSecretFingerprint(t *testing.T) {
	base := SecretFingerprint("application", "shop", "pw", []byte("hunter2"))
	if b, err := hex.DecodeString(base); err != nil || len(b) != 32 {
		t.Fatalf("fingerprint %q", base)
	}
	// Records and states hold fingerprints: another answer would rotate every
	// secret of everybody.
	if want := "108850125e4176fce116b2da3c6c04fba9a58a6c9103227adb711207ca45d916"; base != want {
		t.Errorf("fingerprint %s, want %s for ever", base, want)
	}
	for name, other := range map[string]string{
		"kind":               SecretFingerprint("database", "shop", "pw", []byte("hunter2")),
		"release":            SecretFingerprint("application", "shop2", "pw", []byte("hunter2")),
		"key":                SecretFingerprint("application", "shop", "pw2", []byte("hunter2")),
		"data":               SecretFingerprint("application", "shop", "pw", []byte("hunter3")),
		"border of the salt": SecretFingerprint("application", "shopp", "w", []byte("hunter2")),
	} {
		if other == base {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
}

func TestSecretFingerprintIsConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	got := make([]string, 16)
	for i := range got {
		wg.Go(func() { got[i] = SecretFingerprint("application", "shop", "concurrent", []byte("x")) })
	}
	wg.Wait()
	for _, g := range got {
		if g == "" || g != got[0] {
			t.Errorf("fingerprints %q", got)
			break
		}
	}
}

func BenchmarkSecretFingerprint(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		SecretFingerprint("application", "bench", string(rune(i)), []byte("x"))
	}
}

func TestConfigFingerprint(t *testing.T) {
	config := func(data, driver string, options map[string]string) string {
		return ConfigFingerprint(&swarm.ConfigSpec{Data: []byte(data), Templating: &swarm.Driver{Name: driver, Options: options}})
	}
	base := config("a", "golang", map[string]string{"x": "1", "y": "2"})
	if again := config("a", "golang", map[string]string{"y": "2", "x": "1"}); again != base {
		t.Errorf("%s and %s of the same config", base, again)
	}
	for name, other := range map[string]string{
		"data":      config("b", "golang", map[string]string{"x": "1", "y": "2"}),
		"driver":    config("a", "other", map[string]string{"x": "1", "y": "2"}),
		"options":   config("a", "golang", map[string]string{"x": "1", "y": "3"}),
		"no driver": ConfigFingerprint(&swarm.ConfigSpec{Data: []byte("a")}),
	} {
		if other == base {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
	labelled := &swarm.ConfigSpec{Annotations: swarm.Annotations{Name: "n", Labels: map[string]string{"a": "1"}}, Data: []byte("a")}
	if ConfigFingerprint(labelled) != ConfigFingerprint(&swarm.ConfigSpec{Data: []byte("a")}) {
		t.Error("name and labels are no content")
	}
}

func TestContentName(t *testing.T) {
	const fp = "0123456789abcdef"
	legal := regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$`)
	if got, want := ContentName("shop", "nginx_conf", fp), "shop_nginx_conf-0123456789ab"; got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	long := strings.Repeat("k", 70)
	names := map[string]string{}
	for _, in := range [][3]string{
		{"shop", strings.Repeat("k", 46), fp}, {"shop", strings.Repeat("k", 47), fp},
		{"shop", long + "a", fp}, {"shop", long + "b", fp},
		{"shop", "a b", fp}, {"shop", "a-b", fp}, {"shop", "ä", fp}, {"_", "-", fp}, {"", "", fp},
		{"shop", "x", ""}, {"shop", "x", "short"}, {"shop", "x", "not hexadecimal"}, {"shop", "x", fp},
	} {
		name := ContentName(in[0], in[1], in[2])
		if len(name) > 64 || !legal.MatchString(name) {
			t.Errorf("%q is no name (%d characters)", name, len(name))
		}
		if was, taken := names[name]; taken {
			t.Errorf("%q and %q are both named %s", was, in, name)
		}
		names[name] = strings.Join(in[:], " ")
	}
}

func FuzzContentName(f *testing.F) {
	f.Add("shop", "key", []byte("x"))
	legal := regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$`)
	f.Fuzz(func(t *testing.T, release, key string, data []byte) {
		name := ContentName(release, key, ConfigFingerprint(&swarm.ConfigSpec{Data: data}))
		if len(name) > 64 || !legal.MatchString(name) || strings.ContainsAny(name, " ") {
			t.Errorf("%q", name)
		}
	})
}
