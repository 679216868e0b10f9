package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"iter"
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
	return c.core.insert(nil, newEntry(record))
}

// Upsert replaces the record that has the same id by a copy of the given one. If there
// is none, or the id is zero, it inserts the record. It returns the id. The error wraps
// [ErrInvalidID] if the id is negative or no id is left, [ErrDuplicate] if another record
// has the values of a unique set, and [ErrInvalid] if JSON cannot represent the record.
// After an error or a panic the collection is unchanged. O(orderings in use × log n).
func (c *Collection[T]) Upsert(record T) (id int, err error) {
	return c.core.upsert(nil, newEntry(record))
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
	return c.core.modify(nil, finder{id: id}, untyped(f))
}

// Delete deletes the record with the given id. The error wraps [ErrNotFound] if there is
// none. The id is not assigned again. O(orderings in use × log n).
func (c *Collection[T]) Delete(id int) error { return c.core.remove(nil, finder{id: id}) }

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

// insert inserts a fresh entry and returns its id, which is 0 if records have a key. If tx is not
// nil, the write is part of that batch; the methods below take it too.
func (c *core) insert(tx *store.Tx, fresh *store.Entry) (id int, err error) {
	return c.idOf(c.write(tx, func(now current) (store.Change, error) { return c.typ.insertion(now, fresh) }))
}

// upsert puts a fresh entry in place of the one with the same identity, or inserts it. It returns
// the id.
func (c *core) upsert(tx *store.Tx, fresh *store.Entry) (id int, err error) {
	return c.idOf(c.write(tx, func(now current) (store.Change, error) { return c.typ.replacement(now, fresh) }))
}

func (c *core) idOf(e *store.Entry, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return c.typ.identity.of(e).ID, nil
}

// A finder finds the entry that is written: by its id or, with an index, by a text. A function in
// its place would be compiled for each record type.
type finder struct {
	id    int
	index *textIndex
	text  string
}

func (f finder) entry(now getter, s *recordType) (*store.Entry, error) {
	if f.index != nil {
		return f.index.in(now, f.text)
	}
	return s.find(now, f.id)
}

func (c *core) modify(tx *store.Tx, by finder, f func(*record) error) error {
	_, err := c.write(tx, func(now current) (store.Change, error) {
		old, err := by.entry(now, c.typ)
		if err != nil {
			return store.Change{}, err
		}
		return c.typ.modification(now, old, f)
	})
	return err
}

func (c *core) remove(tx *store.Tx, by finder) error {
	_, err := c.write(tx, func(now current) (store.Change, error) {
		old, err := by.entry(now, c.typ)
		return store.Change{Old: old}, err
	})
	return err
}

// replaceAll replaces all records by those of fresh entries.
func (c *core) replaceAll(fresh []*store.Entry) error {
	s := c.typ
	return store.Replace([]*store.Store{c.store}, func() ([]store.Replacement, error) {
		now := c.store.Current()
		last := now.LastID()
		places := make(map[int]int, len(fresh))
		for i, e := range fresh {
			id := s.identity.id(recordOf(e))
			first, twice := places[id]
			switch {
			case id < 0:
				return nil, s.errorf("record %d: %w: want a positive integer", i, ErrInvalidID)
			case id > 0 && twice:
				return nil, s.errorf("record %d: %w: the record at index %d has %d too", i, ErrExists, first, id)
			}
			places[id], last = i, max(last, id)
		}
		for i, e := range fresh {
			if err := s.identity.assign(e, last, nil); err != nil {
				return nil, s.errorf("record %d: %w", i, err)
			}
			last = max(last, s.identity.id(recordOf(e)))
			if err := s.accept(e, recordOf(e)); err != nil {
				return nil, s.errorf("record %d: %w: %w", i, ErrInvalid, err)
			}
		}
		refuse := func(i int, wrong *schema.MemberError) error { return s.errorf("record %d: %w", i, wrong.Err) }
		if err := s.arrange(fresh, refuse); err != nil {
			return nil, err
		}
		if s.identity.key != nil {
			s.identity.numberAll(now, fresh)
		}
		return []store.Replacement{{Store: c.store, Entries: fresh}}, nil
	})
}

