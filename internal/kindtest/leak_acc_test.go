package kindtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccSecretsAppearNowhere follows the secrets of each kind, given and made, through a whole life. None may be in state,
// plan, logs or output, nor anywhere in the swarm where it can be read without being inside a task: labels, records,
// specs, tasks, containers, logs of the servers and of the jobs that ran for an apply.
func TestAccSecretsAppearNowhere(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		for _, v := range k.secretVersions() {
			t.Run(v.rule(), func(t *testing.T) {
				o := &observer{places: providertest.Places{}}
				var proxy *acctest.Proxy
				r := newRelease(t, k, func(s *acctest.Swarm) string { proxy = s.NewProxy(t); return proxy.Host() })
				o.release = r
				proxy.SetOnRequest(o.beforeRemoval)
				r.Traced()

				for _, step := range []string{"created", "with another secret", "destroyed"} {
					command := []string{"plan", "-detailed-exitcode", "-input=false", "-out=tfplan"}
					switch step {
					case "with another secret":
						if v.generated {
							v.generated = false // a given one in the place of the made one
						}
						r.newSecret()
						v.change++
					case "destroyed":
						command = append(command, "-destroy")
					}
					r.declare(v)
					o.printed(step+": plan", 2, command...)
					o.printed(step+": plan as JSON", 0, "show", "-json", "tfplan")
					o.printed(step+": apply", 0, "apply", "-input=false", "tfplan")
					if step != "destroyed" {
						o.secrets = append(o.secrets, r.secret, r.text)
						for _, m := range k.made {
							o.secrets = append(o.secrets, r.known(m))
						}
						o.printed(step+": refresh", 0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
						o.look(step, r.serviceName())
						maps.Copy(o.places, prefixed(step+": ", providertest.InSwarm(t, r.Swarm, r.name)))
					}
					maps.Copy(o.places, prefixed(step+": ", r.Evidence()))
				}
				o.judge()
			})
		}
	})
}

// observer gathers all that can be read of a release.
type observer struct {
	*release
	secrets []string

	mu     sync.Mutex
	places providertest.Places
}

func prefixed(prefix string, p providertest.Places) providertest.Places {
	out := providertest.Places{}
	for where, text := range p {
		out[prefix+where] = text
	}
	return out
}

func (o *observer) note(where, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.places[where] += text
}

func (o *observer) printed(step string, code int, command ...string) {
	o.T.Helper()
	o.note(step, o.Expect(code, command...))
}

// beforeRemoval looks at a service, which may be a job, before it goes.
func (o *observer) beforeRemoval(c *acctest.Call) acctest.Fault {
	if id, ok := strings.CutPrefix(c.Path, "/services/"); ok && c.Method == http.MethodDelete {
		o.look("before its removal", id)
	}
	return acctest.Fault{}
}

// look notes what the engine tells of a service, of its tasks and their containers, and what they have logged.
func (o *observer) look(when, service string) {
	ctx := o.T.Context()
	inspected, raw, err := o.Client().ServiceInspectWithRaw(ctx, service, swarm.ServiceInspectOptions{})
	if err != nil {
		return // it is gone already: the call is a second attempt
	}
	where := when + ": service " + inspected.Spec.Name
	o.note(where, string(raw))
	tasks, _ := o.Client().TaskList(ctx, swarm.TaskListOptions{Filters: filters.NewArgs(filters.Arg("service", inspected.ID))})
	for _, task := range tasks {
		text, _ := json.Marshal(task)
		o.note(where+": tasks", string(text))
		if status := task.Status.ContainerStatus; status != nil && status.ContainerID != "" {
			if _, text, err := o.Client().ContainerInspectWithRaw(ctx, status.ContainerID, false); err == nil {
				o.note(where+": containers", string(text))
			}
			logs, _ := exec.CommandContext(ctx, "docker", "-H", o.Host(), "logs", status.ContainerID).CombinedOutput()
			o.note(where+": logs", string(logs))
		}
	}
}

// judge requires that no secret is anywhere, and that every place was looked at.
func (o *observer) judge() {
	o.T.Helper()
	for _, secret := range o.secrets {
		if found := o.places.Having(secret); len(found) > 0 {
			o.T.Errorf("a secret is in %v: %s", found, providertest.Around(o.places[found[0]], secret))
		}
	}
	places := map[string]string{
		"created: trace.log":                                   "provider.terraform-provider-swarm",
		"created: terraform.tfstate":                           o.name,
		"created: tfplan/tfplan":                               o.name,
		"created: plan as JSON":                                o.name,
		"created: service " + o.serviceName():                  o.name,
		"created: service " + o.serviceName() + ": tasks":      o.name,
		"created: service " + o.serviceName() + ": containers": o.name,
		"created: record/v1":                                   o.name,
		"before its removal: service " + o.serviceName():       o.name,
	}
	for _, job := range o.kind.jobs {
		places["before its removal: service "+o.name+"_"+job] = o.name
	}
	for where, want := range places {
		if !strings.Contains(o.places[where], want) {
			o.T.Errorf("%q does not speak of %s: nothing was looked at", where, want)
		}
	}
}
