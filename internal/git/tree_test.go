package git_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
	"github.com/swarmkeel/terraform-provider-swarm/internal/git/gittest"
)

// link stages a symbolic link, whatever the file system makes of those.
func link(r *gittest.Repository, path, target string) {
	blob := r.Pipe(target, "hash-object", "-w", "--stdin")
	r.Git("update-index", "--add", "--cacheinfo", "120000,"+blob+","+path)
}

func TestTreeStaysInTheCommit(t *testing.T) {
	root, r := repository(t)
	r.Commit(map[string]string{
		"shared/common.env": "A=1\n", "deploy/stack.yml": "services: {}\n", "deploy/big.bin": strings.Repeat("x", 1<<20+1),
		"deploy/asset.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
	})
	link(r, "deploy/common.env", "../shared/common.env")
	link(r, "deploy/folder", "../shared")
	link(r, "deploy/passwd", "/etc/passwd")
	link(r, "deploy/climb", "../../../../../../etc/passwd")
	link(r, "deploy/loop", "loop")
	link(r, "deploy/gone", "nowhere")
	r.Git("update-index", "--add", "--cacheinfo", "160000,"+r.Git("rev-parse", "HEAD")+",deploy/module")
	r.Git("commit", "-q", "-m", "Links")
	commit := r.Git("rev-parse", "HEAD")
	server := gittest.ServeHTTP(t, root, "", "")

	for _, c := range []struct {
		rule, file string
		text, says string
		missing    bool
	}{
		{rule: "a file", file: "stack.yml", text: "services: {}\n"},
		{rule: "dots in a path mean nothing", file: "./stack.yml", text: "services: {}\n"},
		{rule: "a link within the commit is followed", file: "common.env", text: "A=1\n"},
		{rule: "a link to a folder is followed", file: "folder/common.env", text: "A=1\n"},
		{rule: "a link to the host is refused", file: "passwd", says: "link out of the repository"},
		{rule: "a link that climbs out is refused", file: "climb", says: "out of the repository"},
		{rule: "a path that climbs out is refused", file: "../../etc/passwd", says: "out of the repository"},
		{rule: "a link to itself ends", file: "loop", says: "too many symbolic links"},
		{rule: "a link to nothing is a missing file", file: "gone", missing: true},
		{rule: "a missing file", file: "no.yml", missing: true},
		{rule: "a missing folder", file: "no/no.yml", missing: true},
		{rule: "a file is no folder", file: "stack.yml/x", missing: true},
		{rule: "a folder is no file", file: "folder", says: "folder"},
		{rule: "a submodule", file: "module/stack.yml", says: "submodule"},
		{rule: "a Git LFS pointer", file: "asset.bin", says: "LFS"},
		{rule: "a large file", file: "big.bin", says: "too large"},
	} {
		for transport, url := range map[string]string{"http": server.URL + "/shop", "file": r.URL()} {
			t.Run(c.rule+" over "+transport, func(t *testing.T) {
				got, err := read(t, client(t), url, commit, "deploy", c.file)
				switch {
				case c.text != "":
					if err != nil || got != c.text {
						t.Errorf("reads %q, fails with %v", got, err)
					}
				case c.missing != errors.Is(err, fs.ErrNotExist) || err == nil || !strings.Contains(err.Error(), c.says):
					t.Errorf("reads %q, fails with %v, want it to say %q", got, err, c.says)
				}
			})
		}
	}

	t.Run("a folder that is not there", func(t *testing.T) {
		for _, folder := range []string{"no", "deploy/stack.yml"} {
			if _, err := client(t).Tree(t.Context(), r.URL(), commit, folder); reason(err) != git.NoFolder || !strings.Contains(err.Error(), folder) {
				t.Errorf("%q: %v, want %q", folder, err, git.NoFolder)
			}
		}
	})
}

func TestTreeLeavesLargeFilesAtTheServer(t *testing.T) {
	root, r := repository(t)
	r.Git("config", "uploadpack.allowFilter", "true")
	commit := r.Commit(map[string]string{"stack.yml": "services: {}\n", "big.bin": strings.Repeat("x", 1<<20+1)})
	server := gittest.ServeHTTP(t, root, "", "")
	c := client(t)
	mustRead(t, c, server.URL+"/shop", commit, "", "stack.yml", "services: {}\n")
	if _, err := read(t, c, server.URL+"/shop", commit, "", "big.bin"); err == nil || !strings.Contains(err.Error(), "left it out") {
		t.Errorf("a file that was not sent: %v", err)
	}
}

func TestTreeReadsABoundedNumberOfFiles(t *testing.T) {
	_, r := repository(t)
	blob := r.Pipe("x", "hash-object", "-w", "--stdin")
	var list strings.Builder
	names := make([]string, 1001)
	for i := range names {
		names[i] = fmt.Sprintf("f%04d", i)
		list.WriteString("100644 blob " + blob + "\t" + names[i] + "\n")
	}
	commit := r.Git("commit-tree", "-m", "many", r.Pipe(list.String(), "mktree"))
	tree, err := client(t).Tree(t.Context(), r.URL(), commit, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if _, err := tree.File(name); (err != nil) != (i >= 1000) {
			t.Fatalf("file %d: %v", i+1, err)
		}
	}
}
