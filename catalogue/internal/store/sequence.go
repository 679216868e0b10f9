package store

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/tidwall/btree"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A sequence is all entries of a state in one ascending order. Its methods are
// safe for concurrent use while nothing writes to it.
type sequence interface {
	len() int
	page(dst []*Entry, offset, n int, desc bool) []*Entry
	// view returns the entries of a page if they are in arrays.
	view(offset, n int, desc bool) (es Entries, ok bool)

	// rank returns the number of entries before a bound.
	rank(b bound) int
	// position returns the number of entries before e, which is in the sequence.
	position(e *Entry) int
}

// A span is the positions of consecutive entries of a sequence.
type span struct{ start, end int }

// A run is a span of entries of an index whose keys begin with the same bytes, so that they
// are in the order of the rest of their keys.
type run struct {
	span
	shared int // number of bytes that the keys share; more than a key has if all keys are equal
}

// A cut is how many of some sorted entries are wanted: the first or the last. The zero cut wants
// all.
type cut struct {
	most int
	last bool
}

// A bound is a place in a sequence. Among the entries with a key, it is between those with an id of
// at most id and the others. In an index by several terms, the key is of one term, and prefix has
// the encoded keys of the terms before it.
type bound struct {
	prefix []byte
	key    sortkey.Key
	desc   bool // the term is descending
	id     int  // 0 if the bound is before all entries with the key, beforeNext if it is after all
}

// beforeNext is the id of a bound after all entries with its key.
const beforeNext = math.MaxInt

// bounds returns the places before and after the entries that have a key in a range, among
// those with a prefix.
func bounds(r ordering.Range, desc bool, prefix []byte) (from, to bound) {
	from, to = bound{prefix, r.From, desc, 0}, bound{prefix, r.To, desc, 0}
	if r.FromExcluded {
		from.id = beforeNext
	}
	if r.ToIncluded {
		to.id = beforeNext
	}
	if !desc {
		return from, to
	}
	from.id, to.id = beforeNext-from.id, beforeNext-to.id
	return to, from
}

// lastID returns the last id before a bound of a sequence by id, or 0 if none exists. Ids
// are positive.
func lastID(b bound) int {
	n, id, all := b.number()
	last := max(n, 0)
	switch {
	case all || last > math.MaxInt:
		return math.MaxInt
	case last > 0 && id == 0:
		return int(last) - 1
	}
	return int(last)
}

// number returns the place of a bound in a sequence by numbers: after the number n and the id. If
// all is true, it is after all numbers.
func (b bound) number() (n int64, id int, all bool) {
	n, ok := b.key.AsInt() // of a boolean, too
	switch {
	case b.key.Compare(sortkey.Int(math.MaxInt64)) > 0:
		return 0, 0, true
	case ok && b.key.Compare(sortkey.Int(math.MinInt64)) >= 0:
		return n, b.id, false
	}
	return ceil(b.key), 0, false
}

