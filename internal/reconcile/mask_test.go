package reconcile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

func service(sensitive object.Path, command ...string) object.Object {
	return object.Object{
		Kind: object.KindService, Key: "web", Name: "shop_web", Sensitive: []object.Path{sensitive},
		Spec: &swarm.ServiceSpec{TaskTemplate: swarm.TaskSpec{ContainerSpec: &swarm.ContainerSpec{Image: "web", Args: command}}},
	}
}

func TestSensitiveValuesAreHiddenInWordsOfOthers(t *testing.T) {
	release := Release{
		Sensitive: []string{"hunter2", "hunter2-longer", "ab", "-----BEGIN KEY-----\nMIIEpAIBAAKCAQEA\n", `quo"ted`},
		Objects: []object.Object{
			service(object.Path{"command"}, "serve", "-password", "hunter2"),
			{Kind: object.KindSecret, Key: "s", Spec: &swarm.SecretSpec{Data: []byte("from-the-secret\n")}},
		},
	}
	before := &Revision{Objects: []object.Object{service(object.Path{"command"}, "serve", "-password", "of-yesterday")}}
	m := newMasker(release, before)
	for said, want := range map[string]string{
		"login with hunter2 failed":                  "login with (sensitive) failed",
		"hunter2-longer":                             "(sensitive)",
		"serve -password x: too short values (ab)":   "serve -password x: too short values (ab)",
		"one line of many: MIIEpAIBAAKCAQEA":         "one line of many: (sensitive)",
		`parse "quo\"ted": no URL`:                   `parse "(sensitive)": no URL`,
		"mounted from-the-secret":                    "mounted (sensitive)",
		"of the revision before: of-yesterday fails": "of the revision before: (sensitive) fails",
	} {
		if got := m.text(said); got != want {
			t.Errorf("%q is shown as %q, want %q", said, got, want)
		}
	}
}

func TestErrorsKeepTheirReasonAndHideValuesAtEveryDepth(t *testing.T) {
	cause := errors.New("exec: hunter2")
	err := fmt.Errorf("starting: %w", &Error{Reason: ReasonInvalid, Op: "create", Detail: "hunter2 is no program.", Err: fmt.Errorf("engine: %w", cause)})
	masked := newMasker(Release{Sensitive: []string{"hunter2"}}).error(err)
	if ReasonOf(masked) != ReasonInvalid || !errors.Is(masked, cause) {
		t.Errorf("reason %s, cause kept %v", ReasonOf(masked), errors.Is(masked, cause))
	}
	for e := masked; e != nil; e = errors.Unwrap(e) {
		if strings.Contains(e.Error(), "hunter2") {
			t.Errorf("%T says %q", e, e.Error())
		}
	}
}
