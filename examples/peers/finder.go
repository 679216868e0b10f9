package main

import (
	"encoding/json"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/hashicorp/go-memdb"
	"github.com/tidwall/btree"
)

// finder finds books by their slugs and by queries.
type finder interface {
	name() string
	load([]item[book])
	put(books []item[book], fresh bool) // only the start of a book can differ
	close()

	lookup(slug string) (book, bool) // a copy
	peek(slug string) (id int)       // reads the book where it is stored; 0 if none exists

	count(*query) int
	// view reads the page at an offset of the books of a query into p, in the cheapest
	// way that the finder has, and returns their count.
	view(p *page[book], q *query, offset int) (count int)
	copies(q *query, offset int) ([]book, int)
}

// backlistFinder is a collection of this library.
type backlistFinder struct{ *backlistStore[book] }

func newBacklistFinder(k *kind[book]) finder {
	return &backlistFinder{newBacklist(k).(*backlistStore[book])}
}

func (f *backlistFinder) lookup(slug string) (book, bool) {
	b, err := f.records.Where(ordering.Equal("slug", slug)).First()
	return b, err == nil
}

func (f *backlistFinder) peek(slug string) (id int) {
	v, err := f.records.Where(ordering.Equal("slug", slug)).View(pagination.Window{Limit: 1})
	check(err)
	if v.Len() == 0 {
		return 0
	}
	return v.At(0).ID
}

// where selects the books of a query. Between includes its end, so it has no empty range.
func (f *backlistFinder) where(q *query) catalogue.Selection[book] {
	switch {
	case q.prefix != "":
		return f.records.Where(ordering.Prefix("name", q.prefix))
	case q.all:
		return f.records.Where()
	case q.from >= q.to:
		return f.records.Where(ordering.OneOf[int]("start"))
	case q.available:
		return f.records.Where(ordering.Between("start", q.from, q.to-1), ordering.Equal("available", true))
	}
	return f.records.Where(ordering.Between("start", q.from, q.to-1))
}

func (f *backlistFinder) by(q *query) []ordering.Term {
	if q.prefix != "" {
		return f.terms[byName]
	}
	return f.terms[byStart]
}

func (f *backlistFinder) count(q *query) int {
	n, err := f.where(q).Count()
	check(err)
	return n
}

func (f *backlistFinder) view(p *page[book], q *query, offset int) (count int) {
	v, err := f.where(q).View(pagination.Window{Limit: pageSize, Offset: offset}, f.by(q)...)
	check(err)
	p.view = v
	return v.Count()
}

func (f *backlistFinder) copies(q *query, offset int) ([]book, int) {
	p, err := f.where(q).Page(pagination.Window{Limit: pageSize, Offset: offset}, f.by(q)...)
	check(err)
	return p.Records, p.Count
}

// walker makes a finder of one that counts a range by walking through it.
type walker struct{ walking }

type walking interface {
	name() string
	load([]item[book])
	put(books []item[book], fresh bool)
	one(slug string) *item[book]
	walk(q *query, visit func(*item[book]) bool) // until visit returns false
}

func (f walker) lookup(slug string) (b book, ok bool) {
	if found := f.one(slug); found != nil {
		return found.value, true
	}
	return b, false
}

func (f walker) peek(slug string) (id int) {
	if found := f.one(slug); found != nil {
		return found.value.ID
	}
	return 0
}

func (f walker) count(q *query) (n int) {
	f.walk(q, func(r *item[book]) bool {
		if !q.reaches(&r.value) {
			return false
		}
		if !q.available || r.value.Available {
			n++
		}
		return true
	})
	return n
}

// view walks through the range once, for the page and for the count.
func (f walker) view(p *page[book], q *query, offset int) (count int) {
	p.items = p.items[:0]
	f.walk(q, func(r *item[book]) bool {
		if !q.reaches(&r.value) {
			return false
		}
		if q.available && !r.value.Available {
			return true
		}
		if offset <= count && count < offset+pageSize {
			p.items = append(p.items, r)
		}
		count++
		return true
	})
	return count
}

func (f walker) copies(q *query, offset int) ([]book, int) {
	p := page[book]{items: make([]*item[book], 0, pageSize)}
	count := f.view(&p, q, offset)
	return each(p.items, func(r *item[book]) book { return r.value }), count
}

