package lifecycle

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What a change cannot touch is planned as it is; everything else is unknown.
func TestPlannedOutcomeOfEachService(t *testing.T) {
	service := func(id string) attr.Value {
		return types.ObjectValueMust(serviceType.AttrTypes, map[string]attr.Value{
			"id": types.StringValue(id), "name": types.StringValue("shop_" + id), "mode": types.StringValue("replicated"), "ports": StringList(nil),
		})
	}
	live := map[string]string{
		"service/web": `{"image":"web:1","mode":"replicated"}`, "service/api": `{"image":"api:1","mode":"replicated"}`,
		"network/default": `{"driver":"overlay"}`, "config/conf": `{"content":"a"}`,
	}
	prior := &Common{
		Objects: StringMap(live), Images: StringMap(map[string]string{"web": "web:1", "api": "api:1"}),
		Services: types.MapValueMust(serviceType, map[string]attr.Value{"web": service("web"), "api": service("api")}),
	}
	cases := []struct {
		name   string
		change map[string]string
		// what is known afterwards
		images, services []string
	}{
		{"another image: that image alone", map[string]string{"service/web": `{"image":"web:2","mode":"replicated"}`}, []string{"api"}, []string{"api", "web"}},
		{"another mode: the service is made anew", map[string]string{"service/web": `{"image":"web:1","mode":"global"}`}, []string{"api"}, []string{"api"}},
		{"other ports", map[string]string{"service/web": `{"image":"web:1","mode":"replicated","ports":[]}`}, []string{"api"}, []string{"api"}},
		{"a new config: whoever mounts it is written", map[string]string{"config/conf": `{"content":"b"}`}, nil, []string{"api", "web"}},
		{"another network: services may be made anew", map[string]string{"network/default": `{"driver":"overlay","internal":true}`}, []string{"api", "web"}, nil},
		{"a new service", map[string]string{"service/job": `{"image":"job:1"}`}, []string{"api", "web"}, []string{"api", "web"}},
		{"a new network", map[string]string{"network/back": `{}`}, []string{"api", "web"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			declared := map[string]string{}
			for ref, form := range live {
				declared[ref] = form
			}
			for ref, form := range c.change {
				declared[ref] = form
			}
			var planned Common
			planned.planOutcome(declared, prior)
			for _, part := range []struct {
				name  string
				got   types.Map
				known []string
			}{{"images", planned.Images, c.images}, {"services", planned.Services, c.services}} {
				want := map[string]bool{}
				for _, key := range part.known {
					want[key] = true
				}
				for key, v := range part.got.Elements() {
					if v.IsUnknown() == want[key] {
						t.Errorf("%s[%q] unknown = %v, want %v", part.name, key, v.IsUnknown(), !want[key])
					}
				}
			}
			if !planned.Revision.IsUnknown() {
				t.Error("the revision is planned as known")
			}
		})
	}
}
