package catalogue

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A Query asks an [AnyCollection] for a page.
type Query struct {
	// Filter selects records, as [schema.Description.Filter] reads it from the parameters of a
	// request. Its fields must be described. The zero Filter selects all records.
	Filter schema.Filter

	// Window is the page of the selected records.
	Window pagination.Window

	// Terms order the records. Those that name no field, or one that is not in Sortable of the
	// description, are dropped. If Sortable is nil, it is the names of Fields that are not
	// Hidden, or, if these are nil too, of all members of the records. Fields inside others, such
	// as address__city, must be in Sortable. Those of the default order, in any direction, are not
	// dropped. If no term is left, the order is the default one.
	Terms []ordering.Term
}

// A Listing is the page that a [Query] asks for. Everything in it comes from one instant.
type Listing struct {
	Records [][]byte        // JSON objects, which must not be modified
	Count   int             // number of selected records
	Terms   []ordering.Term // those of the Query that name a field
}

// An Edit asks an [AnyCollection] to change a record. The zero Edit is that of a PUT with
// an empty object.
type Edit struct {
	// Filter hides records from the update: those that it does not select count as missing.
	Filter schema.Filter

	// Body is the JSON object of a PUT or, if Partial is set, of a PATCH. Empty means {}.
	Body    []byte
	Partial bool

	// Assigned has the values of fields that the server determines, whatever the Body has. See
	// Assigned of [schema.Checks].
	Assigned schema.Record

	// Precondition, if not nil, is called with the JSON of the record at the instant of the
	// change. If it returns an error, the record does not change. It must neither modify nor
	// retain the JSON.
	Precondition func(record []byte) error
}

// An AnyCollection is a collection of a catalogue whose records are read and written as
// JSON, whatever their type. Servers use it. It is safe for concurrent use. The zero
// AnyCollection is invalid: its methods panic.
type AnyCollection struct{ core *core }

// Description returns the description of the collection. The caller must not modify its
// slices. O(1).
func (c AnyCollection) Description() schema.Description { return *c.core.typ.about }

// RecordType returns the type of the records. O(1).
func (c AnyCollection) RecordType() reflect.Type { return c.core.typ.reflect }

// Count returns the number of records. O(1).
func (c AnyCollection) Count() int { return c.core.store.Len() }

// Revision returns the revision of the current state. It changes exactly when a write
// becomes visible. O(1).
func (c AnyCollection) Revision() uint64 { return c.core.store.Revision() }

// List returns the page that a query asks for.
//
// The error is ctx.Err(), or wraps [ordering.ErrUnknownField] or [schema.ErrInvalid] if the
// Filter names a field that is not described or lacks a value, or [ErrInvalid] if a
// method MarshalJSON or MarshalText returns an error. O(log n + limit) after the first use of
// the ordering, without a Filter.
//
// Filters compare values in the order of their field; those that look for a text within the
// field read it as it is. Filters by order, such as minutes__gte, and by prefix use indexes;
// [Selection] describes their cost. These are O(n): case-insensitive filters of text, filters of
// parts of text and of lists of references, and a search.
//
// A page that fields of other records select or order belongs to one instant of all collections
// concerned. It takes O(n + m) for n records in the collection and m in those to which the
// references lead, and O(n log n) if it is ordered by such a field. No index depends on another
// collection.
func (c AnyCollection) List(ctx context.Context, q Query) (Listing, error) {
	list, err := c.core.list(ctx, query(q))
	return Listing(list), err
}

