package git_test

import (
	"bytes"
	"compress/flate"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
	"github.com/swarmkeel/terraform-provider-swarm/internal/git/gittest"
)

// bounded fails a test whose work takes too long or holds too much memory.
func bounded(t *testing.T, work func()) {
	t.Helper()
	const (
		most    = 20 * time.Second
		mostMem = 300 << 20
	)
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var peak atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-stop:
				return
			case <-tick.C:
				runtime.ReadMemStats(&now)
				peak.Store(max(peak.Load(), now.HeapAlloc))
			}
		}
	}()
	started := time.Now()
	work()
	close(stop)
	<-stopped
	if took := time.Since(started); took > most {
		t.Errorf("took %s, more than %s", took, most)
	}
	if held := int64(peak.Load()) - int64(before.HeapAlloc); held > mostMem {
		t.Errorf("held %d MiB, more than %d", held>>20, mostMem>>20)
	}
}

// sparse writes a loose blob of zeroes into a repository without anybody having to
// deflate it: the same block of 64 MiB over and over. Its name is made up.
func sparse(t *testing.T, r *gittest.Repository, size int64) string {
	t.Helper()
	const block = 64 << 20
	deflate := func(content []byte, last bool) []byte {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(content)
		if _ = w.Flush(); last {
			_ = w.Close()
		}
		return b.Bytes()
	}
	const name = "1234567890123456789012345678901234567890"
	path := filepath.Join(r.Dir, ".git", "objects", name[:2], name[2:])
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	content := append([]byte{0x78, 0x9c}, deflate(fmt.Appendf(nil, "blob %d\x00", size), false)...)
	content = append(content, bytes.Repeat(deflate(make([]byte, block), false), int(size/block))...)
	if err := os.WriteFile(path, append(content, deflate(nil, true)...), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func commitOf(r *gittest.Repository, blob string) string {
	small := r.Pipe("services: {}\n", "hash-object", "-w", "--stdin")
	tree := r.Pipe("100644 blob "+blob+"\tsparse.img\n100644 blob "+small+"\tstack.yml\n", "mktree", "--missing")
	commit := r.Git("commit-tree", "-m", "large", tree)
	r.Git("update-ref", "refs/heads/main", commit)
	return commit
}

func TestHostileLargeBlob(t *testing.T) {
	t.Run("of 10 GiB in a local repository is not read", func(t *testing.T) {
		_, r := repository(t)
		commit := commitOf(r, sparse(t, r, 10<<30))
		bounded(t, func() {
			c := client(t)
			mustRead(t, c, r.URL(), commit, "", "stack.yml", "services: {}\n")
			if _, err := read(t, c, r.URL(), commit, "", "sparse.img"); err == nil || !strings.Contains(err.Error(), "too large") {
				t.Errorf("reading it: %v", err)
			}
		})
	})
	t.Run("of 1 GiB from a server that cannot leave it out is refused", func(t *testing.T) {
		root, r := repository(t)
		path := filepath.Join(t.TempDir(), "sparse.img")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 1<<30); err != nil {
			t.Fatal(err)
		}
		commit := commitOf(r, r.Git("-c", "core.bigFileThreshold=1m", "-c", "core.compression=1", "hash-object", "-w", path))
		server := gittest.ServeHTTP(t, root, "", "")
		bounded(t, func() {
			if _, err := read(t, client(t), server.URL+"/shop", commit, "", "stack.yml"); reason(err) != git.TooLarge {
				t.Errorf("reading a file beside it: %v, want %q", err, git.TooLarge)
			}
		})
	})
}

func TestHostileManyFiles(t *testing.T) {
	const files = 200_000
	for _, c := range []struct {
		rule  string
		make  func(r *gittest.Repository)
		local bool // a local repository, of which nothing is copied, can be read
	}{
		{rule: "each different, in a thousand folders", local: true, make: func(r *gittest.Repository) {
			stream := bytes.NewBufferString("commit refs/heads/main\ncommitter test <test@example.com> 1700000000 +0000\ndata 0\n\n")
			for i := range files {
				text := fmt.Sprint(i)
				fmt.Fprintf(stream, "M 100644 inline %03d/%03d\ndata %d\n%s\n", i/200, i%200, len(text), text)
			}
			r.Pipe(stream.String(), "fast-import", "--quiet")
		}},
		{rule: "all the same, in one folder", make: func(r *gittest.Repository) {
			blob := r.Pipe("x", "hash-object", "-w", "--stdin")
			var list strings.Builder
			for i := range files {
				fmt.Fprintf(&list, "100644 blob %s\t%06d\n", blob, i)
			}
			r.Git("update-ref", "refs/heads/main", r.Git("commit-tree", "-m", "many", r.Pipe(list.String(), "mktree")))
		}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			root, r := repository(t)
			c.make(r)
			commit := r.Git("rev-parse", "main")
			server := gittest.ServeHTTP(t, root, "", "")
			for _, url := range []string{server.URL + "/shop", r.URL()} {
				bounded(t, func() {
					_, err := read(t, client(t), url, commit, "", "000/000")
					refused := reason(err) == git.TooLarge || err != nil && strings.Contains(err.Error(), "too many files")
					if wanted := !c.local || url != r.URL(); refused != wanted || !wanted && err != nil {
						t.Errorf("%s: %v; want it refused: %v", url, err, wanted)
					}
				})
			}
		})
	}
}
