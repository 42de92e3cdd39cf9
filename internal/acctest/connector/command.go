package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// user is the number that cloudflared's image runs as.
const user = 65532

// command is what the command line asks for.
type command struct {
	verb    string // run, ready or version
	metrics string // address to serve /ready at, or to ask
	token   token  // of run
}

// token is what a tunnel's token says.
type token struct {
	Account string    `json:"a"`
	Tunnel  uuid.UUID `json:"t"`
	Secret  []byte    `json:"s"`
	text    string    // as it was given
}

// parse reads a command line as cloudflared would, and refuses what its contract with this provider leaves out.
func parse(args []string, env func(string) (string, bool), uid int) (command, error) {
	// The entrypoint of the official image ends with this option; a service's arguments come after it.
	if len(args) > 0 && args[0] == "--no-autoupdate" {
		args = args[1:]
	}
	const wanted = "`tunnel --no-autoupdate --metrics ADDRESS run` or `tunnel --metrics ADDRESS ready`"
	like := func(pattern ...string) bool {
		return slices.EqualFunc(args, pattern, func(arg, want string) bool { return arg == want || want == "ADDRESS" })
	}
	switch {
	case like("version"), like("--version"):
		return command{verb: "version"}, nil
	case like("tunnel", "--metrics", "ADDRESS", "ready"):
		return command{verb: "ready", metrics: args[2]}, address(args[2])
	case like("tunnel", "--no-autoupdate", "--metrics", "ADDRESS", "run"):
		if err := address(args[3]); err != nil {
			return command{}, err
		}
		t, err := findToken(env, uid)
		return command{verb: "run", metrics: args[3], token: t}, err
	case slices.ContainsFunc(args, holdsToken):
		return command{}, errors.New("a token is among the arguments, where everybody who lists services or processes reads it; it belongs into the file that TUNNEL_TOKEN_FILE names")
	default:
		return command{}, fmt.Errorf("it was called with %q; it takes %s", args, wanted)
	}
}

func address(text string) error {
	if _, _, err := net.SplitHostPort(text); err != nil {
		return fmt.Errorf("--metrics: %w", err)
	}
	return nil
}

func holdsToken(arg string) bool {
	_, err := parseToken(arg)
	return err == nil || strings.HasPrefix(arg, "--token") || strings.HasPrefix(arg, "-token")
}

// findToken reads the token from the only place it may be at.
func findToken(env func(string) (string, bool), uid int) (token, error) {
	if uid != user {
		return token{}, fmt.Errorf("it runs as user %d; cloudflared's image runs as %d", uid, user)
	}
	if _, ok := env("TUNNEL_TOKEN"); ok {
		return token{}, errors.New("TUNNEL_TOKEN is set, where everybody who inspects the service reads it; the token belongs into the file that TUNNEL_TOKEN_FILE names")
	}
	path, ok := env("TUNNEL_TOKEN_FILE")
	if !ok || path == "" {
		return token{}, errors.New("TUNNEL_TOKEN_FILE is not set: it names the file that holds the tunnel's token")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return token{}, fmt.Errorf("the token of TUNNEL_TOKEN_FILE cannot be read by user %d: %w", uid, err)
	}
	t, err := parseToken(strings.TrimSpace(string(text)))
	if err != nil {
		return token{}, fmt.Errorf("the token in %s is not valid: %w", path, err)
	}
	return t, nil
}

// parseToken reads a token: JSON in base64, with a tunnel that is a UUID and a secret that is base64 again.
func parseToken(text string) (token, error) {
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return token{}, fmt.Errorf("it is not base64: %w", err)
	}
	t := token{text: text}
	// The errors of these two would quote the content.
	if err := json.Unmarshal(content, &t); err != nil {
		return token{}, errors.New("it is not base64 of a JSON object with account `a`, tunnel `t` (a UUID) and secret `s` (base64)")
	}
	if t.Account == "" || t.Tunnel == uuid.Nil || len(t.Secret) == 0 {
		return token{}, errors.New("it lacks one of account `a`, tunnel `t` and secret `s`")
	}
	return t, nil
}
