package main

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/resources"
	"github.com/hashicorp/go-memdb"
)

// memdbStore uses hashicorp/go-memdb. It has a radix tree for each order, whose keys
// end in the id to break ties. go-memdb does not count rows, so the number of
// records is a row of another table, written in the same transaction.
type memdbStore struct {
	pointers
	db *memdb.MemDB
}

// size is the only row of the table with the number of records.
type size struct{ records int }

// eventIndex appends the key of an event in one of the orders.
type eventIndex func(dst []byte, e *resources.Event) []byte

func (key eventIndex) FromObject(object interface{}) (bool, []byte, error) {
	e := &object.(*record).event
	b := key(make([]byte, 0, 48), e)
	return true, binary.BigEndian.AppendUint64(b, uint64(e.ID)), nil
}

// FromArgs returns the key of an id.
func (eventIndex) FromArgs(args ...interface{}) ([]byte, error) {
	id, ok := args[0].(int)
	if !ok {
		return nil, fmt.Errorf("want an id, got %v", args)
	}
	return binary.BigEndian.AppendUint64(nil, uint64(id)), nil
}

type sizeIndex struct{}

func (sizeIndex) FromObject(interface{}) (bool, []byte, error) { return true, []byte{0}, nil }
func (sizeIndex) FromArgs(...interface{}) ([]byte, error)      { return []byte{0}, nil }
func index(name string, indexer memdb.Indexer) *memdb.IndexSchema {
	return &memdb.IndexSchema{Name: name, Unique: true, Indexer: indexer}
}

func newMemDB() store {
	db, err := memdb.NewMemDB(&memdb.DBSchema{Tables: map[string]*memdb.TableSchema{
		"events": {Name: "events", Indexes: map[string]*memdb.IndexSchema{
			"id": index("id", eventIndex(func(dst []byte, _ *resources.Event) []byte { return dst })),
			"start": index("start", eventIndex(func(dst []byte, e *resources.Event) []byte {
				return binary.BigEndian.AppendUint64(dst, uint64(e.StartDate.UnixMicro()))
			})),
			"name": index("name", eventIndex(func(dst []byte, e *resources.Event) []byte {
				return append(append(dst, e.Name...), 0)
			})),
		}},
		"size": {Name: "size", Indexes: map[string]*memdb.IndexSchema{"id": index("id", sizeIndex{})}},
	}})
	check(err)
	return &memdbStore{db: db}
}

func (s *memdbStore) name() string { return "memdb" }

// write runs a transaction that adds more to the number of records.
func (s *memdbStore) write(more int, f func(*memdb.Txn)) {
	txn := s.db.Txn(true)
	defer txn.Abort() // has no effect after Commit
	f(txn)
	if more != 0 {
		check(txn.Insert("size", &size{s.size(txn) + more}))
	}
	txn.Commit()
}

func put(txn *memdb.Txn, r *record) { check(txn.Insert("events", r.stored())) }

func (s *memdbStore) load(records []record) {
	s.write(len(records), func(txn *memdb.Txn) {
		for i := range records {
			put(txn, &records[i])
		}
	})
}

func (s *memdbStore) insert(r *record) { s.write(1, func(txn *memdb.Txn) { put(txn, r) }) }

func (s *memdbStore) update(r *record) { s.write(0, func(txn *memdb.Txn) { put(txn, r) }) }

func (s *memdbStore) delete(id int) {
	s.write(-1, func(txn *memdb.Txn) {
		check(txn.Delete("events", &record{event: resources.Event{ID: id}}))
	})
}

func (s *memdbStore) batch(records []record) {
	s.write(0, func(txn *memdb.Txn) {
		for i := range records {
			put(txn, &records[i])
		}
	})
}

func (s *memdbStore) size(txn *memdb.Txn) int {
	row, err := txn.First("size", "id")
	check(err)
	if row == nil {
		return 0
	}
	return row.(*size).records
}

func (s *memdbStore) count() int { return s.size(s.db.Txn(false)) }

func (s *memdbStore) get(id int) (resources.Event, bool) {
	row, err := s.db.Txn(false).First("events", "id", id)
	check(err)
	if row == nil {
		return resources.Event{}, false
	}
	return cloneOf(row.(*record).event), true
}

// page skips the records before the offset one by one: go-memdb has no other way.
func (s *memdbStore) page(page []*record, o order, offset int) (_ []*record, count int) {
	txn := s.db.Txn(false)
	var rows memdb.ResultIterator
	var err error
	switch o {
	case byStart:
		rows, err = txn.Get("events", "start")
	case byName:
		rows, err = txn.Get("events", "name")
	case byNameDown:
		rows, err = txn.GetReverse("events", "name")
	}
	check(err)
	count = s.size(txn)
	start, end := bounds(offset, count)
	for range start {
		rows.Next()
	}
	page = slices.Grow(page, pageSize)
	for range end - start {
		page = append(page, rows.Next().(*record))
	}
	return page, count
}

func (s *memdbStore) view(p *pageBuffer, o order, offset int) (count int) {
	p.records, count = s.page(p.records[:0], o, offset)
	return count
}

func (s *memdbStore) copies(o order, offset int) ([]resources.Event, int) {
	page, count := s.page(nil, o, offset)
	return cloned(page), count
}

func (s *memdbStore) envelope(dst []byte, o order, offset int) []byte {
	page, count := s.page(nil, o, offset)
	return appendPage(dst, o, offset, count, page)
}

func (s *memdbStore) close() {}
