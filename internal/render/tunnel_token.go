package render

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
)

// uuid is the form of a tunnel's id.
var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// checkToken refuses what cloudflared refuses (ParseToken in its
// cmd/cloudflared/tunnel, and TunnelToken in its connection): a token is base64 of
// a JSON object with the account in a, the tunnel's id in t and, in base64 again,
// the secret in s. Nothing of it is quoted, and the secret joins what is hidden in
// the words of others.
func (s *server) checkToken(token string) {
	refuse := func(what string) {
		s.attributeError([]string{"token_wo"}, "Invalid tunnel token",
			what+" Take the token anew from Cloudflare: it is the long text after `--token` or `service install` in the command that is shown for a connector, and begins with eyJ. "+
				"The token is not quoted here.")
	}
	switch {
	case token == "":
		refuse("It is empty.")
		return
	case strings.ContainsAny(token, " \t\r\n"):
		refuse("It has a space or line break in it: one token has neither, and a whole command is none.")
		return
	}
	text, err := base64.StdEncoding.DecodeString(token)
	if err != nil {
		refuse("It is not base64, or a part of it is missing.")
		return
	}
	var content struct {
		Account string `json:"a"`
		Tunnel  string `json:"t"`
		Secret  string `json:"s"`
	}
	if json.Unmarshal(text, &content) != nil {
		refuse("Decoded it is not the JSON that a token consists of, or a part of it is missing.")
		return
	}
	s.out.Sensitive = append(s.out.Sensitive, content.Secret)
	var missing []string
	for _, field := range []struct{ name, value string }{{"account (a)", content.Account}, {"tunnel (t)", content.Tunnel}, {"secret (s)", content.Secret}} {
		if field.value == "" {
			missing = append(missing, field.name)
		}
	}
	if len(missing) > 0 {
		refuse("It has no " + strings.Join(missing, ", no ") + ".")
		return
	}
	if !uuid.MatchString(content.Tunnel) {
		refuse("The tunnel in it is no tunnel's id.")
	}
	if _, err := base64.StdEncoding.DecodeString(content.Secret); err != nil {
		refuse("The secret in it is not base64.")
	}
}
