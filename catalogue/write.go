package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// Insert stores a copy of the record and returns its id. If the id of the record is
// zero, Insert assigns one more than the highest id ever used.
//
// The error wraps [ErrExists] if another record has the id, [ErrInvalidID] if the id is
// negative or no id is left, [ErrDuplicate] if another record has the values of a unique
// set, and [ErrInvalid] if JSON cannot represent the record; it then names the field.
// After an error or a panic the collection is unchanged and no id is used. What tags and
// descriptions require is checked only if Options.Validate is set; then the stored record can
// differ from the given one, and the error also wraps [ErrInvalid] if the record is not valid.
// The same holds for the other methods that write records. O(orderings in use × log n).
func (c *Collection[T]) Insert(record T) (id int, err error) {
	return c.core.put(nil, newEntry(record), (*recordType).insertion)
}

// Upsert replaces the record that has the same id by a copy of the given one. If there
// is none, or the id is zero, it inserts the record. It returns the id. The error wraps
// [ErrInvalidID] if the id is negative or no id is left, [ErrDuplicate] if another record
// has the values of a unique set, and [ErrInvalid] if JSON cannot represent the record.
// After an error or a panic the collection is unchanged. O(orderings in use × log n).
func (c *Collection[T]) Upsert(record T) (id int, err error) {
	return c.core.put(nil, newEntry(record), (*recordType).replacement)
}

// Update calls f with a copy of the record with the given id and stores the result.
//
// If f returns an error, Update returns it unchanged. Otherwise the error wraps
// [ErrNotFound] if there is no record with the id, [ErrInvalidID] if f changed the id,
// [ErrDuplicate] if another record has the values of a unique set, and [ErrInvalid] if
// JSON cannot represent the result. After an error or a panic the collection is
// unchanged.
//
// Other writers wait for f; readers do not. f must not write to the same collection: it would
// deadlock. Writes to others of its catalogue can deadlock too. O(orderings in use × log n),
// without f.
func (c *Collection[T]) Update(id int, f func(record *T) error) error {
	return c.core.modify(nil, id, untyped(f))
}

// Delete deletes the record with the given id. The error wraps [ErrNotFound] if there is
// none. The id is not assigned again. O(orderings in use × log n).
func (c *Collection[T]) Delete(id int) error { return c.core.remove(nil, id) }

// ReplaceAll replaces all records by copies of the given ones at one instant. A nil
// sequence counts as an empty one. Records whose id is zero are assigned ids greater
// than the highest id ever used and the highest given id, in the order of the sequence.
//
// ReplaceAll iterates over the whole sequence before it starts to write. The sequence
// may therefore read or write the same collection. Other writers wait while the new
// records are checked, copied and sorted; readers do not.
//
// The error contains the index of the invalid record, from 0. It wraps [ErrExists] if two
// given records have the same id, [ErrDuplicate] if they have the same values of a unique
// set, [ErrInvalidID] if an id is negative or no id is left, and [ErrInvalid] if JSON
// cannot represent a record. After an error or a panic the collection is unchanged.
// O(n log n × orderings in use).
func (c *Collection[T]) ReplaceAll(records iter.Seq[T]) error {
	if err := c.core.writable(); err != nil {
		return err
	}
	var fresh []*store.Entry
	if records != nil {
		for record := range records {
			fresh = append(fresh, newEntry(record))
		}
	}
	return c.core.replaceAll(fresh)
}

// put stores a fresh entry by the change that a method returns for it. If tx is not nil, the write
// is part of that batch; the methods below take it too.
func (c *core) put(tx *store.Tx, fresh *store.Entry, change func(*recordType, current, *store.Entry) (store.Change, error)) (id int, err error) {
	if _, err := c.write(tx, func(now current) (store.Change, error) { return change(c.typ, now, fresh) }); err != nil {
		return 0, err
	}
	return c.typ.shown(fresh.ID), nil
}

