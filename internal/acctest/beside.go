package acctest

import (
	"maps"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"
)

// SideBySide runs subtests a few at a time. With engines they mostly wait, so there may be more of them than t.Parallel allows.
func SideBySide(t *testing.T, tests map[string]func(*testing.T)) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(6)
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		group.Go(func() error { t.Run(name, tests[name]); return nil })
	}
	_ = group.Wait()
}
