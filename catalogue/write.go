package catalogue

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// Insert stores a copy of a record and returns its id. That is the record's own id
// or, if that is zero, one above the highest id that was ever used.
//
// The error is [ErrExists] if another record has the id, [ErrInvalidID] if the id is
// negative or none is left, and [ErrInvalid], with the field, if the record's JSON
// cannot represent it. After an error nothing has changed and no id is used.
// O(orderings in use × log n).
func (c *Collection[T]) Insert(record T) (id int, err error) { return idOf(c.insert(record)) }

func (c *Collection[T]) insert(record T) (*store.Entry, error) {
	e := newEntry(0, record)
	return c.write(func(s *store.State) (store.Change, error) { return c.schema.insertion(s, e) })
}

// Upsert stores a copy of a record in place of the record with the same id. If there
// is none, or the id is zero, it does what [Collection.Insert] does.
func (c *Collection[T]) Upsert(record T) (id int, err error) {
	e := newEntry(0, record)
	return idOf(c.write(func(s *store.State) (store.Change, error) { return c.schema.replacement(s, e) }))
}

// Update calls f with a copy of the record with an id and stores the result.
//
// The error is [ErrNotFound] if no record has the id, [ErrInvalidID] if f changed the
// id, [ErrInvalid] if the record's JSON cannot represent the result, and otherwise the
// error that f returned, as it is. After an error or a panic in f nothing has
// changed. Other writers wait for f; readers do not. f must not write to the same
// collection: that would deadlock.
func (c *Collection[T]) Update(id int, f func(record *T) error) error {
	_, err := c.write(func(s *store.State) (store.Change, error) { return c.schema.modification(s, id, f) })
	return err
}

// Delete removes the record with an id. It returns [ErrNotFound] if there is none.
// The id is not assigned again.
func (c *Collection[T]) Delete(id int) error {
	_, err := c.write(func(s *store.State) (store.Change, error) { return c.schema.deletion(s, id) })
	return err
}

// ReplaceAll replaces all records by copies of the given ones at one instant. A nil
// sequence has no records. Records whose id is zero get ids above the highest
// that was ever used or is among the given ones.
//
// The errors are those of [Collection.Insert]; they say which record is invalid, from
// 0. After an error nothing has changed. O(n log n × orderings in use).
func (c *Collection[T]) ReplaceAll(records iter.Seq[T]) error {
	if err := c.writable(); err != nil {
		return err
	}
	var fresh []*store.Entry
	if records != nil {
		for record := range records {
			fresh = append(fresh, newEntry(c.schema.id(&record), record))
		}
	}
	return c.store.Replace(func(s *store.State) ([]*store.Entry, error) {
		return fresh, c.schema.number(fresh, s.LastID())
	})
}

// number gives fresh entries ids above last and memory of their own, and sorts them
// by id.
func (s *schema[T]) number(fresh []*store.Entry, last int) error {
	places := make(map[int]int, len(fresh))
	for i, e := range fresh {
		first, twice := places[e.ID]
		switch {
		case e.ID < 0:
			return s.errorf("record %d: %w: %d is negative", i, ErrInvalidID, e.ID)
		case e.ID > 0 && twice:
			return s.errorf("record %d: %w: record %d has %d too", i, ErrExists, first, e.ID)
		}
		places[e.ID] = i
		last = max(last, e.ID)
	}
	for i, e := range fresh {
		id := e.ID
		if id == 0 {
			if last == math.MaxInt {
				return s.errorf("record %d: %w: none is left above %d", i, ErrInvalidID, last)
			}
			last++
			id = last
		}
		if err := s.check(recordOf[T](e)); err != nil {
			return s.errorf("record %d: %w: %w", i, ErrInvalid, err)
		}
		s.keep(e, id)
	}
	slices.SortFunc(fresh, func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}

// write makes the change that prepare returns and returns its new entry.
func (c *Collection[T]) write(prepare func(s *store.State) (store.Change, error)) (*store.Entry, error) {
	if err := c.writable(); err != nil {
		return nil, err
	}
	ch, err := c.store.Write(prepare)
	return ch.New, err
}

func idOf(e *store.Entry, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return e.ID, nil
}

// current is what a change is prepared against: a state that only this writer can
// change, or a batch.
type current interface {
	Get(id int) *store.Entry
	LastID() int
}

// insertion returns the change that inserts a fresh entry. A fresh entry holds what
// the caller passed and shares memory with it.
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
		return store.Change{}, s.errorf("%w: id %d was written to by the function that updates it", ErrInvalid, id)
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
	if err := s.check(recordOf[T](fresh)); err != nil {
		return s.errorf("%w: id %d: %w", ErrInvalid, id, err)
	}
	s.keep(fresh, id)
	return nil
}

func (s *schema[T]) keep(fresh *store.Entry, id int) {
	record := recordOf[T](fresh)
	*record = s.clone(record)
	s.setID(record, id)
	fresh.ID = id
}
