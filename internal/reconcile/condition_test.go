package reconcile

import (
	"errors"
	"testing"
)

func TestConditions(t *testing.T) {
	deployed := &View{Revision: 3, Status: Deployed}
	broken := failing(1, 3)
	paused := running(1, 2).with(func(r *Rollout) { r.Update.State = "paused" })
	cases := []struct {
		name     string
		view     *View
		rollouts []Rollout
		err      error
		deployed ConditionOf
		settled  ConditionOf
	}{
		{"everything runs", deployed, []Rollout{running(2, 2)}, nil,
			ConditionOf{Status: True, Reason: BecauseDeployed}, ConditionOf{Status: True, Reason: BecauseConverged}},
		{"what cannot be read is unknown, not false", deployed, nil, errors.New("no answer"),
			ConditionOf{Status: True, Reason: BecauseDeployed}, ConditionOf{Status: Unknown, Reason: BecauseUnreadable}},
		{"a slot is missing", deployed, []Rollout{running(1, 2)}, nil,
			ConditionOf{Status: True, Reason: BecauseDeployed}, ConditionOf{Status: False, Reason: BecauseProgressing}},
		{"the worst reason speaks", &View{Revision: 4, Status: Failed}, []Rollout{running(1, 2), broken, paused}, nil,
			ConditionOf{Status: False, Reason: BecauseFailed}, ConditionOf{Status: False, Reason: BecauseTasksFailing}},
		{"no node is eligible", &View{Status: Applying, Revision: 1}, []Rollout{{Service: "s", Blocked: "node.role == x"}}, nil,
			ConditionOf{Status: False, Reason: BecauseApplying}, ConditionOf{Status: False, Reason: BecauseNoNode}},
		{"a service was removed", deployed, []Rollout{broken, {Service: "s", Gone: true}}, nil,
			ConditionOf{Status: True, Reason: BecauseDeployed}, ConditionOf{Status: False, Reason: BecauseNotFound}},
		{"a stack without a record", &View{}, nil, nil,
			ConditionOf{Status: Unknown, Reason: BecauseNoRecord}, ConditionOf{Status: True, Reason: BecauseConverged}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Conditions(c.view, c.rollouts, c.err)
			for i, want := range []ConditionOf{c.deployed, c.settled} {
				if got[i].Status != want.Status || got[i].Reason != want.Reason {
					t.Errorf("%s is %s (%s), want %s (%s)", got[i].Type, got[i].Status, got[i].Reason, want.Status, want.Reason)
				}
				if got[i].Message == "" {
					t.Errorf("%s has no message", got[i].Type)
				}
			}
		})
	}
}
