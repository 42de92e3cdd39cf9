package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// TextCheck judges the text of one attribute; nil is nothing to say. Schemas and
// rendering share these, because Terraform shows a problem that both report in the
// same words once.
type TextCheck func(text string) *Problem

// ReleaseNamePattern is what the name of a release consists of.
const ReleaseNamePattern = `[a-z0-9][a-z0-9_-]*`

var releaseName = regexp.MustCompile(`^` + ReleaseNamePattern + `$`)

// CheckReleaseName judges the name of a release.
func CheckReleaseName(name string) *Problem {
	if releaseName.MatchString(name) {
		return nil
	}
	return &Problem{
		Attribute: []string{"name"}, Summary: fmt.Sprintf("Invalid name %q", name),
		Detail: "A name starts with a small letter or a digit, followed by small letters, digits, `_` and `-`.",
	}
}

// CheckDatabaseEngine judges the name of a database engine.
func CheckDatabaseEngine(engine string) *Problem {
	if slices.Contains(DatabaseEngines(), engine) {
		return nil
	}
	return &Problem{
		Attribute: []string{"engine"}, Summary: fmt.Sprintf("There is no engine %q", engine),
		Detail: "The engines are " + strings.Join(DatabaseEngines(), ", ") + ".",
	}
}
