package linearizability_test

import (
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"
)

// A model is the sequential specification of one or two collections. It does not
// use trees, indexes or snapshots.
type model struct {
	collections []collectionModel
}

// A collectionModel is the sequential specification of one collection.
type collectionModel struct {
	base         *base
	defaultOrder []term
	open         bool         // a field that no record has is unknown
	unique       []int        // fields of which no two records have the same value
	texts        [fields]bool // only for fields of texts there are prefixes
	lenient      bool         // a page ignores unknown fields, as over HTTP
	history      int          // number of changes kept
}

// A state is the state of a collection. It is never changed.
type state struct {
	rows     []row // sorted by id, without the base
	last     int   // highest id ever used
	used     int   // highest id used by the last load or since; it is saved
	revision uint64
	log      *logEntry // last revision of this round; nil if there is none
}

// A logEntry is a revision in a linked list.
type logEntry struct {
	previous *logEntry
	revision uint64
	changes  []change
	extra    int // number of changes of records of the base
	hash     uint64
}

// states holds the states of all collections. The second may be unused.
type states [2]state

// porcupine returns the model for porcupine, with an initial state.
func (m *model) porcupine(from states) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return from },
		Step: func(s, in, out any) (bool, any) {
			ok, next := m.step(s.(states), in.(input), out.(output))
			return ok, next
		},
		Equal: func(a, b any) bool { return a.(states).equal(b.(states)) },
		Hash:  func(s any) uint64 { return s.(states).hash() },
		DescribeOperation: func(in, out any) string {
			return fmt.Sprintf("%v -> %v", in, out)
		},
		DescribeState: func(s any) string { return fmt.Sprintf("%+v", s.(states)) },
	}
}

func (w states) equal(other states) bool {
	for i, s := range w {
		o := other[i]
		if s.last != o.last || s.used != o.used || s.revision != o.revision || !slices.Equal(s.rows, o.rows) || !s.log.equal(o.log) {
			return false
		}
	}
	return true
}

func (l *logEntry) equal(other *logEntry) bool {
	for ; l != other; l, other = l.previous, other.previous {
		if l == nil || other == nil || l.hash != other.hash || l.extra != other.extra || !slices.Equal(l.changes, other.changes) {
			return false
		}
	}
	return true
}

// append returns the list with another revision.
func (l *logEntry) append(next *logEntry) *logEntry {
	next.previous, next.hash = l, l.hashSum()*31+uint64(next.extra)
	for _, ch := range next.changes {
		next.hash = (next.hash*31+uint64(ch.kind))*31 + ch.row.hash()
	}
	return next
}

func (l *logEntry) hashSum() uint64 {
	if l == nil {
		return 0
	}
	return l.hash
}

func (r row) hash() uint64 {
	h := uint64(r.ID)
	for _, f := range r.F {
		h = h*31 + uint64(f)
	}
	return h
}

func (w states) hash() uint64 {
	var h uint64
	for _, s := range w {
		h = (((h*31+uint64(s.last))*31+uint64(s.used))*31+s.revision)*31 + s.log.hashSum()
		for _, r := range s.rows {
			h = h*31 + r.hash()
		}
	}
	return h
}

// step reports whether an operation in state w can return out, and returns the state
// after the operation.
func (m *model) step(w states, in input, out output) (bool, states) {
	if in.kind == save || in.kind == clone {
		copies := w
		for i, got := range out.all {
			if in.kind == save {
				copies[i].last = w[i].used
			}
			if !m.collections[i].matchesCopy(copies[i], got) {
				return false, w
			}
		}
		return len(out.all) == len(m.collections), w
	}
	c := &m.collections[in.which]
	ok, next := c.step(w[in.which], in, out)
	w[in.which] = next
	return ok, w
}

// step is like model.step for one collection.
func (m *collectionModel) step(s state, in input, out output) (bool, state) {
	switch in.kind {
	case insert, upsert, update, remove:
		ok, next, changed := m.write(s, in, out, false)
		if ok && changed != nil {
			next = m.commit(next, []change{*changed}, 0)
		}
		return ok, next
	case batch:
		return m.batch(s, in, out)
	case load:
		return m.load(s, in, out)
	case get:
		return m.matchesGet(s, in.id, out), s
	case count:
		return out.err == "" && out.count == m.count(s), s
	case page, burst:
		return m.matchesPage(s, in, out, m.lenient), s
	case reread:
		return m.matchesPage(in.held.state, in, out, false), s
	case selectPage, selectCount, selectFirst, position:
		from := s
		if in.held != nil {
			from = in.held.state
		}
		return m.matchesSelection(from, in, out), s
	case snapshot:
		return m.matchesCopy(s, out), s
	case iterate:
		return m.matchesIterate(s, in, out), s
	case since:
		return m.matchesSince(s, in.revision, out), s
	}
	return false, s
}

func (m *collectionModel) count(s state) int { return len(s.rows) + len(m.base.rows) }

// commit adds a revision with changes that are sorted by id, unless there are none.
func (m *collectionModel) commit(s state, changes []change, extra int) state {
	if len(changes)+extra == 0 {
		return s
	}
	s.revision++
	if m.history > 0 {
		for i := range changes {
			changes[i].revision, changes[i].last = s.revision, i == len(changes)-1
		}
		s.log = s.log.append(&logEntry{revision: s.revision, changes: changes, extra: extra})
	}
	return s
}

