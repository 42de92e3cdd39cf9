package swarm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"
)

const (
	// logTimeout bounds the reading of logs: a node that is away never answers,
	// and an error message must not wait for it.
	logTimeout = 5 * time.Second
	// logBytes bounds what is read, logLineBytes what is kept of a line.
	logBytes     = 1 << 20
	logLineBytes = 2000
)

// errLogTimeout is the cause of a reading that was given up.
var errLogTimeout = errors.New("no log arrived within 5 s: the task's node may be away")

// Logs implements reconcile.Backend. It returns what was read also beside an
// error, which comes when the node gives no more (ReasonTimeout) or when the
// service keeps no log (ReasonInvalid).
func (b *Backend) Logs(ctx context.Context, taskID string, lines int) ([]string, error) {
	var out lineBuffer
	bounded, cancel := context.WithTimeoutCause(ctx, logTimeout, errLogTimeout)
	defer cancel()
	a := attempt{op: "read the log of task " + taskID}
	err := b.call(bounded, a, func(ctx context.Context) error {
		task, _, err := b.cli.TaskInspectWithRaw(ctx, taskID)
		if err != nil {
			return err
		}
		if d := task.Spec.LogDriver; d != nil && d.Name == "none" {
			// The engine answers an empty log.
			return invalid(a, "the service's log driver is none, which keeps no log")
		}
		stream, err := b.cli.TaskLogs(ctx, taskID, container.LogsOptions{
			ShowStdout: true, ShowStderr: true, Tail: strconv.Itoa(lines),
		})
		if err != nil {
			return err
		}
		defer stream.Close()
		limited := io.LimitReader(stream, logBytes)
		if c := task.Spec.ContainerSpec; c != nil && c.TTY {
			_, err = io.Copy(out.stream(), limited)
			return err
		}
		_, err = stdcopy.StdCopy(out.stream(), out.stream(), limited)
		return err
	})
	return out.last(lines), err
}

// lineBuffer gathers the lines of several streams in the order in which they
// end.
type lineBuffer struct {
	lines   []string
	streams []*lineStream
}

type lineStream struct {
	into    *lineBuffer
	partial bytes.Buffer
}

func (l *lineBuffer) stream() io.Writer {
	s := &lineStream{into: l}
	l.streams = append(l.streams, s)
	return s
}

func (s *lineStream) Write(p []byte) (int, error) {
	rest := p
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			s.partial.Write(rest)
			return len(p), nil
		}
		s.partial.Write(rest[:end])
		s.flush()
		rest = rest[end+1:]
	}
}

func (s *lineStream) flush() {
	line := strings.TrimSuffix(s.partial.String(), "\r")
	if len(line) > logLineBytes {
		line = strings.ToValidUTF8(line[:logLineBytes], "") + " …"
	}
	s.into.lines = append(s.into.lines, line)
	s.partial.Reset()
}

// last returns the last n lines, oldest first.
func (l *lineBuffer) last(n int) []string {
	for _, s := range l.streams {
		if s.partial.Len() > 0 {
			s.flush()
		}
	}
	if len(l.lines) > n {
		return l.lines[len(l.lines)-n:]
	}
	return l.lines
}
