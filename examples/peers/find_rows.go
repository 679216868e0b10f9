package main

import "github.com/gobacklist/backlist/pagination"

// lookups returns the rows of finding one book.
func (s *shelf) lookups() []finding {
	slug := func(i int) string { return s.slugs[i%len(s.slugs)] }
	return []finding{
		{what: "a copy by slug, random", goal: atMost(1.5, "btree"), read: func(f finder) func(int) int {
			return func(i int) int { b, _ := f.lookup(slug(i)); return b.ID }
		}},
		{what: "in place by slug, random", goal: atMost(1.5, "btree"), read: func(f finder) func(int) int {
			return func(i int) int { return f.peek(slug(i)) }
		}},
	}
}

// ranges returns the rows of finding ranges. The page of a range is compared with a page
// of all books in the same order, at the same position.
func (s *shelf) ranges() (rows []finding) {
	for _, what := range []struct {
		name  string
		spans []span
	}{{"the same range", s.spans[:1]}, {"random ranges", s.spans}} {
		days := func(i int) span { return what.spans[i%len(what.spans)] }
		window := func(i int) pagination.Window {
			return pagination.Window{Limit: pageSize, Offset: days(i).from*booksADay + s.depth()}
		}
		rows = append(rows,
			finding{"count, " + what.name, timesFaster(1000, "memdb"), func(f finder) func(int) int {
				return func(i int) int { return f.count(days(i)) }
			}, nil},
			finding{"page in place, " + what.name, atMost(1.5, "all"), func(f finder) func(int) int {
				p := new(bookPage)
				return func(i int) int { return f.view(p, days(i), s.depth()) }
			}, func(f *backlistFinder) func(int) int {
				p := new(bookPage)
				return func(i int) int { return f.viewAll(p, window(i)) }
			}},
			finding{"copies of a page, " + what.name, atMost(1.5, "all"), func(f finder) func(int) int {
				return func(i int) int { books, n := f.copies(days(i), s.depth()); return n + len(books) }
			}, func(f *backlistFinder) func(int) int {
				return func(i int) int { return f.copyAll(window(i)) }
			}})
	}
	prefix := func(i int) string { return s.prefixes[i%len(s.prefixes)] }
	return append(rows,
		finding{what: "count with a second condition, random ranges", read: func(f finder) func(int) int {
			return func(i int) int { return f.countAvailable(s.spans[i%len(s.spans)]) }
		}},
		finding{what: "count of a prefix, random", read: func(f finder) func(int) int {
			return func(i int) int { return f.countPrefix(prefix(i)) }
		}},
		finding{what: "first page of a prefix in place, random", read: func(f finder) func(int) int {
			p := new(bookPage)
			return func(i int) int { return f.viewPrefix(p, prefix(i)) }
		}})
}
