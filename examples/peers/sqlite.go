package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	_ "modernc.org/sqlite"
)

// sqliteStore uses modernc.org/sqlite with a database in memory. Two connections
// share it, each with its own prepared statements. Every index of a table ends in
// its row id, which here is the id of the record. So ties break by id, and the rows
// before an offset are skipped in the index without reading the table. COUNT walks
// the smallest index.
type sqliteStore[T any] struct {
	kind  *kind[T]
	db    *sql.DB
	conns chan *sqliteConn

	insertion, change string // statements
	indexes           []string
	pages             [orders]string
}

type sqliteConn struct {
	conn       *sql.Conn
	statements map[string]*sql.Stmt
}

func newSQLite[T any](k *kind[T]) store[T] {
	db, err := sql.Open("sqlite", fmt.Sprintf("file:/peers-%x?vfs=memdb&_pragma=busy_timeout(10000)", rand.Uint64()))
	check(err)
	s := &sqliteStore[T]{kind: k, db: db, conns: make(chan *sqliteConn, 2)}
	var sets []string
	for i, column := range k.columns {
		name, _, _ := strings.Cut(column, " ")
		sets = append(sets, fmt.Sprintf("%s = ?%d", name, i+2))
	}
	s.insertion = `INSERT INTO records VALUES (?` + strings.Repeat(", ?", len(k.columns)) + `)`
	s.change = `UPDATE records SET ` + strings.Join(sets, ", ") + ` WHERE id = ?1`
	for o := range order(orders) {
		field, direction := k.orders[o.index()].field, ""
		if o == byNameDown {
			direction = " DESC"
		}
		s.pages[o] = `SELECT id, json FROM records ORDER BY ` + field + direction + `, id` + direction + ` LIMIT ? OFFSET ?`
	}
	for _, o := range k.orders {
		s.indexes = append(s.indexes, `CREATE INDEX by_`+o.field+` ON records (`+o.field+`)`)
	}
	for range cap(s.conns) {
		conn, err := db.Conn(context.Background())
		check(err)
		s.conns <- &sqliteConn{conn, map[string]*sql.Stmt{}}
	}
	s.with(func(c *sqliteConn) {
		c.execute(`CREATE TABLE records (id INTEGER PRIMARY KEY, ` + strings.Join(k.columns, ", ") + `)`)
	})
	return s
}

// with calls f with a connection.
func (s *sqliteStore[T]) with(f func(c *sqliteConn)) {
	c := <-s.conns
	defer func() { s.conns <- c }()
	f(c)
}

// prepared returns the statement, which is prepared at its first use.
func (c *sqliteConn) prepared(text string) *sql.Stmt {
	st := c.statements[text]
	if st == nil {
		var err error
		st, err = c.conn.PrepareContext(context.Background(), text)
		check(err)
		c.statements[text] = st
	}
	return st
}

func (c *sqliteConn) execute(text string, args ...any) {
	_, err := c.prepared(text).Exec(args...)
	check(err)
}

func (c *sqliteConn) number(text string, args ...any) (n int) {
	check(c.prepared(text).QueryRow(args...).Scan(&n))
	return n
}

func (s *sqliteStore[T]) name() string { return "sqlite" }

// load creates the indexes after the inserts, which is faster.
func (s *sqliteStore[T]) load(records []item[T]) {
	s.with(func(c *sqliteConn) {
		s.batch(c, s.insertion, records)
		for _, text := range s.indexes {
			c.execute(text)
		}
	})
}

// batch executes a statement for each record, in one transaction.
func (s *sqliteStore[T]) batch(c *sqliteConn, statement string, records []item[T]) {
	c.execute(`BEGIN IMMEDIATE`)
	for i := range records {
		c.execute(statement, s.kind.values(&records[i])...)
	}
	c.execute(`COMMIT`)
}

func (s *sqliteStore[T]) put(records []item[T], fresh bool) {
	statement := s.change
	if fresh {
		statement = s.insertion
	}
	s.with(func(c *sqliteConn) {
		if len(records) == 1 {
			c.execute(statement, s.kind.values(&records[0])...)
		} else {
			s.batch(c, statement, records)
		}
	})
}

func (s *sqliteStore[T]) delete(id int) {
	s.with(func(c *sqliteConn) { c.execute(`DELETE FROM records WHERE id = ?`, id) })
}

func (s *sqliteStore[T]) get(id int) (value T, ok bool) {
	s.with(func(c *sqliteConn) {
		var text []byte
		if ok = c.first(`SELECT json FROM records WHERE id = ?`, id, &text); ok {
			check(json.Unmarshal(text, &value))
		}
	})
	return value, ok
}

// first reads the first row, if there is one.
func (c *sqliteConn) first(text string, arg any, fields ...any) (ok bool) {
	err := c.prepared(text).QueryRow(arg).Scan(fields...)
	if errors.Is(err, sql.ErrNoRows) {
		return false
	}
	check(err)
	return true
}

func (s *sqliteStore[T]) view(p *page[T], o order, offset int) (count int) {
	return s.read(p, `SELECT count(*) FROM records`, s.pages[o], offset)
}

// read reads a count and the rows of a page in one transaction.
func (s *sqliteStore[T]) read(p *page[T], counting, paging string, offset int, args ...any) (count int) {
	p.texts = slices.Grow(p.texts[:0], pageSize)
	s.with(func(c *sqliteConn) {
		c.execute(`BEGIN`)
		count = c.number(counting, args...)
		rows, err := c.prepared(paging).Query(append(args, pageSize, offset)...)
		check(err)
		for rows.Next() {
			var t encodedRecord
			check(rows.Scan(&t.id, &t.json))
			p.texts = append(p.texts, t)
		}
		check(rows.Err())
		c.execute(`COMMIT`)
	})
	return count
}

// bytes returns the size of the database.
func (s *sqliteStore[T]) bytes() (n int) {
	s.with(func(c *sqliteConn) { n = c.number(`PRAGMA page_count`) * c.number(`PRAGMA page_size`) })
	return n
}

func (s *sqliteStore[T]) close() {
	for range cap(s.conns) {
		check((<-s.conns).conn.Close())
	}
	check(s.db.Close())
}