func (c *core) modify(tx *store.Tx, id int, f func(*record) error) error {
	if err := c.typ.noIDs(); err != nil {
		return err
	}
	_, err := c.write(tx, func(now current) (store.Change, error) { return c.typ.modification(now, id, f) })
	return err
}

func (c *core) remove(tx *store.Tx, id int) error {
	if err := c.typ.noIDs(); err != nil {
		return err
	}
	_, err := c.write(tx, func(now current) (store.Change, error) { return c.typ.deletion(now, id) })
	return err
}

func (c *core) replaceAll(fresh []*store.Entry) error {
	return c.store.Replace(func(s *store.State) ([]*store.Entry, error) {
		if c.typ.key != nil {
			return fresh, c.typ.inherit(fresh, s)
		}
		return fresh, c.typ.number(fresh, s.LastID())
	})
}

// number checks the records of fresh entries, assigns ids greater than last to those
// without one, copies the records, and sorts the entries by id.
func (s *recordType) number(fresh []*store.Entry, last int) error {
	places := make(map[int]int, len(fresh))
	for i, e := range fresh {
		id := *s.id(recordOf(e))
		first, twice := places[id]
		switch {
		case id < 0:
			return s.errorf("record %d: %w: %d is negative", i, ErrInvalidID, id)
		case id > 0 && twice:
			return s.errorf("record %d: %w", i, taken(first, id))
		}
		places[id] = i
		last = max(last, id)
	}
	for i, e := range fresh {
		id := *s.id(recordOf(e))
		if id == 0 {
			if last == math.MaxInt {
				return s.errorf("record %d: %w: no id is left after %d", i, ErrInvalidID, last)
			}
			last++
			id = last
		}
		if err := s.accept(e, recordOf(e), id); err != nil {
			return s.errorf("record %d: %w: %w", i, ErrInvalid, err)
		}
	}
	return s.arrange(fresh, func(i int, wrong *schema.MemberError) error { return s.errorf("record %d: %w", i, wrong.Err) })
}

// arrange sorts the entries of a list by id. If a record has the id or the values of a unique set
// of an earlier one, arrange calls refuse with the index of the record and the error about the
// member, whose name is empty if there are several. If refuse returns an error, arrange returns
// it.
func (s *recordType) arrange(list []*store.Entry, refuse func(index int, wrong *schema.MemberError) error) error {
	var key []byte
	for n, set := range s.unique {
		seen := make(map[string]int, len(list))
		for i, e := range list {
			var ok bool
			if key, ok = store.AppendKeys(key[:0], set, e); !ok {
				continue
			}
			if before, twice := seen[string(key)]; twice {
				d := s.duplicate(e, s.engine.Unique[n], fmt.Sprintf("the record at index %d", before))
				wrong := &schema.MemberError{Member: d.member(), Err: d}
				if s.key != nil && len(set) == 1 && set[0].Name == s.key.Name {
					wrong.Err = fmt.Errorf("%w: the record at index %d has %s too", ErrExists, before, s.identify(e))
				}
				if err := refuse(i, wrong); err != nil {
					return err
				}
			} else {
				seen[string(key)] = i
			}
		}
	}
	if s.key != nil { // they have no ids yet, or are sorted
		return nil
	}
	byID := func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) }
	if slices.IsSortedFunc(list, func(a, b *store.Entry) int { return cmp.Or(byID(a, b), -1) }) { // without repeated ids
		return nil
	}
	seen := make(map[int]int, len(list))
	for i, e := range list {
		first, twice := seen[e.ID]
		if !twice {
			seen[e.ID] = i
		} else if err := refuse(i, &schema.MemberError{Member: s.idWire, Err: taken(first, e.ID)}); err != nil {
			return err
		}
	}
	slices.SortFunc(list, byID)
	return nil
}

// taken returns the error of a record in a list whose id an earlier one has.
func taken(earlier, id int) error {
	return fmt.Errorf("%w: the record at index %d has %d too", ErrExists, earlier, id)
}

