package render

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

const tunnelID = "0f6d3b52-4b1e-4c0e-9d2a-5f0a6c1b7e11"

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func token(account, tunnel, secret string) string {
	return encoded(fmt.Sprintf(`{"a":%q,"t":%q,"s":%q}`, account, tunnel, secret))
}

func tunnel(change func(*spec.Tunnel)) spec.Tunnel {
	t := spec.Tunnel{
		Name: "edge", Token: token("acme", tunnelID, encoded("tunnel secret")), Networks: []string{"shop_default"},
		Replicas: spec.DefaultTunnelReplicas, Image: spec.DefaultTunnelImage,
	}
	if change != nil {
		change(&t)
	}
	return t
}

func mustTunnel(t *testing.T, given spec.Tunnel) *Rendered {
	t.Helper()
	rendered, problems := Tunnel(given)
	if rendered == nil {
		t.Fatal(problems)
	}
	return rendered
}

func TestTunnelIsConnectorsThatReadTheTokenFromAFile(t *testing.T) {
	given := tunnel(func(t *spec.Tunnel) { t.Networks, t.Replicas = []string{"shop_default", "intern"}, 3 })
	r := mustTunnel(t, given)
	if diff := cmp.Diff([]string{"secret/token = " + find(t, r, "secret/token").Name, "service/connector = edge_connector"}, refs(r)); diff != "" {
		t.Error(diff)
	}
	const service = `{"command":["tunnel","--no-autoupdate","--metrics","0.0.0.0:2000","run"],"endpoint_mode":"dnsrr","env":{"TUNNEL_TOKEN_FILE":"/run/secrets/token"},` +
		`"healthcheck":{"interval":"3s","retries":10,"start_period":"10s","test":["CMD","cloudflared","tunnel","--metrics","localhost:2000","ready"],"timeout":"5s"},` +
		`"image":"` + spec.DefaultTunnelImage + `","mode":"replicated","networks":{"intern":{},"shop_default":{}},"placement":{"preferences":[{"spread":"node.id"}]},"replicas":3,` +
		`"restart_policy":{"condition":"any","delay":"2s"},"rollback_config":{"monitor":"2s","order":"start-first","parallelism":1},` +
		`"secrets":{"token":[{"gid":"0","mode":"0444","target":"token","uid":"0"}]},"stop_grace_period":"35s","update_config":{"monitor":"2s","order":"start-first","parallelism":1}}`
	if diff := cmp.Diff(service, form(t, r, find(t, r, "service/connector"))); diff != "" {
		t.Error(diff)
	}
	want := []object.External{
		{Kind: object.KindNetwork, Name: "shop_default", UsedBy: []string{"connector"}},
		{Kind: object.KindNetwork, Name: "intern", UsedBy: []string{"connector"}},
	}
	if diff := cmp.Diff(want, r.External); diff != "" {
		t.Errorf("networks of others: %s", diff)
	}
	if diff := cmp.Diff([]string{encoded("tunnel secret"), given.Token}, r.Sensitive); diff != "" {
		t.Errorf("what is to be hidden: %s", diff)
	}
}

func TestSpaceAroundATokenIsNoPartOfIt(t *testing.T) {
	bare, spaced := tunnel(nil), tunnel(nil)
	spaced.Token = " " + bare.Token + "\n"
	a, b := find(t, mustTunnel(t, bare), "secret/token"), find(t, mustTunnel(t, spaced), "secret/token")
	if a.Name != b.Name {
		t.Errorf("the secret is called %s and %s", a.Name, b.Name)
	}
}

