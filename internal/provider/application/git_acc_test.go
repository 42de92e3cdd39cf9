package application_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/git/gittest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// gitStack is a repository with a stack in a folder of its own, which says by an env file what it is.
func gitStack(release string) map[string]string {
	return map[string]string{
		"deploy/docker-stack.yml": "services:\n  web:\n    image: " + acctest.Image("1.0") + "\n    command: [serve]\n    env_file: [env/web.env]\n    configs: [{source: site, target: /site}]\n" +
			"    deploy: {replicas: 1, update_config: {monitor: 300ms}, restart_policy: {delay: 100ms}}\nconfigs:\n  site: {file: ./site.conf}\n",
		"deploy/site.conf":   "site of " + release + "\n",
		"deploy/env/web.env": "RELEASE=" + release + "\n",
	}
}

// fromGit is one application of whatever the branch main has.
func fromGit(host, name, url, auth string) string {
	return fmt.Sprintf(`
provider "swarm" {
  host     = %q
  git_auth = [%s]
}

data "swarm_git_commit" "shop" {
  url = %q
  ref = "main"
}

resource "swarm_application" "app" {
  name = %q
  git = {
    url    = data.swarm_git_commit.shop.url
    commit = data.swarm_git_commit.shop.commit
    path   = "deploy"
  }
}

data "swarm_application" "app" {
  name       = swarm_application.app.name
  depends_on = [swarm_application.app]
}

output "commit" {
  value = data.swarm_application.app.commit
}
`, host, auth, url, name)
}

// newGitWorkspace has a cache of fetched commits of its own.
func newGitWorkspace(t *testing.T, config string) *providertest.Workspace {
	t.Helper()
	w := providertest.NewWorkspace(t, config)
	w.Env = append(w.Env, "XDG_CACHE_HOME="+t.TempDir())
	return w
}

func gitHost(url string) string { return strings.TrimPrefix(url, "http://") }

func environment(t *testing.T, s *acctest.Swarm, service string) []string {
	t.Helper()
	return s.Service(t, service).Spec.TaskTemplate.ContainerSpec.Env
}

// The branch moves between plan and apply: what the plan showed is deployed.
func TestAccGitDeploysWhatThePlanShowed(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	root := t.TempDir()
	r := gittest.New(t, root, "shop")
	first := r.Commit(gitStack("1"))
	server := gittest.ServeHTTP(t, root, "ci", "hunter2")
	w := newGitWorkspace(t, fromGit(s.Host(), name, server.URL+"/shop", fmt.Sprintf("{ host = %q, username = \"ci\", password = \"hunter2\" }", gitHost(server.URL))))

	w.Expect(0, "plan", "-out", "saved", "-input=false")
	second := r.Commit(gitStack("2"))
	w.Expect(0, "apply", "-input=false", "saved")
	if env := environment(t, s, name+"_web"); !slices.Equal(env, []string{"RELEASE=1"}) {
		t.Errorf("deployed is %v, want what the plan showed", env)
	}
	if got := w.Expect(0, "output", "-raw", "commit"); got != first {
		t.Errorf("the revision was made from commit %q, want %s", got, first)
	}

	plan := w.Expect(0, "plan", "-input=false")
	for _, part := range []string{fmt.Sprintf("%q -> %q", first, second), `RELEASE = "1" -> "2"`, "site of 2"} {
		if !strings.Contains(plan, part) {
			t.Errorf("the plan does not show %q:\n%s", part, plan)
		}
	}
	w.Apply()
	if env := environment(t, s, name+"_web"); !slices.Equal(env, []string{"RELEASE=2"}) {
		t.Errorf("deployed is %v, want the second commit", env)
	}
	if got := w.Expect(0, "output", "-raw", "commit"); got != second {
		t.Errorf("the revision was made from commit %q, want %s", got, second)
	}
	w.Settled()
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
}

