package core

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A relation leads from records to others: forwards along a reference in a column, or backwards from
// what is referred to.
type relation struct {
	col  *layout.Field // of the records that refer
	from *Collection
	to   *Collection
	back bool // to is the collection of the column
}

// follow returns the relation with which a path such as director__name begins, and the rest. ok is
// false if the path is that of a column.
func follow(c *Collection, path string) (r relation, rest string, ok bool) {
	if !strings.Contains(path, "__") || c.Type.Column(path) != nil {
		return r, "", false
	}
	for at := range path {
		if rest, ok = strings.CutPrefix(path[at:], "__"); !ok {
			continue
		}
		if col := c.Type.Column(path[:at]); col != nil && col.Refers != "" {
			to, err := c.Set.Lookup(col.Refers)
			return relation{col, c, to, false}, rest, err == nil
		}
		if r, ok = c.referring(path[:at]); ok {
			return r, rest, true
		}
	}
	return r, "", false
}

// referring returns the relation to the records that refer to those of the collection, by its name.
func (c *Collection) referring(name string) (r relation, ok bool) {
	for m, f := range referring(c) {
		if f.Related == name && name != "" {
			return relation{f, c, m, true}, true
		}
	}
	return r, false
}

// referring returns the fields of all collections that refer to records of this one.
func referring(c *Collection) iter.Seq2[*Collection, *layout.Field] {
	return func(yield func(*Collection, *layout.Field) bool) {
		for _, m := range c.Set.All {
			for _, f := range m.Type.Fields {
				if f.Refers == c.Key() && !f.Inside && !yield(m, f) {
					return
				}
			}
		}
	}
}

// many reports whether a record leads to several.
func (r relation) many() bool { return r.back || r.col.Kind == schema.References }

// by returns what the keys of the relation find records by.
func (r relation) by() by {
	if r.back {
		return by{r.to, ""}
	}
	return by{r.to, r.col.By}
}

// A visitor calls a function with the keys of the records to which an entry leads, until that returns
// true. It reports whether it has.
type visitor func(e *store.Entry, visit func(_, k sortkey.Key) bool) bool

// indexed returns the visitor of a relation that leads backwards, which finds the records by the index of
// the reference.
func (in *instant) indexed(r relation) visitor {
	key := by{r.from, r.col.By}.key()
	return func(e *store.Entry, visit func(_, k sortkey.Key) bool) bool {
		k := key(e)
		only := []store.Condition{{Field: r.col.Snake, Ranges: []ordering.Range{{From: k, To: k, ToIncluded: true}}}}
		a, err := in.states[r.to].Answer(in.ctx, store.Query{Want: store.WantScan, Where: only, Terms: []ordering.Term{ordering.Asc(r.to.Type.Identity.Number)}})
		if err != nil { // of the context
			return false
		}
		for other := range a.Scan {
			if visit(sortkey.Key{}, sortkey.Int(int64(other.ID))) {
				return true
			}
		}
		return false
	}
}

// each returns the visitor of a relation. O(n) if it leads backwards.
func (in *instant) each(r relation) visitor {
	switch {
	case r.back:
		return in.backwards(r)
	case r.col.Kind == schema.Reference:
		return func(e *store.Entry, visit func(_, k sortkey.Key) bool) bool {
			return visit(sortkey.Key{}, r.col.Engine.Key(e))
		}
	}
	return r.col.AnyReference
}

// backwards is each of a relation that leads backwards. It lists the ids of the records that refer to
// each record, also to those that a request does not see, with which a path can begin.
func (in *instant) backwards(r relation) visitor {
	target, from := by{r.from, r.col.By}, cmp.Or(in.full, in)
	p, entries := from.all(target), in.entries(r.to)
	last := make([]int32, len(from.entries(r.from))) // the number of ids up to the last one of each record
	ids, before := make([]int, 0, len(entries)), make([]int32, 0, len(entries))
	forward := in.each(relation{r.col, r.to, r.from, false})
	id := 0
	note := func(_, k sortkey.Key) bool {
		if i := p.at(k); i >= 0 {
			ids, before = append(ids, id), append(before, last[i])
			last[i] = int32(len(ids))
		}
		return false
	}
	for i, e := range entries {
		if i%256 == 0 && in.ctx.Err() != nil {
			break // page returns the error
		}
		id = e.ID
		forward(e, note)
	}
	key := target.key()
	return func(e *store.Entry, visit func(_, k sortkey.Key) bool) bool {
		n := int32(0)
		if i := p.at(key(e)); i >= 0 {
			n = last[i]
		}
		for n > 0 && !visit(sortkey.Key{}, sortkey.Int(int64(ids[n-1]))) {
			n = before[n-1]
		}
		return n > 0
	}
}

// crosses reports whether a path leads to another collection.
func crosses(c *Collection, path string) bool {
	_, _, ok := follow(c, path)
	return ok
}

