package core

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// Create inserts a record that is posted, and returns its JSON.
func (c *Collection) Create(ctx context.Context, body []byte, assigned schema.Record) (record []byte, err error) {
	if err := cmp.Or(c.permits(schema.Create), ctx.Err()); err != nil {
		return nil, err
	}
	return c.written(c.write(nil, func(now layout.Current) (store.Change, error) {
		posted, err := c.Type.About.Validate(ctx, body, c.checks(0, assigned))
		if err != nil {
			return store.Change{}, c.Type.allErrors(posted, err)
		}
		fresh, err := c.Type.decoded(nil, posted)
		if err != nil {
			return store.Change{}, c.Type.Errorf("%w", layout.Invalid(err))
		}
		return c.Type.placement(now, fresh, c.Type.keepSent, false)
	}))
}

// Update changes the record that a segment names, and returns its JSON.
func (c *Collection) Update(ctx context.Context, segment string, u Edit) (record []byte, err error) {
	action := schema.Update
	if u.Partial {
		action = schema.PartialUpdate
	}
	if err := c.permits(action); err != nil {
		return nil, err
	}
	return c.written(rewrite(ctx, c, func(now layout.Current) (store.Change, error) {
		old, err := c.target(ctx, now, segment, u.Filter)
		if err == nil {
			err = c.passes(old, u.Precondition)
		}
		if err != nil {
			return store.Change{}, err
		}
		base, changed := old, schema.Record{}
		checks := c.checks(old.ID, u.Assigned)
		update := func(current schema.Record) (schema.Record, error) {
			valid, err := c.Type.About.ValidateUpdate(ctx, current, u.Body, u.Partial, checks)
			return valid, c.Type.allErrors(valid, err)
		}
		if !c.Type.whole {
			changed, err = update(changed)
		} else {
			base, changed, err = c.Type.changed(old, update)
		}
		if err != nil {
			return store.Change{}, err
		}
		fresh, err := c.Type.decoded(base, changed)
		if err != nil {
			return store.Change{}, c.Type.Errorf("%w", layout.Invalid(err))
		}
		id := &c.Type.Identity
		id.SetID(layout.RecordOf(fresh), old.ID)
		if id.Kept(old, fresh) != nil {
			return store.Change{}, schema.FieldErrors{{Field: id.Wire, Messages: []string{"The key of a record cannot be changed."}}}
		}
		if err := c.Type.keepSent(fresh, layout.RecordOf(fresh)); err != nil {
			return store.Change{}, c.Type.Invalid(old, err)
		}
		fresh.ID = old.ID
		return store.Change{Old: old, New: fresh}, nil
	}))
}

// keepSent stores what a request has made of a record in a fresh entry. Of a Loose collection, what is
// wrong with the members was sent.
func (s *Type) keepSent(fresh *store.Entry, from *layout.Record) error {
	err := s.Keep(fresh, from)
	if err != nil && s.Loose() {
		return schema.Invalid(err.Error())
	}
	return err
}

// Delete deletes the record that a segment names, and changes those that refer to it.
func (c *Collection) Delete(ctx context.Context, segment string, filter schema.Filter, precondition func(record []byte) error) error {
	if err := c.permits(schema.Destroy); err != nil {
		return err
	}
	return revise(ctx, c, func(now layout.Current, r *revision) error {
		old, err := c.target(ctx, now, segment, filter)
		if err == nil {
			err = r.remove(c, old)
		}
		if err != nil {
			return err
		}
		return c.passes(old, precondition) // last: after an error nothing is written
	})
}

// Dependents calls report with the collection and the segment of the path of each record that Delete
// would change, and of those that prevent it, and with what it would do to them.
func (c *Collection) Dependents(ctx context.Context, segment string, report func(collection, segment string, does schema.OnDelete)) error {
	all, at := referrers(c), &Set{errors: c.Set.errors}
	for i, s := range store.Freeze(storesOf(all)...) {
		at.All = append(at.All, newMember(at, all[i].Type, store.Held(s)))
	}
	held := at.All[slices.Index(all, c)]
	e, err := held.target(ctx, held.Store, segment, schema.Filter{})
	if err != nil {
		return err
	}
	type once struct {
		entry *store.Entry
		does  schema.OnDelete
	}
	seen := map[once]bool{}
	return dependents(ctx, held, e, func(d dependent) error {
		if it := (once{d.entry, d.does}); !seen[it] {
			seen[it] = true
			report(d.of.Key(), d.of.segmentOf(d.entry), d.does)
		}
		return nil
	})
}

