package render

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/distribution/reference"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// kindTunnel is the kind of release in fingerprints.
const kindTunnel = "tunnel"

const (
	tunnelKey = "connector"
	tokenKey  = "token"
	// metricsPort is where a connector tells whether it is ready.
	metricsPort = "2000"
	// tunnelGrace is above the 30 s that cloudflared gives the requests under way
	// when it is told to end (its --grace-period).
	tunnelGrace = 35 * time.Second
)

// Tunnel renders the connectors of a Cloudflare tunnel. It returns every problem
// it finds; with an error among them there are no objects.
//
// The token is in a file alone. As an argument or an environment value everybody
// who may look at the service could read it. cloudflared runs as user 65532 and
// has no shell in its image, so that the file is for all and checks are programs.
func Tunnel(t spec.Tunnel) (*Rendered, spec.Problems) {
	s := newServer(kindTunnel, t.Name)
	s.checkConnectorImage(t.Image)
	token := strings.TrimSpace(t.Token)
	s.checkToken(token)

	// The new connector is ready before the old one goes: the tunnel has both for
	// a moment.
	service := s.service(tunnelKey, t.Image, swarm.UpdateOrderStartFirst)
	replicas, grace := t.Replicas, tunnelGrace
	service.Mode.Replicated.Replicas = &replicas
	task := &service.TaskTemplate
	task.Resources, task.Placement = s.resources(t.Resources), spread(s.placement(t.Placement))
	task.ContainerSpec.Args = []string{"tunnel", "--no-autoupdate", "--metrics", "0.0.0.0:" + metricsPort, "run"}
	task.ContainerSpec.Env = environment(map[string]string{"TUNNEL_TOKEN_FILE": "/run/secrets/" + tokenKey})
	task.ContainerSpec.Secrets = []*swarm.SecretReference{mountSecret(s.secret(tokenKey, []byte(token)), tokenKey)}
	task.ContainerSpec.StopGracePeriod = &grace
	// Half a minute without the edge is borne: a connector finds back by itself, and
	// an end of all of them would help nobody.
	task.ContainerSpec.Healthcheck = &container.HealthConfig{
		Test:     []string{"CMD", "cloudflared", "tunnel", "--metrics", "localhost:" + metricsPort, "ready"},
		Interval: 3 * time.Second, Timeout: 5 * time.Second, Retries: 10, StartPeriod: 10 * time.Second,
	}
	s.tunnelNetworks(service, t.Networks)
	s.out.Objects = append(s.out.Objects, serviceObject(tunnelKey, service))
	return s.result()
}

// spread prefers nodes without a connector.
func spread(p *swarm.Placement) *swarm.Placement {
	if p == nil {
		p = &swarm.Placement{}
	}
	p.Preferences = []swarm.PlacementPreference{{Spread: &swarm.SpreadOver{SpreadDescriptor: "node.id"}}}
	return p
}

// tunnelNetworks attaches the connectors to networks of others, without an alias:
// nobody is to call them.
func (s *server) tunnelNetworks(service *swarm.ServiceSpec, networks []string) {
	if len(networks) == 0 {
		s.attributeError([]string{"networks"}, "The tunnel leads nowhere", "Name at least one overlay network that the services are on which the tunnel is to reach.")
	}
	seen := map[string]bool{}
	for i, name := range networks {
		at := []string{"networks", strconv.Itoa(i)}
		switch {
		case !dnsName.MatchString(name) || len(name) > maxServiceNameChars:
			s.attributeError(at, fmt.Sprintf("Invalid network %q", excerpt(name)),
				"Give the real name of an overlay network, as `docker network ls` shows it: an application \"shop\" calls its default network shop_default.")
		case seen[name]:
			s.attributeError(at, fmt.Sprintf("Network %s is named twice", name), "Once is enough. Remove one of the two.")
		default:
			attach(service, name)
			s.out.External = append(s.out.External, object.External{Kind: object.KindNetwork, Name: name, UsedBy: []string{tunnelKey}})
		}
		seen[name] = true
	}
}

// connectorVersion is the form of cloudflared's versions, which some of its tags
// carry an architecture behind.
var connectorVersion = regexp.MustCompile(`^v?(20[0-9]{2})\.([0-9]+)\.([0-9]+)(-|$)`)

// firstConnector is the first version that reads TUNNEL_TOKEN_FILE.
var firstConnector = [3]int{2025, 4, 0}

// checkConnectorImage refuses a version that is too old as far as the tag tells
// one.
func (s *server) checkConnectorImage(image string) {
	tagged, ok := s.checkImage(image).(reference.Tagged)
	if !ok {
		return
	}
	match := connectorVersion.FindStringSubmatch(tagged.Tag())
	if match == nil {
		return
	}
	for i, least := range firstConnector {
		number, err := strconv.Atoi(match[i+1])
		if err != nil || number > least {
			return
		}
		if number < least {
			s.attributeError([]string{"image"}, fmt.Sprintf("cloudflared %s is too old", tagged.Tag()),
				"The token is given in a file, which cloudflared reads from version 2025.4.0 on (TUNNEL_TOKEN_FILE). Take that or a later one; without `image` it is "+spec.DefaultTunnelImage+".")
			return
		}
	}
}
