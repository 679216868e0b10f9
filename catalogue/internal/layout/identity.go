package layout

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
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// sequence is the name of the numbers of entries beside a key. No field has it.
const sequence = "(sequence)"

// maxKeys is the number of new keys that are tried if other records have them.
const maxKeys = 100

// NewUUID returns a random UUID, version 4.
func NewUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never returns an error
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// integers returns for each kind of integer the functions that read and write one in a record.
var integers = [...]func(at value.Path) (func(*Record) int, func(*Record, int)){
	reflect.Int: integerAt[int], reflect.Int8: integerAt[int8], reflect.Int16: integerAt[int16],
	reflect.Int32: integerAt[int32], reflect.Int64: integerAt[int64],
	reflect.Uint: integerAt[uint], reflect.Uint8: integerAt[uint8], reflect.Uint16: integerAt[uint16],
	reflect.Uint32: integerAt[uint32], reflect.Uint64: integerAt[uint64],
}

func integerAt[I int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64](at value.Path) (func(*Record) int, func(*Record, int)) {
	read := func(r *Record) int {
		p := (*I)(at.At(unsafe.Pointer(r)))
		if p == nil {
			return 0
		}
		if n := int(*p); I(n) == *p {
			return n // negative if the integer is, or is too large
		}
		return -1
	}
	return read, func(r *Record, n int) { *(*I)(at.At(unsafe.Pointer(r))) = I(n) }
}

// describeID sets the id of structs, an integer or a pointer to one.
func (s *builder) describeID() error {
	m := s.Member(s.Identity.Wire)
	if m == nil {
		var names []string
		for _, f := range s.members {
			names = append(names, f.member())
		}
		return fmt.Errorf("%v has no id: set Options{ID: NAME} (%s), or give an integer field the tag `json:%q` or a text field the tag `backlist:\"key\"`",
			s.Reflect, ordering.Suggest(s.opts.ID, names), s.Identity.Wire)
	}
	t, path := m.Go.Field.Type, m.at
	if t.Kind() == reflect.Pointer {
		t, path = t.Elem(), path.Elem()
	}
	if int(t.Kind()) >= len(integers) || integers[t.Kind()] == nil || m.decodes || jsontext.Writes(t) {
		return fmt.Errorf("%v: the id must be an integer without methods for JSON or orderings, or a text: %s is %v", s.Reflect, m.Go.Field.Name, m.Go.Field.Type)
	}
	s.plain = m.member() == "id" && !m.Go.Quoted()
	read, set := integers[t.Kind()](path)
	s.Identity.ID, s.Identity.SetID = read, set
	if m.Go.Field.Type != t || m.Go.Indirect {
		s.Identity.SetID = func(r *Record, id int) {
			if own := value.Settable(s.value(r), m.Go.Field.Index, true); m.Go.Field.Type != t {
				own.Set(reflect.New(t))
			}
			set(r, id)
		}
	}
	s.Identity.most = math.MaxInt
	if zero := reflect.Zero(t); zero.CanInt() {
		s.Identity.most = int(min(math.MaxInt, 1<<(t.Bits()-1)-1))
	} else if t.Bits() < strconv.IntSize {
		s.Identity.most = 1<<t.Bits() - 1
	}
	s.describeNumber()
	return nil
}

// describeNumber makes the ids of entries a field. Requests can compare them unless records have a key.
func (s *builder) describeNumber() {
	f := s.byName[s.Identity.Number]
	if f == nil || s.Open() {
		f = s.newField(schema.Field{Name: s.Identity.Number})
		f.Snake, f.Engine.Name, f.Indexed = s.Identity.Number, s.Identity.Number, true
		f.Engine.KeyOf = func(value any) (sortkey.Key, error) {
			k, err := ordering.KeyOf(value)
			if _, ok := k.AsInt(); err == nil && !ok {
				err = fmt.Errorf("want an integer, not %T", value)
			}
			return k, err
		}
		s.byName[f.Snake] = f
	}
	f.Kind, f.Engine.Kind = schema.Integer, reflect.Int
	f.JSONKey = func(e *store.Entry) sortkey.Key { return sortkey.Int(int64(e.ID)) }
	f.Engine.Key = f.JSONKey
	s.Fields = slices.DeleteFunc(s.Fields, func(other *Field) bool { return other.Snake == f.Snake })
	if f.described = s.Engine.Key == ""; f.described {
		s.Fields = append(s.Fields, f)
	}
}

