package linearizability_test

import (
	"math/rand/v2"
	"slices"
)

// values is the number of values of a field. It is small, so that orderings have
// ties.
const values = 6

// A mix holds the relative frequency of each kind of operation.
type mix [kinds]int

// with returns the mix with other frequencies for some kinds.
func (m mix) with(weights map[kind]int) mix {
	for k, weight := range weights {
		m[k] = weight
	}
	return m
}

// pick returns a random kind.
func (m mix) pick(rng *rand.Rand) kind {
	total := 0
	for _, weight := range m {
		total += weight
	}
	n := rng.IntN(total)
	for k, weight := range m {
		if n -= weight; n < 0 {
			return kind(k)
		}
	}
	panic("unreachable")
}

// A planner chooses the operations of one round.
type planner struct {
	*workload
	rng     *rand.Rand
	from    states
	mix     mix
	earlier []heldSnapshot // snapshots of collection 0
	popular []input        // pages that are read often
}

func newPlanner(rng *rand.Rand, w *workload, from states, earlier []heldSnapshot) *planner {
	p := &planner{workload: w, rng: rng, from: from, mix: w.mix, earlier: earlier}
	if len(from[0].rows) > 14 {
		p.mix[remove] = 4*p.mix[remove] + 4
	}
	if len(earlier) == 0 {
		p.mix[reread] = 0
	}
	for range 3 {
		p.popular = append(p.popular, p.window(page, rng.IntN(len(p.collections))))
	}
	return p
}

// next returns a random operation.
func (p *planner) next() input {
	which := p.rng.IntN(len(p.collections))
	in := input{kind: p.mix.pick(p.rng), which: which, style: p.rng.IntN(6)}
	switch in.kind {
	case page, burst:
		if p.rng.IntN(2) == 0 {
			popular := p.popular[p.rng.IntN(len(p.popular))]
			popular.kind, popular.style = in.kind, in.style
			return popular
		}
		return p.window(in.kind, which)
	case reread:
		in = p.window(reread, 0)
		in.held = &p.earlier[p.rng.IntN(len(p.earlier))]
	case iterate, snapshot, save, clone:
		in.by = p.terms(p.rng.IntN(4))
		if in.kind == snapshot {
			in.steps = []input{p.anySelection(which), p.anySelection(which)}
		}
	case selectPage, selectCount, selectFirst, position:
		in = p.selection(in.kind, which)
		in.often = p.rng.IntN(4) == 0
		if which == 0 && len(p.earlier) > 0 && p.rng.IntN(6) == 0 {
			in.held = &p.earlier[p.rng.IntN(len(p.earlier))]
		}
	case batch:
		in.steps = p.steps(which)
		in.abort = p.rng.IntN(6) == 0 && !p.noAborts
	case load:
		for id := range p.rng.IntN(6) + 1 {
			in.rows = append(in.rows, p.row(which, p.first(which)+2*id))
		}
	default:
		return p.write(in)
	}
	return in
}

// first returns the lowest id that no record of the base has.
func (p *planner) first(which int) int { return len(p.collections[which].base.rows) + 1 }

// write completes an operation on one record.
func (p *planner) write(in input) input {
	in.id = p.id(in.which)
	in.field = p.rng.IntN(fields)
	if p.required && in.field == optional {
		in.field = 0
	}
	in.row = p.row(in.which, in.id)
	if in.kind == insert && p.rng.IntN(3) > 0 {
		in.row.ID = 0
	}
	return in
}

// id returns the id of a record that exists or may be inserted in this round.
func (p *planner) id(which int) int {
	s := p.from[which]
	if n := len(s.rows); n > 0 && p.rng.IntN(3) > 0 {
		return s.rows[p.rng.IntN(n)].ID
	}
	return s.last + 1 + p.rng.IntN(6)
}

// row returns a random record.
func (p *planner) row(which, id int) row {
	r := row{ID: id}
	for i := range r.F {
		r.F[i] = p.value(which, i)
	}
	if !p.required && p.rng.IntN(2) == 0 {
		r.F[optional] = absent
	}
	return r
}

// value returns a random value of a field.
func (p *planner) value(which, field int) int {
	t := &p.collections[which]
	if slices.Contains(t.unique, field) && len(t.base.rows) > 0 && p.rng.IntN(8) == 0 {
		return t.base.rows[p.rng.IntN(len(t.base.rows))].F[field]
	}
	return p.rng.IntN(t.valuesOf(field))
}

// terms returns a random ordering by n fields, sometimes followed by the id.
func (p *planner) terms(n int) []term {
	var by []term
	for _, field := range p.rng.Perm(fields)[:n] {
		by = append(by, term{field, p.rng.IntN(2) == 0})
	}
	if p.rng.IntN(8) == 0 {
		by = append(by, term{byID, p.rng.IntN(2) == 0})
	}
	return by
}

// window returns a random page, often one with a record that operations may write.
func (p *planner) window(k kind, which int) input {
	in := input{kind: k, which: which, by: p.terms(p.rng.IntN(4)), limit: 1 + p.rng.IntN(10), style: p.rng.IntN(6)}
	t, rows := p.collections[which], p.from[which].rows
	all := len(rows) + len(t.base.rows)
	if len(rows) > 0 && p.rng.IntN(4) > 0 {
		if by, ok := t.resolve(rows, in.by, true); ok {
			in.offset = max(0, t.base.rank(rows[p.rng.IntN(len(rows))], by)-p.rng.IntN(in.limit))
			return in
		}
	}
	in.offset = p.rng.IntN(all + 3)
	return in
}

// steps returns the steps of a batch. The first of them always makes a change.
func (p *planner) steps(which int) []input {
	if p.noChanges {
		return p.unchangingBatch(which)
	}
	if steps := p.exchange(which); len(steps) > 0 && p.rng.IntN(3) == 0 {
		return steps
	}
	first := p.write(input{kind: upsert, which: which})
	steps := []input{first}
	n := 1 + p.rng.IntN(4)
	if p.rng.IntN(4) == 0 {
		n = 12 // more than the engine writes one by one
	}
	for range n {
		if p.rng.IntN(4) == 0 {
			steps = append(steps, p.anySelection(which))
			continue
		}
		kinds := []kind{insert, upsert, upsert, update, update, remove, get, count}
		step := p.write(input{kind: kinds[p.rng.IntN(len(kinds))], which: which})
		if step.kind != remove || step.id != first.row.ID {
			steps = append(steps, step)
		}
	}
	return steps
}

// unchangingBatch returns the steps of a batch that changes nothing.
func (p *planner) unchangingBatch(which int) []input {
	in := p.write(input{kind: insert, which: which})
	in.row.ID = p.from[which].last + 1000 + p.rng.IntN(1000)
	deletion := input{kind: remove, which: which, id: in.row.ID}
	read := p.anySelection(which)
	return [][]input{{}, {{kind: count, which: which}}, {read}, {deletion}, {in, read, deletion}}[p.rng.IntN(5)]
}

// plans returns the operations of each client.
func (p *planner) plans(clients, each int) [][]input {
	plans := make([][]input, clients)
	for i := range plans {
		for range each {
			plans[i] = append(plans[i], p.next())
		}
	}
	return plans
}
