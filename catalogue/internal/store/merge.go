package store

import (
	"sort"
	"strings"
)

// A run is a span of entries of an index whose keys begin with the same bytes, so that they
// are in the order of the rest of their keys.
type run struct {
	span
	shared int // the number of these bytes; more than a key has if all are the same
}

// mergedRuns is the entries of several runs of an index as one sequence, in the order of
// what their keys have after the shared bytes, and then of their ids. It can only be read
// forwards.
type mergedRuns[K any] struct {
	*tree[K]
	runs []run
	desc bool // each run is read backwards
	size int
}

func (t *tree[K]) merge(runs []run, desc bool) sequence {
	m := &mergedRuns[K]{t, runs, desc, 0}
	for _, r := range runs {
		m.size += r.end - r.start
	}
	return m
}

func (m *mergedRuns[K]) len() int { return m.size }

// A cursor reads a run.
type cursor[K any] struct {
	run
	at    int       // the number of items before head
	room  []item[K] // for next
	next  []item[K] // some of those after head
	head  item[K]
	rest  string // the key of head after the shared bytes
	known bool   // head is the item that it should be
}

func (m *mergedRuns[K]) cursors() []cursor[K] {
	list := make([]cursor[K], len(m.runs))
	for i, r := range m.runs {
		list[i].run = r
	}
	return list
}

func (c *cursor[K]) len() int { return c.end - c.start }

// setHead makes an item the head.
func (m *mergedRuns[K]) setHead(c *cursor[K], it item[K]) {
	text := m.pack(it.key).text
	c.head, c.rest, c.known = it, text[min(c.shared, len(text)):], true
}

// at returns item i of a run.
func (m *mergedRuns[K]) at(c *cursor[K], i int) item[K] {
	pos := c.start + i
	if m.desc {
		pos = c.end - 1 - i
	}
	return m.itemAt(pos)
}

// before reports whether the head of a is before the head of b.
func (m *mergedRuns[K]) before(a, b *cursor[K]) bool {
	c := strings.Compare(a.rest, b.rest)
	if c == 0 {
		c = a.head.id - b.head.id
	}
	return c < 0 != m.desc && c != 0
}

// least returns the cursor with the first head, or nil if no head is known.
func (m *mergedRuns[K]) least(list []cursor[K]) (first *cursor[K]) {
	for i := range list {
		if c := &list[i]; c.known && (first == nil || m.before(c, first)) {
			first = c
		}
	}
	return first
}

// split returns cursors after the first n entries. It makes O(runs × log n) comparisons of
// items.
//
// It looks at an item some steps ahead in each run. The steps are n at most together, so
// the items up to the first of those are among the first n.
func (m *mergedRuns[K]) split(n int) []cursor[K] {
	list := m.cursors()
	for step := max(n/len(list), 1); n > 0; {
		if step > 1 && step*len(list) > n {
			step /= 2
			for i := range list {
				list[i].known = false
			}
		}
		for i := range list {
			if c := &list[i]; !c.known && c.at < c.len() {
				m.setHead(c, m.at(c, min(c.at+step, c.len())-1))
			}
		}
		c := m.least(list)
		steps := min(step, c.len()-c.at)
		c.at += steps
		n -= steps
		c.known = false
	}
	for i := range list {
		list[i].known = false
	}
	return list
}

// page merges items that it reads from each run, some at a time.
func (m *mergedRuns[K]) page(dst []*Entry, offset, n int, _ bool) []*Entry {
	list := m.split(offset)
	n = min(n, m.size-offset)
	chunk := min(n/len(list)+2, 64)
	room := make([]item[K], len(list)*chunk)
	for i := range list {
		list[i].room = room[i*chunk : i*chunk : (i+1)*chunk]
		m.advance(&list[i])
	}
	for range n {
		c := m.least(list)
		dst = append(dst, c.head.entry)
		c.at++
		m.advance(c)
	}
	return dst
}

// advance sets the head of a cursor, and reads some items if none is left.
func (m *mergedRuns[K]) advance(c *cursor[K]) {
	if c.known = false; c.at == c.len() {
		return
	}
	if len(c.next) == 0 {
		n := min(cap(c.room), c.len()-c.at)
		c.next = c.room
		collect := func(it item[K]) bool {
			c.next = append(c.next, it)
			return len(c.next) < n
		}
		if from := m.at(c, c.at); m.desc {
			m.items.Descend(from, collect)
		} else {
			m.items.Ascend(from, collect)
		}
	}
	m.setHead(c, c.next[0])
	c.next = c.next[1:]
}

func (m *mergedRuns[K]) view(int, int, bool) (es Entries, ok bool) { return es, false }

// position returns the number of entries before e, or -1 if e is in no run.
func (m *mergedRuns[K]) position(e *Entry) (n int) {
	at, list := m.tree.position(e), m.cursors()
	for _, own := range list {
		if at < own.start || own.end <= at {
			continue
		}
		m.setHead(&own, m.tree.item(e))
		for _, c := range list {
			n += sort.Search(c.len(), func(i int) bool {
				m.setHead(&c, m.at(&c, i))
				return !m.before(&c, &own)
			})
		}
		return n
	}
	return -1
}
