package render

import (
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// The exit codes of the script below.
const (
	exitAnswersAnybody = 10
	exitAnswersNobody  = 11
)

// askScript asks for an address until it answers that a password is needed. What
// wget prints then is the same for busybox and GNU: the status line. Its own -T is
// not in every busybox.
const askScript = `end=$(($(date +%s) + 30))
while :; do
  if said=$(timeout 5 wget -O /dev/null "$1" 2>&1); then
    exit 10
  fi
  case $said in *" 401 "*) exit 0 ;; esac
  if [ "$(date +%s)" -ge "$end" ]; then
    echo "$said"
    exit 11
  fi
  sleep 1
done`

// asksForPassword is the job that proves that strangers are refused: an image that
// does not understand the settings would serve everybody.
func (s *server) asksForPassword(r spec.Registry, network string, placement *swarm.Placement) object.OneShot {
	const key = "ready"
	job := s.job(key, r.Image, false)
	job.TaskTemplate.Placement = placement
	attach(job, network)
	job.TaskTemplate.ContainerSpec.Command = []string{"sh", "-c", askScript, "sh"}
	// Not the alias: under a published port it stands for a virtual address, and
	// what answers there is not yet what has just been started.
	job.TaskTemplate.ContainerSpec.Args = []string{"http://tasks." + s.namespace.Scope(registryKey) + ":5000/v2/"}
	return object.OneShot{
		Service: serviceObject(key, job), For: registryKey,
		Op:      "ask registry " + r.Name + " without a password",
		Failure: "Registry " + r.Name + " does not ask for a password",
		Exits: map[int]string{
			exitAnswersAnybody: "It serves everybody: the image does not take REGISTRY_AUTH and REGISTRY_AUTH_HTPASSWD_PATH as distribution does. Use the official one, or one built on it.",
			exitAnswersNobody:  "It gave no answer within 30 seconds, or another one than 401; its last words are above.",
		},
	}
}

// EmptyRegistry are the jobs that take the images away. They need neither users
// nor an address.
func EmptyRegistry(r spec.Registry) []object.OneShot {
	s := newServer(kindRegistry, r.Name)
	return []object.OneShot{s.empty(r.Image, registryKey, registryData, s.placement(r.Placement))}
}
