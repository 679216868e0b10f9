package main

import (
	"fmt"
	"runtime"
	"time"
)

// Writes leave garbage, and what it costs to collect that depends on all that is
// in memory. So they are measured in pairs: we and one peer, freshly loaded, with
// nothing else in memory, in turns that are long enough to have the garbage
// collector at work in them. What is written is undone off the clock or by the
// next turn, so that the stores keep their size. If somebody looks, it is at the
// first page in the default order, after each write.

// looker is who looks.
type looker struct {
	store
	page screen
}

func (l *looker) look(looked bool) {
	if looked {
		l.view(&l.page, byStart, 0)
	}
}

func inserting(s store, d *data, looked bool) work {
	eyes := looker{store: s}
	return portions(len(d.fresh), func(times int) time.Duration {
		start := time.Now()
		for i := range times {
			s.insert(&d.fresh[i])
			eyes.look(looked)
		}
		took := time.Since(start)
		for i := range times {
			s.delete(d.fresh[i].event.ID)
		}
		return took
	})
}

func deleting(s store, d *data, looked bool) work {
	eyes := looker{store: s}
	return portions(len(d.still), func(times int) time.Duration {
		start := time.Now()
		for i := range times {
			s.delete(d.still[i].event.ID)
			eyes.look(looked)
		}
		took := time.Since(start)
		for i := range times {
			s.insert(&d.still[i])
		}
		return took
	})
}

// portions is work that is done so many times at most before it is undone.
func portions(most int, w work) work {
	return func(times int) (took time.Duration) {
		for ; times > 0; times -= most {
			took += w(min(times, most))
		}
		return took
	}
}

// mover goes through the records that move, to and fro.
type mover struct {
	d    *data
	next int
}

func (m *mover) take() *record {
	i, n := m.next, len(m.d.moved)
	m.next = (m.next + 1) % (2 * n)
	if i < n {
		return &m.d.moved[i]
	}
	return &m.d.still[i-n]
}

func updating(s store, d *data, looked bool) work {
	m, eyes := mover{d: d}, looker{store: s}
	return clocked(func(times int) {
		for range times {
			s.update(m.take())
			eyes.look(looked)
		}
	})
}

// batching writes all that moves in one step, to or fro.
func batching(s store, d *data) work {
	turn, eyes := 0, looker{store: s}
	return clocked(func(times int) {
		for range times {
			s.batch([][]record{d.moved, d.still}[turn%2])
			eyes.look(true)
			turn++
		}
	})
}

// write is a line of the section.
type write struct {
	what string
	goal goal
	work func(store) work
}

func writings(d *data) (all []write) {
	bound := 2.0
	if len(d.records) <= 10_000 {
		bound = 4
	}
	for _, looked := range []bool{true, false} {
		who, g := "looked at", atMost(bound, "btree")
		if !looked {
			who, g = "unread", atMost(1.2, "btree")
		}
		all = append(all,
			write{"insert, " + who, g, func(s store) work { return inserting(s, d, looked) }},
			write{"update that moves, " + who, g, func(s store) work { return updating(s, d, looked) }},
			write{"delete, " + who, g, func(s store) work { return deleting(s, d, looked) }})
	}
	what := fmt.Sprintf("batch of %s updates", thousands(len(d.moved)))
	return append(all, write{what, atMost(1.2, "btree"), func(s store) work { return batching(s, d) }})
}

// writes measures writing. The goals are about the first peer, which has longer
// turns than the others.
func writes(s setup, d *data, t *table) error {
	all := writings(d)
	sec := section{title: fmt.Sprintf("WRITES, %s RECORDS", thousands(len(d.records))), lines: make([]line, len(all))}
	garbage := line{what: "  bytes allocated by an update, looked at"}
	for i, make := range kinds(len(d.records))[1:] {
		us, peer := newOurs(), make()
		sec.peers = append(sec.peers, peer.name())
		us.load(d.records)
		peer.load(d.records)
		runtime.GC()
		for j, w := range all {
			times := s.garbage(i == 0).race([]work{w.work(us), w.work(peer)}, unbounded)
			if i == 0 {
				sec.lines[j] = line{what: w.what, ours: duration(median(times[0])), ratio: ratio(times[0], times[1]), goal: w.goal}
			}
			sec.lines[j].peers = append(sec.lines[j].peers, multiple(ratio(times[1], times[0])))
			us.batch(d.still)
			peer.batch(d.still)
		}
		garbage.ours = thousands(allocated(updating(us, d, true)))
		garbage.peers = append(garbage.peers, thousands(allocated(updating(peer, d, true))))
		us.batch(d.still)
		peer.batch(d.still)
		if err := unchanged([]store{us, peer}, d); err != nil {
			return err
		}
		closeAll([]store{us, peer})
	}
	sec.lines = append(sec.lines, garbage)
	t.add(sec)
	return nil
}

// garbage is a setup with turns for work that leaves garbage.
func (s setup) garbage(goals bool) setup {
	if goals {
		s.turn, s.rounds, s.patience = s.turn*32, max(s.rounds/3, 1), s.patience*4
	} else {
		s.turn, s.rounds = s.turn*8, max(s.rounds/6, 1)
	}
	return s
}

// allocated is how many bytes an operation takes from the heap of Go.
func allocated(w work) int {
	var before, after runtime.MemStats
	times := 0
	runtime.ReadMemStats(&before)
	for took := time.Duration(0); times < 1000 && took < 100*time.Millisecond; times += 10 {
		took += w(10)
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / times
}
