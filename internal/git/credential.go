package git

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
)

// Credential is what one host is told, and what it is recognised by.
type Credential struct {
	// Host is the host of the URL, with a port ("git.example.com:2222") to be for
	// that port alone.
	Host string
	// Username and Password are for http and https. A token is a password; the
	// user name is then whatever the host wants, or anything.
	Username, Password string
	// PrivateKey (PEM) and its Passphrase are for ssh. Without a key the SSH agent
	// is asked.
	PrivateKey, Passphrase string
	// KnownHosts are lines as in ~/.ssh/known_hosts, which is read without them.
	KnownHosts string
	// CACert (PEM) is trusted beside the system's authorities, for https.
	CACert string
}

// credential is the entry for a location: of those that hold something for its
// scheme the one with the port, else the one without.
func (c *Client) credential(at location) Credential {
	var found Credential
	for _, candidate := range c.credentials {
		host := strings.ToLower(candidate.Host)
		if !candidate.serves(at.scheme) || host != at.host && host != at.hostPort() {
			continue
		}
		if found.Host == "" || host == at.hostPort() {
			found = candidate
		}
	}
	return found
}

func (c Credential) serves(scheme string) bool {
	if scheme == "ssh" {
		return c.PrivateKey != "" || c.KnownHosts != ""
	}
	return c.Password != "" || c.Username != "" || c.CACert != ""
}

// httpAuth is nil without a user name and password: go-git then asks
// anonymously.
func (c Credential) httpAuth() transport.AuthMethod {
	if c.Username == "" && c.Password == "" {
		return nil
	}
	user := c.Username
	if user == "" {
		user = "git" // hosts that take tokens do not look at it, and basic authentication needs one
	}
	return &githttp.BasicAuth{Username: user, Password: c.Password}
}

// httpClient verifies certificates against the system's authorities and those of
// the credential.
func (c Credential) httpClient(l limits) (*http.Client, error) {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		base = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	base = base.Clone()
	base.ResponseHeaderTimeout = time.Minute
	if c.CACert != "" {
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		if !roots.AppendCertsFromPEM([]byte(c.CACert)) {
			return nil, &Error{Reason: Untrusted, Detail: "ca_cert of the provider's git_auth holds no certificate.", Next: "Give PEM text: -----BEGIN CERTIFICATE-----."}
		}
		base.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: bounded{base, l}}, nil
}

// sshAuth proves who we are with a key or the agent, and has the host prove who
// it is by known hosts.
func (c Credential) sshAuth(at location, verified *bool) (transport.AuthMethod, error) {
	user := at.user
	if user == "" {
		user = gitssh.DefaultUsername
	}
	hosts, err := c.hostKeys(at, verified)
	if err != nil {
		return nil, err
	}
	if c.PrivateKey == "" {
		agent, err := gitssh.NewSSHAgentAuth(user)
		if err != nil {
			return nil, &Error{Reason: Unauthorized, Err: err, Detail: "There is no key for the host, and no SSH agent to ask.",
				Next: "Give ssh_private_key in the provider's git_auth for this host, or start an agent (SSH_AUTH_SOCK)."}
		}
		agent.HostKeyCallbackHelper = hosts
		return agent, nil
	}
	// The cause is not shown: it may quote what is no key.
	keys, err := gitssh.NewPublicKeys(user, []byte(strings.TrimSpace(c.PrivateKey)+"\n"), c.Passphrase)
	if err != nil {
		return nil, &Error{Reason: Unauthorized, Detail: "ssh_private_key of the provider's git_auth cannot be read with its ssh_passphrase.",
			Next: "Give a key in OpenSSH or PEM format, the whole of the file, and its passphrase if it has one."}
	}
	keys.HostKeyCallbackHelper = hosts
	return keys, nil
}

// hostKeys accepts the keys of known hosts alone, and notes when it did.
func (c Credential) hostKeys(at location, verified *bool) (gitssh.HostKeyCallbackHelper, error) {
	var files []string
	if c.KnownHosts != "" {
		file, err := temporaryFile(c.KnownHosts)
		if err != nil {
			return gitssh.HostKeyCallbackHelper{}, &Error{Reason: Local, Err: err}
		}
		defer func() { _ = os.Remove(file) }()
		files = []string{file}
	}
	known, err := gitssh.NewKnownHostsDb(files...)
	if err != nil {
		return gitssh.HostKeyCallbackHelper{}, &Error{Reason: Untrusted, Err: err, Detail: "Without known hosts nobody can tell whether the host is the right one.", Next: knownHostsAdvice}
	}
	port := at.port
	if port == "" {
		port = "22"
	}
	accept := known.HostKeyCallback()
	return gitssh.HostKeyCallbackHelper{
		HostKeyCallback: func(host string, remote net.Addr, key ssh.PublicKey) error {
			if err := accept(host, remote, key); err != nil {
				return &Error{Reason: Untrusted, Err: err, Detail: "It showed the key " + key.Type() + " " + ssh.FingerprintSHA256(key) + ", which is not among the known hosts.", Next: knownHostsAdvice}
			}
			*verified = true
			return nil
		},
		HostKeyAlgorithms: known.HostKeyAlgorithms(at.host + ":" + port),
	}, nil
}

const knownHostsAdvice = "Compare the key with what the host's operator publishes, then add its line to known_hosts of the provider's git_auth, or to ~/.ssh/known_hosts. ssh-keyscan prints such lines."

func temporaryFile(text string) (string, error) {
	file, err := os.CreateTemp("", "known_hosts")
	if err != nil {
		return "", err
	}
	if _, err = file.WriteString(text); err != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
		return "", err
	}
	return file.Name(), file.Close()
}
