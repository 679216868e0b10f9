package catalogue

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// Insert stores a copy of the record and returns its id. If the id of the record is
// zero, Insert assigns one more than the highest id ever used.
//
// The error wraps [ErrExists] if another record has the id, [ErrInvalidID] if the id is
// negative or no id is left, [ErrDuplicate] if another record has the value of a unique
// field, and [ErrInvalid] if JSON cannot represent the record; it then names the field.
// After an error or a panic the collection is unchanged and no id is used.
// O(orderings in use × log n).
func (c *Collection[T]) Insert(record T) (id int, err error) { return idOf(c.insert(record)) }

func (c *Collection[T]) insert(record T) (*store.Entry, error) {
	e := newEntry(0, record)
	return c.write(func(s *store.State) (store.Change, error) { return c.typ.insertion(s, e) })
}

// Upsert replaces the record that has the same id by a copy of the given one. If there
// is none, or the id is zero, Upsert is like [Collection.Insert]. The errors are those
// of Insert, except [ErrExists]. O(orderings in use × log n).
func (c *Collection[T]) Upsert(record T) (id int, err error) {
	e := newEntry(0, record)
	return idOf(c.write(func(s *store.State) (store.Change, error) { return c.typ.replacement(s, e) }))
}

// Update calls f with a copy of the record with the given id and stores the result.
//
// If f returns an error, Update returns it unchanged. Otherwise the error wraps
// [ErrNotFound] if there is no record with the id, [ErrInvalidID] if f changed the id,
// [ErrDuplicate] if another record has the value of a unique field, and [ErrInvalid] if
// JSON cannot represent the result. After an error or a panic the collection is
// unchanged.
//
// Other writers wait for f; readers do not. f must not write to the same collection:
// it would deadlock. O(orderings in use × log n), without f.
func (c *Collection[T]) Update(id int, f func(record *T) error) error {
	_, err := c.write(func(s *store.State) (store.Change, error) { return c.typ.modification(s, id, f) })
	return err
}

// Delete deletes the record with the given id. The error wraps [ErrNotFound] if there is
// none. The id is not assigned again. O(orderings in use × log n).
func (c *Collection[T]) Delete(id int) error {
	_, err := c.write(func(s *store.State) (store.Change, error) { return c.typ.deletion(s, id) })
	return err
}

// ReplaceAll replaces all records by copies of the given ones at one instant. A nil
// sequence counts as an empty one. Records whose id is zero are assigned ids greater
// than the highest id ever used and the highest given id, in the order of the sequence.
//
// ReplaceAll iterates over the whole sequence before it starts to write. The sequence
// may therefore read or write the same collection. Other writers wait while the new
// records are checked, copied and sorted; readers do not.
//
// The errors are those of [Collection.Insert] and contain the index of the invalid
// record, from 0. ErrExists means that two given records have the same id, and
// ErrDuplicate that they have the same value of a unique field. After an error or a
// panic the collection is unchanged. O(n log n × orderings in use).
func (c *Collection[T]) ReplaceAll(records iter.Seq[T]) error {
	if err := c.writable(); err != nil {
		return err
	}
	var fresh []*store.Entry
	if records != nil {
		for record := range records {
			fresh = append(fresh, newEntry(c.typ.id(&record), record))
		}
	}
	return c.store.Replace(func(s *store.State) ([]*store.Entry, error) {
		return fresh, c.typ.number(fresh, s.LastID())
	})
}

// number checks the records of fresh entries, assigns ids greater than last to those
// without one, copies the records, and sorts the entries by id.
func (s *recordType[T]) number(fresh []*store.Entry, last int) error {
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
				return s.errorf("record %d: %w: no id is left after %d", i, ErrInvalidID, last)
			}
			last++
			id = last
		}
		if err := s.check(recordOf[T](e)); err != nil {
			return s.errorf("record %d: %w: %w", i, ErrInvalid, err)
		}
		s.keep(e, id)
	}
	if d := s.duplicates(fresh); d != nil {
		return s.errorf("record %d: %w", d.index, d)
	}
	slices.SortFunc(fresh, func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}

// write applies the change that prepare returns and returns its new entry.
func (c *Collection[T]) write(prepare func(s *store.State) (store.Change, error)) (*store.Entry, error) {
	if err := c.writable(); err != nil {
		return nil, err
	}
	ch, err := c.store.Write(prepare)
	return ch.New, c.typ.refused(err)
}

func idOf(e *store.Entry, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return e.ID, nil
}

// current is what a change is prepared for: the published state, which only this writer
// can change, or a batch.
type current interface {
	Get(id int) *store.Entry
	LastID() int
}

// insertion returns the change that inserts a fresh entry. The record of a fresh entry
// is the caller's; it is copied when the change is prepared.
func (s *recordType[T]) insertion(now current, fresh *store.Entry) (store.Change, error) {
	id := s.id(recordOf[T](fresh))
	switch {
	case id < 0:
		return store.Change{}, s.errorf("%w: %d is negative", ErrInvalidID, id)
	case id == 0 && now.LastID() == math.MaxInt:
		return store.Change{}, s.errorf("%w: no id is left after %d", ErrInvalidID, now.LastID())
	case id == 0:
		id = now.LastID() + 1
	case id <= now.LastID() && now.Get(id) != nil:
		return store.Change{}, s.errorf("%w: %d", ErrExists, id)
	}
	return store.Change{New: fresh}, s.own(fresh, id)
}

func (s *recordType[T]) replacement(now current, fresh *store.Entry) (store.Change, error) {
	id := s.id(recordOf[T](fresh))
	old := now.Get(id)
	if old == nil {
		return s.insertion(now, fresh)
	}
	return store.Change{Old: old, New: fresh}, s.own(fresh, id)
}

func (s *recordType[T]) modification(now current, id int, f func(*T) error) (store.Change, error) {
	old := now.Get(id)
	if old == nil {
		return store.Change{}, s.errorf("%w: id %d", ErrNotFound, id)
	}
	record := s.clone(recordOf[T](old))
	if err := f(&record); err != nil {
		return store.Change{}, err
	}
	if now.Get(id) != old {
		return store.Change{}, s.errorf("%w: the function that updates id %d also wrote to it", ErrInvalid, id)
	}
	if changed := s.id(&record); changed != id {
		return store.Change{}, s.errorf("%w: %d was changed to %d", ErrInvalidID, id, changed)
	}
	fresh := newEntry(id, record)
	return store.Change{Old: old, New: fresh}, s.own(fresh, id)
}

func (s *recordType[T]) deletion(now current, id int) (store.Change, error) {
	old := now.Get(id)
	if old == nil {
		return store.Change{}, s.errorf("%w: id %d", ErrNotFound, id)
	}
	return store.Change{Old: old}, nil
}

// own checks and copies the record of a fresh entry and sets its id.
func (s *recordType[T]) own(fresh *store.Entry, id int) error {
	if err := s.check(recordOf[T](fresh)); err != nil {
		return s.errorf("%w: id %d: %w", ErrInvalid, id, err)
	}
	s.keep(fresh, id)
	return nil
}

func (s *recordType[T]) keep(fresh *store.Entry, id int) {
	record := recordOf[T](fresh)
	*record = s.clone(record)
	s.fillLists(record)
	s.setID(record, id)
	fresh.ID = id
}
