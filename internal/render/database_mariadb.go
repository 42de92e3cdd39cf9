package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/swarm"
)

// MariaDB reads a file of SQL at every start, with all rights and before anybody
// can connect: there the user gets the password of the secret. It is run at the
// temporary starts of the image's entrypoint as well: at the first of them the
// user is not there yet, and under --skip-grant-tables, during an upgrade, the
// statement is refused and the server goes on.
//
// The user and the database come from a script of the first start, and not from the
// image's MARIADB_USER and MARIADB_DATABASE, which the entrypoint puts into SQL as
// they are. The script gives the user a password hash that nothing hashes to. root
// has a password on the way to it, and is then reached by root of the container
// alone, through the socket: so it is the last of the scripts, which an image may
// have more of.
//
// Source: docker-entrypoint.sh of github.com/MariaDB/mariadb-docker
// (docker_setup_db, docker_process_init_files, docker_mariadb_upgrade), and
// init_file in the documentation of MariaDB's system variables: a statement a line.
const (
	mariadbInitKey    = "init"
	mariadbInitFile   = "/run/secrets/init.sql"
	mariadbCreateKey  = "create"
	mariadbCreateFile = "/docker-entrypoint-initdb.d/zz-create.sql"
	noPasswordHash    = "*0000000000000000000000000000000000000000"
)

func mariadbServer(r *databaseRenderer, container *swarm.ContainerSpec) {
	container.Args = []string{"mariadbd", "--init-file=" + mariadbInitFile}
	for _, key := range sortedKeys(r.spec.Settings) {
		container.Args = append(container.Args, "--"+key+"="+r.spec.Settings[key])
	}
	container.Env = environment(map[string]string{
		"MARIADB_AUTO_UPGRADE":       "1",
		"MARIADB_ROOT_HOST":          "localhost",
		"MARIADB_ROOT_PASSWORD_FILE": passwordFile,
	})
	container.Secrets = append(container.Secrets, mountSecret(r.secrets[mariadbInitKey], "init.sql"))
	container.Configs = append(container.Configs, mountConfig(r.config(mariadbCreateKey, []byte(mariadbCreate(r.user, r.database))), mariadbCreateFile))
}

// mariadbCreate is the script of the first start.
func mariadbCreate(user, database string) string {
	schema := quoted(database, "`")
	// In a GRANT the name of a database is a pattern.
	pattern := quoted(strings.NewReplacer(`\`, `\\`, `_`, `\_`, `%`, `\%`).Replace(database), "`")
	return fmt.Sprintf("SET NAMES utf8mb4;\nSET SESSION sql_mode='';\n"+
		"CREATE DATABASE IF NOT EXISTS %[1]s;\n"+
		"CREATE USER IF NOT EXISTS %[2]s@'%%' IDENTIFIED BY PASSWORD '%[3]s';\n"+
		"GRANT ALL ON %[4]s.* TO %[2]s@'%%';\n"+
		"ALTER USER 'root'@'localhost' IDENTIFIED VIA unix_socket;\n",
		schema, mariadbText(user), noPasswordHash, pattern)
}

// mariadbInit is the file of every start. An empty password makes the text that
// tells whether it has to be made anew.
func mariadbInit(user, password string) string {
	return fmt.Sprintf("SET NAMES utf8mb4;\nSET SESSION sql_mode='', sql_log_bin=0;\nALTER USER IF EXISTS %s@'%%' IDENTIFIED BY %s;\n",
		mariadbText(user), mariadbText(password))
}

// mariadbText is a text as a literal under an empty sql_mode.
func mariadbText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}

// Clients from 11.4 on insist on a certificate that they can verify, unless they
// are told not to.
const mariadbAsk = `ask() {
  answer=$(MYSQL_PWD=$password mariadb --no-defaults --host="$host" --port=3306 --protocol=tcp --user="$user" --database="$database" \
    --default-character-set=utf8mb4 --skip-ssl-verify-server-cert --connect-timeout=3 --skip-column-names --batch --execute='SELECT 1') || return 1
  [ "$answer" = 1 ]
}
`

// The name of the file is mysql_upgrade_info before 11.
const mariadbHeld = `held() {
  for info in mariadb_upgrade_info mysql_upgrade_info; do
    if [ -s "$info" ]; then
      sed -n '1s/^\([0-9]*\.[0-9]*\).*/\1/p' "$info"
      return
    fi
  done
  if [ -d mysql ]; then echo '?'; fi
}
`

// mariadbModifiers may precede an option's name.
//
// Source: my_getopt.c of MariaDB.
var mariadbModifiers = []string{"loose-", "skip-", "disable-", "enable-", "maximum-", "autoset-"}

// isManagedMariaDB takes _ for - and the beginning of a name for the name, as the
// server does.
func isManagedMariaDB(managed []string, setting string) bool {
	name := strings.ReplaceAll(setting, "_", "-")
	for again := true; again; {
		again = false
		for _, modifier := range mariadbModifiers {
			if rest, ok := strings.CutPrefix(name, modifier); ok {
				name, again = rest, true
			}
		}
	}
	return slices.ContainsFunc(managed, func(m string) bool { return strings.HasPrefix(m, name) })
}
