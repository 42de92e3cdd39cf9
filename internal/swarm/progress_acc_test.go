package swarm

import (
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// progress waits until the rollout of one service is as wanted, and returns it.
func (s stage) progress(o object.Object, what string, holds func(reconcile.Rollout) bool) reconcile.Rollout {
	s.t.Helper()
	var last reconcile.Rollout
	defer func() {
		if s.t.Failed() {
			s.t.Logf("last rollout: %+v", last)
		}
	}()
	acctest.Wait(s.t, 30*time.Second, what, func() bool {
		all, err := s.Progress(s.t.Context(), []string{o.Name})
		if err != nil {
			s.t.Fatal(err)
		}
		last = all[0]
		return holds(last)
	})
	return last
}

func converged(r reconcile.Rollout) bool { return r.Want == r.Have }

// failures counts the tasks that ended badly.
func failures(r reconcile.Rollout) (n int) {
	for _, task := range r.Tasks {
		if task.State == "failed" || task.State == "rejected" {
			n++
		}
	}
	return n
}

func count(n uint64) *uint64 { return &n }

func TestAccProgressOfWhatRuns(t *testing.T) {
	s := newStage(t)
	web := s.service("web", func(spec *swarm.ServiceSpec) {
		spec.Mode.Replicated = &swarm.ReplicatedService{Replicas: count(2)}
		spec.UpdateConfig = &swarm.UpdateConfig{Parallelism: 1, Monitor: 700 * time.Millisecond}
	})
	agent := s.service("agent", func(spec *swarm.ServiceSpec) { spec.Mode.Global = &swarm.GlobalService{} })
	job := s.service("job", func(spec *swarm.ServiceSpec) {
		spec.Mode.ReplicatedJob = &swarm.ReplicatedJob{MaxConcurrent: count(2), TotalCompletions: count(3)}
		spec.TaskTemplate.ContainerSpec.Args = []string{"job"}
		spec.TaskTemplate.RestartPolicy.Condition = swarm.RestartPolicyConditionOnFailure
	})
	sweep := s.service("sweep", func(spec *swarm.ServiceSpec) {
		spec.Mode.GlobalJob = &swarm.GlobalJob{}
		spec.TaskTemplate.ContainerSpec.Args = []string{"job"}
		spec.TaskTemplate.RestartPolicy.Condition = swarm.RestartPolicyConditionNone
	})
	for _, o := range []object.Object{web, agent, job, sweep} {
		s.create(o)
	}
	r := s.progress(web, "two replicas run", func(r reconcile.Rollout) bool { return r.Want == 2 && r.Have == 2 })
	if r.Window != 700*time.Millisecond || r.Job || r.Restart != "any" {
		t.Errorf("window %s, job %v, restart %q", r.Window, r.Job, r.Restart)
	}
	if task := r.Tasks[0]; !strings.HasPrefix(task.Name, web.Name+".") || task.Slot == 0 || task.Node == "" || task.Node == task.NodeID ||
		task.State != "running" || task.Desired != "running" || task.Image != acctest.Image("1.0") || task.ExitCode != nil || task.Since.IsZero() {
		t.Errorf("task %+v", task)
	}
	r = s.progress(agent, "the node has its task", converged)
	if r.Want != 1 || r.Blocked != "" || r.Window != defaultMonitor {
		t.Errorf("want %d, blocked %q, window %s", r.Want, r.Blocked, r.Window)
	}
	r = s.progress(job, "three completions", converged)
	if r.Want != 3 || !r.Job || r.Restart != "on-failure" || r.Tasks[0].ExitCode == nil || *r.Tasks[0].ExitCode != 0 {
		t.Errorf("job %+v", r)
	}
	r = s.progress(sweep, "the node completed", converged)
	if r.Want != 1 || !r.Job || r.Restart != "none" {
		t.Errorf("global job %+v", r)
	}

	// A job that is run again starts from nothing.
	before := s.observe(job)
	spec := *before.Spec.(*swarm.ServiceSpec)
	spec.TaskTemplate.ForceUpdate++
	spec.TaskTemplate.ContainerSpec.Args = []string{"job", "-exit-after", "60s"}
	if err := s.do(reconcile.Update, object.Object{Kind: object.KindService, Key: "job", Name: job.Name, Spec: &spec}, before); err != nil {
		t.Fatal(err)
	}
	if after := s.observe(job); after.JobIteration <= before.JobIteration {
		t.Errorf("iteration %d → %d", before.JobIteration, after.JobIteration)
	}
	s.progress(job, "the old completions do not count", func(r reconcile.Rollout) bool {
		return r.Want == 3 && r.Have == 0 && len(r.Tasks) == 2
	})

	all, err := s.Progress(t.Context(), []string{"no-such-service", web.Name})
	if err != nil || !all[0].Gone || all[0].Service != "no-such-service" || all[1].Gone {
		t.Errorf("a service that is gone: %+v, %v", all, err)
	}
}

// During a rolling update only tasks of the new version count.
func TestAccProgressOfAnUpdate(t *testing.T) {
	s := newStage(t)
	web := s.service("web", func(spec *swarm.ServiceSpec) {
		spec.Mode.Replicated = &swarm.ReplicatedService{Replicas: count(2)}
		spec.UpdateConfig = &swarm.UpdateConfig{Parallelism: 1, Monitor: 100 * time.Millisecond, Delay: time.Hour}
	})
	s.create(web)
	s.progress(web, "both run", converged)
	live := s.observe(web)
	spec := *live.Spec.(*swarm.ServiceSpec)
	container := *spec.TaskTemplate.ContainerSpec
	container.Image = acctest.Image("1.1")
	spec.TaskTemplate.ContainerSpec = &container
	next := object.Object{Kind: object.KindService, Key: "web", Name: web.Name, Spec: &spec}
	if err := s.do(reconcile.Update, next, live); err != nil {
		t.Fatal(err)
	}
	r := s.progress(web, "the first of two is new", func(r reconcile.Rollout) bool { return r.Have == 1 })
	if r.Want != 2 || r.Update.State != "updating" || len(r.Tasks) != 1 || r.Tasks[0].Image != acctest.Image("1.1") {
		t.Errorf("rollout %+v", r)
	}
}

func TestAccProgressSaysWhyNot(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*swarm.ServiceSpec)
		holds  func(reconcile.Rollout) bool
		check  func(*testing.T, reconcile.Rollout)
	}{
		"a container that crashes has its exit code": {
			change: func(spec *swarm.ServiceSpec) {
				spec.TaskTemplate.ContainerSpec.Args = []string{"job", "-exit-code", "3"}
				spec.TaskTemplate.RestartPolicy.MaxAttempts = count(1)
			},
			holds: func(r reconcile.Rollout) bool { return failures(r) == 2 },
			check: func(t *testing.T, r reconcile.Rollout) {
				if task := r.Tasks[0]; task.ExitCode == nil || *task.ExitCode != 3 || !strings.Contains(task.Err, "non-zero exit (3)") {
					t.Errorf("task %+v", task)
				}
				if r.Restart != "any" || r.MaxAttempts != 1 || r.Tasks[0].Created.Before(r.Tasks[1].Created) {
					t.Errorf("rollout %+v", r)
				}
			},
		},
		"an image that does not exist is rejected in the engine's words": {
			change: func(spec *swarm.ServiceSpec) { spec.TaskTemplate.ContainerSpec.Image = "127.0.0.1:1/none:9" },
			holds:  func(r reconcile.Rollout) bool { return failures(r) >= 1 },
			check: func(t *testing.T, r reconcile.Rollout) {
				task := r.Tasks[len(r.Tasks)-1]
				if task.State != "rejected" || task.Image != "127.0.0.1:1/none:9" || !strings.Contains(task.Err, "No such image") || task.ExitCode != nil {
					t.Errorf("task %+v", task)
				}
			},
		},
		"a bind source that does not exist is rejected": {
			change: func(spec *swarm.ServiceSpec) {
				spec.TaskTemplate.ContainerSpec.Mounts = []mount.Mount{{Type: mount.TypeBind, Source: "/no/such/folder", Target: "/x"}}
			},
			holds: func(r reconcile.Rollout) bool { return failures(r) >= 1 },
			check: func(t *testing.T, r reconcile.Rollout) {
				if task := r.Tasks[len(r.Tasks)-1]; !strings.Contains(task.Err, "bind source path does not exist: /no/such/folder") {
					t.Errorf("task %+v", task)
				}
			},
		},
		"a constraint that no node satisfies leaves the task pending": {
			change: func(spec *swarm.ServiceSpec) {
				spec.TaskTemplate.Placement = &swarm.Placement{Constraints: []string{"node.labels.never==true"}}
			},
			holds: func(r reconcile.Rollout) bool { return len(r.Tasks) == 1 && r.Tasks[0].Err != "" },
			check: func(t *testing.T, r reconcile.Rollout) {
				if task := r.Tasks[0]; task.State != "pending" || task.Desired != "running" || !strings.Contains(task.Err, "no suitable node") || task.Node != "" {
					t.Errorf("task %+v", task)
				}
			},
		},
		"a global service without an eligible node names the constraint": {
			change: func(spec *swarm.ServiceSpec) {
				spec.Mode.Global = &swarm.GlobalService{}
				spec.TaskTemplate.Placement = &swarm.Placement{Constraints: []string{"node.role==manager", "node.labels.never==true"}}
			},
			holds: converged,
			check: func(t *testing.T, r reconcile.Rollout) {
				if r.Want != 0 || !strings.Contains(r.Blocked, "node.labels.never==true") || strings.Contains(r.Blocked, "node.role") {
					t.Errorf("want %d, blocked %q", r.Want, r.Blocked)
				}
			},
		},
		"a container that is not healthy yet is starting": {
			change: func(spec *swarm.ServiceSpec) {
				spec.TaskTemplate.ContainerSpec.Args = []string{"-unhealthy"}
				spec.TaskTemplate.ContainerSpec.Healthcheck = &container.HealthConfig{
					Test: []string{"CMD", "/app", "healthcheck"}, Interval: time.Second, Timeout: time.Second, Retries: 30,
				}
			},
			holds: func(r reconcile.Rollout) bool { return len(r.Tasks) == 1 && r.Tasks[0].State == "starting" },
			check: func(t *testing.T, r reconcile.Rollout) {
				if r.Want != 1 || r.Have != 0 {
					t.Errorf("%d of %d", r.Have, r.Want)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			o := s.service("web", tt.change)
			s.create(o)
			tt.check(t, s.progress(o, name, tt.holds))
		})
	}
}

