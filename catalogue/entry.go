package catalogue

import "sync/atomic"

// entry is a stored record of whatever type. Nothing of it changes once it is
// in a tree but the encoding, which is made when first asked for and kept. That
// entries, and so trees and all that is built on them, do not depend on the
// records' type keeps programs with many record types small and quick to build.
type entry struct {
	id    int
	value any // a pointer to the record
	json  atomic.Pointer[[]byte]
}

// newEntry keeps the entry and its record in one piece of memory.
func newEntry[T any](id int, record T) *entry {
	stored := &struct {
		entry
		record T
	}{record: record}
	stored.id, stored.value = id, &stored.record
	return &stored.entry
}

// recordOf is the stored record itself.
func recordOf[T any](e *entry) *T { return e.value.(*T) }

// encoded gives the JSON of an entry. Two readers that ask at once may both
// make it; the bytes are the same.
func (s *shape) encoded(e *entry) ([]byte, error) {
	if b := e.json.Load(); b != nil {
		return *b, nil
	}
	b, err := s.encode(e.value)
	if err != nil {
		return nil, s.errorf("%w: id %d: %w", ErrInvalid, e.id, err)
	}
	e.json.Store(&b)
	return b, nil
}
