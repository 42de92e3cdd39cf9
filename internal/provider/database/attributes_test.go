package database_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

const address = "swarm_database.db"

// shelf is the configuration of a PostgreSQL database. Settings are further attributes, one a line, and replace those
// of the same name.
func shelf(settings ...string) string {
	attributes := []string{`name = "shelf"`, `engine = "postgres"`, `version = "17.2"`, "deletion_protection = false"}
	for _, setting := range settings {
		name, _, _ := strings.Cut(setting, " ")
		for i, attribute := range attributes {
			if strings.HasPrefix(attribute, name+" ") {
				attributes[i] = ""
			}
		}
		attributes = append(attributes, setting)
	}
	return "resource \"swarm_database\" \"db\" {\n  " + strings.Join(attributes, "\n  ") + "\n}\n"
}

// steps runs them through Terraform on a backend in memory.
func steps(t *testing.T, list ...resource.TestStep) {
	t.Helper()
	t.Parallel()
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: providertest.Factories(providertest.On(memory.New())), Steps: list})
}

func is(attribute, value string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), knownvalue.StringExact(value))
}

func plans(attribute, value string) plancheck.PlanCheck {
	return plancheck.ExpectKnownValue(address, tfjsonpath.New(attribute), knownvalue.StringExact(value))
}

func TestPlanKnowsWhatFollowsFromTheConfiguration(t *testing.T) {
	unknown := func(attribute string) plancheck.PlanCheck {
		return plancheck.ExpectUnknownValue(address, tfjsonpath.New(attribute))
	}
	kept := func(attribute string) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(address, tfjsonpath.New(attribute), knownvalue.NotNull())
	}
	var password, url string
	another := func(than *string, attribute string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), knownvalue.StringFunc(func(v string) error {
			if *than == v {
				return fmt.Errorf("it is %s as before", v)
			}
			*than = v
			return nil
		}))
	}
	steps(t,
		resource.TestStep{
			Config: shelf(),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plans("host", "shelf"), plans("port", "5432"), plans("network", "shelf_default"), plans("volume", "shelf_data"),
				plans("image", "postgres:17.2"), plans("username", "shelf"), plans("database", "shelf"),
				unknown("password_secret"), unknown("url_secret"),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				is("host", "shelf"), is("port", "5432"), is("network", "shelf_default"), is("volume", "shelf_data"), is("image", "postgres:17.2"),
				another(&password, "password_secret"), another(&url, "url_secret"),
			},
		},
		resource.TestStep{ // a change of something else keeps the secrets
			Config: shelf(`version = "17.3"`, `settings = { work_mem = "5MB" }`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plans("image", "postgres:17.3"), kept("password_secret"), kept("url_secret"),
			}},
		},
		resource.TestStep{
			Config:            shelf(`version = "17.3"`, `password_wo = "given"`),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{unknown("password_secret"), unknown("url_secret")}},
			ConfigStateChecks: []statecheck.StateCheck{another(&password, "password_secret"), another(&url, "url_secret")},
		},
	)
}

func TestRedisHasNeitherUserNorDatabase(t *testing.T) {
	null := func(attribute string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), knownvalue.Null())
	}
	steps(t, resource.TestStep{
		Config:            shelf(`engine = "redis"`, `version = "7.4"`),
		ConfigStateChecks: []statecheck.StateCheck{null("username"), null("database"), is("port", "6379"), is("image", "redis:7.4")},
	})
}

func TestImageOfOnesOwnIsKeptAsItIsWritten(t *testing.T) {
	const written = "docker.io/library/postgres:17"
	steps(t,
		resource.TestStep{Config: shelf(`image = "` + written + `"`), ConfigStateChecks: []statecheck.StateCheck{is("image", written)}},
		resource.TestStep{RefreshState: true},
		resource.TestStep{Config: shelf(), ConfigStateChecks: []statecheck.StateCheck{is("image", "postgres:17.2")}},
	)
}

func TestPlanRefusesWhatADatabaseCannotBecome(t *testing.T) {
	refused := func(words string, settings ...string) resource.TestStep {
		return resource.TestStep{Config: shelf(settings...), PlanOnly: true, ExpectError: regexp.MustCompile(strings.ReplaceAll(words, " ", `\s+`))}
	}
	steps(t,
		resource.TestStep{Config: shelf()},
		refused("cannot become another engine", `engine = "redis"`, `version = "7"`),
		refused("cannot be upgraded from PostgreSQL 17 to 18", `version = "18.1"`),
		refused("cannot be taken back from PostgreSQL 17.2 to 16", `version = "16"`),
		refused("cannot be taken back from PostgreSQL 17.2 to 17.1", `version = "17.1"`),
		refused("The username of database shelf cannot change", `username = "other"`),
		refused("The database of database shelf cannot change", `database = "other"`),
		resource.TestStep{Config: shelf(`version = "17"`)}, // a tag that moves on from there
	)
}

func TestPlanRefusesToDestroyWhatIsProtected(t *testing.T) {
	protected := shelf("deletion_protection = true")
	steps(t,
		resource.TestStep{Config: protected},
		resource.TestStep{Config: protected, Destroy: true, ExpectError: regexp.MustCompile(`deletion_protection\s+=\s+false`)},
		resource.TestStep{Config: shelf()},
	)
}

func TestImportFindsTheConfigurationInWhatRuns(t *testing.T) {
	config := shelf(`username = "u"`, `database = "d"`, `password_wo = "p"`)
	steps(t,
		resource.TestStep{Config: config},
		resource.TestStep{
			Config: config, ResourceName: address, ImportState: true, ImportStateId: "shelf", ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"deletion_protection"}, // which is on, as nobody has said otherwise
		},
	)
}
