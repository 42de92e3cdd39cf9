// Command testapp is what the test swarms run: a static program that can play a web page, an API, a job, or any
// kind of failure, told by flags (or environment: -exit-code is APP_EXIT_CODE).
//
//	app [serve] [flags]   HTTP server (the default)
//	app job [flags]       prints its lines, waits, and ends with -exit-code
//	app healthcheck [-url http://127.0.0.1:8080/healthz]
//
// It ends at once on SIGTERM, so that services drain quickly.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// options is what flags and environment say.
type options struct {
	listen     string        // address to serve on
	exitCode   int           // code to end with
	exitAfter  time.Duration // end by itself after this long; 0 = a server never does, a job at once
	message    string        // written to stderr before a self-chosen end
	lines      int           // numbered lines to print at the start
	unhealthy  bool          // /healthz never answers 200
	readyAfter time.Duration // /healthz answers 503 until then
	ignoreTerm bool          // SIGTERM is not answered
	redis      string        // host:port for /counter and /kv/
	upstream   string        // base URL that /up/ passes requests to, and that the page shows
	greeting   string        // file whose text the page shows
	secret     string        // file; /secret tells its length and digest, never its text
	url        string        // what healthcheck asks
}

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	mode := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		mode, args = args[0], args[1:]
	}
	o, err := parse(args)
	if err != nil {
		return 2
	}
	switch mode {
	case "healthcheck":
		return healthcheck(o.url)
	case "job", "serve":
	default:
		fmt.Fprintf(os.Stderr, "unknown mode %q: serve, job or healthcheck\n", mode)
		return 2
	}

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if o.ignoreTerm {
		signal.Ignore(syscall.SIGTERM)
	} else {
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
		defer stop()
	}
	for i := range o.lines {
		fmt.Printf("line %d\n", i+1)
	}
	if mode == "job" {
		return job(ctx, o)
	}
	return serve(ctx, o)
}

// parse reads flags; the default of each is its environment variable.
func parse(args []string) (options, error) {
	var o options
	fs := flag.NewFlagSet("app", flag.ContinueOnError)
	fs.StringVar(&o.listen, "listen", ":8080", "")
	fs.IntVar(&o.exitCode, "exit-code", 0, "")
	fs.DurationVar(&o.exitAfter, "exit-after", 0, "")
	fs.StringVar(&o.message, "message", "", "")
	fs.IntVar(&o.lines, "lines", 0, "")
	fs.BoolVar(&o.unhealthy, "unhealthy", false, "")
	fs.DurationVar(&o.readyAfter, "ready-after", 0, "")
	fs.BoolVar(&o.ignoreTerm, "ignore-term", false, "")
	fs.StringVar(&o.redis, "redis", "", "")
	fs.StringVar(&o.upstream, "upstream", "", "")
	fs.StringVar(&o.greeting, "greeting", "", "")
	fs.StringVar(&o.secret, "secret", "", "")
	fs.StringVar(&o.url, "url", "http://127.0.0.1:8080/healthz", "")
	var bad []error
	fs.VisitAll(func(f *flag.Flag) {
		name := "APP_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if v, ok := os.LookupEnv(name); ok {
			if err := fs.Set(f.Name, v); err != nil {
				bad = append(bad, fmt.Errorf("%s=%q: %w", name, v, err))
			}
		}
	})
	if err := errors.Join(bad...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return o, err
	}
	return o, fs.Parse(args)
}

// job waits for its time, says its message, and ends with its code.
func job(ctx context.Context, o options) int {
	select {
	case <-ctx.Done():
		return 0
	case <-time.After(o.exitAfter):
	}
	return o.end()
}

func (o options) end() int {
	if o.message != "" {
		fmt.Fprintln(os.Stderr, o.message)
	}
	return o.exitCode
}

// serve answers until told to stop, or until its time is over.
func serve(ctx context.Context, o options) int {
	failed := make(chan error, 1)
	server := &http.Server{Addr: o.listen, Handler: handler(o), ReadHeaderTimeout: 10 * time.Second}
	go func() { failed <- server.ListenAndServe() }()
	var over <-chan time.Time
	if o.exitAfter > 0 || o.exitCode != 0 {
		over = time.After(o.exitAfter)
	}
	fmt.Printf("test-app %s serves on %s\n", version(), o.listen)
	select {
	case <-ctx.Done():
		return 0
	case <-over:
		return o.end()
	case err := <-failed:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
}

// healthcheck is the exec-form probe of an image that has no shell.
func healthcheck(url string) int {
	client := &http.Client{Timeout: 2 * time.Second}
	res, err := client.Get(url)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		fmt.Println(url, "answered", res.Status)
		return 1
	}
	return 0
}
