package main

import (
	"slices"
	"sync"
)

// sliceStore has a slice for each order, which each write keeps sorted, and a map by
// id, guarded by a lock.
type sliceStore[T any] struct {
	kind    *kind[T]
	compare []func(a, b *item[T]) int
	mu      sync.RWMutex
	byID    map[int]*item[T]
	ordered [][]*item[T]
}

func newSlice[T any](k *kind[T]) store[T] {
	s := &sliceStore[T]{kind: k, byID: map[int]*item[T]{}, ordered: make([][]*item[T], len(k.orders))}
	for i := range k.orders {
		s.compare = append(s.compare, k.compare(i))
	}
	return s
}

func (s *sliceStore[T]) name() string { return "slice" }

func (s *sliceStore[T]) load(records []item[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID = make(map[int]*item[T], len(records))
	all := make([]*item[T], len(records))
	for i := range records {
		r := s.kind.stored(&records[i])
		s.byID[s.kind.idOf(r)], all[i] = r, r
	}
	for i, compare := range s.compare {
		s.ordered[i] = slices.Clone(all)
		slices.SortFunc(s.ordered[i], compare)
	}
}

func (s *sliceStore[T]) put(records []item[T], fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range records {
		r := s.kind.stored(&records[i])
		id := s.kind.idOf(r)
		old := s.byID[id]
		s.byID[id] = r
		for i, list := range s.ordered {
			if fresh {
				at, _ := slices.BinarySearchFunc(list, r, s.compare[i])
				s.ordered[i] = slices.Insert(list, at, r)
			} else {
				moved(list, old, r, s.compare[i])
			}
		}
	}
}

// moved replaces old with r at its new position. Only the records between the two
// positions are moved.
func moved[E any](list []E, old, r E, compare func(a, b E) int) {
	from, _ := slices.BinarySearchFunc(list, old, compare)
	to, found := slices.BinarySearchFunc(list, r, compare)
	switch {
	case found: // the key has not changed
	case to > from:
		to--
		copy(list[from:to], list[from+1:to+1])
	default:
		copy(list[to+1:from+1], list[to:from])
	}
	list[to] = r
}

func (s *sliceStore[T]) delete(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.byID[id]
	delete(s.byID, id)
	for i, list := range s.ordered {
		at, _ := slices.BinarySearchFunc(list, old, s.compare[i])
		s.ordered[i] = slices.Delete(list, at, at+1)
	}
}

func (s *sliceStore[T]) get(id int) (value T, ok bool) {
	s.mu.RLock()
	r, ok := s.byID[id]
	s.mu.RUnlock()
	if ok {
		value = s.kind.clone(r.value)
	}
	return value, ok
}

// view copies the pointers of a page because the slice changes in place once the lock is
// released.
func (s *sliceStore[T]) view(p *page[T], o order, offset int) (count int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := s.ordered[o.index()]
	start, end := bounds(offset, len(list))
	if o != byNameDown {
		p.items = append(p.items[:0], list[start:end]...)
		return len(list)
	}
	p.items = append(p.items[:0], list[len(list)-end:len(list)-start]...)
	slices.Reverse(p.items)
	return len(list)
}

func (s *sliceStore[T]) close() {}
