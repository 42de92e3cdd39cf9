package database_test

import (
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// orders is a database "orders" with attributes, one a line.
func orders(name string, attributes ...string) string {
	return "resource \"swarm_database\" \"orders\" {\n  name = \"" + name + "\"\n  " + strings.Join(attributes, "\n  ") + "\n}\n"
}

func TestDatabaseIsCheckedWhenPlanning(t *testing.T) {
	for rule, c := range map[string]struct {
		config string
		want   []string
	}{
		"every fault is reported at its attribute": {
			orders("orders", `engine = "postgres"`, `version = "latest"`, `username = "pg_me"`, `password_wo = "two\nlines"`,
				`settings = { port = "5433" }`, `resources = { memory = "lots" }`, `placement = { constraints = ["node.hostname=n1"] }`),
			[]string{
				`Wrong version "latest"`, `: version = "latest"`, `The username "pg_me" belongs to PostgreSQL itself`, "Wrong password", `: password_wo = "two\nlines"`,
				`Setting "port" is not open`, `: settings = {`, `Wrong size of memory "lots"`, `: resources = {`, `Wrong constraint "node.hostname=n1"`, `: placement = {`,
			},
		},
		"an engine is one that there is": {orders("orders", `engine = "oracle"`, `version = "23"`), []string{`There is no engine "oracle"`, "postgres, mariadb, redis"}},
		"a name is one that Swarm takes": {orders("Orders", `engine = "redis"`, `version = "7"`), []string{`Invalid name "Orders"`}},
		"an engine that there is not is found while something is unknown": {
			"resource \"terraform_data\" \"version\" {\n  input = \"17\"\n}\n" + orders("orders", `engine = "oracle"`, `version = terraform_data.version.output`),
			[]string{`There is no engine "oracle"`},
		},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			said := providertest.Refused(t, c.config, c.want...)
			for _, problem := range []string{"There is no engine", "Invalid name"} {
				if n := strings.Count(said, problem); n > 1 {
					t.Errorf("%q is said %d times:\n%s", problem, n, said)
				}
			}
		})
	}
}
