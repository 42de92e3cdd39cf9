package object

// OneShot is a job that an apply or a removal runs on the way and takes away
// again: a look into a volume, a query that proves that a server answers. It is
// no part of what the release consists of, and stands in no record.
type OneShot struct {
	// Service is the job: a replicated or global service whose tasks are not
	// restarted. What it mounts and is attached to are objects of the release.
	//
	// It is in none of the job modes, because engines do not clean up behind those: a
	// job's tasks and containers, and with them its hold on a volume, stay when the
	// service is removed, and a running one is not stopped (measured with 20.10; the
	// same is reported of later ones).
	Service Object
	// For is the key of the service that the job is about. The job runs the very
	// image that the service is pinned to, if it declares the same one.
	For string
	// Op is what the job does, as in "Tried to …": "look into volume orders_data".
	Op string
	// Failure says in one sentence without a full stop what it means that the job
	// fails.
	Failure string
	// Exits explain the exit codes that the job's program gives a meaning to, in
	// full sentences.
	Exits map[int]string
}

// Derived is how the content of a secret is made that is not known beforehand,
// because it is random or costs more than telling whether its inputs changed. The
// fingerprint of such a secret is over those inputs, so that its content is made
// once for as long as they stay.
type Derived struct {
	// Keys are the secrets whose contents come from one making. When one of them
	// is missing, all are made anew, because nobody can read the others back.
	Keys []string
	// Make returns a content for each of the keys. It is called when the secrets
	// are created, and only then.
	Make func() (map[string][]byte, error)
}
