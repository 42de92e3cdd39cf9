package main

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	tunnelID   = "6ff42ae2-765d-4adf-8112-31c55c1551ef"
	goodToken  = `{"a":"account","t":"` + tunnelID + `","s":"c2VjcmV0"}`
	otherToken = `{"a":"account","t":"` + tunnelID + `","s":"b3RoZXI="}`
)

func encode(token string) string { return base64.StdEncoding.EncodeToString([]byte(token)) }

func TestCommandLineAndEnvironment(t *testing.T) {
	file := func(content string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return "TUNNEL_TOKEN_FILE=" + path
	}
	good := file(encode(goodToken), 0o444)
	run := "tunnel --no-autoupdate --metrics 0.0.0.0:2000 run"
	for _, test := range []struct {
		name, args string
		env        []string
		uid        int
		verb       string
		refused    string // what the refusal says
	}{
		{name: "the contract's command runs", args: run, env: []string{good}, verb: "run"},
		{name: "the image's entrypoint may come before it", args: "--no-autoupdate " + run, env: []string{good}, verb: "run"},
		{name: "space around the token is not part of it", args: run, env: []string{file("\n"+encode(goodToken)+"\n", 0o444)}, verb: "run"},
		{name: "the probe needs no token", args: "tunnel --metrics localhost:2000 ready", verb: "ready"},
		{name: "the image's own command tells the version", args: "version", verb: "version"},

		{name: "a token argument is refused", args: "tunnel --no-autoupdate --metrics :2000 run --token " + encode(goodToken), env: []string{good}, refused: "among the arguments"},
		{name: "a token argument with an equals sign is refused", args: "tunnel run --token=" + encode(goodToken), env: []string{good}, refused: "among the arguments"},
		{name: "a token file as an argument is not the contract", args: "tunnel --no-autoupdate --metrics :2000 run --token-file /run/secrets/token", env: []string{good}, refused: "among the arguments"},
		{name: "a bare token is refused", args: "tunnel run " + encode(goodToken), env: []string{good}, refused: "among the arguments"},
		{name: "TUNNEL_TOKEN is refused", args: run, env: []string{"TUNNEL_TOKEN=" + encode(goodToken)}, refused: "TUNNEL_TOKEN is set"},
		{name: "TUNNEL_TOKEN is refused beside a file too", args: run, env: []string{good, "TUNNEL_TOKEN="}, refused: "TUNNEL_TOKEN is set"},
		{name: "no token is refused", args: run, refused: "TUNNEL_TOKEN_FILE is not set"},
		{name: "a missing file is refused", args: run, env: []string{"TUNNEL_TOKEN_FILE=/nowhere/token"}, refused: "/nowhere/token"},
		{name: "another user is refused", args: run, env: []string{good}, uid: 1, refused: "runs as user 1"},
		{name: "no update check must be made", args: "tunnel --metrics 0.0.0.0:2000 run", env: []string{good}, refused: "it was called with"},
		{name: "without metrics there is no readiness", args: "tunnel --no-autoupdate run", env: []string{good}, refused: "it was called with"},
		{name: "metrics need a port", args: "tunnel --no-autoupdate --metrics localhost run", env: []string{good}, refused: "missing port"},
		{name: "a named tunnel is not the contract", args: run + " shop", env: []string{good}, refused: "it was called with"},
		{name: "options of run alone are not the contract", args: "tunnel run --no-autoupdate --metrics :2000", env: []string{good}, refused: "it was called with"},
		{name: "no command is refused", args: "", refused: "it was called with"},

		{name: "a token that is not base64 is refused", args: run, env: []string{file(goodToken, 0o444)}, refused: "not base64"},
		{name: "a token without padding is refused", args: run, env: []string{file(strings.TrimRight(encode(`{"a":"accounts","t":"`+tunnelID+`","s":"c2VjcmV0"}`), "="), 0o444)}, refused: "not base64"},
		{name: "a token that is not JSON is refused", args: run, env: []string{file(encode("a t s"), 0o444)}, refused: "not base64 of a JSON object"},
		{name: "a token without account is refused", args: run, env: []string{file(encode(`{"t":"`+tunnelID+`","s":"c2VjcmV0"}`), 0o444)}, refused: "lacks one of"},
		{name: "a token without secret is refused", args: run, env: []string{file(encode(`{"a":"account","t":"`+tunnelID+`"}`), 0o444)}, refused: "lacks one of"},
		{name: "a token whose tunnel is no UUID is refused", args: run, env: []string{file(encode(`{"a":"account","t":"shop","s":"c2VjcmV0"}`), 0o444)}, refused: "not base64 of a JSON object"},
		{name: "a token whose secret is not base64 is refused", args: run, env: []string{file(encode(`{"a":"account","t":"`+tunnelID+`","s":"?"}`), 0o444)}, refused: "not base64 of a JSON object"},
		{name: "an empty file is refused", args: run, env: []string{file("", 0o444)}, refused: "not valid"},
	} {
		t.Run(test.name, func(t *testing.T) {
			uid := user
			if test.uid != 0 {
				uid = test.uid
			}
			env := func(name string) (string, bool) {
				for _, v := range test.env {
					if value, ok := strings.CutPrefix(v, name+"="); ok {
						return value, true
					}
				}
				return "", false
			}
			got, err := parse(strings.Fields(test.args), env, uid)
			switch {
			case test.refused == "" && (err != nil || got.verb != test.verb):
				t.Errorf("got verb %q, error %v; want verb %q", got.verb, err, test.verb)
			case test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)):
				t.Errorf("got error %v; want one that says %q", err, test.refused)
			case err != nil && strings.Contains(err.Error(), "c2VjcmV0"):
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
}
