package render

import (
	"fmt"
	"net"
	"regexp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// checkRegistryAddress makes sure that there is an address for the names of
// images.
func (s *server) checkRegistryAddress(r spec.Registry) {
	if r.Port == 0 || r.Port > 65535 {
		s.attributeError([]string{"port"}, fmt.Sprintf("Invalid port %d", r.Port), "A port is a whole number from 1 to 65535.")
	}
	if r.PublishMode != spec.PublishIngress && r.PublishMode != spec.PublishHost {
		s.attributeError([]string{"publish_mode"}, fmt.Sprintf("Invalid publish_mode %q", excerpt(r.PublishMode)), "It is \"ingress\" or \"host\".")
	}
	switch {
	case r.Hostname == "" && r.PublishMode == spec.PublishHost:
		s.attributeError([]string{"hostname"}, "The registry has no address",
			"With publish_mode = \"host\" the port is open on the registry's own node only, and no other node finds it at 127.0.0.1. Set hostname to the name or address of that node, "+
				"and placement to keep the registry there; or publish with \"ingress\".")
	case r.Hostname != "" && !isHost(r.Hostname):
		s.attributeError([]string{"hostname"}, fmt.Sprintf("Invalid hostname %q", excerpt(r.Hostname)),
			"Write the name or IP address alone, without scheme, port or path: registry.example.com or 10.0.0.5.")
	}
}

// dnsHost is what a reference takes as the host of a registry (distribution's
// reference.DomainRegexp), without its port.
var dnsHost = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*$`)

func isHost(text string) bool { return net.ParseIP(text) != nil || dnsHost.MatchString(text) }
