package main

import (
	"slices"
	"sync"

	"github.com/gobacklist/backlist/resources"
)

// sliced is a sorted slice for each order, kept sorted by each write, and a map
// by id, behind a lock.
type sliced struct {
	pointers
	mu     sync.RWMutex
	byID   map[int]*record
	start  []*record
	byName []*record
}

func newSliced() store { return &sliced{byID: map[int]*record{}} }

func (s *sliced) name() string { return "slice" }

func (s *sliced) load(records []record) {
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

func (s *sliced) insert(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(r.stored())
}

func (s *sliced) put(r *record) {
	s.byID[r.event.ID] = r
	s.start = inserted(s.start, r, compareStart)
	s.byName = inserted(s.byName, r, compareName)
}

func inserted[R any](list []*R, r *R, compare func(a, b *R) int) []*R {
	i, _ := slices.BinarySearchFunc(list, r, compare)
	return slices.Insert(list, i, r)
}

// moved takes a record to its new place: what lies between the two shifts by
// one, the rest of the list stays.
func moved(list []*record, old, r *record, compare func(a, b *record) int) {
	from, _ := slices.BinarySearchFunc(list, old, compare)
	to, found := slices.BinarySearchFunc(list, r, compare)
	switch {
	case found: // its key stays
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

func (s *sliced) update(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replace(r.stored())
}

func (s *sliced) replace(r *record) {
	old := s.byID[r.event.ID]
	s.byID[r.event.ID] = r
	moved(s.start, old, r, compareStart)
	moved(s.byName, old, r, compareName)
}

func (s *sliced) delete(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.byID[id]
	delete(s.byID, id)
	s.start = removed(s.start, old, compareStart)
	s.byName = removed(s.byName, old, compareName)
}

func (s *sliced) batch(records []record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range records {
		s.replace(records[i].stored())
	}
}

func (s *sliced) count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.byID)
}

func (s *sliced) get(id int) (e resources.Event, ok bool) {
	s.mu.RLock()
	r, ok := s.byID[id]
	s.mu.RUnlock()
	if ok {
		e = r.event.Clone()
	}
	return e, ok
}

// page copies the pointers out: the slice changes in place once the lock is gone.
// The records behind them never change.
func (s *sliced) page(page []*record, o order, offset int) (_ []*record, count int) {
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

func (s *sliced) view(p *screen, o order, offset int) (count int) {
	p.records, count = s.page(p.records[:0], o, offset)
	return count
}

func (s *sliced) copies(o order, offset int) ([]resources.Event, int) {
	page, count := s.page(nil, o, offset)
	return cloned(page), count
}

func (s *sliced) envelope(dst []byte, o order, offset int) []byte {
	page, count := s.page(nil, o, offset)
	return appendPage(dst, o, offset, count, page)
}

func (s *sliced) close() {}
