package render

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/docker/cli/cli/compose/loader"
	"github.com/docker/cli/opts"
	"github.com/docker/go-connections/nat"
	"github.com/docker/go-units"
	"github.com/google/shlex"
)

func portNumber(lowest int) *shape {
	return &shape{scalar: intScalar, check: func(s string) error {
		return checkRange(s, lowest, 65535)
	}}
}

func checkPort(s string) error {
	if _, err := nat.ParsePortSpec(s); err != nil {
		return errors.New("a port is written [HOST:]CONTAINER[/tcp|udp|sctp], for example 8080:80")
	}
	return nil
}

// checkShortMount looks for what docker/cli's parser of SOURCE:TARGET:OPTIONS
// cannot read.
func checkShortMount(s string) error {
	if _, err := loader.ParseVolume(s); err != nil {
		return errors.New("a volume is written [SOURCE:]TARGET[:ro]")
	}
	return nil
}

var (
	constraintKey   = regexp.MustCompile(`^(?i)[a-z_][a-z0-9\-_.]+$`)
	constraintValue = regexp.MustCompile(`^(?i)[a-z0-9:\-_\s\.\*\(\)\?\+\[\]\\\^\$\|\/]+$`)
)

// checkConstraint applies the rules of swarmkit's manager/constraint.
func checkConstraint(s string) error {
	key, value, ok := strings.Cut(s, "==")
	if !ok {
		key, value, ok = strings.Cut(s, "!=")
	}
	switch {
	case !ok:
		return errors.New("a constraint is written KEY==VALUE or KEY!=VALUE, for example node.role==manager")
	case !constraintKey.MatchString(strings.TrimSpace(key)):
		return errors.New("the left side of a placement constraint is a key such as node.role, node.hostname or node.labels.NAME")
	case !constraintValue.MatchString(strings.TrimSpace(value)):
		return errors.New("the right side of the placement constraint has characters that Swarm does not accept")
	}
	return nil
}

func checkCount(s string) error { return checkRange(s, 0, 1<<31-1) }

func checkRange(s string, lowest, highest int) error {
	v, err := strconv.Atoi(s)
	if err != nil || v < lowest || v > highest {
		return fmt.Errorf("it must be between %d and %d", lowest, highest)
	}
	return nil
}

// Least resources of a task by swarmkit (manager/controlapi, validateResources).
const (
	leastNanoCPUs    = 1e6
	leastMemoryBytes = 4 << 20
)

func checkCPUs(s string) error {
	switch nano, err := opts.ParseCPUs(s); {
	case err != nil:
		return errors.New("a number of CPUs is a decimal such as 0.5, with at most nine decimals")
	case nano != 0 && nano < leastNanoCPUs:
		return errors.New("Swarm counts CPUs from 0.001 on")
	}
	return nil
}

func checkMemory(s string) error {
	if bytes, err := units.RAMInBytes(s); err != nil || bytes != 0 && bytes < leastMemoryBytes {
		return errors.New("Swarm counts memory from 4M on")
	}
	return nil
}

func checkDuration(s string) error {
	if d, err := time.ParseDuration(s); err != nil || d < 0 {
		return errors.New("it must not be negative")
	}
	return nil
}

func checkRatio(s string) error {
	if v, err := strconv.ParseFloat(s, 64); err != nil || v < 0 || v > 1 {
		return errors.New("a ratio is between 0 and 1")
	}
	return nil
}

// checkCommand splits a command as docker/cli's loader does.
func checkCommand(s string) error {
	if _, err := shlex.Split(s); err != nil {
		return errors.New("a quote is not closed; write a list to avoid the splitting of words")
	}
	return nil
}

func checkRestart(s string) error {
	policy, err := opts.ParseRestartPolicy(s)
	if err != nil || !(policy.IsNone() || policy.IsAlways() || policy.IsUnlessStopped() || policy.IsOnFailure()) {
		return errors.New("restart is one of no, always, unless-stopped, on-failure and on-failure:COUNT")
	}
	return nil
}
