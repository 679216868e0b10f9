package store

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// parts divides an index into parts, so that a page can refer to arrays of entries, and a
// search finds the position of a key, without descending the tree.
//
// Readers pay for what they make. The directory is made after a number of reads that grows
// with the index, the array of a part after partReads pages that begin or end in the part, and
// its keys after as many searches in it. A directory begins with one part, which the next reads
// divide, each a little. A read therefore costs at most about three times as much as without
// parts, for any size of the index. An array takes 8 bytes for each of its entries, keys take
// their own size, and the directory about a byte for each entry of the index.
//
// A write is only noted. Each of the next reads changes a few of the parts that were written to,
// and moves no other. Until all are changed, reads descend the tree. A write drops all parts if
// the changes would cost as much as making the directory.
type parts[K any] struct {
	directory atomic.Pointer[directory[K]]
	reads     atomic.Int32 // while there was no directory
}

// A directory has the parts of an index in order. Forks share its chunks and parts. It changes
// those that it owns in place, and copies the others.
type directory[K any] struct {
	chunks []*chunk[K]
	ends   []int // the number of entries up to the end of each chunk
	owner  *owner

	behind  atomic.Bool // there are writes that are not applied, or unfit parts; no reader uses the parts then
	mu      sync.Mutex  // locked by the reader that changes that
	writes  []written[K]
	applied int       // of the writes
	unfit   []item[K] // the first items of parts that are empty, too large or too small, perhaps

	texts      atomic.Int64 // size in bytes of the texts of parts, as of the last search
	unsearched atomic.Int64 // entries written since
}

// A written is an item, without its entry, that was added to an index, replaced or removed.
type written[K any] struct {
	item[K]
	n int // 1, 0 or -1
}

// An owner identifies the directory that made a chunk or a part, until it is forked.
type owner struct{ _ byte }

// A chunk is some consecutive parts. A search reads their first items next to each other.
type chunk[K any] struct {
	firsts []item[K] // without their entries
	parts  []*part[K]
	ends   []int // the number of its entries up to the end of each part
	owner  *owner
}

// A part is a run of consecutive entries of an index. Readers of any fork add arrays.
type part[K any] struct {
	n        int // the number of entries, at least 1
	owner    *owner
	pages    atomic.Int32 // that began or ended in it before its array was made
	searches atomic.Int32 // before its keys were
	arrays   atomic.Pointer[arrays[K]]
	columns  atomic.Pointer[column]
}

// arrays has the entries of a part and, after some searches, their keys.
type arrays[K any] struct {
	entries []*Entry
	keys    []K
}

const (
	partLen     = 128 // entries of a part when the directory is made
	maxPart     = 192 // a part of more entries is divided
	maxChunk    = 64  // a chunk of more parts is divided
	partReads   = 8
	readerSteps = 32 // the writes that a read applies and the parts that it divides or joins, at most
)

// divided returns the directory, or nil if reads have needed it too rarely to make it or to change
// its parts.
func (t *tree[K]) divided() *directory[K] {
	if d := t.parts.directory.Load(); d != nil {
		if d.behind.Load() && !t.catchUp(d) {
			return nil
		}
		return d
	}
	if t.parts.reads.Add(1) < int32(4+t.len()>>10) || t.len() == 0 {
		return nil
	}
	first, own := t.separator(0), new(owner)
	all := &chunk[K]{firsts: []item[K]{first}, parts: []*part[K]{{n: t.len(), owner: own}}, owner: own}
	d := &directory[K]{chunks: []*chunk[K]{all.counted()}, ends: []int{t.len()}, owner: own, unfit: []item[K]{first}}
	d.behind.Store(true)
	if !t.parts.directory.CompareAndSwap(nil, d) || !t.catchUp(d) {
		return nil
	}
	return d
}

// separator returns the item at a position without its entry.
func (t *tree[K]) separator(pos int) item[K] {
	it, _ := t.items.GetAt(pos)
	it.entry = nil
	return it
}

