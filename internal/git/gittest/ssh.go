package gittest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// SSH is an ssh server that knows one key.
type SSH struct {
	// Addr is host:port, User who to be.
	Addr, User string
	// Key is the private key that it knows, KnownHosts the line of its own key.
	Key, KnownHosts string
}

// URL is that of a repository by its absolute path.
func (s *SSH) URL(dir string) string { return "ssh://" + s.User + "@" + s.Addr + dir }

// ServeSSH is a stand-in for a git host: a small ssh server that runs
// git-upload-pack and nothing else.
func ServeSSH(t testing.TB) *SSH {
	t.Helper()
	client, host := NewKey(t), NewKey(t)
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) != string(client.Signer.PublicKey().Marshal()) {
			return nil, errors.New("unknown key")
		}
		return nil, nil
	}}
	config.AddHostKey(host.Signer)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn, config)
		}
	}()
	addr := listener.Addr().String()
	return &SSH{Addr: addr, User: "git", Key: client.PEM, KnownHosts: knownhosts.Line([]string{addr}, host.Signer.PublicKey())}
}

func serve(conn net.Conn, config *ssh.ServerConfig) {
	defer func() { _ = conn.Close() }()
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = channel.Close() }()
			for req := range requests {
				var payload struct{ Command string }
				if req.Type != "exec" || ssh.Unmarshal(req.Payload, &payload) != nil {
					_ = req.Reply(req.Type == "env", nil)
					continue
				}
				_ = req.Reply(true, nil)
				status := struct{ Code uint32 }{runUploadPack(payload.Command, channel)}
				_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(status))
				return
			}
		}()
	}
}

func runUploadPack(command string, channel ssh.Channel) uint32 {
	dir, ok := strings.CutPrefix(command, "git-upload-pack ")
	if !ok {
		_, _ = io.WriteString(channel.Stderr(), "not allowed\n")
		return 1
	}
	cmd := exec.Command("git-upload-pack", strings.Trim(dir, "'"))
	cmd.Env, cmd.Stdout, cmd.Stderr = environment(), channel, channel.Stderr()
	stdin, err := cmd.StdinPipe() // as Stdin, it would have to end before the command does
	if err != nil {
		return 1
	}
	go func() { _, _ = io.Copy(stdin, channel) }()
	if cmd.Run() != nil {
		return 1
	}
	return 0
}

// ServeOpenSSH starts the real thing, OpenSSH's sshd, for the user that the tests
// run as.
func ServeOpenSSH(t testing.TB) *SSH {
	t.Helper()
	sshd := openSSH()
	if sshd == "" {
		t.Skip("needs OpenSSH's sshd (apt-get install openssh-server)")
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if me.Uid == "0" { // where sshd puts its unprivileged half
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	client, host := NewKey(t), NewKey(t)
	dir := t.TempDir()
	port := freePort(t)
	files := map[string]string{
		"host_key":        host.PEM,
		"authorized_keys": string(ssh.MarshalAuthorizedKey(client.Signer.PublicKey())),
		"config": strings.Join([]string{
			"Port " + port, "ListenAddress 127.0.0.1", "HostKey " + filepath.Join(dir, "host_key"), "PidFile none", "UsePAM no", "StrictModes no",
			"AuthorizedKeysFile " + filepath.Join(dir, "authorized_keys"), "PasswordAuthentication no", "KbdInteractiveAuthentication no", "PermitRootLogin yes", "",
		}, "\n"),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	cmd := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(dir, "config"))
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	addr := net.JoinHostPort("127.0.0.1", port)
	for deadline := time.Now().Add(10 * time.Second); ; {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("sshd does not listen: %v\n%s", err, log.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
	return &SSH{Addr: addr, User: me.Username, Key: client.PEM, KnownHosts: knownhosts.Line([]string{addr}, host.Signer.PublicKey())}
}

// ServeBestSSH starts OpenSSH's sshd where it is installed, else the stand-in.
func ServeBestSSH(t testing.TB) *SSH {
	t.Helper()
	if openSSH() != "" {
		return ServeOpenSSH(t)
	}
	return ServeSSH(t)
}

// openSSH is the path of sshd, empty where there is none. Users do not have its
// folder in their PATH.
func openSSH() string {
	for _, name := range []string{"sshd", "/usr/sbin/sshd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	addr, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatalf("listening on %s", listener.Addr())
	}
	return strconv.Itoa(addr.Port)
}

// Key is a private key in both forms.
type Key struct {
	Signer ssh.Signer
	// PEM is in OpenSSH's format.
	PEM string
}

// NewKey makes a key. Its PEM text needs the passphrase, if there is one.
func NewKey(t testing.TB, passphrase ...string) Key {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if len(passphrase) > 0 {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase[0]))
	}
	if err != nil {
		t.Fatal(err)
	}
	return Key{Signer: signer, PEM: string(pem.EncodeToMemory(block))}
}

// Public is the public half as in known_hosts, without its type.
func (k Key) Public() string {
	return strings.Fields(string(ssh.MarshalAuthorizedKey(k.Signer.PublicKey())))[1]
}
