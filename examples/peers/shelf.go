package main

import (
	"slices"

	"github.com/tidwall/btree"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A kind describes a record type of a program's own to the stores that hold it.
// The first order is the default.
type kind[T any] struct {
	id     func(*T) *int
	copy   func(*T) T
	orders []func(a, b *T) int // ties break by id
	names  []string            // of the fields that the orders are by
}

// shelf is one way to keep records of such a type.
type shelf[T any] interface {
	writer[T]
	load([]T) // into an empty one, sorted by id; afterwards all orders are ready
	get(id int) (T, bool)
	page(offset int) (count int) // in the default order, shown at least cost
}

// typed is a collection of this library.
type typed[T any] struct {
	records *catalogue.Collection[T]
	names   []string
	seen    catalogue.View[T]
}

func newTyped[T any](k kind[T]) shelf[T] {
	records, err := catalogue.NewCollection[T](catalogue.Options{Ordering: []ordering.Term{ordering.Asc(k.names[0])}})
	check(err)
	return &typed[T]{records: records, names: k.names}
}

func (s *typed[T]) load(records []T) {
	check(s.records.Batch(func(tx *catalogue.Tx[T]) error {
		for i := range records {
			if _, err := tx.Insert(records[i]); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, name := range s.names { // the first use of an order sorts
		_, err := s.records.View(pagination.Window{Limit: 1}, ordering.Asc(name))
		check(err)
	}
}

func (s *typed[T]) insert(r *T) {
	_, err := s.records.Insert(*r)
	check(err)
}

func (s *typed[T]) update(r *T) {
	_, err := s.records.Upsert(*r)
	check(err)
}

func (s *typed[T]) delete(id int) { check(s.records.Delete(id)) }

func (s *typed[T]) batch(records []T) {
	check(s.records.Batch(func(tx *catalogue.Tx[T]) error {
		for i := range records {
			if _, err := tx.Upsert(records[i]); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (s *typed[T]) get(id int) (T, bool) {
	r, err := s.records.Get(id)
	return r, err == nil
}

func (s *typed[T]) page(offset int) (count int) {
	v, err := s.records.View(pagination.Window{Limit: pageSize, Offset: offset})
	check(err)
	s.seen = v
	return v.Count()
}

// trees are bare B-trees of pointers to copies made by hand, by id and for each
// order, compared through the pointers.
type trees[T any] struct {
	kind    kind[T]
	id      *btree.BTreeG[*T]
	ordered []*btree.BTreeG[*T]
	wanted  T // to look for an id
	seen    []*T
}

func newTrees[T any](k kind[T]) shelf[T] {
	tree := func(less func(a, b *T) bool) *btree.BTreeG[*T] {
		return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
	}
	s := &trees[T]{kind: k, id: tree(func(a, b *T) bool { return *k.id(a) < *k.id(b) })}
	for _, compare := range k.orders {
		s.ordered = append(s.ordered, tree(func(a, b *T) bool { return compare(a, b) < 0 }))
	}
	return s
}

func (s *trees[T]) stored(r *T) *T {
	c := s.kind.copy(r)
	return &c
}

func (s *trees[T]) load(records []T) {
	all := make([]*T, len(records))
	for i := range records {
		all[i] = s.stored(&records[i])
		s.id.Load(all[i])
	}
	for i, tree := range s.ordered {
		slices.SortFunc(all, s.kind.orders[i])
		for _, r := range all {
			tree.Load(r)
		}
	}
}

func (s *trees[T]) insert(r *T) { s.set(s.stored(r)) }

func (s *trees[T]) set(r *T) {
	s.id.Set(r)
	for _, tree := range s.ordered {
		tree.Set(r)
	}
}

func (s *trees[T]) update(r *T) {
	if old, ok := s.id.Get(r); ok {
		for i, tree := range s.ordered {
			if s.kind.orders[i](old, r) != 0 {
				tree.Delete(old)
			}
		}
	}
	s.set(s.stored(r))
}

func (s *trees[T]) delete(id int) {
	if old, ok := s.id.Delete(s.key(id)); ok {
		for _, tree := range s.ordered {
			tree.Delete(old)
		}
	}
}

func (s *trees[T]) batch(records []T) {
	for i := range records {
		s.update(&records[i])
	}
}

func (s *trees[T]) key(id int) *T {
	*s.kind.id(&s.wanted) = id
	return &s.wanted
}

func (s *trees[T]) get(id int) (r T, ok bool) {
	if stored, ok := s.id.Get(s.key(id)); ok {
		return s.kind.copy(stored), true
	}
	return r, false
}

func (s *trees[T]) page(offset int) (count int) {
	s.seen = s.seen[:0]
	if first, ok := s.ordered[0].GetAt(offset); ok {
		s.ordered[0].Ascend(first, func(r *T) bool {
			s.seen = append(s.seen, r)
			return len(s.seen) < pageSize
		})
	}
	return s.id.Len()
}
