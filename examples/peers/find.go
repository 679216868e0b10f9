package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"
)

// query selects the books that start on the days from one to another, in order of day, or
// those whose names have a prefix, in order of name. Ties break by id.
type query struct {
	from, to  int    // without the latter
	available bool   // only books that are available
	prefix    string // if not empty, days do not matter
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
	slugs                       []string // random
	ranges, available, prefixes []query  // a range has half of the books, a prefix about a hundredth
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
		s.slugs = append(s.slugs, s.records[id-1].value.Slug)
	}
	return s
}

// depth is the offset of the page in the middle of a range.
func (s *shelf) depth() int { return len(s.records) / 4 }

// finding is a row of the sections about finding.
type finding struct {
	what string
	goal goal
	read func(f finder, p *page[book], i int) int // the ith reading
	// all reads the same page of all records from the library. If nil, the row has no
	// goal that names it.
	all func(s *backlistFinder, p *page[book], i int) int
}

// at returns the ith element of a list that is repeated.
func at[E any](list []E, i int) E { return list[i%len(list)] }

// lookups returns the rows of finding one book.
func (s *shelf) lookups() []finding {
	return []finding{
		{"a copy by slug, random", atMost(1.5, "btree"), func(f finder, _ *page[book], i int) int {
			b, _ := f.lookup(at(s.slugs, i))
			return b.ID
		}, nil},
		{"in place by slug, random", atMost(1.5, "btree"), func(f finder, _ *page[book], i int) int {
			return f.peek(at(s.slugs, i))
		}, nil},
	}
}

// queries returns the rows of finding ranges. The page of a range is compared with a page
// of all books in the same order, at the same position.
func (s *shelf) queries() (rows []finding) {
	count := func(list []query) func(f finder, _ *page[book], i int) int {
		return func(f finder, _ *page[book], i int) int { return f.count(&list[i%len(list)]) }
	}
	for _, row := range []struct {
		name   string
		ranges []query
	}{{"the same range", s.ranges[:1]}, {"random ranges", s.ranges}} {
		position := func(i int) int { return at(row.ranges, i).from*booksADay + s.depth() }
		rows = append(rows,
			finding{"count, " + row.name, timesFaster(1000, "memdb"), count(row.ranges), nil},
			finding{"page in place, " + row.name, atMost(1.5, "all"), func(f finder, p *page[book], i int) int {
				return f.view(p, &row.ranges[i%len(row.ranges)], s.depth())
			}, func(f *backlistFinder, p *page[book], i int) int {
				return f.backlistStore.view(p, byStart, position(i))
			}},
			finding{"copies of a page, " + row.name, atMost(1.5, "all"), func(f finder, _ *page[book], i int) int {
				books, n := f.copies(&row.ranges[i%len(row.ranges)], s.depth())
				return n + len(books)
			}, func(f *backlistFinder, _ *page[book], i int) int {
				books, n := f.backlistStore.copies(byStart, position(i))
				return n + len(books)
			}})
	}
	return append(rows,
		finding{"count with a second condition, random ranges", goal{}, count(s.available), nil},
		s.filtered("page with a second condition, the same range", s.available[:1]),
		s.filtered("page with a second condition, random ranges", s.available),
		finding{"count of a prefix, random", goal{}, count(s.prefixes), nil},
		finding{"first page of a prefix in place, random", goal{}, func(f finder, p *page[book], i int) int {
			return f.view(p, &s.prefixes[i%len(s.prefixes)], 0)
		}, nil})
}

// filtered returns the row of a deep page of the available books of ranges, in order. It is
// compared with a page of all books at the same offset in the order.
func (s *shelf) filtered(what string, ranges []query) finding {
	offset := s.depth() / 2
	return finding{what, atMost(5, "all"), func(f finder, p *page[book], i int) int {
		return f.view(p, &ranges[i%len(ranges)], offset)
	}, func(f *backlistFinder, p *page[book], i int) int {
		return f.backlistStore.view(p, byStart, at(ranges, i).from*booksADay+offset)
	}}
}

// newFinders returns the finders, the library's first.
func newFinders() []finder {
	k := bookKind()
	return []finder{newBacklistFinder(k), newTreeFinder(k), walker{memdbFinder{memdbOf(k)}}, newSQLiteFinder(k)}
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
			shelf.measure(s, "RANGES OF %s RECORDS", written, finders, shelf.queries()))
	}
	return sections
}

// measure measures the rows of a section. If written is set, a book is written before each
// read while the clock is stopped, so that nothing is remembered of the reads before.
func (s *shelf) measure(turns setup, title string, written bool, finders []finder, rows []finding) *section {
	sec := &section{title: fmt.Sprintf(title, thousands(len(s.records))), names: storeNames(finders)}
	if written {
		sec.title += ", A WRITE BEFORE EACH"
	}
	for _, row := range rows {
		work := func(f finder) work {
			p := new(page[book])
			return s.reading(f, written, func(i int) int { return row.read(f, p, i) })
		}
		works := each(finders, work)
		if row.all == nil {
			sec.times(row.what, turns.timeRow(works, unbounded), row.goal)
		} else {
			own, p := finders[0].(*backlistFinder), new(page[book])
			works = append(works, s.reading(own, written, func(i int) int { return row.all(own, p, i) }))
			sec.times(row.what, turns.timeRow(works, unbounded), row.goal, "all")
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
