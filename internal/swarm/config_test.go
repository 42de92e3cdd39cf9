package swarm

import (
	"context"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/cli/cli/context/docker"
	"github.com/docker/cli/cli/context/store"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// dockerHome makes a folder of the Docker CLI with the contexts "prod" (ssh) and
// "lab" (tcp with certificates), and returns its path.
func dockerHome(t *testing.T, currentContext string) string {
	t.Helper()
	home := t.TempDir()
	files := store.New(filepath.Join(home, "contexts"), store.NewConfig(
		func() any { return &map[string]any{} },
		store.EndpointTypeGetter(docker.DockerEndpoint, func() any { return &docker.EndpointMeta{} }),
	))
	for name, host := range map[string]string{"prod": "ssh://deploy@prod.example:2222", "lab": "tcp://lab.example:2376"} {
		if err := files.CreateOrUpdate(store.Metadata{
			Name:      name,
			Endpoints: map[string]any{docker.DockerEndpoint: docker.EndpointMeta{Host: host}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	ca, _ := certificate(t)
	if err := files.ResetTLSMaterial("lab", &store.ContextTLSData{Endpoints: map[string]store.EndpointTLSData{
		docker.DockerEndpoint: {Files: map[string][]byte{"ca.pem": []byte(ca)}},
	}}); err != nil {
		t.Fatal(err)
	}
	if currentContext != "" {
		write(t, filepath.Join(home, "config.json"), `{"currentContext": "`+currentContext+`"}`)
	}
	return home
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// certificate returns the certificate of Go's own test server, and a server that
// uses it.
func certificate(t *testing.T) (ca string, server *httptest.Server) {
	t.Helper()
	server = httptest.NewUnstartedServer(nil)
	server.StartTLS()
	t.Cleanup(server.Close)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})), server
}

func TestWhichEngineIsMeant(t *testing.T) {
	home := dockerHome(t, "")
	homeProd := dockerHome(t, "prod")
	for name, tt := range map[string]struct {
		cfg  Config
		env  map[string]string
		want string // Describe
		fail string
	}{
		"nothing: the local socket":                {want: "unix:///var/run/docker.sock (default)"},
		"host wins over the environment":           {cfg: Config{Host: "unix:///a.sock"}, env: map[string]string{"DOCKER_HOST": "unix:///b.sock", "DOCKER_CONTEXT": "prod"}, want: "unix:///a.sock (host)"},
		"context wins over the environment":        {cfg: Config{Context: "lab"}, env: map[string]string{"DOCKER_HOST": "unix:///b.sock"}, want: `tcp://lab.example:2376 (Docker context "lab", context)`},
		"host and context together are refused":    {cfg: Config{Host: "unix:///a.sock", Context: "lab"}, fail: "host and context are both set"},
		"DOCKER_HOST wins over DOCKER_CONTEXT":     {env: map[string]string{"DOCKER_HOST": "unix:///b.sock", "DOCKER_CONTEXT": "prod"}, want: "unix:///b.sock (DOCKER_HOST)"},
		"DOCKER_CONTEXT":                           {env: map[string]string{"DOCKER_CONTEXT": "prod"}, want: `ssh://deploy@prod.example:2222 (Docker context "prod", DOCKER_CONTEXT)`},
		"the CLI's current context":                {env: map[string]string{"DOCKER_CONFIG": homeProd}, want: `ssh://deploy@prod.example:2222 (Docker context "prod", current context of the Docker CLI)`},
		"the context default is the environment's": {cfg: Config{Context: "default"}, env: map[string]string{"DOCKER_CONFIG": homeProd, "DOCKER_HOST": "unix:///b.sock"}, want: `unix:///b.sock (context "default")`},
		"a context that does not exist":            {cfg: Config{Context: "nope"}, fail: `Docker context "nope" (context)`},
		"tcp without a port gets Docker's":         {cfg: Config{Host: "tcp://127.0.0.1"}, want: "tcp://127.0.0.1:2375 (host)"},
		"a scheme that nobody speaks":              {cfg: Config{Host: "gopher://x"}, fail: "write unix:///path, tcp://host:port or ssh://user@host"},
		"ssh with a password in the address":       {cfg: Config{Host: "ssh://me:secret@host"}, fail: "ssh"},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"DOCKER_CONFIG": home}
			for k, v := range tt.env {
				env[k] = v
			}
			tt.cfg.Env = func(k string) string { return env[k] }
			b, err := New(tt.cfg)
			if tt.fail != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fail) {
					t.Fatalf("error %v, want %q", err, tt.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := b.Describe(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

// Certificates are asked for wherever they are given or demanded, and the
// engine's is verified unless that was switched off in so many words.
func TestTLSIsNeverSilentlyInsecure(t *testing.T) {
	ca, _ := certificate(t)
	withCA, empty, half := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(withCA, "ca.pem"), ca)
	write(t, filepath.Join(half, "cert.pem"), ca)
	const plain, verified, unverified = "plain", "verified", "unverified"
	for name, tt := range map[string]struct {
		cfg  Config
		env  map[string]string
		want string
		fail string
	}{
		"tcp alone is plain":     {want: plain},
		"a CA text":              {cfg: Config{CACert: ca}, want: verified},
		"a folder":               {cfg: Config{CertPath: withCA}, want: verified},
		"DOCKER_CERT_PATH alone": {env: map[string]string{"DOCKER_CERT_PATH": withCA}, want: verified},
		"DOCKER_TLS_VERIFY with the system's roots":     {env: map[string]string{"DOCKER_TLS_VERIFY": "1"}, want: verified},
		"DOCKER_TLS verifies as well":                   {env: map[string]string{"DOCKER_TLS": "1"}, want: verified},
		"tls_verify = true demands TLS":                 {cfg: Config{TLSVerify: ptr(true)}, want: verified},
		"tls_verify = false is the only way around":     {cfg: Config{CACert: ca, TLSVerify: ptr(false)}, want: unverified},
		"tls_verify = false beats DOCKER_TLS_VERIFY":    {cfg: Config{TLSVerify: ptr(false)}, env: map[string]string{"DOCKER_TLS_VERIFY": "1"}, want: unverified},
		"texts and a folder are refused":                {cfg: Config{CACert: ca, CertPath: withCA}, fail: "cert_path and certificate texts"},
		"a certificate without its key":                 {cfg: Config{ClientCert: ca}, fail: "client_cert and client_key belong together"},
		"a folder without certificates":                 {cfg: Config{CertPath: empty}, fail: "holds none of"},
		"a folder that is not there":                    {env: map[string]string{"DOCKER_CERT_PATH": empty + "/nope"}, fail: "DOCKER_CERT_PATH"},
		"a folder with a certificate without its key":   {cfg: Config{CertPath: half}, fail: "both or none"},
		"a CA that is none":                             {cfg: Config{CACert: "hello"}, fail: "ca.pem seems invalid"},
		"certificates for a socket":                     {cfg: Config{Host: "unix:///a.sock", CACert: ca}, fail: "not reached by TLS"},
		"certificates in the environment, and a socket": {cfg: Config{Host: "unix:///a.sock"}, env: map[string]string{"DOCKER_CERT_PATH": withCA}, want: plain},
		"certificates beside those of a context":        {cfg: Config{Context: "lab", CACert: ca}, fail: "brings its own certificates"},
		"the certificates of a context":                 {cfg: Config{Context: "lab"}, want: verified},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"DOCKER_CONFIG": dockerHome(t, "")}
			for k, v := range tt.env {
				env[k] = v
			}
			tt.cfg.Env = func(k string) string { return env[k] }
			if tt.cfg.Host == "" && tt.cfg.Context == "" {
				tt.cfg.Host = "tcp://engine.example:2376"
			}
			b, err := New(tt.cfg)
			if tt.fail != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fail) {
					t.Fatalf("error %v, want %q", err, tt.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := plain
			if b.endpoint.TLSData != nil || b.endpoint.SkipTLSVerify {
				got = verified
			}
			if b.endpoint.SkipTLSVerify {
				got = unverified
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			risky := tt.want != verified && strings.HasPrefix(b.endpoint.Host, "tcp:")
			if warned := len(b.Warnings()) > 0; warned != risky {
				t.Errorf("warnings %q", b.Warnings())
			}
		})
	}
}

// A real TLS server, known and unknown.
func TestTLSOnTheWire(t *testing.T) {
	d := newDouble(t, "1.41")
	ca, server := certificate(t)
	server.Config.Handler = d
	host := "tcp://" + server.Listener.Addr().String()
	none := func(string) string { return "" }
	for name, tt := range map[string]struct {
		cfg  Config
		want reconcile.Reason
	}{
		"a CA that signed it":           {cfg: Config{CACert: ca}},
		"the system's roots do not":     {cfg: Config{TLSVerify: ptr(true)}, want: reconcile.ReasonUnreachable},
		"unverified in so many words":   {cfg: Config{TLSVerify: ptr(false)}},
		"plain to a server that is not": {cfg: Config{}, want: reconcile.ReasonInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			tt.cfg.Host, tt.cfg.Env = host, none
			if tt.cfg.TLSVerify != nil {
				tt.cfg.Env = func(k string) string { return map[string]string{"DOCKER_CONFIG": t.TempDir()}[k] }
			}
			b, err := New(tt.cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Ping(context.Background()); reconcile.ReasonOf(err) != tt.want {
				t.Errorf("reason %q, want %q: %v", reconcile.ReasonOf(err), tt.want, err)
			}
		})
	}
}

func TestAdviceFitsTheTransport(t *testing.T) {
	for host, want := range map[string]string{
		"ssh://deploy@prod.example:2222": "ssh -p 2222 deploy@prod.example docker version",
		"tcp://10.0.0.1:2376":            "certificates",
		"unix:///var/run/docker.sock":    "may use its socket",
	} {
		b, err := New(Config{Host: host, Env: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.endpoint.advice(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", host, got)
		}
	}
}