// describeKey sets the key of structs, a text or a pointer to one.
func (s *builder) describeKey() error {
	m := s.Member(s.Identity.Wire)
	if m == nil || m.Kind == schema.Integer || m.Kind == schema.Decimal {
		return fmt.Errorf("%v: the key %s must be a text in the struct itself", s.Reflect, s.Identity.Wire)
	}
	t, path := m.Go.Field.Type, m.at
	if t.Kind() == reflect.Pointer {
		t, path = t.Elem(), path.Elem()
	}
	s.Identity.text = func(r *Record) (text string) {
		p := path.At(unsafe.Pointer(r))
		if v := reflect.NewAt(t, p); p != nil && !v.Elem().IsZero() {
			b, _ := json.Marshal(v.Interface())
			_ = json.Unmarshal(b, &text) // it is stored, so it is the JSON of a text
		}
		return text
	}
	if t := m.Go.Field.Type; t.Kind() == reflect.String && !jsontext.Writes(t) && !m.Go.Indirect {
		s.Identity.text = func(r *Record) string { return *(*string)(m.in(r)) }
	}
	s.Identity.setText = func(r *Record, text string) error {
		own := value.Settable(s.value(r), m.Go.Field.Index, true)
		own.SetZero()
		return m.decoder.Decode(own, string(jsontext.AppendString(nil, text)))
	}
	s.keyBy()
	return nil
}

// keyBy makes the key the identity. Only clients choose it if it is required of them.
func (s *builder) keyBy() {
	s.Identity.Key = s.byName[s.Engine.Key]
	if s.Identity.fresh = s.opts.NewKey; s.Identity.fresh == nil {
		s.Identity.fresh = NewUUID
	}
	if s.Identity.Key.Required && !s.Identity.Key.ReadOnly {
		s.Identity.fresh = nil
	}
	s.Identity.ID, s.Identity.SetID, s.Identity.most = func(*Record) int { return 0 }, func(*Record, int) {}, math.MaxInt
}

// Invalid returns the error of an entry whose record is not valid.
func (s *Type) Invalid(e *store.Entry, err error) error {
	return s.Errorf("%w", refusal{s.Identity.Name(e) + ": ", err})
}

// Of returns what identifies an entry.
func (id *identity) Of(e *store.Entry) schema.Identity {
	if id.Key == nil {
		return schema.Identity{ID: id.ID(RecordOf(e))}
	}
	return schema.Identity{Key: id.text(RecordOf(e))}
}

// Name returns what identifies an entry, with the name of the field.
func (id *identity) Name(e *store.Entry) string { return fmt.Sprint(id.Wire, " ", id.Of(e)) }

// Invalid returns the error of a record that nothing identifies, or nil.
func (id *identity) Invalid(r *Record) error {
	switch {
	case id.Key == nil && id.ID(r) < 1:
		return fmt.Errorf("%w: want a positive integer", ErrInvalidID)
	case id.Key != nil && id.text(r) == "":
		return fmt.Errorf("%w: %w", ErrInvalidID, id.fault(r))
	}
	return nil
}

// fault returns the reason why a record has no key.
func (id *identity) fault(r *Record) error {
	if id.json == nil || id.json(r) == "" || id.json(r) == `""` {
		return errors.New("it is empty")
	}
	want := map[schema.Kind]string{schema.Integer: "an integer", schema.Decimal: "digits in a string"}[id.Key.Kind]
	return fmt.Errorf("want %s, not %.40s", cmp.Or(want, "a string"), id.json(r))
}

// Served returns an id of entries, or 0 if records have a key: then it is not served.
func (id *identity) Served(n int) int {
	if id.Key != nil {
		return 0
	}
	return n
}

// Holder returns the entry that has the identity of a record, or nil.
func (id *identity) Holder(from Getter, e *store.Entry) *store.Entry {
	if id.Key == nil {
		return from.Get(id.ID(RecordOf(e)))
	}
	return from.Holder(id.Key.Snake, id.Key.Engine.Key(e))
}

