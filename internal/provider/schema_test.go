package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider"
)

func schemas(t *testing.T) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()
	server, err := providerserver.NewProtocol6WithError(provider.New("test"))()
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range resp.Diagnostics {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	return resp
}

// attributes calls visit for every attribute of a schema, at every depth.
func attributes(prefix string, list []*tfprotov6.SchemaAttribute, visit func(path string, a *tfprotov6.SchemaAttribute)) {
	for _, a := range list {
		path := prefix + "." + a.Name
		visit(path, a)
		if a.NestedType != nil {
			attributes(path, a.NestedType.Attributes, visit)
		}
	}
}

func everySchema(t *testing.T) map[string]*tfprotov6.Schema {
	resp := schemas(t)
	all := map[string]*tfprotov6.Schema{"provider": resp.Provider}
	for name, s := range resp.ResourceSchemas {
		all["resource "+name] = s
	}
	for name, s := range resp.DataSourceSchemas {
		all["data source "+name] = s
	}
	return all
}

func TestSchemaOffersWhatTheDesignNames(t *testing.T) {
	resp := schemas(t)
	for _, name := range []string{"swarm_application"} {
		if resp.ResourceSchemas[name] == nil {
			t.Errorf("resource %s is missing", name)
		}
		if resp.DataSourceSchemas[name] == nil {
			t.Errorf("data source %s is missing", name)
		}
	}
	for _, name := range []string{"swarm_git_commit"} {
		if resp.DataSourceSchemas[name] == nil {
			t.Errorf("data source %s is missing", name)
		}
	}
	for name := range resp.ResourceSchemas {
		for _, common := range []string{
			"name", "on_failure", "history_limit", "adopt", "timeouts",
			"id", "swarm_id", "instance", "revision", "status", "objects", "images", "services",
		} {
			if find(resp.ResourceSchemas[name], common) == nil {
				t.Errorf("%s has no attribute %s", name, common)
			}
		}
	}
	for resource, own := range map[string][]string{
		"swarm_application": {"compose", "git", "files", "variables", "variables_wo", "values", "values_wo", "secrets_wo", "resolve_image",
			"wait", "prune", "purge_volumes", "suspended", "redeploy_trigger", "networks"},
		"swarm_registry": {"image", "port", "publish_mode", "users_wo", "placement", "resources", "delete_data", "address", "volume"},
		"swarm_tunnel":   {"token_wo", "networks", "replicas", "image", "placement", "resources"},
	} {
		for _, attribute := range own {
			if s := resp.ResourceSchemas[resource]; s == nil || find(s, attribute) == nil {
				t.Errorf("%s has no attribute %s", resource, attribute)
			}
		}
	}
}

func find(s *tfprotov6.Schema, name string) *tfprotov6.SchemaAttribute {
	for _, a := range s.Block.Attributes {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// A number attribute in a resource makes Terraform 1.10 to 1.14 answer every
// clean refresh-only plan with exit code 2.
func TestSchemaHasNoNumberInAResource(t *testing.T) {
	for name, s := range schemas(t).ResourceSchemas {
		attributes(name, s.Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) {
			if a.Type != nil && hasNumber(a.Type) {
				t.Errorf("%s holds a number: make it a string", path)
			}
		})
	}
}

func hasNumber(typ tftypes.Type) bool {
	switch t := typ.(type) {
	case tftypes.List:
		return hasNumber(t.ElementType)
	case tftypes.Set:
		return hasNumber(t.ElementType)
	case tftypes.Map:
		return hasNumber(t.ElementType)
	case tftypes.Tuple:
		for _, e := range t.ElementTypes {
			if hasNumber(e) {
				return true
			}
		}
	case tftypes.Object:
		for _, e := range t.AttributeTypes {
			if hasNumber(e) {
				return true
			}
		}
	}
	return typ.Is(tftypes.Number) || typ.Is(tftypes.DynamicPseudoType)
}

func TestSchemaDescribesEverything(t *testing.T) {
	for name, s := range everySchema(t) {
		if s.Block.Description == "" {
			t.Errorf("%s has no description", name)
		}
		attributes(name, s.Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) {
			if a.Description == "" {
				t.Errorf("%s has no description", path)
			}
		})
	}
}

func TestSchemaNamesWriteOnlyArguments(t *testing.T) {
	for name, s := range everySchema(t) {
		attributes(name, s.Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) {
			if a.WriteOnly != strings.HasSuffix(path, "_wo") {
				t.Errorf("%s: write-only is %t, and a write-only argument ends in _wo", path, a.WriteOnly)
			}
		})
	}
}

func TestSchemaSaysWhereSecretsMustNotGo(t *testing.T) {
	s := schemas(t).ResourceSchemas["swarm_application"]
	for _, name := range []string{"compose", "files", "variables"} {
		if a := find(s, name); a == nil || !strings.HasPrefix(a.Description, "**Stored in the state in clear: secrets belong into") {
			t.Errorf("the description of %s does not begin with where secrets belong", name)
		}
	}
}

// The whole map marked sensitive would hide the diff that it is made for.
func TestSchemaShowsObjects(t *testing.T) {
	for name, s := range schemas(t).ResourceSchemas {
		if a := find(s, "objects"); a == nil || a.Sensitive {
			t.Errorf("%s: objects is missing or sensitive", name)
		}
	}
}
