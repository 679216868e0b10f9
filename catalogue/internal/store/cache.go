package store

import (
	"slices"
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

// Entries are the entries of a page, in order. They may refer to arrays of an index, which
// never change. The zero value is empty.
type Entries struct {
	head, tail []*Entry // in the order of the index
	desc       bool     // the index is read backwards
}

// Len returns the number of entries. O(1).
func (es Entries) Len() int { return len(es.head) + len(es.tail) }

// At returns the entry with index i. O(1).
func (es Entries) At(i int) *Entry {
	if es.desc {
		i = es.Len() - 1 - i
	}
	if i < len(es.head) {
		return es.head[i]
	}
	return es.tail[i-len(es.head)]
}

func (es Entries) appendTo(dst []*Entry) []*Entry {
	for i := range es.Len() {
		dst = append(dst, es.At(i))
	}
	return dst
}

// parts caches runs of the entries of an index in arrays, so that a page can refer to
// them without descending the tree or calling a function for each record.
//
// Readers fill the cache with the parts that are read often. The directory is made after a
// number of pages that grows with the index, and the array of a part after partPages pages
// began or ended in the part. A page therefore costs at most about three times as
// much as without the cache, for any size of the index. An array takes 8 bytes for
// each of its entries, and the directory an eighth of a byte for each entry of the
// index.
//
// A write drops the arrays whose entries it moves. Forks share the others. To find them
// costs as much as some pages save, so reads pay for it: if they are too few, a write
// drops all arrays.
type parts struct {
	needed    atomic.Int32 // pages read while there was no directory
	directory atomic.Pointer[directory]
	read      atomic.Int32 // pages read since the last write, at most maxPaid
	credit    atomic.Int32 // the number of writes that reads have paid for
}

// A directory has the chunks of an index. A chunk that forks may share is never written to
// by a write to the index, which replaces it.
type directory []*chunk

// A chunk has the arrays of some parts. A part is a run of partLen entries of an index.
type chunk struct {
	arrays [chunkParts]atomic.Pointer[[]*Entry]
	pages  *[chunkParts]atomic.Int32 // that needed the array; shared with the chunk's successor
}

const (
	partShift  = 7
	partLen    = 1 << partShift
	partPages  = 8 // pages that begin or end in a part before its array is made
	chunkParts = 64

	// partCredit is the number of writes that the pages have paid for that were read until
	// an array was made.
	partCredit = 2

	// paidBy is the number of pages from arrays that pay for a write.
	paidBy  = 16
	maxPaid = 4 * paidBy
)

// get returns the directory of an index of n entries, or nil if too few pages were read to
// make it.
func (p *parts) get(n int) directory {
	if d := p.directory.Load(); d != nil {
		return *d
	}
	if p.needed.Add(1) < int32(4+n>>10) {
		return nil
	}
	d := directory(nil).grow(n)
	p.credit.Add(partCredit)
	p.directory.CompareAndSwap(nil, &d)
	return *p.directory.Load()
}

// grow returns the directory with chunks for n entries.
func (d directory) grow(n int) directory {
	for len(d)*chunkParts <= n>>partShift {
		d = append(d, &chunk{pages: new([chunkParts]atomic.Int32)})
	}
	return d
}

// kept reports whether there are arrays that a write must drop.
func (p *parts) kept() bool { return p.directory.Load() != nil }

// pay reports whether a write to an index of n entries must call moved. If reads have not
// paid for it, pay drops all arrays. It must be called once for each write.
func (p *parts) pay(n int) bool {
	if !p.kept() {
		return false
	}
	// The credit is limited, so that an index that is no longer read has no arrays.
	most := int32(partCredit * (n>>partShift + 2))
	credit := min(p.credit.Load()+p.read.Load()/paidBy, most) - 1
	p.read.Store(0)
	if credit < 0 {
		p.drop()
		return false
	}
	p.credit.Store(credit)
	return true
}

// count counts a page that was read from arrays.
func (p *parts) count() {
	if p.read.Load() < maxPaid { // otherwise readers share the counter without writing to it
		p.read.Add(1)
	}
}

// share makes the parts those of a fork of an index.
func (p *parts) share(of *parts) {
	if d := of.directory.Load(); d != nil {
		list := slices.Clone(*d)
		p.directory.Store(&list)
		p.credit.Store(of.credit.Load())
		p.read.Store(of.read.Load())
	}
}

// drop drops all arrays.
func (p *parts) drop() {
	if p.needed.Load() != 0 || p.kept() {
		p.needed.Store(0)
		p.credit.Store(0)
		p.directory.Store(nil)
	}
}

// moved drops the arrays of the positions from first to last in an index of n entries.
func (p *parts) moved(first, last, n int) {
	d := p.directory.Load()
	*d = d.grow(n)
	first, last = first>>partShift, min(last>>partShift, len(*d)*chunkParts-1)
	for i := first / chunkParts; i <= last/chunkParts; i++ {
		(*d)[i] = (*d)[i].without(first-i*chunkParts, last-i*chunkParts)
	}
}

// without returns a copy of a chunk without the arrays of the parts from first to last. The
// pages of these parts still count, so that an array that is read often is soon made again.
func (c *chunk) without(first, last int) *chunk {
	left := &chunk{pages: c.pages}
	for i := range c.arrays {
		if i < first || i > last {
			if array := c.arrays[i].Load(); array != nil {
				left.arrays[i].Store(array)
			}
		}
	}
	return left
}

// array returns the entries of part i, or nil if too few pages were read to make
// its array.
func (t *tree[K]) array(list directory, i int) []*Entry {
	c, at := list[i/chunkParts], i%chunkParts
	if entries := c.arrays[at].Load(); entries != nil {
		return *entries
	}
	switch n := c.pages[at].Add(1); {
	case n < partPages:
		return nil
	case n == partPages: // an array that is made again after a write pays for no other
		t.parts.credit.Add(partCredit)
	}
	first := i << partShift
	entries := t.walk(make([]*Entry, 0, min(partLen, t.len()-first)), first, partLen, false)
	c.arrays[at].Store(&entries)
	return entries
}

// view returns the n entries after the first offset entries. ok is false if they are not in
// one or two arrays.
func (t *tree[K]) view(offset, n int, desc bool) (es Entries, ok bool) {
	if n > partLen {
		return Entries{}, false
	}
	list := t.parts.get(t.len())
	if list == nil {
		return Entries{}, false
	}
	pos := offset
	if desc {
		pos = t.len() - offset - n
	}
	part, first := pos>>partShift, pos&(partLen-1)
	head := t.array(list, part)
	if head == nil {
		return Entries{}, false
	}
	es = Entries{head: head[first:min(first+n, len(head))], desc: desc}
	if n -= len(es.head); n > 0 {
		tail := t.array(list, part+1)
		if tail == nil {
			return Entries{}, false
		}
		es.tail = tail[:n]
	}
	t.parts.count()
	return es, true
}

// page appends the n entries after the first offset entries, or as many as there
// are.
func (t *tree[K]) page(dst []*Entry, offset, n int, desc bool) []*Entry {
	n = min(n, t.len()-offset)
	if n <= 0 {
		return dst
	}
	if es, ok := t.view(offset, n, desc); ok {
		return es.appendTo(dst)
	}
	if desc {
		offset = t.len() - 1 - offset
	}
	return t.walk(dst, offset, n, desc)
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
// write to it, other than set.
func (t *tree[K]) dropCaches() {
	t.parts.drop()
	t.dropRanks()
}

// dropRanks drops the ranks and items that searches remember.
func (t *tree[K]) dropRanks() {
	t.probes.drop()
	t.recent.drop()
}
