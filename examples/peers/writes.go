package main

import (
	"fmt"
	"runtime"
	"time"
)

// Writes leave garbage, and the cost of collecting it depends on the size of the
// heap. So writes are measured in pairs of the library and one peer, with nothing
// else in memory, in turns that are long enough for garbage collections. A write is
// undone while the clock is stopped, or by the next turn, so that the stores keep
// their size. A page that is read after a write is the first in the default order.

// writer has the methods of a store that write.
type writer[R any] interface {
	insert(*R)
	update(*R) // replaces the record with the same id
	delete(id int)
	batch([]R) // updates that become visible together
}

// changes are the records that are written to a store.
type changes[R any] struct {
	fresh []R          // records that are not stored
	moved []R          // some of the stored records with other dates, in random order
	still []R          // the same records as they are stored
	id    func(*R) int // returns the id of a record
}

// readingFirst returns a function that reads the first page.
func readingFirst(s store) func() {
	p := new(pageBuffer)
	return func() { s.view(p, byStart, 0) }
}

func noRead() {}

func inserting[R any](s writer[R], c changes[R], read func()) work {
	return portions(len(c.fresh), func(times int) time.Duration {
		start := time.Now()
		for i := range times {
			s.insert(&c.fresh[i])
			read()
		}
		took := time.Since(start)
		for i := range times {
			s.delete(c.id(&c.fresh[i]))
		}
		return took
	})
}

func deleting[R any](s writer[R], c changes[R], read func()) work {
	return portions(len(c.still), func(times int) time.Duration {
		start := time.Now()
		for i := range times {
			s.delete(c.id(&c.still[i]))
			read()
		}
		took := time.Since(start)
		for i := range times {
			s.insert(&c.still[i])
		}
		return took
	})
}

// portions returns work that calls w for at most the given number of operations at
// a time.
func portions(most int, w work) work {
	return func(times int) (took time.Duration) {
		for ; times > 0; times -= most {
			took += w(min(times, most))
		}
		return took
	}
}

// mover iterates over the updates that move records and move them back.
type mover[R any] struct {
	changes changes[R]
	next    int
}

func (m *mover[R]) take() *R {
	i, n := m.next, len(m.changes.moved)
	m.next = (m.next + 1) % (2 * n)
	if i < n {
		return &m.changes.moved[i]
	}
	return &m.changes.still[i-n]
}

func updating[R any](s writer[R], c changes[R], read func()) work {
	m := mover[R]{changes: c}
	return clocked(func(times int) {
		for range times {
			s.update(m.take())
			read()
		}
	})
}

// batching returns work that moves all records, or moves them back, in one batch.
func batching[R any](s writer[R], c changes[R], read func()) work {
	turn := 0
	return clocked(func(times int) {
		for range times {
			s.batch([][]R{c.moved, c.still}[turn%2])
			read()
			turn++
		}
	})
}

// write is a row of the section.
type write struct {
	what string
	goal goal
	work func(store) work
}

func writings(d *data) []write {
	c := d.changes
	row := func(what string, bound float64, f func(writer[record], changes[record], func()) work, read func(store) func()) write {
		return write{what, atMost(bound, "btree"), func(s store) work { return f(s, c, read(s)) }}
	}
	never := func(store) func() { return noRead }
	return []write{
		row("insert, a page read after each", 1.3, inserting, readingFirst),
		row("update that moves, a page read after each", 1.6, updating, readingFirst),
		row("delete, a page read after each", 1.3, deleting, readingFirst),
		row("insert, unread", 1.2, inserting, never),
		row("update that moves, unread", 1.2, updating, never),
		row("delete, unread", 1.2, deleting, never),
		row(fmt.Sprintf("batch of %s updates", thousands(len(c.moved))), 1.2, batching, readingFirst),
	}
}

// writes measures writes. The goals are relative to the first peer, which has longer
// turns than the others and is measured together with the earlier revision.
func writes(s setup, d *data, t *table) error {
	sec := section{title: fmt.Sprintf("WRITES, %s RECORDS", thousands(len(d.records)))}
	for i, make := range s.constructors(len(d.records))[1:] {
		pair := s.garbage()
		if i > 0 {
			pair = s.alone().garbage().fewer()
		}
		names, lines, err := pair.writes(make(), d)
		switch {
		case err != nil:
			return err
		case i == 0:
			sec.peers, sec.lines = names[1:], lines
			continue
		}
		sec.peers = append(sec.peers, names[1])
		for j, l := range lines {
			sec.lines[j].peers = append(sec.lines[j].peers, l.peers[0])
		}
	}
	s.wait() // the earlier revision is measured in the first pair only
	t.add(sec)
	return nil
}

// writes measures the library and one peer.
func (s setup) writes(peer store, d *data) (names []string, lines []line, err error) {
	stores := []store{newBacklist(), peer}
	defer closeAll(stores)
	undo := func() {
		for _, st := range stores {
			st.batch(d.still)
		}
	}
	for _, st := range stores {
		st.load(d.records)
	}
	runtime.GC()
	names = columns(s, storeNames(stores), "before")
	for _, w := range writings(d) {
		lines = append(lines, versus(w.what, names, s.timeRow(each(stores, w.work), unbounded), w.goal))
		undo()
	}
	bytes := s.figure(stores, func(st store) float64 {
		bytes, _ := allocated(updating(st, d.changes, readingFirst(st)))
		return bytes
	})
	lines = append(lines, values("  bytes allocated by an update, page read", names, bytes, whole, goal{}))
	undo()
	return names, lines, unchanged(stores, d)
}

// garbage returns a setup with turns that are long enough for garbage collections.
func (s setup) garbage() setup {
	s.turn, s.rounds, s.budget = s.turn*32, max(s.rounds/3, 1), s.budget*4
	return s
}

// fewer returns a setup for measurements without a goal.
func (s setup) fewer() setup {
	s.turn, s.rounds, s.budget = s.turn/4, max(s.rounds/2, 1), s.budget/4
	return s
}

// allocated returns the bytes and objects that an operation allocates.
func allocated(w work) (bytes, objects float64) {
	times := 0
	bytes, objects = allocatedOnce(func() {
		for took := time.Duration(0); times < 1000 && took < 100*time.Millisecond; times += 10 {
			took += w(10)
		}
	})
	return bytes / float64(times), objects / float64(times)
}

func allocatedOnce(f func()) (bytes, objects float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)
}