// list returns the page that a query asks for.
func (c *core) list(ctx context.Context, q query) (listing, error) {
	terms := q.Terms
	if slices.ContainsFunc(terms, c.unsortable) {
		terms = slices.DeleteFunc(slices.Clone(terms), c.unsortable)
	}
	f, err := newFilter(ctx, c, q.Filter, terms, 0)
	if err != nil {
		return listing{}, err
	}
	asked := store.Query{Window: q.Window, Lenient: true, Flat: c.typ.about.Sortable == nil && c.typ.about.Fields == nil}
	var list listing
	if len(terms) > 0 {
		asked.Known = &list.Terms
	}
	f.addTo(&asked)
	entries, count, err := c.page(ctx, asked, terms, f.instant)
	if err != nil {
		return listing{}, c.typ.named(err)
	}
	list.Count, list.Records = count, make([][]byte, entries.Len())
	for i, e := range entries.All() {
		if list.Records[i], err = c.typ.encoded(e); err != nil {
			return listing{}, err
		}
	}
	return list, nil
}

// page returns the page of a query, of the current state or of an instant.
func (c *core) page(ctx context.Context, q store.Query, terms []ordering.Term, in *instant) (store.Entries, int, error) {
	if in == nil {
		return store.Page(ctx, c.store, q, terms)
	}
	q.Related = in.fields(c, terms)
	return store.Page(ctx, in.states[c], q, terms)
}

// Counts returns, for each group of tests, the number of records that the filter selects and for
// which all tests of the group hold, as Counter of package httpapi does. If others write
// meanwhile, the numbers may belong to different instants. The errors are those of List.
// O(log n) for each group if an index has the records that are counted; the other groups are
// counted together, by reading the records that the filter selects once.
func (c AnyCollection) Counts(ctx context.Context, wanted schema.Filter, groups [][]schema.Test) ([]int, error) {
	return c.core.counts(ctx, wanted, groups)
}

// counts returns the number of selected records for each group of tests.
func (c *core) counts(ctx context.Context, wanted schema.Filter, groups [][]schema.Test) ([]int, error) {
	all := wanted
	all.Tests = slices.Concat(wanted.Tests, slices.Concat(groups...))
	in := instantOf(ctx, c, all, nil)
	base, err := in.filter(c, wanted, 0)
	if err != nil {
		return nil, err
	}
	var from store.Source = c.store
	if in != nil {
		from = in.states[c]
	}
	counts, others := make([]int, len(groups)), map[int]filter{}
	for i, tests := range groups {
		group, err := in.filter(c, schema.Filter{Tests: tests}, 0)
		if err != nil {
			return nil, err
		}
		q := store.Query{Want: store.WantCount}
		base.addTo(&q)
		group.addTo(&q)
		if q.Match != nil {
			others[i] = group
			continue
		}
		a, err := from.Answer(ctx, q)
		if err != nil {
			return nil, c.typ.named(err)
		}
		counts[i] = a.N
	}
	if len(others) == 0 {
		return counts, ctx.Err()
	}
	q := store.Query{Want: store.WantScan, Terms: []ordering.Term{ordering.Asc(c.typ.identity.number)}}
	base.addTo(&q)
	selected, err := from.Answer(ctx, q)
	if err != nil {
		return nil, c.typ.named(err)
	}
	for e := range selected.Scan {
		for i, group := range others {
			if group.holds(e) {
				counts[i]++
			}
		}
	}
	return counts, ctx.Err()
}

// Positions returns true: List accepts a test of the lookup gt or lt for each described field and
// the id. It implements Positioner of package httpapi. O(1).
func (c AnyCollection) Positions() bool { return true }

// SortKey returns the sort key of a value of a [schema.Test] of a field, in snake_case: values with
// equal keys are equal for filters and orderings. If the field is not described, it is the key of a
// text. Servers compare positions in cursors by it. O(len).
func (c AnyCollection) SortKey(field, value string) sortkey.Key {
	return c.core.sortKey(field, value)
}

// sortKey returns the sort key of a value of a test of a field.
func (c *core) sortKey(field, value string) sortkey.Key {
	if f := c.typ.column(field); f != nil {
		return f.keyOfText(value)
	}
	return sortkey.Text(value)
}

