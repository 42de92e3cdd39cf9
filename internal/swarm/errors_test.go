package swarm

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/docker/api/types/system"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

func secretStep(verb reconcile.Verb) reconcile.Step {
	step := reconcile.Step{Verb: verb, Object: object.Object{
		Kind: object.KindSecret, Key: "key", Name: "shop_key",
		Spec: &swarm.SecretSpec{Annotations: swarm.Annotations{Name: "shop_key"}},
	}}
	if verb != reconcile.Create {
		step.Live = &reconcile.Live{Object: step.Object, ID: "s1", Version: 7}
	}
	return step
}

// What the engine answers becomes one of the closed set of reasons. Texts and
// codes are those of Docker 20.10 (also 26.1 and current moby).
func TestReasonOfAnswer(t *testing.T) {
	info := func(state swarm.LocalNodeState, control bool) http.HandlerFunc {
		return reply(http.StatusOK, system.Info{Swarm: swarm.Info{LocalNodeState: state, ControlAvailable: control}})
	}
	for name, tt := range map[string]struct {
		verb   reconcile.Verb
		status int
		says   string
		info   http.HandlerFunc
		want   reconcile.Reason
		detail string
	}{
		"a stale version is a conflict although it comes as 500": {
			verb: reconcile.Update, status: 500, says: "rpc error: code = Unknown desc = update out of sequence",
			want: reconcile.ReasonConflict, detail: "after it was read",
		},
		"a taken name exists":                   {verb: reconcile.Create, status: 409, says: "rpc error: code = AlreadyExists desc = secret shop_key already exists", want: reconcile.ReasonExists},
		"an update of what is gone: not found":  {verb: reconcile.Update, status: 404, says: "secret s1 not found", want: reconcile.ReasonNotFound},
		"a delete that is refused: in use":      {verb: reconcile.Delete, status: 400, says: "rpc error: code = InvalidArgument desc = secret 'shop_key' is in use by the following service: shop_web", want: reconcile.ReasonInUse},
		"a create that is refused: invalid":     {verb: reconcile.Create, status: 400, says: "rpc error: code = InvalidArgument desc = secret data must be larger than 0 and less than 512000 bytes", want: reconcile.ReasonInvalid},
		"what an engine cannot do: invalid":     {verb: reconcile.Update, status: 501, says: "rpc error: code = Unimplemented desc = renaming services is not supported", want: reconcile.ReasonInvalid},
		"403: forbidden":                        {verb: reconcile.Create, status: 403, says: "authorization denied by plugin", want: reconcile.ReasonForbidden},
		"401: forbidden":                        {verb: reconcile.Create, status: 401, says: "unauthorized", want: reconcile.ReasonForbidden},
		"no leader: nothing is known":           {verb: reconcile.Create, status: 500, says: "rpc error: code = Unknown desc = The swarm does not have a leader. It's possible that too few managers are online.", want: reconcile.ReasonUnreachable, detail: "no leader or no quorum"},
		"lost leadership: nothing is known":     {verb: reconcile.Create, status: 500, says: "rpc error: code = Unavailable desc = node lost leader status", want: reconcile.ReasonUnreachable},
		"no quorum within time: nothing known":  {verb: reconcile.Create, status: 500, says: "rpc error: code = DeadlineExceeded desc = context deadline exceeded", want: reconcile.ReasonUnreachable},
		"any other 500: unknown, in its words":  {verb: reconcile.Create, status: 500, says: "disk on fire", want: reconcile.ReasonUnknown},
		"503 of a worker: not a manager":        {verb: reconcile.Create, status: 503, says: "This node is not a swarm manager.", info: info(swarm.LocalNodeStateActive, false), want: reconcile.ReasonNotManager, detail: "is a worker"},
		"503 outside of a swarm: not a manager": {verb: reconcile.Create, status: 503, says: "This node is not a swarm manager.", info: info(swarm.LocalNodeStateInactive, false), want: reconcile.ReasonNotManager, detail: "docker swarm init"},
		"503 of a locked manager: unreachable":  {verb: reconcile.Create, status: 503, says: "Swarm is encrypted and needs to be unlocked", info: info(swarm.LocalNodeStateLocked, false), want: reconcile.ReasonUnreachable, detail: "docker swarm unlock"},
		"503 of a manager: unreachable":         {verb: reconcile.Create, status: 503, says: "rpc error: code = Unavailable", info: info(swarm.LocalNodeStateActive, true), want: reconcile.ReasonUnreachable, detail: "quorum"},
		"503 and no word on itself either":      {verb: reconcile.Create, status: 503, says: "rpc error: code = Unavailable", info: refuse(503, "no"), want: reconcile.ReasonUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDouble(t, "1.41")
			for _, call := range []string{"POST /secrets/create", "POST /secrets/s1/update", "DELETE /secrets/s1"} {
				d.on(call, refuse(tt.status, tt.says))
			}
			if tt.info != nil {
				d.on("GET /info", tt.info)
			}
			_, err := d.backend.Do(context.Background(), secretStep(tt.verb))
			if got := reconcile.ReasonOf(err); got != tt.want {
				t.Fatalf("reason %s, want %s: %v", got, tt.want, err)
			}
			var e *reconcile.Error
			if !errors.As(err, &e) || e.Ref != (object.Ref{Kind: object.KindSecret, Key: "key"}) {
				t.Errorf("the error does not name its object: %#v", err)
			}
			for _, want := range []string{string(tt.verb) + " secret shop_key", tt.says, tt.detail} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q: %v", want, err)
				}
			}
		})
	}
}

