package kindtest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// tunnel is the kind whose server, and the far end of it, are stand-ins.
func tunnel() kind {
	return kind{
		name: "tunnel", resource: "swarm_tunnel", service: "connector", servers: []acctest.Server{acctest.Cloudflared}, image: acctest.CloudflaredImage("2025.4.0"),
		attributes: func(r *release, v version) string {
			networks := fmt.Sprintf("%q", r.beside)
			if v.extra {
				networks += fmt.Sprintf(", %q", r.beside+"-more")
			}
			return fmt.Sprintf("image = %q\n  replicas = \"1\"\n  networks = [%s]\n  token_wo = var.secret\n  resources = { memory = \"%dM\" }\n",
				acctest.CloudflaredImage("2025.4.0"), networks, 64+v.change)
		},
		around: edge,
		secret: func(text string) string {
			return acctest.TunnelToken("account", "6ff42ae2-765d-4adf-8112-31c55c1551ef", text)
		},
		lasting: true,
		use: func(r *release, _ string) error {
			// A connector is ready a moment before the edge sends it anything.
			var err error
			for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
				if err = visit(r.visitor); err == nil {
					return nil
				}
			}
			return err
		},
		objects: []string{"secret/NAME_token-HASH", "service/NAME_connector"},
		sparse:  true,
	}
}

// edge starts what a tunnel lies between: a page on an overlay network, and the far end, which takes a number of tokens.
func edge(r *release) {
	label := "com.docker.stack.namespace=" + r.beside
	for _, network := range []string{r.beside, r.beside + "-more"} {
		r.Docker(r.T, "network", "create", "-d", "overlay", "--label", label, network)
	}
	r.Docker(r.T, "service", "create", "-d", "--name", r.beside+"_web", "--label", label, "--endpoint-mode", "dnsrr",
		"--network", "name="+r.beside+",alias=web", acctest.Image("1.1"))
	var tokens []string
	for range 20 {
		text := providertest.RandomValue(r.T, "secret")
		r.texts, tokens = append(r.texts, text), append(tokens, r.kind.secret(text))
	}
	r.visitor = acctest.StartEdge(r.T, r.Swarm, r.beside, map[string]string{"shop.example.com": "http://web:8080"}, tokens...).Client
}

// visit asks for the page behind the tunnel.
func visit(client *http.Client) error {
	answer, err := client.Get("http://shop.example.com/version")
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if body, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK || strings.TrimSpace(string(body)) != "1.1" {
		return fmt.Errorf("the page behind the tunnel: %s %s: %w", answer.Status, body, err)
	}
	return nil
}
