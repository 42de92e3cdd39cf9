package render

import (
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// databaseEngine is all that the provider knows of one database engine. The
// contract that its texts rely on is that of the engine's official image.
type databaseEngine struct {
	// title is how the engine is called in sentences.
	title string
	// repository is that of the official image.
	repository string
	// oldest is the first version whose image does all that is relied on, example
	// is one to show.
	oldest  engineVersion
	example string
	// line is how many numbers of a version make a major one, within which the
	// data stays as it is.
	line int
	port string
	// data is where the server keeps its data: a volume is mounted there.
	data string
	// scheme of URLs, and what follows the database in them.
	scheme, query string
	// names tells whether the engine has users and databases.
	names bool
	// reserved are the user names and databases that belong to the engine, in
	// small letters.
	reservedUsers, reservedDatabases []string
	// reservedPrefix begins further user names of that kind.
	reservedPrefix string
	// unusable are characters that the engine's own tools cannot have in a user name.
	unusable string
	// managed are the settings that are the provider's business, see isManaged.
	managed []string
	// isManaged reports whether a setting by its user's name is one of them.
	isManaged func(managed []string, setting string) bool
	// stopSignal asks the server to end at once and in order; "" is what the image
	// says.
	stopSignal string
	// server completes the container of the server.
	server func(r *databaseRenderer, container *swarm.ContainerSpec)
	// ask is the shell function `ask`, one real query to the host $host as user
	// $user in database $database with the password in $password. It prints what is
	// wrong and returns 0 only for the right answer.
	ask string
	// held is the shell function `held`, which prints the version that the data in
	// the current folder is of, `?` if that does not show, and nothing when it is
	// not the engine's.
	held string
}

var databaseEngines = map[string]*databaseEngine{
	spec.Postgres: {
		title: "PostgreSQL", repository: "postgres", oldest: engineVersion{12}, example: "17", line: 1,
		port: "5432", data: "/var/lib/postgresql/data", scheme: "postgres", query: "?sslmode=disable", names: true,
		// initdb refuses these.
		reservedUsers:     []string{"public", "none", "current_role", "current_user", "session_user"},
		reservedPrefix:    "pg_",
		unusable:          `"$'\`, // the owner of an extension, plpgsql to begin with, has none of these
		reservedDatabases: []string{"template0", "template1"},
		managed: []string{"port", "listen_addresses", "data_directory", "config_file", "hba_file", "ident_file",
			"external_pid_file", "unix_socket_directories", "exit_on_error"},
		isManaged:  isManagedPostgres,
		stopSignal: "SIGINT", // "fast": it does not wait for clients to go
		server:     postgresServer, ask: postgresAsk, held: postgresHeld,
	},
	spec.MariaDB: {
		title: "MariaDB", repository: "mariadb", oldest: engineVersion{10, 5}, example: "11.4", line: 2,
		port: "3306", data: "/var/lib/mysql", scheme: "mysql", names: true,
		reservedUsers:     []string{"root", "mysql", "mariadb.sys", "healthcheck", "public"},
		reservedDatabases: []string{"mysql", "sys", "information_schema", "performance_schema"},
		managed: []string{"port", "bind-address", "networking", "datadir", "socket", "pid-file", "init-file", "user", "bootstrap",
			"grant-tables", "defaults-file", "defaults-extra-file", "defaults-group-suffix", "no-defaults", "print-defaults", "help", "verbose", "version", "daemonize"},
		isManaged: isManagedMariaDB,
		server:    mariadbServer, ask: mariadbAsk, held: mariadbHeld,
	},
	spec.Redis: {
		title: "Redis", repository: "redis", oldest: engineVersion{6}, example: "7", line: 1,
		port: "6379", data: "/data", scheme: "redis",
		managed: []string{"port", "bind", "bind-source-addr", "tls-port", "unixsocket", "protected-mode", "dir", "appendonly", "requirepass",
			"user", "aclfile", "include", "rename-command", "daemonize", "supervised", "pidfile", "cluster-enabled", "replicaof", "slaveof"},
		isManaged: isManagedRedis,
		server:    redisServer, ask: redisAsk, held: redisHeld,
	},
}

// DatabasePort is the port that an engine listens on; "" for no engine.
func DatabasePort(engine string) string {
	if e := databaseEngines[engine]; e != nil {
		return e.port
	}
	return ""
}

// DatabaseImage is the official image of an engine's version; "" for no engine.
func DatabaseImage(engine, version string) string {
	if e := databaseEngines[engine]; e != nil {
		return e.repository + ":" + version
	}
	return ""
}

// DatabaseSecrets are the keys of the secrets of an engine's database: those that
// clients mount, and what the server has besides. The password is in each of them.
func DatabaseSecrets(engine string) []string {
	if engine == spec.MariaDB {
		return []string{mariadbInitKey, passwordKey, urlKey}
	}
	return []string{passwordKey, urlKey}
}

// DatabaseTakesNames reports whether an engine has users and databases.
func DatabaseTakesNames(engine string) bool {
	e := databaseEngines[engine]
	return e != nil && e.names
}
