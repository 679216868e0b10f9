package main

import (
	"fmt"
	"runtime"
	"time"
)

// Writes leave garbage, and what it costs to collect that depends on all that is
// in memory. So they are measured in pairs: ours and one peer, freshly loaded, with
// nothing else in memory, in turns that are long enough to have the garbage
// collector at work in them. What is written is undone off the clock or by the
// next turn, so that the stores keep their size. Where a page is read after each
// write, it is the first in the default order.

// writer is the part of a store that these measurements need.
type writer[R any] interface {
	insert(*R)
	update(*R) // in place of the one with its id
	delete(id int)
	batch([]R) // updates that become visible together
}

// changes are what is written to a store.
type changes[R any] struct {
	fresh []R          // not stored at first
	moved []R          // some of the stored records with other dates, in no order
	still []R          // the same with the dates they had
	id    func(*R) int // of a record
}

// looking returns a function that reads the first page.
func looking(s store) func() {
	p := new(screen)
	return func() { s.view(p, byStart, 0) }
}

func unread() {}

func inserting[R any](s writer[R], c changes[R], look func()) work {
	return portions(len(c.fresh), func(times int) time.Duration {
		start := time.Now()
		for i := range times {
			s.insert(&c.fresh[i])
			look()
		}
		took := time.Since(start)
		for i := range times {
			s.delete(c.id(&c.fresh[i]))
		}
		return took
	})
}

func deleting[R any](s writer[R], c changes[R], look func()) work {
	return portions(len(c.still), func(times int) time.Duration {
		start := time.Now()
		for i := range times {
			s.delete(c.id(&c.still[i]))
			look()
		}
		took := time.Since(start)
		for i := range times {
			s.insert(&c.still[i])
		}
		return took
	})
}

// portions returns work that is done at most so many times before it is undone.
func portions(most int, w work) work {
	return func(times int) (took time.Duration) {
		for ; times > 0; times -= most {
			took += w(min(times, most))
		}
		return took
	}
}

// mover goes through the records that move, to and fro.
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

func updating[R any](s writer[R], c changes[R], look func()) work {
	m := mover[R]{changes: c}
	return clocked(func(times int) {
		for range times {
			s.update(m.take())
			look()
		}
	})
}

// batching writes all that moves in one step, to or fro.
func batching[R any](s writer[R], c changes[R], look func()) work {
	turn := 0
	return clocked(func(times int) {
		for range times {
			s.batch([][]R{c.moved, c.still}[turn%2])
			look()
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
	row := func(what string, bound float64, f func(writer[record], changes[record], func()) work, look func(store) func()) write {
		return write{what, atMost(bound, "btree"), func(s store) work { return f(s, c, look(s)) }}
	}
	never := func(store) func() { return unread }
	return []write{
		row("insert, a page read after each", 1.3, inserting, looking),
		row("update that moves, a page read after each", 1.6, updating, looking),
		row("delete, a page read after each", 1.3, deleting, looking),
		row("insert, unread", 1.2, inserting, never),
		row("update that moves, unread", 1.2, updating, never),
		row("delete, unread", 1.2, deleting, never),
		row(fmt.Sprintf("batch of %s updates", thousands(len(c.moved))), 1.2, batching, looking),
	}
}

// writes measures writing. The goals are about the first peer, which has longer
// turns than the others; an earlier revision takes its turns beside that.
func writes(s setup, d *data, t *table) error {
	sec := section{title: fmt.Sprintf("WRITES, %s RECORDS", thousands(len(d.records)))}
	for i, make := range s.kinds(len(d.records))[1:] {
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
	s.wait() // an earlier revision has no other pairs
	t.add(sec)
	return nil
}

// writes measures ours and one peer.
func (s setup) writes(peer store, d *data) (names []string, lines []line, err error) {
	stores := []store{newOurs(), peer}
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
		lines = append(lines, versus(w.what, names, s.race(each(stores, w.work), unbounded), w.goal))
		undo()
	}
	bytes := s.figure(stores, func(st store) float64 {
		bytes, _ := allocated(updating(st, d.changes, looking(st)))
		return bytes
	})
	lines = append(lines, values("  bytes allocated by an update, page read", names, bytes, whole, goal{}))
	undo()
	return names, lines, unchanged(stores, d)
}

// garbage returns a setup with turns for work that leaves garbage.
func (s setup) garbage() setup {
	s.turn, s.rounds, s.patience = s.turn*32, max(s.rounds/3, 1), s.patience*4
	return s
}

// fewer returns a setup for what no goal is about.
func (s setup) fewer() setup {
	s.turn, s.rounds, s.patience = s.turn/4, max(s.rounds/2, 1), s.patience/4
	return s
}

// allocated returns how many bytes and objects an operation takes from Go's heap.
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
