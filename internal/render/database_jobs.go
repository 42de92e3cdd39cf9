package render

import (
	"fmt"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// The healthcheck asks every few seconds, and gives a server up after a minute
// without an answer, so that one under load is not killed for it. A first start
// and recovery after a crash have longer. (start_interval would make the first
// check an earlier one; it needs API 1.44.)
const (
	databaseCheckEvery  = 5 * time.Second
	databaseCheckWithin = 10 * time.Second
	databaseCheckTries  = 12
	databaseStartPeriod = 5 * time.Minute
)

// askOnce and askForAWhile take host, user and database as arguments. A client
// that hangs is cut off; the whole ends within 40 s.
const (
	askBegin = `host=$1 user=$2 database=$3 password=$(cat ` + passwordFile + `)
`
	askOnce = askBegin + `ask
`
	askForAWhile = askBegin + `end=$(($(date +%s) + 30))
until ask; do
  if [ "$(date +%s)" -ge "$end" ]; then
    exit 10
  fi
  sleep 1
done
echo 'Answered.'
`
)

// healthcheck asks the server over TCP, as its temporary self of the first start
// does not listen there.
func (r *databaseRenderer) healthcheck() *container.HealthConfig {
	return &container.HealthConfig{
		Test:     append([]string{"CMD", "sh", "-c", r.engine.ask + askOnce, "sh"}, r.client("127.0.0.1")...),
		Interval: databaseCheckEvery, Timeout: databaseCheckWithin, Retries: databaseCheckTries, StartPeriod: databaseStartPeriod,
	}
}

// client are the arguments of askOnce and askForAWhile. The health check carries
// them, so that LiveDatabase can read them back.
func (r *databaseRenderer) client(host string) []string { return []string{host, r.user, r.database} }

// ready is the client that proves that the database answers over the network.
func (r *databaseRenderer) ready(network string) object.OneShot {
	job := r.job("ready", r.image, false)
	job.TaskTemplate.ContainerSpec.Command = append([]string{"sh", "-c", r.engine.ask + askForAWhile, "sh"}, r.client(r.spec.Name)...)
	job.TaskTemplate.ContainerSpec.Secrets = []*swarm.SecretReference{mountSecret(r.secrets[passwordKey], passwordKey)}
	job.TaskTemplate.Placement = r.where
	attach(job, network)
	return object.OneShot{
		Service: serviceObject("ready", job), For: databaseKey,
		Op:      fmt.Sprintf("ask database %s something as a client", r.spec.Name),
		Failure: fmt.Sprintf("Database %s answers no client", r.spec.Name),
		Exits: map[int]string{10: fmt.Sprintf("For 30 s, no client that connected to %s:%s on network %s with the credential of the secrets got an answer to a query, "+
			"although the server is healthy on its own node. The last lines say what the client was told.", r.spec.Name, r.engine.port, network)},
	}
}

// lookedAt is where jobs mount the volume. No image has something there, which
// Docker would copy into an empty volume.
const lookedAt = "/volume"

// look takes the policy, and for a reuse the version that the data has to be of.
const look = `set -eu
cd ` + lookedAt + `
found=$(ls -A | grep -vx lost+found) || exit 0
case $1 in
  discard)
    find . -mindepth 1 -maxdepth 1 ! -name lost+found -exec rm -rf {} +
    echo 'Emptied.'
    ;;
  reuse)
    data=$(held) || exit $?
    case $data in
      "$2" | '?') ;;
      '')
        printf 'The volume holds:\n%s\n' "$(printf '%s\n' "$found" | head -n 10)"
        exit 13
        ;;
      *)
        echo "The volume holds data of version $data; version $2 is asked for."
        exit 11
        ;;
    esac
    ;;
  *)
    printf 'The volume holds:\n%s\n' "$(printf '%s\n' "$found" | head -n 10)"
    exit 10
    ;;
esac
`

// look is the job that looks into the volume before a database is made, on every
// node that may get the task: the volume of each is another one.
func (r *databaseRenderer) look() object.OneShot {
	const key = "look"
	op, policy := "look into volume ", r.spec.Existing
	switch policy {
	case "":
		policy = spec.ExistingFail
	case spec.ExistingDiscard:
		op = "empty volume "
	}
	volume := r.volume(lookedAt)
	volume.ReadOnly = policy != spec.ExistingDiscard
	job := r.job(key, r.image, true)
	job.TaskTemplate.Placement = r.where
	job.TaskTemplate.ContainerSpec.Command = []string{"sh", "-c", r.engine.held + look, "sh", string(policy), r.version.line(r.engine.line)}
	job.TaskTemplate.ContainerSpec.Mounts = []mount.Mount{volume}
	return object.OneShot{
		Service: serviceObject(key, job), For: databaseKey,
		Op:      op + volume.Source,
		Failure: fmt.Sprintf("Volume %s cannot be used for database %s", volume.Source, r.spec.Name),
		Exits:   r.exits(volume.Source),
	}
}

// exits explain what look found.
func (r *databaseRenderer) exits(volume string) map[int]string {
	title := r.engine.title
	line := r.version.line(r.engine.line)
	const wayOut = `Set existing_volume = "discard" to have it emptied, or choose another name.`
	all := map[int]string{
		10: fmt.Sprintf("Volume %s is not empty: it holds an earlier database's data, or what a create that failed has left. "+
			"Set existing_volume = \"reuse\" to start on that data, or \"discard\" to have it emptied; or choose another name. Nothing was written.", volume),
		11: fmt.Sprintf("Volume %s holds data of another version of %s than %s, which that one cannot read. Set version to that of the data. %s Nothing was written.",
			volume, title, line, wayOut),
		13: fmt.Sprintf("Volume %s holds something else than data of %s. %s Nothing was written.", volume, title, wayOut),
	}
	if r.spec.Engine == spec.Redis {
		all[12] = fmt.Sprintf("Volume %s holds a snapshot (dump.rdb) and no append-only file: the server, which keeps one, would start without that data. "+
			"Load it into a server of your own, run CONFIG SET appendonly yes there, and reuse its folder. %s Nothing was written.", volume, wayOut)
	}
	return all
}
