package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindersAgree(t *testing.T) {
	for _, n := range []int{1, 50, 1100} {
		s := newShelf(n)
		all, slugs := settings(true, false).finders(n)
		for _, f := range all {
			f.load(s.books)
		}
		if err := findersAgree(all, slugs, s); err != nil {
			t.Errorf("%d books: %v", n, err)
		}
		for _, f := range all {
			f.close()
		}
	}
}

// wrongFinder is a finder with one wrong answer.
type wrongFinder struct {
	finder
	copy, place, counts, available, views, copied, prefix, first, stale bool
}

func (f wrongFinder) update(b *book) {
	if !f.stale {
		f.finder.update(b)
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

func (f wrongFinder) count(days span) int {
	if f.counts {
		days.to++
	}
	return f.finder.count(days)
}

func (f wrongFinder) countAvailable(days span) int {
	if f.available {
		return f.finder.count(days)
	}
	return f.finder.countAvailable(days)
}

func (f wrongFinder) view(p *bookPage, days span, offset int) int {
	if f.views {
		offset++
	}
	return f.finder.view(p, days, offset)
}

func (f wrongFinder) copies(days span, offset int) ([]book, int) {
	books, count := f.finder.copies(days, offset)
	if f.copied && len(books) > 0 {
		books[0].Name = ""
	}
	return books, count
}

func (f wrongFinder) countPrefix(prefix string) int {
	if f.prefix {
		prefix += " "
	}
	return f.finder.countPrefix(prefix)
}

func (f wrongFinder) viewPrefix(p *bookPage, prefix string) int {
	n := f.finder.viewPrefix(p, prefix)
	if f.first {
		return n + 1
	}
	return n
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
		{"the count beside the page of a prefix", wrongFinder{first: true}},
		{"an update has no effect", wrongFinder{stale: true}},
	} {
		row.wrong.finder = newBacklistFinder()
		row.wrong.load(s.books)
		if err := findersAgree([]finder{row.wrong}, 1, s); !errors.Is(err, errDiffers) {
			t.Errorf("%s: err = %v, want %v", row.reason, err, errDiffers)
		}
	}
}

// TestShelf checks what the rows say of the books.
func TestShelf(t *testing.T) {
	const n = 10_000
	s := newShelf(n)
	slugs, days, names := map[string]bool{}, map[int]int{}, 0
	for _, b := range s.books {
		slugs[b.Slug] = true
		days[b.Start]++
		if strings.HasPrefix(b.Name, s.prefixes[0]) {
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
	for _, x := range s.spans {
		if books := (x.to - x.from) * booksADay; x.from < 0 || x.to > len(days) || books != n/2 {
			t.Fatalf("days from %d to %d of %d have %d books, want %d", x.from, x.to, len(days), books, n/2)
		}
	}
	if names < n/200 || names > n/50 {
		t.Errorf("%d of %d names begin with %q, want about a hundredth", names, n, s.prefixes[0])
	}
}

// TestFind checks the sections of -find, not times.
func TestFind(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"-quick", "-rounds", "1", "-find"}, nil, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, l := range strings.Split(out.String(), "\n") {
		if title, _, ok := strings.Cut(l, "backlist"); ok {
			titles = append(titles, strings.TrimSpace(title))
		}
	}
	want := []string{
		"ONE OF 1,100 RECORDS", "RANGES OF 1,100 RECORDS",
		"ONE OF 1,100 RECORDS, A WRITE BEFORE EACH", "RANGES OF 1,100 RECORDS, A WRITE BEFORE EACH",
	}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(out.String(), "NaN") {
		t.Errorf("NaN in\n%s", out.String())
	}
}
