package swarm

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/docker/cli/cli/context/docker"
	"github.com/docker/docker/client"
)

// endpoint is the engine that was settled on, and by what.
type endpoint struct {
	docker.Endpoint
	source  string // "host", "DOCKER_HOST", `Docker context "prod", DOCKER_CONTEXT` …
	version string // DOCKER_API_VERSION: pins the version, empty to negotiate
}

// client prepares the Docker client: sockets, TCP with and without TLS, and ssh
// through `docker system dial-stdio` as the Docker CLI does it.
func (ep endpoint) client() (*client.Client, error) {
	settings, err := ep.ClientOpts()
	if err != nil {
		return nil, err
	}
	settings = append(settings, client.WithVersion(ep.version), client.WithUserAgent("terraform-provider-swarm"))
	return client.NewClientWithOpts(settings...)
}

// String names the address and where it comes from.
func (ep endpoint) String() string { return fmt.Sprintf("%s (%s)", ep.Host, ep.source) }

func (ep endpoint) scheme() string {
	scheme, _, _ := strings.Cut(ep.Host, "://")
	return scheme
}

func (ep endpoint) overTCP() bool {
	switch ep.scheme() {
	case "unix", "npipe", "fd", "ssh":
		return false
	}
	return true
}

// advice says what to look at when nothing answers.
func (ep endpoint) advice() string {
	switch {
	case ep.scheme() == "ssh":
		return "Check that `" + ep.sshCommand() + " docker version` works without asking for a password."
	case ep.overTCP():
		return "Check that the engine listens there, and that the address and the certificates are right."
	}
	return "Check that the engine runs, and that this user may use its socket."
}

func (ep endpoint) sshCommand() string {
	u, err := url.Parse(ep.Host)
	if err != nil {
		return "ssh"
	}
	command := "ssh "
	if port := u.Port(); port != "" {
		command += "-p " + port + " "
	}
	if user := u.User.Username(); user != "" {
		command += user + "@"
	}
	return command + u.Hostname()
}

// warnings says what is dangerous in the settings although it is what was asked
// for.
func (ep endpoint) warnings() []string {
	if !ep.overTCP() {
		return nil
	}
	switch {
	case ep.SkipTLSVerify:
		return []string{"The certificate of the engine " + ep.String() + " is not verified, so anybody on the way can read the secrets that are deployed."}
	case ep.TLSData == nil && !loopback(ep.Host):
		return []string{"The engine " + ep.String() + " is spoken to without TLS, so anybody on the way can read the secrets that are deployed. " +
			"Set certificates, or use ssh://."}
	}
	return nil
}

func loopback(host string) bool {
	u, err := url.Parse(host)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
