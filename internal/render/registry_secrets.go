package render

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/crypto/bcrypt"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// maxBcryptBytes is how much of a password bcrypt looks at; the library refuses
// more.
const maxBcryptBytes = 72

// registryConfig adds the configuration file. It is a secret for the sake of
// http.secret alone, which signs the state of uploads: a value that nobody needs
// to know, made once.
func (s *server) registryConfig() string {
	const key = "config"
	return s.derived(key, []byte("configuration 1"), &object.Derived{
		Keys: []string{key},
		Make: func() (map[string][]byte, error) {
			var random [32]byte
			rand.Read(random[:]) // never fails, see its documentation
			return map[string][]byte{key: fmt.Appendf(nil, `version: 0.1
http:
  addr: :%d
  secret: %s
storage:
  filesystem:
    rootdirectory: %s
`, registryPort, hex.EncodeToString(random[:]), registryData)}, nil
		},
	})
}

// htpasswd adds the file of users. bcrypt salts at random, so that the passwords
// and not the file tell whether something has changed.
func (s *server) htpasswd(users map[string]string) string {
	inputs, err := json.Marshal(users) // with sorted keys
	if err != nil {
		panic("render: a map of strings is no JSON: " + err.Error())
	}
	return s.derived(registryPassword, inputs, &object.Derived{
		Keys: []string{registryPassword},
		Make: func() (map[string][]byte, error) {
			file, err := htpasswd(users)
			return map[string][]byte{registryPassword: file}, err
		},
	})
}

func htpasswd(users map[string]string) ([]byte, error) {
	var file bytes.Buffer
	for _, user := range sortedKeys(users) {
		hash, err := bcrypt.GenerateFromPassword([]byte(users[user]), bcrypt.DefaultCost)
		if err != nil {
			return nil, fmt.Errorf("hash the password of user %s: %w", user, err)
		}
		fmt.Fprintf(&file, "%s:%s\n", user, hash)
	}
	return file.Bytes(), nil
}

// checkUsers refuses what a line `user:hash` cannot hold, what HTTP's basic
// authentication cannot send, and what bcrypt would cut. No password is quoted.
func (s *server) checkUsers(users map[string]string) {
	if len(users) == 0 {
		s.attributeError([]string{"users_wo"}, "No user", "Nobody could use the registry: give users_wo at least one user and password.")
	}
	for _, user := range sortedKeys(users) {
		at := []string{"users_wo", user}
		switch {
		case user == "":
			s.attributeError([]string{"users_wo"}, "A user without a name", "A key of users_wo is empty.")
		case strings.Contains(user, ":") || strings.HasPrefix(user, "#") || strings.TrimSpace(user) != user || hasControl(user):
			s.attributeError(at, fmt.Sprintf("Invalid user %q", excerpt(user)),
				"The name of a user has no colon and no control character, does not begin with # and neither begins nor ends with a space: the registry could not read it back from its file of users.")
		}
		switch password := users[user]; {
		case password == "":
			s.attributeError(at, fmt.Sprintf("The password of user %q is empty", excerpt(user)), "A password has 1 to 72 bytes.")
		case len(password) > maxBcryptBytes:
			s.attributeError(at, fmt.Sprintf("The password of user %q is too long", excerpt(user)),
				fmt.Sprintf("It has %d bytes. The registry keeps passwords as bcrypt, which takes 72: what is beyond would not count.", len(password)))
		case hasControl(password):
			s.attributeError(at, fmt.Sprintf("The password of user %q has a control character", excerpt(user)),
				"A line break is the likeliest, from a file or a command: take it off, for instance with `trimspace`.")
		}
	}
}

func hasControl(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }
