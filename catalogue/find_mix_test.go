package catalogue_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A findMix counts the queries of a run by kind, so that a run of trivial ones does not
// pass.
type findMix map[string]int

// query counts a query that selects n of all records.
func (m findMix) query(q findQuery, n, all int) {
	m[fmt.Sprintf("with %d conditions", len(q.where))]++
	m[fmt.Sprintf("with %d terms", min(len(q.terms), 3))]++
	for i, c := range q.where {
		if slices.ContainsFunc(q.where[:i], func(d findCondition) bool { return c.Field() == d.Field() }) {
			m["with several conditions on a field"]++
			break
		}
	}
	switch {
	case n == 0:
		m["selecting none"]++
	case n < all:
		m["selecting some"]++
	default:
		m["selecting all"]++
	}
}

// explained counts a query by the way in which it is answered.
func (m findMix) explained(q findQuery, text string) {
	way := "by all records"
	if strings.HasPrefix(text, "range of ") {
		way = "by a range"
	}
	if strings.Contains(text, ", filtered by ") {
		way += ", filtered"
	}
	if strings.HasSuffix(text, ", then sorted") {
		way += ", sorted"
	} else {
		way += ", in order"
	}
	m[way]++
}

// findKinds are the kinds of queries of which a run must have many.
var findKinds = []string{
	"of a collection", "of a snapshot", "of a batch", "of an older selection", "with an error",
	"selecting none", "selecting some", "selecting all", "with several conditions on a field",
	"with 0 conditions", "with 1 conditions", "with 2 conditions", "with 3 conditions", "with 4 conditions",
	"with 0 terms", "with 1 terms", "with 2 terms", "with 3 terms",
	"by a range, in order", "by a range, filtered, in order", "by a range, sorted", "by a range, filtered, sorted",
	"by all records, in order", "by all records, filtered, in order",
}

// check returns an error if a kind of query is rare.
func (m findMix) check() error {
	for _, kind := range findKinds {
		if m[kind] < m["in all"]/100 {
			return fmt.Errorf("only %d of %d queries are %s", m[kind], m["in all"], kind)
		}
	}
	return nil
}

func (m findMix) String() string {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "\n%9d %s", m[kind], kind)
	}
	return b.String()
}
