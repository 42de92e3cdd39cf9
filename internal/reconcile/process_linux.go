package reconcile

import (
	"fmt"
	"os"
	"strings"
)

// hostIdentity names the running kernel and the process number space in it: a
// container numbers its processes for itself. Empty when it cannot be told.
func hostIdentity() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

// processStart returns when a process was started, in clock ticks since boot
// (field 22 of proc_pid_stat(5)), and whether it runs. A zombie does not.
func processStart(pid int) (started string, running bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The command name may hold spaces and brackets; what follows the last one
	// begins with field 3.
	text := string(raw)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return "", false
	}
	return fields[19], true
}