func TestDeleteOfWhatIsGoneSucceeds(t *testing.T) {
	d := newDouble(t, "1.41")
	d.on("DELETE /secrets/s1", refuse(404, "secret s1 not found"))
	if _, err := d.backend.Do(context.Background(), secretStep(reconcile.Delete)); err != nil {
		t.Fatal(err)
	}
}

// An engine that is just collecting a network answers its deletion with an
// unclassified 500. What is listed afterwards decides.
func TestDeleteOfNetworkLooksAgain(t *testing.T) {
	step := reconcile.Step{Verb: reconcile.Delete, Object: object.Object{Kind: object.KindNetwork, Key: "n", Name: "shop_n"}}
	step.Live = &reconcile.Live{Object: step.Object, ID: "n1"}
	present := []map[string]any{{"Name": "shop_n", "Id": "n1", "Scope": "swarm"}}
	for name, tt := range map[string]struct {
		list  any
		swarm http.HandlerFunc
		want  reconcile.Reason
	}{
		"absent is success":             {list: []struct{}{}, want: ""},
		"present is the first error":    {list: present, want: reconcile.ReasonUnknown},
		"absent without a quorum is no": {list: []struct{}{}, swarm: refuse(503, "no quorum"), want: reconcile.ReasonUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDouble(t, "1.41")
			d.on("DELETE /networks/n1", refuse(500, "network n1 is being removed"))
			d.on("GET /networks", reply(200, tt.list))
			if tt.swarm != nil {
				d.on("GET /swarm", tt.swarm)
			}
			_, err := d.backend.Do(context.Background(), step)
			if got := reconcile.ReasonOf(err); got != tt.want {
				t.Errorf("reason %q, want %q: %v", got, tt.want, err)
			}
		})
	}
}

// A caller who gives up gets his own reason, not a judgement of the engine.
func TestReasonOfGivingUp(t *testing.T) {
	d := newDouble(t, "1.41")
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	d.on("GET /swarm", hang)
	d.on("POST /secrets/create", hang)

	expired, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := d.backend.Do(expired, secretStep(reconcile.Create)); reconcile.ReasonOf(err) != reconcile.ReasonTimeout {
		t.Errorf("expired: %v", err)
	}
	cancelled, stop := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, stop)
	if _, err := d.backend.Observe(cancelled, reconcile.Scope{}); reconcile.ReasonOf(err) != reconcile.ReasonInterrupted {
		t.Errorf("cancelled: %v", err)
	}
}

func TestOldEngineIsRefused(t *testing.T) {
	for version, words := range map[string]string{
		"1.40": "speaks Docker Engine API 1.40, and at least 1.41 (Docker 20.10) is needed",
		"":     "does not come from a Docker Engine",
	} {
		d := newDouble(t, version)
		_, err := d.backend.Observe(context.Background(), reconcile.Scope{})
		if reconcile.ReasonOf(err) != reconcile.ReasonInvalid || !strings.Contains(err.Error(), words) {
			t.Errorf("API %q: %v", version, err)
		}
		if n := d.total(); n != 1 {
			t.Errorf("API %q: %d calls were made beside the ping", version, n-1)
		}
	}
}

// Every failure tells everything, and those within the latch's life do not wait
// for the engine again.
func TestUnreachableIsReportedInFullWithoutTryingAgain(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nobody.sock")
	b := connect(t, "unix://"+missing)
	_, first := b.Observe(context.Background(), reconcile.Scope{})
	_, second := b.Do(context.Background(), secretStep(reconcile.Create))
	_, third := b.Progress(context.Background(), []string{"shop_web"})
	for _, err := range []error{first, second, third} {
		if reconcile.ReasonOf(err) != reconcile.ReasonUnreachable {
			t.Errorf("not unreachable: %v", err)
		}
		if !strings.Contains(err.Error(), missing) {
			t.Errorf("does not name the address: %v", err)
		}
	}
	for _, err := range []error{first, second, third} {
		if !strings.Contains(err.Error(), "Check that the engine runs") {
			t.Errorf("an error is not in full: %v", err)
		}
	}
	if cause := errors.Unwrap(first); !errors.Is(second, cause) || !errors.Is(third, cause) {
		t.Errorf("the engine was tried again:\n%v\n%v", second, third)
	}
}

// The latch opens by itself, so that a wait over a failover goes on.
func TestLatchOpensForAnEngineThatIsBack(t *testing.T) {
	d := newDouble(t, "1.41")
	refused := &connectionError{errors.New("refused")}
	d.backend.latch.note(&reconcile.Error{Reason: reconcile.ReasonUnreachable, Err: refused})
	if err := d.backend.Ping(context.Background()); !errors.Is(err, refused) {
		t.Fatalf("the latch is open: %v", err)
	}
	d.backend.latch.until = time.Now()
	if err := d.backend.Ping(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := d.backend.latch.check(attempt{}); err != nil {
		t.Errorf("the latch is closed after an answer: %v", err)
	}
}
