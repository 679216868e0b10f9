package main

import (
	"slices"

	"github.com/gobacklist/backlist/resources"
	"github.com/tidwall/btree"
)

// btreeStore uses tidwall/btree alone, with a tree of pointers for each order and
// without locks or snapshots.
type btreeStore struct {
	pointers
	id, start, byName *btree.BTreeG[*record]

	wanted record // used to look up an id without an allocation
}

func newBTree() store {
	tree := func(less func(a, b *record) bool) *btree.BTreeG[*record] {
		return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
	}
	return &btreeStore{
		id:     tree(func(a, b *record) bool { return a.event.ID < b.event.ID }),
		start:  tree(func(a, b *record) bool { return compareStart(a, b) < 0 }),
		byName: tree(func(a, b *record) bool { return compareName(a, b) < 0 }),
	}
}

func (s *btreeStore) name() string { return "btree" }

// load sorts the records for each tree, because appending to a tree is faster than
// inserting.
func (s *btreeStore) load(records []record) {
	all := make([]*record, len(records))
	for i := range records {
		all[i] = records[i].stored()
		s.id.Load(all[i])
	}
	slices.SortFunc(all, compareStart)
	for _, r := range all {
		s.start.Load(r)
	}
	slices.SortFunc(all, compareName)
	for _, r := range all {
		s.byName.Load(r)
	}
}

func (s *btreeStore) set(r *record) {
	s.id.Set(r)
	s.start.Set(r)
	s.byName.Set(r)
}

func (s *btreeStore) insert(r *record) { s.set(r.stored()) }

func (s *btreeStore) update(r *record) {
	old, ok := s.id.Get(r)
	if ok && compareStart(old, r) != 0 {
		s.start.Delete(old)
	}
	if ok && compareName(old, r) != 0 {
		s.byName.Delete(old)
	}
	s.set(r.stored())
}

func (s *btreeStore) delete(id int) {
	if old, ok := s.id.Delete(s.key(id)); ok {
		s.start.Delete(old)
		s.byName.Delete(old)
	}
}

func (s *btreeStore) key(id int) *record {
	s.wanted.event.ID = id
	return &s.wanted
}

func (s *btreeStore) batch(records []record) {
	for i := range records {
		s.update(&records[i])
	}
}

func (s *btreeStore) count() int { return s.id.Len() }

func (s *btreeStore) get(id int) (e resources.Event, ok bool) {
	r, ok := s.id.Get(s.key(id))
	if ok {
		e = cloneOf(r.event)
	}
	return e, ok
}

// page descends twice: to the item at the offset, and to that item by its key.
func (s *btreeStore) page(page []*record, o order, offset int) []*record {
	tree, at := s.start, offset
	if o != byStart {
		tree = s.byName
	}
	if o == byNameDown {
		at = tree.Len() - 1 - offset
	}
	first, ok := tree.GetAt(at)
	if !ok {
		return page
	}
	page = slices.Grow(page, pageSize)
	collect := func(r *record) bool {
		page = append(page, r)
		return len(page) < pageSize
	}
	if o == byNameDown {
		tree.Descend(first, collect)
	} else {
		tree.Ascend(first, collect)
	}
	return page
}

func (s *btreeStore) view(p *pageBuffer, o order, offset int) (count int) {
	p.records = s.page(p.records[:0], o, offset)
	return s.count()
}

func (s *btreeStore) copies(o order, offset int) ([]resources.Event, int) {
	return cloned(s.page(nil, o, offset)), s.count()
}

func (s *btreeStore) envelope(dst []byte, o order, offset int) []byte {
	return appendPage(dst, o, offset, s.count(), s.page(nil, o, offset))
}

func (s *btreeStore) close() {}
