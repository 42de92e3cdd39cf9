package render

import (
	"fmt"

	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// exitNotEmpty is the exit code of the script below.
const exitNotEmpty = 10

// emptyScript takes away what is in a folder, and looks whether it has.
const emptyScript = `rm -rf "$1"/* "$1"/.[!.]* "$1"/..?*
left=$(ls -A "$1")
if [ -n "$left" ]; then
  echo "left: $left"
  exit 10
fi`

// empty is the job that empties a volume on every node that the placement allows,
// with the image of the service that the volume is of. Only a task reaches the
// volumes of a node that is not the connected one.
func (s *server) empty(image, service, target string, placement *swarm.Placement) object.OneShot {
	const key = "empty"
	volume := s.volume(target)
	job := s.job(key, image, true)
	job.TaskTemplate.Placement = placement
	job.TaskTemplate.ContainerSpec.Command = []string{"sh", "-c", emptyScript, "sh"}
	job.TaskTemplate.ContainerSpec.Args = []string{target}
	job.TaskTemplate.ContainerSpec.Mounts = []mount.Mount{volume}
	return object.OneShot{
		Service: serviceObject(key, job), For: service,
		Op:      "empty volume " + volume.Source,
		Failure: fmt.Sprintf("Volume %s could not be emptied", volume.Source),
		Exits:   map[int]string{exitNotEmpty: "Something in it could not be removed: see the names above, and what the volume's driver allows."},
	}
}
