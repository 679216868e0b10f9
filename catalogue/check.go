package catalogue

import (
	"bytes"
	"errors"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// errCorrupt is what Check finds: a fault of this package, never of a caller's.
var errCorrupt = errors.New("corrupt")

// Check returns an error for the first invariant of the collection that does not
// hold: every index holds each record once, in order, under its key and at its
// place; the encodings kept are those of the records; ids, lengths and the names
// of members are as counted; the history is in order and leads to the records.
// It is for tests. O(orderings in use × n log n + history × log n).
func (c *Collection[T]) Check() error { return c.schema.checkState(c.store.Current(), c.store.Check()) }

// checkState checks the records of a state, after its store has found err.
func (s *schema[T]) checkState(state *store.State, err error) error {
	if err != nil {
		return s.errorf("%w: %w", errCorrupt, err)
	}
	for _, e := range state.Entries() {
		if id := s.id(recordOf[T](e)); id != e.ID {
			return s.errorf("%w: the record of id %d is stored as %d", errCorrupt, id, e.ID)
		}
		kept := storedOf[T](e).encoding.Load()
		if kept == nil {
			continue
		}
		if fresh, err := s.encode(recordOf[T](e)); err != nil || !bytes.Equal(fresh, *kept) {
			return s.errorf("%w: id %d: encoded %s, is %s (%v)", errCorrupt, e.ID, *kept, fresh, err)
		}
	}
	return nil
}