// A drained node loses its tasks and does not count; a paused one keeps them.
func TestAccProgressByAvailability(t *testing.T) {
	acctest.Start(t)
	engine := acctest.StartNodes(t, 2, "--workers")
	s := stage{Backend: connect(t, engine.Host()), engine: engine, name: engine.RandomName(t), t: t}
	agent := s.service("agent", func(spec *swarm.ServiceSpec) { spec.Mode.Global = &swarm.GlobalService{} })
	s.create(agent)
	s.progress(agent, "both nodes have their task", func(r reconcile.Rollout) bool { return r.Want == 2 && r.Have == 2 })

	set := func(availability swarm.NodeAvailability) {
		t.Helper()
		nodes, err := engine.Client().NodeList(t.Context(), swarm.NodeListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes {
			if n.Spec.Role == swarm.NodeRoleWorker {
				n.Spec.Availability = availability
				if err := engine.Client().NodeUpdate(t.Context(), n.ID, n.Version, n.Spec); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	set(swarm.NodeAvailabilityPause)
	s.progress(agent, "the paused node keeps its task", func(r reconcile.Rollout) bool { return r.Want == 2 && r.Have == 2 })
	late := s.service("late", func(spec *swarm.ServiceSpec) { spec.Mode.Global = &swarm.GlobalService{} })
	s.create(late)
	s.progress(late, "the paused node gets no task", func(r reconcile.Rollout) bool { return r.Want == 1 && r.Have == 1 })
	set(swarm.NodeAvailabilityDrain)
	s.progress(agent, "the drained node does not count", func(r reconcile.Rollout) bool { return r.Want == 1 && r.Have == 1 })

	// Logs come from any node, through the manager.
	set(swarm.NodeAvailabilityActive)
	far := s.service("far", func(spec *swarm.ServiceSpec) {
		spec.TaskTemplate.Placement = &swarm.Placement{Constraints: []string{"node.role==worker"}}
		spec.TaskTemplate.ContainerSpec.Args = []string{"job", "-lines", "30", "-exit-code", "1", "-message", "out of luck"}
		spec.TaskTemplate.RestartPolicy.Condition = swarm.RestartPolicyConditionNone
	})
	s.create(far)
	r := s.progress(far, "it crashed", func(r reconcile.Rollout) bool { return failures(r) == 1 })
	lines, err := s.Logs(t.Context(), r.Tasks[0].ID, 20)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 20 || !strings.Contains(strings.Join(lines, "\n"), "out of luck") || !strings.Contains(strings.Join(lines, "\n"), "line 30") {
		t.Errorf("%d lines: %q", len(lines), lines)
	}

	// Of a node that is away nothing comes, and that is said in time.
	engine.Kill(t, 2)
	begun := time.Now()
	if _, err := s.Logs(t.Context(), r.Tasks[0].ID, 20); err == nil {
		t.Error("the log of a node that is away was read")
	}
	if took := time.Since(begun); took > logTimeout+2*time.Second {
		t.Errorf("it took %s", took)
	}
}
