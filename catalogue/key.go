package catalogue

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A keyField is the field that identifies records without an id. Their entries have an id, a
// sequence number that is neither served nor saved.
type keyField struct {
	store.Field
	member *member
	fresh  func() string // returns the key of a record that has none; nil if only clients choose keys
}

// sequence is the name of the sequence number in an ordering. No field has it.
const sequence = "(sequence)"

// describeKey sets the key of records. It must be a text in the struct itself.
func (s *recordType) describeKey(f schema.Field, field store.Field, fresh func() string) error {
	m := s.member(s.idWire)
	if m == nil || m.Indirect || m.Field.Type.Kind() == reflect.Pointer {
		return fmt.Errorf("%v: the key %s must be a text in the struct itself", s.reflect, f.Name)
	}
	s.key = &keyField{Field: field, member: m}
	if f.ReadOnly || !f.Required {
		if s.key.fresh = fresh; fresh == nil {
			s.key.fresh = newUUID
		}
	}
	s.id = func(r *record) *int { // all records are in entries
		return &(*header)(unsafe.Add(unsafe.Pointer(r), -int(unsafe.Sizeof(header{})))).ID
	}
	return nil
}

// newUUID returns a random UUID, version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never returns an error
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// isKeyless reports whether the key of a record is empty.
func (s *recordType) isKeyless(r *record) bool {
	if s.key.member.Field.Type == reflect.TypeFor[string]() {
		return *(*string)(unsafe.Add(unsafe.Pointer(r), s.key.member.offset)) == ""
	}
	return s.value(r).FieldByIndex(s.key.member.Field.Index).IsZero()
}

// assignKey sets the key of a fresh entry without one.
func (s *recordType) assignKey(fresh *store.Entry) error {
	r := recordOf(fresh)
	switch {
	case !s.isKeyless(r):
		return nil
	case s.key.fresh == nil:
		return s.errorf("%w: the key %s is empty", ErrInvalidID, s.idWire)
	}
	key := s.key.fresh()
	if !utf8.ValidString(key) {
		return s.errorf("%w: the new key %q is not UTF-8", ErrInvalidID, key)
	}
	text := string(jsontext.AppendString(nil, key))
	err := s.key.member.decoder.Decode(value.Settable(s.value(r), s.key.member.Field.Index), text)
	if err == nil && s.isKeyless(r) {
		err = errors.New("it is empty")
	}
	if err != nil {
		return s.errorf("%w: the new key %s: %w", ErrInvalidID, text, err)
	}
	return nil
}

// shown returns an id, or 0 if it is a sequence number.
func (s *recordType) shown(id int) int {
	if s.key != nil {
		return 0
	}
	return id
}

// identity returns the id or the key of an entry.
func (s *recordType) identity(e *store.Entry) schema.Identity {
	return schema.Identity{ID: s.shown(e.ID), Key: s.keyText(e)}
}

// identify returns the key or the id of an entry, with its name.
func (s *recordType) identify(e *store.Entry) string {
	switch {
	case s.key == nil:
		return fmt.Sprintf("id %d", e.ID)
	case e == nil:
		return "another record"
	}
	return fmt.Sprintf("%s %q", s.idWire, s.keyText(e))
}

// keyText returns the text of the key of an entry, as in its JSON, or "" if it has an id.
func (s *recordType) keyText(e *store.Entry) string {
	if s.key == nil {
		return ""
	}
	v := s.value(recordOf(e)).FieldByIndex(s.key.member.Field.Index)
	if v.Type() == reflect.TypeFor[string]() {
		return v.String()
	}
	var text string
	b, _ := json.Marshal(v.Addr().Interface())
	_ = json.Unmarshal(b, &text) // it is stored, so it is the JSON of a text
	return text
}

// inherit prepares fresh entries with a key to replace those of a state: it sets missing keys,
// validates the records, sets their sequence numbers and sorts the entries.
func (s *recordType) inherit(fresh []*store.Entry, now *store.State) error {
	for i, e := range fresh {
		if err := s.assignKey(e); err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
		if err := s.accept(e, recordOf(e), 0); err != nil {
			return s.errorf("record %d: %w: %w", i, ErrInvalid, err)
		}
	}
	err := s.arrange(fresh, func(i int, wrong *schema.MemberError) error { return s.errorf("record %d: %w", i, wrong.Err) })
	if err == nil {
		s.inheritIDs(now, fresh)
	}
	return err
}

// inheritIDs sets the sequence numbers of entries that replace those of a state, and sorts the
// entries: a record with a key of the state keeps its number, others have higher ones.
func (s *recordType) inheritIDs(now *store.State, entries []*store.Entry) {
	last := now.LastID()
	for _, e := range entries {
		if before := now.Holder(s.key.Name, s.key.Key(e)); before != nil {
			e.ID = before.ID
			continue
		}
		last++
		e.ID = last
	}
	slices.SortFunc(entries, func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) })
}

// noIDs returns an error if the records have no ids.
func (s *recordType) noIDs() error {
	if s.key == nil {
		return nil
	}
	return s.errorf("%w: the records have no id: use By(%q)", ErrNotFound, s.key.Name)
}

