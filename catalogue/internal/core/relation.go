package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// follow returns the reference with which a path such as director__name begins, the collection to
// which it refers, and the rest. ok is false if the path is that of a column.
func follow(c *Collection, path string) (col *layout.Field, to *Collection, rest string, ok bool) {
	if !strings.Contains(path, "__") || c.Type.Column(path) != nil {
		return nil, nil, "", false
	}
	for at := range path {
		if rest, ok = strings.CutPrefix(path[at:], "__"); !ok {
			continue
		}
		if col = c.Type.Column(path[:at]); col != nil && col.Refers != "" {
			to, err := c.Set.Lookup(col.Refers)
			return col, to, rest, err == nil
		}
	}
	return nil, nil, "", false
}

// crosses reports whether a path leads to another collection.
func crosses(c *Collection, path string) bool {
	_, _, _, ok := follow(c, path)
	return ok
}

// fieldOf returns the name of a field in snake_case, which may be that of a field of other records. It
// returns an unknown name unchanged.
func (c *Collection) fieldOf(name string) string {
	if col, to, rest, crosses := follow(c, name); crosses {
		return col.Snake + "__" + to.fieldOf(rest)
	}
	return c.Type.FieldOf(name)
}

// An instant holds the states that one query reads. It is for one goroutine.
type instant struct {
	ctx    context.Context
	states map[*Collection]*store.State
	others map[*Collection][]*store.Entry // the records of collections in place of those of their states
	places map[by]*places
}

// entries returns the records of a collection, sorted by id.
func (in *instant) entries(of *Collection) []*store.Entry {
	if entries, replaced := in.others[of]; replaced {
		return entries
	}
	return in.states[of].Entries()
}

// instantOf returns the current states of the collection and of those to which the paths of a filter
// and of terms lead, or nil if they lead to no other.
func instantOf(ctx context.Context, c *Collection, wanted schema.Filter, terms []ordering.Term) (in *instant) {
	visit := func(path string) {
		for _, to, rest, ok := follow(c, path); ok; _, to, rest, ok = follow(to, rest) {
			if in == nil {
				in = &instant{ctx, map[*Collection]*store.State{c: nil}, nil, map[by]*places{}}
			}
			in.states[to] = nil
		}
	}
	for _, tests := range append(wanted.Search, wanted.Tests) {
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
	all := slices.DeleteFunc(slices.Clone(c.Set.All), func(m *Collection) bool {
		_, visited := in.states[m]
		return !visited
	})
	for i, s := range store.Freeze(storesOf(all)...) {
		in.states[all[i]] = s
	}
	return in
}

// Bits are what is known of a record: the bit i is set if test i of a filter holds, or one of the
// tests of word i of its search.
type bits []uint64

func (b bits) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

func (b bits) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bits) or(other bits) {
	for i := range b {
		b[i] |= other[i]
	}
}

// A join has tests of the records of a collection, and of those to which they refer.
type join struct {
	of    *Collection
	turn  *store.Turn
	tests []joined
	links []*link
}

// A joined is a test of a record, and its bit.
type joined struct {
	bit   int
	holds func(*store.Entry) bool
}

// A link leads from records to those to which they refer in a column.
type link struct {
	in   *instant
	col  *layout.Field
	to   *join
	null bits // those of a reference to no record

	few    bool    // there are few references: the record of each is found alone
	rows   bits    // otherwise those of all records
	places *places // of the records whose rows are not null; nil before the first reference

	into  bits                        // to which visit adds
	some  bool                        // visit has been called
	visit func(_, k sortkey.Key) bool // adds the bits of the record to which a key refers
}

