package catalogue

import "io"

// ReplaceFile is SaveFile with a replaceable function that writes the content.
func ReplaceFile(path string, write func(io.Writer) error) error { return replaceFile(path, write) }

// CheckSnapshot is [Collection.Check] for a snapshot.
func CheckSnapshot[T any](s Snapshot[T]) error { return s.typ.checkState(s.state, s.state.Check()) }
