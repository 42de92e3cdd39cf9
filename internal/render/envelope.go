package render

import "strings"

// envelopes are what encrypted files begin with.
var envelopes = []struct{ start, kind string }{
	{"age-encryption.org/v1\n", "age"},
	{"-----BEGIN AGE ENCRYPTED FILE-----", "age"},
	{"-----BEGIN PGP MESSAGE-----", "PGP"},
	{"$ANSIBLE_VAULT;", "ansible-vault"},
	{"\x00GITCRYPT\x00", "git-crypt"},
}

// sopsValue begins every value that SOPS has encrypted, in all of its formats.
const sopsValue = "ENC[AES256_GCM,data:"

// envelope names what a text is encrypted with, empty when it does not look
// encrypted.
func envelope(text string) string {
	trimmed := strings.TrimLeft(text, " \t\r\n\ufeff")
	for _, e := range envelopes {
		if strings.HasPrefix(trimmed, e.start) {
			return e.kind
		}
	}
	if strings.Contains(text, sopsValue) {
		return "SOPS"
	}
	return ""
}
