package swarm

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestLastLinesOfALog(t *testing.T) {
	const out, err = false, true
	numbered := func(prefix string, from, to int) (lines []string) {
		for i := from; i <= to; i++ {
			lines = append(lines, fmt.Sprint(prefix, i))
		}
		return lines
	}
	type chunk struct {
		stderr bool
		text   string
	}
	text := func(lines []string) string { return strings.Join(lines, "\n") + "\n" }
	for _, tc := range []struct {
		rule   string
		chunks []chunk
		want   []string
	}{
		{"all of a short log, in its order", []chunk{{out, "a\n"}, {err, "b\n"}, {out, "c\n"}}, []string{"a", "b", "c"}},
		{"the last ten of a long one", []chunk{{out, text(numbered("o", 1, 30))}}, numbered("o", 21, 30)},
		{"what stderr said at the end stays, however much stdout the engine wrote after it",
			[]chunk{{err, "cannot open\n"}, {out, text(numbered("o", 1, 30))}}, append([]string{"cannot open"}, numbered("o", 22, 30)...)},
		{"an old stderr claims no more than half",
			[]chunk{{err, text(numbered("e", 1, 30))}, {out, text(numbered("o", 1, 30))}}, append(numbered("e", 26, 30), numbered("o", 26, 30)...)},
		{"a line without an end counts, and so does one in two pieces", []chunk{{out, "a"}, {out, "b\nc"}}, []string{"ab", "c"}},
		{"carriage returns are dropped", []chunk{{out, "a\r\n"}}, []string{"a"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			var log lineBuffer
			streams := map[bool]io.Writer{out: log.stream(out), err: log.stream(err)}
			for _, c := range tc.chunks {
				if _, err := io.WriteString(streams[c.stderr], c.text); err != nil {
					t.Fatal(err)
				}
			}
			if got := log.last(10); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
