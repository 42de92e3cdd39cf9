package database

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// Applications mount what the plan names: a name that an apply replaces must not be
// in it.
func TestSecretsAreNamedInThePlanOnlyIfAllOfThemStay(t *testing.T) {
	for rule, c := range map[string]struct {
		engine string
		gone   string
		known  bool
	}{
		"all stay":                  {engine: spec.MariaDB, known: true},
		"the password's is gone":    {engine: spec.MariaDB, gone: "secret/password"},
		"the URL's is gone":         {engine: spec.MariaDB, gone: "secret/url"},
		"the server's own is gone":  {engine: spec.MariaDB, gone: "secret/init"},
		"an engine has none of its": {engine: spec.Postgres, gone: "secret/init", known: true},
	} {
		t.Run(rule, func(t *testing.T) {
			prior := &model{PasswordSecret: types.StringValue("orders_password-1"), URLSecret: types.StringValue("orders_url-1")}
			planned := &model{Engine: types.StringValue(c.engine)}
			planned.PlanComputed(prior, func(ref string) bool { return ref != c.gone })
			if known := planned.PasswordSecret.Equal(prior.PasswordSecret) && planned.URLSecret.Equal(prior.URLSecret); known != c.known {
				t.Errorf("password_secret %s and url_secret %s, want them known: %v", planned.PasswordSecret, planned.URLSecret, c.known)
			}
		})
	}
}
