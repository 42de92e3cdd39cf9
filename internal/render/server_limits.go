package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/docker/cli/opts"
	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/go-units"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// The least that swarmkit takes.
//
// Source: validateResources in manager/controlapi/service.go of swarmkit.
const (
	minNanoCPUs    = 1e6
	minMemoryBytes = 4 << 20
)

// resources converts limits and reservations as docker/cli's convert does; nil
// when nothing is said.
func (s *server) resources(r spec.Resources) *swarm.ResourceRequirements {
	cpus, memory := s.cpus("cpus", r.CPUs), s.memory("memory", r.Memory)
	cpusReserved, memoryReserved := s.cpus("cpus_reservation", r.CPUsReservation), s.memory("memory_reservation", r.MemoryReservation)
	s.checkReserved("cpus", r.CPUs, cpus, r.CPUsReservation, cpusReserved)
	s.checkReserved("memory", r.Memory, memory, r.MemoryReservation, memoryReserved)

	out := &swarm.ResourceRequirements{}
	if cpus != 0 || memory != 0 {
		out.Limits = &swarm.Limit{NanoCPUs: cpus, MemoryBytes: memory}
	}
	if cpusReserved != 0 || memoryReserved != 0 {
		out.Reservations = &swarm.Resources{NanoCPUs: cpusReserved, MemoryBytes: memoryReserved}
	}
	if out.Limits == nil && out.Reservations == nil {
		return nil
	}
	return out
}

func (s *server) cpus(attribute, text string) int64 {
	if text == "" {
		return 0
	}
	nano, err := opts.ParseCPUs(text)
	if err != nil || nano < minNanoCPUs {
		s.attributeError([]string{"resources", attribute}, fmt.Sprintf("Wrong number of CPUs %q", text),
			"Write a number such as `0.5` or `2`, of at least 0.001 and with at most 9 decimals.")
		return 0
	}
	return nano
}

func (s *server) memory(attribute, text string) int64 {
	if text == "" {
		return 0
	}
	bytes, err := units.RAMInBytes(text)
	if err != nil || bytes < minMemoryBytes {
		s.attributeError([]string{"resources", attribute}, fmt.Sprintf("Wrong size of memory %q", text),
			"Write a size such as `512M` or `2g`, of at least 4M. The units are binary: k, m, g.")
		return 0
	}
	return bytes
}

// checkReserved refuses a reservation beyond the limit: a node would set aside
// what the server may never use.
func (s *server) checkReserved(what, limitText string, limit int64, reservedText string, reserved int64) {
	if limit != 0 && reserved > limit {
		s.attributeError([]string{"resources", what + "_reservation"}, "More is reserved than may be used",
			fmt.Sprintf("%s_reservation is %s, and the limit %s is %s. Raise the limit, or reserve less.", what, reservedText, what, limitText))
	}
}

// placement converts constraints; nil when there are none.
func (s *server) placement(p spec.Placement) *swarm.Placement {
	for i, c := range p.Constraints {
		if err := checkConstraint(c); err != nil {
			s.attributeError([]string{"placement", "constraints", strconv.Itoa(i)}, fmt.Sprintf("Wrong constraint %q", excerpt(c)), sentence(err))
		}
	}
	if len(p.Constraints) == 0 {
		return nil
	}
	return &swarm.Placement{Constraints: p.Constraints}
}

// sentence makes an error's text one that stands by itself.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
