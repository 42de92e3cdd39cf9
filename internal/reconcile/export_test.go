package reconcile

import "strconv"

// Identity tells tests who this process is to a lease.
func Identity() (host, pid, started string) {
	me := thisProcess()
	return me.host, strconv.Itoa(me.pid), me.started
}
