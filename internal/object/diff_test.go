package object

import (
	"encoding/json"
	"testing"
)

func parse(t *testing.T, text string) Form {
	t.Helper()
	f, err := ParseForm(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDiff(t *testing.T) {
	rows := []struct{ rule, desired, live, want string }{
		{"equal forms have no difference", `{"a":{"b":[1,"x",null]}}`, `{"a":{"b":[1,"x",null]}}`, `[]`},
		{"a leaf that changed", `{"replicas":3}`, `{"replicas":1}`, `[{"path":["replicas"],"desired":3,"live":1}]`},
		{"a leaf of one side", `{"a":1}`, `{"b":2}`, `[{"path":["a"],"desired":1,"live":null},{"path":["b"],"desired":null,"live":2}]`},
		{"a map of one side is listed leaf by leaf", `{"h":{"b":"2","a":{"c":"1"}}}`, `{}`, `[{"path":["h","a","c"],"desired":"1","live":null},{"path":["h","b"],"desired":"2","live":null}]`},
		{"an empty map is a leaf", `{"n":{"x":{}}}`, `{"n":{}}`, `[{"path":["n","x"],"desired":{},"live":null}]`},
		{"a map that fills up", `{"n":{"x":{"a":["b"]}}}`, `{"n":{"x":{}}}`, `[{"path":["n","x","a"],"desired":["b"],"live":null}]`},
		{"a list of scalars is one leaf", `{"command":["a","b"]}`, `{"command":["a","c"]}`, `[{"path":["command"],"desired":["a","b"],"live":["a","c"]}]`},
		{"a list of maps of equal length goes by index", `{"p":[{"t":1},{"t":2}]}`, `{"p":[{"t":1},{"t":3}]}`, `[{"path":["p","1","t"],"desired":2,"live":3}]`},
		{"a list of maps of another length is one leaf", `{"p":[{"t":1}]}`, `{"p":[]}`, `[{"path":["p"],"desired":[{"t":1}],"live":[]}]`},
		{"null is told from absent", `{"env":{"A":null}}`, `{}`, `[{"path":["env","A"],"desired":"(no value)","live":null}]`},
		{"a number is not its text", `{"a":1}`, `{"a":"1"}`, `[{"path":["a"],"desired":1,"live":"1"}]`},
		{"a whole number is the same with a fraction of zero", `{"a":1.0,"b":1e3}`, `{"a":1,"b":1000}`, `[]`},
		{"a scalar that became a list", `{"env":{"A":["1","2"]}}`, `{"env":{"A":"1"}}`, `[{"path":["env","A"],"desired":["1","2"],"live":"1"}]`},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			diff := Diff(parse(t, row.desired), parse(t, row.live))
			if diff == nil {
				diff = []Difference{}
			}
			got, err := json.Marshal(diff)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestFormJSONIsCanonical(t *testing.T) {
	const want = `{"a":"<&>","b":[1,0.1,18446744073709551615,true,null],"é":{}}`
	f := parse(t, ` { "é" : {}, "b": [1, 0.1, 18446744073709551615, true, null], "a": "<&>" } `)
	if got := f.JSON(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, bad := range []string{``, `null`, `[]`, `{} {}`, `{"a":}`} {
		if f, err := ParseForm(bad); err == nil {
			t.Errorf("%q is read as %v", bad, f)
		}
	}
}

func TestValues(t *testing.T) {
	for nano, want := range map[int64]string{0: "", 5e8: "0.5", 1e9: "1", 1: "0.000000001", 10e9: "10", -5e8: "-0.5"} {
		if got := cpus(nano); got != want {
			t.Errorf("%d nano cpus are %q, want %q", nano, got, want)
		}
	}
	for bytes, want := range map[int64]string{0: "", 64 << 20: "64MiB", 1000: "1000B", 1 << 30: "1GiB", 1536 << 20: "1536MiB", -1 << 63: "-8EiB"} {
		if got := memory(bytes); got != want {
			t.Errorf("%d bytes are %q, want %q", bytes, got, want)
		}
	}
}
