package git_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
	"github.com/swarmkeel/terraform-provider-swarm/internal/git/gittest"
)

func host(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

func TestHTTPCredentials(t *testing.T) {
	root, r := repository(t)
	commit := r.Commit(stackFiles())
	server := gittest.ServeHTTP(t, root, "ci", "hunter2")
	addr := host(server.URL)
	name, _, _ := strings.Cut(addr, ":")
	right := git.Credential{Host: addr, Username: "ci", Password: "hunter2"}
	for _, c := range []struct {
		rule        string
		credentials []git.Credential
		fails       git.Reason
	}{
		{"the entry of host and port", []git.Credential{right}, ""},
		{"the entry of the host is for every port", []git.Credential{{Host: name, Username: "ci", Password: "hunter2"}}, ""},
		{"the port decides between two", []git.Credential{{Host: name, Username: "ci", Password: "no"}, right, {Host: name, Username: "x", Password: "y"}}, ""},
		{"none", nil, git.Unauthorized},
		{"a wrong password", []git.Credential{{Host: addr, Username: "ci", Password: "hunter3"}}, git.Unauthorized},
		{"the entry of another port is not sent", []git.Credential{{Host: name + ":1", Username: "ci", Password: "hunter2"}}, git.Unauthorized},
		{"the entry of another host is not sent", []git.Credential{{Host: "git.example.com", Username: "ci", Password: "hunter2"}}, git.Unauthorized},
		{"an entry for ssh is none for http", []git.Credential{{Host: addr, PrivateKey: "key"}}, git.Unauthorized},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, err := read(t, client(t, c.credentials...), server.URL+"/shop", commit, "deploy", "docker-stack.yml")
			if reason(err) != c.fails || c.fails == "" && err != nil {
				t.Fatalf("fails with %v, want %q", err, c.fails)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter") || !strings.Contains(err.Error(), addr) || !strings.Contains(err.Error(), "git_auth")) {
				t.Errorf("the error does not name the host and what to do, or quotes the password: %v", err)
			}
		})
	}
}

func TestHTTPCredentialStaysWithItsHost(t *testing.T) {
	root, r := repository(t)
	commit := r.Commit(stackFiles())
	var leaked, asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		asked.Add(1)
		if _, _, ok := req.BasicAuth(); ok {
			leaked.Add(1)
		}
		http.Error(w, "who are you?", http.StatusUnauthorized)
	}))
	t.Cleanup(other.Close)
	server := gittest.ServeHTTP(t, root, "ci", "hunter2")
	server.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		http.Redirect(w, req, other.URL+req.URL.String(), http.StatusFound)
		return true
	})
	_, err := read(t, client(t, git.Credential{Host: host(server.URL), Username: "ci", Password: "hunter2"}), server.URL+"/shop", commit, "", "README.md")
	if reason(err) != git.Unauthorized {
		t.Errorf("fails with %v, want %q", err, git.Unauthorized)
	}
	if leaked.Load() > 0 || asked.Load() == 0 {
		t.Errorf("of %d requests at the other host %d had the credential", asked.Load(), leaked.Load())
	}
}

func TestHTTPSTrustsKnownAuthoritiesAlone(t *testing.T) {
	root, r := repository(t)
	commit := r.Commit(stackFiles())
	server := gittest.ServeHTTPS(t, root, "", "")
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	_, err := read(t, client(t), server.URL+"/shop", commit, "", "README.md")
	if reason(err) != git.Untrusted || !strings.Contains(err.Error(), "ca_cert") {
		t.Errorf("an unknown certificate: %v, want %q", err, git.Untrusted)
	}
	mustRead(t, client(t, git.Credential{Host: host(server.URL), CACert: ca}), server.URL+"/shop", commit, "", "README.md", "hello\n")
}

