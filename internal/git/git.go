// Package git makes the files of a commit available. It is the only importer of
// go-git.
//
// A commit is named by its full SHA, so that what is read is content-addressed:
// the same URL, commit and path give the same text for ever. What moves
// (branches, tags) is turned into a commit by Resolve alone.
//
// Repositories are not trusted. What a server sends is counted and measured
// before it is parsed, nothing of it is checked out, and a path never leaves the
// commit.
package git

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// fetchTime bounds one conversation with a server, its answer included.
const fetchTime = 5 * time.Minute

// Options is what a Client works with.
type Options struct {
	// Credentials are for hosts, see Credential. The zero value asks anonymously
	// over http, and the SSH agent over ssh.
	Credentials []Credential
	// CacheDir is where fetched commits are kept between commands. Empty means
	// terraform-provider-swarm/git below the user's cache folder.
	CacheDir string
}

// Client reads repositories. It asks a server once for its references and once
// for a commit, however often and by however many callers it is asked, and
// remembers failures as well: it is meant to live as long as one command.
type Client struct {
	credentials []Credential
	cacheDir    string
	limits      limits

	advertised memo[*references]
	commits    memo[*objects]
}

// New returns a client. It reaches out to nothing.
func New(opts Options) *Client {
	return &Client{credentials: opts.Credentials, cacheDir: opts.CacheDir, limits: defaultLimits}
}

// limits bound what is taken from a repository.
type limits struct {
	// advertisement is how many bytes of references a server may send.
	advertisement int64
	// pack is how many bytes a server may send for one fetch.
	pack int64
	// objects is how many objects one fetch may bring, history how many when all
	// of the history has to be fetched.
	objects, history uint32
	// object is the inflated size of a single object, and inflated that of all
	// objects of a fetch and of the results of their deltas.
	object, inflated int64
	// tree is the size of a folder, as an object.
	tree int64
	// file is the size of a file that is read; files and total are how many, and
	// how large together, through one Tree.
	file, total int64
	files       int
}

// A file of a stack ends up in a config or secret (less than 1000 KiB), an
// environment or a Compose text. Objects of up to 100 MiB are what large hosters
// take, and have to be passed over where a server cannot filter.
var defaultLimits = limits{
	advertisement: 64 << 20,
	pack:          256 << 20,
	objects:       150_000, history: 500_000,
	object: 100 << 20, inflated: 2 << 30,
	tree: 4 << 20,
	file: 1 << 20, total: 32 << 20, files: 1000,
}

// Resolution is what a reference stood for when it was asked for.
type Resolution struct {
	// Commit is the full SHA, of an annotated tag that of the commit it tags.
	Commit string
	// Ref is the full name ("refs/heads/main"), empty when a SHA was asked for.
	Ref string
}

// Resolve turns a reference into a commit: a full name ("refs/…"), a tag, a
// branch, a full or unique short SHA, in this order; empty means the branch that
// the remote's HEAD points to. Nothing is fetched where the references that the
// server advertises suffice. Errors are of type *Error.
func (c *Client) Resolve(ctx context.Context, url, ref string) (Resolution, error) {
	location, err := parseURL(url)
	if err != nil {
		return Resolution{}, err
	}
	found, err := c.resolve(ctx, location, ref)
	if err != nil {
		return Resolution{}, explain(err, location, "resolve", ref)
	}
	return found, nil
}

// Tree opens the files below a folder of a commit; "" or "." is the whole
// commit. Errors are of type *Error.
func (c *Client) Tree(ctx context.Context, url, commit, folder string) (*Tree, error) {
	location, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	tree, err := c.tree(ctx, location, commit, folder)
	if err != nil {
		return nil, explain(err, location, "read", commit)
	}
	return tree, nil
}

func (c *Client) tree(ctx context.Context, location location, commit, folder string) (*Tree, error) {
	if !plumbing.IsHash(commit) {
		return nil, &Error{Reason: NotFound, Detail: "A commit is a full SHA of 40 hex digits.", Next: "The data source swarm_git_commit gives it for a branch, a tag or a short SHA."}
	}
	objects, err := c.open(ctx, location, plumbing.NewHash(commit))
	if err != nil {
		return nil, err
	}
	return newTree(objects, plumbing.NewHash(commit), folder)
}

// open makes the objects of a commit available, from the cache or from the
// server. A local repository is read where it is.
func (c *Client) open(ctx context.Context, location location, commit plumbing.Hash) (*objects, error) {
	return c.commits.get(ctx, location.String()+"\x00"+commit.String(), func(ctx context.Context) (*objects, error) {
		if location.local() {
			return c.openLocal(location, commit)
		}
		return c.openCached(ctx, location, commit)
	})
}

// cache is the folder of fetched commits.
func (c *Client) cache() (string, error) {
	if c.cacheDir != "" {
		return c.cacheDir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", &Error{Reason: Local, Detail: "There is no cache folder for fetched commits.", Next: "Set HOME, or XDG_CACHE_HOME where that is honoured.", Err: err}
	}
	return filepath.Join(dir, "terraform-provider-swarm", "git"), nil
}
