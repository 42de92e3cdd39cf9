package render

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// sandbox runs a script of a database where its secret, its volume and the
// programs that it calls are files of the test. Programs that are not given are
// this machine's.
type sandbox struct {
	volume, bin, secret string
}

func newSandbox(t *testing.T, password string, programs map[string]string) sandbox {
	t.Helper()
	s := sandbox{volume: t.TempDir(), bin: t.TempDir()}
	s.secret = filepath.Join(s.bin, "password")
	writeFile(t, s.secret, password)
	for name, body := range programs {
		writeFile(t, filepath.Join(s.bin, name), "#!/bin/sh\n"+body+"\n")
	}
	return s
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// run runs a command with the places of a container replaced by the sandbox's.
func (s sandbox) run(t *testing.T, command []string) (int, string) {
	t.Helper()
	for i, word := range command {
		command[i] = strings.NewReplacer(passwordFile, s.secret, "cd "+lookedAt+"\n", "cd "+s.volume+"\n").Replace(word)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = []string{"PATH=" + s.bin + ":" + os.Getenv("PATH"), "PGDATA=" + s.volume, "POSTGRES_DB=the db"}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func TestLookIntoAVolume(t *testing.T) {
	const redisSnapshot = "REDIS0010\xfa\tredis-ver\x05%.2.4\xfa\nredis-bits\xc0@"
	for name, c := range map[string]struct {
		engine string
		policy spec.ExistingVolume
		files  map[string]string
		want   int
		left   bool
	}{
		"nothing there":               {spec.Postgres, "", nil, 0, false},
		"nothing but lost+found":      {spec.Postgres, spec.ExistingFail, map[string]string{"lost+found/x": ""}, 0, true},
		"a hidden file":               {spec.Postgres, spec.ExistingFail, map[string]string{".x": ""}, 10, true},
		"anything, by default":        {spec.Redis, "", map[string]string{"x": ""}, 10, true},
		"discarding what there is":    {spec.MariaDB, spec.ExistingDiscard, map[string]string{"x y": "", ".x/y": "", "..x": ""}, 0, false},
		"discarding keeps lost+found": {spec.MariaDB, spec.ExistingDiscard, map[string]string{"lost+found/x": "", "x": ""}, 0, true},
		"reusing nothing":             {spec.Redis, spec.ExistingReuse, nil, 0, false},

		"PostgreSQL of this version":      {spec.Postgres, spec.ExistingReuse, map[string]string{"PG_VERSION": "12\n"}, 0, true},
		"PostgreSQL of another version":   {spec.Postgres, spec.ExistingReuse, map[string]string{"PG_VERSION": "11\n"}, 11, true},
		"no PostgreSQL":                   {spec.Postgres, spec.ExistingReuse, map[string]string{"mysql/db.frm": ""}, 13, true},
		"MariaDB of this version":         {spec.MariaDB, spec.ExistingReuse, map[string]string{"mysql_upgrade_info": "10.5.28-MariaDB"}, 0, true},
		"MariaDB of another version":      {spec.MariaDB, spec.ExistingReuse, map[string]string{"mariadb_upgrade_info": "11.4.2-MariaDB\n"}, 11, true},
		"MariaDB that does not say which": {spec.MariaDB, spec.ExistingReuse, map[string]string{"mysql/db.frm": ""}, 0, true},
		"no MariaDB":                      {spec.MariaDB, spec.ExistingReuse, map[string]string{"PG_VERSION": "12\n"}, 13, true},
		"Redis of this version":           {spec.Redis, spec.ExistingReuse, map[string]string{"appendonlydir/appendonly.aof.1.base.rdb": strings.Replace(redisSnapshot, "%", "6", 1)}, 0, true},
		"Redis of another version":        {spec.Redis, spec.ExistingReuse, map[string]string{"appendonlydir/appendonly.aof.1.base.rdb": strings.Replace(redisSnapshot, "%", "7", 1)}, 11, true},
		"Redis of before 7":               {spec.Redis, spec.ExistingReuse, map[string]string{"appendonly.aof": "*2\r\n$6\r\nSELECT\r\n"}, 0, true},
		"Redis that would start empty":    {spec.Redis, spec.ExistingReuse, map[string]string{"dump.rdb": strings.Replace(redisSnapshot, "%", "6", 1)}, 12, true},
		"no Redis":                        {spec.Redis, spec.ExistingReuse, map[string]string{"ibdata1": ""}, 13, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t, "", nil)
			for file, text := range c.files {
				writeFile(t, filepath.Join(s.volume, file), text)
			}
			r := mustDatabase(t, orders(c.engine, func(db *spec.Database) { db.Existing = c.policy }))
			got, out := s.run(t, r.Before[0].Service.Spec.(*swarm.ServiceSpec).TaskTemplate.ContainerSpec.Command)
			if got != c.want {
				t.Errorf("it ends with %d, want %d:\n%s", got, c.want, out)
			}
			if left, _ := os.ReadDir(s.volume); (len(left) > 0) != c.left {
				t.Errorf("left are %v", left)
			}
			if c.want > 0 && r.Before[0].Exits[c.want] == "" {
				t.Errorf("exit code %d is not explained", c.want)
			}
		})
	}
}

// serve runs the server's command with stand-ins for the image's entrypoint and
// for PostgreSQL. They tell what they got.
func serve(t *testing.T, s sandbox, db spec.Database) (int, string) {
	t.Helper()
	return s.run(t, service(t, mustDatabase(t, db), "db").TaskTemplate.ContainerSpec.Args)
}

var postgresStandIns = map[string]string{
	"docker-entrypoint.sh": `echo "entrypoint: $*; with ${POSTGRES_PASSWORD_FILE-no file}"`,
	"postgres":             `echo "single: $*" >&2; cat >&2; echo 'a prompt'`,
	"gosu":                 `echo "as $1" >&2; shift; exec "$@"`,
	"id":                   "echo 0",
	"find":                 `echo "owned: $*" >&2`,
}

func TestPostgresSetsThePasswordWhereThereIsADatabase(t *testing.T) {
	db := orders(spec.Postgres, func(db *spec.Database) { db.Settings = map[string]string{"max_connections": "42"} })

	fresh := newSandbox(t, `it's \ "x"`, postgresStandIns)
	code, out := serve(t, fresh, db)
	if want := "entrypoint: postgres -c max_connections=42; with no file\n"; code != 0 || out != want {
		t.Errorf("a first start ends with %d and says %q, want %q", code, out, want)
	}

	used := newSandbox(t, `it's \ "x"`, postgresStandIns)
	writeFile(t, filepath.Join(used.volume, "PG_VERSION"), "12\n")
	code, out = serve(t, used, db)
	if want := "owned: " + used.volume + " ! -user postgres -exec chown postgres {} +\n"; !strings.Contains(out, want) || !strings.Contains(out, "as postgres\n") {
		t.Errorf("as root it does not see to the owner:\n%s", out)
	}
	statement := `ALTER ROLE "orders" PASSWORD E'it''s \\ "x"'` + "\n"
	if code != 0 || !strings.Contains(out, statement) || !strings.Contains(out, "-c max_connections=42 -c exit_on_error=on -c log_statement=none") ||
		!strings.Contains(out, "the db\n") || !strings.HasSuffix(out, "entrypoint: postgres -c max_connections=42; with no file\n") || strings.Contains(out, "a prompt") {
		t.Errorf("a further start ends with %d and says:\n%s", code, out)
	}
	if arguments, _, _ := strings.Cut(out, statement); strings.Contains(arguments, "it's") {
		t.Errorf("the password is an argument: %s", arguments)
	}

	// A server that was killed says so by its exit code.
	writeFile(t, filepath.Join(used.bin, "postgres"), "#!/bin/sh\nexit 137\n")
	if code, out := serve(t, used, db); code != 137 || !strings.Contains(out, `could not set the password of user "orders" in database the db`) || strings.Contains(out, "entrypoint") {
		t.Errorf("a start on what it does not know ends with %d and says:\n%s", code, out)
	}
}

func TestRedisReadsItsConfigurationFromStandardInput(t *testing.T) {
	s := newSandbox(t, `it's \ "x" $HOME `+"`id`", map[string]string{"docker-entrypoint.sh": `echo "$*"; cat`})
	code, out := serve(t, s, orders(spec.Redis, func(db *spec.Database) { db.Settings = map[string]string{"save": "", "maxmemory": "1gb"} }))
	want := "redis-server -\nmaxmemory 1gb\nsave \"\"\ndir /data\nport 6379\nappendonly yes\nrequirepass \"it's \\\\ \\\"x\\\" $HOME `id`\"\n"
	if code != 0 || out != want {
		t.Errorf("it ends with %d and says\n%s\nwant\n%s", code, out, want)
	}
}

func TestHealthIsTheRightAnswerToAQuery(t *testing.T) {
	for name, c := range map[string]struct {
		engine, client, body string
		healthy              bool
	}{
		"PostgreSQL answers":      {spec.Postgres, "psql", `[ "$PGPASSWORD $PGUSER $PGDATABASE $PGHOST" = "p w orders orders 127.0.0.1" ] && echo 1`, true},
		"PostgreSQL fails":        {spec.Postgres, "psql", "echo no >&2; exit 2", false},
		"PostgreSQL says nothing": {spec.Postgres, "psql", "", false},
		"MariaDB answers":         {spec.MariaDB, "mariadb", `case "$MYSQL_PWD $*" in "p w "*--user=orders*--database=orders*) echo 1 ;; esac`, true},
		"MariaDB fails":           {spec.MariaDB, "mariadb", "echo no >&2; exit 1", false},
		"Redis answers":           {spec.Redis, "redis-cli", `[ "$REDISCLI_AUTH $*" = "p w -h 127.0.0.1 -p 6379 DBSIZE" ] && echo 12`, true},
		"Redis is loading":        {spec.Redis, "redis-cli", "echo LOADING Redis is loading the dataset in memory", false},
		"Redis is not there":      {spec.Redis, "redis-cli", "echo Could not connect >&2; exit 1", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t, "p w", map[string]string{c.client: c.body})
			test := service(t, mustDatabase(t, orders(c.engine, nil)), "db").TaskTemplate.ContainerSpec.Healthcheck.Test
			code, out := s.run(t, test[1:])
			if (code == 0) != c.healthy {
				t.Errorf("it ends with %d: %s", code, out)
			}
		})
	}
}

