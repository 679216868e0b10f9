package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
)

// A findRun makes random writes and queries to a collection and to a model of it.
type findRun[T any] struct {
	typ      *recordType[T]
	fields   []findField
	unique   []string
	rng      *rand.Rand
	c        *catalogue.Collection[T]
	m        *model[T]
	revision uint64
	held     []heldState[T]
	older    []olderSelection[T]
	size     int // about the number of records
	queries  int // between two states, on average
	left     int // queries left
	mix      findMix
}

// A heldState is a snapshot and the state of the model when it was taken.
type heldState[T any] struct {
	s  catalogue.Snapshot[T]
	st findState[T]
}

// An olderSelection is a selection that is used for states after the one for which it was
// made.
type olderSelection[T any] struct {
	where []findCondition
	sel   catalogue.Selection[T]
}

// state returns the current state of a model for queries.
func (fr *findRun[T]) state(m *model[T]) findState[T] {
	fields := slices.Concat(m.names(), fr.unique)
	slices.Sort(fields)
	return findState[T]{m, slices.Compact(fields)}
}

// run makes rounds of writes and queries until enough queries are made.
func (fr *findRun[T]) run() error {
	for fr.left > 0 {
		for range 1 + fr.rng.IntN(4) {
			if err := fr.change(); err != nil {
				return err
			}
		}
		if err := fr.ask(); err != nil {
			return err
		}
		if err := fr.c.Check(); err != nil {
			return fmt.Errorf("check: %w", err)
		}
		if got := fr.c.Snapshot().Revision(); got != fr.revision {
			return fmt.Errorf("revision %d, want %d", got, fr.revision)
		}
		fr.keep()
	}
	for _, h := range fr.held {
		if err := catalogue.CheckSnapshot(h.s); err != nil {
			return fmt.Errorf("check of a snapshot: %w", err)
		}
	}
	return nil
}

// ask makes queries of the collection and of the snapshots that are held.
func (fr *findRun[T]) ask() error {
	st := fr.state(fr.m)
	for range fr.rng.IntN(2 * fr.queries) {
		var err error
		switch n := fr.rng.IntN(20); {
		case n < 5 && len(fr.held) > 0:
			h := pick(fr.rng, fr.held...)
			err = fr.query("of a snapshot", h.s, h.st)
		case n < 8 && len(fr.older) > 0:
			o := pick(fr.rng, fr.older...)
			q := fr.randomQuery(st)
			q.where = o.where
			err = fr.compare("of an older selection", fr.c, o.sel, st, q)
		default:
			err = fr.query("of a collection", fr.c, st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (fr *findRun[T]) randomQuery(st findState[T]) findQuery {
	return randomQuery(fr.rng, fr.fields, len(st.rows))
}

// query makes a random query of a source whose records are those of a state.
func (fr *findRun[T]) query(kind string, src finder[T], st findState[T]) error {
	q := fr.randomQuery(st)
	return fr.compare(kind, src, src.Where(q.conditions()...), st, q)
}

func (fr *findRun[T]) compare(kind string, src finder[T], sel catalogue.Selection[T], st findState[T], q findQuery) error {
	fr.left--
	fr.mix["in all"]++
	fr.mix[kind]++
	if err := (findComparison[T]{fr.rng, fr.mix, st, q, src, sel}).compare(); err != nil {
		return fmt.Errorf("%s, %v: %w", kind, q, err)
	}
	return nil
}

// keep takes snapshots, makes selections for later, and goes on with a clone.
func (fr *findRun[T]) keep() {
	if fr.rng.IntN(4) == 0 {
		fr.held = append(fr.held, heldState[T]{fr.c.Snapshot(), fr.state(fr.m.clone())})
		fr.held = fr.held[max(0, len(fr.held)-4):]
	}
	if fr.rng.IntN(8) == 0 {
		q := fr.randomQuery(fr.state(fr.m))
		fr.older = append(fr.older, olderSelection[T]{q.where, fr.c.Where(q.conditions()...)})
		fr.older = fr.older[max(0, len(fr.older)-4):]
	}
	if fr.rng.IntN(40) == 0 {
		fr.c, fr.older = fr.c.Clone(), nil
	}
}

// change makes a random write, batch, replacement or load.
func (fr *findRun[T]) change() error {
	switch n := fr.rng.IntN(100); {
	case n < 2:
		return fr.replaceAll()
	case n < 4:
		return fr.load()
	case n < 24:
		return fr.batch()
	}
	w, next := fr.randomWrite(fr.m), fr.m.clone()
	wantID, want := w.apply(next)
	got, err := w.do(fr.c)
	if want == nil && repeats(next.rows, fr.unique) {
		fr.mix["writes refused"]++
		return checkDuplicate(err, next.rows, fr.unique)
	}
	if want == nil {
		fr.mix["writes made"]++
		fr.m = next
		fr.revision++
	}
	return checkResult(w.what, wantID, got, want, err)
}
