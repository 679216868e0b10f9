package catalogue_test

import (
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
)

// A findWrite is one write to a collection or in a batch.
type findWrite[T any] struct {
	what   string
	id     int
	record T
	err    error // what the function of an update returns
}

// randomWrite returns a write that keeps the number of records near the size of the run.
func (fr *findRun[T]) randomWrite(m *model[T]) findWrite[T] {
	w := findWrite[T]{what: "insert", record: fr.typ.random(fr.rng), id: fr.rng.IntN(m.highest+3) + 1}
	if len(m.rows) > 0 && fr.rng.IntN(4) > 0 {
		w.id = pick(fr.rng, m.rows...).id
	}
	id := fr.typ.id(&w.record)
	switch n := fr.rng.IntN(100); {
	case n < 20 || len(m.rows) < fr.size/2:
	case n < 35:
		*id = w.id
	case n < 60:
		w.what = "upsert"
		if n < 55 {
			*id = w.id
		}
	case n < 80:
		w.what, *id = "update", w.id
		if n < 63 {
			w.err = errOwn
		}
	}
	if len(m.rows) > fr.size && *id == 0 || fr.rng.IntN(10) == 0 {
		w.what = "delete"
	}
	return w
}

// apply makes the write to the model.
func (w findWrite[T]) apply(m *model[T]) (int, error) {
	switch w.what {
	case "insert":
		return m.insert(w.record)
	case "upsert":
		return m.upsert(w.record)
	case "delete":
		return w.id, m.delete(w.id)
	}
	i := m.find(w.id)
	switch {
	case i < 0:
		return w.id, catalogue.ErrNotFound
	case w.err == nil:
		m.rows[i] = m.row(w.record)
	}
	return w.id, w.err
}

// do makes the write to a collection or in a batch.
func (w findWrite[T]) do(dst writer[T]) (int, error) {
	switch w.what {
	case "insert":
		return dst.Insert(w.record)
	case "upsert":
		return dst.Upsert(w.record)
	case "delete":
		return w.id, dst.Delete(w.id)
	}
	return w.id, dst.Update(w.id, func(r *T) error {
		*r = w.record
		return w.err
	})
}

// A findBatch is a batch of random writes, with queries that include them.
type findBatch[T any] struct {
	*findRun[T]
	tx      *catalogue.Tx[T]
	m       *model[T] // with the writes of the batch
	written map[int]bool
	older   []olderSelection[T]
}

// batch makes a batch that succeeds, fails or panics.
func (fr *findRun[T]) batch() error {
	fb := &findBatch[T]{findRun: fr, m: fr.m.clone(), written: map[int]bool{}}
	how, differs := fr.rng.IntN(5), error(nil)
	got := caught(func() error {
		return fr.c.Batch(func(tx *catalogue.Tx[T]) error {
			fb.tx = tx
			if differs = fb.run(); differs != nil {
				return differs
			}
			switch how {
			case 0:
				return errOwn
			case 1:
				panic(errOwn)
			}
			return nil
		})
	})
	if differs != nil {
		return fmt.Errorf("in a batch: %w", differs)
	}
	if _, err := fb.tx.Where().Count(); !errors.Is(err, catalogue.ErrTxDone) {
		return fmt.Errorf("a selection after its batch: %v, want ErrTxDone", err)
	}
	switch {
	case how == 0:
		return checkResult("failing batch", 0, 0, errOwn, got)
	case how == 1:
		return checkResult("panicking batch", 0, 0, panicked{errOwn}, got)
	case repeats(fb.m.rows, fr.unique):
		fr.mix["batches refused"]++
		return checkDuplicate(got, fb.m.rows, fr.unique)
	}
	for id := range fb.written {
		if fr.m.find(id) >= 0 || fb.m.find(id) >= 0 {
			fr.revision++ // otherwise the batch inserted and deleted the record
			break
		}
	}
	fr.mix["batches made"]++
	fr.m = fb.m
	return checkResult("batch", 0, 0, nil, got)
}

// run makes the writes and queries of the batch.
func (fb *findBatch[T]) run() error {
	n := fb.rng.IntN(12)
	if fb.rng.IntN(20) == 0 {
		n = fb.rng.IntN(2 * fb.size)
	}
	for range n {
		if err := fb.write(); err != nil {
			return err
		}
		if fb.rng.IntN(n) < 3 {
			if err := fb.ask(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (fb *findBatch[T]) write() error {
	w := fb.randomWrite(fb.m)
	wantID, want := w.apply(fb.m)
	got, err := w.do(fb.tx)
	if err == nil {
		fb.written[got] = true
	}
	return checkResult(w.what, wantID, got, want, err)
}

// ask makes a few queries of the batch, and one of the collection, which does not have
// the writes of the batch yet.
func (fb *findBatch[T]) ask() error {
	st := fb.state(fb.m)
	for range fb.rng.IntN(8) {
		if err := fb.query("of a batch", fb.tx, st); err != nil {
			return err
		}
	}
	if len(fb.older) > 0 {
		q, o := fb.randomQuery(st), pick(fb.rng, fb.older...)
		q.where = o.where
		if err := fb.compare("of an older selection", fb.tx, o.sel, st, q); err != nil {
			return err
		}
	}
	q := fb.randomQuery(st)
	fb.older = append(fb.older, olderSelection[T]{q.where, fb.tx.Where(q.conditions()...)})
	if fb.rng.IntN(4) == 0 {
		return fb.query("of a collection", fb.c, fb.state(fb.findRun.m))
	}
	return fb.iterate(fb.state(fb.m.clone()))
}

// iterate makes writes while it iterates over records of the batch. They do not affect
// the iterator.
func (fb *findBatch[T]) iterate(st findState[T]) error {
	q := fb.randomQuery(st)
	if q.want(st.fields, st.open(), len(st.rows)) != nil {
		return nil
	}
	rows := st.selected(q.where, q.terms)
	seq, err := fb.tx.Where(q.conditions()...).Ordered(q.terms...)
	if err == nil {
		fc := findComparison[T]{st: st}
		err = fc.sameSeq(seq, rows, 1+fb.rng.IntN(8), fb.write)
	}
	if err != nil {
		return fmt.Errorf("writing while iterating %v: %w", q, err)
	}
	return nil
}