// Assign sets the identity of the record of a fresh entry if it has none: the id after last, or a
// new key that no entry of a state has. If all are taken, it is one of them.
func (id *identity) Assign(fresh *store.Entry, last int, now Current) error {
	r := RecordOf(fresh)
	switch n := id.ID(r); {
	case n < 0:
		return fmt.Errorf("%w: want a positive integer", ErrInvalidID)
	case n == 0 && last >= id.most:
		return fmt.Errorf("%w: no id is left after %d", ErrInvalidID, last)
	case n == 0 && id.Key == nil:
		id.SetID(r, last+1)
		return nil
	case n != 0, id.text(r) != "":
		return nil
	case id.json != nil && !slices.Contains([]string{"", "null", `""`}, id.json(r)):
		return fmt.Errorf("%w: %w", ErrInvalidID, id.fault(r))
	case id.counts && now != nil:
		return id.setNext(r, now)
	case id.fresh == nil:
		return fmt.Errorf("%w: the key %s is empty", ErrInvalidID, id.Wire)
	}
	for range maxKeys {
		key := id.fresh()
		if !utf8.ValidString(key) {
			return fmt.Errorf("%w: the new key %q is not UTF-8", ErrInvalidID, key)
		}
		err := id.setText(r, key)
		if err == nil && id.text(r) == "" {
			err = id.fault(r)
		}
		if err != nil {
			return fmt.Errorf("%w: the new key %q: %w: set Options.NewKey, or the key of the record", ErrInvalidID, key, err)
		}
		if now == nil || id.Holder(now, fresh) == nil {
			return nil
		}
	}
	return nil
}

// setNext sets a key that is a number to the integer after the largest of a state, and to 1 at least.
func (id *identity) setNext(r *Record, now Current) error {
	last := 0
	if e := now.Greatest(id.Key.Snake); e != nil {
		last, _ = strconv.Atoi(id.text(RecordOf(e)))
	}
	if last == math.MaxInt {
		return fmt.Errorf("%w: no key is left after %d", ErrInvalidID, last)
	}
	return id.setText(r, strconv.Itoa(max(last, 0)+1))
}

// Place sets the number of a fresh entry with a key that is inserted.
func (id *identity) Place(now Current, fresh *store.Entry) {
	if id.Key == nil {
		return
	}
	fresh.ID = now.LastID() + 1
	if tx, ok := now.(*store.Tx); ok { // the batch may have deleted it: both are one change
		if before := id.Holder(tx.Before(), fresh); before != nil {
			fresh.ID = before.ID
		}
	}
}

// NumberAll sets the ids of entries that replace those of a state, and sorts the entries: a record
// with a key of the state keeps its number, others have higher ones.
func (id *identity) NumberAll(now *store.State, entries []*store.Entry) {
	last := now.LastID()
	for _, e := range entries {
		if before := id.Holder(now, e); before != nil {
			e.ID = before.ID
			continue
		}
		last++
		e.ID = last
	}
	slices.SortFunc(entries, func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) })
}

// Adopt sets the identity of a record to that of an entry, if the record has none.
func (id *identity) Adopt(r *Record, old *store.Entry) error {
	switch {
	case id.Key == nil && id.ID(r) == 0:
		id.SetID(r, old.ID)
	case id.Key != nil && id.text(r) == "":
		return id.setText(r, id.text(RecordOf(old)))
	}
	return nil
}

// Kept returns an error if a changed record has another identity than the old one.
func (id *identity) Kept(old, changed *store.Entry) error {
	switch {
	case id.Key == nil && id.ID(RecordOf(changed)) == old.ID:
	case id.Key != nil && id.Key.Engine.Key(old).Compare(id.Key.Engine.Key(changed)) == 0:
	default:
		return fmt.Errorf("%w: %s was changed to %v", ErrInvalidID, id.Name(old), id.Of(changed))
	}
	return nil
}

// Current is the state for which a change is prepared: the published state, which only this
// writer can change, or a batch.
type Current interface {
	Getter
	LastID() int
	Greatest(field string) *store.Entry
}

// A Getter finds entries of a state: by their ids, or by a key of a unique field.
type Getter interface {
	Get(id int) *store.Entry
	Holder(field string, k sortkey.Key) *store.Entry
}
