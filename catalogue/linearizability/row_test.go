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

// A row is a record as the model sees it: an id and six numbers. A codec
// translates it into a record whose fields sort as the numbers do.
type row struct {
	ID int
	F  [fields]int
}

const (
	fields   = 6
	optional = 5             // the field that can be absent
	absent   = math.MaxInt   // the value of an absent field: null is the largest
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

// describe formats terms as a query would.
func describe(by []term) string {
	var texts []string
	for _, t := range by {
		texts = append(texts, t.String())
	}
	return strings.Join(texts, ",")
}

// compareRows compares by the terms. Ties break by id, in the direction of the
// leading term.
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

// find returns the place of an id in rows that are sorted by id.
func find(rows []row, id int) (int, bool) {
	return slices.BinarySearchFunc(rows, id, func(r row, id int) int { return cmp.Compare(r.ID, id) })
}

// put returns a copy of rows with r in the place of its id.
func put(rows []row, r row) []row {
	i, found := find(rows, r.ID)
	rows = slices.Clone(rows)
	if found {
		rows[i] = r
		return rows
	}
	return slices.Insert(rows, i, r)
}

// without returns a copy of rows without an id.
func without(rows []row, id int) []row {
	i, found := find(rows, id)
	if !found {
		return rows
	}
	return slices.Delete(slices.Clone(rows), i, i+1)
}

// A base is the large constant part of a collection: records that no operation
// writes to, but for loads, which write the same again.
type base struct {
	rows []row // by id

	mu     sync.Mutex
	sorted map[string][]row // by the text of the terms
}

// order returns the base sorted by the terms.
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

// rank returns how many records of the base are before r.
func (b *base) rank(r row, by []term) int {
	rows := b.order(by)
	return sort.Search(len(rows), func(i int) bool { return compareRows(rows[i], r, by) > 0 })
}

// page returns a window of the base and rows together.
func (b *base) page(rows []row, offset, limit int, by []term) []row {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(x, y row) int { return compareRows(x, y, by) })
	ordered := b.order(by)
	places := make([]int, len(rows)) // of rows among all
	for i, r := range rows {
		places[i] = i + b.rank(r, by)
	}
	count := len(rows) + len(ordered)
	start := min(max(offset, 0), count)
	end := start + min(max(limit, 0), count-start)
	page := make([]row, 0, end-start)
	for at := start; at < end; at++ {
		if i, found := slices.BinarySearch(places, at); found {
			page = append(page, rows[i])
		} else {
			page = append(page, ordered[at-i])
		}
	}
	return page
}

// rest returns the rows that are not of the base, by id. It is an error if all
// are not in the order of the terms or a record of the base is missing.
func (b *base) rest(all []row, by []term) ([]row, error) {
	rest, found := []row{}, 0
	for i, r := range all {
		if i > 0 && compareRows(all[i-1], r, by) >= 0 {
			return nil, fmt.Errorf("by %s: %v before %v", describe(by), all[i-1], r)
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
