package acctest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"
)

// FaultKind is what a Proxy does to a call.
type FaultKind int

const (
	// Pass does nothing to the call.
	Pass FaultKind = iota
	// DropBefore closes the client's connection; the engine never hears of the call.
	DropBefore
	// DropAfter lets the engine act, then closes the client's connection: the answer is lost.
	DropAfter
	// Answer answers with Status and Message; the engine never hears of the call.
	Answer
	// AnswerAfter lets the engine act, then answers with Status and Message all the same.
	AnswerAfter
	// Truncate lets the engine act, then breaks off in the middle of its answer.
	Truncate
)

// Fault is what a Proxy does to a call. The zero value lets it pass.
type Fault struct {
	Kind    FaultKind
	Delay   time.Duration // before anything else; ends early when the client gives up, and then the engine never hears of the call
	Status  int           // of Answer and AnswerAfter, for example 503
	Message string        // the "message" of the JSON error that Docker's API answers with
}

// serve handles one call.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	call, fault := p.record(r)
	if fault.Delay > 0 {
		select {
		case <-time.After(fault.Delay):
		case <-r.Context().Done():
			return
		}
	}
	switch fault.Kind {
	case DropBefore:
		hangUp(w)
	case Answer:
		p.answered(call, fault.Status)
		fault.answer(w)
	case Pass:
		p.pass(w, r, call)
	default:
		engine := httptest.NewRecorder()
		p.forward.ServeHTTP(engine, r)
		p.acted(call, engine.Code)
		switch fault.Kind {
		case AnswerAfter:
			p.answered(call, fault.Status)
			fault.answer(w)
		case Truncate:
			p.answered(call, engine.Code)
			truncate(w, engine)
		default:
			hangUp(w)
		}
	}
}

// pass forwards a call and notes the status on its way, without a buffer in between.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, call *Call) {
	p.forward.ServeHTTP(&observed{ResponseWriter: w, status: func(code int) {
		if code >= 200 || code == http.StatusSwitchingProtocols {
			p.acted(call, code)
			p.answered(call, code)
		}
	}}, r)
}

func (f Fault) answer(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	_, _ = fmt.Fprintf(w, "{\"message\":%q}\n", f.Message)
}

// hangUp closes the client's connection without an answer.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// truncate announces the whole answer, sends half of it, and hangs up.
func truncate(w http.ResponseWriter, engine *httptest.ResponseRecorder) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	body := engine.Body.Bytes()
	_, _ = fmt.Fprintf(buf, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		engine.Code, http.StatusText(engine.Code), engine.Header().Get("Content-Type"), len(body), body[:len(body)/2])
	_ = buf.Flush()
}

// observed tells the status that a handler writes. Unwrap keeps flushing and hijacking possible.
type observed struct {
	http.ResponseWriter
	status func(int)
}

func (o *observed) WriteHeader(code int) {
	o.status(code)
	o.ResponseWriter.WriteHeader(code)
}

func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// Thorough reports whether tests are to leave nothing out, whatever time it takes: `make faults`.
func Thorough() bool { return os.Getenv("FAULTS_ALL") != "" }
