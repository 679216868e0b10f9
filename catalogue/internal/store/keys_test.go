package store

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gobacklist/backlist/ordering"
)

// ascendingKeys returns a list of keys of every kind in ascending order, as the documentation of
// package ordering describes it. The tests compare keys by their positions in the
// list, and so without the code of package ordering.
func ascendingKeys() []ordering.Key {
	number, text, list := ordering.Number, ordering.Text, ordering.List
	day := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	keys := []ordering.Key{
		ordering.Bool(false), ordering.Bool(true),
		ordering.Float(math.NaN()), ordering.Float(math.Inf(-1)), number("-1e300"),
		number("-9223372036854775809"), number("-9223372036854775808.5"), ordering.Int(math.MinInt64),
		number("-9223372036854775807.5"), ordering.Int(math.MinInt64 + 1),
		ordering.Int(-2), number("-1.5"), ordering.Int(-1), number("-0.5"), ordering.Int(0), number("0.5"),
	}
	for i := range int64(12) {
		keys = append(keys, ordering.Int(i+1), ordering.Float(float64(i)+1.5))
	}
	return append(keys,
		ordering.Int(math.MaxInt64-1), number("9223372036854775806.5"), ordering.Int(math.MaxInt64),
		number("9223372036854775807.5"), number("9223372036854775808"), ordering.Uint(math.MaxUint64),
		number("1e300"), ordering.Float(math.Inf(1)),
		ordering.Time(time.Time{}), ordering.Time(day), ordering.Time(day.Add(1)), ordering.Time(day.Add(time.Second)),
		text(""), text("\x00"), text("\x00\x00"), text("\x00\x01"), text("\x00\xff"), text("a"), text("a\x00"),
		text("a\x00b"), text("a\x01"), text("ab"), text("a\xff"), text("a\xff\x00"), text("b"), text("é"), text("\xff"), text("\xff\xff"),
		list(), list(ordering.Bool(true)), list(ordering.Int(1)), list(ordering.Int(1), ordering.Int(0)), list(ordering.Int(2)),
		list(text("a")), list(text("a"), text("b")), list(text("a\x00")), list(list()), list(ordering.Null()),
		ordering.Object(""), ordering.Object(`{"a":1}`), ordering.Object(`{"b":0}`), ordering.Object(`{}`),
		ordering.Null(),
	)
}

// A ranked is an entry with the position of its key in ascendingKeys.
type ranked struct {
	*Entry
	at int
}

func compareRanked(a, b ranked) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.ID, b.ID)) }

// A testSequence is a sequence whose keys are in ascendingKeys, and its entries in order.
type testSequence struct {
	reason  string
	make    func(entries []*Entry) sequence
	entries []ranked
}

// testSequences returns a sequence of every kind, with about n entries. Several entries
// have the same key, and some have ids near the largest int.
func testSequences(n int) []testSequence {
	keys := ascendingKeys()
	field := Field{Name: "f", Key: func(e *Entry) ordering.Key { return keys[recordOf(e).number] }}
	tree := func(kind ordering.Kind) func([]*Entry) sequence {
		return func(entries []*Entry) sequence {
			f := field
			f.Kind = kind
			x := newIndex([]Field{f}, parse("f"))
			x.fill(entries)
			return x
		}
	}
	isInt := func(k ordering.Key) bool { _, ok := k.AsInt(); return ok }
	isBool := func(k ordering.Key) bool { return isInt(k) && k.Compare(ordering.Bool(true)) <= 0 }
	isText := func(k ordering.Key) bool { _, ok := k.AsText(); return ok }
	all := func(ordering.Key) bool { return true }
	return []testSequence{
		{"numbers", tree(ordering.IntegerKey), rankedEntries(n, func(k ordering.Key) bool { return isInt(k) && !isBool(k) })},
		{"booleans", tree(ordering.BoolKey), rankedEntries(n, isBool)},
		{"texts", tree(ordering.TextKey), rankedEntries(n, isText)},
		{"encoded keys", tree(ordering.AnyKey), rankedEntries(n, all)},
		{"ids", func(entries []*Entry) sequence { x := newPrimary(); x.fill(entries); return x }, rankedIDs(n)},
		{"sorted entries", func(entries []*Entry) sequence {
			entries = slices.Clone(entries)
			slices.SortFunc(entries, func(a, b *Entry) int {
				return cmp.Or(cmp.Compare(recordOf(a).number, recordOf(b).number), cmp.Compare(a.ID, b.ID))
			})
			return &sortedEntries{entries: entries, key: field.Key}
		}, rankedEntries(n, all)},
	}
}

// rankedEntries returns n entries, sorted, whose keys are those of ascendingKeys that are
// wanted. Each fifth such key has no entry.
func rankedEntries(n int, wanted func(ordering.Key) bool) (list []ranked) {
	var places []int
	for at, k := range ascendingKeys() {
		if wanted(k) && (at%5 > 0 || at < 2) {
			places = append(places, at)
		}
	}
	for i := range n {
		id := i + 1
		if i%4 == 3 {
			id = math.MaxInt - i + 3 // the first is the largest int
		}
		at := places[i*7919%len(places)]
		list = append(list, ranked{&(&record{Entry: Entry{id}, number: int64(at)}).Entry, at})
	}
	slices.SortFunc(list, compareRanked)
	return list
}

// rankedIDs returns at most n entries, sorted, whose ids are in ascendingKeys.
func rankedIDs(n int) (list []ranked) {
	for at, k := range ascendingKeys() {
		id, ok := k.AsInt()
		if ok && at > 1 && id > 0 && id <= math.MaxInt && id%4 != 2 && len(list) < n {
			list = append(list, ranked{&(&record{Entry: Entry{int(id)}}).Entry, at})
		}
	}
	return list
}

// sequence returns the sequence of the entries.
func (l testSequence) sequence() sequence {
	var entries []*Entry
	for _, e := range l.entries {
		entries = append(entries, e.Entry)
	}
	slices.SortFunc(entries, compareIDs)
	return l.make(entries)
}
