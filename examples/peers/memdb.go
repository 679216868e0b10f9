package main

import (
	"fmt"
	"slices"

	"github.com/hashicorp/go-memdb"
)

// memdbStore uses hashicorp/go-memdb. It has a radix tree for each order, whose keys
// end in the id to break ties. go-memdb does not count rows, so the number of
// records is a row of another table, written in the same transaction.
type memdbStore[T any] struct {
	kind *kind[T]
	db   *memdb.MemDB
}

// size is the only row of the table with the number of records.
type size struct{ records int }

type sizeIndex struct{}

func (sizeIndex) FromObject(interface{}) (bool, []byte, error) { return true, []byte{0}, nil }
func (sizeIndex) FromArgs(...interface{}) ([]byte, error)      { return []byte{0}, nil }

// radix is an index of items. The argument of a search is an int or a string.
type radix[T any] func(dst []byte, r *item[T]) []byte

func (key radix[T]) FromObject(object interface{}) (bool, []byte, error) {
	return true, key(make([]byte, 0, 48), object.(*item[T])), nil
}

func (radix[T]) FromArgs(args ...interface{}) ([]byte, error) {
	switch arg := args[0].(type) {
	case int:
		return number(nil, arg), nil
	case string:
		return text(nil, arg), nil
	}
	return nil, fmt.Errorf("want an int or a string, got %v", args)
}

func (radix[T]) PrefixFromArgs(args ...interface{}) ([]byte, error) {
	return []byte(args[0].(string)), nil
}

func newMemDB[T any](k *kind[T]) store[T] {
	index := func(name string, indexer memdb.Indexer) *memdb.IndexSchema {
		return &memdb.IndexSchema{Name: name, Unique: true, Indexer: indexer}
	}
	byID := radix[T](func(dst []byte, r *item[T]) []byte { return number(dst, k.idOf(r)) })
	indexes := map[string]*memdb.IndexSchema{"id": index("id", byID)}
	for _, o := range k.orders {
		indexes[o.field] = index(o.field, radix[T](func(dst []byte, r *item[T]) []byte {
			return number(o.key(dst, &r.value), k.idOf(r))
		}))
	}
	if k.unique != nil {
		indexes["slug"] = index("slug", radix[T](func(dst []byte, r *item[T]) []byte {
			return text(dst, k.unique(&r.value))
		}))
	}
	db, err := memdb.NewMemDB(&memdb.DBSchema{Tables: map[string]*memdb.TableSchema{
		"records": {Name: "records", Indexes: indexes},
		"size":    {Name: "size", Indexes: map[string]*memdb.IndexSchema{"id": index("id", sizeIndex{})}},
	}})
	check(err)
	return &memdbStore[T]{k, db}
}

func (s *memdbStore[T]) name() string { return "memdb" }

// write runs a transaction that adds more to the number of records.
func (s *memdbStore[T]) write(more int, f func(*memdb.Txn)) {
	txn := s.db.Txn(true)
	defer txn.Abort() // has no effect after Commit
	f(txn)
	if more != 0 {
		check(txn.Insert("size", &size{s.size(txn) + more}))
	}
	txn.Commit()
}

func (s *memdbStore[T]) load(records []item[T]) { s.put(records, true) }

func (s *memdbStore[T]) put(records []item[T], fresh bool) {
	more := 0
	if fresh {
		more = len(records)
	}
	s.write(more, func(txn *memdb.Txn) {
		for i := range records {
			check(txn.Insert("records", s.kind.stored(&records[i])))
		}
	})
}

func (s *memdbStore[T]) delete(id int) {
	var r item[T]
	*s.kind.id(&r.value) = id
	s.write(-1, func(txn *memdb.Txn) { check(txn.Delete("records", &r)) })
}

func (s *memdbStore[T]) size(txn *memdb.Txn) int {
	row, err := txn.First("size", "id")
	check(err)
	if row == nil {
		return 0
	}
	return row.(*size).records
}

func (s *memdbStore[T]) get(id int) (value T, ok bool) {
	r := s.one("id", id)
	if r == nil {
		return value, false
	}
	return s.kind.clone(r.value), true
}

func (s *memdbStore[T]) one(index string, arg any) *item[T] {
	row, err := s.db.Txn(false).First("records", index, arg)
	check(err)
	if row == nil {
		return nil
	}
	return row.(*item[T])
}

// view skips the records before the offset one by one: go-memdb has no other way.
func (s *memdbStore[T]) view(p *page[T], o order, offset int) (count int) {
	txn := s.db.Txn(false)
	get := txn.Get
	if o == byNameDown {
		get = txn.GetReverse
	}
	rows, err := get("records", s.kind.orders[o.index()].field)
	check(err)
	count = s.size(txn)
	start, end := bounds(offset, count)
	for range start {
		rows.Next()
	}
	p.items = slices.Grow(p.items[:0], pageSize)
	for range end - start {
		p.items = append(p.items, rows.Next().(*item[T]))
	}
	return count
}

func (s *memdbStore[T]) close() {}
