package application_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

func TestMain(m *testing.M) { providertest.Main(m) }

// resource is the type of what these tests are about.
const resource = "swarm_application"

// application is the configuration of one swarm_application called "app" at an engine. Settings are further
// attributes, one a line.
func application(host, name, compose string, settings ...string) string {
	return fmt.Sprintf(`
provider "swarm" {
  host = %q
}

resource "swarm_application" "app" {
  name    = %q
  compose = [<<-EOT
%s
  EOT
  ]
  %s
}
`, host, name, strings.TrimRight(compose, "\n"), strings.Join(settings, "\n  "))
}
