package catalogue

import (
	"bytes"
	"errors"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// errCorrupt is wrapped by the errors of Check, which are bugs of this package.
var errCorrupt = errors.New("corrupt")

// Check returns an error that describes the first violated invariant of the collection,
// or nil. It is for tests. Each index must contain each record once, in order, and at
// its key and position. The stored JSON must be that of the records. Ids, lengths and
// the names of members must be as counted. The history must be in order and lead to the
// current records. O(orderings in use × n log n + history × log n).
func (c *Collection[T]) Check() error { return c.typ.checkState(c.store.Current(), c.store.Check()) }

// checkState checks the records of a state. err is the result of the store's check.
func (s *recordType[T]) checkState(state *store.State, err error) error {
	if err != nil {
		return s.errorf("%w: %w", errCorrupt, err)
	}
	for _, e := range state.Entries() {
		if id := s.id(recordOf[T](e)); id != e.ID {
			return s.errorf("%w: the record with id %d is stored with id %d", errCorrupt, id, e.ID)
		}
		kept := storedOf[T](e).encoding.Load()
		if kept == nil {
			continue
		}
		if fresh, err := s.encode(recordOf[T](e)); err != nil || !bytes.Equal(fresh, *kept) {
			return s.errorf("%w: id %d: the stored JSON is %s, want %s (%v)", errCorrupt, e.ID, *kept, fresh, err)
		}
	}
	return nil
}
