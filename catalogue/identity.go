package catalogue

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// An identity is what identifies the records of a collection: an integer field, the id, or a field
// of text, the key. The ids of entries are those of the records or, beside a key, numbers that are
// neither served nor saved. It is decided after rules have changed a record.
type identity struct {
	wire   string // name of the field in JSON
	number string // name of the ids of entries in an ordering
	key    *field // the field of the key; nil if records have an id

	// id and setID read and write the id of a record. It is 0 if the record has none or a key, and
	// negative if it does not fit in an int.
	id    func(r *record) int
	setID func(r *record, id int)
	most  int // the largest id

	// text and setText read and write the key of a record. It is "" if the record has none.
	text    func(r *record) string
	setText func(r *record, text string) error
	fresh   func() string // returns a new key; nil if only clients choose keys
}

// sequence is the name of the numbers of entries beside a key. No field has it.
const sequence = "(sequence)"

// maxKeys is the number of new keys that are tried if other records have them.
const maxKeys = 100

// newUUID returns a random UUID, version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never returns an error
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// integers returns for each kind of integer the functions that read and write one at an offset in
// a record.
var integers = [...]func(at uintptr) (func(*record) int, func(*record, int)){
	reflect.Int: integerAt[int], reflect.Int8: integerAt[int8], reflect.Int16: integerAt[int16],
	reflect.Int32: integerAt[int32], reflect.Int64: integerAt[int64],
	reflect.Uint: integerAt[uint], reflect.Uint8: integerAt[uint8], reflect.Uint16: integerAt[uint16],
	reflect.Uint32: integerAt[uint32], reflect.Uint64: integerAt[uint64],
}

func integerAt[I int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64](at uintptr) (func(*record) int, func(*record, int)) {
	read := func(r *record) int {
		v := *(*I)(unsafe.Add(unsafe.Pointer(r), at))
		if n := int(v); I(n) == v {
			return n // negative if v is, or is too large
		}
		return -1
	}
	return read, func(r *record, n int) { *(*I)(unsafe.Add(unsafe.Pointer(r), at)) = I(n) }
}

// describeID sets the id of structs, an integer in the struct itself.
func (s *builder) describeID() error {
	m := s.member(s.identity.wire)
	if m == nil {
		return fmt.Errorf("%v has no id: give an integer field the tag `json:%q`; only a standalone collection can have an Options.ID", s.reflect, s.identity.wire)
	}
	t, f := m.Field.Type, s.byName[s.identity.number]
	if m.Indirect || int(t.Kind()) >= len(integers) || integers[t.Kind()] == nil || f.ordered || f.decodes || jsontext.Writes(t) {
		return fmt.Errorf("%v: the id must be an integer in the struct itself, without methods for JSON or orderings: %s is %v", s.reflect, m.Field.Name, t)
	}
	s.identity.id, s.identity.setID = integers[t.Kind()](m.offset)
	s.identity.most = math.MaxInt
	if zero := reflect.Zero(t); zero.CanInt() {
		s.identity.most = int(min(math.MaxInt, 1<<(t.Bits()-1)-1))
	} else if t.Bits() < strconv.IntSize {
		s.identity.most = 1<<t.Bits() - 1
	}
	s.describeNumber()
	return nil
}

// describeNumber makes the ids of entries a field. Requests can compare them unless records have a key.
func (s *builder) describeNumber() {
	f := s.byName[s.identity.number]
	if f == nil || s.open() {
		f = s.newField(schema.Field{Name: s.identity.number})
		f.name, f.indexed = s.identity.number, true
		f.keyOf = func(value any) (sortkey.Key, error) {
			k, err := ordering.KeyOf(value)
			if _, ok := k.AsInt(); err == nil && !ok {
				err = fmt.Errorf("want an integer, not %T", value)
			}
			return k, err
		}
		s.byName[f.name] = f
	}
	f.Kind, f.kind = schema.Integer, reflect.Int
	f.value = func(e *store.Entry) sortkey.Key { return sortkey.Int(int64(e.ID)) }
	f.key = f.value
	s.fields = slices.DeleteFunc(s.fields, func(other *field) bool { return other.name == f.name })
	if f.described = s.engine.Key == ""; f.described {
		s.fields = append(s.fields, f)
	}
}

// newKey returns the function that returns new keys, or nil if only clients choose them.
func (s *builder) newKey() func() string {
	switch i := slices.IndexFunc(s.described, func(f schema.Field) bool { return f.Key }); {
	case i < 0, s.described[i].Required && !s.described[i].ReadOnly:
		return nil
	case s.opts.NewKey == nil:
		return newUUID
	}
	return s.opts.NewKey
}

// describeKey sets the key of structs, a text in the struct itself.
func (s *builder) describeKey(fresh func() string) error {
	m := s.member(s.identity.wire)
	if m == nil || m.Indirect || m.Field.Type.Kind() == reflect.Pointer {
		return fmt.Errorf("%v: the key %s must be a text in the struct itself", s.reflect, s.identity.wire)
	}
	at := func(r *record) reflect.Value { return s.value(r).FieldByIndex(m.Field.Index) }
	s.identity.text = func(r *record) (text string) {
		v := at(r)
		switch {
		case v.Kind() == reflect.String && !jsontext.Writes(v.Type()):
			return v.String()
		case !v.IsZero():
			b, _ := json.Marshal(v.Addr().Interface())
			_ = json.Unmarshal(b, &text) // it is stored, so it is the JSON of a text
		}
		return text
	}
	s.identity.setText = func(r *record, text string) error {
		return m.decoder.Decode(at(r), string(jsontext.AppendString(nil, text)))
	}
	s.keyBy(fresh)
	return nil
}

