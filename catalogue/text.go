package catalogue

import (
	"slices"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

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
	at   *field
	err  error
}

// describeTexts sets the unique fields that are text.
func (s *builder) describeTexts() {
	for _, set := range s.engine.Unique {
		if f := s.row(set[0]); len(set) == 1 && f.name != s.identity.number && f.hasText() {
			s.texts = append(s.texts, f)
		}
	}
}

// text returns the unique field of text with a name in snake_case, or nil.
func (s *layout) text(name string) *field {
	if i := slices.IndexFunc(s.texts, func(f *field) bool { return f.name == name }); i >= 0 {
		return s.texts[i]
	}
	return nil
}

// newTextIndex returns the index of a field. c is nil for a snapshot, and tx outside of a batch.
func newTextIndex(s *recordType, name string, c *core, tx *store.Tx, from getter) textIndex {
	x := textIndex{typ: s, core: c, tx: tx, from: from}
	if x.at = s.text(name); x.at == nil {
		x.err = s.errorf("%w: %q is not a unique text: %s", ordering.ErrUnknownField, name, suggest(name, s.texts, func(f *field) string { return f.name }))
	}
	return x
}

// By returns the index of a unique text field, named in snake_case, such as the key of records
// without an id. If records have a key, the methods of the collection that take an id return
// [ErrNotFound], and Insert and Upsert return 0. O(unique fields).
func (c *Collection[T]) By(field string) *TextIndex[T] {
	return &TextIndex[T]{newTextIndex(c.core.typ, field, c.core, nil, c.core.store)}
}

// By returns the index of a unique text field, named in snake_case. Its methods that write return
// [ErrReadOnly]. O(unique fields).
func (s Snapshot[T]) By(field string) *TextIndex[T] {
	return &TextIndex[T]{newTextIndex(s.typ, field, nil, nil, s.state)}
}

// By returns the index of a unique text field, named in snake_case. It reads and writes in the
// batch. The first read after a write costs as much as that of [Tx.Where]. While several records
// have the same text, which the batch must change before it ends, the index finds one of them.
// O(unique fields).
func (tx *Tx[T]) By(field string) *TextIndex[T] {
	return &TextIndex[T]{newTextIndex(tx.core.typ, field, tx.core, tx.tx, tx.tx)}
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
	return copyOf[T](x.x.typ.layout, e), err
}

// Insert stores a copy of the record and returns it as it is stored: with its new id, or with the
// key that Options.NewKey has made. The errors are those of [Collection.Insert].
// O(orderings in use × log n).
func (x *TextIndex[T]) Insert(record T) (T, error) {
	e, err := x.x.insert(newEntry(record))
	return copyOf[T](x.x.typ.layout, e), err
}

// Upsert replaces the record that has the same text in the field by a copy of the given one,
// which keeps the id, or inserts the record if none exists. It returns the record as it is
// stored. The error wraps [ErrInvalidID] if the given record has another key than the one it
// replaces, or an id that is neither 0 nor the same. The other errors are those of
// [Collection.Upsert]. O(orderings in use × log n).
func (x *TextIndex[T]) Upsert(record T) (T, error) {
	e, err := x.x.upsert(newEntry(record))
	return copyOf[T](x.x.typ.layout, e), err
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
	return x.in(x.from, text)
}

// in returns the entry with a text in a state.
func (x *textIndex) in(from getter, text string) (*store.Entry, error) {
	if e := holder(from, x.at, text); e != nil {
		return e, nil
	}
	return nil, x.typ.errorf("%w: %s %q", ErrNotFound, x.at.Name, text)
}

// writable returns an error if the index cannot be written to.
func (x *textIndex) writable() error {
	if x.err == nil && x.core == nil {
		return x.typ.errorf("%w: it belongs to a snapshot", ErrReadOnly)
	}
	return x.err
}

func (x *textIndex) insert(fresh *store.Entry) (*store.Entry, error) {
	if err := x.writable(); err != nil {
		return nil, err
	}
	return x.core.write(x.tx, func(now current) (store.Change, error) { return x.typ.insertion(now, fresh) })
}

// upsert puts a fresh entry in place of the one with the same text, whose identity it gets unless
// it has one, or inserts it.
func (x *textIndex) upsert(fresh *store.Entry) (*store.Entry, error) {
	if err := x.writable(); err != nil {
		return nil, err
	}
	return x.core.write(x.tx, func(now current) (store.Change, error) {
		if x.typ.identity.key == x.at {
			return x.typ.replacement(now, fresh)
		}
		var old *store.Entry
		if k := x.at.key(fresh); k.Compare(sortkey.Null()) != 0 {
			old = now.Holder(x.at.name, k)
		}
		if old == nil {
			return x.typ.insertion(now, fresh)
		}
		if err := x.typ.identity.adopt(recordOf(fresh), old); err != nil {
			return store.Change{}, x.typ.errorf("%w", err)
		}
		return x.typ.exchange(old, fresh, recordOf(fresh))
	})
}

func (x *textIndex) update(text string, f func(*record) error) error {
	if err := x.writable(); err != nil {
		return err
	}
	return x.core.modify(x.tx, finder{index: x, text: text}, f)
}

func (x *textIndex) delete(text string) error {
	if err := x.writable(); err != nil {
		return err
	}
	return x.core.remove(x.tx, finder{index: x, text: text})
}

// holder returns the entry that has a text in a unique field, or nil. A UUID is also found in its
// stored spelling, because programs may store another spelling than requests do.
func holder(from getter, at *field, text string) *store.Entry {
	for at != nil && utf8.ValidString(text) {
		if e := from.Holder(at.name, at.keyOfText(text)); e != nil {
			return e
		}
		before := text
		if text = at.usual(text); text == before || text == "" {
			break
		}
	}
	return nil
}

// usual returns the usual spelling of a UUID, or "" if the text is not a UUID. If the field is
// not a UUID, it returns the text.
func (f *field) usual(text string) string {
	if f.Kind != schema.UUID {
		return text
	}
	return schema.Description{Lookup: f.name, Fields: []schema.Field{f.Field}}.LookupText(text)
}
