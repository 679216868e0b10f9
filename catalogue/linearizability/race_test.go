//go:build race

package linearizability_test

import "runtime"

// ignoreSynchronization determines whether the race detector ignores how the goroutine
// synchronizes with others.
func ignoreSynchronization(ignore bool) {
	if ignore {
		runtime.RaceDisable()
	} else {
		runtime.RaceEnable()
	}
}
