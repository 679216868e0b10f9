package store

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A historyModel is a store with a slice of all events of its writes.
type historyModel struct {
	store   *Store
	kept    int // the type's History
	records map[int]*Entry
	events  []Event
	now     uint64 // the current revision
	from    uint64 // all events after this revision are kept
	len     int    // the number of events that are kept
}

// add adds the changes of a revision: the new entries by id, nil for a deletion.
func (m *historyModel) add(changes map[int]*Entry) {
	m.now++
	last := -1
	for id := range 100 {
		e, changed := changes[id]
		if !changed {
			continue
		}
		m.events = append(m.events, Event{Revision: m.now, ID: id, New: e, Inserted: m.records[id] == nil})
		last = len(m.events) - 1
		if m.records[id] = e; e == nil {
			delete(m.records, id)
		}
	}
	if last >= 0 {
		m.events[last].Last = true
	}
	m.len += len(changes)
	if len(changes) > m.kept {
		m.len, m.from = 0, m.now
		return
	}
	for m.len > m.kept {
		m.from = m.events[len(m.events)-m.len].Revision
		m.len--
	}
}

func (m *historyModel) clone() *historyModel {
	c := *m
	c.store, c.records, c.events = Clone(m.store)[0], map[int]*Entry{}, append([]Event(nil), m.events...)
	for id, e := range m.records {
		c.records[id] = e
	}
	return &c
}

// step makes a random write to the store and the model.
func (m *historyModel) step(rng *rand.Rand) {
	id := 1 + rng.IntN(9)
	switch rng.IntN(10) {
	case 0: // replacing nothing by nothing is a revision, too
		var records []*record
		changes := map[int]*Entry{}
		for id := range m.records {
			changes[id] = nil
		}
		for range rng.IntN(6) {
			r := &record{Entry: Entry{1 + len(records)*2}}
			records = append(records, r)
			changes[r.ID] = &r.Entry
		}
		// The history is emptied if there could be more changes than are kept.
		kept := max(len(m.records), len(records)) <= m.kept
		Replace([]Replacement{{Store: m.store, Entries: entriesOf(records...)}})
		if m.add(changes); !kept {
			m.len, m.from = 0, m.now
		}
	case 1, 2:
		changes := map[int]*Entry{}
		err := m.store.Batch(func(tx *Tx) error {
			for range 1 + rng.IntN(20) {
				id := 1 + rng.IntN(40)
				old := tx.Get(id)
				if old != nil && rng.IntN(2) == 0 {
					tx.Write(Change{Old: old})
					if changes[id] = nil; m.records[id] == nil {
						delete(changes, id)
					}
				} else {
					changes[id] = &(&record{Entry: Entry{id}}).Entry
					tx.Write(Change{old, changes[id]})
				}
			}
			return nil
		})
		if err != nil {
			panic(err)
		}
		if len(changes) > 0 {
			m.add(changes)
		}
	case 3, 4, 5:
		if m.records[id] != nil {
			remove(m.store, id)
			m.add(map[int]*Entry{id: nil})
		}
	default:
		m.add(map[int]*Entry{id: put(m.store, &record{Entry: Entry{id}})})
	}
}

// compare compares the result of Since for a random revision.
func (m *historyModel) compare(t *testing.T, rng *rand.Rand) {
	t.Helper()
	since := []uint64{0, m.from, m.now, m.now + 1, math.MaxUint64, rng.Uint64N(m.now + 1)}[rng.IntN(6)]
	if rng.IntN(2) == 0 {
		m.store.Current()
	}
	got, from, now := m.store.Since(since)
	if from != m.from || now != m.now {
		t.Fatalf("Since(%d) = _, %d, %d, want %d, %d", since, from, now, m.from, m.now)
	}
	var want []Event
	for _, ev := range m.events[len(m.events)-m.len:] {
		if ev.Revision > since {
			want = append(want, ev)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("Since(%d) returned %d events, want %d", since, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("Since(%d): event %d is %+v, want %+v", since, i, got[i], want[i])
		}
	}
}

// Since returns the events of all kinds of writes, also in clones.
func TestHistory(t *testing.T) {
	rng := random(t)
	for _, kept := range []int{1, 3, 20, 300} {
		models := []*historyModel{{store: New(newType(kept)), kept: kept, records: map[int]*Entry{}}}
		for range 400 {
			i := rng.IntN(len(models))
			if rng.IntN(40) == 0 {
				if clone := models[i].clone(); len(models) < 3 {
					models = append(models, clone)
				} else {
					models[rng.IntN(3)] = clone
				}
			}
			models[i].step(rng)
			for _, m := range models {
				m.compare(t, rng)
			}
		}
		for _, m := range models {
			if err := m.store.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Since reads up to fewEvents events while it holds a pin. To read more, it freezes
// the state.
func TestSinceFreezes(t *testing.T) {
	c := newStore(t, newType(1000), fewEvents+1)
	put(c, &record{Entry: Entry{1}}) // in a state that was not read
	for _, row := range []struct {
		since  uint64
		want   int
		frozen bool
	}{
		{fewEvents + 1, 1, false},
		{2, fewEvents, false},
		{1, fewEvents + 1, true},
		{0, fewEvents + 2, true},
	} {
		s := c.published.Load()
		events, _, _ := c.Since(row.since)
		if len(events) != row.want || s.frozen.Load() != row.frozen || !c.pins.idle() {
			t.Errorf("Since(%d) returned %d events, frozen %v, want %d, %v", row.since, len(events), s.frozen.Load(), row.want, row.frozen)
		}
	}
}

func TestNoHistory(t *testing.T) {
	c := newStore(t, newType(0), 3)
	if events, _, now := c.Since(0); len(events) != 0 || now != 3 {
		t.Errorf("Since(0) returned %d events, revision %d, want 0, 3", len(events), now)
	}
}

func TestDifference(t *testing.T) {
	a := entriesOf(&record{Entry: Entry{1}}, &record{Entry: Entry{3}}, &record{Entry: Entry{4}}, &record{Entry: Entry{9}})
	b := entriesOf(&record{Entry: Entry{2}}, &record{Entry: Entry{3}}, &record{Entry: Entry{10}})
	want := []Change{{Old: a[0]}, {New: b[0]}, {a[1], b[1]}, {Old: a[2]}, {Old: a[3]}, {New: b[2]}}
	if diff := cmp.Diff(want, difference(a, b)); diff != "" {
		t.Errorf("difference (-want +got):\n%s", diff)
	}
	if got := difference(nil, nil); len(got) != 0 {
		t.Errorf("difference(nil, nil) = %v, want none", got)
	}
}
