package linearizability_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
)

// A row is a record of the model: an id and six numbers. A codec converts it to a
// record whose fields sort like the numbers.
type row struct {
	ID int
	F  [fields]int
}

const (
	fields   = 6
	optional = 5             // the number of the field that may be absent
	absent   = math.MaxInt   // the value of an absent field; null sorts last
	byID     = -1            // the field number of the id in a term
	everyRow = math.MaxInt32 // the limit of a page of all records
)

// A term is an ordering term of the model.
type term struct {
	field int
	desc  bool
}

func (t term) String() string {
	name := "id"
	if t.field != byID {
		name = "abcdef"[t.field : t.field+1]
	}
	if t.desc {
		return "-" + name
	}
	return name
}

// describe formats terms as in a URL.
func describe(by []term) string {
	var texts []string
	for _, t := range by {
		texts = append(texts, t.String())
	}
	return strings.Join(texts, ",")
}

// compareRows compares rows by the terms. Ties break by id in the direction of the
// first term.
func compareRows(a, b row, by []term) int {
	desc := len(by) > 0 && by[0].desc
	for _, t := range by {
		if t.field == byID {
			desc = t.desc
			break
		}
		if c := cmp.Compare(a.F[t.field], b.F[t.field]); c != 0 {
			return directed(c, t.desc)
		}
	}
	return directed(cmp.Compare(a.ID, b.ID), desc)
}

func directed(c int, desc bool) int {
	if desc {
		return -c
	}
	return c
}

// find returns the position of an id in rows that are sorted by id and reports
// whether it is there.
func find(rows []row, id int) (int, bool) {
	return slices.BinarySearchFunc(rows, id, func(r row, id int) int { return cmp.Compare(r.ID, id) })
}

// put returns a copy of rows in which r is inserted or replaces the row with its id.
func put(rows []row, r row) []row {
	i, found := find(rows, r.ID)
	rows = slices.Clone(rows)
	if found {
		rows[i] = r
		return rows
	}
	return slices.Insert(rows, i, r)
}

// without returns rows without the row with the id.
func without(rows []row, id int) []row {
	i, found := find(rows, id)
	if !found {
		return rows
	}
	return slices.Delete(slices.Clone(rows), i, i+1)
}

// A base is the constant part of a collection. No operation changes its records; a
// load replaces them by equal ones.
type base struct {
	rows []row // sorted by id

	mu       sync.Mutex
	sorted   map[string][]row // by the terms, as describe formats them
	selected map[string]*base // by the conditions, as restrict formats them
}

// order returns the rows of the base sorted by the terms.
func (b *base) order(by []term) []row {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := describe(by)
	rows, ok := b.sorted[text]
	if !ok {
		rows = slices.Clone(b.rows)
		slices.SortFunc(rows, func(x, y row) int { return compareRows(x, y, by) })
		if b.sorted == nil {
			b.sorted = make(map[string][]row)
		}
		b.sorted[text] = rows
	}
	return rows
}

// rank returns the number of rows of the base that sort before r, which may be one of
// them.
func (b *base) rank(r row, by []term) int {
	rows := b.order(by)
	return sort.Search(len(rows), func(i int) bool { return compareRows(rows[i], r, by) >= 0 })
}

// page returns a window of the rows of the base and the given rows together.
func (b *base) page(rows []row, offset, limit int, by []term) []row {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(x, y row) int { return compareRows(x, y, by) })
	ordered := b.order(by)
	positions := make([]int, len(rows)) // of rows among all
	for i, r := range rows {
		positions[i] = i + b.rank(r, by)
	}
	count := len(rows) + len(ordered)
	start := min(max(offset, 0), count)
	end := start + min(max(limit, 0), count-start)
	page := make([]row, 0, end-start)
	for at := start; at < end; at++ {
		if i, found := slices.BinarySearch(positions, at); found {
			page = append(page, rows[i])
		} else {
			page = append(page, ordered[at-i])
		}
	}
	return page
}

// removeFrom returns the rows that are not in the base, sorted by id. It returns an
// error if all is not sorted by the terms or if a row of the base is missing.
func (b *base) removeFrom(all []row, by []term) ([]row, error) {
	rest, found := []row{}, 0
	for i, r := range all {
		if i > 0 && compareRows(all[i-1], r, by) >= 0 {
			return nil, fmt.Errorf("by %s: %v comes before %v", describe(by), all[i-1], r)
		}
		at, isBase := find(b.rows, r.ID)
		switch {
		case !isBase:
			rest = append(rest, r)
		case b.rows[at] == r:
			found++
		default:
			return nil, fmt.Errorf("constant record %v is %v", b.rows[at], r)
		}
	}
	if found != len(b.rows) {
		return nil, fmt.Errorf("%d of %d constant records", found, len(b.rows))
	}
	slices.SortFunc(rest, func(x, y row) int { return cmp.Compare(x.ID, y.ID) })
	return rest, nil
}
