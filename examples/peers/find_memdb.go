package main

import (
	"encoding/binary"
	"fmt"

	"github.com/hashicorp/go-memdb"
)

// memdbFinder uses hashicorp/go-memdb. The keys of its radix trees for days and names end
// in the id to break ties. It counts a range by walking through it.
type memdbFinder struct{ db *memdb.MemDB }

// bookIndex appends the key of a book in one of the orders. The argument of a search is
// an int or a string.
type bookIndex func(dst []byte, b *book) []byte

func (key bookIndex) FromObject(object interface{}) (bool, []byte, error) {
	return true, key(make([]byte, 0, 48), object.(*book)), nil
}

func (bookIndex) FromArgs(args ...interface{}) ([]byte, error) {
	switch arg := args[0].(type) {
	case int:
		return binary.BigEndian.AppendUint64(nil, uint64(arg)), nil
	case string:
		return append([]byte(arg), 0), nil
	}
	return nil, fmt.Errorf("want an int or a string, got %v", args)
}

func (bookIndex) PrefixFromArgs(args ...interface{}) ([]byte, error) {
	return []byte(args[0].(string)), nil
}

func newMemDBFinder() finder {
	unsigned := func(dst []byte, n int) []byte { return binary.BigEndian.AppendUint64(dst, uint64(n)) }
	text := func(dst []byte, s string) []byte { return append(append(dst, s...), 0) }
	db, err := memdb.NewMemDB(&memdb.DBSchema{Tables: map[string]*memdb.TableSchema{
		"books": {Name: "books", Indexes: map[string]*memdb.IndexSchema{
			"id":    index("id", bookIndex(func(dst []byte, b *book) []byte { return unsigned(dst, b.ID) })),
			"slug":  index("slug", bookIndex(func(dst []byte, b *book) []byte { return text(dst, b.Slug) })),
			"start": index("start", bookIndex(func(dst []byte, b *book) []byte { return unsigned(unsigned(dst, b.Start), b.ID) })),
			"name":  index("name", bookIndex(func(dst []byte, b *book) []byte { return unsigned(text(dst, b.Name), b.ID) })),
		}},
	}})
	check(err)
	return &memdbFinder{db}
}

func (f *memdbFinder) name() string { return "memdb" }

func (f *memdbFinder) put(books ...*book) {
	txn := f.db.Txn(true)
	defer txn.Abort() // has no effect after Commit
	for _, b := range books {
		check(txn.Insert("books", b))
	}
	txn.Commit()
}

func (f *memdbFinder) load(books []book) { f.put(stored(books)...) }

func (f *memdbFinder) update(b *book) {
	fresh := *b
	f.put(&fresh)
}

func (f *memdbFinder) first(slug string) *book {
	row, err := f.db.Txn(false).First("books", "slug", slug)
	check(err)
	if row == nil {
		return nil
	}
	return row.(*book)
}

func (f *memdbFinder) lookup(slug string) (b book, ok bool) {
	if found := f.first(slug); found != nil {
		return *found, true
	}
	return b, false
}

func (f *memdbFinder) peek(slug string) (id int) {
	if found := f.first(slug); found != nil {
		return found.ID
	}
	return 0
}

func (f *memdbFinder) from(day int) memdb.ResultIterator {
	rows, err := f.db.Txn(false).LowerBound("books", "start", day)
	check(err)
	return rows
}

func (f *memdbFinder) count(days span) (n int) {
	rows := f.from(days.from)
	for row := rows.Next(); row != nil && row.(*book).Start < days.to; row = rows.Next() {
		n++
	}
	return n
}

func (f *memdbFinder) countAvailable(days span) (n int) {
	rows := f.from(days.from)
	for row := rows.Next(); row != nil && row.(*book).Start < days.to; row = rows.Next() {
		if row.(*book).Available {
			n++
		}
	}
	return n
}

// view walks through the range once, for the page and for the count.
func (f *memdbFinder) view(p *bookPage, days span, offset int) (count int) {
	p.books = p.books[:0]
	rows := f.from(days.from)
	for row := rows.Next(); row != nil && row.(*book).Start < days.to; row = rows.Next() {
		if offset <= count && count < offset+pageSize {
			p.books = append(p.books, row.(*book))
		}
		count++
	}
	return count
}

func (f *memdbFinder) copies(days span, offset int) ([]book, int) {
	p := bookPage{books: make([]*book, 0, pageSize)}
	count := f.view(&p, days, offset)
	return copied(p.books), count
}

func (f *memdbFinder) countPrefix(prefix string) int {
	return f.viewPrefix(new(bookPage), prefix)
}

func (f *memdbFinder) viewPrefix(p *bookPage, prefix string) (count int) {
	p.books = p.books[:0]
	rows, err := f.db.Txn(false).Get("books", "name_prefix", prefix)
	check(err)
	for row := rows.Next(); row != nil; row = rows.Next() {
		if count < pageSize {
			p.books = append(p.books, row.(*book))
		}
		count++
	}
	return count
}

func (f *memdbFinder) close() {}
