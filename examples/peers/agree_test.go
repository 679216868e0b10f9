package main

import (
	gocmp "cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// TestStoresAgree compares the answers of the stores with sorted slices of records: after
// loading, and after inserts, updates, a batch, and deletes.
func TestStoresAgree(t *testing.T) {
	for _, n := range []int{3, 21, 1500} {
		events := newEvents(n)
		compareStores(t, constructors(), events)
		compareStores(t, []constructor[plainEvent]{newBacklist[plainEvent], newTree[plainEvent]}, plainEvents(events))
	}
}

// TestEnvelopes compares the JSON of pages with that of encoding/json.
func TestEnvelopes(t *testing.T) {
	d := newEvents(50)
	sorted := newModel(d).sorted(byNameDown)
	for _, s := range filled(d, constructors()) {
		for _, offset := range []int{0, 16, 40, 50} {
			start, end := bounds(offset, len(sorted))
			want := encodedPage(byNameDown, offset, len(sorted), sorted[start:end])
			got := envelope(nil, s, new(page[event]), byNameDown, offset)
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s: page at offset %d (-want +got):\n%s", s.name(), offset, diff)
			}
		}
		s.close()
	}
}

// encodedPage returns an envelope as encoding/json makes it.
func encodedPage[T any](o order, offset, count int, results []T) []byte {
	next, previous := neighbours(offset, count)
	link := func(to pagination.Place) *string {
		text := pagination.Link(address, pagination.Limits{}, o.query(), to)
		if text == "" {
			return nil
		}
		return &text
	}
	return marshal(struct {
		Count    int     `json:"count"`
		Next     *string `json:"next"`
		Previous *string `json:"previous"`
		Results  []T     `json:"results"`
	}{count, link(next), link(previous), results})
}

func compareStores[T any](t *testing.T, list []constructor[T], d *data[T]) {
	t.Helper()
	half := len(d.moved) / 2
	for _, s := range filled(d, list) {
		want := newModel(d)
		want.compare(t, "as loaded", s)
		for i := range d.fresh {
			s.put(d.fresh[i:i+1], true)
			want.put(d.fresh[i])
		}
		want.compare(t, "after inserts", s)
		for i := range half {
			s.put(d.moved[i:i+1], false)
		}
		want.put(d.moved[:half]...)
		want.compare(t, "after updates", s)
		s.put(d.moved[half:], false)
		want.put(d.moved[half:]...)
		want.compare(t, "after a batch", s)
		for _, r := range d.fresh {
			s.delete(d.kind.idOf(&r))
			delete(want.byID, d.kind.idOf(&r))
		}
		want.compare(t, "after deletes", s)
		s.close()
	}
}

// model has the records that a store should have.
type model[T any] struct {
	kind *kind[T]
	byID map[int]T
}

func newModel[T any](d *data[T]) *model[T] {
	m := &model[T]{d.kind, map[int]T{}}
	m.put(d.records...)
	return m
}

func (m *model[T]) put(records ...item[T]) {
	for _, r := range records {
		m.byID[m.kind.idOf(&r)] = r.value
	}
}

func (m *model[T]) sorted(o order) []T {
	compare, id := m.kind.orders[o.index()].compare, m.kind.id
	all := slices.SortedFunc(maps.Values(m.byID), func(a, b T) int {
		return gocmp.Or(compare(&a, &b), *id(&a)-*id(&b))
	})
	if o == byNameDown {
		slices.Reverse(all)
	}
	return all
}

// compare compares pages near both ends, past the end and in the middle, and records by id.
func (m *model[T]) compare(t *testing.T, step string, s store[T]) {
	t.Helper()
	n := len(m.byID)
	for o := range order(orders) {
		sorted := m.sorted(o)
		for _, offset := range []int{0, 1, pageSize - 1, pageSize, n / 3, n / 2, max(n-pageSize, 0), n - 1, n, n + 1} {
			start, end := bounds(offset, n)
			want := sorted[start:end]
			p := new(page[T])
			count := s.view(p, o, offset)
			ids := each(want, func(r T) int { return *m.kind.id(&r) })
			if got := p.ids(m.kind); !slices.Equal(ids, got) || count != n {
				t.Fatalf("%s %s: page at offset %d by %s: ids %v of %d, want %v of %d", s.name(), step, offset, o, got, count, ids, n)
			}
			got, count := copies(s, m.kind, p, o, offset)
			if diff := cmp.Diff(texts(want), texts(got)); diff != "" || count != n {
				t.Fatalf("%s %s: copies at offset %d by %s, %d of %d (-want +got):\n%s", s.name(), step, offset, o, count, n, diff)
			}
		}
	}
	for _, id := range []int{0, 1, n / 2, n, n + 1, n + 2*batchSize} {
		want, stored := m.byID[id]
		got, ok := s.get(id)
		if diff := cmp.Diff(texts([]T{want}), texts([]T{got})); ok != stored || ok && diff != "" {
			t.Fatalf("%s %s: id %d, found %t, want %t (-want +got):\n%s", s.name(), step, id, ok, stored, diff)
		}
	}
}

func texts[T any](records []T) []string {
	return each(records, func(r T) string { return string(marshal(r)) })
}

