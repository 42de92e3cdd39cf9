// Package gittest gives tests real git repositories and real servers for them.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repository is a git repository with a working copy, made by the git command.
type Repository struct {
	t testing.TB
	// Dir is its folder.
	Dir string
}

// New makes an empty repository whose branch is called main, as folder name below
// root.
func New(t testing.TB, root, name string) *Repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs the git command, to make repositories and to serve them: ", err)
	}
	r := &Repository{t: t, Dir: filepath.Join(root, name)}
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.Git("init", "-q", "-b", "main")
	return r
}

// environment keeps what the machine has configured for git out of the tests.
func environment() []string {
	return append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com")
}

// Git runs a git command in the repository and returns what it printed.
func (r *Repository) Git(args ...string) string {
	r.t.Helper()
	return r.Pipe("", args...)
}

// Pipe is Git with something to read.
func (r *Repository) Pipe(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.Dir, environment(), strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Write puts files into the working copy.
func (r *Repository) Write(files map[string]string) {
	r.t.Helper()
	for name, text := range files {
		path := filepath.Join(r.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// Commit writes files and commits everything that the working copy has. It returns
// the commit.
func (r *Repository) Commit(files map[string]string) string {
	r.t.Helper()
	r.Write(files)
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", "Change")
	return r.Git("rev-parse", "HEAD")
}

// URL is the repository as a file:// URL.
func (r *Repository) URL() string { return "file://" + filepath.ToSlash(r.Dir) }