func (f walker) close() {}

// treeFinder has bare B-trees of pointers.
type treeFinder struct {
	*treeStore[book]
	slug *btree.BTreeG[*item[book]]
}

func newTreeFinder(k *kind[book]) finder {
	slugs := bare(func(a, b *item[book]) bool { return a.value.Slug < b.value.Slug })
	return walker{treeFinder{newTree(k).(*treeStore[book]), slugs}}
}

func (f treeFinder) load(books []item[book]) {
	f.treeStore.load(books)
	f.id.Scan(func(r *item[book]) bool { f.slug.Set(r); return true })
}

func (f treeFinder) put(books []item[book], fresh bool) {
	f.treeStore.put(books, fresh)
	for i := range books {
		r, _ := f.id.Get(&books[i])
		f.slug.Set(r)
	}
}

func (f treeFinder) one(slug string) *item[book] {
	f.wanted.value.Slug = slug
	found, _ := f.slug.Get(&f.wanted)
	return found
}

func (f treeFinder) walk(q *query, visit func(*item[book]) bool) {
	from, tree := &f.wanted, f.ordered[0]
	from.value.ID, from.value.Start, from.value.Name = 0, q.from, q.prefix
	if q.prefix != "" {
		tree = f.ordered[1]
	}
	tree.Ascend(from, visit)
}

// memdbFinder uses hashicorp/go-memdb.
type memdbFinder struct{ *memdbStore[book] }

func newMemDBFinder(k *kind[book]) finder {
	return walker{memdbFinder{newMemDB(k).(*memdbStore[book])}}
}

func (f memdbFinder) one(slug string) *item[book] { return f.memdbStore.one("slug", slug) }

func (f memdbFinder) walk(q *query, visit func(*item[book]) bool) {
	var rows memdb.ResultIterator
	var err error
	if q.prefix != "" {
		rows, err = f.db.Txn(false).Get("records", "name_prefix", q.prefix)
	} else {
		rows, err = f.db.Txn(false).LowerBound("records", "start", q.from)
	}
	check(err)
	for row := rows.Next(); row != nil && visit(row.(*item[book])); row = rows.Next() {
	}
}

// sqliteFinder is a database with an index for each query.
type sqliteFinder struct{ *sqliteStore[book] }

func newSQLiteFinder(k *kind[book]) finder {
	s := newSQLite(k).(*sqliteStore[book])
	s.indexes = append(s.indexes, `CREATE INDEX by_available ON records (available, start)`)
	return sqliteFinder{s}
}

func (f sqliteFinder) lookup(slug string) (b book, ok bool) {
	f.with(func(c *sqliteConn) {
		var text []byte
		if ok = c.first(`SELECT json FROM records WHERE slug = ?`, slug, &text); ok {
			check(json.Unmarshal(text, &b))
		}
	})
	return b, ok
}

func (f sqliteFinder) peek(slug string) (id int) {
	f.with(func(c *sqliteConn) { c.first(`SELECT id FROM records WHERE slug = ?`, slug, &id) })
	return id
}

func (f sqliteFinder) where(q *query) (text, order string, args []any) {
	switch {
	case q.prefix != "":
		return ` FROM records WHERE name >= ? AND name < ?`, "name", []any{q.prefix, q.prefix + "\U0010ffff"}
	case q.available:
		return ` FROM records WHERE available = 1 AND start >= ? AND start < ?`, "start", []any{q.from, q.to}
	}
	return ` FROM records WHERE start >= ? AND start < ?`, "start", []any{q.from, q.to}
}

func (f sqliteFinder) count(q *query) (n int) {
	where, _, args := f.where(q)
	f.with(func(c *sqliteConn) { n = c.number(`SELECT count(*)`+where, args...) })
	return n
}

func (f sqliteFinder) view(p *page[book], q *query, offset int) (count int) {
	where, order, args := f.where(q)
	return f.read(p, `SELECT count(*)`+where, `SELECT id, json`+where+` ORDER BY `+order+`, id LIMIT ? OFFSET ?`, offset, args...)
}

func (f sqliteFinder) copies(q *query, offset int) ([]book, int) {
	var p page[book]
	count := f.view(&p, q, offset)
	return each(p.texts, decoded[book]), count
}