// arrange sorts the entries of a list by id. If a record has the id or the values of a unique set
// of an earlier one, arrange calls refuse with the index of the record and the error about the
// member, whose name is empty if there are several. If refuse returns an error, arrange returns
// it.
func (s *recordType) arrange(list []*store.Entry, refuse func(index int, wrong *schema.MemberError) error) error {
	byID := func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) }
	sorted := s.identity.key != nil || // they have no ids yet, or are sorted
		slices.IsSortedFunc(list, func(a, b *store.Entry) int { return cmp.Or(byID(a, b), -1) }) // without repeated ids
	if !sorted {
		seen := make(map[int]int, len(list))
		for i, e := range list {
			first, twice := seen[e.ID]
			if !twice {
				seen[e.ID] = i
			} else if err := refuse(i, &schema.MemberError{Member: s.identity.wire, Err: fmt.Errorf("%w: the record at index %d has %d too", ErrExists, first, e.ID)}); err != nil {
				return err
			}
		}
	}
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
				if len(set) == 1 && s.identity.key != nil && set[0].Name == s.identity.key.name {
					wrong.Err = fmt.Errorf("%w: the record at index %d has %s too", ErrExists, before, s.identity.name(e))
				}
				if err := refuse(i, wrong); err != nil {
					return err
				}
			} else {
				seen[string(key)] = i
			}
		}
	}
	if !sorted {
		slices.SortFunc(list, byID)
	}
	return nil
}