func TestReadyAsksUntilThereIsAnAnswer(t *testing.T) {
	ready := func(t *testing.T, client, clock string) (int, string) {
		s := newSandbox(t, "p w", map[string]string{
			"sleep": "", "redis-cli": client,
			// Every look at the clock takes a part of the time there is.
			"date": clock,
		})
		writeFile(t, filepath.Join(s.bin, "count"), "0")
		job := mustDatabase(t, orders(spec.Redis, nil)).After[0].Service.Spec.(*swarm.ServiceSpec)
		return s.run(t, job.TaskTemplate.ContainerSpec.Command)
	}
	const clock = `f=$(dirname "$0")/count; n=$(($(cat "$f") + 10)); echo "$n" | tee "$f"`
	if code, out := ready(t, `f=$(dirname "$0")/count; if [ "$(cat "$f")" -ge 30 ]; then echo 0; else echo NOAUTH; fi`, clock); code != 0 || !strings.Contains(out, "Answered.") {
		t.Errorf("with an answer in the end it ends with %d: %s", code, out)
	}
	code, out := ready(t, "echo NOAUTH Authentication required.", clock)
	if code != 10 || !strings.Contains(out, "NOAUTH") {
		t.Errorf("without an answer it ends with %d: %s", code, out)
	}
	if explained := mustDatabase(t, orders(spec.Redis, nil)).After[0].Exits[10]; !strings.Contains(explained, "orders:6379 on network orders_default") {
		t.Errorf("that is explained by %q", explained)
	}
}