// sameIdentity returns an error if a changed record has another id or key than the old one.
func (s *recordType) sameIdentity(old, changed *store.Entry) error {
	if s.key == nil {
		if n := *s.id(recordOf(changed)); n != old.ID {
			return s.errorf("%w: %d was changed to %d", ErrInvalidID, old.ID, n)
		}
		return nil
	}
	if s.key.Key(old).Compare(s.key.Key(changed)) != 0 {
		return s.errorf("%w: %s was changed to %q", ErrInvalidID, s.identify(old), s.keyText(changed))
	}
	return nil
}

// A TextIndex reads and writes the records of a collection by the text in a unique field, such as
// their key or an e-mail address. [Collection.By], [Snapshot.By] and [Tx.By] return it. If the
// field is a UUID, the text may have any spelling, with or without hyphens, to find a record in
// the form that requests store: lower case with hyphens. A record in another form is found only
// by the stored spelling. A TextIndex is as safe for concurrent use as the collection, snapshot
// or batch that returned it. The zero TextIndex is invalid: its methods panic.
//
// If the field is not unique or not text, the methods return an error that wraps
// [ordering.ErrUnknownField].
type TextIndex[T any] struct{ x textIndex }

// A textIndex is a TextIndex without the type of the records.
type textIndex struct {
	typ  *recordType
	core *core     // nil for a snapshot
	tx   *store.Tx // nil outside of a batch
	from getter
	at   *textField
	err  error
}

// A textField is a unique field that is text.
type textField struct {
	store.Field
	wire  string // the name in JSON
	plain bool   // the text is the value in Go
	uuid  bool
}

// describeTexts sets the unique fields that are text.
func (s *recordType) describeTexts(fields []schema.Field) {
	for _, set := range s.unique {
		if len(set) > 1 {
			continue
		}
		f := set[0]
		x := textField{Field: f, wire: ordering.Camel(f.Name), plain: s.open()}
		for _, d := range fields {
			if ordering.Snake(d.Name) == f.Name {
				x.wire, x.uuid = d.Name, d.Kind == schema.UUID
			}
		}
		if t := s.typeOf(x.wire); t != nil {
			x.plain = hasValue(schema.Text, t)
			if !x.plain && !value.WritesJSON(t) {
				continue
			}
		}
		s.texts = append(s.texts, x)
	}
}

// by returns the index of a field.
func (s *recordType) by(field string, c *core, tx *store.Tx, from getter) textIndex {
	x := textIndex{typ: s, core: c, tx: tx, from: from}
	if i := slices.IndexFunc(s.texts, func(f textField) bool { return f.Name == field }); i >= 0 {
		x.at = &s.texts[i]
	} else {
		x.err = s.errorf("%w: %q is not a unique text: %s", ordering.ErrUnknownField, field, suggest(field, s.texts, func(f textField) string { return f.Name }))
	}
	return x
}

// key returns the sort key of a text, or null if no record can have it.
func (x *textField) key(s *recordType, of string) sortkey.Key {
	if x.plain && x.Kind == reflect.String { // without an allocation
		return sortkey.Text(of)
	}
	if x.plain {
		k, err := x.KeyOf(of)
		if err != nil {
			return sortkey.Null()
		}
		return k
	}
	member, err := schema.Record{}.With(x.wire, of)
	if err == nil {
		var e *store.Entry
		if e, err = s.with(nil, member); err == nil {
			return x.Key(e)
		}
	}
	return sortkey.Null()
}

// By returns the index of a unique text field, named in snake_case, such as the key of records
// without an id. If records have a key, the methods of the collection that take an id return
// [ErrNotFound], and Insert and Upsert return 0. O(unique fields).
func (c *Collection[T]) By(field string) *TextIndex[T] {
	return &TextIndex[T]{c.core.typ.by(field, c.core, nil, c.core.store)}
}

// By returns the index of a unique text field, named in snake_case. Its methods that write return
// [ErrReadOnly]. O(unique fields).
func (s Snapshot[T]) By(field string) *TextIndex[T] {
	return &TextIndex[T]{s.typ.by(field, nil, nil, s.state)}
}

// By returns the index of a unique text field, named in snake_case. It reads and writes in the
// batch. The first read after a write costs as much as that of [Tx.Where]. While several records
// have the same text, which the batch must change before it ends, the index finds one of them.
// O(unique fields).
func (tx *Tx[T]) By(field string) *TextIndex[T] {
	return &TextIndex[T]{tx.core.typ.by(field, tx.core, tx.tx, tx.tx)}
}

// Has reports whether there is a record with the text. O(log n).
func (x *TextIndex[T]) Has(text string) bool {
	_, err := x.x.find(text)
	return err == nil
}

// Get returns a copy of the record with the text. The error wraps [ErrNotFound] if none exists,
// and [ErrTxDone] after the batch. O(log n).
func (x *TextIndex[T]) Get(text string) (T, error) {
	e, err := x.x.find(text)
	return copyOf[T](x.x.typ, e), err
}

