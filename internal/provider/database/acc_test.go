package database_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

func TestMain(m *testing.M) { providertest.Main(m) }

// engine is what the tests know of an engine: its images, and how to ask its server for something.
type engine struct {
	name, title string
	// version and minor are of one major version, other is of another one.
	version, minor, other string
	image                 func(version string) string
	server                acctest.Server
	// client takes a statement on standard input and $host, $user, $database and $password.
	client string
	// insert and count write a row and tell how many there are.
	insert, count string
	// setting is one that shows in what `show` answers.
	setting, value, show, shown string
	// strict is a setting that the server takes no nonsense for.
	strict string
}

var engines = []engine{
	{
		name: "postgres", title: "PostgreSQL", version: "15", minor: "15.1", other: "16", image: acctest.PostgresImage, server: acctest.Postgres,
		client:  `PGHOST=$host PGUSER=$user PGDATABASE=$database PGPASSWORD=$password psql -XAtq -v ON_ERROR_STOP=1`,
		insert:  `CREATE TABLE IF NOT EXISTS rows (n serial); INSERT INTO rows DEFAULT VALUES;`,
		count:   `SELECT count(*) FROM rows;`,
		setting: "max_connections", value: "42", show: "SHOW max_connections;", shown: "42", strict: "work_mem",
	},
	{
		name: "mariadb", title: "MariaDB", version: "10.11", minor: "10.11.1", other: "11.4", image: acctest.MariaDBImage, server: acctest.MariaDB,
		client:  `MYSQL_PWD=$password mariadb --no-defaults --host="$host" --protocol=tcp --user="$user" --database="$database" --default-character-set=utf8mb4 --skip-column-names --batch`,
		insert:  "CREATE TABLE IF NOT EXISTS `rows` (n int auto_increment primary key); INSERT INTO `rows` VALUES ();",
		count:   "SELECT count(*) FROM `rows`;",
		setting: "max_connections", value: "42", show: "SELECT @@max_connections;", shown: "42", strict: "character-set-server",
	},
	{
		name: "redis", title: "Redis", version: "7", minor: "7.1", other: "8", image: acctest.RedisImage, server: acctest.Redis,
		client:  `REDISCLI_AUTH=$password redis-cli -h "$host"`,
		insert:  "RPUSH rows x",
		count:   "LLEN rows",
		setting: "save", value: "3600 7 60 42", show: "CONFIG GET save", shown: "save\n3600 7 60 42", strict: "maxmemory-policy",
	},
}

// eachEngine runs a test for every engine.
func eachEngine(t *testing.T, test func(t *testing.T, s *acctest.Swarm, e engine)) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t)
			acctest.Load(t, s, e.server)
			test(t, s, e)
		})
	}
}

// database is one that a test has made.
type database struct {
	*acctest.Swarm
	engine
	name string
	// host, user and database are what clients use; the latter two are name by default.
	user, database string
}

func newDatabase(t testing.TB, s *acctest.Swarm, e engine) *database {
	name := s.RandomName(t)
	return &database{Swarm: s, engine: e, name: name, user: name, database: name}
}

// config is the configuration of the database. Settings are further attributes, one a line, and replace those of the
// same name.
func (d *database) config(settings ...string) string {
	attributes := []string{
		fmt.Sprintf("name = %q", d.name),
		fmt.Sprintf("engine = %q", d.engine.name),
		fmt.Sprintf("version = %q", d.version),
		fmt.Sprintf("image = %q", d.image(d.version)),
		"deletion_protection = false",
	}
	for _, setting := range settings {
		name, _, _ := strings.Cut(setting, " ")
		replaced := false
		for i, attribute := range attributes {
			if strings.HasPrefix(attribute, name+" ") {
				attributes[i], replaced = setting, true
			}
		}
		if !replaced {
			attributes = append(attributes, setting)
		}
	}
	return fmt.Sprintf(`
variable "password" {
  type      = string
  default   = null
  ephemeral = true
}

provider "swarm" {
  host = %q
}

resource "swarm_database" "db" {
  %s
}
`, d.Host(), strings.Join(attributes, "\n  "))
}

// containers are the ids of the containers of the server on the node, by the state of their health.
func (d *database) containers(t testing.TB, health string) []string {
	t.Helper()
	list, err := d.Client().ContainerList(context.Background(), container.ListOptions{Filters: filters.NewArgs(
		filters.Arg("label", "com.docker.swarm.service.name="+d.name+"_db"), filters.Arg("health", health))})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// container is the one that the server runs in.
func (d *database) container(t testing.TB) string {
	t.Helper()
	healthy := d.containers(t, "healthy")
	if len(healthy) != 1 {
		t.Fatalf("database %s has %d healthy containers, want one", d.name, len(healthy))
	}
	return healthy[0]
}

// ask sends a statement over the database's network, with the password of its secret, and returns the answer.
func (d *database) ask(t testing.TB, statement string) string {
	t.Helper()
	return d.DockerInput(t, statement, "exec", "-i", d.container(t), "sh", "-c",
		"host=$1 user=$2 database=$3 password=$(cat /run/secrets/password); "+d.client, "sh", d.name, d.user, d.database)
}

// accepts tells whether a client with a password gets an answer.
func (d *database) accepts(t testing.TB, password string) bool {
	t.Helper()
	got := d.DockerInput(t, d.count, "exec", "-i", d.container(t), "sh", "-c",
		"host=$1 user=$2 database=$3 password=$4; "+d.client+" 2>&1 || true", "sh", d.name, d.user, d.database, password)
	return got != "" && strings.Trim(got, "0123456789") == ""
}

// keeps requires that there is one row, which every test writes in the beginning.
func (d *database) keeps(t testing.TB, after string) {
	t.Helper()
	if got := d.ask(t, d.count); got != "1" {
		t.Fatalf("after %s there are %s rows, want 1", after, got)
	}
}
