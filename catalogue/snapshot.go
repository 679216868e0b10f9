package catalogue

import (
	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
)

// A Snapshot is the state of a collection at one instant. It is immutable and safe for
// concurrent use. While it is held, the records of that state stay in memory, even
// after they are replaced or deleted. The methods of the zero Snapshot panic.
type Snapshot[T any] struct {
	typ   *core.Type
	state *store.State
}

// Snapshot returns the current state. O(1), but the next write copies the tree nodes
// that it changes.
func (c *Collection[T]) Snapshot() Snapshot[T] {
	return Snapshot[T]{c.core.Type, c.core.Store.Current()}
}

// Revision returns the number of writes that led to the state. A batch counts as one
// write, or as none if it changes nothing. [Collection.Since] returns the changes after
// a revision. A new collection starts at 0 and a clone at the revision of its original.
// Revisions are not saved. O(1).
func (s Snapshot[T]) Revision() uint64 { return s.state.Revision() }

// Get returns a copy of the record with the given id. The error wraps [ErrNotFound] if
// none exists. O(log n).
func (s Snapshot[T]) Get(id int) (T, error) { return copied[T](s.typ, s.state, id) }

// Where returns the records that satisfy all conditions, or all records if there are none.
// An invalid condition is reported by the methods of the Selection.
func (s Snapshot[T]) Where(conditions ...ordering.Condition) Selection[T] {
	return Selection[T]{core.NewSelection(s.typ, nil, s.state, conditions)}
}