func TestTokenIsWhatCloudflaredTakes(t *testing.T) {
	sound := tunnel(nil).Token
	for rule, c := range map[string]struct{ token, want string }{
		"there is one":                 {"", "It is empty."},
		"it is one word":               {"cloudflared service install " + sound, "a whole command is none"},
		"it is base64":                 {"my-token", "It is not base64"},
		"it is whole":                  {sound[:len(sound)-3], "a part of it is missing"},
		"it is JSON":                   {encoded("token"), "not the JSON"},
		"it is a JSON object":          {encoded(`["a","t","s"]`), "not the JSON"},
		"its fields are texts":         {encoded(`{"a":1,"t":2,"s":3}`), "not the JSON"},
		"it has an account":            {token("", tunnelID, encoded("s")), "It has no account (a)."},
		"it has a tunnel and a secret": {token("acme", "", ""), "It has no tunnel (t), no secret (s)."},
		"its tunnel is an id":          {token("acme", "shop", encoded("s")), "no tunnel's id"},
		"its secret is base64":         {token("acme", tunnelID, "not base64!"), "The secret in it is not base64"},
		"every missing field is named": {encoded(`{"a":"acme"}`), "It has no tunnel (t), no secret (s)."},
	} {
		t.Run(rule, func(t *testing.T) {
			rendered, problems := Tunnel(tunnel(func(t *spec.Tunnel) { t.Token = c.token }))
			if rendered != nil || len(problems) != 1 || path(problems[0].Attribute).String() != "token_wo" {
				t.Fatalf("problems: %v", problems)
			}
			if !strings.Contains(problems[0].Detail, c.want) {
				t.Errorf("it does not say %q: %s", c.want, problems[0].Detail)
			}
			if c.token != "" && strings.Contains(problems.Error(), c.token) {
				t.Errorf("the token is quoted: %s", problems.Error())
			}
		})
	}
}

func TestConnectorIsNewEnoughToReadAFile(t *testing.T) {
	for _, c := range []struct {
		image string
		ok    bool
	}{
		{"cloudflare/cloudflared:2025.4.0", true},
		{"cloudflare/cloudflared:2025.10.1", true},
		{"cloudflare/cloudflared:2026.1.2", true},
		{"cloudflare/cloudflared:2025.4.0-arm64", true},
		{"cloudflare/cloudflared", true},
		{"cloudflare/cloudflared:latest", true},
		{"cloudflare/cloudflared@sha256:" + strings.Repeat("0", 64), true},
		{"registry.example.com/cloudflared:1.0", true},
		{"cloudflare/cloudflared:2025.3.9", false},
		{"cloudflare/cloudflared:2024.12.2", false},
		{"registry.example.com:5000/cloudflared:2025.2.1-amd64", false},
		{"cloudflare/cloudflared:2024.12.2@sha256:" + strings.Repeat("0", 64), false},
	} {
		t.Run(c.image, func(t *testing.T) {
			_, problems := Tunnel(tunnel(func(t *spec.Tunnel) { t.Image = c.image }))
			if c.ok && len(problems) > 0 {
				t.Error(problems)
			}
			if !c.ok && (len(problems) != 1 || path(problems[0].Attribute).String() != "image" || !strings.Contains(problems[0].Detail, "TUNNEL_TOKEN_FILE")) {
				t.Errorf("problems: %v", problems)
			}
		})
	}
}

func TestEveryFaultOfATunnelIsReportedAtItsAttribute(t *testing.T) {
	_, problems := Tunnel(tunnel(func(t *spec.Tunnel) {
		t.Name, t.Token, t.Image = "Edge", "x", "UPPER"
		t.Networks = []string{"shop_default", "no spaces", "shop_default", ""}
		t.Resources.CPUs, t.Placement.Constraints = "none", []string{"somewhere"}
	}))
	want := []string{
		`image: Invalid image "UPPER"`,
		`name: Invalid name "Edge"`,
		`networks[1]: Invalid network "no spaces"`,
		`networks[2]: Network shop_default is named twice`,
		`networks[3]: Invalid network ""`,
		`placement.constraints[0]: Wrong constraint "somewhere"`,
		`resources.cpus: Wrong number of CPUs "none"`,
		`token_wo: Invalid tunnel token`,
	}
	if diff := cmp.Diff(want, allSummaries(problems)); diff != "" {
		t.Error(diff)
	}
	if _, problems := Tunnel(tunnel(func(t *spec.Tunnel) { t.Networks = nil })); len(problems) != 1 || problems[0].Summary != "The tunnel leads nowhere" {
		t.Errorf("without networks: %v", problems)
	}
}