// Exists reports whether the collection of the catalogue that has the key has a record with the
// id, in its current state. It implements Exists of [schema.Checks]. The error is ctx.Err().
// O(log n).
func (c AnyCollection) Exists(ctx context.Context, key string, id int) (bool, error) {
	return c.core.set.exists(ctx, key, id)
}

// exists reports whether a collection has a record with an id.
func (c *set) exists(ctx context.Context, key string, id int) (bool, error) {
	m, err := c.lookup(key)
	return err == nil && m.typ.identity.key == nil && m.store.Get(id) != nil, ctx.Err()
}

// Find returns the id of the record of the collection of the catalogue that has the key whose
// field, in snake_case, equals a text, and the text that it has, or 0 if none exists. It implements
// Find of [schema.Checks]. The error is ctx.Err(). O(log n) after the first use of the field.
func (c AnyCollection) Find(ctx context.Context, key, field, text string) (id int, stored string, err error) {
	return c.core.set.find(ctx, key, field, text)
}

// find returns the id of the record of a collection whose field equals a text, and that text.
func (c *set) find(ctx context.Context, key, field, text string) (id int, stored string, err error) {
	m, err := c.lookup(key)
	if err != nil {
		return 0, "", ctx.Err()
	}
	e := holder(m.store, m.typ.text(field), text)
	if e == nil {
		return 0, "", ctx.Err()
	}
	stored, _ = m.typ.column(field).value(e).AsText()
	return e.ID, stored, nil
}

// Get returns the JSON of a record by the segment of its path: its id, with or without white space
// around it, its key or, with a Lookup, that text. The JSON must not be modified. The error is ctx.Err(), or wraps
// [ErrNotFound] if no such record exists or the filter does not select it, and
// [ordering.ErrUnknownField] or [schema.ErrInvalid] if the filter is invalid. O(log n).
func (c AnyCollection) Get(ctx context.Context, segment string, filter schema.Filter) (record []byte, err error) {
	return c.core.get(ctx, segment, filter)
}

// get returns the JSON of the record that a segment names and a filter selects.
func (c *core) get(ctx context.Context, segment string, filter schema.Filter) (record []byte, err error) {
	entry, err := c.target(ctx, c.store, segment, filter)
	if err != nil {
		return nil, err
	}
	return c.typ.encoded(entry)
}

// Create validates a posted JSON object, stores it as a record with the next id, and
// returns the JSON of the record, which the caller may modify. References must be to
// records that exist; see Delete. assigned has the values of fields that the server determines,
// whatever the body has, or is the zero Record; see Assigned of [schema.Checks].
//
// The error is ctx.Err(), or a [*schema.SyntaxError] or [schema.FieldErrors] about the body,
// or wraps [ErrReadOnly] if the collection does not accept posts or the catalogue is a
// snapshot, [ErrDuplicate] and [schema.FieldErrors] if another record has the values of a
// unique set that the description does not have, [ErrInvalid] if the record type cannot
// hold the result, or [ErrInvalidID] if no id is left. If the type of a field cannot hold a
// valid value, the error wraps [schema.FieldErrors] too; the message is the text of the error
// if a method UnmarshalText or UnmarshalJSON returns one. If a rule panics, nothing changes, and
// the panic passes to the caller. O(length of the body + orderings in use × log n).
//
// The body is validated while other writers wait, so that rules see the records to which the new
// one is added.
func (c AnyCollection) Create(ctx context.Context, body []byte, assigned schema.Record) (record []byte, err error) {
	return c.core.create(ctx, body, assigned)
}

// create inserts a record that is posted, and returns its JSON.
func (c *core) create(ctx context.Context, body []byte, assigned schema.Record) (record []byte, err error) {
	if err := cmp.Or(c.permits(schema.Create), ctx.Err()); err != nil {
		return nil, err
	}
	return c.written(c.write(nil, func(now current) (store.Change, error) {
		posted, err := c.typ.about.Validate(ctx, body, c.checks(0, assigned))
		if err != nil {
			return store.Change{}, err
		}
		fresh, err := c.decoded(nil, posted)
		if err != nil {
			return store.Change{}, err
		}
		return c.typ.placement(now, fresh, c.typ.keep, false)
	}))
}

