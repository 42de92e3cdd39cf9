package render

import (
	"errors"
	"fmt"
	"io/fs"
	slashpath "path"
	"strings"
)

// readFile looks a file up in `files`, or in the repository.
func (s *stack) readFile(name string, at place, p path, optional bool) (string, bool) {
	clean, ok := treePath(name)
	if !ok {
		s.report.errorAt(at, p, fmt.Sprintf("Path %q leaves the application's files", excerpt(name)),
			"Paths are relative to the Compose file, and stay below its folder: no absolute path, no `..` out of it.")
		return "", false
	}
	if s.app.Tree != nil {
		return s.readTree(clean, at, p, optional)
	}
	if text, ok := s.files()[clean]; ok {
		return text, true
	}
	if !optional {
		s.report.errorAt(at, p, fmt.Sprintf("File %q is not given", excerpt(name)),
			fmt.Sprintf("%s refers to it. Add it to `files`: files = { %q = file(\"…\") }.", p, clean))
	}
	return "", false
}

func (s *stack) readTree(name string, at place, p path, optional bool) (string, bool) {
	text, err := s.app.Tree.File(name)
	switch {
	case err == nil:
		return text, true
	case !errors.Is(err, fs.ErrNotExist):
		s.report.errorAt(at, p, fmt.Sprintf("File %q cannot be read from the repository", excerpt(name)), fmt.Sprintf("%s refers to it: %s.", p, err))
	case !optional:
		s.report.errorAt(at, p, fmt.Sprintf("File %q is not in the repository", excerpt(name)),
			fmt.Sprintf("%s refers to it, and the commit has no such file. Paths are relative to git.path.", p))
	}
	return "", false
}

// files is `files` by normal paths.
func (s *stack) files() map[string]string {
	if s.cleanFiles == nil {
		s.cleanFiles = make(map[string]string, len(s.app.Files))
		for _, name := range sortedKeys(s.app.Files) {
			clean, ok := treePath(name)
			if !ok {
				s.report.attributeError([]string{"files", name}, fmt.Sprintf("Path %q leaves the application's files", excerpt(name)),
					"The keys of `files` are relative paths without `..`.")
				continue
			}
			s.cleanFiles[clean] = s.app.Files[name]
		}
	}
	return s.cleanFiles
}

// isAbsolute knows the paths of Linux and Windows nodes.
func isAbsolute(p string) bool {
	if strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`) {
		return true
	}
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// treePath is the normal form of a path in `files`. It returns false for a path
// that leaves the tree.
func treePath(name string) (string, bool) {
	clean := slashpath.Clean(strings.ReplaceAll(name, `\`, "/"))
	if name == "" || isAbsolute(clean) || strings.HasPrefix(clean, "~") || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsRune(clean, 0) {
		return "", false
	}
	return clean, true
}