// add adds a test of n records. A test of another record is about the record to which the column
// refers.
func (j *join) add(in *instant, t schema.Test, bit, width, n int) error {
	col, to, rest, crosses := follow(j.of, t.Field)
	if !crosses {
		own := filter{of: j.of.Type, turn: j.turn}
		err := own.add(t)
		j.tests = append(j.tests, joined{bit, own.test()})
		return err
	}
	i := slices.IndexFunc(j.links, func(l *link) bool { return l.col == col })
	if i < 0 {
		l := &link{in: in, col: col, to: &join{of: to, turn: j.turn}, null: make(bits, width), few: n < in.states[to].Len()/16}
		l.visit = func(_, k sortkey.Key) bool {
			l.some = true
			l.follow(k, l.into)
			return false
		}
		i, j.links = len(j.links), append(j.links, l)
	}
	if t.Lookup == "isnull" && len(t.Values) > 0 && t.Values[0] == "true" {
		j.links[i].null.set(bit)
	}
	if t.Field = rest; !j.links[i].few {
		n = in.states[to].Len()
	}
	return j.links[i].to.add(in, t, bit, width, n)
}

func (l *link) row(i int) bits { return l.rows[i*len(l.null) : (i+1)*len(l.null)] }

// mark adds the bits of an entry.
func (j *join) mark(e *store.Entry, b bits) {
	for _, t := range j.tests {
		if !b.has(t.bit) && t.holds(e) {
			b.set(t.bit)
		}
	}
	for _, l := range j.links {
		l.mark(e, b)
	}
}

// mark adds the bits of the records to which an entry refers.
func (l *link) mark(e *store.Entry, b bits) {
	if l.col.Kind == schema.Reference {
		l.follow(l.col.EntryKey(e), b)
		return
	}
	l.into, l.some = b, false
	if l.col.AnyReference(e, l.visit); !l.some {
		b.or(l.null)
	}
}

// follow adds the bits of the record to which a key refers. Unless there are few references, the
// records are read once.
func (l *link) follow(k sortkey.Key, b bits) {
	if l.few {
		if e := l.in.find(l.to.of, l.col.By, k); e != nil {
			l.to.mark(e, b)
		} else {
			b.or(l.null)
		}
		return
	}
	if l.places == nil {
		l.read()
	}
	if i := l.places.at(k); i >= 0 {
		b.or(l.row(i))
	} else {
		b.or(l.null)
	}
}

func (l *link) read() {
	entries, different := l.in.entries(l.to.of), 0
	l.rows = make(bits, len(l.null)*len(entries))
	for i, e := range entries {
		if i%256 == 0 && cmp.Or(l.in.ctx.Err(), l.to.turn.Pause()) != nil {
			break // page returns the error
		}
		if l.to.mark(e, l.row(i)); l.differs(i) {
			different++
		}
	}
	l.places = by{l.to.of, l.col.By}.places(entries, different, l.differs)
}

// differs reports whether the bits of a record are not those of a reference to none.
func (l *link) differs(i int) bool { return !slices.Equal(l.row(i), l.null) }

// holds returns the function that reports whether all bits of an entry are set. It tests the
// entry itself last, and only as long as all tests hold.
func (j *join) holds(n, width int) func(*store.Entry) bool {
	own, all, b := make([][]func(*store.Entry) bool, n), make(bits, width), make(bits, width)
	for i := range n {
		all.set(i)
	}
	for _, t := range j.tests {
		own[t.bit] = append(own[t.bit], t.holds)
	}
	return func(e *store.Entry) bool {
		clear(b)
		for _, l := range j.links {
			if l.mark(e, b); slices.Equal(b, all) {
				return true
			}
		}
		for i, tests := range own {
			if !b.has(i) && !slices.ContainsFunc(tests, func(holds func(*store.Entry) bool) bool { return holds(e) }) {
				return false
			}
		}
		return true
	}
}

// find returns the entry of a collection to which a reference with a key refers, or nil.
// O(log n).
func (in *instant) find(to *Collection, by string, k sortkey.Key) *store.Entry {
	if id, ok := layout.ReferenceOf(k); by == "" && ok {
		return in.states[to].Get(id)
	}
	if by == "" || k == sortkey.Null() {
		return nil
	}
	return in.states[to].Holder(by, k)
}

// A by is what references find the records of a collection by: their ids, or a unique text.
type by struct {
	of   *Collection
	text string // name of the column, or ""
}

