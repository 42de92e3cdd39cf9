package git

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// objects reads the objects of a repository on disk, each no larger than the
// limits say. It is safe for concurrent use, which go-git's storage is not.
type objects struct {
	mu     sync.Mutex
	storer storer.EncodedObjectStorer
	limits limits
}

func openObjects(dir string, l limits) *objects {
	return &objects{storer: newStorage(dir), limits: l}
}

// has fails when a commit is not there.
func (o *objects) has(commit plumbing.Hash) error {
	_, err := o.rootOf(commit)
	return err
}

// rootOf is the tree of a commit.
func (o *objects) rootOf(commit plumbing.Hash) (plumbing.Hash, error) {
	var decoded object.Commit
	err := o.read(plumbing.CommitObject, commit, o.limits.tree, decoded.Decode)
	return decoded.TreeHash, err
}

// folder lists the entries of a tree.
func (o *objects) folder(tree plumbing.Hash) ([]object.TreeEntry, error) {
	var decoded object.Tree
	err := o.read(plumbing.TreeObject, tree, o.limits.tree, decoded.Decode)
	return decoded.Entries, err
}

// file is the content of a blob.
func (o *objects) file(blob plumbing.Hash) ([]byte, error) {
	var content []byte
	err := o.read(plumbing.BlobObject, blob, o.limits.file, func(encoded plumbing.EncodedObject) error {
		reader, err := encoded.Reader()
		if err != nil {
			return err
		}
		defer func() { _ = reader.Close() }()
		content, err = io.ReadAll(io.LimitReader(reader, o.limits.file))
		return err
	})
	return content, err
}

// errTooLarge is an object beyond a limit.
var errTooLarge = errors.New("too large")

// read looks at the size of an object before it reads it.
func (o *objects) read(kind plumbing.ObjectType, hash plumbing.Hash, most int64, decode func(plumbing.EncodedObject) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	size, err := o.storer.EncodedObjectSize(hash)
	if err != nil {
		return err
	}
	if size < 0 || size > most {
		return fmt.Errorf("%w: %d bytes, and no more than %d are taken", errTooLarge, size, most)
	}
	encoded, err := o.storer.EncodedObject(kind, hash)
	if err != nil {
		return err
	}
	return decode(encoded)
}

// beginning lists the commits that begin with hex digits.
func (o *objects) beginning(digits string) ([]plumbing.Hash, error) {
	lookup, ok := o.storer.(interface {
		HashesWithPrefix(prefix []byte) ([]plumbing.Hash, error)
	})
	if !ok {
		return nil, fmt.Errorf("a %T cannot be searched", o.storer)
	}
	whole, err := hex.DecodeString(digits[:len(digits)/2*2])
	if err != nil {
		return nil, err
	}
	hashes, err := lookup.HashesWithPrefix(whole)
	if err != nil {
		return nil, err
	}
	var commits []plumbing.Hash
	for _, hash := range hashes {
		if hash.String()[:len(digits)] == digits && o.has(hash) == nil {
			commits = append(commits, hash)
		}
	}
	return commits, nil
}