// Update validates a JSON object, changes the record that Get returns, and returns its JSON,
// which the caller may modify. Fields that are absent from the object or from the JSON of the
// record keep their values. No other write comes in between, so concurrent updates of different
// fields lose nothing. If a text changes to which fields of other records refer, these change at
// the same instant. If the precondition returns an error, Update returns it. The precondition
// must not write to the catalogue, and may be called twice. The other errors are the errors of
// Get and Create.
func (c AnyCollection) Update(ctx context.Context, segment string, e Edit) (record []byte, err error) {
	return c.core.update(ctx, segment, change(e))
}

// update changes the record that a segment names, and returns its JSON.
func (c *core) update(ctx context.Context, segment string, u change) (record []byte, err error) {
	action := schema.Update
	if u.Partial {
		action = schema.PartialUpdate
	}
	if err := c.permits(action); err != nil {
		return nil, err
	}
	if _, err := newFilter(ctx, c, u.Filter, nil, 1); err != nil {
		return nil, err
	}
	return c.written(rewrite(ctx, c, func(now current) (store.Change, error) {
		old, err := c.target(ctx, now, segment, u.Filter)
		if err == nil {
			err = c.passes(old, u.Precondition)
		}
		if err != nil {
			return store.Change{}, err
		}
		base, changed := old, schema.Record{}
		checks := c.checks(old.ID, u.Assigned)
		if !c.typ.judged {
			changed, err = c.typ.about.ValidateUpdate(ctx, changed, u.Body, u.Partial, checks)
		} else {
			base, changed, err = c.typ.changed(old, func(current schema.Record) (schema.Record, error) {
				return c.typ.about.ValidateUpdate(ctx, current, u.Body, u.Partial, checks)
			})
		}
		if err != nil {
			return store.Change{}, err
		}
		fresh, err := c.decoded(base, changed)
		if err != nil {
			return store.Change{}, err
		}
		id := &c.typ.identity
		id.setID(recordOf(fresh), old.ID)
		if id.kept(old, fresh) != nil {
			return store.Change{}, schema.FieldErrors{{Field: id.wire, Messages: []string{"The key of a record cannot be changed."}}}
		}
		if err := c.typ.keep(fresh, recordOf(fresh)); err != nil {
			return store.Change{}, c.typ.invalid(old, err)
		}
		fresh.ID = old.ID
		return store.Change{Old: old, New: fresh}, nil
	}))
}

// Delete deletes the record that Get returns. At the same instant the records that refer to it
// change: those with a reference that is [schema.Cascade] are deleted too, and then those that
// refer to these; a reference that is [schema.SetNull] becomes null; lists lose the item. The
// error is ctx.Err(), or wraps [ordering.ErrUnknownField] or [schema.ErrInvalid] if the filter is
// invalid, [ErrNotFound] if there is no such record, [ErrReadOnly] if the collection does not
// accept deletions or the catalogue is a snapshot, and [ErrReferenced] if another record, in any
// collection of the catalogue, has a [schema.Protect] reference to a record that would be
// deleted, even if it would be deleted itself. If precondition is not nil, Delete calls it with
// the JSON of the record at the instant of the deletion and returns its error. After an error
// nothing has changed. Records that change with the deletion are not validated, and their
// descriptions need not have actions.
//
// Create, Update and Delete leave no reference to a record that does not exist: writes to the
// collections whose records Delete may read or change wait for it. Reads do not wait, and other
// writes neither check references nor change them; [Catalogue.Check] finds what they leave.
// precondition must not write to the catalogue: it could deadlock. O(k log n) for k records that
// change, of n records in the collections that refer to them, after the first deletion has made the
// indexes of the fields that do; O(n) for a list, and for
// each step of a chain of lists.
func (c AnyCollection) Delete(ctx context.Context, segment string, filter schema.Filter, precondition func(record []byte) error) error {
	return c.core.delete(ctx, segment, filter, precondition)
}