// Insert stores a copy of the record and returns it as it is stored: with its new id, or with the
// key that Options.NewKey has made. The errors are those of [Collection.Insert].
// O(orderings in use × log n).
func (x *TextIndex[T]) Insert(record T) (T, error) {
	e, err := x.x.insert(newEntry(record))
	return copyOf[T](x.x.typ, e), err
}

// Upsert replaces the record that has the same text in the field by a copy of the given one,
// which keeps the id, or inserts the record if none exists. It returns the record as it is
// stored. The error wraps [ErrInvalidID] if the given record has another key than the one it
// replaces, or an id that is neither 0 nor the same. The other errors are those of
// [Collection.Upsert]. O(orderings in use × log n).
func (x *TextIndex[T]) Upsert(record T) (T, error) {
	e, err := x.x.upsert(newEntry(record))
	return copyOf[T](x.x.typ, e), err
}

// Update calls f with a copy of the record with the text and stores the result, as
// [Collection.Update] does. The error wraps [ErrNotFound] if there is no record with the text, and
// [ErrInvalidID] if f changed the id or the key. f may change the text if that is not the key.
// O(orderings in use × log n), without f.
func (x *TextIndex[T]) Update(text string, f func(record *T) error) error {
	return x.x.update(text, untyped(f))
}

// Delete deletes the record with the text. The error wraps [ErrNotFound] if none exists.
// O(orderings in use × log n).
func (x *TextIndex[T]) Delete(text string) error { return x.x.delete(text) }

// find returns the entry with a text.
func (x *textIndex) find(text string) (*store.Entry, error) {
	switch {
	case x.err != nil:
		return nil, x.err
	case x.tx != nil && x.tx.Done():
		return nil, x.typ.errorf("%w", ErrTxDone)
	}
	return x.holder(x.from, text)
}

// holder returns the entry of a state that has a text.
func (x *textIndex) holder(from getter, text string) (*store.Entry, error) {
	if e := x.typ.holder(from, x.at, text); e != nil {
		return e, nil
	}
	return nil, x.typ.errorf("%w: %s %q", ErrNotFound, x.at.wire, text)
}

// holder returns the entry that has a text in a unique field, or nil. A UUID is also found in its
// stored spelling, because programs may store another spelling than requests do.
func (s *recordType) holder(from getter, at *textField, text string) *store.Entry {
	for {
		if k := at.key(s, text); k.Compare(sortkey.Null()) != 0 {
			if e := from.Holder(at.Name, k); e != nil {
				return e
			}
		}
		before := text
		if text = at.usual(text); text == before || text == "" {
			return nil
		}
	}
}

// usual returns the usual spelling of a UUID, or "" if the text is not a UUID. If the field is
// not a UUID, it returns the text.
func (x *textField) usual(text string) string {
	if !x.uuid {
		return text
	}
	return schema.Description{Lookup: x.Name, Fields: []schema.Field{{Name: x.wire, Kind: schema.UUID}}}.LookupText(text)
}

// write writes the change that prepare returns.
func (x *textIndex) write(prepare func(now current) (store.Change, error)) (*store.Entry, error) {
	switch {
	case x.err != nil:
		return nil, x.err
	case x.core == nil:
		return nil, x.typ.errorf("%w: it belongs to a snapshot", ErrReadOnly)
	}
	e, err := x.core.write(x.tx, prepare)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (x *textIndex) insert(fresh *store.Entry) (*store.Entry, error) {
	return x.write(func(now current) (store.Change, error) { return x.typ.insertion(now, fresh) })
}

func (x *textIndex) upsert(fresh *store.Entry) (*store.Entry, error) {
	return x.write(func(now current) (store.Change, error) { return x.typ.replacementBy(now, x.at, fresh) })
}

func (x *textIndex) update(text string, f func(*record) error) error {
	_, err := x.write(func(now current) (store.Change, error) {
		old, err := x.holder(now, text)
		if err != nil {
			return store.Change{}, err
		}
		return x.typ.modification(now, old.ID, f)
	})
	return err
}

func (x *textIndex) delete(text string) error {
	_, err := x.write(func(now current) (store.Change, error) {
		old, err := x.holder(now, text)
		return store.Change{Old: old}, err
	})
	return err
}

// replacementBy returns the change that replaces the entry with the same text by a fresh one.
func (s *recordType) replacementBy(now current, at *textField, fresh *store.Entry) (store.Change, error) {
	k := at.Key(fresh)
	if k.Compare(sortkey.Null()) == 0 || s.key != nil && s.isKeyless(recordOf(fresh)) {
		return s.insertion(now, fresh)
	}
	old := now.Holder(at.Name, k)
	if old == nil {
		return s.insertion(now, fresh)
	}
	if s.key == nil && *s.id(recordOf(fresh)) == 0 {
		*s.id(recordOf(fresh)) = old.ID
	}
	if err := s.sameIdentity(old, fresh); err != nil {
		return store.Change{}, err
	}
	return s.exchange(old, fresh, recordOf(fresh))
}
