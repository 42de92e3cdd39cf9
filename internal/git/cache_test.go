package git_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
	"github.com/swarmkeel/terraform-provider-swarm/internal/git/gittest"
)

func entries(t *testing.T, cache, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(cache, "*", pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestCacheOutlivesTheServer(t *testing.T) {
	root, r := repository(t)
	commit := r.Commit(stackFiles())
	server := gittest.ServeHTTP(t, root, "", "")
	cache := t.TempDir()
	read := func() {
		t.Helper()
		mustRead(t, git.New(git.Options{CacheDir: cache}), server.URL+"/shop", commit, "", "README.md", "hello\n")
	}
	read()
	server.Close()
	read()
	for _, dir := range append(entries(t, cache, ""), entries(t, cache, commit)...) {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s can be read by others: %v, %v", dir, info.Mode(), err)
		}
	}
}

func TestCacheMendsItself(t *testing.T) {
	for _, c := range []struct {
		rule   string
		damage func(t *testing.T, entry string)
	}{
		{"a pack that is cut off", func(t *testing.T, entry string) { cut(t, entry, "*.pack") }},
		{"an index that is cut off", func(t *testing.T, entry string) { cut(t, entry, "*.idx") }},
		{"an entry without a pack", func(t *testing.T, entry string) {
			if err := os.RemoveAll(filepath.Join(entry, "objects")); err != nil {
				t.Fatal(err)
			}
		}},
		{"what a killed writer has left", func(t *testing.T, entry string) {
			if err := os.Rename(entry, entry+".part"); err != nil {
				t.Fatal(err)
			}
			cut(t, entry+".part", "*.pack")
		}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			root, r := repository(t)
			commit := r.Commit(stackFiles())
			server := gittest.ServeHTTP(t, root, "", "")
			cache := t.TempDir()
			for range 2 {
				mustRead(t, git.New(git.Options{CacheDir: cache}), server.URL+"/shop", commit, "", "README.md", "hello\n")
				if server.Fetches() == 1 {
					c.damage(t, entries(t, cache, commit)[0])
				}
			}
			if server.Fetches() != 2 || len(entries(t, cache, "*.part")) != 0 {
				t.Errorf("%d fetches, want 2; left: %v", server.Fetches(), entries(t, cache, "*.part"))
			}
		})
	}
}

func cut(t *testing.T, entry, pattern string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(entry, "objects", "pack", pattern))
	if err != nil || len(files) == 0 {
		t.Fatal("nothing to damage: ", err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, info.Size()-1); err != nil {
			t.Fatal(err)
		}
	}
}

// reader is the environment variable that makes the test binary a process of its
// own that reads one file: cache, URL and commit.
const reader = "GIT_TEST_READER"

func TestMain(m *testing.M) {
	if order := os.Getenv(reader); order != "" {
		args := strings.Split(order, " ")
		tree, err := git.New(git.Options{CacheDir: args[0]}).Tree(context.Background(), args[1], args[2], "")
		if err == nil {
			_, err = tree.File("README.md")
		}
		if err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func process(cache, url, commit string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), reader+"="+strings.Join([]string{cache, url, commit}, " "))
	cmd.Stderr = os.Stderr
	return cmd
}

func TestCacheIsSharedByProcesses(t *testing.T) {
	root, r := repository(t)
	commit := r.Commit(stackFiles())
	server := gittest.ServeHTTP(t, root, "", "")
	cache := t.TempDir()
	var running []*exec.Cmd
	for range 5 {
		cmd := process(cache, server.URL+"/shop", commit)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if server.Fetches() != 1 {
		t.Errorf("5 processes cost %d fetches, want 1", server.Fetches())
	}
}

func TestCacheSurvivesAKilledWriter(t *testing.T) {
	root, r := repository(t)
	commit := r.Commit(stackFiles())
	server := gittest.ServeHTTP(t, root, "", "")
	cache := t.TempDir()
	fetching, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server.Intercept(func(_ http.ResponseWriter, req *http.Request) (answered bool) {
		if req.Method == http.MethodPost {
			once.Do(func() {
				close(fetching)
				<-release
				answered = true
			})
		}
		return answered
	})
	victim := process(cache, server.URL+"/shop", commit)
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	<-fetching
	if len(entries(t, cache, commit+".part")) != 1 || len(entries(t, cache, commit)) != 0 {
		t.Errorf("while fetching there is %v", entries(t, cache, "*"))
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait()
	close(release)
	started := time.Now()
	mustRead(t, git.New(git.Options{CacheDir: cache}), server.URL+"/shop", commit, "", "README.md", "hello\n")
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("the next reader waited %s for a dead one", took)
	}
	if len(entries(t, cache, "*.part")) != 0 {
		t.Errorf("what the killed writer left is still there: %v", entries(t, cache, "*"))
	}
}

func TestCacheForgetsWhatNobodyReads(t *testing.T) {
	root, r := repository(t)
	old := r.Commit(stackFiles())
	server := gittest.ServeHTTP(t, root, "", "")
	cache := t.TempDir()
	use := func(commit string) {
		t.Helper()
		mustRead(t, git.New(git.Options{CacheDir: cache}), server.URL+"/shop", commit, "", "README.md", "hello\n")
	}
	use(old)
	longAgo := time.Now().Add(-31 * 24 * time.Hour)
	if err := os.Chtimes(entries(t, cache, old)[0], longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	use(r.Commit(map[string]string{"other": "x"}))
	if len(entries(t, cache, old)) != 0 {
		t.Errorf("an entry that nobody has used for a month is still there")
	}
}
