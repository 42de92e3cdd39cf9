package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/distribution/reference"
)

// Limits of names and passwords, in bytes and in characters. PostgreSQL cuts longer
// names off, and MariaDB refuses them.
const (
	maxDatabaseName     = 63
	maxDatabasePassword = 128
)

// check reports whatever is wrong with the spec.
func (r *databaseRenderer) check() {
	r.checkVersion()
	r.checkNames()
	if p := r.spec.Password; p != nil {
		r.checkPassword(*p)
	}
	r.checkSettings()
}

func (r *databaseRenderer) checkVersion() {
	e := r.engine
	switch {
	case r.version == nil:
		r.attributeError([]string{"version"}, fmt.Sprintf("Wrong version %q", excerpt(r.spec.Version)),
			fmt.Sprintf("A version is a tag of the image %s that begins with its number, such as `%s`.", e.repository, e.example))
	case len(r.version) < e.line:
		r.attributeError([]string{"version"}, fmt.Sprintf("Version %q leaves the release open", r.spec.Version),
			fmt.Sprintf("Releases of %s that differ in their second number do not read each other's data. Write both, such as `%s`.", e.title, e.example))
	case r.version.compare(e.oldest) < 0:
		r.attributeError([]string{"version"}, fmt.Sprintf("%s %s is too old", e.title, r.spec.Version),
			fmt.Sprintf("%s is the oldest version that this resource knows how to run.", e.oldest))
	}
	if r.spec.Image == "" {
		return
	}
	named := r.checkImage(r.spec.Image)
	if named == nil {
		return
	}
	if reference.IsNameOnly(named) {
		r.attributeError([]string{"image"}, fmt.Sprintf("Image %q leaves the version open", excerpt(r.spec.Image)),
			"Write a tag or a digest: `registry.example.com/postgres:17.2`. The image has to behave like the engine's official one.")
		return
	}
	if tag := imageVersion(r.spec.Image); tag != nil && r.version != nil && tag.compare(r.version) != 0 {
		r.attributeError([]string{"image"}, fmt.Sprintf("Image %q is of another version", excerpt(r.spec.Image)),
			fmt.Sprintf("Its tag says %s, and `version` %s. They have to agree, because upgrades are judged by them.", tag, r.spec.Version))
	}
}

func (r *databaseRenderer) checkNames() {
	for _, n := range []struct {
		attribute, given, name string
		reserved               []string
	}{
		{"username", r.spec.Username, r.user, r.engine.reservedUsers},
		{"database", r.spec.Database, r.database, r.engine.reservedDatabases},
	} {
		at := []string{n.attribute}
		switch {
		case !r.engine.names:
			if n.given != "" {
				r.attributeError(at, fmt.Sprintf("%s has no %s", r.engine.title, n.attribute),
					"Its clients connect with the password alone, to database 0. Remove the attribute.")
			}
		case len(n.name) > maxDatabaseName || !plainText(n.name) || strings.TrimSpace(n.name) != n.name:
			r.attributeError(at, fmt.Sprintf("Wrong %s %q", n.attribute, excerpt(n.name)),
				fmt.Sprintf("It has at most %d bytes, no control characters, and no space at either end.", maxDatabaseName))
		case n.attribute == "username" && strings.ContainsAny(n.name, r.engine.unusable):
			r.attributeError(at, fmt.Sprintf("Wrong username %q", excerpt(n.name)),
				fmt.Sprintf("%s cannot be set up with a user whose name has one of %s in it.", r.engine.title, strings.Join(strings.Split(r.engine.unusable, ""), " ")))
		case slices.Contains(n.reserved, strings.ToLower(n.name)), n.attribute == "username" && r.engine.reservedPrefix != "" && strings.HasPrefix(n.name, r.engine.reservedPrefix):
			detail := "Choose another name."
			if n.given == "" {
				detail = fmt.Sprintf("It is taken from the name of the resource. Set `%s`.", n.attribute)
			}
			r.attributeError(at, fmt.Sprintf("The %s %q belongs to %s itself", n.attribute, n.name, r.engine.title), detail)
		}
	}
}

// plainText reports whether a text is valid and has no control characters, which
// the scripts in this package rely on.
func plainText(s string) bool {
	return utf8.ValidString(s) && !hasControl(s)
}

// checkPassword says nothing of the password itself.
func (r *databaseRenderer) checkPassword(password string) {
	if password == "" || utf8.RuneCountInString(password) > maxDatabasePassword || !plainText(password) {
		r.attributeError([]string{"password_wo"}, "Wrong password",
			fmt.Sprintf("A password has 1 to %d characters, none of which is a control character. One read from a file may end with a newline: use trimspace().", maxDatabasePassword))
	}
}

var settingName = regexp.MustCompile(`^[a-z][a-z0-9_.-]*$`)

func (r *databaseRenderer) checkSettings() {
	for _, key := range sortedKeys(r.spec.Settings) {
		at := []string{"settings", key}
		switch {
		case !settingName.MatchString(key):
			r.attributeError(at, fmt.Sprintf("Wrong setting %q", excerpt(key)),
				"Settings are named with small letters, digits, `_`, `-` and `.`, and begin with a letter.")
		case r.engine.isManaged(r.engine.managed, key):
			r.attributeError(at, fmt.Sprintf("Setting %q is not open", key),
				"The resource sees to it itself, so that clients reach the server and its data stays. Remove it from `settings`.")
		case strings.ContainsAny(r.spec.Settings[key], "\x00\n\r"):
			r.attributeError(at, fmt.Sprintf("Wrong value of setting %q", key), "A value is one line.")
		}
	}
}
