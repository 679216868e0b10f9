//go:build race

package catalogue_test

// raceEnabled says that the race detector is on, which makes all some ten
// times slower.
const raceEnabled = true
