package store

import "sync/atomic"

// parts caches runs of the entries of an index in arrays, so that a page can be
// copied without descending the tree or calling a function for each record.
//
// Readers fill the cache with the parts that are read often between two writes.
// The next write to the index empties it. The directory is made after a number of
// pages that grows with the index, and the array of a part after partPages pages
// began or ended in the part. A page therefore costs at most about three times as
// much as without the cache, for any size of the index. An array takes 8 bytes for
// each of its entries, and the directory an eighth of a byte for each entry of the
// index.
type parts struct {
	pages     atomic.Int32 // read since the last write
	directory atomic.Pointer[[]part]
}

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

// list returns the directory for an index of n entries, or nil if too few pages
// were read to make it.
func (p *parts) list(n int) []part {
	if d := p.directory.Load(); d != nil {
		return *d
	}
	if p.pages.Add(1) < 4+int32(n>>10) {
		return nil
	}
	d := make([]part, n>>partShift+1)
	p.directory.CompareAndSwap(nil, &d)
	return *p.directory.Load()
}

// drop drops the directory and all arrays. It must be called before each write to
// the index.
func (p *parts) drop() {
	if p.pages.Load() != 0 {
		p.pages.Store(0)
		p.directory.Store(nil)
	}
}

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
	list := t.list(t.len())
	if list == nil || n > partLen {
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