// delete deletes the record that a segment names, and changes those that refer to it.
func (c *core) delete(ctx context.Context, segment string, filter schema.Filter, precondition func(record []byte) error) error {
	if err := c.permits(schema.Destroy); err != nil {
		return err
	}
	if _, err := newFilter(ctx, c, filter, nil, 1); err != nil {
		return err
	}
	return revise(ctx, c, func(now current, r *revision) error {
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

// Load replaces all records at one instant by the ones in r: a JSON array of records, or an
// object with such an array as the member results. The error wraps the error of r,
// [ErrReadOnly] if the catalogue is a snapshot, or [ErrInvalidData]; after an error the
// collection is unchanged. [Collection.Load] describes the form. O(n) for records sorted by
// id.
func (c AnyCollection) Load(r io.Reader, opts LoadOptions) error {
	return loader{c.core.set, c.core, loadOptions(opts)}.load(r)
}

// A query asks for a page. Package catalogue documents it, and the types below.
type query struct {
	Filter schema.Filter
	Window pagination.Window
	Terms  []ordering.Term
}

type listing struct {
	Records [][]byte
	Count   int
	Terms   []ordering.Term
}

// A change is an Edit of package catalogue.
type change struct {
	Filter       schema.Filter
	Body         []byte
	Partial      bool
	Assigned     schema.Record
	Precondition func(record []byte) error
}

// target returns the entry that a segment names and a filter selects. If the filter reads other
// collections, all is of one instant: that of the call, which a writer of the collection makes.
func (c *core) target(ctx context.Context, now getter, segment string, wanted schema.Filter) (*store.Entry, error) {
	f, err := newFilter(ctx, c, wanted, nil, 1)
	if err != nil {
		return nil, err
	}
	if f.instant != nil {
		now = f.instant.states[c]
	}
	old := byPath(c.typ, now, segment)
	if old == nil || !f.holds(old) {
		return nil, c.typ.errorf("%w: %s", ErrNotFound, segment)
	}
	return old, nil
}

// byPath returns the entry that a segment of a path names, or nil.
func byPath(s *recordType, from getter, segment string) *store.Entry {
	if s.about.Lookup == "" {
		return from.Get(schema.ParseID(segment))
	}
	return holder(from, s.text(s.about.Lookup), segment)
}

// passes returns the error of a precondition for an entry. Every entry passes if it is nil.
func (c *core) passes(entry *store.Entry, precondition func(record []byte) error) error {
	if precondition == nil {
		return nil
	}
	record, err := c.typ.encoded(entry)
	if err != nil {
		return err
	}
	return precondition(record)
}

// changed returns the members of an entry that a function of all of them changes, and the entry. If
// the function removes members of an open record, it returns nil and all others.
func (s *recordType) changed(old *store.Entry, f func(schema.Record) (schema.Record, error)) (base *store.Entry, members schema.Record, err error) {
	current, err := s.parsed(old)
	for _, f := range s.omitted {
		if _, ok := current.Get(f.Name); !ok && err == nil {
			current, err = current.With(f.Name, json.RawMessage(f.Default))
		}
	}
	if err != nil {
		return old, members, err
	}
	after, err := f(current)
	if err != nil {
		return old, members, err
	}
	for name, text := range after.All() {
		if before, _ := current.Get(name); before != text && err == nil {
			members, err = members.With(name, json.RawMessage(text))
		}
	}
	for name := range current.All() {
		_, kept := after.Get(name)
		switch m := s.member(name); {
		case kept || err != nil:
		case s.open():
			return nil, after, nil
		case m != nil:
			members, err = members.With(name, reflect.Zero(m.Field.Type).Interface())
		}
	}
	return old, members, err
}

// decoded returns a fresh entry with the given members and otherwise the values of old, or
// zero values if old is nil. If the record type cannot hold a value that the client has sent,
// the error wraps [schema.FieldErrors].
func (c *core) decoded(old *store.Entry, members schema.Record) (*store.Entry, error) {
	fresh, err := c.typ.decoded(old, members)
	if err != nil {
		return nil, c.typ.errorf("%w: %w", ErrInvalid, err)
	}
	return fresh, nil
}

func (s *recordType) decoded(old *store.Entry, members schema.Record) (*store.Entry, error) {
	fresh, err := s.with(old, members)
	if err == nil {
		return fresh, nil
	}
	if errs := s.faults(members, err); errs != nil {
		err = errs
	}
	return nil, err
}

// faults returns the errors of the members that the record type cannot hold. err is the error of
// decoding all of them.
func (s *recordType) faults(members schema.Record, err error) (errs schema.FieldErrors) {
	var blamed *schema.MemberError // a method UnmarshalJSON may name a member
	if s.ownJSON && !errors.As(err, &blamed) && members.String() != "{}" {
		return schema.FieldErrors{{Field: "nonFieldErrors", Messages: []string{value.Reason(err)}}}
	}
	for _, f := range cmp.Or(s.about, s.demands).Fields {
		text, sent := members.Get(f.Name)
		if !sent || f.ReadOnly || f.Created {
			continue
		}
		message := ""
		if m := s.member(f.Name); !s.ownJSON && m != nil {
			message = value.FaultIn(m.Field.Type, text)
		} else if blamed != nil && blamed.Member == f.Name {
			message = value.Reason(blamed.Err)
		}
		if message != "" {
			errs = append(errs, schema.FieldError{Field: f.Name, Messages: []string{message}})
		}
	}
	return errs
}

// permits returns an error unless the collection accepts an action.
func (c *core) permits(action schema.Actions) error {
	if !c.typ.about.Actions.Has(action) {
		return c.typ.errorf("%w: the service does not accept this request", ErrReadOnly)
	}
	return c.writable()
}

// checks returns the checks for the record with the given id, or for a new one if it is 0.
func (c *core) checks(id int, assigned schema.Record) schema.Checks {
	taken := func(ctx context.Context, fields, values []string) (bool, error) {
		other, err := c.holder(ctx, c.store, id, fields, values)
		return other != nil, err
	}
	return schema.Checks{Exists: c.refers.Exists, Find: c.refers.Find, Taken: taken, Now: c.typ.now, Assigned: assigned}
}

// holder returns an entry, other than the one with the id, that has the values of some fields, or
// nil. O(log n).
func (c *core) holder(ctx context.Context, from store.Source, id int, fields, values []string) (*store.Entry, error) {
	var members schema.Record
	for i, field := range fields {
		var err error
		if members, err = members.With(field, json.RawMessage(values[i])); err != nil {
			return nil, nil // decoding the whole record reports it
		}
	}
	fresh, unfit := c.typ.with(nil, members)
	if unfit != nil {
		return nil, nil // as above
	}
	q := store.Query{Window: pagination.Window{Limit: 2}} // one may be the record itself
	for _, field := range fields {
		f, err := c.typ.field(ordering.Snake(field))
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

// written returns the JSON of an entry that was written, or an error. For values of a
// unique set that Validate has not compared, the error wraps [schema.FieldErrors] too.
func (c *core) written(entry *store.Entry, err error) ([]byte, error) {
	if d := (*duplicate)(nil); errors.As(err, &d) {
		return nil, fmt.Errorf("%w: %w", err, d.response())
	}
	if err != nil {
		return nil, err
	}
	stored, err := c.typ.encoded(entry)
	return bytes.Clone(stored), err
}
