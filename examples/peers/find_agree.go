package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// findersAgree compares the answers of every finder with filtered and sorted books: as
// loaded, after updates, and after undoing them. The finders from index slugs on find by
// slug only.
func findersAgree(finders []finder, slugs int, s *shelf) error {
	moved := slices.Clone(s.books)
	for _, b := range s.moved {
		moved[b.ID-1] = b
	}
	for _, step := range []struct {
		name    string
		updates []book
		want    []book
	}{
		{"as loaded", nil, s.books},
		{"after updates", s.moved, moved},
		{"after undoing them", s.still, s.books},
	} {
		for _, f := range finders {
			updateAll(f, step.updates)
		}
		if err := newFindings(step.want).compare(finders, slugs, s); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

func updateAll(f finder, books []book) {
	for i := range books {
		f.update(&books[i])
	}
}

// findings has the correct answers.
type findings struct{ books, byDay, byName []book }

func newFindings(books []book) *findings {
	sorted := func(compare func(a, b *book) int) []book {
		return slices.SortedFunc(slices.Values(books), func(a, b book) int { return compare(&a, &b) })
	}
	return &findings{books, sorted(compareDay), sorted(compareTitle)}
}

// compare compares the answers of every finder. The finders from index slugs on find by
// slug only.
func (x *findings) compare(finders []finder, slugs int, s *shelf) error {
	for i, f := range finders {
		err := x.compareLookups(f)
		if i < slugs && err == nil {
			err = cmp.Or(x.compareSpans(f, s), x.comparePrefixes(f))
		}
		if err != nil {
			return fmt.Errorf("%s: %w: %w", f.name(), errDiffers, err)
		}
	}
	return nil
}

func (x *findings) compareLookups(f finder) error {
	for i := 0; i < len(x.books); i += 1 + len(x.books)/100 {
		want := x.books[i]
		if got, ok := f.lookup(want.Slug); !ok || got != want {
			return fmt.Errorf("slug %q: want %v, got %v, found %t", want.Slug, want, got, ok)
		}
		if id := f.peek(want.Slug); id != want.ID {
			return fmt.Errorf("slug %q: want id %d, got %d", want.Slug, want.ID, id)
		}
	}
	for _, slug := range []string{"", "a", "zzz", x.books[0].Slug + "0"} {
		if got, ok := f.lookup(slug); ok {
			return fmt.Errorf("slug %q: want nothing, got %v", slug, got)
		}
		if id := f.peek(slug); id != 0 {
			return fmt.Errorf("slug %q: want no id, got %d", slug, id)
		}
	}
	return nil
}

// within returns the books of a span, in order.
func (x *findings) within(days span) (list []book) {
	for _, b := range x.byDay {
		if days.from <= b.Start && b.Start < days.to {
			list = append(list, b)
		}
	}
	return list
}

func (x *findings) compareSpans(f finder, s *shelf) error {
	last := x.byDay[len(x.byDay)-1].Start
	random := s.spans[:8]
	if len(x.books) > fewRecords {
		random = s.spans[:1] // some finders walk through the range for each answer
	}
	for _, days := range append(slices.Clone(random), span{0, 1}, span{0, last}, span{0, last + 1},
		span{last, last + 10}, span{last + 1, last + 2}, span{last / 3, last/3 + 2}) {
		if err := x.compareSpan(f, days, s.depth()); err != nil {
			return fmt.Errorf("days from %d to %d: %w", days.from, days.to, err)
		}
	}
	return nil
}

func (x *findings) compareSpan(f finder, days span, depth int) error {
	want := x.within(days)
	available := 0
	for _, b := range want {
		if b.Available {
			available++
		}
	}
	if n, m := f.count(days), f.countAvailable(days); n != len(want) || m != available {
		return fmt.Errorf("want %d books, %d available, got %d, %d available", len(want), available, n, m)
	}
	offsets := []int{depth, len(want) - pageSize, len(want) + 1, 0, 1, len(want) - 1, len(want)}
	if len(want) > fewRecords {
		offsets = offsets[:3]
	}
	for _, offset := range offsets {
		offset = max(offset, 0)
		start, end := bounds(offset, len(want))
		var p bookPage
		count := f.view(&p, days, offset)
		if err := comparePage(want[start:end], len(want), p.ids(), count); err != nil {
			return fmt.Errorf("offset %d: %w", offset, err)
		}
		copies, count := f.copies(days, offset)
		if !slices.Equal(want[start:end], copies) || count != len(want) {
			return fmt.Errorf("copies at offset %d: want %v of %d, got %v of %d", offset, want[start:end], len(want), copies, count)
		}
	}
	return nil
}

func comparePage(want []book, wantCount int, ids []int, count int) error {
	if !slices.EqualFunc(want, ids, func(b book, id int) bool { return b.ID == id }) || count != wantCount {
		return fmt.Errorf("want ids %v of %d, got %v of %d", idsOfBooks(want), wantCount, ids, count)
	}
	return nil
}

func idsOfBooks(books []book) (ids []int) {
	for _, b := range books {
		ids = append(ids, b.ID)
	}
	return ids
}

func (x *findings) comparePrefixes(f finder) error {
	first, last := x.byName[0].Name, x.byName[len(x.byName)-1].Name
	for _, prefix := range []string{first, first[:1], first[:len(first)-3], last, last[:2], "Reading Talk", "Rea", "A", "zz"} {
		var want []book
		for _, b := range x.byName {
			if strings.HasPrefix(b.Name, prefix) {
				want = append(want, b)
			}
		}
		var p bookPage
		count := f.viewPrefix(&p, prefix)
		err := comparePage(want[:min(pageSize, len(want))], len(want), p.ids(), count)
		if n := f.countPrefix(prefix); n != len(want) {
			err = fmt.Errorf("want %d names, counted %d", len(want), n)
		}
		if err != nil {
			return fmt.Errorf("prefix %q: %w", prefix, err)
		}
	}
	return nil
}
