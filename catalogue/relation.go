package catalogue

import (
	"context"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// follow returns the reference with which a path such as director__name begins, the collection to
// which it refers, and the rest. ok is false if the path is that of a column.
func (c *core) follow(path string) (col *field, to *core, rest string, ok bool) {
	if !strings.Contains(path, "__") || c.typ.column(path) != nil {
		return nil, nil, "", false
	}
	for at := range path {
		if rest, ok = strings.CutPrefix(path[at:], "__"); !ok {
			continue
		}
		if col = c.typ.column(path[:at]); col != nil && col.Refers != "" {
			to, err := c.catalogue.lookup(col.Refers)
			return col, to, rest, err == nil
		}
	}
	return nil, nil, "", false
}

// crosses reports whether a path leads to another collection.
func (c *core) crosses(path string) bool {
	_, _, _, ok := c.follow(path)
	return ok
}

// An instant has the states of the collections that a query reads, which is one query of one
// goroutine.
type instant struct {
	ctx    context.Context
	states map[*core]*store.State
	others map[*core][]*store.Entry // the records of collections in place of those of their states
	lists  map[list]*listing
}

// entries returns the records of a collection, sorted by id.
func (in *instant) entries(of *core) []*store.Entry {
	if entries, replaced := in.others[of]; replaced {
		return entries
	}
	return in.states[of].Entries()
}

// A list is the records of a collection that are found by their ids or by a unique text.
type list struct {
	of *core
	by string
}

// instant returns the current states of the collection and of those to which the paths of a filter
// and of terms lead, or nil if they lead to no other.
func (c *core) instant(ctx context.Context, wanted schema.Filter, terms []ordering.Term) (in *instant) {
	visit := func(path string) {
		for _, to, rest, ok := c.follow(path); ok; _, to, rest, ok = to.follow(rest) {
			if in == nil {
				in = &instant{ctx, map[*core]*store.State{c: nil}, nil, map[list]*listing{}}
			}
			in.states[to] = nil
		}
	}
	for _, t := range wanted.Tests {
		visit(t.Field)
	}
	for _, tests := range wanted.Search {
		for _, t := range tests {
			visit(t.Field)
		}
	}
	for _, t := range terms {
		visit(t.Field)
	}
	if in == nil {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(c.catalogue.all), func(m *core) bool {
		_, visited := in.states[m]
		return !visited
	})
	for i, s := range store.Freeze(storesOf(all)...) {
		in.states[all[i]] = s
	}
	return in
}

// add adds a test to a filter of n entries of a collection, which may be about records to which
// they refer.
func (in *instant) add(f *filter, c *core, t schema.Test, n int) error {
	if !isComplete(t) {
		return c.typ.errorf("%w: the lookup %s of field %q has %d values", schema.ErrInvalid, t.Lookup, t.Field, len(t.Values))
	}
	col, to, rest, crosses := c.follow(t.Field)
	if !crosses {
		if col = c.typ.column(t.Field); col == nil {
			return c.typ.unknownColumn(t.Field)
		}
		f.add(col, t)
		return nil
	}
	t.Field = rest
	var others filter
	m, null := in.states[to].Len(), t.Lookup == "isnull" && t.Values[0] == "true"
	if n < m/16 { // few: each is found alone
		if err := in.add(&others, to, t, n); err != nil {
			return err
		}
		holds := others.test()
		f.match = append(f.match, col.through(null, func(k sortkey.Key) bool {
			e := in.find(to, col.By, k)
			return e == nil && null || e != nil && holds(e)
		}))
		return nil
	}
	if err := in.add(&others, to, t, m); err != nil {
		return err
	}
	l, holds := in.list(to, col.By), others.test()
	marks, found := make([]uint64, m/64+1), []*store.Entry{}
	for i, e := range l.entries {
		if i%256 == 0 && in.ctx.Err() != nil {
			return in.ctx.Err()
		}
		if holds(e) {
			marks[i/64] |= 1 << (i % 64)
			found = append(found, e)
		}
	}
	if col.By != "" && !null { // fewer texts are found faster than all
		matching := textsOf(l.key, found)
		f.match = append(f.match, col.through(false, func(k sortkey.Key) bool { return matching.at(k) >= 0 }))
		return nil
	}
	l.index()
	f.match = append(f.match, col.through(null, func(k sortkey.Key) bool {
		i := l.at(k)
		return i < 0 && null || i >= 0 && marks[i/64]>>(i%64)&1 != 0
	}))
	return nil
}

// through returns the function that reports whether a value of a column refers to a record for
// which is returns true. null is the result for a value that refers to none.
func (c *field) through(null bool, is func(sortkey.Key) bool) func(*store.Entry) bool {
	key := func(_, k sortkey.Key) bool { return is(k) }
	switch {
	case c.Kind == schema.Reference:
		return func(e *store.Entry) bool {
			k := c.key(e)
			if k.Compare(sortkey.Null()) == 0 {
				return null
			}
			return is(k)
		}
	case null:
		empty := c.contains(schema.Test{Lookup: "isnull", Values: []string{"true"}})
		return func(e *store.Entry) bool { return empty(e) || c.refers(e, key) }
	}
	return func(e *store.Entry) bool { return c.refers(e, key) }
}

// find returns the entry of a collection to which a reference with a key refers, or nil.
// O(log n).
func (in *instant) find(to *core, by string, k sortkey.Key) *store.Entry {
	if id, ok := referenceOf(k); by == "" && ok {
		return in.states[to].Get(id)
	}
	if by == "" || k == sortkey.Null() {
		return nil
	}
	return in.states[to].Holder(by, k)
}

// A listing is the entries of a collection in the order of their ids, with their indexes.
type listing struct {
	entries []*store.Entry
	key     func(*store.Entry) sortkey.Key // of the text by which they are found, or nil
	texts   texts                          // nil until index is called
	first   int
	after   []int32       // after[id-first] is the index + 1; nil if there would be many gaps
	ids     map[int]int32 // instead
}

// Texts are the indexes of entries by the sort keys of their texts.
type texts map[sortkey.Key]int32

func textsOf(key func(*store.Entry) sortkey.Key, entries []*store.Entry) texts {
	t := make(texts, len(entries))
	for i, e := range entries {
		if k := key(e); k != sortkey.Null() {
			t[k] = int32(i)
		}
	}
	return t
}

func (t texts) at(k sortkey.Key) int {
	if i, ok := t[k]; ok {
		return int(i)
	}
	return -1
}

// list returns the records of a collection that are found by their ids, or by a text. O(n) the
// first time.
func (in *instant) list(of *core, by string) *listing {
	l := in.lists[list{of, by}]
	if l != nil {
		return l
	}
	l = &listing{entries: in.entries(of)}
	in.lists[list{of, by}] = l
	n := len(l.entries)
	switch {
	case by != "":
		l.key = of.typ.column(by).key
	case n == 0:
	case l.entries[n-1].ID-l.entries[0].ID < 8*n:
		l.first = l.entries[0].ID
		l.after = make([]int32, l.entries[n-1].ID-l.first+1)
		for i, e := range l.entries {
			l.after[e.ID-l.first] = int32(i) + 1
		}
	default:
		l.ids = make(map[int]int32, n)
		for i, e := range l.entries {
			l.ids[e.ID] = int32(i)
		}
	}
	return l
}

// index returns l after it has made the texts, so that at can be called, by several goroutines.
func (l *listing) index() *listing {
	if l.key != nil && l.texts == nil {
		l.texts = textsOf(l.key, l.entries)
	}
	return l
}

// at returns the index of the entry to which a reference with a key refers, or -1. O(1).
func (l *listing) at(k sortkey.Key) int {
	if l.key != nil {
		return l.texts.at(k)
	}
	id, ok := referenceOf(k)
	if ok && l.after != nil && id >= l.first && id-l.first < len(l.after) {
		return int(l.after[id-l.first]) - 1
	}
	if i, found := l.ids[id]; ok && found {
		return int(i)
	}
	return -1
}

// fields returns functions that return the fields of other records that terms name. A function
// reads the keys of all records on the way. O(n) for each.
func (in *instant) fields(c *core, terms []ordering.Term) map[string]func() store.Field {
	all := map[string]func() store.Field{}
	for _, t := range terms {
		if c.crosses(t.Field) {
			all[t.Field] = func() store.Field { return store.Field{Name: t.Field, Key: in.key(c, t.Field)} }
		}
	}
	return all
}

// key returns the function of the sort key of a path, which is null if a reference leads to no
// record.
func (in *instant) key(c *core, path string) func(*store.Entry) sortkey.Key {
	col, to, rest, crosses := c.follow(path)
	if !crosses {
		f, _ := c.typ.engine.Field(path)
		return f.Key
	}
	of, l := in.key(to, rest), in.list(to, col.By).index()
	keys := make([]sortkey.Key, len(l.entries))
	for i, e := range l.entries {
		keys[i] = of(e)
	}
	return func(e *store.Entry) sortkey.Key {
		if i := l.at(col.key(e)); i >= 0 {
			return keys[i]
		}
		return sortkey.Null()
	}
}
