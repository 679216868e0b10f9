//go:build !race

package catalogue_test

// raceEnabled reports whether the race detector is on. It makes tests about ten times
// slower.
const raceEnabled = false
