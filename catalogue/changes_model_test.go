package catalogue_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
)

// A ledger is what a collection's changes should be: the differences between a
// map before each write and after it, all of them, for ever. Every write has an
// amount of its own, so that none goes unseen.
type ledger struct {
	house    *catalogue.Catalogue // nil if the collection was cloned alone
	c        *catalogue.Collection[account]
	amounts  map[int]int // by id
	lastID   int
	revision uint64
	notes    []note
}

// A note is a change. The last of a revision is told by what comes behind it.
type note struct {
	revision uint64
	kind     catalogue.ChangeKind
	id       int
	amount   int
}

func (l *ledger) clone() *ledger {
	n := *l
	n.house, n.amounts, n.notes = nil, maps.Clone(l.amounts), slices.Clone(l.notes)
	return &n
}

// noteDown notes what differs after a write of which amounts came.
func (l *ledger) noteDown(amounts map[int]int, revision uint64) {
	var notes []note
	for id, amount := range amounts {
		if old, ok := l.amounts[id]; !ok {
			notes = append(notes, note{revision, catalogue.Inserted, id, amount})
		} else if old != amount {
			notes = append(notes, note{revision, catalogue.Updated, id, amount})
		}
	}
	for id := range l.amounts {
		if _, ok := amounts[id]; !ok {
			notes = append(notes, note{revision, catalogue.Deleted, id, 0})
		}
	}
	slices.SortFunc(notes, func(a, b note) int { return cmp.Compare(a.id, b.id) })
	l.notes = append(l.notes, notes...)
	l.amounts, l.revision = amounts, revision
}

// reach is the revision of the newest change that is none of the last so many.
func (l *ledger) reach(history int) uint64 {
	if n := len(l.notes) - history; n > 0 {
		return l.notes[n-1].revision
	}
	return 0
}

// same compares what came since a revision.
func (l *ledger) same(since uint64, history int) error {
	changes, now, err := l.c.Since(since)
	switch {
	case since > l.revision:
		return is(err, catalogue.ErrFutureRevision)
	case since < l.reach(history):
		return is(err, catalogue.ErrHistoryTrimmed)
	case err != nil || now != l.revision:
		return fmt.Errorf("since %d up to %d of %d: %w", since, now, l.revision, err)
	}
	first, _ := slices.BinarySearchFunc(l.notes, since+1, func(n note, r uint64) int { return cmp.Compare(n.revision, r) })
	want := l.notes[first:]
	if len(changes) != len(want) {
		return fmt.Errorf("since %d: %d changes, want %d", since, len(changes), len(want))
	}
	for i, ch := range changes {
		record := ch.Record()
		got := note{ch.Revision, ch.Kind, ch.ID, record.Amount}
		last := i == len(want)-1 || want[i+1].revision > ch.Revision
		if got != want[i] || ch.Last != last || ch.Kind != catalogue.Deleted && record.ID != ch.ID {
			return fmt.Errorf("since %d: change %d is %v, last %v, of record %d; want %v, %v", since, i, got, ch.Last, record.ID, want[i], last)
		}
	}
	return nil
}

// A scribe writes to collections and to their ledgers.
type scribe struct {
	rng     *rand.Rand
	history int
	stamp   int // the last amount
}

func (s *scribe) someID(l *ledger) int { return 1 + s.rng.IntN(min(l.lastID, 60)+2) }

// write is one write, to a collection or in a transaction, and to amounts. What
// it does is not the question here: whatever is refused changes nothing.
func (s *scribe) write(w writer[account], l *ledger, amounts map[int]int) {
	s.stamp++
	id, fresh := s.someID(l), account{Amount: s.stamp}
	switch n := s.rng.IntN(10); {
	case n < 3:
		fresh.ID = pick(s.rng, 0, id)
		if got, err := w.Insert(fresh); err == nil {
			amounts[got] = s.stamp
			l.lastID = max(l.lastID, got)
		}
	case n < 5:
		fresh.ID = pick(s.rng, 0, id, id)
		if got, err := w.Upsert(fresh); err == nil {
			amounts[got] = s.stamp
			l.lastID = max(l.lastID, got)
		}
	case n < 8:
		how := s.rng.IntN(6)
		err := caught(func() error {
			return w.Update(id, func(a *account) error {
				a.Amount = s.stamp
				if how == 0 {
					return errOwn
				} else if how == 1 {
					panic(errOwn)
				}
				return nil
			})
		})
		if err == nil {
			amounts[id] = s.stamp
		}
	default:
		if w.Delete(id) == nil {
			delete(amounts, id)
		}
	}
}

