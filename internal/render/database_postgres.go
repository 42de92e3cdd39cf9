package render

import (
	"slices"
	"strings"

	"github.com/docker/docker/api/types/swarm"
)

// postgresServe sets the password of the role to the one in the secret and then
// becomes the server, through the image's entrypoint, which makes the database if
// there is none. So whatever changed the secret, a rotation, a roll-back or a
// volume of an earlier life, a restart is all it takes. $1 is the role as an
// identifier, the rest are the server's arguments.
//
// Single-user mode runs a statement per line and needs no password. It takes the
// server's own settings, because recovery after a crash may depend on them, but for
// those that would write the statement into the log. With exit_on_error it fails on
// a missing role, and at once on a missing database or data of another version.
//
// Source: docker-entrypoint.sh of github.com/docker-library/postgres (PG_VERSION
// as the sign of a database, gosu or su-exec, modes and owners, the environment),
// and "Single-User Mode" in the reference page of postgres.
const postgresServe = `set -eu
role=$1
shift
if [ -s "$PGDATA/PG_VERSION" ]; then
  as=
  if [ "$(id -u)" = 0 ]; then
    as="$(command -v gosu || command -v su-exec) postgres"
    chmod 700 "$PGDATA"
    find "$PGDATA" ! -user postgres -exec chown postgres {} +
  fi
  password=$(sed -e 's/\\/\\\\/g' -e "s/'/''/g" ` + passwordFile + `)
  code=0
  printf "ALTER ROLE %s PASSWORD E'%s'\n" "$role" "$password" | $as postgres --single -D "$PGDATA" "$@" \
    -c exit_on_error=on -c log_statement=none -c log_min_error_statement=panic -c log_min_duration_statement=-1 \
    "$POSTGRES_DB" >/dev/null || code=$?
  if [ "$code" != 0 ]; then
    echo "The server could not set the password of user $role in database $POSTGRES_DB; the lines above say why. If one of the two does not exist, see existing_volume in the guide on databases." >&2
    exit "$code"
  fi
  unset password POSTGRES_PASSWORD_FILE
fi
exec docker-entrypoint.sh postgres "$@"
`

func postgresServer(r *databaseRenderer, container *swarm.ContainerSpec) {
	container.Args = []string{"sh", "-c", postgresServe, "sh", quoted(r.user, `"`)}
	for _, key := range sortedKeys(r.spec.Settings) {
		container.Args = append(container.Args, "-c", key+"="+r.spec.Settings[key])
	}
	container.Env = environment(map[string]string{
		"PGDATA":                 r.engine.data, // 18 moved it
		"POSTGRES_USER":          r.user,
		"POSTGRES_DB":            r.database,
		"POSTGRES_PASSWORD_FILE": passwordFile,
	})
}

// The names go through the environment: as arguments, psql would read some of
// them as connection strings.
const postgresAsk = `ask() {
  answer=$(PGHOST=$host PGPORT=5432 PGUSER=$user PGDATABASE=$database PGPASSWORD=$password PGCONNECT_TIMEOUT=3 psql -XAtc 'SELECT 1') || return 1
  [ "$answer" = 1 ]
}
`

const postgresHeld = `held() {
  if [ -s PG_VERSION ]; then cat PG_VERSION; fi
}
`

// isManagedPostgres takes - for _, as the server does in -c.
func isManagedPostgres(managed []string, setting string) bool {
	return slices.Contains(managed, strings.ReplaceAll(setting, "-", "_"))
}

// quoted puts a name into quotes, doubling those in it.
func quoted(name, quote string) string {
	return quote + strings.ReplaceAll(name, quote, quote+quote) + quote
}