// segmentOf returns the segment of the path of an entry.
func (c *Collection) segmentOf(e *store.Entry) string {
	by := c.Type.About.Lookup
	if by == "" {
		return strconv.Itoa(e.ID)
	}
	text, _ := textOf(c.Type, c.Type.Text(by))(e)
	return text
}

// permits returns an error unless the collection accepts an action.
func (c *Collection) permits(action schema.Actions) error {
	if !c.Type.About.Actions.Has(action) {
		return c.Type.Errorf("%w: the service does not accept this request", ErrReadOnly)
	}
	return c.Writable()
}

// target returns the entry that a segment names and a filter selects. If the filter reads other
// collections, all is of one instant: that of the call, which a writer of the collection makes.
func (c *Collection) target(ctx context.Context, now layout.Getter, segment string, wanted schema.Filter) (*store.Entry, error) {
	f, err := newFilter(ctx, c, wanted, nil, nil, 1)
	if err != nil {
		return nil, err
	}
	return c.find(now, segment, f)
}

// find returns the entry that a segment names and a filter selects, of the instant of the filter if it has
// one.
func (c *Collection) find(now layout.Getter, segment string, f filter) (*store.Entry, error) {
	if f.instant != nil {
		now = f.instant.states[c]
	}
	var old *store.Entry
	if by := c.Type.About.Lookup; by != "" {
		old = holder(now, c.Type.Text(by), segment)
	} else {
		old = now.Get(schema.ParseID(segment))
	}
	found := old != nil && f.holds(old)
	err := f.turn.Pause()
	if err == nil && !found {
		err = c.Type.Errorf("%w: %s", ErrNotFound, segment)
	}
	return old, err
}

// passes returns the error of a precondition for an entry. Every entry passes if it is nil.
func (c *Collection) passes(entry *store.Entry, precondition func(record []byte) error) error {
	if precondition == nil {
		return nil
	}
	record, err := c.served(entry)
	if err != nil {
		return err
	}
	return precondition(record)
}

// checks returns the checks for the record with the given id, or for a new one if it is 0.
func (c *Collection) checks(id int, assigned schema.Record) schema.Checks {
	taken := func(ctx context.Context, fields, values []string) (bool, error) {
		other, err := c.otherWith(ctx, c.Store, id, fields, values)
		return other != nil, err
	}
	return schema.Checks{Find: c.refers.Find, Taken: taken, Now: c.Type.now, Assigned: assigned}
}