// share makes the parts those of a fork of an index.
func (p *parts[K]) share(of *parts[K]) {
	p.reads.Store(of.reads.Load())
	if d := of.directory.Load(); d != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.owner = new(owner)
		f := &directory[K]{chunks: slices.Clone(d.chunks), ends: slices.Clone(d.ends), owner: new(owner),
			writes: slices.Clone(d.writes), applied: d.applied, unfit: slices.Clone(d.unfit)}
		f.behind.Store(d.behind.Load())
		f.texts.Store(d.texts.Load())
		f.unsearched.Store(d.unsearched.Load())
		p.directory.Store(f)
	}
}

// expect drops the parts if n writes to the index, or the next one, would cost more than
// making them again. It must be called before the writes.
func (t *tree[K]) expect(n int) {
	d := t.parts.directory.Load()
	if d == nil {
		return
	}
	worth := t.len() / partLen
	idle := d.texts.Load() > 0 && d.unsearched.Add(int64(n)) > int64(max(t.len(), minIdle))
	if idle || t.len() < 2 || n > worth || len(d.writes) >= worth+maxChunk || len(d.chunks) > worth+4 {
		t.parts.drop()
	}
}

func (p *parts[K]) drop() {
	p.directory.Store(nil)
	p.reads.Store(0)
}

// note keeps a write for the next read, if there are parts.
func (t *tree[K]) note(it item[K], n int) {
	if d := t.parts.directory.Load(); d != nil {
		it.entry = nil
		d.writes = append(d.writes, written[K]{it, n})
		if !d.behind.Load() {
			d.behind.Store(true)
		}
	}
}

// counted returns the chunk after it has set the numbers of its entries.
func (g *chunk[K]) counted() *chunk[K] {
	n := 0
	g.ends = g.ends[:0]
	for _, p := range g.parts {
		n += p.n
		g.ends = append(g.ends, n)
	}
	return g
}

// len returns the number of entries.
func (g *chunk[K]) len() int { return g.ends[len(g.ends)-1] }

// count sets the numbers of entries from the chunk first on; those before it are right.
func (d *directory[K]) count(first int) {
	n := 0
	if d.ends = d.ends[:first]; first > 0 {
		n = d.ends[first-1]
	}
	for _, g := range d.chunks[first:] {
		n += g.len()
		d.ends = append(d.ends, n)
	}
}

// A partIndex is the chunk of a part in a directory and its index in the chunk.
type partIndex struct{ chunk, part int }

func (d *directory[K]) part(at partIndex) *part[K] { return d.chunks[at.chunk].parts[at.part] }

func (d *directory[K]) first(at partIndex) item[K] { return d.chunks[at.chunk].firsts[at.part] }

// next returns the index of the part after another.
func (d *directory[K]) next(at partIndex) partIndex {
	if at.part++; at.part == len(d.chunks[at.chunk].parts) {
		return partIndex{at.chunk + 1, 0}
	}
	return at
}

// at returns the index of the part with a position, and how many entries of the part are
// before it.
func (d *directory[K]) at(pos int) (at partIndex, offset int) {
	at.chunk, pos = locate(d.ends, pos)
	at.part, pos = locate(d.chunks[at.chunk].ends, pos)
	return at, pos
}

// locate returns the index of the first end that is greater than pos, and how far pos is after
// the end before it. It begins with the index if all distances are equal.
func locate(ends []int, pos int) (i, offset int) {
	i = int(uint(pos) * uint(len(ends)) / uint(ends[len(ends)-1]))
	for ends[i] <= pos {
		i++
	}
	for i > 0 && ends[i-1] > pos {
		i--
	}
	if i > 0 {
		pos -= ends[i-1]
	}
	return i, pos
}

// start returns the number of entries before a part.
func (d *directory[K]) start(at partIndex) (n int) {
	if at.chunk > 0 {
		n = d.ends[at.chunk-1]
	}
	if at.part > 0 {
		n += d.chunks[at.chunk].ends[at.part-1]
	}
	return n
}

