#!/bin/sh
# Entrypoint of the MariaDB test image. The server is the real one; this does with arguments and environment what the
# entrypoint of the official image does (github.com/MariaDB/mariadb-docker, docker-entrypoint.sh), as far as listed:
# MARIADB_ROOT_PASSWORD, _ROOT_HOST, _DATABASE, _USER and _PASSWORD, each also as _FILE, MARIADB_ALLOW_EMPTY_ROOT_PASSWORD, and
# /docker-entrypoint-initdb.d with *.sh, *.sql and *.sql.gz. Passwords are quoted and names are not, as there.
set -eu

fail() {
  printf '[ERROR] [Entrypoint]: %s\n' "$*" >&2
  exit 1
}

# from_file NAME DEFAULT sets a variable from itself, from the file that NAME_FILE names, or to the default.
from_file() {
  eval "value=\${$1:-} file=\${$1_FILE:-}"
  if [ -n "$value" ] && [ -n "$file" ]; then fail "Both $1 and $1_FILE are set (but are exclusive)"; fi
  if [ -n "$file" ]; then value=$(cat "$file"); fi
  : "${value:=$2}"
  export "$1=$value"
  unset "$1_FILE" value file
}

# option NAME COMMAND... prints what the server would use.
option() {
  name=$1
  shift
  "$@" --verbose --help 2>/dev/null | awk -v name="$name" '$1 == name && /^[^ \t]/ { sub(/^[^ \t]+[ \t]+/, ""); print; exit }'
}

# literal prints a text as a string in SQL.
literal() {
  printf "'%s'" "$(printf %s "$1" | sed -e ':a' -e '$!{N;ba' -e '}' -e 's/\\/\\\\/g' -e "s/'/\\\\'/g" -e 's/\n/\\n/g')"
}

# sql PASSWORD [OPTION...] runs what is on stdin.
sql() {
  password=$1
  shift
  MYSQL_PWD=$password mariadb --no-defaults --protocol=socket -uroot -hlocalhost --socket="$socket" "$@"
}

# initialise makes database and content of a new server, which listens on its socket alone meanwhile. All arguments are
# the server's, and the temporary one gets them too.
initialise() {
  if [ -z "$MARIADB_ROOT_PASSWORD" ] && [ -z "${MARIADB_ALLOW_EMPTY_ROOT_PASSWORD:-}" ]; then
    fail 'Database is uninitialized and password option is not specified: MARIADB_ROOT_PASSWORD or MARIADB_ALLOW_EMPTY_ROOT_PASSWORD'
  fi
  (
    shift # mariadbd
    mariadb-install-db --datadir="$datadir" --rpm --auth-root-authentication-method=normal "$@" --skip-test-db \
      --default-time-zone=SYSTEM --enforce-storage-engine= --skip-log-bin --expire-logs-days=0
  )
  "$@" --skip-networking --default-time-zone=SYSTEM --socket="$socket" --expire-logs-days=0 &
  server=$!
  tries=0
  until echo 'SELECT 1' | sql '' --database=mysql >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" = 30 ]; then fail 'Unable to start server.'; fi
    sleep 1
  done
  accounts | sql '' --database=mysql --binary-mode
  for script in /docker-entrypoint-initdb.d/*; do
    case $script in
      *.sh) if [ -x "$script" ]; then "$script"; else . "$script"; fi ;;
      *.sql) sql "$MARIADB_ROOT_PASSWORD" ${MARIADB_DATABASE:+"--database=$MARIADB_DATABASE"} <"$script" ;;
      *.sql.gz) gunzip -c "$script" | sql "$MARIADB_ROOT_PASSWORD" ${MARIADB_DATABASE:+"--database=$MARIADB_DATABASE"} ;;
    esac
  done
  kill "$server"
  wait "$server"
  echo 'MariaDB init process done. Ready for start up.'
}

accounts() {
  echo "SET @@SESSION.SQL_LOG_BIN=0;"
  echo "SET @@SESSION.SQL_MODE=REPLACE(@@SESSION.SQL_MODE, 'NO_BACKSLASH_ESCAPES', '');"
  echo "DROP USER IF EXISTS root@'127.0.0.1', root@'::1';"
  echo "EXECUTE IMMEDIATE CONCAT('DROP USER IF EXISTS root@\'', @@hostname,'\'');"
  echo "SET PASSWORD FOR 'root'@'localhost' = PASSWORD($(literal "$MARIADB_ROOT_PASSWORD"));"
  if [ "$MARIADB_ROOT_HOST" != localhost ]; then
    echo "CREATE USER 'root'@'$MARIADB_ROOT_HOST' IDENTIFIED BY $(literal "$MARIADB_ROOT_PASSWORD");"
    echo "GRANT ALL ON *.* TO 'root'@'$MARIADB_ROOT_HOST' WITH GRANT OPTION;"
  fi
  if [ -n "$MARIADB_DATABASE" ]; then
    printf 'CREATE DATABASE IF NOT EXISTS `%s`;\n' "$MARIADB_DATABASE"
  fi
  if [ -n "$MARIADB_USER" ] && [ -n "$MARIADB_PASSWORD" ]; then
    echo "CREATE USER '$MARIADB_USER'@'%' IDENTIFIED BY $(literal "$MARIADB_PASSWORD");"
    if [ -n "$MARIADB_DATABASE" ]; then
      printf "GRANT ALL ON \`%s\`.* TO '%s'@'%%';\n" "$(printf %s "$MARIADB_DATABASE" | sed 's/_/\\_/g')" "$MARIADB_USER"
    fi
  fi
}

case ${1:-} in -*) set -- mariadbd "$@" ;; esac
case " $* " in *' --help '* | *' -? '* | *' --print-defaults '* | *' --version '* | *' -V '*) exec "$@" ;; esac
if [ "${1:-}" = mariadbd ] || [ "${1:-}" = mysqld ]; then
  if ! said=$("$@" --verbose --help 2>&1 >/dev/null); then
    fail "mariadbd failed while attempting to check config, command was: $* --verbose --help: $said"
  fi
  datadir=$(option datadir "$@")
  socket=$(option socket "$@")
  # Before the change of user: a secret may be readable by root alone.
  from_file MARIADB_ROOT_HOST %
  from_file MARIADB_DATABASE ''
  from_file MARIADB_USER ''
  from_file MARIADB_PASSWORD ''
  from_file MARIADB_ROOT_PASSWORD ''
  mkdir -p "$datadir"
  if [ "$(id -u)" = 0 ]; then
    find "$datadir" "${socket%/*}" ! -user mysql -exec chown mysql: {} +
    exec gosu mysql "$0" "$@"
  fi
  if [ ! -d "$datadir/mysql" ]; then initialise "$@"; fi
fi
exec "$@"
