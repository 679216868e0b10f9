package main

import (
	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// finder finds books by their slugs, by ranges of days in order of day, and by prefixes of
// names in order of name. Ties break by id.
type finder interface {
	name() string
	load([]book)
	update(*book) // replaces the book with the same id; only its start can differ

	lookup(slug string) (book, bool) // a copy
	peek(slug string) (id int)       // reads the book where it is stored; 0 if there is none

	count(span) int
	countAvailable(span) int // of the books that are available

	// view reads the page at an offset of the books of a span into p, in the cheapest
	// way that the finder has, and returns the count of the span.
	view(p *bookPage, days span, offset int) (count int)
	copies(days span, offset int) ([]book, int)

	countPrefix(prefix string) int
	viewPrefix(p *bookPage, prefix string) (count int) // the first page

	close()
}

// bookPage holds a page in the form in which a finder returns it.
type bookPage struct {
	backlist catalogue.View[book]
	books    []*book
	rows     []book // of SQLite
}

// ids returns the ids of the books on the page.
func (p *bookPage) ids() (ids []int) {
	for i := range p.backlist.Len() {
		ids = append(ids, p.backlist.At(i).ID)
	}
	for _, b := range p.books {
		ids = append(ids, b.ID)
	}
	for _, b := range p.rows {
		ids = append(ids, b.ID)
	}
	return ids
}

// backlistFinder is a collection of this library.
type backlistFinder struct {
	books         *catalogue.Collection[book]
	byDay, byName []ordering.Term
}

func newBacklistFinder() finder {
	books, err := catalogue.NewCollection[book](catalogue.Options{Unique: []string{"slug"}})
	check(err)
	return &backlistFinder{books, []ordering.Term{ordering.Asc("start")}, []ordering.Term{ordering.Asc("name")}}
}

func (f *backlistFinder) name() string { return "backlist" }

func (f *backlistFinder) load(books []book) {
	check(f.books.Batch(func(tx *catalogue.Tx[book]) error {
		for i := range books {
			if _, err := tx.Insert(books[i]); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, terms := range [][]ordering.Term{f.byDay, f.byName} { // builds the indexes
		_, err := f.books.Where().View(pagination.Window{Limit: 1}, terms...)
		check(err)
	}
}

func (f *backlistFinder) update(b *book) {
	_, err := f.books.Upsert(*b)
	check(err)
}

func (f *backlistFinder) lookup(slug string) (book, bool) {
	b, err := f.books.Where(ordering.Equal("slug", slug)).First()
	return b, err == nil
}

func (f *backlistFinder) peek(slug string) (id int) {
	v, err := f.books.Where(ordering.Equal("slug", slug)).View(pagination.Window{Limit: 1})
	check(err)
	if v.Len() == 0 {
		return 0
	}
	return v.At(0).ID
}

// startsIn returns the condition that a book starts in a span, which can be empty. Between
// includes its end.
func startsIn(days span) ordering.Condition {
	if days.from >= days.to {
		return ordering.OneOf[int]("start")
	}
	return ordering.Between("start", days.from, days.to-1)
}

func (f *backlistFinder) in(days span) catalogue.Selection[book] {
	return f.books.Where(startsIn(days))
}

func (f *backlistFinder) count(days span) int {
	n, err := f.in(days).Count()
	check(err)
	return n
}

func (f *backlistFinder) countAvailable(days span) int {
	n, err := f.books.Where(startsIn(days), ordering.Equal("available", true)).Count()
	check(err)
	return n
}

func (f *backlistFinder) view(p *bookPage, days span, offset int) (count int) {
	v, err := f.in(days).View(pagination.Window{Limit: pageSize, Offset: offset}, f.byDay...)
	check(err)
	p.backlist = v
	return v.Count()
}

func (f *backlistFinder) copies(days span, offset int) ([]book, int) {
	p, err := f.in(days).Page(pagination.Window{Limit: pageSize, Offset: offset}, f.byDay...)
	check(err)
	return p.Records, p.Count
}

// viewAll reads a page of all books, in order of day, and returns their count.
func (f *backlistFinder) viewAll(p *bookPage, w pagination.Window) (count int) {
	v, err := f.books.Where().View(w, f.byDay...)
	check(err)
	p.backlist = v
	return v.Count()
}

// copyAll copies a page of all books, in order of day.
func (f *backlistFinder) copyAll(w pagination.Window) int {
	p, err := f.books.Page(w, f.byDay...)
	check(err)
	return p.Count + len(p.Records)
}

func (f *backlistFinder) countPrefix(prefix string) int {
	n, err := f.books.Where(ordering.Prefix("name", prefix)).Count()
	check(err)
	return n
}

func (f *backlistFinder) viewPrefix(p *bookPage, prefix string) (count int) {
	v, err := f.books.Where(ordering.Prefix("name", prefix)).View(pagination.Window{Limit: pageSize}, f.byName...)
	check(err)
	p.backlist = v
	return v.Count()
}

func (f *backlistFinder) close() {}
