package git

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Tree is a folder of a commit. Files are read when they are asked for and never
// change. It is safe for concurrent use.
type Tree struct {
	objects *objects
	commit  plumbing.Hash
	root    plumbing.Hash
	folder  []string

	mu      sync.Mutex
	texts   map[string]string
	total   int64
	folders map[plumbing.Hash][]object.TreeEntry
}

// newTree fails when the folder is not there.
func newTree(o *objects, commit plumbing.Hash, folder string) (*Tree, error) {
	root, err := o.rootOf(commit)
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", commit, err)
	}
	t := &Tree{objects: o, commit: commit, root: root, texts: map[string]string{}, folders: map[plumbing.Hash][]object.TreeEntry{}}
	entry, err := t.find(segments(folder))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && entry.Mode != filemode.Dir:
		return nil, &Error{Reason: NoFolder, Detail: fmt.Sprintf("It has no folder %q.", folder), Next: "Check path; it is relative to the top of the repository."}
	case err != nil:
		return nil, &Error{Reason: Broken, Detail: fmt.Sprintf("The folder %q cannot be used.", folder), Err: err}
	}
	t.folder = segments(folder)
	return t, nil
}

// File returns the text of a file by its path, relative to the folder and with
// slashes. Symbolic links are followed within the commit. A file that is not
// there is an error for which errors.Is(err, fs.ErrNotExist) holds; all errors are
// sentences for the user.
func (t *Tree) File(path string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text, ok := t.texts[path]; ok {
		return text, nil
	}
	if len(t.texts) >= t.objects.limits.files {
		return "", fmt.Errorf("the stack refers to more than %d files of the repository", t.objects.limits.files)
	}
	entry, err := t.find(append(t.folder[:len(t.folder):len(t.folder)], segments(path)...))
	if err != nil {
		return "", err
	}
	text, err := t.text(entry)
	if err != nil {
		return "", err
	}
	if t.total += int64(len(text)); t.total > t.objects.limits.total {
		return "", fmt.Errorf("the stack refers to more than %d MiB of files of the repository", t.objects.limits.total>>20)
	}
	t.texts[path] = text
	return text, nil
}

// lfsPointer heads what Git LFS leaves in place of a file
// (git-lfs/docs/spec.md).
const lfsPointer = "version https://git-lfs.github.com/spec/v1\n"

func (t *Tree) text(entry object.TreeEntry) (string, error) {
	if entry.Mode == filemode.Dir {
		return "", errors.New("it is a folder")
	}
	content, err := t.objects.file(entry.Hash)
	switch {
	case errors.Is(err, errTooLarge):
		return "", fmt.Errorf("it is %w", err)
	case errors.Is(err, plumbing.ErrObjectNotFound):
		return "", fmt.Errorf("the server has left it out, as it does with files of more than %d bytes: it is too large", t.objects.limits.file)
	case err != nil:
		return "", err
	case strings.HasPrefix(string(content), lfsPointer):
		return "", errors.New("it is a Git LFS pointer and not the file itself, which is kept outside of the repository; commit the file as it is")
	}
	return string(content), nil
}

// find walks from the top of the commit to an entry, through symbolic links.
func (t *Tree) find(rest []string) (object.TreeEntry, error) {
	top := object.TreeEntry{Mode: filemode.Dir, Hash: t.root}
	trail := []object.TreeEntry{top} // the folders that lead to where we are
	var names []string
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			if len(names) == 0 {
				return top, errors.New("it leads out of the repository")
			}
			trail, names = trail[:len(trail)-1], names[:len(names)-1]
			continue
		}
		entry, err := t.entry(trail[len(trail)-1], name)
		if err != nil {
			return top, fmt.Errorf("%s: %w", strings.Join(append(names, name), "/"), err)
		}
		switch entry.Mode {
		case filemode.Submodule:
			return top, fmt.Errorf("%s is a submodule, and those are not fetched; commit the files themselves, or use the repository of the submodule", strings.Join(append(names, name), "/"))
		case filemode.Symlink:
			if links++; links > maxLinks {
				return top, errors.New("it leads through too many symbolic links")
			}
			target, err := t.link(entry, strings.Join(append(names, name), "/"))
			if err != nil {
				return top, err
			}
			rest = append(target, rest...)
		default:
			trail, names = append(trail, entry), append(names, name)
		}
	}
	return trail[len(trail)-1], nil
}

// maxLinks is how many symbolic links a path may lead through, as with Linux.
const maxLinks = 40

func (t *Tree) link(entry object.TreeEntry, path string) ([]string, error) {
	target, err := t.objects.file(entry.Hash)
	if err != nil {
		return nil, fmt.Errorf("read the symbolic link %s: %w", path, err)
	}
	if len(target) > 4096 || strings.HasPrefix(string(target), "/") {
		return nil, fmt.Errorf("%s is a symbolic link out of the repository, to %.100q", path, target)
	}
	return segments(string(target)), nil
}

func (t *Tree) entry(folder object.TreeEntry, name string) (object.TreeEntry, error) {
	if folder.Mode != filemode.Dir {
		return object.TreeEntry{}, fs.ErrNotExist
	}
	entries, ok := t.folders[folder.Hash]
	if !ok {
		var err error
		entries, err = t.objects.folder(folder.Hash)
		if errors.Is(err, errTooLarge) {
			return object.TreeEntry{}, fmt.Errorf("its folder has too many files: the list of them is %w", err)
		}
		if err != nil {
			return object.TreeEntry{}, err
		}
		t.folders[folder.Hash] = entries
	}
	for _, entry := range entries {
		if entry.Name == name {
			return entry, nil
		}
	}
	return object.TreeEntry{}, fs.ErrNotExist
}

// segments splits a path, without what means nothing.
func segments(path string) []string {
	var out []string
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" && segment != "." {
			out = append(out, segment)
		}
	}
	return out
}
