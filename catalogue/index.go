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
type order[T any] interface {
	len() int
	page(dst []*entry[T], offset, n int, desc bool) []*entry[T]
	scan(desc bool, yield func(*entry[T]) bool)

	apply(change[T])
	fill([]*entry[T])
	fork() order[T]
	empty() order[T]
}

// item holds the sort key inline, so that a descent compares without following
// a pointer. Items of equal keys are told apart by id.
type item[K, T any] struct {
	key K
	id  int
	e   *entry[T]
}

type index[K, T any] struct {
	tree    *btree.BTreeG[item[K, T]]
	key     func(*entry[T]) K
	compare func(a, b item[K, T]) int
	less    func(a, b item[K, T]) bool
}

func newIndex[K, T any](key func(*entry[T]) K, compare func(a, b item[K, T]) int, less func(a, b item[K, T]) bool) *index[K, T] {
	return &index[K, T]{
		tree:    btree.NewBTreeGOptions(less, btree.Options{NoLocks: true}),
		key:     key,
		compare: compare,
		less:    less,
	}
}

// newPrimary is the order by id alone: its key takes no room.
func newPrimary[T any]() *index[struct{}, T] {
	return newIndex(
		func(*entry[T]) struct{} { return struct{}{} },
		func(a, b item[struct{}, T]) int { return a.id - b.id },
		func(a, b item[struct{}, T]) bool { return a.id < b.id })
}

func newIntegers[T any](key func(*entry[T]) int64) *index[int64, T] {
	return newIndex(key,
		func(a, b item[int64, T]) int {
			switch {
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return a.id - b.id
		},
		func(a, b item[int64, T]) bool {
			return a.key < b.key || a.key == b.key && a.id < b.id
		})
}

func newTexts[T any](key func(*entry[T]) string) *index[string, T] {
	compare := func(a, b item[string, T]) int {
		if c := strings.Compare(a.key, b.key); c != 0 {
			return c
		}
		return a.id - b.id
	}
	return newIndex(key, compare, func(a, b item[string, T]) bool { return compare(a, b) < 0 })
}

// newOrder makes the tree for terms whose fields are given, in the cheapest
// form that the fields' promises allow.
func newOrder[T any](fields []ordering.Field[T], terms []ordering.Term) order[T] {
	if len(fields) == 1 {
		key := fields[0].Key
		switch fields[0].Kind {
		case ordering.Integer:
			return newIntegers(func(e *entry[T]) int64 { i, _ := key(&e.value).AsInt(); return i })
		case ordering.Textual:
			return newTexts(func(e *entry[T]) string { s, _ := key(&e.value).AsText(); return s })
		}
	}
	return newTexts(func(e *entry[T]) string {
		var buf [64]byte
		return string(ordering.AppendKeys(buf[:0], &e.value, fields, terms))
	})
}

func (ix *index[K, T]) item(e *entry[T]) item[K, T] {
	return item[K, T]{key: ix.key(e), id: e.id, e: e}
}

func (ix *index[K, T]) len() int { return ix.tree.Len() }

// page appends the n entries behind the first offset. There is no iterator that
// starts at a place, so it is two descents: to the item there, and from it.
func (ix *index[K, T]) page(dst []*entry[T], offset, n int, desc bool) []*entry[T] {
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
	collect := func(it item[K, T]) bool {
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

func (ix *index[K, T]) scan(desc bool, yield func(*entry[T]) bool) {
	each := func(it item[K, T]) bool { return yield(it.e) }
	if desc {
		ix.tree.Reverse(each)
	} else {
		ix.tree.Scan(each)
	}
}

// apply makes one change. A record whose key stays is replaced in place.
func (ix *index[K, T]) apply(ch change[T]) {
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
func (ix *index[K, T]) fill(entries []*entry[T]) {
	items := make([]item[K, T], len(entries))
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

func (ix *index[K, T]) fork() order[T] { return ix.copy() }

// copy is O(1): the two share their nodes until one of them writes.
func (ix *index[K, T]) copy() *index[K, T] {
	return &index[K, T]{tree: ix.tree.Copy(), key: ix.key, compare: ix.compare, less: ix.less}
}

// empty is an order of the same kind without entries.
func (ix *index[K, T]) empty() order[T] { return newIndex(ix.key, ix.compare, ix.less) }

func (ix *index[K, T]) get(id int) *entry[T] {
	it, _ := ix.tree.Get(item[K, T]{id: id})
	return it.e
}
