package object

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var shop = Scope{Kind: "application", Release: "shop"}

func TestRedact(t *testing.T) {
	ref := Ref{KindService, "web"}
	f := parse(t, `{"env":{"A":"hunter2","B":"shown"},"command":["x","hunter2"],"replicas":3,"tty":true}`)
	rows := []struct {
		rule  string
		paths []Path
		want  string
	}{
		{"a string", []Path{{"env", "A"}}, `{"command":["x","hunter2"],"env":{"A":"S","B":"shown"},"replicas":3,"tty":true}`},
		{"one element of a list", []Path{{"command", "1"}}, `{"command":["x","S"],"env":{"A":"hunter2","B":"shown"},"replicas":3,"tty":true}`},
		{"a list is redacted element by element", []Path{{"command"}}, `{"command":["S","S"],"env":{"A":"hunter2","B":"shown"},"replicas":3,"tty":true}`},
		{"a map is redacted leaf by leaf", []Path{{"env"}}, `{"command":["x","hunter2"],"env":{"A":"S","B":"S"},"replicas":3,"tty":true}`},
		{"numbers and truth values too", []Path{{"replicas"}, {"tty"}}, `{"command":["x","hunter2"],"env":{"A":"hunter2","B":"shown"},"replicas":"S","tty":"S"}`},
		{"a path that leads nowhere is passed over", []Path{{"env", "C"}, {"env", "A", "x"}, {"command", "7"}}, f.JSON()},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			before := f.JSON()
			got := f.Redact(shop, ref, row.paths)
			blank := regexp.MustCompile(`\(sensitive [0-9a-f]{12}\)`).ReplaceAllString(got.JSON(), "S")
			if blank != row.want {
				t.Errorf("got %s, want %s", blank, row.want)
			}
			if f.JSON() != before {
				t.Errorf("the form itself changed")
			}
			if again := got.Redact(shop, ref, row.paths); !again.Equal(got) {
				t.Errorf("redacted twice: %s, once: %s", again.JSON(), got.JSON())
			}
		})
	}
	t.Run("the same value at two places, in two objects and in two releases looks different", func(t *testing.T) {
		seen := map[any]bool{}
		for _, s := range []Scope{shop, {"application", "other"}, {"database", "shop"}} {
			for _, r := range []Ref{ref, {KindService, "api"}} {
				g := parse(t, `{"a":"same","b":"same"}`).Redact(s, r, []Path{{"a"}, {"b"}})
				seen[g["a"]], seen[g["b"]] = true, true
			}
		}
		if len(seen) != 12 {
			t.Errorf("%d fingerprints, want 12", len(seen))
		}
	})
}

func TestStickySensitive(t *testing.T) {
	ref := Ref{KindService, "web"}
	live := parse(t, `{"env":{"A":"same","B":"old","C":"gone"},"image":"app:1"}`)
	prior := live.Redact(shop, ref, UnrecordedSensitive(live, KindService))
	if strings.Contains(prior.JSON(), "same") || len(RedactedPaths(prior)) != 3 {
		t.Fatalf("prior %s", prior.JSON())
	}
	desired := parse(t, `{"env":{"A":"same","B":"new","D":"added"},"image":"app:1"}`)
	got := StickySensitive(desired, prior, shop, ref)
	if len(got) != 1 || got[0].String() != "env.A" {
		t.Errorf("sticky %v, want env.A alone", got)
	}
	after := desired.Redact(shop, ref, got)
	if d := paths(Diff(after, prior)); !slices.Equal(d, []string{"env.B", "env.C", "env.D"}) {
		t.Errorf("differences %q, want those of what changed", d)
	}
}

func TestUnrecordedSensitive(t *testing.T) {
	for _, row := range []struct {
		kind Kind
		form string
		want []string
	}{
		{KindService, `{"env":{"A":"1","BARE":null,"TWICE":["1","2"]},"labels":{"a":"1"},"command":["x"]}`, []string{"env.A", "env.TWICE[0]", "env.TWICE[1]"}},
		{KindConfig, `{"content":"text","labels":{"a":"1"}}`, []string{"content"}},
		{KindNetwork, `{"driver":"overlay"}`, nil},
	} {
		var got []string
		for _, p := range UnrecordedSensitive(parse(t, row.form), row.kind) {
			got = append(got, p.String())
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.kind, got, row.want)
		}
	}
}

func TestStrings(t *testing.T) {
	f := parse(t, `{"env":{"A":"1","AB":"2","N":null},"command":["x","y"],"replicas":3}`)
	for rule, row := range map[string]struct {
		path Path
		want []string
	}{
		"a leaf, and not the one whose name it begins": {Path{"env", "A"}, []string{"1"}},
		"all below a map":       {Path{"env"}, []string{"1", "2"}},
		"all below a list":      {Path{"command"}, []string{"x", "y"}},
		"a number is no string": {Path{"replicas"}, nil},
	} {
		if got := f.Strings(row.path); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", rule, got, row.want)
		}
	}
}
