package core

import (
	"cmp"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// Bits are what is known of a record: a bit is set if one of the tests of a word of a search holds, or,
// after those of the words, a test of the filter.
type bits []uint64

func (b bits) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

func (b bits) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bits) or(other bits) {
	for i := range b {
		b[i] |= other[i]
	}
}

// Words are those of a search that a row of a join has.
type words [2]uint64 // enough for 100

// words returns the words of a search that are set.
func (b bits) words(search bits) (w words) {
	for i := range min(len(b), len(w)) {
		w[i] = b[i] & search[i]
	}
	return w
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

// A link is a relation of the records of a join.
type link struct {
	in   *instant
	rel  relation
	to   *join
	null bits    // those of a reference to no record
	all  visitor // nil before the first record

	few     bool           // there are few references: the record of each is found alone
	entries []*store.Entry // otherwise all records, and
	rows    bits           // their bits
	places  *places        // of the records whose bits matter; nil before the first reference

	found bits // by at, if there are few

	into  bits                        // to which visit adds
	some  bool                        // visit has found a record
	visit func(_, k sortkey.Key) bool // adds the bits of the record to which a key refers
}

// add adds a test of n records. A test of another record is about the record to which the column
// refers.
func (j *join) add(in *instant, t schema.Test, bit, width, n int) error {
	rel, rest, crosses := follow(j.of, t.Field)
	if !crosses {
		own := filter{of: j.of.Type, turn: j.turn}
		err := own.add(t)
		j.tests = append(j.tests, joined{bit, own.test()})
		return err
	}
	if t.All && in.full != nil {
		in = in.full
	}
	i := slices.IndexFunc(j.links, func(l *link) bool { return l.rel == rel && l.in == in })
	if i < 0 {
		room := make(bits, 2*width)
		l := &link{in: in, rel: rel, to: &join{of: rel.to, turn: j.turn}, null: room[:width], found: room[width:]}
		_, restricted := in.others[rel.to] // which have been read
		l.few = n < in.states[rel.to].Len()/16 && !restricted && (!rel.back || n == 1 && rel.col.Kind == schema.Reference && rel.col.Indexed)
		l.visit = func(_, k sortkey.Key) bool {
			if e, b := l.at(k); e != nil {
				l.into.or(b)
				l.some = true
			}
			return false
		}
		i, j.links = len(j.links), append(j.links, l)
	}
	if t.Lookup == "isnull" && len(t.Values) > 0 && t.Values[0] == "true" {
		j.links[i].null.set(bit)
	}
	if t.Field = rest; !j.links[i].few || rel.many() { // of many, one record may be found again and again
		n = in.states[rel.to].Len()
	}
	return j.links[i].to.add(in, t, bit, width, n)
}

func (l *link) row(i int) bits { return l.rows[i*len(l.null) : (i+1)*len(l.null)] }

// mark adds the bits of an entry.
func (j *join) mark(e *store.Entry, b bits) {
	j.test(e, b)
	for _, l := range j.links {
		l.mark(e, b)
	}
}

// test adds the bits of an entry without those of others.
func (j *join) test(e *store.Entry, b bits) {
	for _, t := range j.tests {
		if !b.has(t.bit) && t.holds(e) {
			b.set(t.bit)
		}
	}
}

// mark adds the bits of the records to which an entry refers, or those of a reference to none.
func (l *link) mark(e *store.Entry, b bits) {
	l.into, l.some = b, false
	if l.each(e, l.visit); !l.some {
		b.or(l.null)
	}
}

// each calls a function with the keys of the records to which an entry leads, until it returns true.
func (l *link) each(e *store.Entry, visit func(_, k sortkey.Key) bool) {
	if l.all == nil {
		if l.few && l.rel.back {
			l.all = l.in.indexed(l.rel)
		} else {
			l.all = l.in.each(l.rel)
		}
	}
	l.all(e, visit)
}

// at returns the record to which a key refers, and its bits, or nil if there is none or they do not
// matter. Unless there are few references, the records are read once.
func (l *link) at(k sortkey.Key) (*store.Entry, bits) {
	if l.few {
		e := l.in.find(l.to.of, l.rel.by().text, k)
		if e != nil {
			clear(l.found)
			l.to.mark(e, l.found)
		}
		return e, l.found
	}
	if l.places == nil {
		l.read()
	}
	if i := l.places.at(k); i >= 0 {
		return l.entries[i], l.row(i)
	}
	return nil, nil
}

func (l *link) read() {
	l.entries = l.in.entries(l.to.of)
	l.rows = make(bits, len(l.null)*len(l.entries))
	none := make(bits, len(l.null))
	matter, all := 0, l.rel.many() && !slices.Equal(l.null, none) // the others in a list may differ
	matters := func(i int) bool { return all || !slices.Equal(l.row(i), l.null) }
	for i, e := range l.entries {
		if i%256 == 0 && l.pause() != nil {
			break // page returns the error
		}
		if l.to.mark(e, l.row(i)); matters(i) {
			matter++
		}
	}
	l.places = l.rel.by().places(l.entries, matter, matters)
}

// rows returns the words of each row of a join that begins with an entry: of a search, which are the
// first bits. A row has one of the records to which the entry refers by each link. Rows with the same
// words are one.
func (j *join) rows(e *store.Entry, search bits) []words {
	own := make(bits, len(search))
	j.test(e, own)
	all := []words{own.words(search)}
	for _, l := range j.links {
		var some, next []words
		l.each(e, func(_, k sortkey.Key) bool {
			switch to, b := l.at(k); {
			case to == nil:
			case l.to.chooses():
				for _, w := range l.to.rows(to, search) {
					some = l.with(some, w)
				}
			default:
				some = l.with(some, b.words(search))
			}
			return l.to.turn.Err != nil
		})
		for _, before := range all {
			for _, w := range some {
				if next = l.with(next, words{before[0] | w[0], before[1] | w[1]}); l.to.turn.Err != nil {
					return nil
				}
			}
		}
		if some != nil {
			all = next
		}
	}
	return all
}

// with returns a list with some words, unless it has them.
func (l *link) with(list []words, w words) []words {
	before := l.in.compared
	if l.in.compared += len(list) + 1; before/4096 != l.in.compared/4096 {
		_ = l.pause()
	}
	if slices.Contains(list, w) {
		return list
	}
	return append(list, w)
}

// maxCompared is the number of comparisons of rows that a query makes, which take a few tenths of a second.
const maxCompared = 100_000_000

// pause ends the query if its context has ended or its rows are too many. It returns the error.
func (l *link) pause() error {
	err := l.in.ctx.Err()
	if err == nil && l.in.compared > maxCompared {
		_, name := l.in.about.Params()
		err = schema.FieldErrors{{Field: l.in.about.ErrorName(name), Messages: []string{"This takes too much work: search for fewer words, or in fewer records."}}}
	}
	l.to.turn.Err = cmp.Or(l.to.turn.Pause(), err)
	return l.to.turn.Err
}

// chooses reports whether the join passes lists of references, from which each row has one record.
func (j *join) chooses() bool {
	return slices.ContainsFunc(j.links, func(l *link) bool { return l.rel.many() || l.to.chooses() })
}

// holds returns the function that reports whether all of n bits of an entry are set, and the first of
// them, which are those of the words of a search, in one row. It tests the entry itself last, and only
// as long as all tests hold.
func (j *join) holds(n, words, width int) func(*store.Entry) bool {
	own, all, b := make([][]func(*store.Entry) bool, n), make(bits, width), make(bits, width)
	for i := range n {
		all.set(i)
	}
	for _, t := range j.tests {
		own[t.bit] = append(own[t.bit], t.holds)
	}
	some := func(e *store.Entry) bool {
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
	if words < 2 || !j.chooses() {
		return some
	}
	search := make(bits, width)
	for i := range words {
		search.set(i)
	}
	wanted := search.words(search)
	return func(e *store.Entry) bool { return some(e) && slices.Contains(j.rows(e, search), wanted) }
}
