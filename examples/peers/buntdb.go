package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/gobacklist/backlist/resources"
	"github.com/tidwall/buntdb"
)

// buntStore uses tidwall/buntdb in memory. A value is the JSON of a record, preceded
// by its sort keys so that comparisons need not parse it: eight bytes of the date,
// two bytes of the length of the name, and the name. Ties break by key, which is
// the id with leading zeros.
type buntStore struct{ db *buntdb.DB }

const (
	nameAt    = 10 // in a value
	buntStart = "start"
	buntName  = "name"
)

func newBuntDB() store {
	db, err := buntdb.Open(":memory:")
	check(err)
	check(db.CreateIndex(buntStart, "*", func(a, b string) bool { return a[:8] < b[:8] }))
	check(db.CreateIndex(buntName, "*", func(a, b string) bool { return buntNameOf(a) < buntNameOf(b) }))
	return &buntStore{db}
}

func buntKey(id int) string { return fmt.Sprintf("%010d", id) }

func buntID(key string) int {
	id, err := strconv.Atoi(key)
	check(err)
	return id
}

func buntValue(r *record) string {
	name := r.event.Name
	b := make([]byte, 0, nameAt+len(name)+len(r.json))
	b = binary.BigEndian.AppendUint64(b, uint64(r.event.StartDate.UnixMicro()))
	b = binary.BigEndian.AppendUint16(b, uint16(len(name)))
	b = append(b, name...)
	return string(append(b, r.json...))
}

func buntNameEnd(value string) int { return nameAt + int(value[8])<<8 + int(value[9]) }

func buntNameOf(value string) string { return value[nameAt:buntNameEnd(value)] }

func buntJSON(value string) string { return value[buntNameEnd(value):] }

func (s *buntStore) name() string { return "buntdb" }

func (s *buntStore) load(records []record) { s.batch(records) }

func (s *buntStore) insert(r *record) { s.update(r) }

func (s *buntStore) update(r *record) {
	check(s.db.Update(func(tx *buntdb.Tx) error { return buntPut(tx, r) }))
}

func buntPut(tx *buntdb.Tx, r *record) error {
	_, _, err := tx.Set(buntKey(r.event.ID), buntValue(r), nil)
	return err
}

func (s *buntStore) delete(id int) {
	check(s.db.Update(func(tx *buntdb.Tx) error {
		_, err := tx.Delete(buntKey(id))
		return err
	}))
}

func (s *buntStore) batch(records []record) {
	check(s.db.Update(func(tx *buntdb.Tx) error {
		for i := range records {
			if err := buntPut(tx, &records[i]); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (s *buntStore) count() (n int) {
	check(s.db.View(func(tx *buntdb.Tx) (err error) {
		n, err = tx.Len()
		return err
	}))
	return n
}

func (s *buntStore) get(id int) (e resources.Event, ok bool) {
	err := s.db.View(func(tx *buntdb.Tx) error {
		value, err := tx.Get(buntKey(id))
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(buntJSON(value)), &e)
	})
	if err == buntdb.ErrNotFound {
		return e, false
	}
	check(err)
	return e, true
}

type buntRow struct{ key, value string }

// page skips the records before the offset one by one: buntdb has no other way.
func (s *buntStore) page(page []buntRow, o order, offset int) (_ []buntRow, count int) {
	page = slices.Grow(page, pageSize)
	check(s.db.View(func(tx *buntdb.Tx) (err error) {
		if count, err = tx.Len(); err != nil || offset >= count {
			return err
		}
		skip := offset
		each := func(key, value string) bool {
			if skip > 0 {
				skip--
				return true
			}
			page = append(page, buntRow{key, value})
			return len(page) < pageSize
		}
		switch o {
		case byStart:
			return tx.Ascend(buntStart, each)
		case byName:
			return tx.Ascend(buntName, each)
		}
		return tx.Descend(buntName, each)
	}))
	return page, count
}

func (s *buntStore) view(p *pageBuffer, o order, offset int) (count int) {
	p.bunt, count = s.page(p.bunt[:0], o, offset)
	return count
}

func (s *buntStore) ids(p *pageBuffer) (ids []int) {
	for _, row := range p.bunt {
		ids = append(ids, buntID(row.key))
	}
	return ids
}

func (s *buntStore) copies(o order, offset int) ([]resources.Event, int) {
	page, count := s.page(nil, o, offset)
	events := make([]resources.Event, len(page))
	for i, row := range page {
		check(json.Unmarshal([]byte(buntJSON(row.value)), &events[i]))
	}
	return events, count
}

func (s *buntStore) envelope(dst []byte, o order, offset int) []byte {
	page, count := s.page(nil, o, offset)
	dst = appendHead(dst, o, offset, count)
	for _, row := range page {
		dst = appendRecord(dst, buntJSON(row.value))
	}
	return appendTail(dst)
}

func (s *buntStore) close() { check(s.db.Close()) }
