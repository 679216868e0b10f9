package layout

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// An identity is what identifies the records of a collection: an integer field, the id, or a field
// of text, the key. The ids of entries are those of the records or, beside a key, numbers that are
// neither served nor saved. It is decided after rules have changed a record.
type identity struct {
	Wire   string // name of the field in JSON
	Number string // name of the ids of entries in an ordering
	Key    *Field // the field of the key; nil if records have an id

	// ID and SetID read and write the id of a record. It is 0 if the record has none or a key, and
	// negative if it does not fit in an int.
	ID    func(r *Record) int
	SetID func(r *Record, id int)
	most  int // the largest id

	// text and setText read and write the key of a record. It is "" if the record has none.
	text    func(r *Record) string
	setText func(r *Record, text string) error
	fresh   func() string // returns a new key; nil if only clients choose keys
}

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
		return fmt.Errorf("%w: it is empty", ErrInvalidID)
	}
	return nil
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
func (id *identity) Assign(fresh *store.Entry, last int, now Getter) error {
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
			err = errors.New("it is empty")
		}
		if err != nil {
			return fmt.Errorf("%w: the new key %q: %w", ErrInvalidID, key, err)
		}
		if now == nil || id.Holder(now, fresh) == nil {
			return nil
		}
	}
	return nil
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
}

// A Getter finds entries of a state: by their ids, or by a key of a unique field.
type Getter interface {
	Get(id int) *store.Entry
	Holder(field string, k sortkey.Key) *store.Entry
}
