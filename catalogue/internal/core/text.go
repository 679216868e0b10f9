package core

import (
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A TextIndex finds the entries of a collection by a unique text.
type TextIndex struct {
	Type *Type
	core *Collection
	tx   *store.Tx // nil outside of a batch
	from layout.Getter
	at   *layout.Field
	err  error
}

// NewTextIndex returns the index of a field. tx is nil outside of a batch.
func NewTextIndex(c *Collection, tx *store.Tx, name string) TextIndex {
	s := c.Type
	x := TextIndex{Type: s, core: c, tx: tx, from: c.Store}
	if tx != nil {
		x.from = tx
	}
	if x.at = s.Text(name); x.at == nil {
		x.err = s.Errorf("%w: %q is not a unique text: %s", ordering.ErrUnknownField, name, layout.Suggest(name, s.Texts, func(f *layout.Field) string { return f.Snake }))
	}
	return x
}

// Find returns the entry with a text.
func (x *TextIndex) Find(text string) (*store.Entry, error) {
	switch {
	case x.err != nil:
		return nil, x.err
	case x.tx != nil && x.tx.Done():
		return nil, x.Type.Errorf("%w", ErrTxDone)
	}
	return x.in(x.from, text)
}

// in returns the entry with a text in a state.
func (x *TextIndex) in(from layout.Getter, text string) (*store.Entry, error) {
	if e := holder(from, x.at, text); e != nil {
		return e, nil
	}
	return nil, x.Type.Errorf("%w: %s %q", ErrNotFound, x.at.Name, text)
}

// write is [Collection.write], unless there is no such field.
func (x *TextIndex) write(prepare func(now layout.Current) (store.Change, error)) (*store.Entry, error) {
	if x.err != nil {
		return nil, x.err
	}
	return x.core.write(x.tx, prepare)
}

// Insert inserts a fresh entry, and returns it.
func (x *TextIndex) Insert(fresh *store.Entry) (*store.Entry, error) {
	return x.write(func(now layout.Current) (store.Change, error) {
		return x.Type.placement(now, fresh, x.Type.accept, false)
	})
}

// Upsert puts a fresh entry in place of the one with the same text, whose identity it gets unless
// it has one, or inserts it.
func (x *TextIndex) Upsert(fresh *store.Entry) (*store.Entry, error) {
	return x.write(func(now layout.Current) (store.Change, error) {
		isKey := x.Type.Identity.Key == x.at
		var old *store.Entry
		if k := x.at.Engine.Key(fresh); !isKey && k.Compare(sortkey.Null()) != 0 {
			old = now.Holder(x.at.Snake, k)
		}
		if old == nil {
			return x.Type.placement(now, fresh, x.Type.accept, isKey)
		}
		if err := x.Type.Identity.Adopt(layout.RecordOf(fresh), old); err != nil {
			return store.Change{}, x.Type.Errorf("%w", err)
		}
		return x.Type.exchange(old, fresh, layout.RecordOf(fresh))
	})
}

// Modify calls f with a copy of the record with a text and stores what f makes of it.
func (x *TextIndex) Modify(text string, f func(*layout.Record) error) error {
	_, err := x.write(func(now layout.Current) (store.Change, error) {
		old, err := x.in(now, text)
		if err != nil {
			return store.Change{}, err
		}
		return x.Type.modification(now, old, f)
	})
	return err
}

// Remove deletes the record with a text.
func (x *TextIndex) Remove(text string) error {
	_, err := x.write(func(now layout.Current) (store.Change, error) {
		old, err := x.in(now, text)
		return store.Change{Old: old}, err
	})
	return err
}
