package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git/gittest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// fromGit is a swarm_application "shop" of a repository; attributes are those of
// git beside the URL.
func fromGit(url, attributes string) string {
	return fmt.Sprintf("resource \"swarm_application\" \"shop\" {\n  name = \"shop\"\n  git = {\n    url = %q\n%s\n  }\n}\n", url, attributes)
}

func commitOf(url, ref string) string {
	return fmt.Sprintf("data \"swarm_git_commit\" \"shop\" {\n  url = %q\n  ref = %q\n}\n", url, ref)
}

func TestApplicationFromGit(t *testing.T) {
	r := gittest.New(t, t.TempDir(), "shop")
	const compose = "services:\n  web:\n    image: acme/web:%s\n    configs: [{source: site, target: /site}]\nconfigs:\n  site: {file: site.conf}\n"
	first := r.Commit(map[string]string{"deploy/docker-stack.yml": fmt.Sprintf(compose, "1"), "deploy/site.conf": "one", "deploy/more.yml": "services: {web: {hostname: extra}}"})
	r.Git("tag", "-a", "-m", "one", "v1")
	second := r.Commit(map[string]string{"deploy/docker-stack.yml": fmt.Sprintf(compose, "2")})
	r.Git("checkout", "-q", "-b", "docs")
	third := r.Commit(map[string]string{"README.md": "The stack is the same.\n"})
	const from = "    commit = data.swarm_git_commit.shop.commit\n    path = \"deploy\"\n"
	const shop = "swarm_application.shop"
	commit := func(is string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(shop, tfjsonpath.New("git").AtMapKey("commit"), knownvalue.StringExact(is))
	}
	terraform.UnitTest(t, terraform.TestCase{
		ProtoV6ProviderFactories: providertest.Factories(providertest.On(memory.New())),
		Steps: []terraform.TestStep{
			{
				Config: commitOf(r.URL(), "v1") + fromGit(r.URL(), from),
				ConfigStateChecks: []statecheck.StateCheck{
					commit(first),
					statecheck.ExpectKnownValue("data.swarm_git_commit.shop", tfjsonpath.New("full_ref"), knownvalue.StringExact("refs/tags/v1")),
					statecheck.ExpectKnownValue(shop, tfjsonpath.New("git").AtMapKey("files"), knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("docker-stack.yml")})),
					statecheck.ExpectKnownValue(shop, tfjsonpath.New("images").AtMapKey("web"), knownvalue.StringExact("acme/web:1")),
				},
			},
			{
				Config:            commitOf(r.URL(), "main") + fromGit(r.URL(), from) + "data \"swarm_application\" \"shop\" {\n  name = \"shop\"\n  depends_on = [swarm_application.shop]\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{commit(second), statecheck.ExpectKnownValue("data.swarm_application.shop", tfjsonpath.New("commit"), knownvalue.StringExact(second))},
			},
			{
				// A commit that leaves the stack as it is makes no revision.
				Config:            commitOf(r.URL(), "docs") + fromGit(r.URL(), from),
				ConfigStateChecks: []statecheck.StateCheck{commit(third), statecheck.ExpectKnownValue(shop, tfjsonpath.New("revision"), knownvalue.StringExact("2"))},
			},
			{
				// What is not known until something is applied makes the objects unknown, and no error.
				Config: "resource \"terraform_data\" \"later\" { input = \"" + first + "\" }\n" + fromGit(r.URL(), "    commit = terraform_data.later.output\n    path = \"deploy\"\n    files = [\"docker-stack.yml\", \"more.yml\"]\n"),
				ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue(shop, tfjsonpath.New("objects")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{commit(first), statecheck.ExpectKnownValue(shop, tfjsonpath.New("images").AtMapKey("web"), knownvalue.StringExact("acme/web:1"))},
			},
		},
	})
}

