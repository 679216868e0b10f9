package catalogue

import (
	"runtime"
	"slices"

	"github.com/tidwall/btree"
)

// rehearse takes the keys that apply will need and does nothing else.
func (ix *index[K]) rehearse(ch change) {
	for _, e := range []*entry{ch.old, ch.new} {
		if e != nil {
			ix.key(e)
		}
	}
}

// apply makes changes one after the other. O(log n) each.
func (ix *index[K]) apply(changes []change) {
	for _, ch := range changes {
		ix.set(ch)
	}
}

// set makes one change. A record whose key stays is replaced in place.
func (ix *index[K]) set(ch change) {
	if ch.new == nil {
		ix.tree.Delete(ix.item(ch.old))
		return
	}
	it := ix.item(ch.new)
	if ch.old != nil {
		if old := ix.item(ch.old); ix.compare(old, it) != 0 {
			ix.tree.Delete(old)
		}
	}
	ix.tree.Set(it)
}

// merge makes changes of as many records, from one end of the tree to the
// other: each node is visited, and copied if it is shared, once.
func (ix *index[K]) merge(changes []change) {
	var gone, come []item[K]
	for _, ch := range changes {
		var it item[K]
		if ch.new != nil {
			it = ix.item(ch.new)
			come = append(come, it)
		}
		if ch.old != nil {
			if old := ix.item(ch.old); ch.new == nil || ix.compare(old, it) != 0 {
				gone = append(gone, old)
			}
		}
	}
	slices.SortFunc(gone, ix.compare)
	slices.SortFunc(come, ix.compare)
	var near btree.PathHint
	for _, it := range gone {
		ix.tree.DeleteHint(it, &near)
	}
	near = btree.PathHint{}
	for _, it := range come {
		ix.tree.SetHint(it, &near)
	}
}

// add takes an entry that belongs behind all others.
func (ix *index[K]) add(e *entry) { ix.tree.Load(ix.item(e)) }

// fill puts entries into an empty tree: sorted first, which is cheaper than
// inserting each where it belongs.
func (ix *index[K]) fill(entries []*entry) {
	for it := range merged(ix.sorted(entries), ix.less) {
		ix.tree.Load(it)
	}
	ix.compact()
}

// sorted makes items of entries, in as many parts as can be sorted at once.
func (ix *index[K]) sorted(entries []*entry) (parts [][]item[K]) {
	const (
		enough = 4096 // fewer are sorted before another goroutine has begun
		most   = 8    // merging compares the first items of all parts
	)
	n := min(len(entries)/enough+1, runtime.GOMAXPROCS(0), most)
	parts = make([][]item[K], n)
	sideBySide(n, func(i int) {
		part := entries[len(entries)*i/n : len(entries)*(i+1)/n]
		items := make([]item[K], len(part))
		for j, e := range part {
			items[j] = ix.item(e)
		}
		if !slices.IsSortedFunc(items, ix.compare) {
			slices.SortFunc(items, ix.compare)
		}
		parts[i] = items
	})
	return parts
}

// compact gives back the half of every node that is left empty when items come
// in order: a node that is split shares its memory with its other half until it
// is copied. O(n).
func (ix *index[K]) compact() {
	ix.tree = ix.tree.Copy()
	ix.tree.WalkMut(func([]item[K]) bool { return true })
}
