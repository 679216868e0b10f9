package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/tidwall/btree"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// An index is the sequence of one ordering, kept in a tree. Methods that write to the tree, and
// fork, must not be called concurrently.
type index interface {
	sequence

	// first returns the first entry between bounds, or the last one if desc is set, or nil.
	first(from, to bound, desc bool) *Entry
	// ids yields n entries, the first at a position, with their ids, and reads none of them.
	ids(pos, n int, desc bool, yield func(id int, e *Entry) bool)
	// merge returns the entries of runs in the order of what follows the shared keys.
	merge(runs []run, desc bool) sequence

	// prepare computes the items of changes, which may run callbacks.
	prepare(changes []Change)
	// apply makes the changes that an index, or the one of which it is a fork, has prepared.
	apply(prepared index)
	setAll([]Change)
	fill(entries []*Entry)
	build(entries []*Entry, limit int, cores Cores) error
	sort(ctx context.Context, entries []*Entry, limit int, cores Cores, c cut) ([]*Entry, error)

	fork() index
	empty() index
	compact()
	needsCompaction() bool
	keySize() int
	check() error
}

// An item holds the key inline, so that a descent compares without following a
// pointer. Equal keys are ordered by id.
type item[K any] struct {
	key   K
	id    int
	entry *Entry
}

// A prepared is a change of an index: an item to remove and one to put. An item without an entry is
// absent.
type prepared[K any] struct{ remove, put item[K] }

// A kind is the part of a tree that all trees of one ordering use.
type kind[K any] struct {
	of    func(*Entry) K
	pivot func(bound) (p item[K], all bool)
	order func(a, b K) int
	less  func(a, b item[K]) bool
	size  func(K) int    // bytes that a key takes in addition to its item
	text  func(K) string // the key, if it is a text
}

// A tree is an index whose keys are of type K.
type tree[K any] struct {
	*kind[K]
	items *btree.BTreeG[item[K]]
	bytes int // total size of all keys
	next  []prepared[K]
	garbage
	parts parts[K]
}

// A primary is the index by id.
type primary interface {
	index

	// get returns the entry with the id, or nil if none exists.
	get(id int) *Entry
	// maxID returns the highest id, or 0 if there are no entries.
	maxID() int
	look(ctx context.Context, words *Words, turn *Turn) (*hits, error)
	textSize() int
	// walk is page without arrays, for all entries.
	walk(dst []*Entry, pos, n int, desc bool) []*Entry
}

// newPrimary returns an empty index by id. Its keys have no size.
func newPrimary() *tree[struct{}] {
	return newTree(&kind[struct{}]{
		of:    func(*Entry) (none struct{}) { return },
		pivot: pivotID,
		order: func(_, _ struct{}) int { return 0 },
		less:  func(a, b item[struct{}]) bool { return a.id < b.id },
		size:  func(struct{}) int { return 0 },
		text:  func(struct{}) string { return "" },
	})
}

// newNumbers returns an empty index by numbers, by booleans as 0 and 1, or by times in microseconds.
func newNumbers(of func(*Entry) int64, pivot func(bound) (item[int64], bool)) *tree[int64] {
	return newTree(&kind[int64]{
		of:    of,
		pivot: pivot,
		order: cmp.Compare[int64],
		less: func(a, b item[int64]) bool {
			return a.key < b.key || a.key == b.key && a.id < b.id
		},
		size: func(int64) int { return 0 },
		text: func(int64) string { return "" },
	})
}

// A text holds a string and its first bytes in the size of a string. Most comparisons of texts
// that differ early read no other memory.
type text struct {
	data unsafe.Pointer // its bytes, or the string if that is long
	head uint64         // the first six bytes, zeros if there are fewer, and the length, at most longText
}

const longText = 1<<16 - 1

func textOf(s string) text {
	var first [8]byte
	copy(first[:6], s)
	t := text{unsafe.Pointer(unsafe.StringData(s)), binary.BigEndian.Uint64(first[:]) | uint64(min(len(s), longText))}
	if len(s) >= longText {
		long := s // only this copy is allocated
		t.data = unsafe.Pointer(&long)
	}
	return t
}

func (t text) String() string {
	if n := t.head & longText; n < longText {
		return unsafe.String((*byte)(t.data), n)
	}
	return *(*string)(t.data)
}

func (t text) compare(u text) int {
	if a, b := t.head&^longText, u.head&^longText; a != b {
		return cmp.Compare(a, b)
	}
	return strings.Compare(t.String(), u.String())
}

