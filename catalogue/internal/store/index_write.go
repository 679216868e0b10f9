package store

import (
	"runtime"
	"slices"

	"github.com/tidwall/btree"
)

// wear tells how many removed entries the nodes of a tree may still refer to.
// When a node is split its two halves share one array until they grow, and each
// keeps what the other half held then, removed entries included. Compacting the
// tree copies the nodes. It is due once an eighth of the entries may be kept so.
type wear struct {
	split   bool // an item was added to a tree that has full nodes
	removed int  // entries removed or replaced since
}

const fullNode = 63 // items, at the default degree

func (t *tree[K]) worn() bool { return t.removed*8 > t.len() }

// compact gives every node an array of its own. O(n).
func (t *tree[K]) compact() {
	t.items = t.items.Copy()
	t.items.WalkMut(func([]item[K]) bool { return true })
	t.wear = wear{}
}

// keys returns the keys of a change.
func (t *tree[K]) keys(ch Change) (k keys) {
	if ch.Old != nil {
		k.old = t.pack(t.of(ch.Old))
	}
	if ch.New != nil {
		k.new = t.pack(t.of(ch.New))
	}
	return k
}

// set makes a change. It runs no code of the program. O(log n).
func (t *tree[K]) set(ch Change, k keys) {
	t.drop()
	var old, new item[K]
	if ch.New != nil {
		new = item[K]{t.unpack(k.new), ch.New.ID, ch.New}
	}
	if ch.Old != nil {
		old = item[K]{t.unpack(k.old), ch.Old.ID, ch.Old}
		if ch.New == nil || t.compare(old, new) != 0 {
			t.remove(old, nil)
		}
	}
	if ch.New != nil {
		t.put(new, nil)
	}
}

func (t *tree[K]) remove(old item[K], near *btree.PathHint) {
	if _, ok := t.items.DeleteHint(old, near); ok {
		t.bytes -= t.size(old.key)
		t.noteRemoved()
	}
}

// put adds an item, or replaces the one with its key and id.
func (t *tree[K]) put(new item[K], near *btree.PathHint) {
	n := t.items.Len()
	if old, replaced := t.items.SetHint(new, near); replaced {
		t.bytes -= t.size(old.key)
		t.noteRemoved()
	} else if n >= fullNode {
		t.split = true
	}
	t.bytes += t.size(new.key)
}

func (t *tree[K]) noteRemoved() {
	if t.split {
		t.removed++
	}
}

// merge makes many changes, one for each record, from one end of the tree to the
// other: a node that is shared is copied once.
func (t *tree[K]) merge(changes []Change) {
	var gone, come []item[K]
	for _, ch := range changes {
		var new item[K]
		if ch.New != nil {
			new = t.item(ch.New)
			come = append(come, new)
		}
		if ch.Old != nil {
			if old := t.item(ch.Old); ch.New == nil || t.compare(old, new) != 0 {
				gone = append(gone, old)
			}
		}
	}
	t.drop()
	slices.SortFunc(gone, t.compare)
	slices.SortFunc(come, t.compare)
	var near btree.PathHint
	for _, it := range gone {
		t.remove(it, &near)
	}
	near = btree.PathHint{}
	for _, it := range come {
		t.put(it, &near)
	}
}

// fill puts entries into an empty index. O(n log n).
func (t *tree[K]) fill(entries []*Entry) {
	never := func() bool { return false }
	parts, bytes, _ := t.arrange(entries, -1, never)
	t.load(parts, bytes)
}

// build fills an empty index unless the keys take more than limit bytes, which
// small reports, or stopped returns true.
func (t *tree[K]) build(entries []*Entry, limit int, stopped func() bool) (complete, small bool) {
	parts, bytes, small := t.arrange(entries, limit, stopped)
	if !small || stopped() {
		return false, small
	}
	t.load(parts, bytes)
	return true, true
}

// sort returns the entries in order. small is false if the keys take more than
// limit bytes; nothing is sorted then.
func (t *tree[K]) sort(entries []*Entry, limit int, stopped func() bool) (sorted []*Entry, small bool) {
	parts, _, small := t.arrange(entries, limit, stopped)
	if !small || stopped() {
		return nil, small
	}
	sorted = make([]*Entry, 0, len(entries))
	merged(parts, t.less, func(it item[K]) { sorted = append(sorted, it.entry) })
	return sorted, true
}

func (t *tree[K]) load(parts [][]item[K], bytes int) {
	merged(parts, t.less, func(it item[K]) { t.items.Load(it) })
	t.bytes = bytes
	t.compact()
}

// arrange returns items of entries, sorted in as many parts as can be sorted at
// once. It stops early if the keys take more than limit bytes, which small
// reports, or stopped returns true.
func (t *tree[K]) arrange(entries []*Entry, limit int, stopped func() bool) (parts [][]item[K], bytes int, small bool) {
	const (
		enough = 4096 // fewer are sorted before another goroutine has begun
		most   = 8    // merging compares the first items of all parts
	)
	n := min(len(entries)/enough+1, runtime.GOMAXPROCS(0), most)
	parts = make([][]item[K], n)
	sizes := make([]int, n)
	parallel(n, func(i int) {
		part := entries[len(entries)*i/n : len(entries)*(i+1)/n]
		items := make([]item[K], len(part))
		for j, e := range part {
			items[j] = t.item(e)
			sizes[i] += t.size(items[j].key)
			if limit >= 0 && sizes[i] > limit || j%enough == 0 && stopped() {
				return
			}
		}
		if !slices.IsSortedFunc(items, t.compare) {
			slices.SortFunc(items, t.compare)
		}
		parts[i] = items
	})
	for _, size := range sizes {
		bytes += size
	}
	return parts, bytes, limit < 0 || bytes <= limit
}

// merged calls f with the items of a few sorted parts in order. O(items × parts).
func merged[T any](parts [][]T, less func(a, b T) bool, f func(T)) {
	for {
		first := -1
		for i, part := range parts {
			if len(part) > 0 && (first < 0 || less(part[0], parts[first][0])) {
				first = i
			}
		}
		if first < 0 {
			return
		}
		f(parts[first][0])
		parts[first] = parts[first][1:]
	}
}