// find returns the index of the part that has an item or, if no part has it, would have it.
func (d *directory[K]) find(less func(a, b item[K]) bool, it item[K]) (at partIndex) {
	at.chunk = max(sort.Search(len(d.chunks), func(i int) bool { return less(it, d.chunks[i].firsts[0]) })-1, 0)
	firsts := d.chunks[at.chunk].firsts
	at.part = max(sort.Search(len(firsts), func(i int) bool { return less(it, firsts[i]) })-1, 0)
	return at
}

// insert adds a part to a chunk that the directory owns, and divides the chunk if it is large.
func (d *directory[K]) insert(at partIndex, first item[K], p *part[K]) {
	g := d.chunks[at.chunk]
	g.firsts, g.parts = slices.Insert(g.firsts, at.part, first), slices.Insert(g.parts, at.part, p)
	if half := maxChunk / 2; len(g.parts) > maxChunk {
		second := &chunk[K]{firsts: slices.Clone(g.firsts[half:]), parts: slices.Clone(g.parts[half:]), owner: d.owner}
		g.firsts, g.parts = slices.Delete(g.firsts, half, len(g.firsts)), slices.Delete(g.parts, half, len(g.parts))
		d.chunks = slices.Insert(d.chunks, at.chunk+1, second.counted())
	}
	g.counted()
	d.count(at.chunk)
}

// remove removes a part from a chunk that the directory owns.
func (d *directory[K]) remove(at partIndex) {
	g := d.chunks[at.chunk]
	g.firsts, g.parts = slices.Delete(g.firsts, at.part, at.part+1), slices.Delete(g.parts, at.part, at.part+1)
	if g.counted(); len(g.parts) == 0 {
		d.chunks = slices.Delete(d.chunks, at.chunk, at.chunk+1)
	}
	d.count(at.chunk)
}

// catchUp applies a few writes, divides and joins a few parts, and reports whether nothing is left
// to do. It does not wait for a reader that does so at the same time.
func (t *tree[K]) catchUp(d *directory[K]) bool {
	if !d.mu.TryLock() {
		return false
	}
	defer d.mu.Unlock()
	for n := 0; d.applied < len(d.writes) || len(d.unfit) > 0; n++ {
		last := len(d.unfit) - 1
		switch {
		case n == readerSteps:
			return false
		case d.applied < len(d.writes):
			t.change(d, d.writes[d.applied])
			d.applied++
		default:
			it := d.unfit[last]
			d.unfit = slices.Delete(d.unfit, last, last+1)
			if second, divided := t.fit(d, it); divided {
				d.unfit = append(d.unfit, second)
			}
		}
	}
	clear(d.writes)
	d.writes, d.applied = d.writes[:0], 0
	d.behind.Store(false)
	return true
}

// change applies a write.
func (t *tree[K]) change(d *directory[K], w written[K]) {
	at := d.find(t.less, w.item)
	g, p := d.changed(at, w.n)
	first := !t.less(g.firsts[at.part], w.item)
	if first && w.n >= 0 {
		g.firsts[at.part] = w.item
	}
	next := g.parts[at.part+1:]
	if p.n > maxPart || w.n < 0 && (first || p.n == 0 || len(next) > 0 && p.n+next[0].n <= partLen) {
		d.unfit = append(d.unfit, g.firsts[at.part])
	}
}

// own returns the part with an index and its chunk, which forks share no more.
func (d *directory[K]) own(at partIndex) (*chunk[K], *part[K]) {
	g := d.chunks[at.chunk]
	if g.owner != d.owner {
		g = &chunk[K]{slices.Clone(g.firsts), slices.Clone(g.parts), slices.Clone(g.ends), d.owner}
		d.chunks[at.chunk] = g
	}
	p := g.parts[at.part]
	if p.owner != d.owner {
		pages, searches := p.pages.Load(), p.searches.Load()
		p = &part[K]{n: p.n, owner: d.owner}
		p.pages.Store(pages)
		p.searches.Store(searches)
		g.parts[at.part] = p
	}
	return g, p
}

