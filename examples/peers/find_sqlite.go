package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	_ "modernc.org/sqlite"
)

// sqliteFinder uses modernc.org/sqlite with a database in memory, one connection and
// prepared statements. Ties break by id, because an index ends in it. A prefix is a range
// of names that compare by bytes. Both counts of a range walk the index.
type sqliteFinder struct {
	db   *sql.DB
	conn *sql.Conn

	begin, commit, insert, set, bySlug *sql.Stmt

	counted, countedAvailable, page, countedPrefix, pagePrefix *sql.Stmt
}

const (
	bookColumns  = `id, slug, start, available, name`
	bookIndexing = `CREATE UNIQUE INDEX by_slug ON books (slug);
		CREATE INDEX by_start ON books (start);
		CREATE INDEX by_name ON books (name)`
)

func newSQLiteFinder() finder {
	db, err := sql.Open("sqlite", fmt.Sprintf("file:/finders-%x?vfs=memdb", rand.Uint64()))
	check(err)
	conn, err := db.Conn(context.Background())
	check(err)
	f := &sqliteFinder{db: db, conn: conn}
	f.run(`CREATE TABLE books (id INTEGER PRIMARY KEY, slug TEXT NOT NULL, start INTEGER NOT NULL, available INTEGER NOT NULL, name TEXT NOT NULL)`)
	f.run(bookIndexing)
	f.begin, f.commit = f.statement(`BEGIN`), f.statement(`COMMIT`)
	f.insert = f.statement(`INSERT INTO books (` + bookColumns + `) VALUES (?, ?, ?, ?, ?)`)
	f.set = f.statement(`UPDATE books SET slug = ?2, start = ?3, available = ?4, name = ?5 WHERE id = ?1`)
	f.bySlug = f.statement(`SELECT ` + bookColumns + ` FROM books WHERE slug = ?`)
	f.counted = f.statement(`SELECT count(*) FROM books WHERE start >= ? AND start < ?`)
	f.countedAvailable = f.statement(`SELECT count(*) FROM books WHERE start >= ? AND start < ? AND available`)
	f.page = f.statement(`SELECT ` + bookColumns + ` FROM books WHERE start >= ? AND start < ? ORDER BY start, id LIMIT ? OFFSET ?`)
	f.countedPrefix = f.statement(`SELECT count(*) FROM books WHERE name >= ? AND name < ?`)
	f.pagePrefix = f.statement(`SELECT ` + bookColumns + ` FROM books WHERE name >= ? AND name < ? ORDER BY name, id LIMIT ?`)
	return f
}

func (f *sqliteFinder) run(text string) {
	_, err := f.conn.ExecContext(context.Background(), text)
	check(err)
}

func (f *sqliteFinder) statement(text string) *sql.Stmt {
	st, err := f.conn.PrepareContext(context.Background(), text)
	check(err)
	return st
}

func (f *sqliteFinder) name() string { return "sqlite" }

// load creates the indexes after the inserts, which is faster.
func (f *sqliteFinder) load(books []book) {
	execute(f.begin)
	f.run(`DROP INDEX by_slug; DROP INDEX by_start; DROP INDEX by_name`)
	for i := range books {
		f.put(f.insert, &books[i])
	}
	f.run(bookIndexing)
	execute(f.commit)
}

func (f *sqliteFinder) put(st *sql.Stmt, b *book) {
	execute(st, b.ID, b.Slug, b.Start, b.Available, b.Name)
}

func (f *sqliteFinder) update(b *book) { f.put(f.set, b) }

func (f *sqliteFinder) lookup(slug string) (b book, ok bool) {
	err := f.bySlug.QueryRow(slug).Scan(&b.ID, &b.Slug, &b.Start, &b.Available, &b.Name)
	if errors.Is(err, sql.ErrNoRows) {
		return book{}, false
	}
	check(err)
	return b, true
}

func (f *sqliteFinder) peek(slug string) (id int) {
	b, _ := f.lookup(slug)
	return b.ID
}

func number(st *sql.Stmt, args ...any) (n int) {
	check(st.QueryRow(args...).Scan(&n))
	return n
}

func (f *sqliteFinder) count(days span) int { return number(f.counted, days.from, days.to) }

func (f *sqliteFinder) countAvailable(days span) int {
	return number(f.countedAvailable, days.from, days.to)
}

func (f *sqliteFinder) read(books []book, st *sql.Stmt, args ...any) []book {
	books = slices.Grow(books, pageSize)
	rows, err := st.Query(args...)
	check(err)
	for rows.Next() {
		var b book
		check(rows.Scan(&b.ID, &b.Slug, &b.Start, &b.Available, &b.Name))
		books = append(books, b)
	}
	check(rows.Err())
	return books
}

// view reads the count and the rows in one transaction.
func (f *sqliteFinder) view(p *bookPage, days span, offset int) (count int) {
	execute(f.begin)
	count = f.count(days)
	p.rows = f.read(p.rows[:0], f.page, days.from, days.to, pageSize, offset)
	execute(f.commit)
	return count
}

func (f *sqliteFinder) copies(days span, offset int) ([]book, int) {
	var p bookPage
	count := f.view(&p, days, offset)
	return p.rows, count
}

// after returns the first text that is greater than all texts with a prefix.
func after(prefix string) string {
	end := []byte(prefix)
	end[len(end)-1]++
	return string(end)
}

func (f *sqliteFinder) countPrefix(prefix string) int {
	return number(f.countedPrefix, prefix, after(prefix))
}

func (f *sqliteFinder) viewPrefix(p *bookPage, prefix string) (count int) {
	execute(f.begin)
	count = f.countPrefix(prefix)
	p.rows = f.read(p.rows[:0], f.pagePrefix, prefix, after(prefix), pageSize)
	execute(f.commit)
	return count
}

func (f *sqliteFinder) close() {
	check(f.conn.Close())
	check(f.db.Close())
}
