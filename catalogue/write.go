package catalogue

import "math"

// Insert stores a copy of a record and gives its id: the record's own, or if
// that is 0 the one above the highest that was ever used. An id that a record
// has already is [ErrExists], a negative one [ErrID]; what the record's JSON
// cannot hold is [ErrInvalid] and names the field. On an error nothing changes
// and no id is used up. O(orderings in use × log n).
func (c *Collection[T]) Insert(record T) (id int, err error) {
	e, err := c.insert(&record)
	if err != nil {
		return 0, err
	}
	return e.id, nil
}

func (c *Collection[T]) insert(record *T) (*entry[T], error) {
	ch, err := c.write(func() (change[T], error) { return c.schema.insertion(&c.live, record) })
	return ch.new, err
}

// Upsert stores a copy of a record in place of the one that has its id; if there
// is none, or the id is 0, it is Insert.
func (c *Collection[T]) Upsert(record T) (id int, err error) {
	ch, err := c.write(func() (change[T], error) { return c.schema.replacement(&c.live, &record) })
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
	_, err := c.write(func() (change[T], error) { return c.schema.modification(&c.live, id, f) })
	return err
}

// Delete takes out the record with that id, or gives [ErrNotFound]. Its id is
// not handed out again.
func (c *Collection[T]) Delete(id int) error {
	_, err := c.write(func() (change[T], error) { return c.schema.deletion(&c.live, id) })
	return err
}

// write prepares one change and makes it. What takes long, callbacks and all
// that can fail stand before the state is touched.
func (c *Collection[T]) write(prepare func() (change[T], error)) (change[T], error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	ch, err := prepare()
	if err != nil {
		return change[T]{}, err
	}
	c.state.Lock()
	defer c.state.Unlock()
	c.live.apply(ch)
	for _, b := range c.builds {
		b.changes = append(b.changes, ch)
	}
	c.committed()
	return ch, nil
}

// committed makes what was written the state that the next read publishes. The
// state's mutex is held.
func (c *Collection[T]) committed() {
	c.live.revision++
	c.published.Store(nil)
}

// The changes of the four writes, worked out against a state that only this
// writer writes to.

func (s *schema[T]) insertion(t *tables[T], record *T) (change[T], error) {
	id := s.id(record)
	switch {
	case id < 0:
		return change[T]{}, s.errorf("%w: %d is negative", ErrID, id)
	case id == 0 && t.lastID == math.MaxInt:
		return change[T]{}, s.errorf("%w: none is left above %d", ErrID, t.lastID)
	case id == 0:
		id = t.lastID + 1
	case t.primary.get(id) != nil:
		return change[T]{}, s.errorf("%w: %d", ErrExists, id)
	}
	e, err := s.entry(record, id)
	return change[T]{new: e}, err
}

func (s *schema[T]) replacement(t *tables[T], record *T) (change[T], error) {
	id := s.id(record)
	old := t.primary.get(id)
	if old == nil {
		return s.insertion(t, record)
	}
	e, err := s.entry(record, id)
	return change[T]{old, e}, err
}

func (s *schema[T]) modification(t *tables[T], id int, f func(*T) error) (change[T], error) {
	old := t.primary.get(id)
	if old == nil {
		return change[T]{}, s.errorf("%w: id %d", ErrNotFound, id)
	}
	record := s.clone(&old.value)
	if err := f(&record); err != nil {
		return change[T]{}, err
	}
	if t.primary.get(id) != old {
		return change[T]{}, s.errorf("%w: id %d was written to inside its own Modify", ErrInvalid, id)
	}
	if now := s.id(&record); now != id {
		return change[T]{}, s.errorf("%w: %d was changed to %d", ErrID, id, now)
	}
	e, err := s.entry(&record, id)
	return change[T]{old, e}, err
}

func (s *schema[T]) deletion(t *tables[T], id int) (change[T], error) {
	old := t.primary.get(id)
	if old == nil {
		return change[T]{}, s.errorf("%w: id %d", ErrNotFound, id)
	}
	return change[T]{old: old}, nil
}

// entry makes the entry of a copy of the record under an id.
func (s *schema[T]) entry(record *T, id int) (*entry[T], error) {
	if err := s.check(record); err != nil {
		return nil, s.errorf("%w: id %d: %w", ErrInvalid, id, err)
	}
	e := &entry[T]{value: s.clone(record), id: id}
	s.setID(&e.value, id)
	return e, nil
}