// fieldOf returns the name of a field in snake_case, which may be that of a field of other records. It
// returns an unknown name unchanged.
func (c *Collection) fieldOf(name string) string {
	if r, rest, crosses := follow(c, name); crosses {
		first := r.col.Snake
		if r.back {
			first = r.col.Related
		}
		return first + "__" + r.to.fieldOf(rest)
	}
	return c.Type.FieldOf(name)
}

// An instant holds the states that one query reads. It must be used by one goroutine at a time.
type instant struct {
	ctx    context.Context
	states map[*Collection]*store.State
	others map[*Collection][]*store.Entry // the records of collections in place of those of their states
	lists  map[*Collection][]*store.Entry // of states, once they have been read
	places map[by]*places
	full   *instant // without others, if these are what a request sees

	about    *schema.Description // of the records that are wanted
	compared int                 // rows of joins
}

// newInstant returns an instant without states.
func newInstant(ctx context.Context) *instant {
	return &instant{ctx: ctx, states: map[*Collection]*store.State{}, lists: map[*Collection][]*store.Entry{}, places: map[by]*places{}}
}

// entries returns the records of a collection, sorted by id.
func (in *instant) entries(of *Collection) []*store.Entry {
	if entries, replaced := in.others[of]; replaced {
		return entries
	}
	if in.lists[of] == nil {
		in.lists[of] = in.states[of].Entries()
	}
	return in.lists[of]
}

// instantOf returns the current states of c, of the collections to which the paths of wanted and terms
// lead, and of those that as reads. It returns nil if no path leads out of c and as is nil.
func instantOf(ctx context.Context, c *Collection, wanted schema.Filter, terms []ordering.Term, as *Shown) (in *instant, err error) {
	add := func(m *Collection) {
		if in == nil {
			in = newInstant(ctx)
			in.states[c], in.about = nil, c.Type.About
		}
		in.states[m] = nil
	}
	visit := func(from *Collection, path string) {
		for r, rest, ok := follow(from, path); ok; r, rest, ok = follow(r.to, rest) {
			add(r.to)
		}
	}
	for _, tests := range append(wanted.Search, wanted.Tests) {
		for _, t := range tests {
			visit(c, t.Field)
		}
	}
	for _, t := range terms {
		visit(c, t.Field)
	}
	if as != nil {
		add(c)
		for _, key := range as.reads {
			m, _ := c.Set.Lookup(key) // Complete has checked it
			add(m)
		}
	}
	if in == nil {
		return nil, nil
	}
	for _, m := range c.Set.All {
		for _, t := range wanted.Rows[m.Key()] {
			visit(m, t.Field)
		}
	}
	all := slices.DeleteFunc(slices.Clone(c.Set.All), func(m *Collection) bool {
		_, visited := in.states[m]
		return !visited
	})
	for i, s := range store.Freeze(storesOf(all)...) {
		in.states[all[i]] = s
	}
	if len(wanted.Rows) > 0 {
		err = in.restrict(wanted.Rows)
	}
	return in, err
}

// restrict restricts the records of collections to those for which tests hold, which read all.
func (in *instant) restrict(rows map[string][]schema.Test) error {
	in.full = newInstant(in.ctx)
	in.full.states, in.full.lists, in.full.about = in.states, in.lists, in.about
	in.others = map[*Collection][]*store.Entry{}
	for of, s := range in.states {
		tests := rows[of.Key()]
		if len(tests) == 0 {
			continue
		}
		f, err := in.full.filter(of, schema.Filter{Tests: tests}, 0, new(store.Turn))
		if err != nil {
			return err
		}
		q := store.Query{Want: store.WantScan, Terms: []ordering.Term{ordering.Asc(of.Type.Identity.Number)}}
		f.addTo(&q)
		a, err := s.Answer(in.ctx, q)
		if err != nil {
			return of.Type.Named(err)
		}
		in.others[of] = slices.Collect(a.Scan)
	}
	return nil
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
	return b.of.Type.Column(b.text).Engine.Key
}

// places maps what refers to an entry to its index in a list.
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
// record. Of the keys of a list of references it is the least, or the greatest in descending order;
// references to no record are left out.
func (in *instant) key(c *Collection, path string, desc bool) func(*store.Entry) sortkey.Key {
	r, rest, crosses := follow(c, path)
	if !crosses {
		f, _ := c.Type.Engine.Field(path)
		return f.Key
	}
	of, entries, p, each := in.key(r.to, rest, desc), in.entries(r.to), in.all(r.by()), in.each(r)
	keys := make([]sortkey.Key, len(entries))
	for i, e := range entries {
		if i%256 == 0 && in.ctx.Err() != nil {
			break // page returns the error
		}
		keys[i] = of(e)
	}
	return func(e *store.Entry) (first sortkey.Key) {
		some := false
		first = sortkey.Null()
		each(e, func(_, k sortkey.Key) bool {
			if i := p.at(k); i >= 0 && (!some || desc == (keys[i].Compare(first) > 0)) {
				first, some = keys[i], true
			}
			return false
		})
		return first
	}
}
