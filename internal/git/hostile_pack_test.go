package git_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/git"
)

// serving answers as a git server would that has one commit and sends a pack of
// the test's making.
func serving(t *testing.T, commit string, pack func(io.Writer)) string {
	t.Helper()
	line := func(w io.Writer, text string) { _, _ = fmt.Fprintf(w, "%04x%s", len(text)+4, text) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodGet {
			line(w, "# service=git-upload-pack\n")
			_, _ = io.WriteString(w, "0000")
			line(w, commit+" HEAD\x00shallow symref=HEAD:refs/heads/main\n")
			line(w, commit+" refs/heads/main\n")
			_, _ = io.WriteString(w, "0000")
			return
		}
		line(w, "shallow "+commit+"\n")
		_, _ = io.WriteString(w, "0000")
		line(w, "NAK\n")
		pack(w)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/shop"
}

// header begins an object of a pack (gitformat-pack).
func header(kind byte, size uint64) []byte {
	b := []byte{kind<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		b[len(b)-1] |= 0x80
		b = append(b, byte(size&0x7f))
	}
	return b
}

func deflated(content []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write(content)
	_ = w.Close()
	return b.Bytes()
}

func packOf(count uint32, objects ...[]byte) []byte {
	pack := binary.BigEndian.AppendUint32(append([]byte("PACK"), 0, 0, 0, 2), count)
	for _, o := range objects {
		pack = append(pack, o...)
	}
	sum := sha1.Sum(pack)
	return append(pack, sum[:]...)
}

func TestHostilePacks(t *testing.T) {
	const (
		blob, refDelta = 3, 7
		commit         = "1234567890123456789012345678901234567890"
	)
	base := append(header(blob, 1), deflated([]byte("x"))...)
	xSHA := sha1.Sum([]byte("blob 1\x00x"))
	// A delta of 9 bytes that says it makes 1 TiB.
	bomb := append([]byte{1}, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x90, 1)
	delta := append(append(header(refDelta, uint64(len(bomb))), xSHA[:]...), deflated(bomb)...)
	for _, c := range []struct {
		rule  string
		pack  func(io.Writer)
		fails git.Reason
	}{
		{"more objects than are taken", func(w io.Writer) { _, _ = w.Write(packOf(4_000_000_000)) }, git.TooLarge},
		{"an object that says it has 1 GiB", func(w io.Writer) {
			_, _ = w.Write(packOf(1, header(blob, 1<<30), deflated([]byte("x"))))
		}, git.TooLarge},
		{"objects that say they have 2 GiB together", func(w io.Writer) {
			one := append(header(blob, 100<<20), deflated([]byte("x"))...)
			_, _ = w.Write(packOf(21, bytes.Repeat(one, 21)))
		}, git.TooLarge},
		{"an object that is larger than it says", func(w io.Writer) {
			_, _ = w.Write(packOf(1, header(blob, 1), deflated(make([]byte, 64<<20))))
		}, git.Broken},
		{"a delta that makes 1 TiB", func(w io.Writer) { _, _ = w.Write(packOf(2, base, delta)) }, git.TooLarge},
		{"a pack that does not end", func(w io.Writer) {
			_, _ = w.Write(packOf(1, header(blob, 1))[:13])
			for junk := make([]byte, 1<<20); ; {
				if _, err := w.Write(junk); err != nil {
					return
				}
			}
		}, git.TooLarge},
		{"no pack at all", func(w io.Writer) { _, _ = io.WriteString(w, "<html>welcome</html>") }, git.Broken},
		{"a pack without the commit", func(w io.Writer) { _, _ = w.Write(packOf(1, base)) }, git.NotFound},
	} {
		t.Run(c.rule, func(t *testing.T) {
			url := serving(t, commit, c.pack)
			bounded(t, func() {
				if _, err := read(t, client(t), url, commit, "", "stack.yml"); reason(err) != c.fails {
					t.Errorf("%v, want %q", err, c.fails)
				}
			})
		})
	}
}

func TestHostileReferences(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "001e# service=git-upload-pack\n0000")
		for i := 0; ; i++ {
			ref := fmt.Sprintf("%040d refs/heads/%0900d\n", i+1, i)
			if i == 0 {
				ref = fmt.Sprintf("%040d refs/heads/%0900d\x00shallow\n", i+1, i)
			}
			if _, err := fmt.Fprintf(w, "%04x%s", len(ref)+4, ref); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	bounded(t, func() {
		if _, err := client(t).Resolve(t.Context(), server.URL+"/shop", "main"); reason(err) != git.TooLarge {
			t.Errorf("references without an end: %v, want %q", err, git.TooLarge)
		}
	})
}

func TestSilentServerEndsWithTheCaller(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := client(t).Resolve(ctx, server.URL+"/shop", "main"); reason(err) != git.Unreachable {
		t.Errorf("a server that says nothing: %v, want %q", err, git.Unreachable)
	}
}
