package catalogue

import "io"

// ReplaceFile is what SaveFile does with what it writes left open, for tests of
// what comes in between.
func ReplaceFile(path string, write func(io.Writer) error) error { return replaceFile(path, write) }

// CheckSnapshot is [Collection.Check] of a snapshot.
func CheckSnapshot[T any](s Snapshot[T]) error { return s.schema.checkState(s.state, s.state.Check()) }
