package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gobacklist/backlist/resources"
	_ "modernc.org/sqlite"
)

// sqliteStore uses modernc.org/sqlite with a database in memory. Two connections
// share it, each with its own prepared statements. Every index of a table ends in
// its row id, which here is the id of the record. So ties break by id, and the rows
// before an offset are skipped in the index without reading the table. COUNT walks
// the smallest index.
type sqliteStore struct {
	db    *sql.DB
	conns chan *sqliteConn
}

type sqliteConn struct {
	conn                              *sql.Conn
	begin, write, commit              *sql.Stmt
	counted, one, insert, set, remove *sql.Stmt
	pages                             [orders]*sql.Stmt
}

func newSQLite() store {
	db, err := sql.Open("sqlite", fmt.Sprintf("file:/peers-%x?vfs=memdb&_pragma=busy_timeout(10000)", rand.Uint64()))
	check(err)
	s := &sqliteStore{db: db, conns: make(chan *sqliteConn, 2)}
	first := s.connect()
	for _, text := range []string{
		`CREATE TABLE events (id INTEGER PRIMARY KEY, start INTEGER NOT NULL, name TEXT NOT NULL, json BLOB NOT NULL)`,
		`CREATE INDEX by_start ON events (start)`,
		`CREATE INDEX by_name ON events (name)`,
	} {
		_, err := first.ExecContext(context.Background(), text)
		check(err)
	}
	for _, conn := range []*sql.Conn{first, s.connect()} {
		s.conns <- prepared(conn)
	}
	return s
}

func (s *sqliteStore) connect() *sql.Conn {
	conn, err := s.db.Conn(context.Background())
	check(err)
	return conn
}

func prepared(conn *sql.Conn) *sqliteConn {
	statement := func(text string) *sql.Stmt {
		st, err := conn.PrepareContext(context.Background(), text)
		check(err)
		return st
	}
	return &sqliteConn{
		conn:    conn,
		begin:   statement(`BEGIN`),
		write:   statement(`BEGIN IMMEDIATE`),
		commit:  statement(`COMMIT`),
		counted: statement(`SELECT count(*) FROM events`),
		one:     statement(`SELECT json FROM events WHERE id = ?`),
		insert:  statement(`INSERT INTO events (id, start, name, json) VALUES (?, ?, ?, ?)`),
		set:     statement(`UPDATE events SET start = ?2, name = ?3, json = ?4 WHERE id = ?1`),
		remove:  statement(`DELETE FROM events WHERE id = ?`),
		pages: [orders]*sql.Stmt{
			byStart:    statement(`SELECT id, json FROM events ORDER BY start, id LIMIT ? OFFSET ?`),
			byName:     statement(`SELECT id, json FROM events ORDER BY name, id LIMIT ? OFFSET ?`),
			byNameDown: statement(`SELECT id, json FROM events ORDER BY name DESC, id DESC LIMIT ? OFFSET ?`),
		},
	}
}

func (s *sqliteStore) name() string { return "sqlite" }

// with calls f with a connection.
func (s *sqliteStore) with(f func(c *sqliteConn)) {
	c := <-s.conns
	defer func() { s.conns <- c }()
	f(c)
}

func execute(st *sql.Stmt, args ...any) {
	_, err := st.Exec(args...)
	check(err)
}

func (c *sqliteConn) put(st *sql.Stmt, r *record) {
	execute(st, r.event.ID, r.event.StartDate.UnixMicro(), r.event.Name, r.json)
}

// load creates the indexes after the inserts, which is faster.
func (s *sqliteStore) load(records []record) {
	s.with(func(c *sqliteConn) {
		run := func(text string) {
			_, err := c.conn.ExecContext(context.Background(), text)
			check(err)
		}
		execute(c.write)
		run(`DROP INDEX by_start`)
		run(`DROP INDEX by_name`)
		for i := range records {
			c.put(c.insert, &records[i])
		}
		run(`CREATE INDEX by_start ON events (start)`)
		run(`CREATE INDEX by_name ON events (name)`)
		execute(c.commit)
	})
}

func (s *sqliteStore) insert(r *record) { s.with(func(c *sqliteConn) { c.put(c.insert, r) }) }

func (s *sqliteStore) update(r *record) { s.with(func(c *sqliteConn) { c.put(c.set, r) }) }

func (s *sqliteStore) delete(id int) { s.with(func(c *sqliteConn) { execute(c.remove, id) }) }

func (s *sqliteStore) batch(records []record) {
	s.with(func(c *sqliteConn) {
		execute(c.write)
		for i := range records {
			c.put(c.set, &records[i])
		}
		execute(c.commit)
	})
}

func (s *sqliteStore) count() (n int) {
	s.with(func(c *sqliteConn) { check(c.counted.QueryRow().Scan(&n)) })
	return n
}

func (s *sqliteStore) get(id int) (e resources.Event, ok bool) {
	s.with(func(c *sqliteConn) {
		var text []byte
		err := c.one.QueryRow(id).Scan(&text)
		if errors.Is(err, sql.ErrNoRows) {
			return
		}
		check(err)
		check(json.Unmarshal(text, &e))
		ok = true
	})
	return e, ok
}

type sqliteRow struct {
	id   int
	json []byte
}

// page reads the count and the rows in one transaction.
func (s *sqliteStore) page(page []sqliteRow, o order, offset int) (_ []sqliteRow, count int) {
	page = slices.Grow(page, pageSize)
	s.with(func(c *sqliteConn) {
		execute(c.begin)
		check(c.counted.QueryRow().Scan(&count))
		rows, err := c.pages[o].Query(pageSize, offset)
		check(err)
		for rows.Next() {
			var r sqliteRow
			check(rows.Scan(&r.id, &r.json))
			page = append(page, r)
		}
		check(rows.Err())
		execute(c.commit)
	})
	return page, count
}

func (s *sqliteStore) view(p *pageBuffer, o order, offset int) (count int) {
	p.sqlite, count = s.page(p.sqlite[:0], o, offset)
	return count
}

func (s *sqliteStore) ids(p *pageBuffer) (ids []int) {
	for _, row := range p.sqlite {
		ids = append(ids, row.id)
	}
	return ids
}

func (s *sqliteStore) copies(o order, offset int) ([]resources.Event, int) {
	page, count := s.page(nil, o, offset)
	events := make([]resources.Event, len(page))
	for i, row := range page {
		check(json.Unmarshal(row.json, &events[i]))
	}
	return events, count
}

func (s *sqliteStore) envelope(dst []byte, o order, offset int) []byte {
	page, count := s.page(nil, o, offset)
	dst = appendHead(dst, o, offset, count)
	for _, row := range page {
		dst = appendRecord(dst, row.json)
	}
	return appendTail(dst)
}

// bytes returns the size of the database, which is outside Go's heap.
func (s *sqliteStore) bytes() (n int) {
	s.with(func(c *sqliteConn) {
		var pages, size int
		check(c.conn.QueryRowContext(context.Background(), `PRAGMA page_count`).Scan(&pages))
		check(c.conn.QueryRowContext(context.Background(), `PRAGMA page_size`).Scan(&size))
		n = pages * size
	})
	return n
}

func (s *sqliteStore) close() {
	for range cap(s.conns) {
		check((<-s.conns).conn.Close())
	}
	check(s.db.Close())
}