// write writes the change that prepare returns, or adds it to a batch, and returns its new
// entry. tx is the batch, or nil.
func (c *core) write(tx *store.Tx, prepare func(now current) (store.Change, error)) (*store.Entry, error) {
	if tx == nil {
		if err := c.writable(); err != nil {
			return nil, err
		}
		ch, err := c.store.Write(func(s *store.State) (store.Change, error) { return prepare(s) })
		return ch.New, c.catalogue.refused(err)
	}
	if tx.Done() {
		return nil, c.typ.errorf("%w", ErrTxDone)
	}
	ch, err := prepare(tx)
	if err != nil {
		return nil, err
	}
	tx.Write(ch)
	return ch.New, nil
}

// current is the state for which a change is prepared: the published state, which only this
// writer can change, or a batch.
type current interface {
	getter
	LastID() int
}

type getter interface {
	Get(id int) *store.Entry
	Holder(field string, k sortkey.Key) *store.Entry
}

// insertion returns the change that inserts a fresh entry. The record of a fresh entry
// is the caller's; it is copied when the change is prepared.
func (s *recordType) insertion(now current, fresh *store.Entry) (store.Change, error) {
	id, err := s.newID(now, fresh)
	if err != nil {
		return store.Change{}, err
	}
	return store.Change{New: fresh}, s.take(fresh, recordOf(fresh), id)
}

// newID returns the id of a fresh entry that is inserted. It sets the key if that is absent.
func (s *recordType) newID(now current, fresh *store.Entry) (id int, err error) {
	if s.key != nil {
		if err := s.assignKey(fresh); err != nil {
			return 0, err
		}
		k := s.key.Key(fresh)
		if now.Holder(s.key.Name, k) != nil {
			return 0, s.errorf("%w: %s", ErrExists, s.identify(fresh))
		}
		if tx, ok := now.(*store.Tx); ok { // the batch may have deleted it: both are one change
			if before := tx.Before().Holder(s.key.Name, k); before != nil {
				return before.ID, nil
			}
		}
	}
	id = *s.id(recordOf(fresh))
	switch {
	case id < 0:
		return 0, s.errorf("%w: %d is negative", ErrInvalidID, id)
	case id == 0 && now.LastID() == math.MaxInt:
		return 0, s.errorf("%w: no id is left after %d", ErrInvalidID, now.LastID())
	case id == 0:
		return now.LastID() + 1, nil
	case id <= now.LastID() && now.Get(id) != nil:
		return 0, s.errorf("%w: %d", ErrExists, id)
	}
	return id, nil
}

func (s *recordType) replacement(now current, fresh *store.Entry) (store.Change, error) {
	if s.key != nil {
		return s.replacementBy(now, &textField{Field: s.key.Field}, fresh)
	}
	id := *s.id(recordOf(fresh))
	old := now.Get(id)
	if old == nil {
		return s.insertion(now, fresh)
	}
	return store.Change{Old: old, New: fresh}, s.take(fresh, recordOf(fresh), id)
}

func (s *recordType) modification(now getter, id int, f func(*record) error) (store.Change, error) {
	old := now.Get(id)
	if old == nil {
		return store.Change{}, s.noID(id)
	}
	changed := s.copied(old) // f may retain its record
	if err := f(recordOf(changed)); err != nil {
		return store.Change{}, err
	}
	if now.Get(id) != old {
		return store.Change{}, s.errorf("%w: the function that updates %s also wrote to it", ErrInvalid, s.identify(old))
	}
	if err := s.sameIdentity(old, changed); err != nil {
		return store.Change{}, err
	}
	return s.exchange(old, s.new(), recordOf(changed))
}

// exchange returns the change that stores a copy of a record in a fresh entry, in place of old.
func (s *recordType) exchange(old, fresh *store.Entry, from *record) (store.Change, error) {
	err := s.take(fresh, from, old.ID)
	if err == nil && s.key != nil { // a rule may have changed it
		err = s.sameIdentity(old, fresh)
	}
	return store.Change{Old: old, New: fresh}, err
}

func (s *recordType) deletion(now getter, id int) (store.Change, error) {
	old := now.Get(id)
	if old == nil {
		return store.Change{}, s.noID(id)
	}
	return store.Change{Old: old}, nil
}

