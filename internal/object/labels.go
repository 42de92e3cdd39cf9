package object

import "strings"

// The labels that mean something to this package. Package reconcile, which owns
// the rest of them, takes these from here.
const (
	// LabelPrefix begins every label of the provider. Input with it is refused.
	LabelPrefix = "io.swarmkeel."
	// LabelRedeploy is the hash of redeploy_trigger, on a service. It belongs to
	// what is compared, as LabelCredential does, and no other label of ours.
	LabelRedeploy = LabelPrefix + "redeploy"
	// LabelCredential stands for the registry credential that a service was written
	// with: the registry's host and a fingerprint.
	LabelCredential = LabelPrefix + "credential"
	// LabelOneShot marks the service of a OneShot: its tasks are to end, not to run
	// on.
	LabelOneShot = LabelPrefix + "one-shot"
	// LabelStackPrefix begins the labels that Docker's own stack commands write.
	LabelStackPrefix = "com.docker.stack."
	// LabelStack is the name of the stack that an object belongs to.
	LabelStack = LabelStackPrefix + "namespace"
	// LabelStackImage is the image of a service as its Compose file had it when
	// the stack was last deployed. It goes stale when the image is changed
	// otherwise, and proves nothing by itself.
	LabelStackImage = LabelStackPrefix + "image"
)

// shownLabels returns the labels that belong to a canonical form: those that
// neither this provider nor Docker's stack commands keep their books with.
func shownLabels(labels map[string]string) map[string]string {
	var shown map[string]string
	for k, v := range labels {
		if strings.HasPrefix(k, LabelPrefix) || strings.HasPrefix(k, LabelStackPrefix) {
			continue
		}
		if shown == nil {
			shown = make(map[string]string, len(labels))
		}
		shown[k] = v
	}
	return shown
}
