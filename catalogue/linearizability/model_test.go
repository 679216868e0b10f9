package linearizability_test

import (
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"
	"github.com/gobacklist/backlist/catalogue"
)

// A model is the sequential specification of one or two collections. It knows
// nothing of trees, indexes or snapshots.
type model struct {
	of []traits // of each collection
}

// Traits are what the model knows of a collection besides its state.
type traits struct {
	base     *base
	standard []term // default order
	open     bool   // a field that no record has is unknown
	lenient  bool   // a page by unknown fields drops them, as over HTTP
	history  int    // changes kept, 0 if none
}

// A state is what a collection holds. It is never changed.
type state struct {
	rows     []row // without the base, by id
	last     int   // highest id ever used
	used     int   // highest id used since the last load, which is saved
	revision uint64
	log      *logged // of this round, nil if it has no writes
}

// A logged is one revision in a list of them.
type logged struct {
	before   *logged
	revision uint64
	changes  []change
	extra    int // changes of records of the base
	hash     uint64
}

// States are the states of all collections. The second may not be in use.
type states [2]state

// porcupine returns the model beginning with a state.
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

func (l *logged) equal(other *logged) bool {
	for ; l != other; l, other = l.before, other.before {
		if l == nil || other == nil || l.hash != other.hash || l.extra != other.extra || !slices.Equal(l.changes, other.changes) {
			return false
		}
	}
	return true
}

// and returns the list with one revision more.
func (l *logged) and(next *logged) *logged {
	next.before, next.hash = l, l.sum()*31+uint64(next.extra)
	for _, ch := range next.changes {
		next.hash = (next.hash*31+uint64(ch.kind))*31 + ch.row.hash()
	}
	return next
}

func (l *logged) sum() uint64 {
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
		h = (((h*31+uint64(s.last))*31+uint64(s.used))*31+s.revision)*31 + s.log.sum()
		for _, r := range s.rows {
			h = h*31 + r.hash()
		}
	}
	return h
}

// step reports whether an operation can return out in a state, and the state
// after it.
func (m *model) step(w states, in input, out output) (bool, states) {
	if in.kind == save || in.kind == clone {
		copies := w
		for i, one := range out.all {
			if in.kind == save {
				copies[i].last = w[i].used
			}
			if !m.of[i].copied(copies[i], one) {
				return false, w
			}
		}
		return len(out.all) == len(m.of), w
	}
	t := &m.of[in.which]
	ok, next := t.step(w[in.which], in, out)
	w[in.which] = next
	return ok, w
}

func (t *traits) step(s state, in input, out output) (bool, state) {
	switch in.kind {
	case insert, upsert, modify, remove:
		ok, next, changed := s.write(in, out)
		if ok && changed != nil {
			next = t.commit(next, []change{*changed}, 0)
		}
		return ok, next
	case update:
		return t.update(s, in, out)
	case load:
		return t.load(s, in, out)
	case get:
		return t.got(s, in.id, out), s
	case count:
		return out.err == "" && out.count == t.count(s), s
	case page, burst:
		return t.paged(s, in, out, t.lenient), s
	case reread:
		return t.paged(in.held.state, in, out, false), s
	case snapshot:
		return t.copied(s, out), s
	case iterate:
		return t.iterated(s, in, out), s
	case since:
		return t.told(s, in.revision, out), s
	}
	return false, s
}

func (t *traits) count(s state) int { return len(s.rows) + len(t.base.rows) }

// write makes one of the four writes without a revision. The change is nil if it
// fails as it should.
func (s state) write(in input, out output) (ok bool, next state, changed *change) {
	id := in.id
	if in.kind == insert || in.kind == upsert {
		id = in.row.ID
	}
	at, found := find(s.rows, id)
	switch {
	case in.kind == insert && found:
		return out.err == exists, s, nil
	case (in.kind == modify || in.kind == remove) && !found:
		return out.err == notFound, s, nil
	case out.err != "":
		return false, s, nil
	}
	ch := change{kind: catalogue.Updated, row: in.row}
	switch in.kind {
	case insert, upsert:
		if !found {
			ch.kind = catalogue.Inserted
		}
		if id == 0 {
			ch.row.ID = s.last + 1
		}
		if out.id != ch.row.ID {
			return false, s, nil
		}
	case modify:
		if out.row != s.rows[at] {
			return false, s, nil
		}
		ch.row = incremented(out.row, in.field)
	case remove:
		ch = change{kind: catalogue.Deleted, row: row{ID: id}}
		s.rows = without(s.rows, id)
		return true, s, &ch
	}
	s.rows = put(s.rows, ch.row)
	s.last, s.used = max(s.last, ch.row.ID), max(s.used, ch.row.ID)
	return true, s, &ch
}

// incremented is what modify makes of a record.
func incremented(r row, field int) row {
	if r.F[field] == absent {
		r.F[field] = -1
	}
	r.F[field] = (r.F[field] + 1) % values
	return r
}

