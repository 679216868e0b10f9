package linearizability_test

import (
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
)

// A selector is a collection, a snapshot or a batch.
type selector interface {
	where(conditions []condition) selection
}

// A selection is a catalogue.Selection whose records are rows.
type selection interface {
	page(in input) reading
	count() (int, error)
	first(by []term) reading
	position(id int, by []term) (int, error)
}

func (c *records[T]) where(conditions []condition) selection {
	return selected[T]{c.codec, c.c.Where(c.conditions(conditions)...)}
}

func (s snapshotRecords[T]) where(conditions []condition) selection {
	return selected[T]{s.codec, s.s.Where(s.conditions(conditions)...)}
}

func (t transaction[T]) where(conditions []condition) selection {
	return selected[T]{t.codec, t.tx.Where(t.conditions(conditions)...)}
}

// selected implements selection with records of type T.
type selected[T any] struct {
	*codec[T]
	s catalogue.Selection[T]
}

func (s selected[T]) count() (int, error)     { return s.s.Count() }
func (s selected[T]) first(by []term) reading { return s.read(s.s.First(s.terms(by)...)) }

func (s selected[T]) position(id int, by []term) (int, error) {
	return s.s.Position(id, s.terms(by)...)
}

// page reads a page, or the same part of an iterator.
func (s selected[T]) page(in input) reading {
	if in.style%3 < 2 {
		return s.codec.page(s.s, in)
	}
	r := s.iterate(s.s, in.by)
	return reading{err: r.err, deferred: func() reading {
		if r.err != nil {
			return r
		}
		all, err := r.rows()
		start, end := pagination.Window{Limit: in.limit, Offset: in.offset}.Bounds(len(all))
		return reading{count: len(all), err: err, rows: func() ([]row, error) { return all[start:end], nil }}
	}}
}

// callSelection performs an operation with conditions.
func callSelection(from selector, in input, out *output) (finish func()) {
	s := from.where(in.where)
	var err error
	switch in.kind {
	case selectPage:
		r := s.page(in)
		return func() { out.readPage(r) }
	case selectFirst:
		r := s.first(in.by)
		return func() { out.readRow(r) }
	case selectCount:
		out.count, err = s.count()
	case position:
		out.count, err = s.position(in.id, in.by)
	}
	out.fail(err)
	return nil
}

// matchesSelection reports whether out is what in selects.
func (m *collectionModel) matchesSelection(s state, in input, out output) bool {
	by, ok := m.resolve(s.rows, in.by, false)
	unknown := func(c condition) bool { return !m.has(s.rows, term{field: c.field}) }
	if !ok || m.count(s) > 0 && slices.ContainsFunc(in.where, unknown) {
		return out.err == unknownField
	}
	base, rows := m.base.where(in.where), filter(s.rows, in.where)
	count := len(base.rows) + len(rows)
	switch in.kind {
	case selectPage:
		return out.err == "" && out.count == count && slices.Equal(out.rows, base.page(rows, in.offset, in.limit, by))
	case selectCount:
		return out.err == "" && out.count == count
	case selectFirst:
		if count == 0 {
			return out.err == notFound
		}
		return out.err == "" && out.row == base.page(rows, 0, 1, by)[0]
	case position:
		for _, all := range [][]row{rows, base.rows} {
			if i, found := find(all, in.id); found {
				before := base.rank(all[i], by)
				for _, r := range rows {
					if compareRows(r, all[i], by) < 0 {
						before++
					}
				}
				return out.err == "" && out.count == before
			}
		}
		return out.err == notFound
	}
	return false
}

// selection returns a random operation with conditions. Often one index has the
// records in order.
func (p *planner) selection(k kind, which int) input {
	in := input{kind: k, which: which, limit: 1 + p.rng.IntN(10), style: p.rng.IntN(6)}
	for range p.rng.IntN(5) * p.rng.IntN(2) / 2 {
		in.where = append(in.where, p.condition(which))
	}
	first := p.condition(which)
	in.where = append(in.where, first)
	switch {
	case k == selectCount:
	case p.rng.IntN(2) == 0:
		in.by = []term{{first.field, p.rng.IntN(2) == 0}}
	default:
		in.by = p.terms(p.rng.IntN(3))
	}
	in.id = p.id(which)
	t, rows := p.collections[which], p.from[which].rows
	base := t.base.where(in.where)
	in.offset = p.rng.IntN(4)
	if by, ok := t.resolve(rows, in.by, true); ok && len(rows) > 0 {
		in.offset = max(0, base.rank(rows[p.rng.IntN(len(rows))], by)+2-p.rng.IntN(in.limit+2))
	}
	if n := len(base.rows); n > 0 && p.rng.IntN(3) == 0 {
		in.id = base.rows[p.rng.IntN(n)].ID
	}
	return in
}

// anySelection returns a random operation with conditions of any kind.
func (p *planner) anySelection(which int) input {
	return p.selection([]kind{selectPage, selectCount, selectFirst, position}[p.rng.IntN(4)], which)
}

// condition returns a random condition.
func (p *planner) condition(which int) condition {
	c := condition{field: p.rng.IntN(fields+1) - 1, relation: relation(p.rng.IntN(int(prefixed)))}
	if p.rng.IntN(3) == 0 {
		c.relation = equal
	}
	if c.field != byID && p.collections[which].texts[c.field] && p.rng.IntN(8) == 0 {
		c.relation, c.prefix = prefixed, text(p.value(which, c.field))[:1+p.rng.IntN(len(text(0)))]
		return c
	}
	number := 1
	switch c.relation {
	case oneOf:
		number = p.rng.IntN(4)
	case between:
		number = 2
	case isNull, notNull:
		number = 0
	}
	for range number {
		n := p.id(which)
		if c.field != byID {
			n = p.value(which, c.field)
		}
		if n == absent {
			n = 0
		}
		c.values = append(c.values, n)
	}
	if c.relation == between {
		slices.Sort(c.values)
	}
	return c
}
