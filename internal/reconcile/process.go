package reconcile

import (
	"fmt"
	"os"
	"sync"
)

// processID tells one process of one host from every other, also from a later
// one that got the same number.
type processID struct {
	// host is empty where processes of the host cannot be told apart.
	host    string
	name    string
	pid     int
	started string
}

func (p processID) String() string { return fmt.Sprintf("process %d on %s", p.pid, p.name) }

// thisProcess is found out once: none of it changes.
var thisProcess = sync.OnceValue(func() processID {
	name, err := os.Hostname()
	if err != nil {
		name = "an unknown host"
	}
	id := processID{name: name, pid: os.Getpid()}
	if started, ok := processStart(id.pid); ok {
		id.started, id.host = started, hostIdentity()
	}
	return id
})