// commit makes a revision of changes that are sorted by id. None make none.
func (t *traits) commit(s state, changes []change, extra int) state {
	if len(changes)+extra == 0 {
		return s
	}
	s.revision++
	if t.history > 0 {
		for i := range changes {
			changes[i].revision, changes[i].last = s.revision, i == len(changes)-1
		}
		s.log = s.log.and(&logged{revision: s.revision, changes: changes, extra: extra})
	}
	return s
}

// update is a batch: all of it or, if it is aborted, nothing.
func (t *traits) update(s state, in input, out output) (bool, state) {
	if len(out.batch) != len(in.batch) {
		return false, s
	}
	next, written := s, map[int]bool{}
	for i, step := range in.batch {
		var ok bool
		if ok, next = t.inBatch(next, step, out.batch[i], written); !ok {
			return false, s
		}
	}
	if in.abort {
		return out.err == aborted, s
	}
	return out.err == "", t.commit(next, difference(s.rows, next.rows, written), 0)
}

func (t *traits) inBatch(s state, in input, out output, written map[int]bool) (bool, state) {
	switch in.kind {
	case get:
		return t.got(s, in.id, out), s
	case count:
		return out.count == t.count(s), s
	}
	ok, next, changed := s.write(in, out)
	if changed != nil {
		written[changed.row.ID] = true
	}
	return ok, next
}

// difference lists what became of the ids that were written to, by id.
func difference(before, after []row, written map[int]bool) []change {
	var changes []change
	for id := range written {
		_, was := find(before, id)
		at, is := find(after, id)
		switch {
		case was && is:
			changes = append(changes, change{kind: catalogue.Updated, row: after[at]})
		case is:
			changes = append(changes, change{kind: catalogue.Inserted, row: after[at]})
		case was:
			changes = append(changes, change{kind: catalogue.Deleted, row: row{ID: id}})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return a.row.ID - b.row.ID })
	return changes
}

// load replaces all records.
func (t *traits) load(s state, in input, out output) (bool, state) {
	written := map[int]bool{}
	for _, r := range s.rows {
		written[r.ID] = true
	}
	next := s
	next.rows, next.used = in.rows, len(t.base.rows)
	for _, r := range in.rows {
		written[r.ID] = true
		next.last, next.used = max(next.last, r.ID), max(next.used, r.ID)
	}
	return out.err == "", t.commit(next, difference(s.rows, in.rows, written), len(t.base.rows))
}

// got reports whether out is the record of an id.
func (t *traits) got(s state, id int, out output) bool {
	for _, rows := range [][]row{s.rows, t.base.rows} {
		if i, found := find(rows, id); found {
			return out.err == "" && out.row == rows[i]
		}
	}
	return out.err == notFound
}

// paged reports whether out is the page that in asks for.
func (t *traits) paged(s state, in input, out output, lenient bool) bool {
	by, ok := t.resolve(s.rows, in.by, lenient)
	if !ok {
		return out.err == unknownField
	}
	return out.err == "" && out.count == t.count(s) && slices.Equal(out.rows, t.base.page(s.rows, in.offset, in.limit, by))
}

// iterated reports whether out has the records of a state by the terms.
func (t *traits) iterated(s state, in input, out output) bool {
	if _, ok := t.resolve(s.rows, in.by, false); !ok {
		return out.err == unknownField
	}
	return out.err == "" && slices.Equal(out.rows, s.rows)
}

// resolve returns the terms that count in a state, and false if one of them is
// unknown, unless unknown terms are dropped.
func (t *traits) resolve(rows []row, by []term, lenient bool) ([]term, bool) {
	known := slices.DeleteFunc(slices.Clone(by), func(x term) bool { return !t.has(rows, x) })
	switch {
	case len(known) < len(by) && !lenient:
		return nil, false
	case len(known) > 0:
		return known, true
	case slices.ContainsFunc(t.standard, func(x term) bool { return !t.has(rows, x) }):
		return nil, true // by id
	}
	return t.standard, true
}

// has reports whether a term names a field.
func (t *traits) has(rows []row, x term) bool {
	present := func(r row) bool { return r.F[x.field] != absent }
	return !t.open || x.field == byID || slices.ContainsFunc(rows, present) || slices.ContainsFunc(t.base.rows, present)
}

// copied reports whether out has all records of a state, and of a snapshot or a
// clone its revision; of a clone the next id and its history as well.
func (t *traits) copied(s state, out output) bool {
	return out.err == "" && slices.Equal(out.rows, s.rows) && out.count == t.count(s) &&
		(out.revision == 0 || out.revision == s.revision) &&
		(out.id == 0 || out.id == s.last+1)
}

// told reports whether out is what happened after a revision.
func (t *traits) told(s state, revision uint64, out output) bool {
	var want []change
	total := 0
	for l := s.log; l != nil && l.revision > revision; l = l.before {
		want = append(slices.Clone(l.changes), want...)
		total += len(l.changes) + l.extra
	}
	if total > t.history {
		return out.err == forgotten
	}
	return out.err == "" && out.revision == s.revision && slices.Equal(out.changes, want)
}
