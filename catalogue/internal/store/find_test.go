package store

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// A tested condition has a predicate in plain Go for the records that satisfy it.
type tested struct {
	ordering.Condition
	holds func(r *record) bool
}

// randomCondition returns a condition for the records of randomRecord.
func randomCondition(rng *rand.Rand) tested {
	n, m := rng.Int64N(11)-5, rng.Int64N(11)-5
	n, m = min(n, m), max(n, m)
	s := strings.Repeat("ab", rng.IntN(4)) + []string{"", "a", "b"}[rng.IntN(3)]
	note := string(rune('0' + rng.IntN(6)))
	id := rng.IntN(90)
	all := []tested{
		{ordering.Equal("number", n), func(r *record) bool { return r.number == n }},
		{ordering.OneOf("number", m, n, m), func(r *record) bool { return r.number == n || r.number == m }},
		{ordering.OneOf[int]("number"), func(r *record) bool { return false }},
		{ordering.Less("number", n), func(r *record) bool { return r.number < n }},
		{ordering.AtMost("number", float64(n)+0.5), func(r *record) bool { return r.number <= n }},
		{ordering.Greater("number", float64(n)-0.5), func(r *record) bool { return r.number >= n }},
		{ordering.Between("number", n, m), func(r *record) bool { return n <= r.number && r.number < m }},
		{ordering.Less("number", math.Inf(1)), func(*record) bool { return true }},
		{ordering.Equal("number", "1"), func(*record) bool { return false }},
		{ordering.Equal("text", s), func(r *record) bool { return r.text == s }},
		{ordering.Prefix("text", s), func(r *record) bool { return strings.HasPrefix(r.text, s) }},
		{ordering.Greater("text", s), func(r *record) bool { return r.text > s }},
		{ordering.NotNull("text"), func(*record) bool { return true }},
		{ordering.IsNull("note"), func(r *record) bool { return r.note == nil }},
		{ordering.NotNull("note"), func(r *record) bool { return r.note != nil }},
		{ordering.AtMost("note", note), func(r *record) bool { return r.note != nil && *r.note <= note }},
		{ordering.OneOf("note", "1", note), func(r *record) bool { return r.note != nil && (*r.note == "1" || *r.note == note) }},
		{ordering.Equal("id", id), func(r *record) bool { return r.ID == id }},
		{ordering.AtLeast("id", id), func(r *record) bool { return r.ID >= id }},
		{ordering.Between("id", id, id+20), func(r *record) bool { return id <= r.ID && r.ID < id+20 }},
		{ordering.AtMost("id", float64(id)+0.5), func(r *record) bool { return r.ID <= id }},
	}
	return all[rng.IntN(len(all))]
}

// A store, its states and its batches find the records that satisfy random conditions, in
// any order.
func TestFind(t *testing.T) {
	rng := random(t)
	orders := []string{
		"", "id", "-id", "number", "-number", "text", "-note", "number,text", "-number,text", "note,-id", "-text,id",
		"text,-number,note", "number,-id", "-id,text",
	}
	for range 40 {
		c := newStore(t, newSchema(0), 0)
		for range rng.IntN(80) {
			put(c, randomRecord(rng, 0))
		}
		for range 6 {
			old := oldState(c)
			var list []ordering.Condition
			var all []tested
			for range rng.IntN(4) {
				cond := randomCondition(rng)
				list, all = append(list, cond.Condition), append(all, cond)
			}
			holds := func(r *record) bool {
				return !slices.ContainsFunc(all, func(c tested) bool { return !c.holds(r) })
			}
			terms := orders[rng.IntN(len(orders))]
			q := Query{Where: conditions(t, list...), Terms: parse(terms)}
			check := func(what string, p finder, entries []*Entry) {
				t.Helper()
				if diff := cmp.Diff(selected(entries, terms, holds), found(t, p, q), emptyIsNil); diff != "" {
					plan, _ := p.Explain(within(t), q)
					t.Fatalf("%s: %v by %q: %s (-want +got):\n%s", what, list, terms, plan, diff)
				}
			}
			check("old state", old, old.Entries())
			check("store", c, c.Current().Entries())
			check("current state", c.Current(), c.Current().Entries())
			putAll(c, randomRecord(rng, 0), randomRecord(rng, 1+rng.IntN(max(1, c.Len()))))
			check("store after a write", c, c.Current().Entries())
		}
	}
}

// emptyIsNil makes an empty list of ids equal a nil one.
var emptyIsNil = cmp.Transformer("nilIfEmpty", func(list []int) []int {
	if len(list) == 0 {
		return nil
	}
	return list
})

// The position of a record that is not selected is -1.
func TestPositionOfOthers(t *testing.T) {
	c := newStore(t, newSchema(0), 50)
	for _, row := range []struct {
		reason string
		terms  string
		list   []ordering.Condition
		id     int
	}{
		{"no such record", "", nil, 77},
		{"no such record, with a condition", "number", []ordering.Condition{ordering.Equal("number", 3)}, 77},
		{"before the range", "number", []ordering.Condition{ordering.Greater("number", 3)}, 4},
		{"after the range", "number", []ordering.Condition{ordering.Less("number", 3)}, 4},
		{"between two ranges", "number", []ordering.Condition{ordering.OneOf("number", 2, 4)}, 4},
		{"in no range", "number", []ordering.Condition{ordering.OneOf[int]("number")}, 4},
		{"filtered", "number", []ordering.Condition{ordering.Equal("number", 3), ordering.Equal("text", "no such text")}, 4},
		{"sorted", "-text", []ordering.Condition{ordering.Greater("number", 3)}, 4},
	} {
		for what, p := range map[string]finder{"store": c, "state": c.Current(), "old state": oldState(c)} {
			if got, err := p.Position(within(t), row.id, Query{Where: conditions(t, row.list...), Terms: parse(row.terms)}); got != -1 || err != nil {
				t.Errorf("%s, %s: Position(%d) = %d, %v, want -1", row.reason, what, row.id, got, err)
			}
		}
	}
	put(c, &record{Entry: Entry{math.MaxInt}, number: 3})
	if got, err := c.Position(within(t), math.MaxInt, Query{Where: conditions(t, ordering.Equal("number", 3))}); got != 7 || err != nil {
		t.Errorf("the largest id: Position() = %d, %v, want 7", got, err)
	}
}

// A query holds no pin after it returns, so that the next write can change the state in
// place.
func TestFindReleasesPins(t *testing.T) {
	c := newStore(t, newSchema(0), 20)
	for _, row := range []struct {
		reason string
		terms  string
		list   []ordering.Condition
	}{
		{"one range in order", "number", []ordering.Condition{ordering.Equal("number", 3)}},
		{"sorted", "text", []ordering.Condition{ordering.Less("number", 3)}},
		{"filtered", "", []ordering.Condition{ordering.Equal("number", 3), ordering.NotNull("text")}},
		{"no index yet", "", []ordering.Condition{ordering.IsNull("note")}},
		{"an unknown condition", "", []ordering.Condition{ordering.IsNull("no_such")}},
		{"an unknown term", "no_such", []ordering.Condition{ordering.Equal("number", 3)}},
	} {
		q := Query{Where: conditions(t, row.list...), Terms: parse(row.terms)}
		for _, method := range []string{"Page", "First", "Position", "Scan", "Explain"} {
			put(c, &record{}) // so that the state is not frozen
			callMethod(within(t), c, method, q)
			if !c.pins.idle() {
				t.Errorf("%s: %s holds a pin", row.reason, method)
			}
		}
	}
}
