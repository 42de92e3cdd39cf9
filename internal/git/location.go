package git

import (
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
)

// location is where a repository is.
type location struct {
	// scheme is https, http, ssh or file.
	scheme string
	// user is the one of the URL, for ssh.
	user string
	// host is in small letters and without brackets; port is empty where the URL
	// has none.
	host, port string
	// path is that of the URL, or of the folder.
	path string
}

// scp is how ssh locations are often written: git@host:path.
var scp = regexp.MustCompile(`^(?:([A-Za-z0-9_.-]+)@)?([A-Za-z0-9.-]+):([^\\].*)$`)

// CheckURL tells whether a text can be the URL of a repository: https://, ssh://
// and git@host:path, file://, and http:// for those who write it. The error is of
// type *Error.
func CheckURL(text string) error {
	_, err := parseURL(text)
	return err
}

func parseURL(text string) (location, error) {
	invalid := func(detail string) (location, error) {
		shown := text
		if strings.Contains(text, "@") {
			shown = "(not shown, as it may hold a password)"
		}
		return location{}, &Error{Reason: Invalid, Op: "use", Ref: "the URL", URL: shown, Detail: detail,
			Next: "Write https://host/path, ssh://git@host/path, git@host:path or file:///path."}
	}
	if m := scp.FindStringSubmatch(text); m != nil && !strings.Contains(text, "://") && len(m[2]) > 1 {
		return location{scheme: "ssh", user: m[1], host: strings.ToLower(m[2]), path: m[3]}, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return invalid("It is not a URL.")
	}
	at := location{scheme: strings.ToLower(u.Scheme), user: u.User.Username(), host: strings.ToLower(u.Hostname()), port: u.Port(), path: u.Path}
	_, password := u.User.Password()
	switch {
	case password, at.user != "" && at.scheme != "ssh":
		return invalid("It holds a user name or password. Credentials would be stored in state and plan with it: they belong into the provider's git_auth.")
	case u.RawQuery != "" || u.Fragment != "":
		return invalid("It has a query or a fragment.")
	case at.path == "" || at.path == "/":
		return invalid("It names no repository.")
	}
	switch at.scheme {
	case "https", "http", "ssh":
		if at.host == "" {
			return invalid("It names no host.")
		}
		return at, nil
	case "file":
		if at.host != "" && at.host != "localhost" {
			return invalid("A file:// URL has three slashes, then an absolute path.")
		}
		return location{scheme: "file", path: filepath.FromSlash(at.path)}, nil
	}
	return invalid("Its scheme is none that is supported.")
}

func (l location) local() bool { return l.scheme == "file" }

// hostPort is the host with the port, if one is written.
func (l location) hostPort() string {
	if l.port == "" {
		return l.host
	}
	return net.JoinHostPort(l.host, l.port)
}

// String is the URL in one spelling. It holds no password, since no URL with one
// is taken.
func (l location) String() string {
	if l.local() {
		return "file://" + filepath.ToSlash(l.path)
	}
	host := l.hostPort()
	if l.port == "" && strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if l.user != "" {
		host = l.user + "@" + host
	}
	if !strings.HasPrefix(l.path, "/") {
		return host + ":" + l.path // as scp writes it: relative to the user's home
	}
	return l.scheme + "://" + host + l.path
}