func TestGitProblemsAreFoundInThePlan(t *testing.T) {
	r := gittest.New(t, t.TempDir(), "shop")
	if err := os.Symlink("/etc/passwd", filepath.Join(r.Dir, "passwd.yml")); err != nil {
		t.Fatal(err)
	}
	const tail = "\n    secrets: [s]\nsecrets: {s: {file: %s}}\n"
	sha := r.Commit(map[string]string{
		"docker-stack.yml": "services:\n  web:\n    image: a\n    imagge: b\n",
		"escape.yml":       "services:\n  web:\n    image: a\n    env_file: ../web.env" + fmt.Sprintf(tail, "../../etc/passwd"),
		"link.yml":         "services:\n  web:\n    image: a" + fmt.Sprintf(tail, "passwd.yml"),
		"laughs.yml":       "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nservices: {web: {image: a}}\n",
	})
	at := "    commit = \"" + sha + "\"\n"
	for _, c := range []struct{ rule, config, want string }{
		{"a problem has the file's name and line", fromGit(r.URL(), at), `docker-stack\.yml:4.*imagge`},
		{"git and compose exclude each other", "resource \"swarm_application\" \"shop\" {\n  name = \"shop\"\n  compose = [\"a\"]\n  git = { url = \"" + r.URL() + "\", commit = \"" + sha + "\" }\n}\n", `one \(and only one\) of \[compose,git\]`},
		{"one of git and compose is needed", `resource "swarm_application" "shop" { name = "shop" }`, `one \(and only one\) of \[compose,git\]`},
		{"files are those of the repository", "resource \"swarm_application\" \"shop\" {\n  name = \"shop\"\n  files = {}\n  git = { url = \"" + r.URL() + "\", commit = \"" + sha + "\" }\n}\n", `"git" cannot be\s+specified when "files"`},
		{"a commit is a full SHA", fromGit(r.URL(), `    commit = "main"`), `full SHA.*swarm_git_commit`},
		{"a URL holds no password", fromGit("https://ci:hunter2@git.example.com/shop", at), `git_auth`},
		{"a path stays in the repository", fromGit(r.URL(), at+`    path = "../other"`), `relative`},
		{"a file stays in the repository", fromGit(r.URL(), at+`    files = ["../x.yml"]`), `relative`},
		{"a folder that is not there", fromGit(r.URL(), at+`    path = "nope"`), `no such folder.*nope`},
		{"a Compose file that is not there", fromGit(r.URL(), at+`    files = ["nope.yml"]`), `nope\.yml is not in the\s+repository`},
		{"a Compose file that is a link to the host", fromGit(r.URL(), at+`    files = ["passwd.yml"]`), `symbolic\s+link\s+out\s+of\s+the\s+repository`},
		{"an env file and a secret above the repository", fromGit(r.URL(), at+`    files = ["escape.yml"]`), `escape\.yml:4.*leaves.*escape\.yml:6|escape\.yml:6.*leaves.*escape\.yml:4`},
		{"a secret that is a link to the host", fromGit(r.URL(), at+`    files = ["link.yml"]`), `symbolic\s+link\s+out\s+of\s+the\s+repository`},
		{"a billion laughs", fromGit(r.URL(), at+`    files = ["laughs.yml"]`), `laughs\.yml`},
		{"a commit that is not there", fromGit(r.URL(), `    commit = "0000000000000000000000000000000000000001"`), `repository has no\s+0000000000000000000000000000000000000001`},
		{"a reference that is not there", commitOf(r.URL(), "mian"), `no mian.*It has: main`},
		{"a data source needs to know the credentials",
			"resource \"terraform_data\" \"token\" { input = \"x\" }\nprovider \"swarm\" {\n  git_auth = [{ host = \"git.example.com\", password = terraform_data.token.output }]\n}\n" + commitOf(r.URL(), "main"), `git_auth\s+will\s+be\s+known\s+only`},
		{"an entry of git_auth holds something", "provider \"swarm\" {\n  git_auth = [{ host = \"git.example.com\" }]\n}\n" + commitOf(r.URL(), "main"), `(?i)at least one attribute`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			terraform.UnitTest(t, terraform.TestCase{
				ProtoV6ProviderFactories: providertest.Factories(providertest.On(memory.New())),
				Steps:                    []terraform.TestStep{{Config: c.config, PlanOnly: true, ExpectError: text(c.want)}},
			})
		})
	}
}
