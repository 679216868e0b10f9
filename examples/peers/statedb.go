package main

import (
	"slices"

	"github.com/cilium/statedb"
	"github.com/cilium/statedb/index"
)

// statedbStore uses cilium/statedb, with an index for each order whose keys end in the id to break
// ties. It has no way to walk backwards, nor to skip records: both walk from the first.
type statedbStore[T any] struct {
	kind  *kind[T]
	db    *statedb.DB
	table statedb.RWTable[*item[T]]
	byID  statedb.Index[*item[T], int]
	by    []statedb.Index[*item[T], []byte]
}

func newStateDB[T any](k *kind[T]) store[T] {
	s := &statedbStore[T]{kind: k, db: statedb.New()}
	s.byID = statedb.Index[*item[T], int]{
		Name:       "id",
		FromObject: func(r *item[T]) index.KeySet { return index.NewKeySet(number(nil, k.idOf(r))) },
		FromKey:    func(id int) index.Key { return number(nil, id) },
		Unique:     true,
	}
	var others []statedb.Indexer[*item[T]]
	for _, o := range k.orders {
		by := statedb.Index[*item[T], []byte]{
			Name: o.field,
			FromObject: func(r *item[T]) index.KeySet {
				return index.NewKeySet(number(o.key(make([]byte, 0, 48), &r.value), k.idOf(r)))
			},
			FromKey: func(key []byte) index.Key { return key },
			Unique:  true,
		}
		s.by, others = append(s.by, by), append(others, by)
	}
	var err error
	s.table, err = statedb.NewTableAny(s.db, "records", func() []string { return nil }, func(*item[T]) []string { return nil }, s.byID, others...)
	check(err)
	return s
}

func (s *statedbStore[T]) name() string { return "statedb" }

func (s *statedbStore[T]) load(records []item[T]) { s.put(records, true) }

func (s *statedbStore[T]) put(records []item[T], _ bool) {
	txn := s.db.WriteTxn(s.table)
	for i := range records {
		_, _, err := s.table.Insert(txn, s.kind.stored(&records[i]))
		check(err)
	}
	txn.Commit()
}

func (s *statedbStore[T]) delete(id int) {
	txn := s.db.WriteTxn(s.table)
	r, _, _ := s.table.Get(txn, s.byID.Query(id))
	_, _, err := s.table.Delete(txn, r)
	check(err)
	txn.Commit()
}

func (s *statedbStore[T]) get(id int) (value T, ok bool) {
	r, _, ok := s.table.Get(s.db.ReadTxn(), s.byID.Query(id))
	if !ok {
		return value, false
	}
	return s.kind.clone(r.value), true
}

func (s *statedbStore[T]) view(p *page[T], o order, offset int) (count int) {
	txn := s.db.ReadTxn()
	count = s.table.NumObjects(txn)
	start, end := bounds(offset, count)
	if o == byNameDown {
		start, end = count-end, count-start
	}
	p.items = slices.Grow(p.items[:0], pageSize)
	at := 0
	for r := range s.table.LowerBound(txn, s.by[o.index()].Query(nil)) {
		if at >= start && at < end {
			p.items = append(p.items, r)
		}
		if at++; at >= end {
			break
		}
	}
	if o == byNameDown {
		slices.Reverse(p.items)
	}
	return count
}

func (s *statedbStore[T]) close() {}
