package git_test

import (
	"errors"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
	"github.com/swarmkeel/terraform-provider-swarm/internal/git/gittest"
)

// stackFiles is a repository as people have it: the stack in a folder of its own.
func stackFiles() map[string]string {
	return map[string]string{"README.md": "hello\n", "deploy/docker-stack.yml": "services: {}\n", "deploy/env/web.env": "A=1\n"}
}

// client has a cache of its own.
func client(t testing.TB, credentials ...git.Credential) *git.Client {
	t.Helper()
	return git.New(git.Options{CacheDir: t.TempDir(), Credentials: credentials})
}

// read reads one file of a commit.
func read(t testing.TB, c *git.Client, url, commit, folder, file string) (string, error) {
	t.Helper()
	tree, err := c.Tree(t.Context(), url, commit, folder)
	if err != nil {
		return "", err
	}
	return tree.File(file)
}

func mustRead(t testing.TB, c *git.Client, url, commit, folder, file, want string) {
	t.Helper()
	got, err := read(t, c, url, commit, folder, file)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("%s of %s is %q, want %q", file, commit, got, want)
	}
}

// reason is that of an error; empty for any other error and for none.
func reason(err error) git.Reason {
	var e *git.Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}

func repository(t testing.TB) (root string, r *gittest.Repository) {
	t.Helper()
	root = t.TempDir()
	return root, gittest.New(t, root, "shop")
}