// own stores a copy of a record in a fresh entry, after it has checked it. The record may be
// the entry's.
func (s *recordType) own(fresh *store.Entry, from *record, id int) error {
	if err := s.keep(fresh, from, id); err != nil {
		return s.errorf("%w: %s: %w", ErrInvalid, s.identify(fresh), err)
	}
	return nil
}

// take is own for a record of the program, which is validated if the options say so.
func (s *recordType) take(fresh *store.Entry, from *record, id int) error {
	if err := s.accept(fresh, from, id); err != nil {
		return s.errorf("%w: %s: %w", ErrInvalid, s.identify(fresh), err)
	}
	return nil
}

func (s *recordType) accept(fresh *store.Entry, from *record, id int) error {
	if err := s.keep(fresh, from, id); err != nil || !s.validates {
		return err
	}
	return s.validate(fresh)
}

// validate validates the record of a fresh entry and replaces it by what rules make of it.
func (s *recordType) validate(fresh *store.Entry) error {
	if s.demands == nil {
		return nil // a type that has no description
	}
	members, err := s.changed(fresh, func(r schema.Record) (schema.Record, error) {
		return s.demands.ValidateRecord(context.Background(), r)
	})
	if err != nil || members.String() == "{}" {
		return err
	}
	valid, err := s.decoded(fresh, members)
	if err != nil {
		return err
	}
	return s.keep(fresh, recordOf(valid), fresh.ID)
}

func (s *recordType) keep(fresh *store.Entry, from *record, id int) error {
	*s.id(from) = id
	if err := s.check(from); err != nil { // otherwise it may contain itself
		return err
	}
	to := recordOf(fresh)
	s.copy(s.copier, to, from)
	s.fillLists(to)
	*s.id(to) = id // a method Clone may have changed it
	fresh.ID = id
	if s.hasTwoForms { // an error of the method Computed changes nothing
		_, err := s.encoded(fresh)
		return err
	}
	return nil
}

// A Tx reads and writes a collection within [Collection.Batch]. Its reads include its
// writes, which become visible to others when the batch ends. A write that returns an
// error changes nothing and does not end the batch. After the batch, the methods that
// return an error return one that wraps [ErrTxDone]. A Tx is not safe for concurrent
// use.
type Tx[T any] struct {
	core *core
	tx   *store.Tx
}

// Batch calls f and makes its writes visible at one instant. If f returns an error,
// Batch returns it unchanged. If two records would have the same values of a unique set
// at the end of the batch, the error wraps [ErrDuplicate]. During the batch they may have
// it, so two records can exchange their values. After an error or a panic the collection
// is unchanged and no id is used. A batch that changes nothing is not a new revision.
//
// Other writers wait for f; readers do not. f must write to the collection only through
// tx: the methods of the collection that write would deadlock. To write to several
// collections, use [Catalogue.Batch]. With k changes a batch is
// O(k × orderings in use × log n). A batch that changes more than half of the records
// is O(n log n × orderings in use).
func (c *Collection[T]) Batch(f func(tx *Tx[T]) error) error {
	return c.core.batch(func(tx *store.Tx) error { return f(&Tx[T]{c.core, tx}) })
}

func (c *core) batch(f func(tx *store.Tx) error) error {
	if err := c.writable(); err != nil {
		return err
	}
	return c.catalogue.refused(c.store.Batch(f))
}

// Insert stores a copy of the record and returns its id. If the id of the record is zero,
// Insert assigns one more than the highest id ever used. The error wraps [ErrExists] if
// another record has the id, [ErrInvalidID] if the id is negative or no id is left, and
// [ErrInvalid] if JSON cannot represent the record. A duplicate value of a unique set is
// an error of the batch.
func (tx *Tx[T]) Insert(record T) (id int, err error) {
	return tx.core.put(tx.tx, newEntry(record), (*recordType).insertion)
}

