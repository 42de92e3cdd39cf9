package application_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccWrongEngine takes three applications away from their engine in every way there is. Each plan, apply and
// destroy must fail with one clear text, leave the state as it was, and write nothing anywhere.
func TestAccWrongEngine(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	names := []string{s.RandomName(t), s.RandomName(t), s.RandomName(t)}
	configuration := func(host string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "provider \"swarm\" {\n  host = %q\n}\n", host)
		for i, n := range names {
			fmt.Fprintf(&b, "resource \"swarm_application\" \"app%d\" {\n  name    = %q\n  compose = [\"services: {web: {image: %s, deploy: {replicas: 0}}}\"]\n}\n",
				i, n, acctest.Image("1.0"))
		}
		return b.String()
	}
	w := providertest.NewWorkspace(t, configuration(s.Host()))
	w.Apply()
	state := w.Evidence()["terraform.tfstate"]
	swarmID := s.SwarmID(t)

	cluster := acctest.StartNodes(t, 3, "--workers")
	worker := cluster.NodeHost(2)
	other := cluster.SwarmID(t)
	alone := acctest.StartNodes(t, 1)
	if err := alone.Client().SwarmLeave(context.Background(), true); err != nil {
		t.Fatal(err)
	}

	for _, tc := range []struct {
		rule, host string
		// summary heads each of the three errors, text is in the one that says it in full.
		summary string
		text    []string
	}{
		{"does not answer", "unix:///var/run/absent/docker.sock", "The Docker engine does not answer",
			[]string{"Tried unix:///var/run/absent/docker.sock (host)", "no such file or directory"}},
		{"refuses the connection", "tcp://127.0.0.1:1", "The Docker engine does not answer",
			[]string{"Tried tcp://127.0.0.1:1 (host)", "connection refused"}},
		{"is in no swarm", alone.Host(), "The Docker engine is no manager of a swarm",
			[]string{"The engine ENGINE (host) is not part of a swarm", "Run `docker swarm init` on it"}},
		{"is a worker", worker, "The Docker engine is no manager of a swarm",
			[]string{"The engine ENGINE (host) is a worker; it knows managers at ", "Name a manager"}},
		{"is of another swarm", cluster.Host(), "The Docker engine belongs to another swarm",
			[]string{"The state belongs to swarm " + swarmID + ", and the engine to swarm " + other, "terraform state rm"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			host := tc.host
			var proxy *acctest.Proxy
			if socket, ok := strings.CutPrefix(tc.host, "unix:///tmp/"); ok {
				proxy = acctest.NewProxy(t, "/tmp/"+socket)
				host = proxy.Host()
			}
			w.Write("main.tf", configuration(host))
			for _, args := range [][]string{
				{"plan", "-input=false"},
				{"plan", "-refresh-only", "-input=false"},
				{"apply", "-auto-approve", "-input=false"},
				{"destroy", "-auto-approve", "-input=false"},
				{"destroy", "-refresh=false", "-auto-approve", "-input=false"},
			} {
				out := w.Expect(1, args...)
				if args[0] == "plan" && len(args) == 2 || strings.Contains(strings.Join(args, " "), "refresh=false") {
					t.Log(out)
				}
				for _, want := range tc.text {
					if n := strings.Count(providertest.Flat(out), strings.ReplaceAll(want, "ENGINE", host)); n != 1 {
						t.Errorf("%v: %q is there %d times, want it once:\n%s", args, want, n, out)
					}
				}
				if n := strings.Count(out, "Error: "+tc.summary); n != len(names) {
					t.Errorf("%v: %d errors say %q, want one for each application", args, n, tc.summary)
				}
				if n := strings.Count(out, "Error: "); n != len(names) {
					t.Errorf("%v: %d errors, want one for each application", args, n)
				}
				if n := strings.Count(providertest.Flat(out), "see the error there"); n != len(names)-1 {
					t.Errorf("%v: %d errors point to the one in full, want %d:\n%s", args, n, len(names)-1, out)
				}
			}
			if now := w.Evidence()["terraform.tfstate"]; now != state {
				t.Errorf("the state was changed:\n%s", now)
			}
			if proxy != nil && len(proxy.Writes()) > 0 {
				t.Errorf("the engine was written to: %v", proxy.Writes())
			}
		})
	}
	w.Write("main.tf", configuration(s.Host()))
	w.Settled()
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
}

// TestAccOwnersAreApart lets two configurations want the same release: the second can neither create, change nor
// destroy what the first has.
func TestAccOwnersAreApart(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	configuration := func(host, owner, replicas string) string {
		stack := "    services:\n      web:\n        image: " + acctest.Image("1.0") + "\n        deploy: {replicas: 0, labels: {io.example.is: " + replicas + "}}"
		return strings.Replace(application(host, name, stack), "provider \"swarm\" {", "provider \"swarm\" {\n  owner = \""+owner+"\"", 1)
	}
	first := providertest.NewWorkspace(t, configuration(s.Host(), "team-a", "1"))
	first.Apply()
	before := s.Service(t, name+"_web").Meta

	proxy := s.NewProxy(t)
	second := providertest.NewWorkspace(t, configuration(proxy.Host(), "team-b", "2"))
	refused := second.Expect(1, "apply", "-auto-approve", "-input=false")
	t.Log(refused)
	for _, want := range []string{"its name is taken", `It belongs to owner "team-a", and this configuration is of owner "team-b"`, `set the provider's owner to "team-a"`} {
		if !strings.Contains(providertest.Flat(refused), want) {
			t.Errorf("the refusal does not say %q", want)
		}
	}
	// Neither an import nor the state of the first in the hands of the second is any better.
	for _, seize := range []func(){
		func() { second.Expect(0, "import", "-input=false", "swarm_application.app", name) },
		func() { second.Write("terraform.tfstate", first.Evidence()["terraform.tfstate"]) },
	} {
		seize()
		state := second.Evidence()["terraform.tfstate"]
		for _, args := range [][]string{
			{"plan", "-input=false"}, {"apply", "-auto-approve", "-input=false"},
			{"destroy", "-auto-approve", "-input=false"}, {"destroy", "-refresh=false", "-auto-approve", "-input=false"},
		} {
			out := second.Expect(1, args...)
			if !strings.Contains(providertest.Flat(out), "Application "+name+" belongs to another owner") {
				t.Errorf("%v says:\n%s", args, out)
			}
		}
		if now := second.Evidence()["terraform.tfstate"]; now != state {
			t.Errorf("the state was changed:\n%s", now)
		}
	}
	if writes := proxy.Writes(); len(writes) > 0 {
		t.Errorf("the second has written: %v", writes)
	}
	if now := s.Service(t, name+"_web").Meta; now.Version != before.Version {
		t.Errorf("the service was touched: %+v, was %+v", now, before)
	}
	first.Settled()

	// What an explicit adoption hands over is the second's, and no longer the first's.
	second.Write("terraform.tfstate", "")
	second.Write("main.tf", strings.Replace(configuration(s.Host(), "team-b", "1"), "compose =", "adopt = true\n  compose =", 1))
	second.Apply()
	second.Settled()
	if out := first.Expect(1, "destroy", "-auto-approve", "-input=false"); !strings.Contains(providertest.Flat(out), `belongs to owner "team-b"`) {
		t.Errorf("the first destroys what it has no more:\n%s", out)
	}
	second.Expect(0, "destroy", "-auto-approve", "-input=false")
	if left := s.ReleaseObjects(t, name); len(left) > 0 {
		t.Errorf("left in the swarm: %v", left)
	}
}
