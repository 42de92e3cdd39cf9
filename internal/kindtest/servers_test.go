package kindtest

import (
	"fmt"
	"regexp"
	"slices"
	"sync/atomic"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// ports counts the ports that releases publish on the node.
var ports atomic.Int32

func nextPort() int { return 26000 + int(ports.Add(1)) }

// merged is the union of two lists of patterns, sorted as the swarm's objects are.
func merged(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// awkward is a secret with what shells, URLs, SQL, JSON and HCL each have to quote.
func awkward(text string) string { return `a'b"c\d$e%f&g/h@i:j k` + text }

// served gives a kind the client of its server. Users are called after the release, as a database calls its own.
func (k kind) served() kind {
	client := k.servers[0].Client()
	environment := func(r *release, secret string) []string {
		return []string{"SECRET=" + secret, "NAME=" + r.name}
	}
	k.use = func(r *release, secret string) error {
		_, err := r.inside(client.Use, environment(r, secret)...)
		return err
	}
	k.rows = func(r *release) (string, error) { return r.inside(client.Rows, environment(r, r.secret)...) }
	if client.Put != "" {
		k.put = func(r *release, row string) error {
			_, err := r.inside(client.Put, append(environment(r, r.secret), "ROW="+row)...)
			return err
		}
	}
	return k
}

// application is a stack as users write them: a server with a volume, a config and a secret.
func application() kind {
	return kind{
		name: "application", resource: "swarm_application", service: "web",
		servers: []acctest.Server{acctest.Redis}, image: acctest.RedisImage("7"),
		attributes: func(_ *release, v version) string {
			text := fmt.Sprintf(`compose = [<<-EOT
    services:
      web:
        image: %s
        command: [sh, -c, 'exec docker-entrypoint.sh redis-server --appendonly yes --requirepass "$$(cat /run/secrets/key)"']
        environment: {VERSION: "%d"}
        configs: [greeting]
        secrets: [key]
        volumes: ["data:/data"]
        healthcheck: {test: [CMD-SHELL, 'redis-cli PING'], interval: 500ms, timeout: 5s}
        stop_grace_period: 5s
        deploy:
          restart_policy: {delay: 100ms}
          update_config: {monitor: 500ms, delay: 0s}
          resources: {limits: {memory: 256M}}
`, acctest.RedisImage("7"), v.change)
			if v.extra {
				text += fmt.Sprintf("      extra: {image: %q, deploy: {replicas: 0}, configs: [more]}\n", acctest.Image("1.0"))
			}
			text += "    configs:\n      greeting: {content: hello}\n"
			if v.extra {
				text += "      more: {content: more}\n"
			}
			return text + "    secrets:\n      key: {}\n    volumes:\n      data: {}\n  EOT\n  ]\n  secrets_wo = { key = var.secret }"
		},
		secret:  awkward,
		sparse:  true,
		objects: []string{"config/NAME_greeting-HASH", "network/NAME_default", "secret/NAME_key-HASH", "service/NAME_web"},
		extra:   []string{"config/NAME_more-HASH", "service/NAME_extra"},
		volumes: []string{"NAME_data"},
		made:    []made{{"/run/secrets/key", regexp.MustCompile(`(.+)`)}},
	}.served()
}

// database is what the rows of databases have in common. A version has another value of one setting.
func database(server acctest.Server, engine, image, major, setting string, values []string) kind {
	return kind{
		name: engine, resource: "swarm_database", service: "db",
		servers: []acctest.Server{server}, image: image,
		attributes: func(_ *release, v version) string {
			text := fmt.Sprintf("engine = %q\n  version = %q\n  image = %q\n  deletion_protection = false\n  settings = { %q = %q }\n",
				engine, major, image, setting, values[v.change%len(values)])
			if v.extra {
				text += "  resources = { memory = \"1g\" }\n"
			}
			if !v.generated {
				text += "  password_wo = var.secret\n"
			}
			return text
		},
		secret:    awkward,
		objects:   []string{"network/NAME_default", "secret/NAME_password-HASH", "secret/NAME_url-HASH", "service/NAME_db"},
		volumes:   []string{"NAME_data"},
		jobs:      []string{"look", "ready"},
		generates: true, protected: true,
		made: []made{{"/run/secrets/password", regexp.MustCompile(`(.+)`)}},
	}.served()
}

func redis() kind {
	return database(acctest.Redis, "redis", acctest.RedisImage("7"), "7", "maxclients", []string{"100", "101", "102"})
}

func postgres() kind {
	k := database(acctest.Postgres, "postgres", acctest.PostgresImage("15"), "15", "work_mem", []string{"5MB", "6MB", "7MB"})
	k.sparse = true
	return k
}

func mariadb() kind {
	k := database(acctest.MariaDB, "mariadb", acctest.MariaDBImage("10.11"), "10.11", "max_connections", []string{"50", "51", "52"})
	k.sparse, k.objects = true, merged(k.objects, []string{"config/NAME_create-HASH", "secret/NAME_init-HASH"})
	return k
}
