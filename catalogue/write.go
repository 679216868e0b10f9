package catalogue

import (
	"math"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// Insert stores a copy of a record and returns its id: the record's own, or if
// that is 0 the one above the highest that was ever used. An id that a record
// has already is [ErrExists], a negative one [ErrInvalidID]; what the record's JSON
// cannot hold is [ErrInvalid] and names the field. On an error nothing changes
// and no id is used. O(orderings in use × log n).
func (c *Collection[T]) Insert(record T) (id int, err error) { return idOf(c.insert(record)) }

func (c *Collection[T]) insert(record T) (*store.Entry, error) {
	e := newEntry(0, record)
	ch, err := c.store.Write(func(s *store.State) (store.Change, error) { return c.schema.insertion(s, e) })
	return ch.New, err
}

// Upsert stores a copy of a record in place of the one that has its id. If there
// is none, or the id is 0, it is Insert.
func (c *Collection[T]) Upsert(record T) (id int, err error) {
	e := newEntry(0, record)
	ch, err := c.store.Write(func(s *store.State) (store.Change, error) { return c.schema.replacement(s, e) })
	return idOf(ch.New, err)
}

// Modify calls f with a copy of the record with that id and stores the result.
// It returns [ErrNotFound] if there is no such record, [ErrInvalidID] if f changed the id,
// [ErrInvalid] if the record's JSON cannot hold the result, and f's own error as
// it is. On an error or a panic in f nothing changes. Other writers wait for f,
// readers do not. f must not write to the same collection, which would wait for
// itself.
func (c *Collection[T]) Update(id int, f func(record *T) error) error {
	_, err := c.store.Write(func(s *store.State) (store.Change, error) { return c.schema.modification(s, id, f) })
	return err
}

// Delete removes the record with that id, or returns [ErrNotFound]. Its id is
// not assigned again.
func (c *Collection[T]) Delete(id int) error {
	_, err := c.store.Write(func(s *store.State) (store.Change, error) { return c.schema.deletion(s, id) })
	return err
}

func idOf(e *store.Entry, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return e.ID, nil
}

// current is what a change is worked out against: a state that only this writer
// could change, or a batch.
type current interface {
	Get(id int) *store.Entry
	LastID() int
}

// insertion returns the change that inserts a fresh entry. A fresh entry holds what
// the caller passed in, and shares memory with it.
func (s *schema[T]) insertion(now current, fresh *store.Entry) (store.Change, error) {
	id := s.id(recordOf[T](fresh))
	switch {
	case id < 0:
		return store.Change{}, s.errorf("%w: %d is negative", ErrInvalidID, id)
	case id == 0 && now.LastID() == math.MaxInt:
		return store.Change{}, s.errorf("%w: none is left above %d", ErrInvalidID, now.LastID())
	case id == 0:
		id = now.LastID() + 1
	case id <= now.LastID() && now.Get(id) != nil:
		return store.Change{}, s.errorf("%w: %d", ErrExists, id)
	}
	return store.Change{New: fresh}, s.own(fresh, id)
}

func (s *schema[T]) replacement(now current, fresh *store.Entry) (store.Change, error) {
	id := s.id(recordOf[T](fresh))
	old := now.Get(id)
	if old == nil {
		return s.insertion(now, fresh)
	}
	return store.Change{Old: old, New: fresh}, s.own(fresh, id)
}

func (s *schema[T]) modification(now current, id int, f func(*T) error) (store.Change, error) {
	old := now.Get(id)
	if old == nil {
		return store.Change{}, s.errorf("%w: id %d", ErrNotFound, id)
	}
	record := s.clone(recordOf[T](old))
	if err := f(&record); err != nil {
		return store.Change{}, err
	}
	if now.Get(id) != old {
		return store.Change{}, s.errorf("%w: id %d was written to inside its own Modify", ErrInvalid, id)
	}
	if changed := s.id(&record); changed != id {
		return store.Change{}, s.errorf("%w: %d was changed to %d", ErrInvalidID, id, changed)
	}
	fresh := newEntry(id, record)
	return store.Change{Old: old, New: fresh}, s.own(fresh, id)
}

func (s *schema[T]) deletion(now current, id int) (store.Change, error) {
	old := now.Get(id)
	if old == nil {
		return store.Change{}, s.errorf("%w: id %d", ErrNotFound, id)
	}
	return store.Change{Old: old}, nil
}

// own checks the record of a fresh entry and gives it an id and memory of its own.
func (s *schema[T]) own(fresh *store.Entry, id int) error {
	record := recordOf[T](fresh)
	if err := s.check(record); err != nil {
		return s.errorf("%w: id %d: %w", ErrInvalid, id, err)
	}
	*record = s.clone(record)
	s.setID(record, id)
	fresh.ID = id
	return nil
}