// write writes the change that prepare returns, or adds it to a batch, and returns its new
// entry. tx is the batch, or nil.
func (c *core) write(tx *store.Tx, prepare func(now current) (store.Change, error)) (*store.Entry, error) {
	if tx == nil {
		if err := c.writable(); err != nil {
			return nil, err
		}
		ch, err := c.store.Write(func(s *store.State) (store.Change, error) { return prepare(s) })
		return ch.New, c.set.refused(err)
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

// find returns the entry with an id.
func (s *recordType) find(in getter, id int) (*store.Entry, error) {
	if s.identity.key != nil {
		return nil, s.errorf("%w: the records have no id: use By(%q)", ErrNotFound, s.identity.key.name)
	}
	if e := in.Get(id); e != nil {
		return e, nil
	}
	return nil, s.errorf("%w: id %d", ErrNotFound, id)
}

// insertion returns the change that inserts a fresh entry. The record of a fresh entry
// is the caller's; it is copied when the change is prepared.
func (s *recordType) insertion(now current, fresh *store.Entry) (store.Change, error) {
	return s.placement(now, fresh, s.accept, false)
}

// replacement returns the change that replaces the entry with the same identity by a fresh one, or
// inserts that if there is none.
func (s *recordType) replacement(now current, fresh *store.Entry) (store.Change, error) {
	return s.placement(now, fresh, s.accept, true)
}

// placement returns the change that inserts a fresh entry or, if replaces is set, puts it in place
// of one with the same identity. That is known only after keep, which may call rules.
func (s *recordType) placement(now current, fresh *store.Entry, keep func(fresh *store.Entry, from *record) error, replaces bool) (store.Change, error) {
	if err := s.identity.assign(fresh, now.LastID(), now); err != nil {
		return store.Change{}, s.errorf("%w", err)
	}
	old := s.identity.holder(now, fresh)
	if old == nil || replaces {
		if err := keep(fresh, recordOf(fresh)); err != nil {
			return store.Change{}, s.invalid(fresh, err)
		}
		old = s.identity.holder(now, fresh)
	}
	switch {
	case old == nil:
		s.identity.place(now, fresh)
	case replaces:
		fresh.ID = old.ID
	default:
		return store.Change{}, s.errorf("%w: %v", ErrExists, s.identity.of(fresh))
	}
	return store.Change{Old: old, New: fresh}, nil
}

// modification returns the change that stores what f makes of an entry.
func (s *recordType) modification(now getter, old *store.Entry, f func(*record) error) (store.Change, error) {
	changed := s.copied(old) // f may retain its record
	if err := f(recordOf(changed)); err != nil {
		return store.Change{}, err
	}
	if now.Get(old.ID) != old {
		return store.Change{}, s.errorf("%w: the function that updates %s also wrote to it", ErrInvalid, s.identity.name(old))
	}
	if err := s.identity.kept(old, changed); err != nil {
		return store.Change{}, s.errorf("%w", err)
	}
	return s.exchange(old, s.new(), recordOf(changed))
}

// exchange returns the change that stores a copy of a record in a fresh entry, in place of old.
func (s *recordType) exchange(old, fresh *store.Entry, from *record) (store.Change, error) {
	if err := s.accept(fresh, from); err != nil {
		return store.Change{}, s.invalid(old, err)
	}
	fresh.ID = old.ID
	return store.Change{Old: old, New: fresh}, s.named(s.identity.kept(old, fresh))
}

// accept is keep for a record of the program, which is validated if the options say so.
func (s *recordType) accept(fresh *store.Entry, from *record) error {
	if err := s.keep(fresh, from); err != nil || !s.validates {
		return err
	}
	if err := s.validate(fresh); err != nil {
		return err
	}
	return s.identity.invalid(recordOf(fresh))
}

// validate validates the record of a fresh entry and replaces it by what rules make of it.
func (s *recordType) validate(fresh *store.Entry) error {
	base, members, err := s.validated(fresh)
	if err != nil || members.String() == "{}" {
		return err
	}
	valid, err := s.decoded(base, members)
	if err != nil {
		return err
	}
	s.identity.setID(recordOf(valid), s.identity.id(recordOf(fresh)))
	return s.keep(fresh, recordOf(valid))
}

// validated returns what changed returns for the validation of an entry. A type without a
// description changes nothing.
func (s *recordType) validated(e *store.Entry) (base *store.Entry, members schema.Record, err error) {
	if s.demands == nil {
		return e, members, nil
	}
	return s.changed(e, func(r schema.Record) (schema.Record, error) {
		return s.demands.ValidateRecord(context.Background(), r)
	})
}

// keep stores a copy of a record in a fresh entry, after it has checked it. The record may be the
// entry's.
func (s *layout) keep(fresh *store.Entry, from *record) error {
	id := s.identity.id(from)
	if err := s.check(from); err != nil { // otherwise it may contain itself
		return err
	}
	to := recordOf(fresh)
	s.copy(s.copier, to, from)
	s.fillLists(to)
	s.identity.setID(to, id) // a method Clone may have changed it
	fresh.ID = id
	if s.about != nil && s.about.Lookup != "" {
		if text, ok := s.text(s.about.Lookup).value(fresh).AsText(); ok {
			if err := s.about.CheckLookup(text); err != nil {
				return err
			}
		}
	}
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
	return c.set.refused(c.store.Batch(f))
}

// Insert stores a copy of the record and returns its id. If the id of the record is zero,
// Insert assigns one more than the highest id ever used. The error wraps [ErrExists] if
// another record has the id, [ErrInvalidID] if the id is negative or no id is left, and
// [ErrInvalid] if JSON cannot represent the record. A duplicate value of a unique set is
// an error of the batch.
func (tx *Tx[T]) Insert(record T) (id int, err error) {
	return tx.core.insert(tx.tx, newEntry(record))
}

// Upsert replaces the record that has the same id by a copy of the given one, or inserts
// the record if none exists or the id is zero. It returns the id. The error wraps
// [ErrInvalidID] or [ErrInvalid]. A duplicate value is an error of the batch.
func (tx *Tx[T]) Upsert(record T) (id int, err error) {
	return tx.core.upsert(tx.tx, newEntry(record))
}

// Update calls f with a copy of the record with the given id and stores the result. f may
// read and write other records through tx. Those writes remain in the batch even if Update
// returns an error. If f returns an error, Update returns it unchanged. Otherwise the error
// wraps [ErrNotFound] if there is no record with the id, [ErrInvalidID] if f changed the
// id, and [ErrInvalid] if f wrote to the same record through tx or JSON cannot represent
// the result. A duplicate value is an error of the batch.
func (tx *Tx[T]) Update(id int, f func(record *T) error) error {
	return tx.core.modify(tx.tx, finder{id: id}, untyped(f))
}

// Delete deletes the record with the given id. The error wraps [ErrNotFound] if there is
// none.
func (tx *Tx[T]) Delete(id int) error { return tx.core.remove(tx.tx, finder{id: id}) }

// Get returns a copy of the record with the given id. The error wraps [ErrNotFound] if
// none exists. O(log n).
func (tx *Tx[T]) Get(id int) (record T, err error) {
	if tx.tx.Done() {
		return record, tx.core.typ.errorf("%w", ErrTxDone)
	}
	return copied[T](tx.core.typ, tx.tx, id)
}

// Where returns the records that satisfy all conditions, or all records if there are none,
// with the writes of the batch so far. The first call of a method of a Selection costs
// O(orderings in use + writes so far × orderings in use × log n) in addition, and makes
// each later write of the batch about twice as expensive.
func (tx *Tx[T]) Where(conditions ...ordering.Condition) Selection[T] {
	return Selection[T]{newSelection(tx.core.typ, nil, tx.tx, conditions)}
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
		name, value = s.row(field).memberOf(r)
	}
	switch {
	case value == "":
		return name, "value"
	case len(value) > longest:
		value = strings.ToValidUTF8(value[:longest], "") + "…"
	}
	return name, value
}
