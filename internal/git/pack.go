package git

import (
	"bytes"
	"context"
	"crypto/sha1" // what git uses; it guards against accidents here
	"fmt"
	"io"
	"os"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// store indexes a received pack and puts both below dir. The index holds the
// hashes that were computed here, whatever the server says they are.
func (c *Client) store(ctx context.Context, received string, most uint32, dir string) error {
	pack, err := os.Open(received)
	if err != nil {
		return &Error{Reason: Local, Err: err}
	}
	defer func() { _ = pack.Close() }()
	if err := c.limits.measure(ctx, pack, most); err != nil {
		return err
	}
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return &Error{Reason: Local, Err: err}
	}
	writer, err := newStorage(dir).PackfileWriter()
	if err != nil {
		return &Error{Reason: Local, Err: err}
	}
	if _, err := io.Copy(writer, pack); err != nil {
		_ = writer.Close()
		return fmt.Errorf("index what the server sent: %w", err)
	}
	// Deltas are resolved while closing, which may take as long as somebody who
	// makes packs by hand wants it to.
	_, err = abandonable(ctx, func() (struct{}, error) { return struct{}{}, writer.Close() }, func(struct{}) {})
	if err != nil {
		return fmt.Errorf("index what the server sent: %w", err)
	}
	return nil
}

// measure reads a pack from end to end in constant memory, and refuses one that
// would take too much to index: go-git holds objects in memory, as large as their
// headers say.
func (l limits) measure(ctx context.Context, pack io.ReadSeeker, most uint32) error {
	scanner := packfile.NewScanner(pack)
	_, count, err := scanner.Header()
	if err != nil {
		return fmt.Errorf("read what the server sent: %w", err)
	}
	if count > most {
		return &Error{Reason: TooLarge, Detail: fmt.Sprintf("The server sends %d objects (files, folders and commits), and no more than %d are taken.", count, most),
			Next: "Keep the stack in a repository of its own, or have the server allow fetching a single commit (uploadpack.allowReachableSHA1InWant)."}
	}
	left := l.inflated
	for i := range count {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		header, err := scanner.NextObjectHeader()
		if err != nil {
			return fmt.Errorf("read what the server sent: %w", err)
		}
		size := header.Length
		if err := l.take(&left, size); err != nil {
			return err
		}
		var start prefix
		if _, _, err := scanner.NextObject(&start); err != nil {
			return fmt.Errorf("read what the server sent: %w", err)
		}
		if header.Type.IsDelta() {
			if err := l.take(&left, start.deltaTarget()); err != nil {
				return err
			}
		}
	}
	return nil
}

// take counts an object of a size. Sizes are what the sender wrote; go-git takes
// no more than that when it inflates.
func (l limits) take(left *int64, size int64) error {
	const filter = "Keep large files elsewhere, or have the server allow leaving them out (uploadpack.allowFilter)."
	if size < 0 || size > l.object {
		return &Error{Reason: TooLarge, Detail: fmt.Sprintf("One of its files has %d bytes, and no more than %d MiB are taken.", size, l.object>>20), Next: filter}
	}
	if *left -= size; *left < 0 {
		return &Error{Reason: TooLarge, Detail: fmt.Sprintf("Its files have more than %d MiB.", l.inflated>>20), Next: filter}
	}
	return nil
}

// prefix keeps the first bytes of what is written to it.
type prefix struct {
	bytes [20]byte // two sizes of up to 10 bytes
	n     int
}

// Write implements io.Writer.
func (p *prefix) Write(b []byte) (int, error) {
	p.n += copy(p.bytes[p.n:], b)
	return len(b), nil
}

// deltaTarget is the size of what a delta makes: the second of the two sizes at
// its beginning, each in groups of 7 bits, lowest first (gitformat-pack, "Deltified
// representation").
func (p *prefix) deltaTarget() int64 {
	rest := p.bytes[:p.n]
	var size uint64
	for range 2 {
		size = 0
		for shift := 0; len(rest) > 0; shift += 7 {
			b := rest[0]
			rest = rest[1:]
			size |= uint64(b&0x7f) << shift
			if b&0x80 == 0 {
				break
			}
		}
	}
	return int64(size) //nolint:gosec // an overflow is negative, which is refused
}

// newStorage is a bare repository in a folder.
func newStorage(dir string) *filesystem.Storage {
	return filesystem.NewStorage(osfs.New(dir, osfs.WithBoundOS()), cache.NewObjectLRU(16*cache.MiByte))
}

// sealed tells whether a pack or an index is whole: both end with the SHA-1 of all
// that precedes it.
func sealed(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || info.Size() < int64(len(plumbing.ZeroHash)) {
		return false
	}
	hash := sha1.New()
	if _, err := io.CopyN(hash, file, info.Size()-int64(len(plumbing.ZeroHash))); err != nil {
		return false
	}
	trailer, err := io.ReadAll(file)
	return err == nil && bytes.Equal(trailer, hash.Sum(nil))
}