// Upsert replaces the record that has the same id by a copy of the given one, or inserts
// the record if none exists or the id is zero. It returns the id. The error wraps
// [ErrInvalidID] or [ErrInvalid]. A duplicate value is an error of the batch.
func (tx *Tx[T]) Upsert(record T) (id int, err error) {
	return tx.core.put(tx.tx, newEntry(record), (*recordType).replacement)
}

// Update calls f with a copy of the record with the given id and stores the result. f may
// read and write other records through tx. Those writes remain in the batch even if Update
// returns an error. If f returns an error, Update returns it unchanged. Otherwise the error
// wraps [ErrNotFound] if there is no record with the id, [ErrInvalidID] if f changed the
// id, and [ErrInvalid] if f wrote to the same record through tx or JSON cannot represent
// the result. A duplicate value is an error of the batch.
func (tx *Tx[T]) Update(id int, f func(record *T) error) error {
	return tx.core.modify(tx.tx, id, untyped(f))
}

// Delete deletes the record with the given id. The error wraps [ErrNotFound] if there is
// none.
func (tx *Tx[T]) Delete(id int) error { return tx.core.remove(tx.tx, id) }

// Get returns a copy of the record with the given id. The error wraps [ErrNotFound] if
// none exists. O(log n).
func (tx *Tx[T]) Get(id int) (record T, err error) {
	if tx.tx.Done() {
		return record, tx.core.typ.errorf("%w", ErrTxDone)
	}
	return copied[T](tx.core.typ, tx.core.typ.byID(tx.tx, id), id)
}

// Where returns the records that satisfy all conditions, or all records if there are none,
// with the writes of the batch so far. The first call of a method of a Selection costs
// O(orderings in use + writes so far × orderings in use × log n) in addition, and makes
// each later write of the batch about twice as expensive.
func (tx *Tx[T]) Where(conditions ...ordering.Condition) Selection[T] {
	return Selection[T]{tx.core.typ.where(tx.tx, conditions)}
}

// A duplicate is the error of a record that has the same values of a unique set as another
// one. It wraps [ErrDuplicate].
type duplicate struct {
	fields         []string // in snake_case
	members, texts []string // their JSON names and their JSON
	other          string   // the other record: its id, or its index in the list
}

// duplicate returns the error of an entry that has the values of another record.
func (s *recordType) duplicate(e *store.Entry, fields []string, other string) *duplicate {
	d := &duplicate{fields: fields, other: other}
	for _, field := range fields {
		name, value := s.valueOf(e, field)
		d.members, d.texts = append(d.members, name), append(d.texts, name+" "+value)
	}
	return d
}

func (d *duplicate) Error() string {
	are := "is that"
	if len(d.fields) > 1 {
		are = "are those"
	}
	return fmt.Sprintf("%v: %s %s of %s", ErrDuplicate, strings.Join(d.texts, " and "), are, d.other)
}

func (d *duplicate) Unwrap() error { return ErrDuplicate }

// member returns the JSON name of the field, or "" if there are several.
func (d *duplicate) member() string {
	if len(d.members) > 1 {
		return ""
	}
	return d.members[0]
}

// response returns the errors of a request that writes the record.
func (d *duplicate) response() schema.FieldErrors {
	if len(d.fields) > 1 {
		message := "The fields " + strings.Join(d.fields, ", ") + " must make a unique set."
		return schema.FieldErrors{{Field: "nonFieldErrors", Messages: []string{message}}}
	}
	return schema.FieldErrors{{Field: d.member(), Messages: []string{"This field must be unique."}}}
}

// valueOf returns the JSON name of a field and the JSON of its value, shortened.
func (s *recordType) valueOf(e *store.Entry, field string) (name, value string) {
	const longest = 100
	r, err := s.parsed(e)
	if err == nil {
		name, value = memberOf(r, ordering.Camel(field), field)
	}
	if name == "" { // inside a member
		name, value = field, pathOf(field).value(r)
	}
	switch {
	case value == "":
		return name, "value"
	case len(value) > longest:
		value = strings.ToValidUTF8(value[:longest], "") + "…"
	}
	return name, value
}