func TestFetch(t *testing.T) {
	reachable := []string{"config", "uploadpack.allowReachableSHA1InWant", "true"}
	for _, c := range []struct {
		rule    string
		config  []string
		commit  func(r *gittest.Repository, first, second string) string
		fetches int
	}{
		{"the tip of a branch is fetched alone", nil, func(_ *gittest.Repository, _, second string) string { return second }, 1},
		{"an older commit is fetched alone where the server allows it", reachable, func(_ *gittest.Repository, first, _ string) string { return first }, 1},
		{"an older commit comes with the history where the server refuses", nil, func(_ *gittest.Repository, first, _ string) string { return first }, 1},
		{"the commit of an annotated tag is fetched through the tag", nil, func(r *gittest.Repository, first, _ string) string {
			r.Git("tag", "-a", "-m", "one", "v1", first)
			return first
		}, 1},
		{"a server that filters", []string{"config", "uploadpack.allowFilter", "true"}, func(_ *gittest.Repository, _, second string) string { return second }, 1},
	} {
		t.Run(c.rule, func(t *testing.T) {
			root, r := repository(t)
			first := r.Commit(stackFiles())
			second := r.Commit(map[string]string{"other": "x"})
			if c.config != nil {
				r.Git(c.config...)
			}
			server := gittest.ServeHTTP(t, root, "", "")
			mustRead(t, client(t), server.URL+"/shop", c.commit(r, first, second), "deploy", "env/web.env", "A=1\n")
			if server.Fetches() != c.fetches {
				t.Errorf("%d fetches, want %d", server.Fetches(), c.fetches)
			}
		})
	}
}

func TestFetchOfALostCommitSaysSo(t *testing.T) {
	for _, allow := range []string{"false", "true"} {
		t.Run("reachable commits may be asked for: "+allow, func(t *testing.T) {
			root, r := repository(t)
			r.Commit(stackFiles())
			r.Git("config", "uploadpack.allowReachableSHA1InWant", allow)
			lost := r.Commit(map[string]string{"README.md": "lost"})
			r.Git("reset", "-q", "--hard", "HEAD^")
			r.Git("reflog", "expire", "--expire=now", "--all")
			r.Git("gc", "-q", "--prune=now")
			server := gittest.ServeHTTP(t, root, "", "")
			for _, url := range []string{server.URL + "/shop", r.URL()} {
				_, err := read(t, client(t), url, lost, "", "README.md")
				if reason(err) != git.NotFound {
					t.Fatalf("%s: %v, want %q", url, err, git.NotFound)
				}
				for _, part := range []string{url, lost, "forced push", "swarm_git_commit"} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("the error does not mention %q: %v", part, err)
					}
				}
			}
		})
	}
}

func TestFetchHappensOnce(t *testing.T) {
	root, r := repository(t)
	commit := r.Commit(stackFiles())
	server := gittest.ServeHTTP(t, root, "", "")
	cache := t.TempDir()
	for command := range 3 {
		c := git.New(git.Options{CacheDir: cache})
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				if _, err := c.Resolve(t.Context(), server.URL+"/shop", "main"); err != nil {
					t.Error(err)
				}
				mustRead(t, c, server.URL+"/shop", commit, "deploy", "docker-stack.yml", "services: {}\n")
			})
		}
		group.Wait()
		if server.Fetches() != 1 || server.Lists() != command+2 {
			t.Fatalf("after command %d with 20 readers: %d fetches and %d lists of references", command+1, server.Fetches(), server.Lists())
		}
	}
	// At another address it is another repository.
	mustRead(t, git.New(git.Options{CacheDir: cache}), strings.Replace(server.URL, "127.0.0.1", "localhost", 1)+"/shop", commit, "", "README.md", "hello\n")
	if server.Fetches() != 2 {
		t.Errorf("another URL took %d fetches in all, want 2", server.Fetches())
	}
}

