package swarm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	cliconfig "github.com/docker/cli/cli/config"
	clicontext "github.com/docker/cli/cli/context"
	"github.com/docker/cli/cli/context/docker"
	"github.com/docker/cli/cli/context/store"
	"github.com/docker/cli/opts"
)

// Config says which engine is meant. The zero value means what the Docker CLI
// would talk to: DOCKER_HOST, else DOCKER_CONTEXT, else the CLI's current
// context, else the local socket.
type Config struct {
	// Host is the address of the engine: unix:///path, tcp://host:port or
	// ssh://user@host. It wins over the environment. At most one of Host and
	// Context is set.
	Host string
	// Context is the name of a Docker CLI context; its TLS files belong to it.
	Context string

	// CACert, ClientCert and ClientKey are PEM texts for a tcp:// host.
	CACert, ClientCert, ClientKey string
	// CertPath is a folder with ca.pem, cert.pem and key.pem, for a tcp:// host
	// (DOCKER_CERT_PATH). At most one of the texts and the folder is set.
	CertPath string
	// TLSVerify set to false accepts any certificate of the engine, which nothing
	// but this does; set to true it demands TLS also where no file is given. nil
	// leaves it to DOCKER_TLS_VERIFY.
	TLSVerify *bool

	// Env reads the environment; nil means os.Getenv.
	Env func(name string) string

	// Credentials are for registries; nil means those of the Docker CLI's
	// configuration.
	Credentials *Credentials
}

// defaultContext is the name by which the Docker CLI knows "no context".
const defaultContext = "default"

// resolve finds the engine in the order of the Docker CLI (resolveContextName in
// docker/cli's cli/command): what is configured here, DOCKER_HOST,
// DOCKER_CONTEXT, the current context, the default socket.
func resolve(cfg Config) (endpoint, error) {
	env := cfg.Env
	if env == nil {
		env = os.Getenv
	}
	if cfg.Host != "" && cfg.Context != "" {
		return endpoint{}, errors.New("host and context are both set: set one of the two")
	}
	switch {
	case cfg.Host != "":
		return fromHost(cfg, env, cfg.Host, "host")
	case cfg.Context != "":
		return fromContext(cfg, env, cfg.Context, "context")
	case env("DOCKER_HOST") != "":
		return fromHost(cfg, env, env("DOCKER_HOST"), "DOCKER_HOST")
	case env("DOCKER_CONTEXT") != "":
		return fromContext(cfg, env, env("DOCKER_CONTEXT"), "DOCKER_CONTEXT")
	}
	file, err := cliconfig.Load(configDir(env))
	if err != nil {
		return endpoint{}, fmt.Errorf("reading the Docker CLI's configuration to find its current context: %w", err)
	}
	if file.CurrentContext != "" {
		return fromContext(cfg, env, file.CurrentContext, "current context of the Docker CLI")
	}
	return fromHost(cfg, env, "", "default")
}

func fromHost(cfg Config, env func(string) string, address, source string) (endpoint, error) {
	material, err := tlsFor(cfg, env)
	if err != nil {
		return endpoint{}, err
	}
	host, err := opts.ParseHost(material.data != nil, address)
	if err != nil {
		return endpoint{}, fmt.Errorf("%s %q: %w: write unix:///path, tcp://host:port or ssh://user@host", source, address, err)
	}
	ep := endpoint{source: source, version: env("DOCKER_API_VERSION")}
	ep.Host = host
	if !ep.overTCP() {
		if material.explicit {
			return endpoint{}, fmt.Errorf("%s %q is not reached by TLS: certificates are for tcp:// hosts, remove them", source, address)
		}
		return ep, nil
	}
	ep.TLSData = material.data
	ep.SkipTLSVerify = material.skipVerify
	return ep, nil
}

