package catalogue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

func (e *encoded[T]) Create(ctx context.Context, body []byte) ([]byte, error) {
	if !e.about.Actions.Has(schema.Create) {
		return nil, e.typ.errorf("%w: the service does not accept posts to it", ErrReadOnly)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer e.lockReferences(false)()
	checks := e.checks(0)
	posted, err := e.about.Validate(body, checks)
	if err != nil {
		return nil, err
	}
	record, err := e.decoded(posted, schema.Record{})
	if err != nil {
		return nil, err
	}
	entry, err := e.insert(record)
	return e.written(entry, err, func(taken func(field, value string) bool) error {
		checks.Taken = taken
		_, err := e.about.Validate(body, checks)
		return err
	})
}

func (e *encoded[T]) Update(ctx context.Context, id int, params url.Values, body []byte, partial bool) ([]byte, error) {
	return e.UpdateIf(ctx, id, params, body, partial, nil)
}

// UpdateIf is like Update, but first calls check with the JSON of the record, at the instant
// of the change, and returns its error. check must not modify or retain the JSON, nor write
// to the collection. UpdateIf is not part of [Encoded]: a type that embeds an Encoded and
// overrides Update would inherit an UpdateIf that ignores its Update.
func (e *encoded[T]) UpdateIf(ctx context.Context, id int, params url.Values, body []byte, partial bool, check func(record []byte) error) ([]byte, error) {
	action := schema.Update
	if partial {
		action = schema.PartialUpdate
	}
	if err := e.permits(action); err != nil {
		return nil, err
	}
	f, err := e.filter(ctx, params)
	if err != nil {
		return nil, err
	}
	defer e.lockReferences(e.house.referred[e.Key()])()
	entry, err := e.Collection.write(func(s *store.State) (store.Change, error) {
		old := s.Get(id)
		if old == nil || !f.holds(old) {
			return store.Change{}, e.notFound(id)
		}
		if err := e.passes(old, check); err != nil {
			return store.Change{}, err
		}
		fresh, err := e.updated(old, body, partial)
		return store.Change{Old: old, New: fresh}, err
	})
	return e.written(entry, err, func(func(field, value string) bool) error { return nil })
}

// passes returns the error of a check of an entry. Every entry passes if check is nil.
func (e *encoded[T]) passes(entry *store.Entry, check func(record []byte) error) error {
	if check == nil {
		return nil
	}
	record, err := e.typ.encoded(entry)
	if err != nil {
		return err
	}
	return check(record)
}

// updated returns the entry that replaces another one.
func (e *encoded[T]) updated(old *store.Entry, body []byte, partial bool) (*store.Entry, error) {
	current, err := e.typ.parsed(old)
	if err != nil {
		return nil, err
	}
	valid, err := e.about.ValidateUpdate(current, body, partial, e.checks(old.ID))
	if err != nil {
		return nil, err
	}
	record, err := e.decoded(valid, current)
	if err != nil {
		return nil, err
	}
	return e.typ.replaced(old, record)
}

// decoded returns the record with the given members. If T cannot hold a value that the
// current record does not have, which the client has sent, the error wraps
// [schema.FieldErrors].
func (e *encoded[T]) decoded(members, current schema.Record) (T, error) {
	record, err := e.typ.decode(members.AppendJSON(nil), nil)
	if err == nil {
		return record, nil
	}
	if errs := e.faults(members, current, err); errs != nil {
		err = errs
	}
	return record, e.typ.errorf("%w: %w", ErrInvalid, err)
}

// faults returns the errors of the members that T cannot hold and that differ from those
// of the current record. err is the error of decoding all members.
func (e *encoded[T]) faults(members, current schema.Record, err error) (errs schema.FieldErrors) {
	var blamed *schema.MemberError
	own := e.typ.anyMember // T has a method UnmarshalJSON, which may name a member
	if own && !errors.As(err, &blamed) && !members.Equal(current) {
		return schema.FieldErrors{{Field: "nonFieldErrors", Messages: []string{invalidValue}}}
	}
	for _, f := range e.about.Fields {
		value, sent := members.Get(f.Name)
		if before, ok := current.Get(f.Name); !sent || f.ReadOnly || f.Created || ok && before == value {
			continue
		}
		message := ""
		if t := e.typ.typeOf(f.Name); !own && t != nil {
			message = faultIn(t, value)
		} else if own && blamed != nil && blamed.Member == f.Name {
			message = invalidValue
		}
		if message != "" {
			errs = append(errs, schema.FieldError{Field: f.Name, Messages: []string{message}})
		}
	}
	return errs
}

// replaced returns an entry with a record and those fields of another entry that are not in
// the JSON.
func (s *recordType[T]) replaced(old *store.Entry, record T) (*store.Entry, error) {
	if s.members != nil && !s.anyMember {
		from := reflect.ValueOf(&record).Elem()
		kept := s.clone(recordOf[T](old))
		if setMembers(reflect.ValueOf(&kept).Elem(), from, s.members) {
			record = kept
		}
	}
	fresh := newEntry(old.ID, record)
	return fresh, s.own(fresh, old.ID)
}

// setMembers sets the members of a struct to those of another one. It reports whether
// all could be set.
func setMembers(to, from reflect.Value, members []jsonmember.Member) bool {
	for _, m := range members {
		v, err := from.FieldByIndexErr(m.Field.Index)
		if err != nil { // an embedded pointer that is nil
			continue
		}
		field := settable(to, m.Field.Index)
		if !field.CanSet() {
			return false
		}
		field.Set(v)
	}
	return true
}

// permits returns an error unless the collection accepts an action.
func (e *encoded[T]) permits(action schema.Actions) error {
	if !e.about.Actions.Has(action) {
		return e.typ.errorf("%w: the service does not accept this request", ErrReadOnly)
	}
	return e.writable()
}

// lockReferences delays the deletion of records that a write may refer to and, if referred
// is true, of the record itself.
func (e *encoded[T]) lockReferences(referred bool) (unlock func()) {
	if !referred && !slices.ContainsFunc(e.columns, func(c column) bool { return c.Refers != "" }) {
		return func() {}
	}
	e.house.references.RLock()
	return e.house.references.RUnlock
}

// checks returns the checks for the record with the given id, or for a new one if it is 0.
func (e *encoded[T]) checks(id int) schema.Checks {
	taken := func(field, value string) bool {
		other := e.holder(field, value)
		return other != nil && other.ID != id
	}
	return schema.Checks{Exists: e.house.has, Taken: taken, Now: e.now}
}

// holder returns the entry that has a value of a unique field, or nil. O(log n).
func (e *encoded[T]) holder(field, value string) *store.Entry {
	name := ordering.Snake(field)
	i := slices.IndexFunc(e.typ.unique, func(f store.Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	members, err := schema.Record{}.With(field, json.RawMessage(value))
	if err != nil {
		return nil
	}
	record, err := e.typ.decode(members.AppendJSON(nil), nil)
	if err != nil {
		return nil
	}
	k := e.typ.unique[i].Key(newEntry(0, record))
	if k.Compare(ordering.Null()) == 0 {
		return nil
	}
	where := []store.Condition{{Field: name, Ranges: []ordering.Range{{From: k, To: k, ToIncluded: true}}}}
	other, _ := e.store.First(context.Background(), store.Query{Terms: []ordering.Term{ordering.Asc(name)}, Where: where})
	return other
}

// written returns the JSON of an entry that was written, or an error. For a duplicate
// value, the error wraps that of validate with a function by which the value is taken.
func (e *encoded[T]) written(entry *store.Entry, err error, validate func(taken func(field, value string) bool) error) ([]byte, error) {
	if d := (*duplicate)(nil); errors.As(err, &d) {
		invalid := validate(func(field, value string) bool { return field == d.field })
		if invalid == nil { // the field is not Unique in the description
			invalid = schema.FieldErrors{{Field: d.field, Messages: []string{"This field must be unique."}}}
		}
		return nil, fmt.Errorf("%w: %w", err, invalid)
	}
	if err != nil {
		return nil, err
	}
	stored, err := e.typ.encoded(entry)
	return bytes.Clone(stored), err
}