// update is a transaction of few writes or many, of which some fail as a whole.
func (s *scribe) update(l *ledger) (map[int]int, error) {
	amounts, how := maps.Clone(l.amounts), s.rng.IntN(5)
	err := caught(func() error {
		return l.c.Batch(func(tx *catalogue.Tx[account]) error {
			for range pick(s.rng, 0, 1, 2, 7, 8, 9, 15, 40, 90) {
				s.write(tx, l, amounts)
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
	switch how {
	case 0:
		return l.amounts, is(err, errOwn)
	case 1:
		return l.amounts, is(err, panicked{errOwn})
	}
	return amounts, err
}

// load replaces all records, or fails to.
func (s *scribe) load(l *ledger) (map[int]int, error) {
	amounts := map[int]int{}
	var wires []string
	for range pick(s.rng, 0, 3, 20, 70) {
		s.stamp++
		id := s.someID(l)
		if _, twice := amounts[id]; !twice {
			amounts[id] = s.stamp
			l.lastID = max(l.lastID, id)
			wires = append(wires, fmt.Sprintf(`{"id":%d,"amount":%d}`, id, s.stamp))
		}
	}
	fails := len(wires) > 0 && s.rng.IntN(3) == 0
	if fails {
		wires = append(wires, wires[0])
	}
	err := l.house.LoadCollection("books", strings.NewReader("["+strings.Join(wires, ",")+"]"))
	if fails {
		return l.amounts, is(err, catalogue.ErrInvalidData)
	}
	return amounts, err
}

// turn is one write of any kind, and a look at what came of it.
func (s *scribe) turn(l *ledger) error {
	amounts, err := maps.Clone(l.amounts), error(nil)
	switch n := s.rng.IntN(60); {
	case n == 0 && l.house != nil:
		amounts, err = s.load(l)
	case n < 10:
		amounts, err = s.update(l)
	default:
		s.write(l.c, l, amounts)
	}
	if err != nil {
		return err
	}
	revision := l.c.Snapshot().Revision()
	if changed := !maps.Equal(amounts, l.amounts); revision < l.revision || changed && revision == l.revision {
		return fmt.Errorf("revision %d after %d; changed %v", revision, l.revision, changed)
	}
	l.noteDown(amounts, revision)
	reach := l.reach(s.history)
	for _, since := range []uint64{reach, max(reach, 1) - 1, l.revision, l.revision + 1, reach + s.rng.Uint64N(l.revision-reach+1)} {
		if err := l.same(since, s.history); err != nil {
			return err
		}
	}
	return nil
}

// TestModelFeed compares what collections and their clones tell of their changes
// with all that ever changed. The environment variables are TestModel's.
func TestModelFeed(t *testing.T) {
	steps, seed := modelSteps(t)/10, modelSeed(t)
	for _, history := range []int{1, 7, 33, 200} {
		t.Run(fmt.Sprint(history), func(t *testing.T) {
			house, err := catalogue.NewWith(catalogue.Define[account]("books", catalogue.Options{History: history}))
			if err != nil {
				t.Fatal(err)
			}
			c, err := catalogue.Define[account]("books", catalogue.Options{}).In(house)
			if err != nil {
				t.Fatal(err)
			}
			s := &scribe{rng: rand.New(rand.NewPCG(seed, uint64(history))), history: history}
			ledgers := []*ledger{{house: house, c: c, amounts: map[int]int{}}}
			for step := range steps {
				i := s.rng.IntN(len(ledgers))
				err := s.turn(ledgers[i])
				if step%16 == 0 {
					err = errors.Join(err, ledgers[i].c.Check())
				}
				if err != nil {
					t.Fatalf("BACKLIST_MODEL_SEED=%d, step %d, collection %d: %v", seed, step, i, err)
				}
				if s.rng.IntN(100) > 0 {
					continue
				}
				fork := ledgers[i].clone()
				fork.c = ledgers[i].c.Clone()
				if len(ledgers) < 4 {
					ledgers = append(ledgers, fork)
				} else {
					ledgers[1+s.rng.IntN(3)] = fork
				}
			}
			for _, l := range ledgers {
				if err := l.c.Check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