// batch performs all steps of a batch or, if it is aborted, none.
func (m *collectionModel) batch(s state, in input, out output) (bool, state) {
	if len(out.steps) != len(in.steps) {
		return false, s
	}
	next, written := s, map[int]bool{}
	for i, step := range in.steps {
		var ok bool
		if ok, next = m.stepInBatch(next, step, out.steps[i], written); !ok {
			return false, s
		}
	}
	switch {
	case in.abort:
		return out.err == aborted, s
	case m.duplicate(next.rows):
		return out.err == duplicated, s
	}
	return out.err == "", m.commit(next, difference(s.rows, next.rows, written), 0)
}

// stepInBatch performs one step of a batch and adds the id of a changed record to
// written.
func (m *collectionModel) stepInBatch(s state, in input, out output, written map[int]bool) (bool, state) {
	switch in.kind {
	case get:
		return m.matchesGet(s, in.id, out), s
	case count:
		return out.count == m.count(s), s
	case selectPage, selectCount, selectFirst, position:
		return m.matchesSelection(s, in, out), s
	}
	ok, next, changed := m.write(s, in, out, true)
	if changed != nil {
		written[changed.row.ID] = true
	}
	return ok, next
}

// difference returns the changes of the records with the written ids, sorted by id.
func difference(before, after []row, written map[int]bool) []change {
	var changes []change
	for id := range written {
		_, inBefore := find(before, id)
		at, inAfter := find(after, id)
		switch {
		case inBefore && inAfter:
			changes = append(changes, change{kind: updated, row: after[at]})
		case inAfter:
			changes = append(changes, change{kind: inserted, row: after[at]})
		case inBefore:
			changes = append(changes, change{kind: deleted, row: row{ID: id}})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return a.row.ID - b.row.ID })
	return changes
}

// load replaces all records.
func (m *collectionModel) load(s state, in input, out output) (bool, state) {
	written := map[int]bool{}
	for _, r := range s.rows {
		written[r.ID] = true
	}
	if m.duplicate(in.rows) {
		return out.err == duplicated, s
	}
	next := s
	next.rows, next.used = in.rows, len(m.base.rows)
	for _, r := range in.rows {
		written[r.ID] = true
		next.last, next.used = max(next.last, r.ID), max(next.used, r.ID)
	}
	return out.err == "", m.commit(next, difference(s.rows, in.rows, written), len(m.base.rows))
}

// matchesGet reports whether out is the record with the id.
func (m *collectionModel) matchesGet(s state, id int, out output) bool {
	for _, rows := range [][]row{s.rows, m.base.rows} {
		if i, found := find(rows, id); found {
			return out.err == "" && out.row == rows[i]
		}
	}
	return out.err == notFound
}

// matchesPage reports whether out is the page that in selects.
func (m *collectionModel) matchesPage(s state, in input, out output, lenient bool) bool {
	by, ok := m.resolve(s.rows, in.by, lenient)
	if !ok {
		return out.err == unknownField
	}
	return out.err == "" && out.count == m.count(s) && slices.Equal(out.rows, m.base.page(s.rows, in.offset, in.limit, by))
}

// matchesIterate reports whether out has the records of a state. Their order was
// checked when the base was removed from them.
func (m *collectionModel) matchesIterate(s state, in input, out output) bool {
	if _, ok := m.resolve(s.rows, in.by, false); !ok {
		return out.err == unknownField
	}
	return out.err == "" && slices.Equal(out.rows, s.rows)
}

// resolve returns the effective terms of an ordering in a state. It reports false if
// a field is unknown and lenient is false.
func (m *collectionModel) resolve(rows []row, by []term, lenient bool) ([]term, bool) {
	known := slices.DeleteFunc(slices.Clone(by), func(x term) bool { return !m.has(rows, x) })
	switch {
	case len(known) < len(by) && !lenient:
		return nil, false
	case len(known) > 0:
		return known, true
	case slices.ContainsFunc(m.defaultOrder, func(x term) bool { return !m.has(rows, x) }):
		return nil, true // by id
	}
	return m.defaultOrder, true
}

// has reports whether the field of a term is known.
func (m *collectionModel) has(rows []row, x term) bool {
	present := func(r row) bool { return r.F[x.field] != absent }
	return !m.open || x.field == byID || slices.Contains(m.unique, x.field) ||
		slices.ContainsFunc(rows, present) || slices.ContainsFunc(m.base.rows, present)
}

// matchesCopy reports whether out has all records of a state, and its revision and
// next id where out has those.
func (m *collectionModel) matchesCopy(s state, out output) bool {
	return out.err == "" && slices.Equal(out.rows, s.rows) && out.count == m.count(s) &&
		(out.revision == 0 || out.revision == s.revision) &&
		(out.id == 0 || out.id == s.last+1)
}

// matchesSince reports whether out has the changes after a revision.
func (m *collectionModel) matchesSince(s state, revision uint64, out output) bool {
	var want []change
	total := 0
	for l := s.log; l != nil && l.revision > revision; l = l.previous {
		want = append(slices.Clone(l.changes), want...)
		total += len(l.changes) + l.extra
	}
	if total > m.history {
		return out.err == trimmed
	}
	return out.err == "" && out.revision == s.revision && slices.Equal(out.changes, want)
}
