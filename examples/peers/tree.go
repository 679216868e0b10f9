package main

import (
	"slices"

	"github.com/tidwall/btree"
)

// treeStore uses tidwall/btree alone, with a tree of pointers for each order and
// without locks or snapshots.
type treeStore[T any] struct {
	kind    *kind[T]
	id      *btree.BTreeG[*item[T]]
	ordered []*btree.BTreeG[*item[T]]
	compare []func(a, b *item[T]) int
	wanted  item[T] // used to look up a record without an allocation
}

func newTree[T any](k *kind[T]) store[T] {
	s := &treeStore[T]{kind: k, id: bare(func(a, b *item[T]) bool { return k.idOf(a) < k.idOf(b) })}
	for i := range k.orders {
		compare := k.compare(i)
		s.compare = append(s.compare, compare)
		s.ordered = append(s.ordered, bare(func(a, b *item[T]) bool { return compare(a, b) < 0 }))
	}
	return s
}

func bare[E any](less func(a, b E) bool) *btree.BTreeG[E] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

func (s *treeStore[T]) name() string { return "btree" }

// load sorts the records for each tree, because appending to a tree is faster than
// inserting.
func (s *treeStore[T]) load(records []item[T]) {
	all := make([]*item[T], len(records))
	for i := range records {
		all[i] = s.kind.stored(&records[i])
		s.id.Load(all[i])
	}
	for i, tree := range s.ordered {
		slices.SortFunc(all, s.compare[i])
		for _, r := range all {
			tree.Load(r)
		}
	}
}

func (s *treeStore[T]) put(records []item[T], fresh bool) {
	for i := range records {
		r := s.kind.stored(&records[i])
		old, ok := s.id.Set(r)
		for i, tree := range s.ordered {
			if ok && s.compare[i](old, r) != 0 {
				tree.Delete(old)
			}
			tree.Set(r)
		}
	}
}

func (s *treeStore[T]) delete(id int) {
	if old, ok := s.id.Delete(s.key(id)); ok {
		for _, tree := range s.ordered {
			tree.Delete(old)
		}
	}
}

func (s *treeStore[T]) key(id int) *item[T] {
	*s.kind.id(&s.wanted.value) = id
	return &s.wanted
}

func (s *treeStore[T]) get(id int) (value T, ok bool) {
	r, ok := s.id.Get(s.key(id))
	if ok {
		value = s.kind.clone(r.value)
	}
	return value, ok
}

// view descends twice: to the item at the offset, and to that item by its key.
func (s *treeStore[T]) view(p *page[T], o order, offset int) (count int) {
	tree, count := s.ordered[o.index()], s.id.Len()
	at, walk := offset, tree.Ascend
	if o == byNameDown {
		at, walk = count-1-offset, tree.Descend
	}
	items := slices.Grow(p.items[:0], pageSize)
	if first, ok := tree.GetAt(at); ok {
		walk(first, func(r *item[T]) bool {
			items = append(items, r)
			return len(items) < pageSize
		})
	}
	p.items = items
	return count
}

func (s *treeStore[T]) close() {}
