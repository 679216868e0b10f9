package catalogue

import "math"

// Insert stores a copy of a record and gives its id: the record's own, or if
// that is 0 the one above the highest that was ever used. An id that a record
// has already is [ErrExists], a negative one [ErrID]; what the record's JSON
// cannot hold is [ErrInvalid] and names the field. On an error nothing changes
// and no id is used up. O(orderings in use × log n).
func (c *Collection[T]) Insert(record T) (id int, err error) {
	e, err := c.insert(record)
	if err != nil {
		return 0, err
	}
	return e.id, nil
}

func (c *Collection[T]) insert(record T) (*entry, error) {
	e := newEntry(0, record)
	ch, err := c.store.write(func() (change, error) { return c.schema.insertion(&c.store.live, e) })
	return ch.new, err
}

// Upsert stores a copy of a record in place of the one that has its id; if there
// is none, or the id is 0, it is Insert.
func (c *Collection[T]) Upsert(record T) (id int, err error) {
	e := newEntry(0, record)
	ch, err := c.store.write(func() (change, error) { return c.schema.replacement(&c.store.live, e) })
	if err != nil {
		return 0, err
	}
	return ch.new.id, nil
}

// Modify lets f change a copy of the record with that id and stores what became
// of it. [ErrNotFound] says that there is none, [ErrID] that f changed the id,
// [ErrInvalid] that f made of it what its JSON cannot hold; f's own error is
// returned as it is. On an error or a panic in f nothing changes. Other writers
// wait for f, readers do not; f must not write to the same collection, which
// would wait for itself.
func (c *Collection[T]) Modify(id int, f func(record *T) error) error {
	_, err := c.store.write(func() (change, error) { return c.schema.modification(&c.store.live, id, f) })
	return err
}

// Delete takes out the record with that id, or gives [ErrNotFound]. Its id is
// not handed out again.
func (c *Collection[T]) Delete(id int) error {
	_, err := c.store.write(func() (change, error) { return c.schema.deletion(&c.store.live, id) })
	return err
}

// The changes of the four writes, worked out against a state that only this
// writer writes to. A fresh entry is one that holds what a caller passed in, and
// shares with it what that refers to.

func (s *schema[T]) insertion(t *tables, fresh *entry) (change, error) {
	id := s.id(recordOf[T](fresh))
	switch {
	case id < 0:
		return change{}, s.errorf("%w: %d is negative", ErrID, id)
	case id == 0 && t.lastID == math.MaxInt:
		return change{}, s.errorf("%w: none is left above %d", ErrID, t.lastID)
	case id == 0:
		id = t.lastID + 1
	case id <= t.lastID && t.primary.get(id) != nil:
		return change{}, s.errorf("%w: %d", ErrExists, id)
	}
	return change{new: fresh}, s.own(fresh, id)
}

func (s *schema[T]) replacement(t *tables, fresh *entry) (change, error) {
	id := s.id(recordOf[T](fresh))
	old := t.primary.get(id)
	if old == nil {
		return s.insertion(t, fresh)
	}
	return change{old, fresh}, s.own(fresh, id)
}

func (s *schema[T]) modification(t *tables, id int, f func(*T) error) (change, error) {
	old := t.primary.get(id)
	if old == nil {
		return change{}, s.errorf("%w: id %d", ErrNotFound, id)
	}
	record := s.clone(recordOf[T](old))
	if err := f(&record); err != nil {
		return change{}, err
	}
	if t.primary.get(id) != old {
		return change{}, s.errorf("%w: id %d was written to inside its own Modify", ErrInvalid, id)
	}
	if now := s.id(&record); now != id {
		return change{}, s.errorf("%w: %d was changed to %d", ErrID, id, now)
	}
	fresh := newEntry(id, record)
	return change{old, fresh}, s.own(fresh, id)
}

func (s *schema[T]) deletion(t *tables, id int) (change, error) {
	old := t.primary.get(id)
	if old == nil {
		return change{}, s.errorf("%w: id %d", ErrNotFound, id)
	}
	return change{old: old}, nil
}

// own makes of a fresh entry one that can be stored: with an id, and with
// nothing that the caller has too.
func (s *schema[T]) own(fresh *entry, id int) error {
	record := recordOf[T](fresh)
	if err := s.check(record); err != nil {
		return s.errorf("%w: id %d: %w", ErrInvalid, id, err)
	}
	*record = s.clone(record)
	s.setID(record, id)
	fresh.id = id
	return nil
}
