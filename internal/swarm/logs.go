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
	// readAhead is how many times the wanted lines are read. The engine writes a container's stdout and stderr into
	// its log as it gets round to each: what a program says on stderr before it dies may stand before everything
	// that it wrote to stdout in the same moment.
	readAhead = 10
	// stderrShare is the part of the wanted lines (1/n) that the end of stderr may claim.
	stderrShare = 2
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
			ShowStdout: true, ShowStderr: true, Tail: strconv.Itoa(lines * readAhead),
		})
		if err != nil {
			return err
		}
		defer stream.Close()
		limited := io.LimitReader(stream, logBytes)
		if c := task.Spec.ContainerSpec; c != nil && c.TTY {
			_, err = io.Copy(out.stream(false), limited)
			return err
		}
		_, err = stdcopy.StdCopy(out.stream(false), out.stream(true), limited)
		return err
	})
	return out.last(lines), err
}

// lineBuffer gathers the lines of several streams in the order in which they
// end.
type lineBuffer struct {
	lines   []logLine
	streams []*lineStream
}

type logLine struct {
	text   string
	stderr bool
}

type lineStream struct {
	into    *lineBuffer
	stderr  bool
	partial bytes.Buffer
}

func (l *lineBuffer) stream(stderr bool) io.Writer {
	s := &lineStream{into: l, stderr: stderr}
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
	s.into.lines = append(s.into.lines, logLine{line, s.stderr})
	s.partial.Reset()
}

// last returns n lines, oldest first: the last ones, but for the end of stderr,
// which comes before lines of stdout however early it stands.
func (l *lineBuffer) last(n int) []string {
	for _, s := range l.streams {
		if s.partial.Len() > 0 {
			s.flush()
		}
	}
	keep := make([]bool, len(l.lines))
	left := n
	choose := func(limit int, wanted func(logLine) bool) {
		for i := len(l.lines) - 1; i >= 0 && left > 0 && limit > 0; i-- {
			if !keep[i] && wanted(l.lines[i]) {
				keep[i] = true
				left--
				limit--
			}
		}
	}
	choose(n/stderrShare, func(line logLine) bool { return line.stderr })
	choose(n, func(logLine) bool { return true })
	var out []string
	for i, line := range l.lines {
		if keep[i] {
			out = append(out, line.text)
		}
	}
	return out
}
