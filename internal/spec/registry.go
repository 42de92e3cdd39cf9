package spec

import (
	"net"
	"strconv"
)

// Registry is a container registry that asks everybody for a password.
type Registry struct {
	Name string
	// Image is distribution's registry or an image of the same contract.
	Image string
	// Port is the published one, 1 to 65535.
	Port uint32
	// PublishMode is PublishIngress or PublishHost.
	PublishMode string
	// Hostname is the name or address under which nodes and people reach the
	// registry; "" means that every node has it at its own loopback address.
	Hostname string
	// Users maps a user to the password.
	Users     map[string]string
	Placement Placement
	Resources Resources
}

// The ways in which a port is published.
const (
	// PublishIngress publishes a port on every node.
	PublishIngress = "ingress"
	// PublishHost publishes a port on the node that the task runs on.
	PublishHost = "host"
)

// What a registry is when nothing is said.
//
// The image is the current major of the official one. Of what is relied on, the
// arguments `serve <config>` are understood by the entrypoints of both majors,
// and both are alpine with busybox's wget.
const (
	DefaultRegistryImage = "registry:3"
	DefaultRegistryPort  = 5000
)

// loopback is where an ingress port is found on every node, and what every engine
// trusts without TLS.
const loopback = "127.0.0.1"

// Address is what the names of images begin with: host and port. It is "" when
// nobody has said where the registry is.
func (r Registry) Address() string {
	host := r.Hostname
	if host == "" && r.PublishMode != PublishHost {
		host = loopback
	}
	if host == "" {
		return ""
	}
	return net.JoinHostPort(host, strconv.FormatUint(uint64(r.Port), 10))
}
