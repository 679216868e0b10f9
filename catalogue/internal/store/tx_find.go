package store

import (
	"context"
	"slices"
	"sync/atomic"
	"weak"

	"github.com/gobacklist/backlist/ordering"
)

// A draft is the state of a batch with the changes made so far. It is made for the first
// query of a batch, as a fork of the published state, and belongs to the batch alone.
type draft struct{ *State }

// Page is like [State.Page], and includes the changes of the batch.
func (tx *Tx) Page(ctx context.Context, q Query) (entries []*Entry, count int, err error) {
	return asPage(tx.answer(ctx, &q))
}

// Count is like [State.Count], and includes the changes of the batch.
func (tx *Tx) Count(ctx context.Context, where []Condition) (int, error) {
	return asCount(tx.answer(ctx, &Query{Where: where, want: wantCount}))
}

// First is like [State.First], and includes the changes of the batch.
func (tx *Tx) First(ctx context.Context, q Query) (*Entry, error) {
	return asFirst(tx.answer(ctx, q.first()))
}

// Position is like [State.Position], and includes the changes of the batch.
func (tx *Tx) Position(ctx context.Context, id int, q Query) (int, error) {
	s, err := tx.current(ctx, q)
	if err != nil {
		return 0, err
	}
	return s.Position(ctx, id, q)
}

// Scan is like [State.Scan], and includes the changes made before the call. The batch may
// write while the function runs.
func (tx *Tx) Scan(ctx context.Context, q Query) (func(yield func(*Entry) bool), error) {
	s, err := tx.current(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.fork().Scan(ctx, q) // later writes change s
}

// Explain is like [State.Explain], and includes the changes of the batch.
func (tx *Tx) Explain(ctx context.Context, q Query) (string, error) {
	s, err := tx.current(ctx, q)
	if err != nil {
		return "", err
	}
	return s.Explain(ctx, q)
}

// answer answers a query, including the changes of the batch.
func (tx *Tx) answer(ctx context.Context, q *Query) (answer, error) {
	s, err := tx.current(ctx, *q)
	if err != nil {
		return answer{}, err
	}
	return s.answer(ctx, q)
}

// current returns the draft, with the indexes that the query needs. After the batch the
// error is [ErrTxDone].
func (tx *Tx) current(ctx context.Context, q Query) (*State, error) {
	if tx.done {
		return nil, ErrTxDone
	}
	if tx.draft == nil {
		if err := tx.begin(ctx, q); err != nil {
			return nil, err
		}
	}
	s := tx.draft.State
	o, err := s.order(nil, q)
	if err != nil {
		return nil, err
	}
	if len(o.where) == 0 {
		s.install(o.terms)
	}
	for _, c := range o.where {
		if c.Field != s.schema.ID {
			s.install([]ordering.Term{ordering.Asc(c.Field)})
		}
	}
	return s, nil
}

// begin makes the draft. It first asks the store for the indexes that the query needs, so
// that they are there for later batches too.
func (tx *Tx) begin(ctx context.Context, q Query) error {
	now := tx.store.Current()
	if o, err := now.order(nil, q); err == nil { // otherwise the fields may be those of new records
		if _, err := now.planned(ctx, o); err != nil {
			return err
		}
	}
	tx.store.mu.Lock()
	d := &draft{tx.store.published.Load().fork()}
	tx.store.mu.Unlock()
	d.builds, d.history = nil, history{}
	d.store = weak.Pointer[Store]{} // the store has no index for it
	for i := range d.indexes {
		d.indexes[i].unique = false // until the end of the batch
	}
	tx.changes.Scan(func(ch txChange) bool {
		d.write(ch.Change)
		return true
	})
	tx.draft = d // last, because write may panic
	return nil
}

// write applies a change to the draft. It may run the program's code.
func (d *draft) write(ch Change) {
	one := []Change{ch}
	d.apply(one, d.appendKeys(nil, one))
	d.sorted.clear()
	d.recount(d.schema.memberChanges(nil, one))
}

// install adds the index of canonical terms to the state unless its keys are too large.
func (s *State) install(terms []ordering.Term) {
	if s.index(terms) != nil {
		return
	}
	x := newIndex(s.schema.resolve(terms), terms)
	if complete, _ := x.build(s.Entries(), maxKeys(s.Len(), terms), func() bool { return false }); complete {
		s.indexes = append(slices.Clip(s.indexes), namedIndex{terms: slices.Clone(terms), index: x, used: new(atomic.Int64)})
	}
}
