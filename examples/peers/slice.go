package main

import (
	"slices"
	"sync"

	"github.com/gobacklist/backlist/resources"
)

// sliceStore has a slice for each order, which each write keeps sorted, and a map by
// id, guarded by a lock.
type sliceStore struct {
	pointers
	mu     sync.RWMutex
	byID   map[int]*record
	start  []*record
	byName []*record
}

func newSlice() store { return &sliceStore{byID: map[int]*record{}} }

func (s *sliceStore) name() string { return "slice" }

func (s *sliceStore) load(records []record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID = make(map[int]*record, len(records))
	s.start = make([]*record, len(records))
	for i := range records {
		r := records[i].stored()
		s.byID[r.event.ID], s.start[i] = r, r
	}
	s.byName = slices.Clone(s.start)
	slices.SortFunc(s.start, compareStart)
	slices.SortFunc(s.byName, compareName)
}

func (s *sliceStore) insert(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(r.stored())
}

func (s *sliceStore) put(r *record) {
	s.byID[r.event.ID] = r
	s.start = inserted(s.start, r, compareStart)
	s.byName = inserted(s.byName, r, compareName)
}

func inserted[R any](list []*R, r *R, compare func(a, b *R) int) []*R {
	i, _ := slices.BinarySearchFunc(list, r, compare)
	return slices.Insert(list, i, r)
}

// moved replaces old with r at its new position. Only the records between the two
// positions are moved.
func moved(list []*record, old, r *record, compare func(a, b *record) int) {
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

func removed[R any](list []*R, r *R, compare func(a, b *R) int) []*R {
	i, _ := slices.BinarySearchFunc(list, r, compare)
	return slices.Delete(list, i, i+1)
}

func (s *sliceStore) update(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replace(r.stored())
}

func (s *sliceStore) replace(r *record) {
	old := s.byID[r.event.ID]
	s.byID[r.event.ID] = r
	moved(s.start, old, r, compareStart)
	moved(s.byName, old, r, compareName)
}

func (s *sliceStore) delete(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.byID[id]
	delete(s.byID, id)
	s.start = removed(s.start, old, compareStart)
	s.byName = removed(s.byName, old, compareName)
}

func (s *sliceStore) batch(records []record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range records {
		s.replace(records[i].stored())
	}
}

func (s *sliceStore) count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.byID)
}

func (s *sliceStore) get(id int) (e resources.Event, ok bool) {
	s.mu.RLock()
	r, ok := s.byID[id]
	s.mu.RUnlock()
	if ok {
		e = cloneOf(r.event)
	}
	return e, ok
}

// page appends the pointers of a page. It copies them because the slice changes in
// place once the lock is released; the records themselves never change.
func (s *sliceStore) page(page []*record, o order, offset int) (_ []*record, count int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	count = len(s.byID)
	start, end := bounds(offset, count)
	switch o {
	case byStart:
		return append(page, s.start[start:end]...), count
	case byName:
		return append(page, s.byName[start:end]...), count
	}
	page = append(page, s.byName[count-end:count-start]...)
	slices.Reverse(page)
	return page, count
}

func (s *sliceStore) view(p *pageBuffer, o order, offset int) (count int) {
	p.records, count = s.page(p.records[:0], o, offset)
	return count
}

func (s *sliceStore) copies(o order, offset int) ([]resources.Event, int) {
	page, count := s.page(nil, o, offset)
	return cloned(page), count
}

func (s *sliceStore) envelope(dst []byte, o order, offset int) []byte {
	page, count := s.page(nil, o, offset)
	return appendPage(dst, o, offset, count, page)
}

func (s *sliceStore) close() {}
