package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/gofrs/flock"
)

const (
	// keptFor is how long a commit that nobody reads stays in the cache.
	keptFor = 30 * 24 * time.Hour
	// lockPoll is how often a waiter looks whether another process has fetched.
	lockPoll = 50 * time.Millisecond
)

// openCached opens a commit in the cache, and fetches it first when it is not
// there. Per commit there is a lock that the operating system frees when its
// holder dies, and a folder that gets its name only when it is whole: a killed
// writer leaves a part that the next one throws away.
func (c *Client) openCached(ctx context.Context, at location, commit plumbing.Hash) (*objects, error) {
	root, err := c.cache()
	if err != nil {
		return nil, err
	}
	// A repository elsewhere is another repository, whatever it holds.
	url := sha256.Sum256([]byte(at.String()))
	repository := filepath.Join(root, hex.EncodeToString(url[:16]))
	entry := filepath.Join(repository, commit.String())
	if whole(entry) {
		return c.use(entry)
	}
	if err := os.MkdirAll(repository, 0o700); err != nil {
		return nil, cacheError(err)
	}
	unlock, err := lock(ctx, entry)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if whole(entry) {
		return c.use(entry) // somebody else's work
	}
	part := entry + ".part"
	for _, left := range []string{entry, part} {
		if err := os.RemoveAll(left); err != nil {
			return nil, cacheError(err)
		}
	}
	if err := os.Mkdir(part, 0o700); err != nil {
		return nil, cacheError(err)
	}
	defer func() { _ = os.RemoveAll(part) }()
	if err := c.fetch(ctx, at, commit, part); err != nil {
		return nil, err
	}
	if err := os.Rename(part, entry); err != nil {
		return nil, cacheError(err)
	}
	sweep(root, time.Now().Add(-keptFor))
	return c.use(entry)
}

func lock(ctx context.Context, entry string) (unlock func(), err error) {
	held := flock.New(entry+".lock", flock.SetPermissions(0o600))
	if _, err := held.TryLockContext(ctx, lockPoll); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, cacheError(err)
	}
	// The file stays: one that is removed while another process waits for it would
	// be locked twice.
	return func() { _ = held.Unlock() }, nil
}

// use opens an entry and notes that it was.
func (c *Client) use(entry string) (*objects, error) {
	now := time.Now()
	_ = os.Chtimes(entry, now, now) // a cache that cannot be written can be read
	return openObjects(entry, c.limits), nil
}

// whole tells whether an entry is there and as it was written.
func whole(entry string) bool {
	packs, err := filepath.Glob(filepath.Join(entry, "objects", "pack", "*.pack"))
	if err != nil || len(packs) == 0 {
		return false
	}
	for _, pack := range packs {
		if !sealed(pack) || !sealed(pack[:len(pack)-len(".pack")]+".idx") {
			return false
		}
	}
	return true
}

// sweep removes entries that were last used before a moment. What is in use by
// another process, or cannot be removed, stays for the next time.
func sweep(root string, before time.Time) {
	entries, err := filepath.Glob(filepath.Join(root, "*", "*"))
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := os.Stat(entry)
		if err != nil || !info.IsDir() || info.ModTime().After(before) || !plumbing.IsHash(filepath.Base(entry)) {
			continue
		}
		held := flock.New(entry + ".lock")
		if ok, err := held.TryLock(); err == nil && ok {
			_ = os.RemoveAll(entry)
			_ = held.Unlock()
		}
	}
}

func cacheError(err error) error {
	return &Error{Reason: Local, Detail: "The cache of fetched commits cannot be written.", Next: "Make the folder writable, or point XDG_CACHE_HOME to another.", Err: err}
}
