package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStoresAgree(t *testing.T) {
	for _, n := range []int{3, 21, 1500} {
		events, books := newEvents(n), newBooks(smallKind(), n, 10)
		stores, err := filled(events, constructors(n))
		if err != nil {
			t.Errorf("%d events: %v", n, err)
		}
		closeAll(stores)
		if _, err := filled(plainEvents(events), []constructor[plain]{newBacklist[plain], newTree[plain]}); err != nil {
			t.Errorf("%d structs without Clone: %v", n, err)
		}
		if _, err := filled(books, []constructor[book]{newBacklist[book], newTree[book], newSlice[book]}); err != nil {
			t.Errorf("%d small records: %v", n, err)
		}
	}
}

// faulty is a store with one wrong method.
type faulty struct {
	store[event]
	fault string
}

func (f faulty) view(p *page[event], o order, offset int) int {
	count := f.store.view(p, o, offset)
	switch {
	case f.fault == "order" && len(p.items) > 1:
		p.items[0], p.items[1] = p.items[1], p.items[0]
	case f.fault == "copies" && len(p.items) > 0:
		changed := *p.items[0]
		changed.value.Slug = "another"
		p.items[0] = &changed
	case f.fault == "envelope" && len(p.items) > 0:
		changed := *p.items[0]
		changed.json = []byte("{}")
		p.items[0] = &changed
	case f.fault == "count":
		return count - 1
	}
	return count
}

func (f faulty) get(id int) (event, bool) {
	if f.fault == "get" {
		id = min(id, 1)
	}
	return f.store.get(id)
}

func (f faulty) put(records []item[event], fresh bool) {
	if f.fault != "update" || fresh || len(records) > 1 {
		f.store.put(records, fresh)
	}
}

func TestWrongAnswers(t *testing.T) {
	d := newEvents(50)
	for _, row := range []struct{ fault, want string }{
		{"order", "as loaded: wrong answer: slice: page at offset "},
		{"copies", "as loaded: wrong answer: slice: page at offset 16 of 50 by date: want copies "},
		{"envelope", "as loaded: wrong answer: slice: page at offset 16 of 50 by date: want envelope"},
		{"count", "as loaded: wrong answer: slice: page at offset 16 of 50 by date: want ids "},
		{"get", "as loaded: wrong answer: slice: id 25: want "},
		{"update", "after updates: wrong answer: slice: page at offset "},
	} {
		s := faulty{newSlice(d.kind), row.fault}
		s.load(d.records)
		err := agree([]store[event]{s}, d)
		if !errors.Is(err, errDiffers) || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: agree = %v, want an error with prefix %q", row.fault, err, row.want)
		}
	}
}

// TestRecordSize checks the size of 600 to 1,000 bytes in the package documentation.
func TestRecordSize(t *testing.T) {
	for _, r := range newEvents(1000).records {
		if len(r.json) < 600 || len(r.json) > 1000 {
			t.Fatalf("%d bytes: %s", len(r.json), r.json)
		}
	}
}

func TestFindersAgree(t *testing.T) {
	for _, n := range []int{1, 50, 1100} {
		s := newShelf(n)
		finders, complete := newFinders(n)
		for _, f := range finders {
			f.load(s.records)
		}
		if err := s.agree(finders, complete); err != nil {
			t.Errorf("%d books: %v", n, err)
		}
		for _, f := range finders {
			f.close()
		}
	}
}

// wrongFinder is a finder with one wrong answer.
type wrongFinder struct {
	finder
	copy, place, counts, available, views, copied, prefix, stale bool
}

func (f wrongFinder) put(books []item[book], fresh bool) {
	if !f.stale {
		f.finder.put(books, fresh)
	}
}

func (f wrongFinder) lookup(slug string) (book, bool) {
	b, ok := f.finder.lookup(slug)
	b.Available = b.Available != f.copy
	return b, ok
}

func (f wrongFinder) peek(slug string) int {
	id := f.finder.peek(slug)
	if f.place {
		id++
	}
	return id
}

func (f wrongFinder) count(q *query) int {
	wrong := *q
	wrong.available = q.available && !f.available
	if f.counts {
		wrong.to++
	}
	if f.prefix && q.prefix != "" {
		wrong.prefix += " "
	}
	return f.finder.count(&wrong)
}

func (f wrongFinder) view(p *page[book], q *query, offset int) int {
	if f.views {
		offset++
	}
	return f.finder.view(p, q, offset)
}

func (f wrongFinder) copies(q *query, offset int) ([]book, int) {
	books, count := f.finder.copies(q, offset)
	if f.copied && len(books) > 0 {
		books[0].Name = ""
	}
	return books, count
}

func TestFindersDiffer(t *testing.T) {
	s := newShelf(300)
	for _, row := range []struct {
		reason string
		wrong  wrongFinder
	}{
		{"a copy differs", wrongFinder{copy: true}},
		{"another record is found", wrongFinder{place: true}},
		{"the count of a range", wrongFinder{counts: true}},
		{"the count with a second condition", wrongFinder{available: true}},
		{"the records of a page", wrongFinder{views: true}},
		{"the copies of a page", wrongFinder{copied: true}},
		{"the count of a prefix", wrongFinder{prefix: true}},
		{"an update has no effect", wrongFinder{stale: true}},
	} {
		row.wrong.finder = newBacklistFinder(s.kind)
		row.wrong.load(s.records)
		if err := s.agree([]finder{row.wrong}, 1); !errors.Is(err, errDiffers) {
			t.Errorf("%s: err = %v, want %v", row.reason, err, errDiffers)
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
