package acctest

import "testing"

// Server is a server that tests can run on their swarms: the real one, made from Debian's packages, but for Cloudflared,
// which is a stand-in. Each comes under two tags, so that an upgrade can be tried; what runs is the same.
type Server string

// The servers that Load knows, by the option of scripts/test-images. Their images take arguments and environment as the official
// ones do.
const (
	Postgres     Server = "--postgres"
	MariaDB      Server = "--mariadb"
	Redis        Server = "--redis"
	Cloudflared  Server = "--cloudflared" // a stand-in, with the one for Cloudflare's edge, see StartEdge
	Distribution Server = "--registry"    // the registry of github.com/distribution, see StartRegistry
)

// Image returns the test application's image of a version: 1.0, 1.1, 1.2 or 2.0. They run the same program, see testapp.
func Image(version string) string { return "swarmkeel/test-app:" + version }

// PostgresImage returns the image of a version: 15 or 15.1.
func PostgresImage(version string) string { return "swarmkeel/test-postgres:" + version }

// MariaDBImage returns the image of a version: 10.11 or 10.11.1.
func MariaDBImage(version string) string { return "swarmkeel/test-mariadb:" + version }

// RedisImage returns the image of a version: 7 or 7.1.
func RedisImage(version string) string { return "swarmkeel/test-redis:" + version }

// RegistryImage returns the image of a version: 2 or 2.1.
func RegistryImage(version string) string { return "swarmkeel/test-registry:" + version }

// CloudflaredImage returns the image of a version of the stand-in: 2025.4.0 or 2025.5.0.
func CloudflaredImage(version string) string { return "swarmkeel/test-cloudflared:" + version }

// Load puts the images of servers on every node of a swarm. The test application is always there; servers are loaded by the
// tests that need them, and what is there already is not loaded again.
func Load(t testing.TB, s *Swarm, servers ...Server) {
	t.Helper()
	args := []string{"images", s.dir}
	for _, server := range servers {
		args = append(args, string(server))
	}
	if _, err := script(args...); err != nil {
		t.Fatal(err)
	}
}
