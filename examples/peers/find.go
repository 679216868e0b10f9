package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"
)

// query selects the book with a slug, the books that start on the days from one to another,
// in order of day, or those whose names have a prefix, in order of name. Ties break by id.
type query struct {
	slug      string
	from, to  int    // without the latter
	available bool   // only books that are available
	prefix    string // if not empty, days do not matter
	all       bool   // selects all books, in order of day; only of the library
}

// reaches reports whether a book is not past the end of the query.
func (q *query) reaches(b *book) bool {
	if q.prefix != "" {
		return strings.HasPrefix(b.Name, q.prefix)
	}
	return b.Start < q.to
}

func (q *query) String() string {
	return fmt.Sprintf("days from %d to %d, prefix %q, only available: %t", q.from, q.to, q.prefix, q.available)
}

// shelf is the input of the measurements of finding, the same for all finders.
type shelf struct {
	*data[book]
	slugs                       []query // random
	ranges, available, prefixes []query // a range has half of the books, a prefix about a hundredth
}

func newShelf(n int) *shelf {
	s := &shelf{data: newBooks(n)}
	g := generator{rng: rand.New(rand.NewPCG(19, uint64(n))), n: n}
	days := max(n/booksADay, 2)
	for range 1 << 12 {
		from := g.rng.IntN(days - days/2)
		s.ranges = append(s.ranges, query{from: from, to: from + days/2})
		s.available = append(s.available, query{from: from, to: from + days/2, available: true})
		s.prefixes = append(s.prefixes, query{prefix: g.word() + " " + g.word()})
	}
	for _, id := range s.ids {
		s.slugs = append(s.slugs, query{slug: s.records[id-1].value.Slug})
	}
	return s
}

// depth is the offset of the page in the middle of a range.
func (s *shelf) depth() int { return len(s.records) / 4 }

// finding is a row of the sections about finding, which repeats a list of queries.
type finding struct {
	what    string
	goal    goal // "all" is the same page of all records, read from the library
	read    func(f finder, p *page[book], q *query, offset int) int
	queries []query
	offset  int
}

// lookups returns the rows of finding one book.
func (s *shelf) lookups() []finding {
	lookup := func(f finder, _ *page[book], q *query, _ int) int {
		b, _ := f.lookup(q.slug)
		return b.ID
	}
	peek := func(f finder, _ *page[book], q *query, _ int) int { return f.peek(q.slug) }
	return []finding{
		{"a copy by slug, random", atMost(1.5, "btree"), lookup, s.slugs, 0},
		{"in place by slug, random", atMost(1.5, "btree"), peek, s.slugs, 0},
	}
}

// ranged returns the rows of finding ranges and prefixes.
func (s *shelf) ranged() []finding {
	count := func(f finder, _ *page[book], q *query, _ int) int { return f.count(q) }
	view := func(f finder, p *page[book], q *query, offset int) int { return f.view(p, q, offset) }
	copies := func(f finder, _ *page[book], q *query, offset int) int {
		books, n := f.copies(q, offset)
		return n + len(books)
	}
	page, filtered := atMost(1.5, "all"), atMost(5, "all")
	return []finding{
		{"count, the same range", timesFaster(1000, "memdb"), count, s.ranges[:1], 0},
		{"page in place, the same range", page, view, s.ranges[:1], s.depth()},
		{"copies of a page, the same range", page, copies, s.ranges[:1], s.depth()},
		{"count, random ranges", timesFaster(1000, "memdb"), count, s.ranges, 0},
		{"page in place, random ranges", page, view, s.ranges, s.depth()},
		{"copies of a page, random ranges", page, copies, s.ranges, s.depth()},
		{"count with a second condition, random ranges", goal{}, count, s.available, 0},
		{"page with a second condition, the same range", filtered, view, s.available[:1], s.depth() / 2},
		{"page with a second condition, random ranges", filtered, view, s.available, s.depth() / 2},
		{"count of a prefix, random", goal{}, count, s.prefixes, 0},
		{"first page of a prefix in place, random", goal{}, view, s.prefixes, 0},
	}
}

// newFinders returns the finders, the library's first.
func newFinders() []finder {
	k := bookKind()
	return []finder{newBacklistFinder(k), newTreeFinder(k), newMemDBFinder(k), newSQLiteFinder(k)}
}

// finds measures finding records by their fields.
func finds(s setup, n int) (sections []*section) {
	s = s.briefly()
	shelf := newShelf(n)
	finders := newFinders()
	for _, f := range finders {
		defer f.close()
		f.load(shelf.records)
	}
	runtime.GC()
	for _, written := range []bool{false, true} {
		sections = append(sections,
			shelf.measure(s, "ONE OF %s RECORDS", written, finders, shelf.lookups()),
			shelf.measure(s, "RANGES OF %s RECORDS", written, finders, shelf.ranged()))
	}
	return sections
}

// measure measures the rows of a section. If written is set, a book is written before each
// read while the clock is stopped, so that no result of an earlier read is reused.
func (s *shelf) measure(turns setup, title string, written bool, finders []finder, rows []finding) *section {
	sec := &section{title: fmt.Sprintf(title, thousands(len(s.records))), names: storeNames(finders)}
	if written {
		sec.title += ", A WRITE BEFORE EACH"
	}
	for _, row := range rows {
		work := func(f finder) work {
			p := new(page[book])
			return s.reading(f, written, func(i int) int {
				return row.read(f, p, &row.queries[i%len(row.queries)], row.offset)
			})
		}
		works := each(finders, work)
		if row.goal.than == "all" {
			p, all := new(page[book]), query{all: true}
			works = append(works, s.reading(finders[0], written, func(i int) int {
				position := row.queries[i%len(row.queries)].from*booksADay + row.offset
				return row.read(finders[0], p, &all, position)
			}))
			sec.times(row.what, turns.timeRow(works, unbounded), row.goal, "all")
		} else {
			sec.times(row.what, turns.timeRow(works, unbounded), row.goal)
		}
		if !written {
			objects := figures(finders, func(f finder) float64 {
				_, objects := allocated(work(f))
				return objects
			})
			sec.values("  allocations", objects, digits, goal{})
		}
	}
	return sec
}

// reading returns work that reads, and writes before each read if written is set.
func (s *shelf) reading(f finder, written bool, read func(i int) int) work {
	next, sum, moves := 0, 0, mover[book]{data: s.data}
	return func(times int) (took time.Duration) {
		start := time.Now()
		for range times {
			if written {
				f.put(moves.take(), false)
				start = time.Now()
			}
			sum += read(next)
			next++
			if written {
				took += time.Since(start)
			}
		}
		runtime.KeepAlive(sum)
		if written {
			return took
		}
		return time.Since(start)
	}
}
