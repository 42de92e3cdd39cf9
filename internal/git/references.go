package git

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// references are what a repository says it has.
type references struct {
	// hashes by full name, those of annotated tags being the tags'.
	hashes map[string]plumbing.Hash
	// peeled are the commits of annotated tags, by the name of the tag.
	peeled map[string]plumbing.Hash
	// head is the commit of HEAD, zero when there is none, and branch the full
	// name of what it points to, empty when it points to a commit.
	head   plumbing.Hash
	branch string
}

func advertisedReferences(ar *packp.AdvRefs) *references {
	r := &references{hashes: ar.References, peeled: ar.Peeled}
	if ar.Head != nil {
		r.head = *ar.Head
	}
	for _, symref := range ar.Capabilities.Get(capability.SymRef) {
		if name, target, ok := strings.Cut(symref, ":"); ok && name == "HEAD" {
			r.branch = target
		}
	}
	return r
}

// commit is what a full name stands for, tags peeled.
func (r *references) commit(name string) (plumbing.Hash, bool) {
	if hash, ok := r.peeled[name]; ok {
		return hash, true
	}
	hash, ok := r.hashes[name]
	return hash, ok
}

// named looks a reference up by its full name, then as a tag, then as a branch.
func (r *references) named(ref string) (Resolution, bool) {
	if ref == "" || ref == "HEAD" {
		return Resolution{Commit: r.head.String(), Ref: r.branch}, !r.head.IsZero()
	}
	names := []string{"refs/tags/" + ref, "refs/heads/" + ref}
	if strings.HasPrefix(ref, "refs/") {
		names = []string{ref}
	}
	for _, name := range names {
		if hash, ok := r.commit(name); ok {
			return Resolution{Commit: hash.String(), Ref: name}, true
		}
	}
	return Resolution{}, false
}

// beginning lists the commits that references stand for and that begin with a
// prefix; one that is given as the SHA of an annotated tag is that of its commit.
func (r *references) beginning(prefix string) []string {
	var found []string
	add := func(shown, commit plumbing.Hash) {
		if strings.HasPrefix(shown.String(), prefix) && !slices.Contains(found, commit.String()) {
			found = append(found, commit.String())
		}
	}
	for name, hash := range r.hashes {
		commit, _ := r.commit(name)
		add(hash, commit)
		add(commit, commit)
	}
	add(r.head, r.head)
	slices.Sort(found)
	return found
}

// names lists branches and tags as users write them, for messages.
func (r *references) names() []string {
	var names []string
	for name := range r.hashes {
		for _, prefix := range []string{"refs/heads/", "refs/tags/"} {
			if short, ok := strings.CutPrefix(name, prefix); ok {
				names = append(names, short)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// telling is how many digits are enough to be found among branches and tags alone;
// fewer are looked up in all of the history.
const telling = 7

// shortSHA is what may be the beginning of one; git's own minimum is 4.
var shortSHA = regexp.MustCompile(`^[0-9a-f]{4,40}$`)

func (c *Client) resolve(ctx context.Context, at location, ref string) (Resolution, error) {
	refs, err := c.references(ctx, at)
	if err != nil {
		return Resolution{}, err
	}
	sha := strings.ToLower(ref)
	if !plumbing.IsHash(ref) { // a name of 40 hex digits is a SHA, as git has it
		if found, ok := refs.named(ref); ok {
			return found, nil
		}
	}
	if !shortSHA.MatchString(sha) {
		return Resolution{}, unknownReference(refs, ref)
	}
	found := refs.beginning(sha)
	if plumbing.IsHash(sha) {
		if len(found) == 1 {
			return Resolution{Commit: found[0]}, nil
		}
		// Fetched now, it is in the cache for who reads it next.
		if _, err := c.open(ctx, at, plumbing.NewHash(sha)); err != nil {
			return Resolution{}, err
		}
		return Resolution{Commit: sha}, nil
	}
	if len(found) == 1 && len(sha) >= telling {
		return Resolution{Commit: found[0]}, nil
	}
	all, err := c.abbreviated(ctx, at, sha)
	if err != nil {
		return Resolution{}, err
	}
	for _, hash := range all {
		if !slices.Contains(found, hash.String()) {
			found = append(found, hash.String())
		}
	}
	switch len(found) {
	case 0:
		return Resolution{}, unknownReference(refs, ref)
	case 1:
		return Resolution{Commit: found[0]}, nil
	}
	slices.Sort(found)
	return Resolution{}, &Error{Reason: Ambiguous, Detail: "It is the beginning of " + strings.Join(found, ", ") + ".", Next: "Write more digits."}
}

func unknownReference(refs *references, ref string) *Error {
	if ref == "" || ref == "HEAD" {
		return &Error{Reason: NotFound, Detail: "The remote's HEAD points to a branch that does not exist.", Next: "Name a branch, a tag or a commit as ref."}
	}
	const shown = 10
	names := refs.names()
	e := &Error{Reason: NotFound, Detail: "It has neither a tag nor a branch of this name, nor a commit that begins so.", Next: "Check the name."}
	if len(names) > shown {
		names = append(names[:shown:shown], "…")
	}
	if len(names) > 0 {
		e.Detail += " It has: " + strings.Join(names, ", ") + "."
	}
	return e
}

// references asks for what the repository has, once.
func (c *Client) references(ctx context.Context, at location) (*references, error) {
	return c.advertised.get(ctx, at.String(), func(ctx context.Context) (*references, error) {
		if at.local() {
			return localReferences(at)
		}
		ctx, cancel := context.WithTimeout(ctx, fetchTime)
		defer cancel()
		s, err := c.connect(ctx, at)
		if err != nil {
			return nil, err
		}
		defer func() { _ = s.Close() }()
		return advertisedReferences(s.advertised), nil
	})
}