func newTexts(of func(*Entry) string, pivot func(bound) (item[text], bool), size func(string) int) *tree[text] {
	return newTree(&kind[text]{
		of:    func(e *Entry) text { return textOf(of(e)) },
		pivot: pivot,
		order: text.compare,
		less: func(a, b item[text]) bool {
			if x, y := a.key.head&^longText, b.key.head&^longText; x != y {
				return x < y
			}
			c := a.key.compare(b.key)
			return c < 0 || c == 0 && a.id < b.id
		},
		size: func(t text) int { return size(t.String()) },
		text: text.String,
	})
}

// newIndex returns an empty index for terms and their fields. Its keys are the
// cheapest that the kinds of the fields allow.
func newIndex(fields []Field, terms []ordering.Term) index {
	if len(fields) == 1 {
		value := fields[0].Key
		switch fields[0].Kind {
		case reflect.Int:
			return newNumbers(func(e *Entry) int64 { n, _ := value(e).AsInt(); return n }, pivotNumber)
		case reflect.Bool:
			return newNumbers(func(e *Entry) int64 { n, _ := value(e).AsInt(); return n }, pivotBool)
		case reflect.Struct:
			return newNumbers(func(e *Entry) int64 { t, _ := value(e).AsTime(); return t.UnixMicro() }, pivotMicros)
		case reflect.String: // the key refers to the record's text, so it has no size of its own
			return newTexts(func(e *Entry) string { s, _ := value(e).AsText(); return s }, pivotText, func(string) int { return 0 })
		}
	}
	return newTexts(func(e *Entry) string {
		var buf [64]byte
		return string(appendKeys(buf[:0], e, fields, terms))
	}, pivotEncoded, func(s string) int { return len(s) })
}

// appendKeys appends the keys of an entry, inverted for descending terms.
func appendKeys(dst []byte, e *Entry, fields []Field, terms []ordering.Term) []byte {
	for i, f := range fields {
		dst = appendKey(dst, f.Key(e), terms[i].Desc)
	}
	return dst
}

func appendKey(dst []byte, k sortkey.Key, desc bool) []byte {
	if desc {
		return k.AppendDesc(dst)
	}
	return k.Append(dst)
}

// A pivot function returns an item for a bound: the items that compare greater are after
// the bound, all others are before it. If all is set, every item is before the bound.

func pivotNumber(b bound) (p item[int64], all bool) {
	n, id, all := b.number()
	return item[int64]{key: n, id: id}, all
}

func pivotBool(b bound) (p item[int64], all bool) {
	n, _ := b.key.AsInt()
	return item[int64]{key: n, id: b.id}, b.key.Compare(sortkey.Bool(true)) > 0
}

func pivotMicros(b bound) (p item[int64], all bool) {
	const most = math.MaxInt64 / 1_000_000
	if t, ok := b.key.AsTime(); ok && -most < t.Unix() && t.Unix() < most {
		return item[int64]{key: t.UnixMicro(), id: b.id}, false
	}
	return item[int64]{key: math.MinInt64}, b.key.Compare(sortkey.Time(time.Time{})) > 0
}

func pivotText(b bound) (p item[text], all bool) {
	if s, ok := b.key.AsText(); ok {
		return item[text]{key: textOf(s), id: b.id}, false
	}
	return p, b.key.Compare(sortkey.Text("")) > 0
}

// pivotEncoded returns an item with the key of the bound. If the bound is after all keys that
// begin with it, 0xff follows: no encoding begins with that byte, nor does an inverted one.
func pivotEncoded(b bound) (p item[text], all bool) {
	var room [64]byte
	key := appendKey(append(room[:0], b.prefix...), b.key, b.desc)
	if b.id == beforeNext {
		return item[text]{key: textOf(string(append(key, 0xff)))}, false
	}
	return item[text]{key: textOf(string(key)), id: b.id}, false
}

func pivotID(b bound) (p item[struct{}], all bool) {
	id := lastID(b)
	return item[struct{}]{id: id}, id == math.MaxInt
}

func newTree[K any](k *kind[K]) *tree[K] {
	return &tree[K]{kind: k, items: btree.NewBTreeGOptions(k.less, btree.Options{NoLocks: true})}
}

func (t *tree[K]) item(e *Entry) item[K] { return item[K]{key: t.of(e), id: e.ID, entry: e} }

// compare compares items as less does.
func (t *tree[K]) compare(a, b item[K]) int {
	if c := t.order(a.key, b.key); c != 0 {
		return c
	}
	return a.id - b.id
}

func (t *tree[K]) len() int { return t.items.Len() }

// keySize returns the total size of the keys in bytes. It excludes the items.
func (t *tree[K]) keySize() int { return t.bytes }

// fork returns a fork of the tree. It writes to t. O(1).
func (t *tree[K]) fork() index {
	f := &tree[K]{kind: t.kind, items: t.items.Copy(), bytes: t.bytes, garbage: t.garbage}
	f.parts.share(&t.parts)
	return f
}

