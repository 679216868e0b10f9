package main

import (
	"slices"

	"github.com/tidwall/btree"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// recordType describes a program's own record type. The first order is the default.
type recordType[T any] struct {
	id     func(*T) *int
	copy   func(*T) T
	orders []func(a, b *T) int // ties break by id
	names  []string            // the field of each order
}

// typedStore keeps records of a program's own type.
type typedStore[T any] interface {
	writer[T]
	load([]T) // fills an empty store with records in order of id; builds all indexes
	get(id int) (T, bool)
	page(offset int) (count int) // reads a page in the default order, as view does
}

// typedBacklist is a collection of this library.
type typedBacklist[T any] struct {
	records *catalogue.Collection[T]
	names   []string
	seen    catalogue.View[T]
}

func newTypedBacklist[T any](k recordType[T]) typedStore[T] {
	records, err := catalogue.NewCollection[T](catalogue.Options{Ordering: []ordering.Term{ordering.Asc(k.names[0])}})
	check(err)
	return &typedBacklist[T]{records: records, names: k.names}
}

func (s *typedBacklist[T]) load(records []T) {
	check(s.records.Batch(func(tx *catalogue.Tx[T]) error {
		for i := range records {
			if _, err := tx.Insert(records[i]); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, name := range s.names { // builds the indexes
		_, err := s.records.Where().View(pagination.Window{Limit: 1}, ordering.Asc(name))
		check(err)
	}
}

func (s *typedBacklist[T]) insert(r *T) {
	_, err := s.records.Insert(*r)
	check(err)
}

func (s *typedBacklist[T]) update(r *T) {
	_, err := s.records.Upsert(*r)
	check(err)
}

func (s *typedBacklist[T]) delete(id int) { check(s.records.Delete(id)) }

func (s *typedBacklist[T]) batch(records []T) {
	check(s.records.Batch(func(tx *catalogue.Tx[T]) error {
		for i := range records {
			if _, err := tx.Upsert(records[i]); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (s *typedBacklist[T]) get(id int) (T, bool) {
	r, err := s.records.Get(id)
	return r, err == nil
}

func (s *typedBacklist[T]) page(offset int) (count int) {
	v, err := s.records.Where().View(pagination.Window{Limit: pageSize, Offset: offset})
	check(err)
	s.seen = v
	return v.Count()
}

// typedBTree has a bare B-tree of pointers for the ids and one for each order.
type typedBTree[T any] struct {
	of      recordType[T]
	id      *btree.BTreeG[*T]
	ordered []*btree.BTreeG[*T]
	wanted  T // used to look up an id
	seen    []*T
}

func newTypedBTree[T any](k recordType[T]) typedStore[T] {
	tree := func(less func(a, b *T) bool) *btree.BTreeG[*T] {
		return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
	}
	s := &typedBTree[T]{of: k, id: tree(func(a, b *T) bool { return *k.id(a) < *k.id(b) })}
	for _, compare := range k.orders {
		s.ordered = append(s.ordered, tree(func(a, b *T) bool { return compare(a, b) < 0 }))
	}
	return s
}

func (s *typedBTree[T]) stored(r *T) *T {
	c := s.of.copy(r)
	return &c
}

func (s *typedBTree[T]) load(records []T) {
	all := make([]*T, len(records))
	for i := range records {
		all[i] = s.stored(&records[i])
		s.id.Load(all[i])
	}
	for i, tree := range s.ordered {
		slices.SortFunc(all, s.of.orders[i])
		for _, r := range all {
			tree.Load(r)
		}
	}
}

func (s *typedBTree[T]) insert(r *T) { s.set(s.stored(r)) }

func (s *typedBTree[T]) set(r *T) {
	s.id.Set(r)
	for _, tree := range s.ordered {
		tree.Set(r)
	}
}

func (s *typedBTree[T]) update(r *T) {
	if old, ok := s.id.Get(r); ok {
		for i, tree := range s.ordered {
			if s.of.orders[i](old, r) != 0 {
				tree.Delete(old)
			}
		}
	}
	s.set(s.stored(r))
}

func (s *typedBTree[T]) delete(id int) {
	if old, ok := s.id.Delete(s.key(id)); ok {
		for _, tree := range s.ordered {
			tree.Delete(old)
		}
	}
}

func (s *typedBTree[T]) batch(records []T) {
	for i := range records {
		s.update(&records[i])
	}
}

func (s *typedBTree[T]) key(id int) *T {
	*s.of.id(&s.wanted) = id
	return &s.wanted
}

func (s *typedBTree[T]) get(id int) (r T, ok bool) {
	if stored, ok := s.id.Get(s.key(id)); ok {
		return s.of.copy(stored), true
	}
	return r, false
}

func (s *typedBTree[T]) page(offset int) (count int) {
	s.seen = s.seen[:0]
	if first, ok := s.ordered[0].GetAt(offset); ok {
		s.ordered[0].Ascend(first, func(r *T) bool {
			s.seen = append(s.seen, r)
			return len(s.seen) < pageSize
		})
	}
	return s.id.Len()
}
