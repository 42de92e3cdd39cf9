//go:build !linux

package reconcile

// hostIdentity is empty: whether another process still runs is not looked up
// here, and a lease is taken over after its time to live.
func hostIdentity() string { return "" }

func processStart(int) (started string, running bool) { return "", false }
