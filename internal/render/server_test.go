package render

import (
	"testing"

	"github.com/docker/docker/api/types/swarm"
	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

func TestResourcesAreInDockersOwnForm(t *testing.T) {
	for name, c := range map[string]struct {
		in   spec.Resources
		want *swarm.ResourceRequirements
	}{
		"nothing said is nothing written": {spec.Resources{}, nil},
		"a limit alone reserves nothing": {
			spec.Resources{CPUs: "0.5", Memory: "512M"},
			&swarm.ResourceRequirements{Limits: &swarm.Limit{NanoCPUs: 5e8, MemoryBytes: 512 << 20}},
		},
		"a reservation alone limits nothing": {
			spec.Resources{CPUsReservation: "0.001", MemoryReservation: "4m"},
			&swarm.ResourceRequirements{Reservations: &swarm.Resources{NanoCPUs: 1e6, MemoryBytes: 4 << 20}},
		},
		"as much may be reserved as may be used": {
			spec.Resources{CPUs: "2", CPUsReservation: "2", Memory: "1g", MemoryReservation: "1024M"},
			&swarm.ResourceRequirements{
				Limits:       &swarm.Limit{NanoCPUs: 2e9, MemoryBytes: 1 << 30},
				Reservations: &swarm.Resources{NanoCPUs: 2e9, MemoryBytes: 1 << 30},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer("test", "app")
			got := s.resources(c.in)
			if _, problems := s.result(); len(problems) > 0 {
				t.Fatal(problems)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryWrongLimitIsReportedAtItsAttribute(t *testing.T) {
	s := newServer("test", "Not a name")
	s.resources(spec.Resources{CPUs: "many", Memory: "1", CPUsReservation: "0.0001", MemoryReservation: "-4g"})
	s.placement(spec.Placement{Constraints: []string{"node.role==manager", "node.role=manager", "node.labels.x==é"}})
	rendered, problems := s.result()
	if rendered != nil {
		t.Error("something was rendered in spite of errors")
	}
	var got []string
	for _, p := range problems {
		got = append(got, path(p.Attribute).String()+": "+p.Summary)
	}
	want := []string{
		"name: Invalid name \"Not a name\"",
		"placement.constraints[1]: Wrong constraint \"node.role=manager\"",
		"placement.constraints[2]: Wrong constraint \"node.labels.x==é\"",
		"resources.cpus: Wrong number of CPUs \"many\"",
		"resources.cpus_reservation: Wrong number of CPUs \"0.0001\"",
		"resources.memory: Wrong size of memory \"1\"",
		"resources.memory_reservation: Wrong size of memory \"-4g\"",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMoreReservedThanAllowedIsAnError(t *testing.T) {
	s := newServer("test", "app")
	s.resources(spec.Resources{CPUs: "1", CPUsReservation: "1.5", Memory: "1g", MemoryReservation: "2g"})
	_, problems := s.result()
	var got []string
	for _, p := range problems {
		got = append(got, path(p.Attribute).String())
	}
	if diff := cmp.Diff([]string{"resources.cpus_reservation", "resources.memory_reservation"}, got); diff != "" {
		t.Error(diff)
	}
}
