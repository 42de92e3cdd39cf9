package git_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
	"github.com/swarmkeel/terraform-provider-swarm/internal/git/gittest"
)

func TestResolve(t *testing.T) {
	root, r := repository(t)
	first := r.Commit(stackFiles())
	r.Git("tag", "-a", "-m", "one", "v1")
	r.Git("tag", "-a", "-m", "one again", "v1-again", "v1")
	r.Git("tag", "light")
	second := r.Commit(map[string]string{"README.md": "two\n"})
	third := r.Commit(map[string]string{"README.md": "three\n"})
	r.Git("branch", "feature/x", second)
	r.Git("branch", "both", second)
	r.Git("tag", "both", first)
	r.Git("update-ref", "refs/pull/1/head", second)
	tagObject := r.Git("rev-parse", "v1")
	server := gittest.ServeHTTP(t, root, "", "")

	for _, c := range []struct {
		rule, ref    string
		commit, full string
		fails        git.Reason
		fetches      int // what finding it costs beside the list of references
	}{
		{rule: "nothing is the remote's HEAD", commit: third, full: "refs/heads/main"},
		{rule: "HEAD by name", ref: "HEAD", commit: third, full: "refs/heads/main"},
		{rule: "a branch", ref: "main", commit: third, full: "refs/heads/main"},
		{rule: "a branch with a slash", ref: "feature/x", commit: second, full: "refs/heads/feature/x"},
		{rule: "an annotated tag stands for its commit", ref: "v1", commit: first, full: "refs/tags/v1"},
		{rule: "a tag of a tag stands for the commit", ref: "v1-again", commit: first, full: "refs/tags/v1-again"},
		{rule: "a light tag", ref: "light", commit: first, full: "refs/tags/light"},
		{rule: "a tag comes before a branch", ref: "both", commit: first, full: "refs/tags/both"},
		{rule: "a full name is that", ref: "refs/heads/both", commit: second, full: "refs/heads/both"},
		{rule: "a full name may be outside of branches and tags", ref: "refs/pull/1/head", commit: second, full: "refs/pull/1/head"},
		{rule: "a full SHA that a branch has", ref: third, commit: third},
		{rule: "a full SHA of the history", ref: first, commit: first},
		{rule: "a full SHA in capitals", ref: strings.ToUpper(third), commit: third},
		{rule: "the SHA of an annotated tag stands for its commit", ref: tagObject, commit: first},
		{rule: "a short SHA that a branch has", ref: third[:8], commit: third},
		{rule: "a short SHA of few digits is looked up in the history", ref: third[:6], commit: third, fetches: 1},
		{rule: "an unknown branch", ref: "nope", fails: git.NotFound},
		{rule: "an unknown full name", ref: "refs/heads/nope", fails: git.NotFound},
		{rule: "an unknown short SHA", ref: "0000000", fails: git.NotFound, fetches: 1},
		{rule: "an unknown full SHA", ref: strings.Repeat("0", 39) + "1", fails: git.NotFound, fetches: 1},
	} {
		for transport, url := range map[string]string{"http": server.URL + "/shop", "file": r.URL()} {
			t.Run(c.rule+" over "+transport, func(t *testing.T) {
				server.Reset()
				got, err := client(t).Resolve(t.Context(), url, c.ref)
				if reason(err) != c.fails || c.fails == "" && err != nil {
					t.Fatalf("fails with %v, want %q", err, c.fails)
				}
				if err == nil && (got.Commit != c.commit || got.Ref != c.full) {
					t.Errorf("is %+v, want %s of %q", got, c.commit, c.full)
				}
				if transport == "http" && server.Fetches() != c.fetches {
					t.Errorf("cost %d fetches, want %d", server.Fetches(), c.fetches)
				}
			})
		}
	}
}

func TestResolveShortSHAIsUnique(t *testing.T) {
	root, r := repository(t)
	var stream strings.Builder
	for i := range 1500 { // of 65536 beginnings some come twice, and always the same
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter test <test@example.com> %d +0000\ndata 0\n\n", 1700000000+i)
	}
	r.Pipe(stream.String(), "fast-import", "--quiet")
	seen, short := map[string]bool{}, ""
	for sha := range strings.SplitSeq(r.Git("rev-list", "main"), "\n") {
		if seen[sha[:4]] {
			short = sha[:4]
		}
		seen[sha[:4]] = true
	}
	server := gittest.ServeHTTP(t, root, "", "")
	for _, url := range []string{server.URL + "/shop", r.URL()} {
		if _, err := client(t).Resolve(t.Context(), url, short); reason(err) != git.Ambiguous || !strings.Contains(err.Error(), "more digits") {
			t.Errorf("%q of %s: %v, want it ambiguous", short, url, err)
		}
	}
}
