#!/bin/sh
# Entrypoint of the PostgreSQL test image. The server is the real one; this does with arguments and environment what the
# entrypoint of the official image does (github.com/docker-library/postgres, docker-entrypoint.sh), as far as listed:
# POSTGRES_PASSWORD, _USER, _DB and _INITDB_ARGS, each also as _FILE, POSTGRES_HOST_AUTH_METHOD, PGDATA, and
# /docker-entrypoint-initdb.d with *.sh, *.sql and *.sql.gz.
set -eu

# from_file NAME DEFAULT sets a variable from itself, from the file that NAME_FILE names, or to the default.
from_file() {
  eval "value=\${$1:-} file=\${$1_FILE:-}"
  if [ -n "$value" ] && [ -n "$file" ]; then
    echo "error: both $1 and $1_FILE are set (but are exclusive)" >&2
    exit 1
  fi
  if [ -n "$file" ]; then value=$(cat "$file"); fi
  : "${value:=$2}"
  export "$1=$value"
  unset "$1_FILE" value file
}

# quoted prints its arguments as words for a shell, which is what `pg_ctl -o` hands them to.
quoted() {
  for word; do printf "'%s' " "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done
}

sql() { psql -v ON_ERROR_STOP=1 --no-password --no-psqlrc --username "$POSTGRES_USER" "$@"; }

initialise() {
  if [ -z "$POSTGRES_PASSWORD" ] && [ "${POSTGRES_HOST_AUTH_METHOD:-}" != trust ]; then
    echo 'Error: Database is uninitialized and superuser password is not specified.' >&2
    echo '       You must specify POSTGRES_PASSWORD to a non-empty value for the superuser.' >&2
    exit 1
  fi
  eval "set -- $POSTGRES_INITDB_ARGS"
  printf '%s\n' "$POSTGRES_PASSWORD" | initdb --username="$POSTGRES_USER" --pwfile=/dev/stdin "$@"
}

# setup makes database and content of a new server, which listens on its socket alone meanwhile.
setup() {
  shift # postgres
  printf '\nhost all all all %s\n' "${POSTGRES_HOST_AUTH_METHOD:-$(postgres -C password_encryption "$@")}" >>"$PGDATA/pg_hba.conf"
  export PGPASSWORD="${PGPASSWORD:-$POSTGRES_PASSWORD}"
  pg_ctl -D "$PGDATA" -o "$(quoted "$@" -c listen_addresses= -p "${PGPORT:-5432}")" -w start
  if [ "$POSTGRES_DB" != postgres ]; then
    echo 'CREATE DATABASE :"db"' | sql --dbname postgres --set db="$POSTGRES_DB"
  fi
  for script in /docker-entrypoint-initdb.d/*; do
    case $script in
      *.sh) if [ -x "$script" ]; then "$script"; else . "$script"; fi ;;
      *.sql) sql --dbname "$POSTGRES_DB" -f "$script" ;;
      *.sql.gz) gunzip -c "$script" | sql --dbname "$POSTGRES_DB" ;;
    esac
  done
  pg_ctl -D "$PGDATA" -m fast -w stop
  unset PGPASSWORD
  echo 'PostgreSQL init process complete; ready for start up.'
}

case ${1:-} in -*) set -- postgres "$@" ;; esac
case " $* " in *' --help '* | *' -? '* | *' --version '* | *' -V '* | *' --describe-config '*) exec "$@" ;; esac
if [ "${1:-}" = postgres ]; then
  # Before the change of user: a secret may be readable by root alone.
  from_file POSTGRES_PASSWORD ''
  from_file POSTGRES_USER postgres
  from_file POSTGRES_DB "$POSTGRES_USER"
  from_file POSTGRES_INITDB_ARGS ''
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  if [ "$(id -u)" = 0 ]; then
    find "$PGDATA" /var/run/postgresql ! -user postgres -exec chown postgres {} +
    exec gosu postgres "$0" "$@"
  fi
  if [ ! -s "$PGDATA/PG_VERSION" ]; then
    initialise
    setup "$@"
  fi
fi
exec "$@"