// changed returns the part with an index and its chunk after n entries were added to it. Its
// arrays are made after half as many reads, so that those of a part that is read often are soon
// there again, and one that is written as often as it is read has none.
func (d *directory[K]) changed(at partIndex, n int) (*chunk[K], *part[K]) {
	g, p := d.own(at)
	p.arrays.Store(nil)
	p.columns.Store(nil)
	p.pages.Store(min(p.pages.Load(), partReads) / 2)
	p.searches.Store(min(p.searches.Load(), partReads) / 2)
	if n != 0 {
		p.n += n
		for i := at.part; i < len(g.ends); i++ {
			g.ends[i] += n
		}
		for i := at.chunk; i < len(d.ends); i++ {
			d.ends[i] += n
		}
	}
	return g, p
}

// fit removes the part with an item if it is empty, joins it with the next one if it is small, and
// divides it if it is large. Then it returns the first item of the second half. All writes must have
// been applied.
func (t *tree[K]) fit(d *directory[K], it item[K]) (second item[K], divided bool) {
	at := d.find(t.less, it)
	if d.part(at).n == 0 {
		d.remove(at)
		return second, false
	}
	g, p := d.own(at)
	start := d.start(at)
	g.firsts[at.part] = t.separator(start)
	next := g.parts[at.part+1:]
	switch {
	case p.n > maxPart:
		half := min(p.n/2, partLen)
		second = t.separator(start + half)
		other := &part[K]{n: p.n - half, owner: d.owner}
		p.n = half
		d.insert(partIndex{at.chunk, at.part + 1}, second, other)
		return second, true
	case len(next) > 0 && p.n+next[0].n <= partLen:
		p.n += next[0].n
		p.arrays.Store(nil)
		p.columns.Store(nil)
		d.remove(partIndex{at.chunk, at.part + 1})
	}
	return second, false
}

// arrays returns the entries of a part, or nil if too few searches or pages have needed them. They
// have their keys for a search, and may lack them for a page.
func (t *tree[K]) arrays(d *directory[K], at partIndex, search bool) *arrays[K] {
	p := d.part(at)
	a, reads := p.arrays.Load(), &p.pages
	if search {
		reads = &p.searches
	}
	if a != nil && (a.keys != nil || !search) {
		return a
	}
	if reads.Add(1) < partReads {
		return nil
	}
	a = &arrays[K]{entries: make([]*Entry, 0, p.n)}
	if search {
		a.keys = make([]K, 0, p.n)
	}
	t.items.Ascend(d.first(at), func(it item[K]) bool {
		if a.entries = append(a.entries, it.entry); search {
			a.keys = append(a.keys, it.key)
		}
		return len(a.entries) < p.n
	})
	p.arrays.Store(a)
	return a
}

// search returns the number of items that do not compare greater than a pivot. O(log n), and
// O(log² n) until the index has parts with keys.
func (t *tree[K]) search(pivot item[K]) int {
	low, n := 0, t.len()
	if d := t.divided(); d != nil {
		at := d.find(t.less, pivot)
		low, n = d.start(at), d.part(at).n
		if a := t.arrays(d, at, true); a != nil {
			return low + sort.Search(n, func(i int) bool {
				switch c := t.order(pivot.key, a.keys[i]); {
				case c != 0:
					return c < 0
				case pivot.id == 0 || pivot.id == beforeNext: // no entry is read, which would be a cache miss
					return pivot.id == 0
				}
				return pivot.id < a.entries[i].ID
			})
		}
	}
	return low + sort.Search(n, func(i int) bool {
		it, _ := t.items.GetAt(low + i)
		return t.less(pivot, it)
	})
}

// entryAt returns the entry at a position and its key.
func (t *tree[K]) entryAt(pos int) (K, *Entry) {
	if d := t.divided(); d != nil {
		at, i := d.at(pos)
		if a := t.arrays(d, at, true); a != nil {
			return a.keys[i], a.entries[i]
		}
	}
	it, _ := t.items.GetAt(pos)
	return it.key, it.entry
}

