package swarm

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/distribution/reference"
	cliconfig "github.com/docker/cli/cli/config"
	"github.com/docker/docker/api/types/registry"
)

// Credential is what a registry is told of who asks.
type Credential struct {
	// Address is the registry's host, with its port if it has one. Docker Hub goes
	// by docker.io, and by the other names that it has had.
	Address            string
	Username, Password string
}

// Credentials finds the credential for the registry of an image: among those
// that were given, else in the Docker CLI's configuration, its credential helpers
// included. A credential is for one registry and goes to no other.
type Credentials struct {
	given map[string]Credential
	env   func(string) string

	mu sync.Mutex
	// found holds what the Docker CLI's configuration says, by registry: a helper
	// is a program, and is run once.
	found map[string]found
}

// found is a credential, or why there is none.
type found struct {
	auth   registry.AuthConfig
	source string
	err    error
}

// NewCredentials prepares the search. It reads nothing yet; env reads the
// environment, nil means os.Getenv.
func NewCredentials(given []Credential, env func(string) string) *Credentials {
	if env == nil {
		env = os.Getenv
	}
	c := &Credentials{given: map[string]Credential{}, env: env, found: map[string]found{}}
	for _, credential := range given {
		c.given[RegistryHost(credential.Address)] = credential
	}
	return c
}

// The names of Docker Hub: in references, and in the configuration of the Docker
// CLI (registry.IndexServer of docker/docker).
const (
	hubDomain = "docker.io"
	hubKey    = "https://index.docker.io/v1/"
)

// RegistryHost brings an address of a registry, as people write it, to the form
// in which references name it: no scheme, no path, and one name for Docker Hub.
func RegistryHost(address string) string {
	_, host, hasScheme := strings.Cut(address, "://")
	if !hasScheme {
		host = address
	}
	host, _, _ = strings.Cut(host, "/")
	switch host = strings.ToLower(host); host {
	case "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com":
		return hubDomain
	}
	return host
}

// registryOf is the host of an image's registry, empty for what is no reference.
func registryOf(image string) string {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return ""
	}
	return RegistryHost(reference.Domain(named))
}

// Given returns the credential for an image that was given, and not looked up.
func (c *Credentials) Given(image string) (Credential, bool) {
	credential, ok := c.given[registryOf(image)]
	return credential, ok
}

// lookUp returns what is known for the registry of an image.
func (c *Credentials) lookUp(image string) found {
	host := registryOf(image)
	if host == "" {
		return found{}
	}
	if given, ok := c.given[host]; ok {
		return found{source: "registry_auth", auth: registry.AuthConfig{ServerAddress: serverAddress(host), Username: given.Username, Password: given.Password}}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.found[host]
	if !ok {
		known = c.ask(host)
		c.found[host] = known
	}
	return known
}

// ask looks into the Docker CLI's configuration.
func (c *Credentials) ask(host string) found {
	file, err := cliconfig.Load(configDir(c.env))
	if err != nil {
		return found{err: fmt.Errorf("the Docker CLI's configuration cannot be read: %w", err)}
	}
	stored, err := file.GetAuthConfig(serverAddress(host))
	if err != nil {
		return found{err: fmt.Errorf("the Docker CLI's configuration has a credential helper for %s, and it failed: %w", host, err)}
	}
	auth := registry.AuthConfig{
		Username: stored.Username, Password: stored.Password, Auth: stored.Auth, ServerAddress: serverAddress(host),
		IdentityToken: stored.IdentityToken, RegistryToken: stored.RegistryToken,
	}
	if auth.Username == "" && auth.Password == "" && auth.Auth == "" && auth.IdentityToken == "" && auth.RegistryToken == "" {
		return found{}
	}
	return found{auth: auth, source: "the Docker CLI's configuration"}
}

func serverAddress(host string) string {
	if host == hubDomain {
		return hubKey
	}
	return host
}

func (f found) ok() bool { return f.source != "" }

// header is the credential for an image as the engine takes it, empty when there
// is none: an update without it keeps the credential that the swarm has.
func (c *Credentials) header(image string) string {
	known := c.lookUp(image)
	if !known.ok() {
		return ""
	}
	encoded, err := registry.EncodeAuthConfig(known.auth)
	if err != nil {
		return "" // a struct of texts can be encoded
	}
	return encoded
}

// describe says which credential goes along with an image, for messages.
func (c *Credentials) describe(image string) string {
	host, known := registryOf(image), c.lookUp(image)
	switch {
	case host == "":
		return ""
	case known.err != nil:
		return fmt.Sprintf("No credential was sent for registry %s: %v.", host, known.err)
	case known.ok() && known.auth.Username != "":
		return fmt.Sprintf("The credential of user %s for registry %s, from %s, was sent along.", known.auth.Username, host, known.source)
	case known.ok():
		return fmt.Sprintf("A token for registry %s, from %s, was sent along.", host, known.source)
	}
	return fmt.Sprintf("No credential is configured for registry %s: set the provider's registry_auth, or log in with the Docker CLI.", host)
}