func fromContext(cfg Config, env func(string) string, name, source string) (endpoint, error) {
	if name == defaultContext {
		// The CLI's "default" is the environment and, failing that, the socket.
		return fromHost(cfg, env, env("DOCKER_HOST"), `context "default"`)
	}
	if cfg.CACert != "" || cfg.ClientCert != "" || cfg.ClientKey != "" || cfg.CertPath != "" {
		return endpoint{}, fmt.Errorf("Docker context %q (%s) brings its own certificates: remove those given here, or set host", name, source)
	}
	files := store.New(filepath.Join(configDir(env), "contexts"), store.NewConfig(
		func() any { return &map[string]any{} },
		store.EndpointTypeGetter(docker.DockerEndpoint, func() any { return &docker.EndpointMeta{} }),
	))
	meta, err := files.GetMetadata(name)
	if err != nil {
		return endpoint{}, fmt.Errorf("Docker context %q (%s): %w: see `docker context ls`", name, source, err)
	}
	engine, err := docker.EndpointFromContext(meta)
	if err != nil {
		return endpoint{}, fmt.Errorf("Docker context %q (%s): %w", name, source, err)
	}
	full, err := docker.WithTLSData(files, name, engine)
	if err != nil {
		return endpoint{}, fmt.Errorf("Docker context %q (%s): %w", name, source, err)
	}
	return endpoint{Endpoint: full, source: fmt.Sprintf("Docker context %q, %s", name, source), version: env("DOCKER_API_VERSION")}, nil
}

// configDir is where the Docker CLI keeps its files.
func configDir(env func(string) string) string {
	if dir := env("DOCKER_CONFIG"); dir != "" {
		return dir
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".docker")
	}
	return ".docker"
}

// material is the TLS that a tcp:// host is spoken to with.
type material struct {
	data       *clicontext.TLSData // nil: no TLS
	skipVerify bool
	explicit   bool // given in the configuration, not by the environment
}

// tlsFor gathers certificates. Where any are given, and where DOCKER_TLS or
// DOCKER_TLS_VERIFY is set, TLS is spoken and the engine's certificate is
// verified: unlike the Docker CLI, a folder of certificates alone is not ignored,
// and unlike the Docker client library it does not switch verification off.
func tlsFor(cfg Config, env func(string) string) (material, error) {
	texts := cfg.CACert != "" || cfg.ClientCert != "" || cfg.ClientKey != ""
	demanded := cfg.TLSVerify != nil
	m := material{
		explicit:   texts || cfg.CertPath != "",
		skipVerify: demanded && !*cfg.TLSVerify,
	}
	switch {
	case texts && cfg.CertPath != "":
		return material{}, errors.New("cert_path and certificate texts are both set: set one of the two")
	case (cfg.ClientCert == "") != (cfg.ClientKey == ""):
		return material{}, errors.New("client_cert and client_key belong together: set both or none")
	case texts:
		m.data = &clicontext.TLSData{CA: pemText(cfg.CACert), Cert: pemText(cfg.ClientCert), Key: pemText(cfg.ClientKey)}
		return m, nil
	case cfg.CertPath != "":
		return m.fromFolder(cfg.CertPath, "cert_path", true)
	case env("DOCKER_CERT_PATH") != "":
		return m.fromFolder(env("DOCKER_CERT_PATH"), "DOCKER_CERT_PATH", true)
	case demanded, env("DOCKER_TLS_VERIFY") != "", env("DOCKER_TLS") != "":
		// As the CLI does, look where it keeps certificates; without any the roots
		// of the system count.
		return m.fromFolder(configDir(env), "the Docker CLI's folder", false)
	}
	return m, nil
}

func pemText(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// fromFolder reads ca.pem, cert.pem and key.pem. A folder that somebody named
// must hold at least one of them.
func (m material) fromFolder(dir, source string, named bool) (material, error) {
	m.data = &clicontext.TLSData{}
	found := false
	for name, into := range map[string]*[]byte{"ca.pem": &m.data.CA, "cert.pem": &m.data.Cert, "key.pem": &m.data.Key} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return material{}, fmt.Errorf("%s: %w", source, err)
		default:
			*into, found = text, true
		}
	}
	if named && !found {
		return material{}, fmt.Errorf("%s %s holds none of ca.pem, cert.pem and key.pem", source, dir)
	}
	if (m.data.Cert == nil) != (m.data.Key == nil) {
		return material{}, fmt.Errorf("%s %s holds one of cert.pem and key.pem: both or none are needed", source, dir)
	}
	return m, nil
}
