package crash_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"
)

// An input is an operation. Its kind determines which fields are used.
type input struct {
	kind   kind
	id     int
	number int // of the text to store
	query  query
}

// An output is what a client knows about the result of an operation.
type output struct {
	outcome outcome
	number  int // of the text of a get
	page    page
}

// A state is the collection at an instant. It is never changed.
type state struct {
	last int   // the highest id ever used
	rows []row // sorted by id
	hash uint64
}

func newState(last int, rows []row) state {
	s := state{last: last, rows: rows, hash: uint64(last)}
	for _, r := range rows {
		s.hash += r.hash()
	}
	return s
}

func (r row) hash() uint64 {
	h := uint64(r.id)*0x9e3779b97f4a7c15 ^ uint64(r.number)*0xbf58476d1ce4e5b9
	return h ^ h>>29
}

// model returns the sequential specification of the collection, with an initial state.
func model(from state) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return from },
		Step: func(s, in, out any) (bool, any) {
			ok, next := s.(state).step(in.(input), out.(output))
			return ok, next
		},
		Equal: func(a, b any) bool {
			x, y := a.(state), b.(state)
			return x.hash == y.hash && x.last == y.last && slices.Equal(x.rows, y.rows)
		},
		Hash:              func(s any) uint64 { return s.(state).hash },
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
	}
}

// step reports whether an operation can have the result, and returns the state after it.
func (s state) step(in input, out output) (bool, state) {
	i, found := slices.BinarySearchFunc(s.rows, in.id, func(r row, id int) int { return cmp.Compare(r.id, id) })
	switch in.kind {
	case create:
		// The id of a create is always known: others are not in the history.
		return in.id == s.last+1, newState(in.id, append(slices.Clip(s.rows), row{in.id, in.number}))
	case patch, remove:
		if !found || out.outcome == notFound {
			return !found && out.outcome != stored, s
		}
		rows := slices.Clone(s.rows)
		if in.kind == remove {
			return true, newState(s.last, slices.Delete(rows, i, i+1))
		}
		rows[i].number = in.number
		return true, newState(s.last, rows)
	case get:
		if !found {
			return out.outcome == notFound, s
		}
		return out.outcome == stored && out.number == s.rows[i].number, s
	case list:
		return out.page.count == len(s.rows) && slices.Equal(out.page.rows, s.page(in.query)), s
	}
	return false, s
}

// page returns the rows that a query selects.
func (s state) page(q query) []row {
	rows := slices.Clone(s.rows)
	if q.descending {
		slices.Reverse(rows)
	}
	start := min(q.offset, len(rows))
	return rows[start:min(start+q.limit, len(rows))]
}
