package main

import (
	"crypto/sha256"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// version is baked into the image as a file, so that images of one program differ.
func version() string {
	b, err := os.ReadFile("/version")
	if err != nil {
		return "dev"
	}
	return strings.TrimSpace(string(b))
}

// handler serves:
//
//	/               page: version, host name, greeting, and what the upstream's /counter says
//	/version        version
//	/healthz        200, or 503 while unhealthy
//	/env/NAME       value of an environment variable, 404 if unset
//	/file?path=P    content of a file (configs, secrets, volumes)
//	/secret         length and SHA-256 of the secret file
//	/counter        how often it was asked, counted in Redis
//	/kv/KEY         GET and PUT a value in Redis
//	/up/PATH        the upstream's answer to /PATH
func handler(o options) http.Handler {
	started := time.Now()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, version()) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if o.unhealthy || time.Since(started) < o.readyAfter {
			http.Error(w, "not healthy", http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /env/{name}", func(w http.ResponseWriter, r *http.Request) {
		v, ok := os.LookupEnv(r.PathValue("name"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, v)
	})
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusNotFound)(readFile(r.URL.Query().Get("path")))
	})
	mux.HandleFunc("GET /secret", func(w http.ResponseWriter, _ *http.Request) {
		text, err := readFile(o.secret)
		answer(w, http.StatusNotFound)(fmt.Sprintf("%d bytes, sha256 %x", len(text), sha256.Sum256([]byte(text))), err)
	})
	mux.HandleFunc("GET /counter", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusBadGateway)(redis(o.redis, "INCR", "counter"))
	})
	mux.HandleFunc("GET /kv/{key}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusBadGateway)(redis(o.redis, "GET", r.PathValue("key")))
	})
	mux.HandleFunc("PUT /kv/{key}", func(w http.ResponseWriter, r *http.Request) {
		value, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, http.StatusBadGateway)(redis(o.redis, "SET", r.PathValue("key"), string(value)))
	})
	mux.HandleFunc("GET /up/{path...}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusBadGateway)(ask(o.upstream, r.PathValue("path")))
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { page(w, o) })
	return mux
}

// page is what a visitor sees; a part that cannot be had makes it a 502, since a page without it proves nothing.
func page(w http.ResponseWriter, o options) {
	host, _ := os.Hostname()
	var rows strings.Builder
	row := func(name, value string) {
		fmt.Fprintf(&rows, "<tr><th>%s</th><td>%s</td></tr>\n", name, html.EscapeString(value))
	}
	row("version", version())
	row("host", host)
	status := http.StatusOK
	part := func(name, value string, err error) {
		if err != nil {
			status, value = http.StatusBadGateway, err.Error()
		}
		row(name, value)
	}
	if o.greeting != "" {
		text, err := readFile(o.greeting)
		part("greeting", text, err)
	}
	if o.upstream != "" {
		text, err := ask(o.upstream, "version")
		part("api version", text, err)
		text, err = ask(o.upstream, "secret")
		part("api secret", text, err)
		text, err = ask(o.upstream, "counter")
		part("visits", text, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html>\n<title>test app</title>\n<table>\n%s</table>\n", rows.String())
}

func answer(w http.ResponseWriter, onError int) func(string, error) {
	return func(text string, err error) {
		if err != nil {
			http.Error(w, err.Error(), onError)
			return
		}
		fmt.Fprint(w, text)
	}
}

func readFile(path string) (string, error) {
	b, err := os.ReadFile(path)
	return string(b), err
}

// ask gets a path of another service.
func ask(base, path string) (string, error) {
	client := &http.Client{Timeout: 5 * time.Second}
	res, err := client.Get(strings.TrimSuffix(base, "/") + "/" + path)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s: %s", res.Request.URL, res.Status, strings.TrimSpace(string(body)))
	}
	return string(body), err
}
