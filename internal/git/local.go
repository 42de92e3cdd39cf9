package git

import (
	"errors"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// openRepository opens a repository of this machine, bare or with a working copy.
// It is read where it is, by no other program and without its hooks.
func openRepository(at location) (*git.Repository, error) {
	repository, err := git.PlainOpenWithOptions(at.path, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	switch {
	case errors.Is(err, git.ErrRepositoryNotExists):
		return nil, &Error{Reason: NoRepository, Detail: "The folder is not there, or is no git repository.", Next: "Check the path, on the machine that Terraform runs on."}
	case err != nil:
		return nil, &Error{Reason: Local, Err: err}
	}
	return repository, nil
}

func (c *Client) localObjects(at location) (*objects, error) {
	repository, err := openRepository(at)
	if err != nil {
		return nil, err
	}
	return &objects{storer: repository.Storer, limits: c.limits}, nil
}

func (c *Client) openLocal(at location, commit plumbing.Hash) (*objects, error) {
	objects, err := c.localObjects(at)
	if err != nil {
		return nil, err
	}
	if err := objects.has(commit); err != nil {
		return nil, gone(nil)
	}
	return objects, nil
}

// localReferences is what a server would advertise.
func localReferences(at location) (*references, error) {
	repository, err := openRepository(at)
	if err != nil {
		return nil, err
	}
	refs := &references{hashes: map[string]plumbing.Hash{}, peeled: map[string]plumbing.Hash{}}
	if head, err := repository.Reference(plumbing.HEAD, false); err == nil && head.Type() == plumbing.SymbolicReference {
		refs.branch = head.Target().String()
	}
	if head, err := repository.Reference(plumbing.HEAD, true); err == nil {
		refs.head = head.Hash()
	}
	all, err := repository.References()
	if err != nil {
		return nil, err
	}
	err = all.ForEach(func(ref *plumbing.Reference) error {
		if ref.Type() != plumbing.HashReference || ref.Name() == plumbing.HEAD {
			return nil
		}
		name := ref.Name().String()
		refs.hashes[name] = ref.Hash()
		if commit, ok := peel(repository, ref.Hash()); ok {
			refs.peeled[name] = commit
		}
		return nil
	})
	return refs, err
}

// peel follows an annotated tag, which may tag a tag, to its commit.
func peel(repository *git.Repository, hash plumbing.Hash) (plumbing.Hash, bool) {
	const deep = 10
	for i := range deep {
		tag, err := repository.TagObject(hash)
		if err != nil {
			return hash, i > 0
		}
		if hash = tag.Target; tag.TargetType == plumbing.CommitObject {
			return hash, true
		}
	}
	return plumbing.ZeroHash, false
}
