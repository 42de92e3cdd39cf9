package acctest

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"

	"github.com/docker/docker/api/types/swarm"
)

// Inside runs a shell script in a running task of a service, by name, and returns what it printed to stdout. The environment
// is name=value.
func (s *Swarm) Inside(t testing.TB, service, script string, env ...string) (string, error) {
	t.Helper()
	container := ""
	for _, task := range s.Tasks(t, service) {
		if task.Status.State == swarm.TaskStateRunning {
			container = task.Status.ContainerStatus.ContainerID
		}
	}
	if container == "" {
		return "", fmt.Errorf("%s has no running task", service)
	}
	args := []string{"-H", s.Host(), "exec"}
	for _, e := range env {
		args = append(args, "-e", e)
	}
	cmd := exec.Command("docker", append(args, container, "sh", "-c", script)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("in %s: %w: %s%s", service, err, out, stderr.String())
	}
	return string(out), nil
}

// Client is what a client of a server does, as shell scripts that run where the server does (see Inside) and fail when it
// refuses. SECRET is the password; NAME that of user and database, where the server has such; ROW what Put stores.
type Client struct{ Use, Put, Rows string }

// Client is a client with the programs of the server's image.
func (s Server) Client() Client {
	switch s {
	case Postgres:
		// Not over 127.0.0.1, where the image lets everybody in.
		const psql = `PGPASSWORD="$SECRET" psql -X -q -At -v ON_ERROR_STOP=1 -h "$(hostname -i | cut -d' ' -f1)" -U "$NAME" -d "$NAME" -c `
		return sqlClient(psql)
	case MariaDB:
		return sqlClient(`MYSQL_PWD="$SECRET" mariadb -N -B -h 127.0.0.1 -u "$NAME" "$NAME" -e `)
	case Redis:
		const redis = `REDISCLI_AUTH="$SECRET" redis-cli -e `
		return Client{Use: `[ "$(` + redis + `PING)" = PONG ]`, Put: redis + `RPUSH kept "$ROW"`, Rows: redis + `LRANGE kept 0 -1`}
	case Distribution:
		const wget = `wget -q -O - --header "Authorization: Basic $(printf %s "$NAME:$SECRET" | base64 -w 0)" http://127.0.0.1:5000/v2/`
		return Client{Use: wget, Rows: wget + "kept/tags/list"} // images are pushed
	default:
		return Client{}
	}
}

func sqlClient(command string) Client {
	return Client{
		Use:  command + `'SELECT 1'`,
		Put:  command + `"CREATE TABLE IF NOT EXISTS kept (r text); INSERT INTO kept VALUES ('$ROW')"`,
		Rows: command + `'SELECT r FROM kept'`,
	}
}