// empty returns an empty index of the same ordering.
func (t *tree[K]) empty() index { return newTree(t.kind) }

// get returns the entry with the id and the zero key, or nil if none exists.
func (t *tree[K]) get(id int) *Entry {
	it, _ := t.items.Get(item[K]{id: id})
	return it.entry
}

func (t *tree[K]) maxID() int {
	it, _ := t.items.Max()
	return it.id
}

// walk appends at most n entries, beginning at position pos.
func (t *tree[K]) walk(dst []*Entry, pos, n int, desc bool) []*Entry {
	t.ids(pos, n, desc, func(_ int, e *Entry) bool {
		dst = append(dst, e)
		return true
	})
	return dst
}

// ids descends twice, to find the first item and to iterate from it: the tree has no iterator that
// starts at a position.
func (t *tree[K]) ids(pos, n int, desc bool, yield func(id int, e *Entry) bool) {
	first, ok := t.items.GetAt(pos)
	if !ok || n <= 0 {
		return
	}
	each := func(it item[K]) bool {
		n--
		return yield(it.id, it.entry) && n > 0
	}
	if desc {
		t.items.Descend(first, each)
	} else {
		t.items.Ascend(first, each)
	}
}

func (t *tree[K]) rank(b bound) int {
	p, all := t.pivot(b)
	if all {
		return t.len()
	}
	return t.search(p)
}

func (t *tree[K]) position(e *Entry) int { return t.search(t.item(e)) - 1 }

// first descends the tree once. O(log n).
func (t *tree[K]) first(from, to bound, desc bool) (found *Entry) {
	low, none := t.pivot(from)
	high, all := t.pivot(to)
	each := func(it item[K]) bool {
		switch {
		case (desc || low.id != 0) && !t.less(low, it): // no entry has the id 0
			return !desc
		case all || !t.less(high, it):
			found = it.entry
		}
		return false
	}
	switch {
	case none:
	case !desc:
		t.items.Ascend(low, each)
	case all:
		t.items.Reverse(each)
	default:
		t.items.Descend(high, each)
	}
	return found
}

// check returns an error if an entry is not found by its key or at its position,
// or if the total size of the keys is wrong. O(n log n).
func (t *tree[K]) check() (err error) {
	pos, bytes := 0, 0
	t.items.Scan(func(it item[K]) bool {
		fresh := t.item(it.entry)
		at, _ := t.items.GetAt(pos)
		found, _ := t.items.Get(fresh)
		if t.compare(fresh, it) != 0 || at.entry != it.entry || found.entry != it.entry {
			err = fmt.Errorf("id %d is not found by its key or at its position", it.entry.ID)
		}
		pos++
		bytes += t.size(it.key)
		return err == nil
	})
	if err == nil && bytes != t.bytes {
		err = fmt.Errorf("the keys have %d bytes, counted %d", bytes, t.bytes)
	}
	return err
}

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

// prepare computes items before anything is changed. It forgets those of earlier changes.
func (t *tree[K]) prepare(changes []Change) {
	clear(t.next)
	t.next = t.next[:0]
	for _, ch := range changes {
		t.next = append(t.next, prepared[K]{})
		p := &t.next[len(t.next)-1]
		if ch.New != nil {
			p.put = t.item(ch.New)
		}
		if ch.Old != nil {
			if old := t.item(ch.Old); ch.New == nil || t.order(old.key, p.put.key) != 0 {
				p.remove = old
			}
		}
	}
}

// apply forgets the items. It does not run callbacks. O(changes × log n).
func (t *tree[K]) apply(from index) {
	of := from.(*tree[K])
	for i := range of.next {
		p := &of.next[i]
		t.expect(1)
		if p.remove.entry != nil {
			t.remove(p.remove, nil)
		}
		if p.put.entry != nil {
			t.put(p.put, nil)
		}
		*p = prepared[K]{}
	}
	of.next = of.next[:0]
}

// remove removes an item if it is there. hint may be nil.
func (t *tree[K]) remove(old item[K], hint *btree.PathHint) {
	if _, ok := t.items.DeleteHint(old, hint); ok {
		t.bytes -= t.size(old.key)
		t.noteRemoved()
		t.note(old, -1)
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
	t.note(new, t.items.Len()-n)
}

func (t *tree[K]) noteRemoved() {
	if t.split {
		t.removed++
	}
}

// setAll applies many changes, at most one for each record, in the order of their
// keys, so that most hints are right. It may run callbacks.
func (t *tree[K]) setAll(changes []Change) {
	t.prepare(changes)
	t.expect(len(changes))
	var removed, added []item[K]
	for _, p := range t.next {
		if p.remove.entry != nil {
			removed = append(removed, p.remove)
		}
		if p.put.entry != nil {
			added = append(added, p.put)
		}
	}
	t.next = nil
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
