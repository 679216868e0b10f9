package catalogue

import (
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
	apply([]change)
	merge([]change)
	fill([]*entry)
	fork() order
	empty() order
	perItem() int
	misplaced() *entry
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
	return newIndex(key,
		func(a, b item[string]) int {
			if c := strings.Compare(a.key, b.key); c != 0 {
				return c
			}
			return a.id - b.id
		},
		func(a, b item[string]) bool {
			c := strings.Compare(a.key, b.key)
			return c < 0 || c == 0 && a.id < b.id
		})
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

// perItem is about how many bytes an item takes, with a key of its own. O(n).
func (ix *index[K]) perItem() int {
	const inNode = 36 // the largest item, and its share of the node
	bytes := 0
	ix.tree.Scan(func(it item[K]) bool {
		if text, ok := any(it.key).(string); ok {
			bytes += len(text)
		}
		return true
	})
	return inNode + bytes/max(ix.tree.Len(), 1)
}