// describeOpenID sets the id of open records, or their key.
func (s *builder) describeOpenID(fresh func() string) {
	s.identity.id = func(r *record) int { return typed[schema.Record](r).ID }
	s.identity.setID, s.identity.most = func(r *record, id int) { typed[schema.Record](r).ID = id }, math.MaxInt
	if s.engine.Key == "" {
		return
	}
	s.identity.text = func(r *record) (key string) {
		text, _ := typed[schema.Record](r).Get(s.identity.wire)
		_ = json.Unmarshal([]byte(text), &key) // it remains empty if it is not text
		return key
	}
	s.identity.setText = func(r *record, text string) error {
		open := typed[schema.Record](r)
		with, err := open.With(s.identity.wire, text)
		*open = with
		return err
	}
	s.keyBy(fresh)
}

// keyBy makes the key the identity. fresh returns new keys; it is nil if only clients choose them.
func (s *builder) keyBy(fresh func() string) {
	s.identity.key, s.identity.fresh = s.byName[s.engine.Key], fresh
	s.identity.id, s.identity.setID, s.identity.most = func(*record) int { return 0 }, func(*record, int) {}, math.MaxInt
}

// of returns what identifies an entry.
func (id *identity) of(e *store.Entry) schema.Identity {
	if id.key == nil {
		return schema.Identity{ID: id.id(recordOf(e))}
	}
	return schema.Identity{Key: id.text(recordOf(e))}
}

// name returns what identifies an entry, with the name of the field.
func (id *identity) name(e *store.Entry) string { return fmt.Sprint(id.wire, " ", id.of(e)) }

// invalid returns the error of a record that nothing identifies, or nil.
func (id *identity) invalid(r *record) error {
	switch {
	case id.key == nil && id.id(r) < 1:
		return fmt.Errorf("%w: want a positive integer", ErrInvalidID)
	case id.key != nil && id.text(r) == "":
		return fmt.Errorf("%w: it is empty", ErrInvalidID)
	}
	return nil
}

// holder returns the entry that has the identity of a record, or nil.
func (id *identity) holder(from getter, e *store.Entry) *store.Entry {
	if id.key == nil {
		return from.Get(id.id(recordOf(e)))
	}
	return from.Holder(id.key.name, id.key.key(e))
}

// assign sets the identity of the record of a fresh entry if it has none: the id after last, or a
// new key that no entry of a state has. If all are taken, it is one of them.
func (id *identity) assign(fresh *store.Entry, last int, now getter) error {
	r := recordOf(fresh)
	switch n := id.id(r); {
	case n < 0:
		return fmt.Errorf("%w: want a positive integer", ErrInvalidID)
	case n == 0 && last >= id.most:
		return fmt.Errorf("%w: no id is left after %d", ErrInvalidID, last)
	case n == 0 && id.key == nil:
		id.setID(r, last+1)
		return nil
	case n != 0, id.text(r) != "":
		return nil
	case id.fresh == nil:
		return fmt.Errorf("%w: the key %s is empty", ErrInvalidID, id.wire)
	}
	for range maxKeys {
		key := id.fresh()
		if !utf8.ValidString(key) {
			return fmt.Errorf("%w: the new key %q is not UTF-8", ErrInvalidID, key)
		}
		err := id.setText(r, key)
		if err == nil && id.text(r) == "" {
			err = errors.New("it is empty")
		}
		if err != nil {
			return fmt.Errorf("%w: the new key %q: %w", ErrInvalidID, key, err)
		}
		if now == nil || id.holder(now, fresh) == nil {
			return nil
		}
	}
	return nil
}

// place sets the number of a fresh entry with a key that is inserted.
func (id *identity) place(now current, fresh *store.Entry) {
	if id.key == nil {
		return
	}
	fresh.ID = now.LastID() + 1
	if tx, ok := now.(*store.Tx); ok { // the batch may have deleted it: both are one change
		if before := id.holder(tx.Before(), fresh); before != nil {
			fresh.ID = before.ID
		}
	}
}

// numberAll sets the ids of entries that replace those of a state, and sorts the entries: a record
// with a key of the state keeps its number, others have higher ones.
func (id *identity) numberAll(now *store.State, entries []*store.Entry) {
	last := now.LastID()
	for _, e := range entries {
		if before := id.holder(now, e); before != nil {
			e.ID = before.ID
			continue
		}
		last++
		e.ID = last
	}
	slices.SortFunc(entries, func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) })
}

// adopt sets the identity of a record to that of an entry, if the record has none.
func (id *identity) adopt(r *record, old *store.Entry) error {
	switch {
	case id.key == nil && id.id(r) == 0:
		id.setID(r, old.ID)
	case id.key != nil && id.text(r) == "":
		return id.setText(r, id.text(recordOf(old)))
	}
	return nil
}

// kept returns an error if a changed record has another identity than the old one.
func (id *identity) kept(old, changed *store.Entry) error {
	switch {
	case id.key == nil && id.id(recordOf(changed)) == old.ID:
	case id.key != nil && id.key.key(old).Compare(id.key.key(changed)) == 0:
	default:
		return fmt.Errorf("%w: %s was changed to %v", ErrInvalidID, id.name(old), id.of(changed))
	}
	return nil
}