// otherWith returns an entry, other than the one with the id, that has the values of some fields, or
// nil. O(log n).
func (c *Collection) otherWith(ctx context.Context, from store.Source, id int, fields, values []string) (*store.Entry, error) {
	var members schema.Record
	for i, field := range fields {
		var err error
		if members, err = members.With(field, json.RawMessage(values[i])); err != nil {
			return nil, nil // decoding the whole record reports it
		}
	}
	fresh, unfit := c.Type.With(nil, members)
	if unfit != nil {
		return nil, nil // so does this; no entry has values that its type cannot hold
	}
	q := store.Query{Window: pagination.Window{Limit: 2}} // one may be the record itself
	for _, field := range fields {
		f, err := c.Type.Field(ordering.Snake(field))
		if err != nil {
			return nil, nil
		}
		k := f.Key(fresh)
		if k.Compare(sortkey.Null()) == 0 {
			return nil, nil
		}
		q.Terms = append(q.Terms, ordering.Asc(f.Name))
		q.Where = append(q.Where, store.Condition{Field: f.Name, Ranges: []ordering.Range{{From: k, To: k, ToIncluded: true}}})
	}
	a, err := from.Answer(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, e := range a.Entries.All() {
		if e.ID != id {
			return e, nil
		}
	}
	return nil, nil
}

// errRenamed is the error of a write of one collection that must change others.
var errRenamed = errors.New("a text changes to which other records refer")

// rewrite writes the change of a record that prepare returns, and returns its new entry. If a text
// changes to which other records refer, it calls prepare again, in a batch that changes these, too.
func rewrite(ctx context.Context, c *Collection, prepare func(now layout.Current) (store.Change, error)) (*store.Entry, error) {
	entry, err := c.write(nil, func(now layout.Current) (store.Change, error) {
		ch, err := prepare(now)
		if err == nil && slices.ContainsFunc(c.Type.targets, func(f *layout.Field) bool { return f.JSONKey(ch.Old) != f.JSONKey(ch.New) }) {
			err = errRenamed
		}
		return ch, err
	})
	if err != errRenamed {
		return entry, err
	}
	own := &edit{}
	err = revise(ctx, c, func(now layout.Current, r *revision) error {
		ch, err := prepare(now)
		if err != nil {
			return err
		}
		own.fresh = ch.New
		r.changed[c][ch.Old.ID] = own
		record, err := c.Type.Parsed(ch.New)
		if err != nil {
			return err
		}
		for m, col := range referring(c) {
			if col.By == "" {
				continue
			}
			of := c.Type.Column(col.By)
			if of.JSONKey(ch.Old) == of.JSONKey(ch.New) {
				continue
			}
			_, text := of.MemberOf(record)
			before := targetsOf(c, col, ch.Old)
			err := find(ctx, m, col, before, func(by *store.Entry) error { return r.replace(m, by, col, before, text) })
			if err == nil && m == c { // the record may refer to its former text
				err = r.replace(c, ch.Old, col, before, text)
			}
			if err == errNotNull {
				err = schema.FieldErrors{{Field: of.Name, Messages: []string{"This field may not be null: records of " + m.Key() + " refer to it."}}}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return own.fresh, err
}

// An Edit is a change of a record by a request. Package catalogue documents it.
type Edit struct {
	Filter       schema.Filter
	Body         []byte
	Partial      bool
	Assigned     schema.Record
	Precondition func(record []byte) error
}

// changed returns the members of an entry that a function of all of them changes, and the entry. If
// the function removes members of an open record, or it is Loose, it returns nil and all others.
func (s *Type) changed(old *store.Entry, f func(schema.Record) (schema.Record, error)) (base *store.Entry, members schema.Record, err error) {
	current, err := s.All(old)
	if err != nil {
		return old, members, err
	}
	after, err := f(current)
	if err != nil {
		return old, members, err
	}
	if s.Loose() {
		return nil, after, nil
	}
	for name, text := range after.All() {
		if before, _ := current.Get(name); before != text && err == nil {
			members, err = members.With(name, json.RawMessage(text))
		}
	}
	for name := range current.All() {
		_, kept := after.Get(name)
		switch m := s.Member(name); {
		case kept || err != nil:
		case s.Open():
			return nil, after, nil
		case m != nil:
			members, err = members.With(name, reflect.Zero(m.Go.Field.Type).Interface())
		}
	}
	return old, members, err
}

// unfit returns the error of an entry that validation refuses, or nil.
func (s *Type) unfit(e *store.Entry) error {
	if s.demands == nil {
		return nil
	}
	members, err := s.All(e)
	if err == nil {
		_, err = s.demands.ValidateRecord(context.Background(), members)
	}
	if err != nil {
		return layout.Invalid(err)
	}
	return nil
}

// decoded returns a fresh entry with the given members and otherwise the values of old, or
// zero values if old is nil. If the record type cannot hold a value that the client has sent,
// the error is [schema.FieldErrors].
func (s *Type) decoded(old *store.Entry, members schema.Record) (*store.Entry, error) {
	fresh, err := s.With(old, members)
	if err == nil {
		return fresh, nil
	}
	if errs := s.faults(members, err); errs != nil {
		err = errs
	}
	return nil, err
}

// allErrors returns the errors of a validation together with those of its valid members that the
// record type cannot hold, in the order of the fields. It returns any other error as it is.
func (s *Type) allErrors(valid schema.Record, err error) error {
	errs, invalid := err.(schema.FieldErrors)
	if !invalid || s.OwnJSON || s.Open() {
		return err
	}
	faults := s.faults(valid, nil)
	if faults == nil {
		return err
	}
	errs = append(slices.Clip(errs), faults...)
	place := func(e schema.FieldError) uint { // after all fields if it is about none
		return uint(slices.IndexFunc(s.demands.Fields, func(f schema.Field) bool { return f.Name == e.Field }))
	}
	slices.SortStableFunc(errs, func(a, b schema.FieldError) int { return cmp.Compare(place(a), place(b)) })
	return errs
}

// faults returns the errors of the members that the record type cannot hold. err is the error of
// decoding all of them, or nil if they are valid; then those of the most common types can be held.
func (s *Type) faults(members schema.Record, err error) (errs schema.FieldErrors) {
	var blamed *schema.MemberError // a method UnmarshalJSON may name a member
	if s.OwnJSON && !errors.As(err, &blamed) && members.String() != "{}" {
		return schema.FieldErrors{{Field: "nonFieldErrors", Messages: []string{jsontext.Reason(err)}}}
	}
	for _, f := range s.demands.Fields {
		text, sent := members.Get(f.Name)
		if !sent || f.ReadOnly || f.Created || err == nil && s.Common(f.Name) {
			continue
		}
		message := ""
		if m := s.Member(f.Name); !s.OwnJSON && m != nil {
			message = m.Fault(text)
		} else if blamed != nil && blamed.Member == f.Name {
			message = jsontext.Reason(blamed.Err)
		}
		if message != "" {
			errs = append(errs, schema.FieldError{Field: f.Name, Messages: []string{message}})
		}
	}
	return errs
}

// written returns the JSON of an entry that was written, or an error. For values of a
// unique set that Validate has not compared, the error wraps [schema.FieldErrors] too.
func (c *Collection) written(entry *store.Entry, err error) ([]byte, error) {
	if d := (*duplicate)(nil); errors.As(err, &d) {
		return nil, fmt.Errorf("%w: %w", err, d.response())
	}
	if err != nil {
		return nil, err
	}
	shown, err := c.served(entry)
	return bytes.Clone(shown), err
}

// Put inserts a fresh entry or, if replaces is set, puts it in place of one with the same identity.
// It returns the id, which is 0 if records have a key. If tx is not nil, the write is part of that
// batch.
func (c *Collection) Put(tx *store.Tx, fresh *store.Entry, replaces bool) (id int, err error) {
	e, err := c.write(tx, func(now layout.Current) (store.Change, error) {
		return c.Type.placement(now, fresh, c.Type.accept, replaces)
	})
	if err != nil {
		return 0, err
	}
	return c.Type.Identity.Served(e.ID), nil
}

// Modify calls f with a copy of the record with an id and stores what f makes of it, in the batch
// of tx if that is not nil.
func (c *Collection) Modify(tx *store.Tx, id int, f func(*layout.Record) error) error {
	_, err := c.write(tx, func(now layout.Current) (store.Change, error) {
		old, err := c.Type.Find(now, id)
		if err != nil {
			return store.Change{}, err
		}
		return c.Type.modification(now, old, f)
	})
	return err
}

// Remove deletes the record with an id, in the batch of tx if that is not nil.
func (c *Collection) Remove(tx *store.Tx, id int) error {
	_, err := c.write(tx, func(now layout.Current) (store.Change, error) {
		old, err := c.Type.Find(now, id)
		return store.Change{Old: old}, err
	})
	return err
}

// ReplaceAll replaces all records by those of fresh entries.
func (c *Collection) ReplaceAll(fresh []*store.Entry) error {
	s := c.Type
	return store.Replace([]*store.Store{c.Store}, func() ([]store.Replacement, error) {
		now := c.Store.Current()
		last := now.LastID()
		places := make(map[int]int, len(fresh))
		for i, e := range fresh {
			id := s.Identity.ID(layout.RecordOf(e))
			first, twice := places[id]
			switch {
			case id < 0:
				return nil, s.Errorf("record %d: %w: want a positive integer", i, ErrInvalidID)
			case id > 0 && twice:
				return nil, s.Errorf("record %d: %w: the record at index %d has %d too", i, ErrExists, first, id)
			}
			places[id], last = i, max(last, id)
		}
		for i, e := range fresh {
			if err := s.Identity.Assign(e, last, nil); err != nil {
				return nil, s.Errorf("record %d: %w", i, err)
			}
			last = max(last, s.Identity.ID(layout.RecordOf(e)))
			if err := s.accept(e, layout.RecordOf(e)); err != nil {
				return nil, s.Errorf("record %d: %w", i, layout.Invalid(err))
			}
		}
		refuse := func(i int, wrong *schema.MemberError) error { return s.Errorf("record %d: %w", i, wrong.Err) }
		if err := s.arrange(fresh, refuse); err != nil {
			return nil, err
		}
		if s.Identity.Key != nil {
			s.Identity.NumberAll(now, fresh)
		}
		return []store.Replacement{{Store: c.Store, Entries: fresh}}, nil
	})
}

// write writes the change that prepare returns, or adds it to a batch, and returns its new
// entry. tx is the batch, or nil.
func (c *Collection) write(tx *store.Tx, prepare func(now layout.Current) (store.Change, error)) (*store.Entry, error) {
	if tx == nil {
		if err := c.Writable(); err != nil {
			return nil, err
		}
		ch, err := c.Store.Write(func(s *store.State) (store.Change, error) { return prepare(s) })
		return ch.New, c.Set.refused(err)
	}
	if tx.Done() {
		return nil, c.Type.Errorf("%w", ErrTxDone)
	}
	ch, err := prepare(tx)
	if err != nil {
		return nil, err
	}
	tx.Write(ch)
	return ch.New, nil
}

// Find returns the entry with an id.
func (s *Type) Find(in layout.Getter, id int) (*store.Entry, error) {
	if s.Identity.Key != nil {
		return nil, s.Errorf("%w: the records have no id: use By(%q)", ErrNotFound, s.Identity.Key.Snake)
	}
	if e := in.Get(id); e != nil {
		return e, nil
	}
	return nil, s.Errorf("%w: id %d", ErrNotFound, id)
}

// placement returns the change that inserts a fresh entry or, if replaces is set, puts it in place
// of one with the same identity. That is known only after keep, which may call rules. The record of
// the entry is the caller's; keep copies it.
func (s *Type) placement(now layout.Current, fresh *store.Entry, keep func(fresh *store.Entry, from *layout.Record) error, replaces bool) (store.Change, error) {
	if err := s.Identity.Assign(fresh, now.LastID(), now); err != nil {
		return store.Change{}, s.Errorf("%w", err)
	}
	old := s.Identity.Holder(now, fresh)
	if old == nil || replaces {
		if err := keep(fresh, layout.RecordOf(fresh)); err != nil {
			return store.Change{}, s.Invalid(fresh, err)
		}
		old = s.Identity.Holder(now, fresh)
	}
	switch {
	case old == nil:
		s.Identity.Place(now, fresh)
	case replaces:
		fresh.ID = old.ID
	default:
		return store.Change{}, s.Errorf("%w: %v", ErrExists, s.Identity.Of(fresh))
	}
	return store.Change{Old: old, New: fresh}, nil
}

// modification returns the change that stores what f makes of an entry.
func (s *Type) modification(now layout.Getter, old *store.Entry, f func(*layout.Record) error) (store.Change, error) {
	changed := s.Copied(old) // f may retain its record
	if err := f(layout.RecordOf(changed)); err != nil {
		return store.Change{}, err
	}
	if tx, ok := now.(*store.Tx); ok && tx.Get(old.ID) != old { // otherwise other writes wait
		return store.Change{}, s.Errorf("%w: the function that updates %s also wrote to it", ErrInvalid, s.Identity.Name(old))
	}
	if err := s.Identity.Kept(old, changed); err != nil {
		return store.Change{}, s.Errorf("%w", err)
	}
	return s.exchange(old, s.New(), layout.RecordOf(changed))
}

// exchange returns the change that stores a copy of a record in a fresh entry, in place of old.
func (s *Type) exchange(old, fresh *store.Entry, from *layout.Record) (store.Change, error) {
	if err := s.accept(fresh, from); err != nil {
		return store.Change{}, s.Invalid(old, err)
	}
	fresh.ID = old.ID
	return store.Change{Old: old, New: fresh}, s.Named(s.Identity.Kept(old, fresh))
}

// accept stores a copy of a record of the program in a fresh entry. If the options say so, it
// validates the record, and stores what rules make of it.
func (s *Type) accept(fresh *store.Entry, from *layout.Record) error {
	if err := s.Keep(fresh, from); err != nil || !s.validates {
		return err
	}
	base, members, err := s.changed(fresh, func(r schema.Record) (schema.Record, error) {
		return s.demands.ValidateRecord(context.Background(), r)
	})
	if err != nil || members.String() == "{}" {
		return err
	}
	valid, err := s.decoded(base, members)
	if err != nil {
		return err
	}
	s.Identity.SetID(layout.RecordOf(valid), s.Identity.ID(layout.RecordOf(fresh)))
	if err := s.Keep(fresh, layout.RecordOf(valid)); err != nil {
		return err
	}
	return s.Identity.Invalid(layout.RecordOf(fresh))
}

// Batch calls f with a transaction, and then makes its changes visible at one instant.
func (c *Collection) Batch(f func(tx *store.Tx) error) error {
	if err := c.Writable(); err != nil {
		return err
	}
	return c.Set.refused(c.Store.Batch(f))
}
