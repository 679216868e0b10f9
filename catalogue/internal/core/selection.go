package core

import (
	"cmp"
	"context"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A source is a store or a batch.
type source interface {
	layout.Getter
	store.Source
}

// A Selection is the entries of a collection, or of a batch, that satisfy some conditions.
type Selection struct {
	Type   *Type
	core   *Collection
	tx     *store.Tx // nil outside of a batch
	source source
	where  []store.Condition
	match  func(*store.Entry) bool // of Filter, or nil
	err    error
}

// NewSelection returns the entries of a collection that satisfy the conditions. tx is nil outside of
// a batch.
func NewSelection(c *Collection, tx *store.Tx, conditions []ordering.Condition) Selection {
	s := c.Type
	sel := Selection{Type: s, core: c, tx: tx, source: c.Store, where: make([]store.Condition, 0, len(conditions))}
	if tx != nil {
		sel.source = tx
	}
	for _, c := range conditions {
		f, err := s.Field(c.Field())
		var ranges []ordering.Range
		if err == nil || c.Field() == "" { // Ranges returns the error of an empty name
			ranges, err = c.Ranges(f.KeyOf)
		}
		switch always := c.Field() == "" && len(ranges) > 0; {
		case err != nil:
			sel.err = s.Named(err)
			return sel
		case !always: // a condition that never holds may have no field
			sel.where = append(sel.where, store.Condition{Field: cmp.Or(f.Name, s.Identity.Number), Ranges: ranges})
		}
	}
	return sel
}

// Filter returns the records of the selection for which f returns true.
//
//go:noinline
func (sel Selection) Filter(f func(*store.Entry) bool) Selection {
	if before := sel.match; before != nil {
		sel.match = func(e *store.Entry) bool { return before(e) && f(e) }
	} else {
		sel.match = f
	}
	return sel
}

// Ask answers a query about the selection.
func (sel *Selection) Ask(q store.Query) (store.Answer, error) {
	if sel.err != nil {
		return store.Answer{}, sel.err
	}
	q.Where, q.Match, q.Terms = sel.where, sel.match, sel.Type.Terms(q.Terms)
	a, err := sel.source.Answer(context.Background(), q)
	return a, sel.Type.Named(err)
}

// Count returns the number of selected entries.
func (sel *Selection) Count() (int, error) {
	a, err := sel.Ask(store.Query{Want: store.WantCount})
	return a.N, err
}

// Page returns the entries in a window, in the order of terms, and the number of all.
func (sel *Selection) Page(w pagination.Window, terms []ordering.Term) (store.Entries, int, error) {
	if sel.err != nil {
		return store.Entries{}, 0, sel.err
	}
	q := store.Query{Where: sel.where, Match: sel.match, Window: w}
	entries, count, err := store.Page(context.Background(), sel.source, q, sel.Type.Terms(terms))
	return entries, count, sel.Type.Named(err)
}

// Groups returns an iterator over the values of a field: for each, the first entry that has it, and
// the number of them. After an error it is empty.
func (sel *Selection) Groups(field string) (func(yield func(first *store.Entry, n int) bool), error) {
	a, err := sel.Ask(store.Query{Want: store.WantGroups, Terms: []ordering.Term{ordering.Asc(field)}})
	if err != nil {
		a.Groups = func(func(*store.Entry, int) bool) {}
	}
	return a.Groups, err
}

// Scan returns an iterator over the entries in the order of terms. After an error it is empty.
func (sel *Selection) Scan(terms []ordering.Term) (func(yield func(*store.Entry) bool), error) {
	a, err := sel.Ask(store.Query{Want: store.WantScan, Terms: terms})
	if err != nil {
		a.Scan = func(func(*store.Entry) bool) {}
	}
	return a.Scan, err
}

// First returns the first entry in the order of terms.
func (sel *Selection) First(terms []ordering.Term) (*store.Entry, error) {
	a, err := sel.Ask(store.Query{Want: store.WantFirst, Terms: terms})
	e := a.First()
	switch {
	case err != nil || e != nil:
		return e, err
	case sel.restricted():
		return nil, sel.Type.Errorf("%w: none satisfies the conditions", ErrNotFound)
	}
	return nil, sel.Type.Errorf("%w: there are none", ErrNotFound)
}

// Position returns the number of selected entries before the one with an id.
func (sel *Selection) Position(id int, terms []ordering.Term) (int, error) {
	if sel.Type.Identity.Key != nil {
		_, err := sel.Type.Find(nil, id)
		return 0, err
	}
	a, err := sel.Ask(store.Query{Want: store.WantPosition, ID: id, Terms: terms})
	switch {
	case err != nil || a.N >= 0:
		return a.N, err
	case sel.restricted():
		return 0, sel.Type.Errorf("%w: id %d does not satisfy the conditions", ErrNotFound, id)
	}
	return 0, sel.Type.Errorf("%w: id %d", ErrNotFound, id)
}

// Explain describes for people how the entries are found.
func (sel *Selection) Explain(terms []ordering.Term) (string, error) {
	a, err := sel.Ask(store.Query{Want: store.WantExplain, Terms: terms})
	return a.Text, err
}

func (sel *Selection) restricted() bool { return len(sel.where) > 0 || sel.match != nil }

// Remove deletes the selected records and returns their number.
func (sel *Selection) Remove() (int, error) {
	return sel.rewrite(func(_ layout.Getter, old *store.Entry) (store.Change, error) { return store.Change{Old: old}, nil })
}

// Modify calls f with a copy of each selected record and stores what f makes of it.
func (sel *Selection) Modify(f func(*layout.Record) error) (int, error) {
	return sel.rewrite(func(now layout.Getter, old *store.Entry) (store.Change, error) {
		return sel.Type.modification(now, old, f)
	})
}

// rewrite makes the change of each selected record in the batch that the selection is of, or
// else in one of its own.
func (sel *Selection) rewrite(change func(now layout.Getter, old *store.Entry) (store.Change, error)) (n int, err error) {
	if sel.err == nil && sel.tx == nil {
		err = sel.core.Batch(func(tx *store.Tx) error {
			in := *sel
			in.tx, in.source = tx, tx
			n, err = in.rewrite(change)
			return err
		})
		if err != nil {
			n = 0 // the batch may fail after all changes
		}
		return n, err
	}
	scan, err := sel.Scan([]ordering.Term{ordering.Asc(sel.Type.Identity.Number)})
	if err != nil {
		return 0, err
	}
	var changes []store.Change
	for e := range scan {
		old := sel.tx.Get(e.ID) // f may have written to it
		if old == nil {
			return 0, sel.Type.Errorf("%w: %s", ErrNotFound, sel.Type.Identity.Name(e))
		}
		ch, err := change(sel.tx, old)
		if err != nil {
			return 0, err
		}
		changes = append(changes, ch)
	}
	for _, ch := range changes {
		if sel.tx.Get(ch.ID()) != ch.Old {
			return 0, sel.Type.Errorf("%w: the function that updates the records also wrote to %s", ErrInvalid, sel.Type.Identity.Name(ch.Old))
		}
	}
	for _, ch := range changes {
		sel.tx.Write(ch)
	}
	return len(changes), nil
}

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