func (p *page[T]) ids(k *kind[T]) (ids []int) {
	for i := range p.view.Len() {
		ids = append(ids, *k.id(p.view.At(i)))
	}
	for _, r := range p.items {
		ids = append(ids, k.idOf(r))
	}
	for _, t := range p.texts {
		ids = append(ids, t.id)
	}
	return ids
}

// TestRecordSize checks the size of 600 to 1,000 bytes in the package documentation.
func TestRecordSize(t *testing.T) {
	for _, r := range newEvents(1000).records {
		if len(r.json) < 600 || len(r.json) > 1000 {
			t.Fatalf("%d bytes: %s", len(r.json), r.json)
		}
	}
}

// TestFindersAgree compares the answers of the finders with filtered and sorted books: as
// loaded, and after updates.
func TestFindersAgree(t *testing.T) {
	for _, n := range []int{1, 50, 1100} {
		s := newShelf(n)
		for _, f := range newFinders() {
			f.load(s.records)
			books := each(s.records, func(r item[book]) book { return r.value })
			compareFinder(t, "as loaded", f, s, books)
			for i, r := range s.moved {
				f.put(s.moved[i:i+1], false)
				books[r.value.ID-1] = r.value
			}
			compareFinder(t, "after updates", f, s, books)
			f.close()
		}
	}
}

func compareFinder(t *testing.T, step string, f finder, s *shelf, books []book) {
	t.Helper()
	wanted := map[string]book{"": {}, "a": {}, "zzz": {}, books[0].Slug + "0": {}}
	for i := 0; i < len(books); i += 1 + len(books)/100 {
		wanted[books[i].Slug] = books[i]
	}
	for slug, want := range wanted {
		if got, ok := f.lookup(slug); got != want || ok != (want.ID != 0) {
			t.Errorf("%s %s: slug %q: %v, found %t, want %v", f.name(), step, slug, got, ok, want)
		}
		if id := f.peek(slug); id != want.ID {
			t.Errorf("%s %s: slug %q in place: id %d, want %d", f.name(), step, slug, id, want.ID)
		}
	}
	byDay, byName := slices.Clone(books), slices.Clone(books)
	slices.SortFunc(byDay, func(a, b book) int { return gocmp.Or(a.Start-b.Start, a.ID-b.ID) })
	slices.SortFunc(byName, func(a, b book) int { return gocmp.Or(strings.Compare(a.Name, b.Name), a.ID-b.ID) })
	last, first := byDay[len(byDay)-1].Start, byName[0].Name
	queries := []query{
		{}, {to: last}, {to: last + 1}, {from: last, to: last + 10}, {from: last + 1, to: last + 2}, {from: last / 3, to: last/3 + 2},
		{prefix: first}, {prefix: first[:1]}, {prefix: first[:len(first)-3]}, {prefix: byName[len(books)-1].Name},
		{prefix: "Reading Talk"}, {prefix: "Rea"}, {prefix: "A"}, {prefix: "zz"},
	}
	for _, q := range slices.Concat(queries, s.ranges[:8], s.available[:8]) {
		list := byDay
		if q.prefix != "" {
			list = byName
		}
		var want []book
		for _, b := range list {
			if q.prefix != "" && strings.HasPrefix(b.Name, q.prefix) ||
				q.prefix == "" && q.from <= b.Start && b.Start < q.to && (b.Available || !q.available) {
				want = append(want, b)
			}
		}
		if n := f.count(&q); n != len(want) {
			t.Errorf("%s %s: %v: counted %d, want %d", f.name(), step, &q, n, len(want))
		}
		for _, offset := range []int{0, 1, s.depth(), max(len(want)-pageSize, 0), len(want), len(want) + 1} {
			start, end := bounds(offset, len(want))
			var p page[book]
			count := f.view(&p, &q, offset)
			copies, copied := f.copies(&q, offset)
			ids := each(want[start:end], func(b book) int { return b.ID })
			if got := p.ids(s.kind); !slices.Equal(ids, got) || count != len(want) {
				t.Errorf("%s %s: %v at %d: ids %v of %d, want %v of %d", f.name(), step, &q, offset, got, count, ids, len(want))
			}
			if !slices.Equal(want[start:end], copies) || copied != len(want) {
				t.Errorf("%s %s: %v at %d: %v of %d, want %v", f.name(), step, &q, offset, copies, copied, want[start:end])
			}
		}
	}
}

// TestShelf checks what the rows say of the books.
func TestShelf(t *testing.T) {
	const n = 10_000
	s := newShelf(n)
	slugs, days, names := map[string]bool{}, map[int]int{}, 0
	for _, r := range s.records {
		slugs[r.value.Slug] = true
		days[r.value.Start]++
		if strings.HasPrefix(r.value.Name, s.prefixes[0].prefix) {
			names++
		}
	}
	if diff := cmp.Diff(n, len(slugs)); diff != "" {
		t.Errorf("slugs that differ: %s", diff)
	}
	for day, books := range days {
		if books != booksADay {
			t.Fatalf("day %d has %d books, want %d", day, books, booksADay)
		}
	}
	for _, q := range s.ranges {
		if books := (q.to - q.from) * booksADay; q.from < 0 || q.to > len(days) || books != n/2 {
			t.Fatalf("days from %d to %d of %d have %d books, want %d", q.from, q.to, len(days), books, n/2)
		}
	}
	if names < n/200 || names > n/50 {
		t.Errorf("%d of %d names begin with %q, want about a hundredth", names, n, s.prefixes[0].prefix)
	}
}
