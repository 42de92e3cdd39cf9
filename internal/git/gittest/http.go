package gittest

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// HTTP serves the repositories below a folder with git's own git-http-backend.
type HTTP struct {
	*httptest.Server
	lists, fetches atomic.Int64
	intercept      atomic.Pointer[Interceptor]
}

// Interceptor may answer a request itself, and says so.
type Interceptor func(http.ResponseWriter, *http.Request) bool

// Intercept puts something before the repositories.
func (h *HTTP) Intercept(i Interceptor) { h.intercept.Store(&i) }

// ServeHTTP starts a server for the folder root. With a user it asks for basic
// authentication.
func ServeHTTP(t testing.TB, root, user, password string) *HTTP {
	t.Helper()
	return start(t, root, user, password, httptest.NewServer)
}

// ServeHTTPS is ServeHTTP with a certificate that nobody knows: that of Server.
func ServeHTTPS(t testing.TB, root, user, password string) *HTTP {
	t.Helper()
	return start(t, root, user, password, httptest.NewTLSServer)
}

func start(t testing.TB, root, user, password string, serve func(http.Handler) *httptest.Server) *HTTP {
	t.Helper()
	execPath, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Skip("needs git-http-backend, which comes with git: ", err)
	}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(execPath)), "git-http-backend"),
		Env:  append(environment(), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1"),
	}
	h := &HTTP{}
	h.Server = serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i := h.intercept.Load(); i != nil && (*i)(w, r) {
			return
		}
		if u, p, _ := r.BasicAuth(); user != "" && (u != user || p != password) {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
			h.fetches.Add(1)
		} else {
			h.lists.Add(1)
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

// Lists is how often references were asked for since the last Reset, Fetches how
// often objects were.
func (h *HTTP) Lists() int { return int(h.lists.Load()) }

// Fetches is how often objects were asked for since the last Reset.
func (h *HTTP) Fetches() int { return int(h.fetches.Load()) }

// Reset begins counting anew.
func (h *HTTP) Reset() {
	h.lists.Store(0)
	h.fetches.Store(0)
}