func TestAccGitOverSSH(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	r := gittest.New(t, t.TempDir(), "shop")
	r.Commit(gitStack("1"))
	server := gittest.ServeBestSSH(t)
	w := newGitWorkspace(t, fromGit(s.Host(), name, server.URL(r.Dir),
		fmt.Sprintf("{ host = %q, ssh_private_key = file(\"key\"), known_hosts = file(\"known_hosts\") }", server.Addr)))
	w.Write("key", server.Key)
	w.Write("known_hosts", server.KnownHosts+"\n")
	w.Apply()
	w.Settled()
	if env := environment(t, s, name+"_web"); !slices.Equal(env, []string{"RELEASE=1"}) {
		t.Errorf("deployed is %v", env)
	}
	w.Write("known_hosts", strings.Replace(server.KnownHosts, "127.0.0.1", "127.0.0.2", 1)+"\n")
	out := w.Expect(1, "plan", "-input=false")
	for _, part := range []string{"cannot be trusted", server.Addr, "SHA256:", "known_hosts"} {
		if !strings.Contains(out, part) {
			t.Errorf("the error of an unknown host does not mention %q:\n%s", part, out)
		}
	}
	w.Write("known_hosts", server.KnownHosts+"\n")
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
}

// A commit that was planned is gone when it is to be applied elsewhere, where nobody has fetched it.
func TestAccGitLostCommit(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	root := t.TempDir()
	r := gittest.New(t, root, "shop")
	r.Commit(map[string]string{"README.md": "shop\n"})
	lost := r.Commit(gitStack("1"))
	server := gittest.ServeHTTP(t, root, "", "")
	w := newGitWorkspace(t, fromGit(s.Host(), name, server.URL+"/shop", ""))
	w.Expect(0, "plan", "-out", "saved", "-input=false")
	r.Git("reset", "-q", "--hard", "HEAD^")
	r.Git("reflog", "expire", "--expire=now", "--all")
	r.Git("gc", "-q", "--prune=now")
	w.Env = append(w.Env, "XDG_CACHE_HOME="+t.TempDir())

	out := w.Expect(1, "apply", "-input=false", "saved")
	for _, part := range []string{"has no " + lost, server.URL + "/shop", "forced", "swarm_git_commit"} {
		if !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(out, "│", "")), " "), part) {
			t.Errorf("the error does not mention %q:\n%s", part, out)
		}
	}
	if left := s.ReleaseObjects(t, name); len(left) > 0 {
		t.Errorf("a commit that is not there was deployed: %v", left)
	}
}

// 20 applications of one repository and commit cost one fetch, however many commands there are.
func TestAccGitFetchesOnce(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	root := t.TempDir()
	r := gittest.New(t, root, "shop")
	stack := func(text string) map[string]string {
		return map[string]string{"docker-stack.yml": "services: {web: {image: \"never/there:1\", environment: {A: \"" + text + "\"}, deploy: {replicas: 0}}}\n"}
	}
	r.Commit(stack("1"))
	server := gittest.ServeHTTP(t, root, "", "")
	w := newGitWorkspace(t, fmt.Sprintf(`
provider "swarm" {
  host = %q
}

data "swarm_git_commit" "shop" {
  url = %q
}

resource "swarm_application" "app" {
  count = 20
  name  = "%s-${count.index}"
  git   = { url = data.swarm_git_commit.shop.url, commit = data.swarm_git_commit.shop.commit }
}
`, s.Host(), server.URL+"/shop", name))
	for _, c := range []struct {
		rule    string
		change  func()
		command []string
		fetches int
	}{
		{"the first plan", nil, []string{"plan", "-input=false"}, 1},
		{"an apply of what a plan has fetched", nil, []string{"apply", "-auto-approve", "-input=false"}, 0},
		{"a plan with nothing to do", nil, []string{"plan", "-detailed-exitcode", "-input=false"}, 0},
		{"an apply of a new commit", func() { r.Commit(stack("2")) }, []string{"apply", "-auto-approve", "-input=false"}, 1},
		{"an apply without a cache", func() { r.Commit(stack("3")); w.Env = append(w.Env, "XDG_CACHE_HOME="+t.TempDir()) }, []string{"apply", "-auto-approve", "-input=false"}, 1},
		{"a destroy", nil, []string{"destroy", "-auto-approve", "-input=false"}, 0},
	} {
		if c.change != nil {
			c.change()
		}
		server.Reset()
		w.Expect(0, c.command...)
		if server.Fetches() != c.fetches {
			t.Errorf("%s: 20 applications cost %d fetches, want %d", c.rule, server.Fetches(), c.fetches)
		}
	}
}
