package spec

// Resources bound what one task of a server may use and reserve what it needs.
// Every field is in Docker's own form and "" when nothing is said.
type Resources struct {
	// CPUs and CPUsReservation are numbers of CPUs ("0.5").
	CPUs, CPUsReservation string
	// Memory and MemoryReservation are sizes in binary units ("512M", "1g").
	Memory, MemoryReservation string
}

// Placement says on which nodes tasks may run.
type Placement struct {
	// Constraints all have to hold ("node.labels.ssd==true").
	Constraints []string
}