func TestSSH(t *testing.T) {
	for name, serve := range map[string]func(testing.TB) *gittest.SSH{"OpenSSH": gittest.ServeOpenSSH, "stand-in": gittest.ServeSSH} {
		t.Run(name, func(t *testing.T) {
			_, r := repository(t)
			first := r.Commit(stackFiles())
			r.Commit(map[string]string{"README.md": "two\n"})
			server := serve(t)
			stranger := gittest.NewKey(t)
			impostor := strings.Fields(server.KnownHosts)[0] + " " + stranger.Signer.PublicKey().Type() + " " + stranger.Public()
			for _, c := range []struct {
				rule       string
				credential git.Credential
				dir        string
				fails      git.Reason
				says       string
			}{
				{"key and known host", git.Credential{PrivateKey: server.Key, KnownHosts: server.KnownHosts}, r.Dir, "", ""},
				{"a key that the host does not know", git.Credential{PrivateKey: stranger.PEM, KnownHosts: server.KnownHosts}, r.Dir, git.Unauthorized, "ssh_private_key"},
				{"a host that shows another key", git.Credential{PrivateKey: server.Key, KnownHosts: impostor}, r.Dir, git.Untrusted, "SHA256:"},
				{"a host that is not known", git.Credential{PrivateKey: server.Key, KnownHosts: "other.example.com " + strings.Join(strings.Fields(server.KnownHosts)[1:], " ")}, r.Dir, git.Untrusted, "known_hosts"},
				{"no key at all", git.Credential{PrivateKey: "nonsense", KnownHosts: server.KnownHosts}, r.Dir, git.Unauthorized, "ssh_private_key"},
				{"no such repository", git.Credential{PrivateKey: server.Key, KnownHosts: server.KnownHosts}, "/no/such/repository", git.NoRepository, "path"},
			} {
				t.Run(c.rule, func(t *testing.T) {
					c.credential.Host = server.Addr
					got, err := read(t, client(t, c.credential), server.URL(c.dir), first, "", "README.md")
					if reason(err) != c.fails || c.fails == "" && (err != nil || got != "hello\n") {
						t.Fatalf("reads %q, fails with %v, want %q", got, err, c.fails)
					}
					if err != nil && !strings.Contains(err.Error(), c.says) {
						t.Errorf("the error does not mention %q: %v", c.says, err)
					}
				})
			}
			t.Run("a key with a passphrase", func(t *testing.T) {
				locked := gittest.NewKey(t, "open sesame")
				_, err := read(t, client(t, git.Credential{Host: server.Addr, PrivateKey: locked.PEM, Passphrase: "wrong", KnownHosts: server.KnownHosts}), server.URL(r.Dir), first, "", "README.md")
				if reason(err) != git.Unauthorized || !strings.Contains(err.Error(), "ssh_passphrase") {
					t.Errorf("a wrong passphrase: %v", err)
				}
				_, err = read(t, client(t, git.Credential{Host: server.Addr, PrivateKey: locked.PEM, Passphrase: "open sesame", KnownHosts: server.KnownHosts}), server.URL(r.Dir), first, "", "README.md")
				if reason(err) != git.Unauthorized || strings.Contains(err.Error(), "ssh_passphrase") {
					t.Errorf("the right passphrase of a key that the host does not know: %v", err)
				}
			})
		})
	}
}

func TestServerFaultIsQuoted(t *testing.T) {
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "the disk is full", http.StatusInternalServerError)
	}))
	t.Cleanup(broken.Close)
	_, err := client(t).Resolve(t.Context(), broken.URL+"/shop", "main")
	if reason(err) != git.Refused || !strings.Contains(err.Error(), "500") || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("fails with %v, want %q and the server's words", err, git.Refused)
	}
}

func TestUnreachableHostIsNamed(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	url := closed.URL + "/shop"
	closed.Close()
	_, err := client(t).Resolve(t.Context(), url, "main")
	if reason(err) != git.Unreachable || !strings.Contains(err.Error(), host(url)) {
		t.Errorf("fails with %v, want %q and the host", err, git.Unreachable)
	}
}
