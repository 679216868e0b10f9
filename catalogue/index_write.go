package catalogue

import (
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

// fill puts entries into an empty tree: sorted first, which is cheaper than
// inserting each where it belongs.
func (ix *index[K]) fill(entries []*entry) {
	items := make([]item[K], len(entries))
	for i, e := range entries {
		items[i] = ix.item(e)
	}
	if !slices.IsSortedFunc(items, ix.compare) {
		slices.SortFunc(items, ix.compare)
	}
	for _, it := range items {
		ix.tree.Load(it)
	}
	ix.compact()
}

// compact gives back the half of every node that is left empty when items come
// in order: a node that is split shares its memory with its other half until it
// is copied. O(n).
func (ix *index[K]) compact() {
	ix.tree = ix.tree.Copy()
	ix.tree.WalkMut(func([]item[K]) bool { return true })
}
