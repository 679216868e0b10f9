package store

import (
	"sort"
	"strings"
)

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
type cursor struct {
	run
	at   int    // the number of entries before head
	head *Entry // nil if unknown
	rest string // the key of head after the shared bytes
}

func (m *mergedRuns[K]) cursors() []cursor {
	list := make([]cursor, len(m.runs))
	for i, r := range m.runs {
		list[i].run = r
	}
	return list
}

func (c *cursor) len() int { return c.end - c.start }

// setHead makes an entry with a key the head.
func (m *mergedRuns[K]) setHead(c *cursor, k K, e *Entry) {
	text := m.text(k)
	c.head, c.rest = e, text[min(c.shared, len(text)):]
}

// read makes entry i of the run the head.
func (m *mergedRuns[K]) read(c *cursor, i int) {
	pos := c.start + i
	if m.desc {
		pos = c.end - 1 - i
	}
	k, e := m.entryAt(pos)
	m.setHead(c, k, e)
}

// before reports whether the head of a is before the head of b.
func (m *mergedRuns[K]) before(a, b *cursor) bool {
	c := strings.Compare(a.rest, b.rest)
	if c == 0 {
		c = a.head.ID - b.head.ID
	}
	return c < 0 != m.desc && c != 0
}

// least returns the cursor with the first head, or nil if no head is known.
func (m *mergedRuns[K]) least(list []cursor) (first *cursor) {
	for i := range list {
		if c := &list[i]; c.head != nil && (first == nil || m.before(c, first)) {
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
func (m *mergedRuns[K]) split(n int) []cursor {
	list := m.cursors()
	for step := max(n/len(list), 1); n > 0; {
		if step > 1 && step*len(list) > n {
			step /= 2
			for i := range list {
				list[i].head = nil
			}
		}
		for i := range list {
			if c := &list[i]; c.head == nil && c.at < c.len() {
				m.read(c, min(c.at+step, c.len())-1)
			}
		}
		c := m.least(list)
		steps := min(step, c.len()-c.at)
		c.at += steps
		n -= steps
		c.head = nil
	}
	for i := range list {
		list[i].head = nil
	}
	return list
}

// page merges the runs.
func (m *mergedRuns[K]) page(dst []*Entry, offset, n int, _ bool) []*Entry {
	list := m.split(offset)
	for i := range list {
		if c := &list[i]; c.at < c.len() {
			m.read(c, c.at)
		}
	}
	for range min(n, m.size-offset) {
		c := m.least(list)
		dst = append(dst, c.head)
		if c.at++; c.at < c.len() {
			m.read(c, c.at)
		} else {
			c.head = nil
		}
	}
	return dst
}

func (m *mergedRuns[K]) view(int, int, bool) (es Entries, ok bool) { return es, false }

// position returns the number of entries before e, or -1 if e is in no run.
func (m *mergedRuns[K]) position(e *Entry) (n int) {
	at := m.tree.position(e)
	for _, r := range m.runs {
		if r.start <= at && at < r.end {
			own := cursor{run: r}
			m.setHead(&own, m.of(e), e)
			return m.passed(own.rest, e.ID) - 1
		}
	}
	return -1
}

// passed returns the number of entries up to and including the one with an id and a key that ends
// with rest after the shared bytes. If there is none, it returns the number before its place.
func (m *mergedRuns[K]) passed(rest string, id int) (n int) {
	own := cursor{head: &Entry{ID: id}, rest: rest}
	for _, c := range m.cursors() {
		n += sort.Search(c.len(), func(i int) bool {
			m.read(&c, i)
			return m.before(&own, &c)
		})
	}
	return n
}

// merged calls f with the items of all sorted parts in order. O(items × parts).
func merged[T any](parts [][]T, less func(a, b T) bool, f func(T)) {
	for {
		first := -1
		for i, part := range parts {
			if len(part) > 0 && (first < 0 || less(part[0], parts[first][0])) {
				first = i
			}
		}
		if first < 0 {
			return
		}
		f(parts[first][0])
		parts[first] = parts[first][1:]
	}
}
