package reconcile

import (
	"fmt"
	"sort"
	"strings"
)

// ConditionStatus is True, False or Unknown. Unknown means that it could not be
// found out, and never that it is not so.
type ConditionStatus string

// The statuses of a condition.
const (
	True    ConditionStatus = "True"
	False   ConditionStatus = "False"
	Unknown ConditionStatus = "Unknown"
)

// ConditionType is what a condition is about.
type ConditionType string

// The types of conditions.
const (
	// ConditionDeployed: the newest revision was applied to its end.
	ConditionDeployed ConditionType = "Deployed"
	// ConditionConverged: every slot of every service runs the declared version.
	ConditionConverged ConditionType = "Converged"
	// ConditionInSync: the newest revision was applied to its end, and what is in
	// the swarm is what it says. Whether it runs is the business of Converged.
	ConditionInSync ConditionType = "InSync"
)

// ConditionReason says why a condition has its status. It is a closed set, and
// carries no counts: those are in the message.
type ConditionReason string

// The reasons of conditions.
const (
	BecauseDeployed     ConditionReason = "Deployed"
	BecauseApplying     ConditionReason = "Applying"
	BecauseFailed       ConditionReason = "Failed"
	BecauseRolledBack   ConditionReason = "RolledBack"
	BecauseNoRecord     ConditionReason = "NoRecord"
	BecauseConverged    ConditionReason = "Converged"
	BecauseProgressing  ConditionReason = "Progressing"
	BecauseTasksFailing ConditionReason = "TasksFailing"
	BecausePaused       ConditionReason = "UpdatePaused"
	BecauseNoNode       ConditionReason = "NoEligibleNode"
	BecauseUnreadable   ConditionReason = "Unreadable"
	BecauseInSync       ConditionReason = "InSync"
	BecauseDrifted      ConditionReason = "Drifted"
	BecauseNotFound     ConditionReason = "NotFound"
	// BecauseNotComparable: an object has no canonical form.
	BecauseNotComparable ConditionReason = "NotComparable"
	// BecauseInternal: the provider itself failed.
	BecauseInternal ConditionReason = "InternalError"
)

// ConditionOf is one observed condition of a release.
type ConditionOf struct {
	Type    ConditionType
	Status  ConditionStatus
	Reason  ConditionReason
	Message string
}

// Conditions sums up a view of a release and the progress of its services.
// rollErr is the error of reading the progress, which makes it Unknown.
func Conditions(v *View, rollouts []Rollout, rollErr error) []ConditionOf {
	return []ConditionOf{deployedCondition(v), convergedCondition(rollouts, rollErr)}
}

func deployedCondition(v *View) ConditionOf {
	c := ConditionOf{Type: ConditionDeployed, Status: False, Reason: outcome(v.Status), Message: fmt.Sprintf("Revision %d is %s.", v.Revision, v.Status)}
	switch c.Reason {
	case BecauseDeployed:
		c.Status = True
	case BecauseNoRecord:
		c.Status, c.Message = Unknown, "No revision is on record: the provider has not applied this release, or its records were removed."
	}
	return c
}

// outcome is the reason that the status of a newest revision amounts to.
func outcome(s Status) ConditionReason {
	switch s {
	case Deployed:
		return BecauseDeployed
	case Applying:
		return BecauseApplying
	case Failed:
		return BecauseFailed
	case RolledBack:
		return BecauseRolledBack
	}
	return BecauseNoRecord
}

func convergedCondition(rollouts []Rollout, err error) ConditionOf {
	c := ConditionOf{Type: ConditionConverged}
	if err != nil {
		c.Status, c.Reason, c.Message = Unknown, BecauseUnreadable, err.Error()
		return c
	}
	c.Status, c.Reason = True, BecauseConverged
	var lines []string
	for _, r := range rollouts {
		reason, text := state(r)
		if reason == BecauseConverged {
			continue
		}
		lines = append(lines, text)
		// The worst of several reasons speaks for the release.
		if c.Status == True || worse(reason, c.Reason) {
			c.Status, c.Reason = False, reason
		}
	}
	sort.Strings(lines)
	if c.Message = strings.Join(lines, "; "); c.Message == "" {
		c.Message = "Every slot of every service runs."
	}
	return c
}

// state is the reason of one service.
func state(r Rollout) (ConditionReason, string) {
	w := &watch{service: r.Service, last: r}
	text := fmt.Sprintf("%s: %d of %d", r.Service, w.fulfilled(), r.Want)
	switch {
	case r.Gone:
		return BecauseNotFound, r.Service + " does not exist"
	case r.Blocked != "":
		return BecauseNoNode, r.Service + ": " + r.Blocked
	case w.fulfilled() >= r.Want && !r.updating():
		return BecauseConverged, ""
	case r.Update.State == "paused" || r.Update.State == "rollback_paused":
		return BecausePaused, text + ", " + r.Update.Message
	case len(w.failures()) > 0:
		return BecauseTasksFailing, text + ", " + w.failures()[0].cause()
	}
	return BecauseProgressing, text
}

func worse(a, b ConditionReason) bool {
	rank := map[ConditionReason]int{BecauseProgressing: 1, BecauseNoNode: 2, BecausePaused: 3, BecauseTasksFailing: 4, BecauseNotFound: 5}
	return rank[a] > rank[b]
}
