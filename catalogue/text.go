package catalogue

import (
	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
)

// A TextIndex reads and writes the records of a collection by the text in a unique field, such as
// their key or an e-mail address. If the field is a UUID, the text may have any spelling, with or
// without hyphens, to find a record in the form that requests store: lower case with hyphens. A
// record in another form is found only by the stored spelling. The text of a key that is a number has
// its digits, as in JSON: By("id").Get("7"). A TextIndex is as safe for
// concurrent use as the collection or batch that returned it. The methods of the zero TextIndex
// panic.
//
// If the field is not unique, or neither text nor a key, the methods return an error that wraps
// [ordering.ErrUnknownField].
type TextIndex[T any] struct{ x core.TextIndex }

// By returns the index of a unique text field, such as the key of records without an id. If records
// have a key, the methods of the collection that take an id return [ErrNotFound], and Insert and
// Upsert return 0. O(unique fields).
func (c *Collection[T]) By(field string) *TextIndex[T] {
	return &TextIndex[T]{core.NewTextIndex(c.core, nil, field)}
}

// By returns the index of a unique text field, which reads and writes in the batch. The first read
// after a write costs as much as that of [Tx.Where]. While several records have the same text,
// which the batch must change before it ends, the index finds one of them. O(unique fields).
func (tx *Tx[T]) By(field string) *TextIndex[T] {
	return &TextIndex[T]{core.NewTextIndex(tx.core, tx.tx, field)}
}

// Has reports whether there is a record with the text. O(log n).
func (x *TextIndex[T]) Has(text string) bool {
	_, err := x.x.Find(text)
	return err == nil
}

// Get returns a copy of the record with the text. The error wraps [ErrNotFound] if none exists,
// and [ErrTxDone] after the batch. O(log n).
func (x *TextIndex[T]) Get(text string) (T, error) {
	e, err := x.x.Find(text)
	return layout.CopyOf[T](x.x.Type.Copier, e), err
}

// Insert stores a copy of the record and returns it as it is stored: with its new id, or with the
// key of [Options].NewKey. The errors are those of [Collection.Insert]. O(orderings in use × log
// n).
func (x *TextIndex[T]) Insert(record T) (T, error) {
	e, err := x.x.Insert(layout.NewEntry(record))
	return layout.CopyOf[T](x.x.Type.Copier, e), err
}

// Upsert replaces the record that has the same text in the field by a copy of the given one, which
// keeps the id, or inserts the record if none exists. It returns the record as it is stored. The
// error wraps [ErrInvalidID] if the given record has another key than the one it replaces, or an id
// that is neither 0 nor the same. The other errors are those of Insert. O(orderings in use × log
// n).
func (x *TextIndex[T]) Upsert(record T) (T, error) {
	e, err := x.x.Upsert(layout.NewEntry(record))
	return layout.CopyOf[T](x.x.Type.Copier, e), err
}

// Update calls f with a copy of the record with the text and stores the result, as
// [Collection.Update] does. The error wraps [ErrNotFound] if there is no record with the text, and
// [ErrInvalidID] if f changed the id or the key. f may change the text if it is not the key.
// O(orderings in use × log n), without f.
func (x *TextIndex[T]) Update(text string, f func(record *T) error) error {
	return x.x.Modify(text, layout.Untyped(f))
}

// Delete deletes the record with the text. The error wraps [ErrNotFound] if none exists.
// O(orderings in use × log n).
func (x *TextIndex[T]) Delete(text string) error { return x.x.Remove(text) }
