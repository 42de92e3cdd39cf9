// Package spec holds what a user means, as plain Go values without Terraform or
// Docker types: the input of package render.
package spec

// Application is a Compose stack.
type Application struct {
	// Name is the stack namespace.
	Name string
	// Compose holds the texts of the Compose files, merged in order.
	Compose []Source
	// Files maps a path that a Compose text refers to (`file:`, `env_file:`) to
	// the text of that file.
	Files map[string]string
	// Tree is where such files are read from instead, when the Compose texts come
	// from a repository.
	Tree Tree
	// Variables are for ${VAR} interpolation and may be shown.
	Variables map[string]string
	// SensitiveVariables are for ${VAR} interpolation as well; whatever they go
	// into is shown as a fingerprint only.
	SensitiveVariables map[string]string
	// Values are YAML texts, merged in order. With any of them or of
	// SensitiveValues, the Compose texts are templates.
	Values []string
	// SensitiveValues are merged over Values; whatever they go into is shown as a
	// fingerprint only.
	SensitiveValues []string
	// Secrets holds the content of top-level secrets by their key.
	Secrets map[string]string
	// Suspended scales replicated services to 0 and keeps everything else.
	Suspended bool
	// RedeployTrigger restarts all tasks when it changes. Empty means never set.
	RedeployTrigger string
}

// Tree is a folder of files that never change: a path gives the same answer
// whenever it is asked for.
type Tree interface {
	// File returns the text of a file by its path with slashes, relative to the
	// folder. A file that is not there is an error for which errors.Is(err,
	// fs.ErrNotExist) holds. Errors are put before the user.
	File(path string) (string, error)
}

// Source is one Compose file.
type Source struct {
	// Name is how the file is called in messages ("compose[0]" for inline text).
	Name string
	Text string
}