// key returns the function of the key that refers to an entry, which is null if none does.
func (b by) key() func(*store.Entry) sortkey.Key {
	if b.text == "" {
		return func(e *store.Entry) sortkey.Key { return sortkey.Int(int64(e.ID)) }
	}
	return b.of.Type.Column(b.text).EntryKey
}

// Places are the indexes of entries in a list, by what refers to them.
type places struct {
	first int
	after []int32               // after[id-first] is the index + 1; nil if there would be many gaps
	texts map[string]int32      // by a text
	other map[sortkey.Key]int32 // by another key
}

// places returns the places of some of the entries, which are sorted by id: of those for whose
// index has returns true, which are size. O(len(entries)).
func (b by) places(entries []*store.Entry, size int, has func(i int) bool) *places {
	p, n, key := &places{}, len(entries), b.key()
	if b.text == "" && n > 0 && entries[n-1].ID-entries[0].ID < 8*n {
		p.first, p.after = entries[0].ID, make([]int32, entries[n-1].ID-entries[0].ID+1)
	} else {
		p.texts, p.other = make(map[string]int32, size), map[sortkey.Key]int32{}
	}
	for i, e := range entries {
		if !has(i) {
			continue
		}
		if p.after != nil {
			p.after[e.ID-p.first] = int32(i) + 1
		} else if text, ok := key(e).AsText(); ok {
			p.texts[text] = int32(i)
		} else if k := key(e); k != sortkey.Null() {
			p.other[k] = int32(i)
		}
	}
	return p
}

// at returns the index of the entry to which a reference with a key refers, or -1. O(1).
func (p *places) at(k sortkey.Key) int {
	i, found := int32(0), false
	if text, ok := k.AsText(); ok {
		i, found = p.texts[text]
	} else if id, ok := layout.ReferenceOf(k); ok && id >= p.first && id-p.first < len(p.after) {
		i, found = p.after[id-p.first]-1, true
	} else if len(p.other) > 0 {
		i, found = p.other[k]
	}
	if !found {
		return -1
	}
	return int(i)
}

// all returns the places of all records of a collection. O(n) the first time.
func (in *instant) all(b by) *places {
	p := in.places[b]
	if p == nil {
		p = b.places(in.entries(b.of), in.states[b.of].Len(), func(int) bool { return true })
		in.places[b] = p
	}
	return p
}

// fields returns functions that return the fields of other records that terms name, or nil if they
// name none. A function reads the keys of all records on the way. O(n) for each.
func (in *instant) fields(c *Collection, terms []ordering.Term) (all map[string]func() store.Field) {
	for _, t := range terms {
		if crosses(c, t.Field) && all[t.Field] == nil { // a repeated field has no effect
			if all == nil {
				all = map[string]func() store.Field{}
			}
			all[t.Field] = sync.OnceValue(func() store.Field { return store.Field{Name: t.Field, Key: in.key(c, t.Field, t.Desc)} })
		}
	}
	return all
}

// key returns the function of the sort key of a path, which is null if a reference leads to no
// record. Of the keys of a list of references it is the least, or the greatest in descending order.
func (in *instant) key(c *Collection, path string, desc bool) func(*store.Entry) sortkey.Key {
	col, to, rest, crosses := follow(c, path)
	if !crosses {
		f, _ := c.Type.Engine.Field(path)
		return f.Key
	}
	of, entries, p := in.key(to, rest, desc), in.entries(to), in.all(by{to, col.By})
	keys := make([]sortkey.Key, len(entries))
	for i, e := range entries {
		keys[i] = of(e)
	}
	at := func(k sortkey.Key) sortkey.Key {
		if i := p.at(k); i >= 0 {
			return keys[i]
		}
		return sortkey.Null()
	}
	if col.Kind == schema.Reference {
		return func(e *store.Entry) sortkey.Key { return at(col.EntryKey(e)) }
	}
	return func(e *store.Entry) (first sortkey.Key) {
		some := false
		col.AnyReference(e, func(_, k sortkey.Key) bool {
			if k = at(k); !some || desc == (k.Compare(first) > 0) {
				first, some = k, true
			}
			return false
		})
		return first
	}
}
