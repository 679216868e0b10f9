package linearizability_test

import "slices"

// A record has one of uniqueValues values in a unique field unless it is in the base,
// which has those from baseValue, or was inserted at the end of a round or in a copy,
// which have those from freshValue. There are more than in other fields, so that not
// every write fails.
const (
	uniqueValues = 20
	baseValue    = 1000
	freshValue   = 10_000
)

// valuesOf returns the number of values of a field.
func (m *collectionModel) valuesOf(field int) int {
	if slices.Contains(m.unique, field) {
		return uniqueValues
	}
	return values
}

// fresh returns a row with values in its unique fields that depend on n.
func (m *collectionModel) fresh(r row, n int) row {
	for _, field := range m.unique {
		r.F[field] = freshValue + n
	}
	return r
}

// duplicate reports whether two of the rows, or one of them and one of the base, have
// the same value of a unique field.
func (m *collectionModel) duplicate(rows []row) bool {
	for _, field := range m.unique {
		seen := map[int]bool{}
		for _, r := range rows {
			n := r.F[field]
			if n == absent {
				continue
			}
			if seen[n] || m.base.has(field, n) {
				return true
			}
			seen[n] = true
		}
	}
	return false
}

// has reports whether a row of the base has a value.
func (b *base) has(field, n int) bool {
	if len(b.rows) == 0 {
		return false
	}
	_, found := slices.BinarySearchFunc(b.order([]term{{field: field}}), n, func(r row, n int) int { return r.F[field] - n })
	return found
}

// exchange returns the steps of a batch after which two records have exchanged their
// values of the unique fields, if there are such fields and two records. Neither is the
// last record of an earlier round, because a follower ends at the insertion of such a
// record.
func (p *planner) exchange(which int) (steps []input) {
	rows := slices.DeleteFunc(slices.Clone(p.from[which].rows), func(r row) bool { return r.F[0] == sentinel })
	if len(rows) < 2 || len(p.collections[which].unique) == 0 {
		return nil
	}
	order := p.rng.Perm(len(rows))
	a, b := rows[order[0]], rows[order[1]]
	for _, field := range p.collections[which].unique {
		a.F[field], b.F[field] = b.F[field], a.F[field]
	}
	return []input{{kind: upsert, which: which, row: a}, {kind: upsert, which: which, row: b}}
}
