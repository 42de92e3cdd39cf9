package acctest

import (
	"sync"
	"testing"
)

// beside bounds how many tests run side by side in one process.
var beside = make(chan struct{}, 5)

// SideBySide runs subtests a few at a time, of all tests together. With engines they mostly wait, so there may be more of
// them than t.Parallel allows. A subtest may not use it in its turn.
func SideBySide(t *testing.T, tests map[string]func(*testing.T)) {
	t.Helper()
	var all sync.WaitGroup
	for name, test := range tests {
		all.Go(func() {
			beside <- struct{}{}
			defer func() { <-beside }()
			t.Run(name, test)
		})
	}
	all.Wait()
}
