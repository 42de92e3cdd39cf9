package render

import (
	"slices"

	"github.com/docker/docker/api/types/swarm"
)

// redisServe becomes the server, through the image's entrypoint, with its
// configuration on standard input: so the password is neither an argument nor a
// file of the container. The arguments are lines of the configuration.
//
// Source: docker-entrypoint.sh of github.com/redis/docker-library-redis;
// loadServerConfig (`-`) and sdssplitargs (the quotes) of Redis.
const redisServe = `set -eu
password=$(sed 's/[\\"]/\\&/g' ` + passwordFile + `)
settings=$(printf '%s\n' "$@")
exec docker-entrypoint.sh redis-server - <<EOF
$settings
dir /data
port 6379
appendonly yes
requirepass "$password"
EOF
`

func redisServer(r *databaseRenderer, container *swarm.ContainerSpec) {
	container.Args = []string{"sh", "-c", redisServe, "sh"}
	for _, key := range sortedKeys(r.spec.Settings) {
		value := r.spec.Settings[key]
		if value == "" {
			value = `""`
		}
		container.Args = append(container.Args, key+" "+value)
	}
}

// redis-cli exits with 0 when the answer is an error, such as that it is loading.
const redisAsk = `ask() {
  answer=$(REDISCLI_AUTH=$password redis-cli -h "$host" -p 6379 DBSIZE 2>&1) || true
  case $answer in
    '' | *[!0-9]*)
      printf '%s\n' "$answer" >&2
      return 1
      ;;
  esac
}
`

// The snapshot that a file of appended commands begins with names the version that
// wrote it. Without such a file the server would start empty beside a snapshot that
// another configuration has left.
const redisHeld = `held() {
  version=
  for file in appendonlydir/*.base.rdb appendonly.aof; do
    if [ -e "$file" ]; then
      version=$(head -c 256 "$file" | tr -c '0-9A-Za-z.-' '\n' | sed -n '/^redis-ver$/{n;s/^\([0-9]*\).*/\1/p;}')
      : "${version:=?}"
    fi
  done
  if [ -z "$version" ] && [ -e dump.rdb ]; then
    echo 'There is dump.rdb and no append-only file.' >&2
    exit 12
  fi
  echo "$version"
}
`

func isManagedRedis(managed []string, setting string) bool { return slices.Contains(managed, setting) }
