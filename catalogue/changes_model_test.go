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
	"github.com/gobacklist/backlist/resources"
)

// A changeModel computes the expected changes of a collection: the differences between a
// map before and after each write. It keeps all of them. Each write uses a new amount, so
// that no write goes unnoticed.
type changeModel struct {
	house    *catalogue.Catalogue // nil if only the collection was cloned
	c        *catalogue.Collection[account]
	amounts  map[int]int // by id
	lastID   int
	revision uint64
	changes  []modelChange
}

// A modelChange is an expected change. It is the last of its revision if the next one has
// another revision.
type modelChange struct {
	revision uint64
	kind     catalogue.ChangeKind
	id       int
	amount   int
}

func (m *changeModel) clone() *changeModel {
	n := *m
	n.house, n.amounts, n.changes = nil, maps.Clone(m.amounts), slices.Clone(m.changes)
	return &n
}

// record adds the changes of a write that led to amounts.
func (m *changeModel) record(amounts map[int]int, revision uint64) {
	var changes []modelChange
	for id, amount := range amounts {
		if old, ok := m.amounts[id]; !ok {
			changes = append(changes, modelChange{revision, catalogue.Inserted, id, amount})
		} else if old != amount {
			changes = append(changes, modelChange{revision, catalogue.Updated, id, amount})
		}
	}
	for id := range m.amounts {
		if _, ok := amounts[id]; !ok {
			changes = append(changes, modelChange{revision, catalogue.Deleted, id, 0})
		}
	}
	slices.SortFunc(changes, func(a, b modelChange) int { return cmp.Compare(a.id, b.id) })
	m.changes = append(m.changes, changes...)
	m.amounts, m.revision = amounts, revision
}

// oldest returns the oldest revision that Since accepts with the given history.
func (m *changeModel) oldest(history int) uint64 {
	if n := len(m.changes) - history; n > 0 {
		return m.changes[n-1].revision
	}
	return 0
}

// compare compares the result of Since with the model.
func (m *changeModel) compare(since uint64, history int) error {
	changes, now, err := m.c.Since(since)
	switch {
	case since > m.revision:
		return is(err, catalogue.ErrHistoryTrimmed)
	case since < m.oldest(history):
		return is(err, catalogue.ErrHistoryTrimmed)
	case err != nil || now != m.revision:
		return fmt.Errorf("Since(%d): revision %d, want %d: %w", since, now, m.revision, err)
	}
	first, _ := slices.BinarySearchFunc(m.changes, since+1, func(n modelChange, r uint64) int { return cmp.Compare(n.revision, r) })
	want := m.changes[first:]
	if len(changes) != len(want) {
		return fmt.Errorf("Since(%d): %d changes, want %d", since, len(changes), len(want))
	}
	for i, ch := range changes {
		record := ch.Record()
		got := modelChange{ch.Revision, ch.Kind, ch.ID, record.Amount}
		last := i == len(want)-1 || want[i+1].revision > ch.Revision
		if got != want[i] || ch.Last != last || ch.Kind != catalogue.Deleted && record.ID != ch.ID {
			return fmt.Errorf("Since(%d): change %d is %v, last %v, with record id %d; want %v, last %v",
				since, i, got, ch.Last, record.ID, want[i], last)
		}
	}
	return nil
}

// A randomWriter writes to collections and to their models.
type randomWriter struct {
	rng     *rand.Rand
	history int
	amount  int // of the last write
}

func (r *randomWriter) someID(m *changeModel) int { return 1 + r.rng.IntN(min(m.lastID, 60)+2) }

// write writes to a collection or in a batch, and to amounts if it succeeds. Other tests
// check which writes succeed.
func (r *randomWriter) write(w writer[account], m *changeModel, amounts map[int]int) {
	r.amount++
	id, fresh := r.someID(m), account{Amount: r.amount}
	switch n := r.rng.IntN(10); {
	case n < 3:
		fresh.ID = pick(r.rng, 0, id)
		if got, err := w.Insert(fresh); err == nil {
			amounts[got] = r.amount
			m.lastID = max(m.lastID, got)
		}
	case n < 5:
		fresh.ID = pick(r.rng, 0, id, id)
		if got, err := w.Upsert(fresh); err == nil {
			amounts[got] = r.amount
			m.lastID = max(m.lastID, got)
		}
	case n < 8:
		how := r.rng.IntN(6)
		err := caught(func() error {
			return w.Update(id, func(a *account) error {
				a.Amount = r.amount
				if how == 0 {
					return errOwn
				} else if how == 1 {
					panic(errOwn)
				}
				return nil
			})
		})
		if err == nil {
			amounts[id] = r.amount
		}
	default:
		if w.Delete(id) == nil {
			delete(amounts, id)
		}
	}
}

