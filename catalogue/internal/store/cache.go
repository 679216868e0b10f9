package store

import (
	"sync/atomic"
)

// A lazyList is a list that readers make after they have needed it often, and that the
// next write to the index drops.
type lazyList[T any] struct {
	needed atomic.Int32 // since the last write
	list   atomic.Pointer[[]T]
}

// get returns the list, or nil if it was needed fewer times than often. Its first caller
// after that makes a list of n elements.
func (l *lazyList[T]) get(often, n int) []T {
	if list := l.list.Load(); list != nil {
		return *list
	}
	if l.needed.Add(1) < int32(often) {
		return nil
	}
	list := make([]T, n)
	l.list.CompareAndSwap(nil, &list)
	return *l.list.Load()
}

// drop drops the list. It must be called before each write to the index.
func (l *lazyList[T]) drop() {
	if l.needed.Load() != 0 {
		l.needed.Store(0)
		l.list.Store(nil)
	}
}

// parts caches runs of the entries of an index in arrays, so that a page can be
// copied without descending the tree or calling a function for each record.
//
// Readers fill the cache with the parts that are read often between two writes.
// The next write to the index empties it. The list of parts is made after a number of
// pages that grows with the index, and the array of a part after partPages pages
// began or ended in the part. A page therefore costs at most about three times as
// much as without the cache, for any size of the index. An array takes 8 bytes for
// each of its entries, and the list an eighth of a byte for each entry of the
// index.
type parts = lazyList[part]

// A part is a run of partLen entries of an index.
type part struct {
	pages   atomic.Int32
	entries atomic.Pointer[[]*Entry]
}

const (
	partShift = 7
	partLen   = 1 << partShift
	partPages = 8 // pages that begin or end in a part before its array is made
)

// array returns the entries of part i, or nil if too few pages were read to make
// its array.
func (t *tree[K]) array(list []part, i int) []*Entry {
	p := &list[i]
	if entries := p.entries.Load(); entries != nil {
		return *entries
	}
	if p.pages.Add(1) < partPages {
		return nil
	}
	first := i << partShift
	entries := t.walk(make([]*Entry, 0, min(partLen, t.len()-first)), first, partLen, false)
	p.entries.Store(&entries)
	return entries
}

// page appends the n entries after the first offset entries, or as many as there
// are.
func (t *tree[K]) page(dst []*Entry, offset, n int, desc bool) []*Entry {
	n = min(n, t.len()-offset)
	if n <= 0 {
		return dst
	}
	pos := offset
	if desc {
		pos = t.len() - 1 - offset
	}
	if n > partLen {
		return t.walk(dst, pos, n, desc)
	}
	list := t.parts.get(4+t.len()>>10, t.len()>>partShift+1)
	if list == nil {
		return t.walk(dst, pos, n, desc)
	}
	for n > 0 {
		array := t.array(list, pos>>partShift)
		if array == nil {
			return t.walk(dst, pos, n, desc)
		}
		i := pos & (partLen - 1)
		if !desc {
			array = array[i:min(i+n, len(array))]
			dst = append(dst, array...)
			pos += len(array)
			n -= len(array)
			continue
		}
		for ; i >= 0 && n > 0; i-- {
			dst = append(dst, array[i])
			pos--
			n--
		}
	}
	return dst
}

// probes remembers the items at the positions that every binary search reads first, so
// that a search descends the tree only for the last few.
type probes[K any] = lazyList[atomic.Pointer[item[K]]]

const (
	maxProbes   = 4096 // the items of at most 12 steps
	minSearches = 8    // before the first items are remembered
)

// A rankCache remembers the last ranks, because the pages of one selection and their count have
// the same bounds. The next write to the index drops them.
type rankCache[K any] struct {
	next atomic.Uint32
	all  [8]atomic.Pointer[knownRank[K]]
}

// A knownRank is the number of items before a bound.
type knownRank[K any] struct {
	pivot item[K]
	at    int
}

func (r *rankCache[K]) find(k *kind[K], pivot item[K]) (at int, ok bool) {
	for i := range min(r.next.Load(), uint32(len(r.all))) {
		if b := r.all[i].Load(); b != nil && b.pivot.id == pivot.id && k.compare(b.pivot, pivot) == 0 {
			return b.at, true
		}
	}
	return 0, false
}

func (r *rankCache[K]) add(b *knownRank[K]) {
	r.all[(r.next.Add(1)-1)%uint32(len(r.all))].Store(b)
}

func (r *rankCache[K]) drop() {
	if r.next.Load() != 0 {
		*r = rankCache[K]{}
	}
}

// dropCaches drops what readers remember of the tree. It must be called before each
// write to it.
func (t *tree[K]) dropCaches() {
	t.parts.drop()
	t.probes.drop()
	t.recent.drop()
}
