package store

import (
	"runtime"
	"slices"

	"github.com/tidwall/btree"
)

// garbage counts the removed entries that the nodes of a tree may still refer to.
// When a node is split, its halves use one array until they grow. Each half keeps
// the entries alive that the other held at that time, even when they are removed.
// Compacting the tree copies the nodes. It is due when the removed entries could
// be more than an eighth of the others.
type garbage struct {
	split   bool // an item was added to a tree that has full nodes
	removed int  // entries removed or replaced since
}

// fullNode is the number of items in a full node of the default degree.
const fullNode = 63

// needsCompaction reports whether the tree should be compacted.
func (t *tree[K]) needsCompaction() bool { return t.removed*8 > t.len() }

// compact copies every node, so that each has its own array. O(n).
func (t *tree[K]) compact() {
	t.items = t.items.Copy()
	t.items.WalkMut(func([]item[K]) bool { return true })
	t.garbage = garbage{}
}

// keys returns the keys of a change. It may run the program's code.
func (t *tree[K]) keys(ch Change) (k keys) {
	if ch.Old != nil {
		k.old = t.pack(t.of(ch.Old))
	}
	if ch.New != nil {
		k.new = t.pack(t.of(ch.New))
	}
	return k
}

// set applies a change. It does not run the program's code. O(log n).
func (t *tree[K]) set(ch Change, k keys) {
	t.dropCaches()
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

// remove removes an item if it is there. hint may be nil.
func (t *tree[K]) remove(old item[K], hint *btree.PathHint) {
	if _, ok := t.items.DeleteHint(old, hint); ok {
		t.bytes -= t.size(old.key)
		t.noteRemoved()
	}
}

// put adds an item or replaces the item with its key and id. hint may be nil.
func (t *tree[K]) put(new item[K], hint *btree.PathHint) {
	n := t.items.Len()
	if old, replaced := t.items.SetHint(new, hint); replaced {
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

// merge applies many changes, at most one for each record, in the order of their
// keys, so that most hints are right.
func (t *tree[K]) merge(changes []Change) {
	var removed, added []item[K]
	for _, ch := range changes {
		var new item[K]
		if ch.New != nil {
			new = t.item(ch.New)
			added = append(added, new)
		}
		if ch.Old != nil {
			if old := t.item(ch.Old); ch.New == nil || t.compare(old, new) != 0 {
				removed = append(removed, old)
			}
		}
	}
	t.dropCaches()
	slices.SortFunc(removed, t.compare)
	slices.SortFunc(added, t.compare)
	var hint btree.PathHint
	for _, it := range removed {
		t.remove(it, &hint)
	}
	hint = btree.PathHint{}
	for _, it := range added {
		t.put(it, &hint)
	}
}

// fill puts entries into an empty index. O(n log n).
func (t *tree[K]) fill(entries []*Entry) {
	never := func() bool { return false }
	parts, bytes, _ := t.arrange(entries, -1, never)
	t.load(parts, bytes)
}

// build fills an empty index and reports whether it did. It does not if the keys
// take more than limit bytes, in which case small is false, or if stopped returns
// true.
func (t *tree[K]) build(entries []*Entry, limit int, stopped func() bool) (complete, small bool) {
	parts, bytes, small := t.arrange(entries, limit, stopped)
	if !small || stopped() {
		return false, small
	}
	t.load(parts, bytes)
	return true, true
}

// sort returns the entries in order. It returns nil if the keys take more than
// limit bytes, in which case small is false, or if stopped returns true.
func (t *tree[K]) sort(entries []*Entry, limit int, stopped func() bool) (sorted []*Entry, small bool) {
	parts, _, small := t.arrange(entries, limit, stopped)
	if !small || stopped() {
		return nil, small
	}
	sorted = make([]*Entry, 0, len(entries))
	merged(parts, t.less, func(it item[K]) { sorted = append(sorted, it.entry) })
	return sorted, true
}

// load adds sorted parts of items, whose keys take bytes, to an empty index.
func (t *tree[K]) load(parts [][]item[K], bytes int) {
	merged(parts, t.less, func(it item[K]) { t.items.Load(it) })
	t.bytes = bytes
	t.compact()
}

// arrange returns the items of entries in several parts, which are sorted in
// parallel, and the size of their keys. It returns early if the keys take more
// than limit bytes, in which case small is false, or if stopped returns true. A
// negative limit means no limit.
func (t *tree[K]) arrange(entries []*Entry, limit int, stopped func() bool) (parts [][]item[K], bytes int, small bool) {
	const (
		minPart  = 4096 // a smaller part is sorted before another goroutine starts
		maxParts = 8    // merging compares the first items of all parts
	)
	n := min(len(entries)/minPart+1, runtime.GOMAXPROCS(0), maxParts)
	parts = make([][]item[K], n)
	sizes := make([]int, n)
	parallel(n, func(i int) {
		part := entries[len(entries)*i/n : len(entries)*(i+1)/n]
		items := make([]item[K], len(part))
		for j, e := range part {
			items[j] = t.item(e)
			sizes[i] += t.size(items[j].key)
			if limit >= 0 && sizes[i] > limit || j%minPart == 0 && stopped() {
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

// merged calls f with the items of all sorted parts in order. O(items × parts).
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
