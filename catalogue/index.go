package catalogue

import (
	"slices"
	"strings"

	"github.com/tidwall/btree"

	"github.com/gobacklist/backlist/ordering"
)

// order is a tree of all entries in one ascending order. What reads may be
// called by anybody at any time on a fork that nobody writes to; what writes,
// and fork, belong to the owner.
type order interface {
	len() int
	page(dst []*entry, offset, n int, desc bool) []*entry
	scan(desc bool, yield func(*entry) bool)

	rehearse(change)
	apply(change)
	fill([]*entry)
	fork() order
	empty() order
}

// item holds the sort key inline, so that a descent compares without following
// a pointer. Items of equal keys are told apart by id.
type item[K any] struct {
	key K
	id  int
	e   *entry
}

type index[K any] struct {
	tree    *btree.BTreeG[item[K]]
	key     func(*entry) K
	compare func(a, b item[K]) int
	less    func(a, b item[K]) bool
}

func newIndex[K any](key func(*entry) K, compare func(a, b item[K]) int, less func(a, b item[K]) bool) *index[K] {
	return &index[K]{
		tree:    btree.NewBTreeGOptions(less, btree.Options{NoLocks: true}),
		key:     key,
		compare: compare,
		less:    less,
	}
}

// newPrimary is the order by id alone: its key takes no room.
func newPrimary() *index[struct{}] {
	return newIndex(
		func(*entry) struct{} { return struct{}{} },
		func(a, b item[struct{}]) int { return a.id - b.id },
		func(a, b item[struct{}]) bool { return a.id < b.id })
}

func newIntegers(key func(*entry) int64) *index[int64] {
	return newIndex(key,
		func(a, b item[int64]) int {
			switch {
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return a.id - b.id
		},
		func(a, b item[int64]) bool {
			return a.key < b.key || a.key == b.key && a.id < b.id
		})
}

func newTexts(key func(*entry) string) *index[string] {
	compare := func(a, b item[string]) int {
		if c := strings.Compare(a.key, b.key); c != 0 {
			return c
		}
		return a.id - b.id
	}
	return newIndex(key, compare, func(a, b item[string]) bool { return compare(a, b) < 0 })
}

// newOrder makes the tree for terms whose fields are given, in the cheapest
// form that the fields' promises allow.
func newOrder(fields []ordering.Field[entry], terms []ordering.Term) order {
	if len(fields) == 1 {
		key := fields[0].Key
		switch fields[0].Kind {
		case ordering.Integer:
			return newIntegers(func(e *entry) int64 { i, _ := key(e).AsInt(); return i })
		case ordering.Textual:
			return newTexts(func(e *entry) string { s, _ := key(e).AsText(); return s })
		}
	}
	return newTexts(func(e *entry) string {
		var buf [64]byte
		return string(ordering.AppendKeys(buf[:0], e, fields, terms))
	})
}

func (ix *index[K]) item(e *entry) item[K] {
	return item[K]{key: ix.key(e), id: e.id, e: e}
}

func (ix *index[K]) len() int { return ix.tree.Len() }

// page appends the n entries behind the first offset. There is no iterator that
// starts at a place, so it is two descents: to the item there, and from it.
func (ix *index[K]) page(dst []*entry, offset, n int, desc bool) []*entry {
	if n <= 0 {
		return dst
	}
	at := offset
	if desc {
		at = ix.tree.Len() - 1 - offset
	}
	first, ok := ix.tree.GetAt(at)
	if !ok {
		return dst
	}
	collect := func(it item[K]) bool {
		dst = append(dst, it.e)
		n--
		return n > 0
	}
	if desc {
		ix.tree.Descend(first, collect)
	} else {
		ix.tree.Ascend(first, collect)
	}
	return dst
}

func (ix *index[K]) scan(desc bool, yield func(*entry) bool) {
	each := func(it item[K]) bool { return yield(it.e) }
	if desc {
		ix.tree.Reverse(each)
	} else {
		ix.tree.Scan(each)
	}
}

// rehearse takes the keys that apply will need and does nothing else.
func (ix *index[K]) rehearse(ch change) {
	for _, e := range []*entry{ch.old, ch.new} {
		if e != nil {
			ix.key(e)
		}
	}
}

// apply makes one change. A record whose key stays is replaced in place.
func (ix *index[K]) apply(ch change) {
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
}

func (ix *index[K]) fork() order { return ix.copy() }

// copy is O(1): the two share their nodes until one of them writes.
func (ix *index[K]) copy() *index[K] {
	return &index[K]{tree: ix.tree.Copy(), key: ix.key, compare: ix.compare, less: ix.less}
}

// empty is an order of the same kind without entries.
func (ix *index[K]) empty() order { return newIndex(ix.key, ix.compare, ix.less) }

func (ix *index[K]) get(id int) *entry {
	it, _ := ix.tree.Get(item[K]{id: id})
	return it.e
}
