#!/bin/sh
# Entrypoint of the Redis test image. The server is the real one; this does with arguments what the entrypoint of the official
# image does (github.com/redis/docker-library-redis, docker-entrypoint.sh). That one's server is also built without
# protected mode, which would refuse other hosts while there is no password; Debian's is told so.
set -eu

case ${1:-} in -* | *.conf) set -- redis-server "$@" ;; esac
if [ "${1:-}" = redis-server ]; then
  if [ "$(id -u)" = 0 ]; then
    find . ! -user redis -exec chown redis {} +
    exec gosu redis "$0" "$@"
  fi
  case " $* " in *' --protected-mode '*) ;; *) set -- "$@" --protected-mode no ;; esac
fi
if [ "$(umask)" = 0022 ]; then umask 0077; fi
exec "$@"
