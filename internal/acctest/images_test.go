package acctest

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"
)

// said runs the Docker CLI and returns everything that it printed, and how it failed.
func said(s *Swarm, args ...string) string {
	out, err := exec.Command("docker", append([]string{"-H", s.Host()}, args...)...).CombinedOutput()
	if err != nil {
		out = append(out, " ("+err.Error()+")"...)
	}
	return strings.TrimSpace(string(out))
}

// ask runs a shell script in an image on a network, and returns what it said.
func ask(s *Swarm, network, image, password, script string) string {
	return said(s, "run", "--rm", "--network", network, "-e", "PASSWORD="+password, "--entrypoint", "sh", image, "-c", script)
}

// The images of databases take arguments and environment as the official ones do, and serve others on the network.
func TestDatabaseImages(t *testing.T) {
	const password = `it's a "p\w" $x y`
	for name, test := range map[string]struct {
		server          Server
		image, upgraded string
		data            string   // folder
		options         []string // of docker service create
		args            []string
		query           string // script around a statement
		write, read     string
		refusal         string // of a wrong password
		setting, is     string // statement and answer that show that the arguments count
	}{
		"postgres": {
			server: Postgres, image: PostgresImage("15"), upgraded: PostgresImage("15.1"), data: "/var/lib/postgresql/data",
			options: []string{"--env", "POSTGRES_PASSWORD_FILE=/run/secrets/password", "--env", "POSTGRES_USER=o w-n", "--env", `POSTGRES_DB=d'b "q" \`},
			args:    []string{"-c", "max_connections=33", "-c", "application_name=it's"},
			query:   `PGPASSWORD="$PASSWORD" psql -v ON_ERROR_STOP=1 -h server -U "o w-n" -d "d'b \"q\" \\" -tAqc "$(cat <<'SQL'` + "\n%s\nSQL\n)\"",
			write:   "CREATE TABLE t (v text); INSERT INTO t VALUES ('kept')", read: "SELECT v FROM t",
			refusal: "password authentication failed", setting: "SHOW max_connections", is: "33",
		},
		"mariadb": {
			server: MariaDB, image: MariaDBImage("10.11"), upgraded: MariaDBImage("10.11.1"), data: "/var/lib/mysql",
			options: []string{
				"--env", "MARIADB_PASSWORD_FILE=/run/secrets/password", "--env", "MARIADB_USER=o w-n", "--env", "MARIADB_DATABASE=d_b q",
				"--env", "MARIADB_ROOT_PASSWORD_FILE=/run/secrets/password",
			},
			args:  []string{"--max-connections=33"},
			query: `MYSQL_PWD="$PASSWORD" mariadb -h server -u "o w-n" -N "d_b q" -e "%s"`,
			write: "CREATE TABLE t (v text); INSERT INTO t VALUES ('kept')", read: "SELECT v FROM t",
			refusal: "Access denied for user", setting: "SELECT @@max_connections", is: "33",
		},
		"redis": {
			server: Redis, image: RedisImage("7"), upgraded: RedisImage("7.1"), data: "/data",
			args:  []string{"sh", "-c", `exec docker-entrypoint.sh redis-server --appendonly yes --maxclients 33 --requirepass "$(cat /run/secrets/password)"`},
			query: `redis-cli -e --no-auth-warning -h server -a "$PASSWORD" %s`,
			write: "SET v kept", read: "GET v",
			refusal: "WRONGPASS", setting: "CONFIG GET maxclients", is: "maxclients\n33",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the time goes into waiting
			s := Start(t)
			Load(t, s, test.server)
			release := s.RandomName(t)
			network, service := release+"_net", release+"_server"
			s.Docker(t, "network", "create", "-d", "overlay", "--attachable", "--label", stackLabel+"="+release, network)
			s.DockerInput(t, password, "secret", "create", "--label", stackLabel+"="+release, release+"_password", "-")
			args := append([]string{
				"service", "create", "-d", "--name", service, "--label", stackLabel + "=" + release, "--endpoint-mode", "dnsrr",
				"--network", "name=" + network + ",alias=server", "--secret", "source=" + release + "_password,target=password,mode=0400",
				"--mount", "type=volume,source=" + release + "_data,target=" + test.data + ",volume-label=" + stackLabel + "=" + release,
				"--update-monitor", "100ms",
			}, test.options...)
			s.Docker(t, append(append(args, test.image), test.args...)...)

			query := func(password, statement string) string {
				return ask(s, network, test.image, password, strings.ReplaceAll(test.query, "%s", statement))
			}
			answers := func(statement, want string) {
				t.Helper()
				got := ""
				if !poll(time.Minute, func() bool { got = query(password, statement); return got == want }) {
					t.Fatalf("%s: got %q, want %q\n%s", statement, got, want, said(s, "service", "logs", service))
				}
			}
			answers(test.setting, test.is)
			query(password, test.write)
			if got := query("wrong", test.read); !strings.Contains(got, test.refusal) {
				t.Errorf("a wrong password is answered %q, want %q", got, test.refusal)
			}
			s.Docker(t, "service", "update", "-d", "--image", test.upgraded, service)
			Wait(t, time.Minute, "the upgraded server runs alone", func() bool {
				tasks := s.Tasks(t, service)
				return len(tasks) == 1 && tasks[0].Spec.ContainerSpec.Image == test.upgraded && tasks[0].Status.State == swarm.TaskStateRunning
			})
			answers(test.read, "kept")
		})
	}
}

// The registry's image serves the configuration that it is told, by the commands of the official one.
func TestRegistryImage(t *testing.T) {
	const config = "version: 0.1\nstorage: {inmemory: {}}\nhttp: {addr: ':5001'}\n"
	for name, args := range map[string][]string{
		"the command and a file":      {"serve", "/config.yml"},
		"a file alone":                {"/config.yml"},
		"the program by name":         {"registry", "serve", "/config.yml"},
		"a shell that starts it last": {"sh", "-c", "exec registry serve /config.yml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the time goes into waiting
			s := Start(t)
			Load(t, s, Distribution)
			release := s.RandomName(t)
			network := release + "_net"
			s.Docker(t, "network", "create", "-d", "overlay", "--attachable", "--label", stackLabel+"="+release, network)
			s.DockerInput(t, config, "config", "create", "--label", stackLabel+"="+release, release+"_config", "-")
			s.Docker(t, append([]string{
				"service", "create", "-d", "--name", release + "_server", "--label", stackLabel + "=" + release, "--endpoint-mode", "dnsrr",
				"--stop-grace-period", "0s", "--network", "name=" + network + ",alias=server", "--config", "source=" + release + "_config,target=/config.yml", RegistryImage("2"),
			}, args...)...)
			Wait(t, time.Minute, "the registry answers at the port of its configuration", func() bool {
				return ask(s, network, RegistryImage("2"), "", "wget -qO- http://server:5001/v2/") == "{}"
			})
		})
	}
}