// batch makes several writes in one batch, which may fail, and returns the amounts after it.
func (r *randomWriter) batch(m *changeModel) (map[int]int, error) {
	amounts, how := maps.Clone(m.amounts), r.rng.IntN(5)
	err := caught(func() error {
		return m.c.Batch(func(tx *catalogue.Tx[account]) error {
			for range pick(r.rng, 0, 1, 2, 7, 8, 9, 15, 40, 90) {
				r.write(tx, m, amounts)
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
		return m.amounts, is(err, errOwn)
	case 1:
		return m.amounts, is(err, panicked{errOwn})
	}
	return amounts, err
}

// load replaces all records, unless it fails, and returns the amounts after it.
func (r *randomWriter) load(m *changeModel) (map[int]int, error) {
	amounts := map[int]int{}
	var wires []string
	for range pick(r.rng, 0, 3, 20, 70) {
		r.amount++
		id := r.someID(m)
		if _, ok := amounts[id]; !ok {
			amounts[id] = r.amount
			m.lastID = max(m.lastID, id)
			wires = append(wires, fmt.Sprintf(`{"id":%d,"amount":%d}`, id, r.amount))
		}
	}
	fails := len(wires) > 0 && r.rng.IntN(3) == 0
	if fails {
		wires = append(wires, wires[0])
	}
	err := m.house.Load(strings.NewReader(`{"books":[`+strings.Join(wires, ",")+`]}`), catalogue.LoadOptions{})
	if fails {
		return m.amounts, is(err, catalogue.ErrInvalidData)
	}
	return amounts, err
}

// step writes to a collection in one way and compares its changes with the model.
func (r *randomWriter) step(m *changeModel) error {
	amounts, err := maps.Clone(m.amounts), error(nil)
	switch n := r.rng.IntN(60); {
	case n == 0 && m.house != nil:
		amounts, err = r.load(m)
	case n < 10:
		amounts, err = r.batch(m)
	default:
		r.write(m.c, m, amounts)
	}
	if err != nil {
		return err
	}
	revision := m.c.Snapshot().Revision()
	if changed := !maps.Equal(amounts, m.amounts); revision < m.revision || changed && revision == m.revision {
		return fmt.Errorf("revision %d after %d, records changed: %v", revision, m.revision, changed)
	}
	m.record(amounts, revision)
	oldest := m.oldest(r.history)
	for _, since := range []uint64{oldest, max(oldest, 1) - 1, m.revision, m.revision + 1, oldest + r.rng.Uint64N(m.revision-oldest+1)} {
		if err := m.compare(since, r.history); err != nil {
			return err
		}
	}
	return nil
}

// TestModelChanges compares the changes of collections and their clones with a model. It
// uses the environment variables of TestModel.
func TestModelChanges(t *testing.T) {
	steps, seed := modelSteps(t)/10, modelSeed(t)
	for _, history := range []int{1, 7, 33, 200} {
		t.Run(fmt.Sprint(history), func(t *testing.T) {
			house, err := resources.New(catalogue.Define[account]("books", catalogue.Options{History: history}))
			if err != nil {
				t.Fatal(err)
			}
			c, err := catalogue.Define[account]("books", catalogue.Options{}).In(house)
			if err != nil {
				t.Fatal(err)
			}
			r := &randomWriter{rng: rand.New(rand.NewPCG(seed, uint64(history))), history: history}
			models := []*changeModel{{house: house, c: c, amounts: map[int]int{}}}
			for step := range steps {
				i := r.rng.IntN(len(models))
				err := r.step(models[i])
				if step%16 == 0 {
					err = errors.Join(err, models[i].c.Check())
				}
				if err != nil {
					t.Fatalf("BACKLIST_MODEL_SEED=%d, step %d, collection %d: %v", seed, step, i, err)
				}
				if r.rng.IntN(100) > 0 {
					continue
				}
				clone := models[i].clone()
				clone.c = models[i].c.Clone()
				if len(models) < 4 {
					models = append(models, clone)
				} else {
					models[1+r.rng.IntN(3)] = clone
				}
			}
			for _, m := range models {
				if err := m.c.Check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
