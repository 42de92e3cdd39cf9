package git

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
)

// fetch brings a commit into a folder, as a bare repository without references:
// the one commit where the server lets it be asked for, else the whole history.
func (c *Client) fetch(ctx context.Context, at location, commit plumbing.Hash, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	s, err := c.connect(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // the one of the last request

	want, advertised := s.advertises(commit)
	// A server that knows "reachable" gives every commit that it gives at all.
	reachable := s.supports(capability.AllowReachableSHA1InWant)
	var refused error
	if advertised || reachable || s.supports(capability.AllowTipSHA1InWant) {
		refused = c.receive(ctx, s, []plumbing.Hash{want}, 1, c.leaveOutLarge(), dir)
		switch {
		case refused == nil && openObjects(dir, c.limits).has(commit) != nil:
			return &Error{Reason: NotFound, Detail: "What the server sent for it holds no such commit.", Next: "Check that it is the SHA of a commit, and not of a tag or a file."}
		case refused == nil:
			return nil
		case !refusal(refused):
			return refused
		case reachable && !advertised:
			return gone(refused)
		}
		again, err := c.connect(ctx, at) // over ssh, a conversation has one request
		if err != nil {
			return err
		}
		_ = s.Close()
		s = again
	}
	if err := c.receive(ctx, s, s.tips(), 0, c.leaveOutLarge(), dir); err != nil {
		return err
	}
	if err := openObjects(dir, c.limits).has(commit); err != nil {
		return gone(refused)
	}
	return nil
}

func gone(refused error) *Error {
	e := &Error{
		Reason: NotFound, Detail: "No branch or tag of the repository leads to this commit: it was removed, for instance by a forced push, or has never been there.",
		Next: "Take a commit that is there (the data source swarm_git_commit gives the one of a branch), or push the lost one again, under a tag.",
	}
	if refused != nil {
		e.Err = brief(refused)
	}
	return e
}

func (c *Client) leaveOutLarge() packp.Filter {
	return packp.FilterBlobLimit(uint64(c.limits.file)+1, packp.BlobLimitPrefixNone)
}

// advertises tells what to ask for to get a commit, and whether a reference
// stands for that: an annotated tag has to be asked for itself.
func (s *session) advertises(commit plumbing.Hash) (plumbing.Hash, bool) {
	if s.advertised.Head != nil && *s.advertised.Head == commit {
		return commit, true
	}
	for _, hash := range s.advertised.References {
		if hash == commit {
			return commit, true
		}
	}
	for name, hash := range s.advertised.Peeled {
		if tag, ok := s.advertised.References[name]; ok && hash == commit {
			return tag, true
		}
	}
	return commit, false
}

// tips are the branches and tags; what else a server may show (pull requests) is
// no part of the repository's own history.
func (s *session) tips() []plumbing.Hash {
	var tips []plumbing.Hash
	for name, hash := range s.advertised.References {
		if strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/tags/") {
			tips = append(tips, hash)
		}
	}
	plumbing.HashesSort(tips)
	return slices.Compact(tips)
}

// receive asks for commits, to a depth (0 is all of the history), and stores what
// comes in dir. Depth and filter are left out where the server knows neither.
func (c *Client) receive(ctx context.Context, s *session, wants []plumbing.Hash, depth int, filter packp.Filter, dir string) error {
	req := packp.NewUploadPackRequestFromCapabilities(s.advertised.Capabilities)
	req.Wants = wants
	most := c.limits.history
	if depth > 0 && s.supports(capability.Shallow) {
		most = c.limits.objects
		req.Depth = packp.DepthCommits(depth)
		if err := req.Capabilities.Set(capability.Shallow); err != nil {
			return err
		}
	}
	if s.supports(capability.Filter) {
		req.Filter = filter
		if err := req.Capabilities.Set(capability.Filter); err != nil {
			return err
		}
	}
	if s.supports(capability.NoProgress) {
		if err := req.Capabilities.Set(capability.NoProgress); err != nil {
			return err
		}
	}
	answer, err := s.UploadPack(ctx, req)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()

	received := filepath.Join(dir, "received.pack")
	defer func() { _ = os.Remove(received) }()
	err = save(received, &limitedReader{Reader: demultiplexed(req, answer), most: c.limits.pack, what: "for this commit"})
	if err == nil {
		err = c.store(ctx, received, most, dir)
	}
	var ours *Error
	if err != nil && !errors.As(err, &ours) {
		return classify(err) // whatever it is, the server has not refused
	}
	return err
}

// demultiplexed takes the pack out of what carries progress beside it.
func demultiplexed(req *packp.UploadPackRequest, answer io.Reader) io.Reader {
	switch {
	case req.Capabilities.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, answer)
	case req.Capabilities.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, answer)
	}
	return answer
}

func save(path string, from io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return &Error{Reason: Local, Err: err}
	}
	if _, err := io.Copy(file, from); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return &Error{Reason: Local, Err: err}
	}
	return nil
}

// abbreviated lists the commits of the history that begin with a prefix. Of the
// history only the commits are fetched, where the server can do that.
func (c *Client) abbreviated(ctx context.Context, at location, prefix string) ([]plumbing.Hash, error) {
	if at.local() {
		objects, err := c.localObjects(at)
		if err != nil {
			return nil, err
		}
		return objects.beginning(prefix)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	dir, err := os.MkdirTemp("", "commits")
	if err != nil {
		return nil, &Error{Reason: Local, Err: err}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := c.connect(ctx, at)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	if err := c.receive(ctx, s, s.tips(), 0, packp.FilterTreeDepth(0), dir); err != nil {
		return nil, err
	}
	return openObjects(dir, c.limits).beginning(prefix)
}
