package main

import (
	"slices"
	"sort"
	"sync"

	"github.com/gobacklist/backlist/resources"
)

// sortStore is the simplest store: a slice of records by id, guarded by a lock. Each
// request sorts a copy of the slice.
type sortStore struct {
	pointers
	mu   sync.RWMutex
	list []*record // by id
}

func newSort() store { return &sortStore{} }

func (s *sortStore) name() string { return "sort" }

func (s *sortStore) load(records []record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = make([]*record, len(records))
	for i := range records {
		s.list[i] = records[i].stored()
	}
}

func (s *sortStore) find(id int) (int, bool) {
	return slices.BinarySearchFunc(s.list, id, func(r *record, id int) int { return r.event.ID - id })
}

func (s *sortStore) insert(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := s.find(r.event.ID)
	s.list = slices.Insert(s.list, i, r.stored())
}

func (s *sortStore) update(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := s.find(r.event.ID)
	s.list[i] = r.stored()
}

func (s *sortStore) delete(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := s.find(id)
	s.list = slices.Delete(s.list, i, i+1)
}

func (s *sortStore) batch(records []record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for j := range records {
		i, _ := s.find(records[j].event.ID)
		s.list[i] = records[j].stored()
	}
}

func (s *sortStore) count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.list)
}

func (s *sortStore) get(id int) (e resources.Event, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, ok := s.find(id)
	if ok {
		e = cloneOf(s.list[i].event)
	}
	return e, ok
}

func (s *sortStore) page(_ []*record, o order, offset int) (page []*record, count int) {
	s.mu.RLock()
	all := slices.Clone(s.list)
	s.mu.RUnlock()
	switch o {
	case byStart:
		sort.Slice(all, func(i, j int) bool { return compareStart(all[i], all[j]) < 0 })
	case byName:
		sort.Slice(all, func(i, j int) bool { return compareName(all[i], all[j]) < 0 })
	case byNameDown:
		sort.Slice(all, func(i, j int) bool { return compareName(all[i], all[j]) > 0 })
	}
	start, end := bounds(offset, len(all))
	return all[start:end], len(all)
}

func (s *sortStore) view(p *pageBuffer, o order, offset int) (count int) {
	p.records, count = s.page(p.records[:0], o, offset)
	return count
}

func (s *sortStore) copies(o order, offset int) ([]resources.Event, int) {
	page, count := s.page(nil, o, offset)
	return cloned(page), count
}

func (s *sortStore) envelope(dst []byte, o order, offset int) []byte {
	page, count := s.page(nil, o, offset)
	return appendPage(dst, o, offset, count, page)
}

func (s *sortStore) close() {}