// view returns the n entries after the first offset entries. ok is false if they are not in
// one or two arrays.
func (t *tree[K]) view(offset, n int, desc bool) (es Entries, ok bool) {
	if n > partLen {
		return Entries{}, false
	}
	d := t.divided()
	if d == nil {
		return Entries{}, false
	}
	pos := offset
	if desc {
		pos = t.len() - offset - n
	}
	at, first := d.at(pos)
	head := t.arrays(d, at, false)
	if head == nil {
		return Entries{}, false
	}
	es = Entries{head: head.entries[first:min(first+n, len(head.entries))], desc: desc}
	if n -= len(es.head); n > 0 {
		tail := t.arrays(d, d.next(at), false)
		if tail == nil || len(tail.entries) < n {
			return Entries{}, false
		}
		es.tail = tail.entries[:n]
	}
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

// column returns the column for a word of a part, whose first item is given. Making it takes about
// as long as looking for the word in the entries. The columns of a part take at most maxPerRecord bytes
// for each entry.
func (t *tree[K]) column(p *part[K], first item[K], w *Word) *column {
	before := p.columns.Load()
	for c := before; c != nil; c = c.next {
		if c.field == w.Field {
			return c
		}
	}
	c := &column{field: w.Field, ends: make([]uint32, 0, p.n), next: before}
	if before != nil {
		c.size = before.size
	}
	room, most := make([]byte, 0, 32*p.n), (maxPerRecord-4)*p.n-c.size
	t.items.Ascend(first, func(it item[K]) bool {
		if text, ok := w.Text(it.entry); ok {
			room = append(append(room, strings.ToUpper(text)...), mark)
		}
		c.ends = append(c.ends, uint32(len(room)))
		return len(room) <= most && len(c.ends) < p.n
	})
	if len(room) > most {
		c.ends = nil
	} else {
		c.texts, c.size = string(room), c.size+len(room)+4*p.n
	}
	p.columns.CompareAndSwap(before, c)
	return c
}

// look returns the entries that have some words. It reads the texts of parts. The error is
// ctx.Err() or Err of the turn.
func (t *tree[K]) look(ctx context.Context, words *Words, turn *Turn) (*hits, error) {
	if t.parts.directory.Load() == nil { // a search costs more than to make it
		t.parts.reads.Add(int32(4 + t.len()>>10))
	}
	d := t.divided()
	for ; d == nil; d = t.divided() { // until all writes are applied
		if err := cmp.Or(ctx.Err(), turn.Pause()); err != nil {
			return nil, err
		}
	}
	found, at, size := &hits{key: words.Key, bits: make([]uint64, t.len()/64+1)}, 0, 0
	var room [maxPart]int
	for _, g := range d.chunks {
		for i, p := range g.parts {
			counts := room[:p.n]
			clear(counts)
			for list, some := range words.Lists {
				for j := range some {
					sure := t.column(p, g.firsts[i], &some[j]).find(some[j].Word, list, counts)
					found.loose = found.loose || !sure
				}
			}
			for _, lists := range counts {
				if lists == len(words.Lists) {
					found.bits[at/64] |= 1 << (at % 64)
					found.n++
				}
				at++
			}
			size += p.columns.Load().size
			if err := cmp.Or(ctx.Err(), turn.Pause()); err != nil {
				return nil, err
			}
		}
		runtime.Gosched() // reading the texts of a chunk takes as long as some requests
	}
	d.texts.Store(int64(size))
	d.unsearched.Store(0)
	return found, nil
}

// textSize returns the size of the texts in bytes, as of the last search.
func (t *tree[K]) textSize() int {
	if d := t.parts.directory.Load(); d != nil {
		return int(d.texts.Load())
	}
	return 0
}

// entries returns the entries by id.
func (h *hits) entries(by primary) []*Entry {
	list := make([]*Entry, 0, h.n)
	for i, word := range h.bits {
		if word == 0 {
			continue
		}
		by.ids(64*i, 64, false, func(_ int, e *Entry) bool {
			if word&1 != 0 {
				list = append(list, e)
			}
			word >>= 1
			return word != 0
		})
	}
	return list
}
