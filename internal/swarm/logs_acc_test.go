package swarm

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

func TestAccLogs(t *testing.T) {
	s := newStage(t)
	for name, tt := range map[string]struct {
		change func(*swarm.ServiceSpec)
		want   string
		fails  string
	}{
		"both streams":         {want: "out of luck"},
		"a terminal":           {change: func(spec *swarm.ServiceSpec) { spec.TaskTemplate.ContainerSpec.TTY = true }, want: "out of luck"},
		"a driver without any": {change: func(spec *swarm.ServiceSpec) { spec.TaskTemplate.LogDriver = &swarm.Driver{Name: "none"} }, fails: "log driver is none"},
	} {
		t.Run(name, func(t *testing.T) {
			o := s.service(strings.ReplaceAll(name, " ", "-"), func(spec *swarm.ServiceSpec) {
				spec.TaskTemplate.ContainerSpec.Args = []string{"job", "-lines", "3", "-exit-code", "1", "-message", "out of luck"}
				spec.TaskTemplate.RestartPolicy.Condition = swarm.RestartPolicyConditionNone
				if tt.change != nil {
					tt.change(spec)
				}
			})
			s.create(o)
			r := s.progress(o, "it crashed", func(r reconcile.Rollout) bool { return failures(r) == 1 })
			lines, err := s.Logs(t.Context(), r.Tasks[0].ID, 20)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("lines %q, error %v", lines, err)
				}
				return
			}
			if err != nil || len(lines) != 4 || !strings.Contains(strings.Join(lines, "\n"), tt.want) {
				t.Errorf("lines %q, error %v", lines, err)
			}
		})
	}
}

// A removed job leaves its tasks in the engine's list for good.