// ceil returns the smallest int64 that is not less than a number between two of them.
func ceil(k sortkey.Key) int64 {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	for low < high {
		middle := low&high + (low^high)>>1 // does not overflow
		if sortkey.Int(middle).Compare(k) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Entries are the entries of a page, in order. They may refer to arrays of an index, which
// never change. The zero value is empty.
type Entries struct {
	head, tail []*Entry // in the order of the index
	desc       bool     // the index is read backwards
}

// Len returns the number of entries. O(1).
func (es *Entries) Len() int { return len(es.head) + len(es.tail) }

// At returns the entry with index i. O(1).
func (es *Entries) At(i int) *Entry {
	if es.desc {
		i = es.Len() - 1 - i
	}
	if i < len(es.head) {
		return es.head[i]
	}
	return es.tail[i-len(es.head)]
}

// All yields the entries with their indexes.
func (es Entries) All() iter.Seq2[int, *Entry] {
	return func(yield func(int, *Entry) bool) {
		n := len(es.head)
		if es.desc {
			n = 0
		}
		for i, e := range es.head[:n] { // a loop of its own takes a quarter of the instructions
			if !yield(i, e) {
				return
			}
		}
		for i := n; i < es.Len(); i++ {
			if !yield(i, es.At(i)) {
				return
			}
		}
	}
}

func (es Entries) appendTo(dst []*Entry) []*Entry {
	if !es.desc {
		return append(append(dst, es.head...), es.tail...)
	}
	for i := range es.Len() {
		dst = append(dst, es.At(i))
	}
	return dst
}

// sortedEntries is a sequence that is kept in a slice.
type sortedEntries struct {
	task
	entries []*Entry
	key     func(*Entry) sortkey.Key // of the first term
}

func (o *sortedEntries) len() int { return len(o.entries) }

func (o *sortedEntries) page(dst []*Entry, offset, n int, desc bool) []*Entry {
	n = min(n, len(o.entries)-offset)
	if !desc {
		return append(dst, o.entries[offset:offset+n]...)
	}
	end, last := len(dst), len(o.entries)-offset
	dst = append(dst, o.entries[last-n:last]...)
	slices.Reverse(dst[end:])
	return dst
}

// view returns nothing: a page would keep all entries of the sequence alive.
func (o *sortedEntries) view(int, int, bool) (es Entries, ok bool) { return es, false }

// rank computes O(log n) keys.
func (o *sortedEntries) rank(b bound) int {
	return sort.Search(len(o.entries), func(i int) bool {
		c := o.key(o.entries[i]).Compare(b.key)
		return c > 0 || c == 0 && o.entries[i].ID > b.id
	})
}

// position is O(n).
func (o *sortedEntries) position(e *Entry) int { return slices.Index(o.entries, e) }

// A sortCache holds the sequences that were sorted for one state alone, because
// the store has a later state or because the keys are too large for an index. It
// keeps the last maxSorted sequences, which take 8 bytes for each record. Only
// frozen states have sequences.
type sortCache struct {
	mu  sync.Mutex
	all []*sortedEntries // done or in progress, oldest first
}

const maxSorted = 8

// find returns the sequence of terms, or nil. The mutex must be held.
func (cache *sortCache) find(terms []ordering.Term) *sortedEntries {
	for _, o := range cache.all {
		if slices.Equal(o.terms, terms) {
			return o
		}
	}
	return nil
}

// ready returns the sequence of terms if it is done, and nil otherwise.
func (cache *sortCache) ready(terms []ordering.Term) sequence {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if o := cache.find(terms); o != nil && o.ready() {
		return o
	}
	return nil
}

// A set is a sorted set that is kept in a tree. Like primary, it is an interface so that
// packages that use a store do not compile trees.
type set[T any] interface {
	Len() int
	Items() []T
	Ascend(pivot T, yield func(T) bool)
	Get(key T) (T, bool)
	Set(item T) (T, bool)
	Load(item T) (T, bool)
	Delete(key T) (T, bool)
	PopMin() (T, bool)
}

func newSet[T any](less func(a, b T) bool) set[T] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

// forkSet returns a fork of a set. It writes to s. O(1).
func forkSet[T any](s set[T]) set[T] { return s.(*btree.BTreeG[T]).Copy() }

// An Entry represents a stored record. It is the first field of a struct that
// contains the record, whose type is unknown to the store. An Entry in a tree must
// not be modified.
type Entry struct{ ID int }

// A Change is the effect of a write on one record. Old is nil if the record is
// inserted. New is nil if it is deleted.
type Change struct{ Old, New *Entry }

// ID returns the id of the record. It panics if ch is the zero Change.
func (ch Change) ID() int {
	if ch.New != nil {
		return ch.New.ID
	}
	return ch.Old.ID
}

func compareIDs(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) }

// difference returns the changes that turn the entries before into those after.
// Both are sorted by id. Every record in before or after has a change.
func difference(before, after []*Entry) []Change {
	changes := make([]Change, 0, max(len(before), len(after)))
	for len(before) > 0 || len(after) > 0 {
		var ch Change
		if len(after) == 0 || len(before) > 0 && before[0].ID <= after[0].ID {
			ch.Old, before = before[0], before[1:]
		}
		if len(after) > 0 && (ch.Old == nil || ch.Old.ID == after[0].ID) {
			ch.New, after = after[0], after[1:]
		}
		changes = append(changes, ch)
	}
	return changes
}
