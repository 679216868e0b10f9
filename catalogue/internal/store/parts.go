package store

import "sync/atomic"

// parts are arrays of the entries of an index, a part of it at a time, so that a
// page is a loop: without a descent, a call for each record, or a cache miss.
//
// Readers make the arrays of what is read often between two writes; the next
// write to the index drops all of them. The directory is made after as many
// pages as pay for it, a part after eight pages that begin or end in it. So no
// page costs more than about three times what it would cost without arrays, however
// large the index is. Each entry in a part takes 8 bytes, the directory an eighth
// of a byte for each entry of the index.
type parts struct {
	pages     atomic.Int32 // read since the last write
	directory atomic.Pointer[[]part]
}

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
// were read.
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

// drop forgets all arrays. The caller is about to write to the index.
func (p *parts) drop() {
	if p.pages.Load() != 0 {
		p.pages.Store(0)
		p.directory.Store(nil)
	}
}

// array returns the entries of part i, or nil if its array is not worth making.
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

// page appends the n entries after the first offset, fewer at the end.
func (t *tree[K]) page(dst []*Entry, offset, n int, desc bool) []*Entry {
	n = min(n, t.len()-offset)
	if n <= 0 {
		return dst
	}
	place := offset
	if desc {
		place = t.len() - 1 - offset
	}
	list := t.list(t.len())
	if list == nil || n > partLen {
		return t.walk(dst, place, n, desc)
	}
	for n > 0 {
		array := t.array(list, place>>partShift)
		if array == nil {
			return t.walk(dst, place, n, desc)
		}
		i := place & (partLen - 1)
		if !desc {
			array = array[i:min(i+n, len(array))]
			dst = append(dst, array...)
			place += len(array)
			n -= len(array)
			continue
		}
		for ; i >= 0 && n > 0; i-- {
			dst = append(dst, array[i])
			place--
			n--
		}
	}
	return dst
}
