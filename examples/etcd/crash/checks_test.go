package crash_test

import (
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
)

// history returns a checker at the instant 18. Record 1 was created with text 1, and then
// changed to text 2. Record 2 was created with text 3 and deleted. A change of record 1 to
// text 4 and the creation of a record with text 5 have no known outcome. Then record 3 was
// created with text 6. The other writes had no effect.
func history() *checker {
	l := newChecker()
	do := func(k kind, id int, o outcome) {
		w := l.begin(k, id)
		if k == create {
			w.id = 0 // not known before the end
		}
		l.end(w, o, id)
	}
	do(create, 1, stored)
	do(patch, 1, stored)
	do(create, 2, stored)
	do(remove, 2, stored)
	do(patch, 1, unknown)  // at 9
	do(create, 0, unknown) // at 11
	do(create, 3, stored)  // at 13 to 14
	do(create, 0, refused) // text 7
	do(patch, 3, notFound) // text 8
	return l
}

func TestChecker(t *testing.T) {
	all := query{limit: 10}
	for _, test := range []struct {
		reason    string
		query     query
		rows      []row
		count     int
		call, ret int64
		ok        bool
	}{
		{"the last state", all, []row{{1, 2}, {3, 6}}, 2, 20, 21, true},
		{"a change without an answer", all, []row{{1, 4}, {3, 6}}, 2, 20, 21, true},
		{"a creation without an answer", all, []row{{1, 2}, {3, 6}, {4, 5}}, 3, 20, 21, true},
		{"an earlier state, from an earlier call", all, []row{{1, 1}}, 1, 3, 21, true},
		{"a deleted record, from an earlier call", all, []row{{1, 2}, {2, 3}, {3, 6}}, 3, 7, 21, true},
		{"a stale text", all, []row{{1, 1}, {3, 6}}, 2, 20, 21, false},
		{"a deleted record", all, []row{{1, 2}, {2, 3}, {3, 6}}, 3, 20, 21, false},
		{"a missing record at the end", all, []row{{1, 2}}, 1, 20, 21, false},
		{"a missing record in the middle", all, []row{{1, 2}, {4, 5}}, 2, 20, 21, false},
		{"the text of another record", all, []row{{1, 6}, {3, 6}}, 2, 20, 21, false},
		{"a text that was refused", all, []row{{1, 2}, {3, 6}, {4, 7}}, 3, 20, 21, false},
		{"a text for a record that was not found", all, []row{{1, 2}, {3, 8}}, 2, 20, 21, false},
		{"a text that was never sent", all, []row{{1, 2}, {3, 99}}, 2, 20, 21, false},
		{"a text that was sent later", all, []row{{1, 2}}, 1, 1, 2, false},
		{"a text with two ids", all, []row{{1, 2}, {3, 6}, {4, 6}}, 3, 20, 21, false},
		{"an id that is in use", all, []row{{1, 2}, {3, 5}}, 2, 20, 21, false},
		{"too many records in the count", query{limit: 1}, []row{{1, 2}}, 4, 20, 21, false},
		{"the second page", query{limit: 1, offset: 1}, []row{{3, 6}}, 2, 20, 21, true},
		{"the second page in descending order", query{limit: 1, offset: 1, descending: true}, []row{{1, 2}}, 2, 20, 21, true},
		{"a page at another offset", query{limit: 1, offset: 2}, []row{{1, 2}}, 3, 20, 21, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			err := history().checkPage(test.query, page{count: test.count, rows: test.rows}, test.call, test.ret)
			if (err == nil) != test.ok {
				t.Errorf("error %v, want none: %v", err, test.ok)
			}
		})
	}
}

func TestCheckerTags(t *testing.T) {
	l := history()
	q := query{limit: 10}
	if err := l.checkPage(q, page{count: 2, rows: []row{{1, 2}, {3, 6}}, tag: "a"}, 20, 21); err != nil {
		t.Error(err)
	}
	if err := l.checkPage(q, page{count: 2, rows: []row{{1, 4}, {3, 6}}, tag: "a"}, 20, 21); err == nil {
		t.Error("two different pages have the same tag, and there is no error")
	}
}

func TestModel(t *testing.T) {
	from := newState(7, []row{{2, 20}, {5, 50}})
	op := func(in input, out output, call, ret int64) porcupine.Operation {
		return porcupine.Operation{Input: in, Output: out, Call: call, Return: ret}
	}
	read := func(rows []row, call, ret int64) porcupine.Operation {
		return op(input{kind: list, query: everything}, output{page: page{count: len(rows), rows: rows}}, call, ret)
	}
	ok, lost, missing := output{outcome: stored}, output{outcome: unknown}, output{outcome: notFound}
	changed := input{kind: patch, id: 2, number: 21}
	for _, test := range []struct {
		reason  string
		history []porcupine.Operation
		want    bool
	}{
		{"the next id", []porcupine.Operation{op(input{kind: create, id: 8, number: 80}, ok, 1, 2), read([]row{{2, 20}, {5, 50}, {8, 80}}, 3, 4)}, true},
		{"a hole in the ids", []porcupine.Operation{op(input{kind: create, id: 9, number: 80}, ok, 1, 2)}, false},
		{"an id used before", []porcupine.Operation{op(input{kind: create, id: 7, number: 80}, ok, 1, 2)}, false},
		{"a change", []porcupine.Operation{op(changed, ok, 1, 2), read([]row{{2, 21}, {5, 50}}, 3, 4)}, true},
		{"a lost change", []porcupine.Operation{op(changed, ok, 1, 2), read([]row{{2, 20}, {5, 50}}, 3, 4)}, false},
		{"a change that is seen during it", []porcupine.Operation{op(changed, ok, 1, 4), read([]row{{2, 21}, {5, 50}}, 2, 3)}, true},
		{"a change that disappears", []porcupine.Operation{op(changed, ok, 1, 6), read([]row{{2, 21}, {5, 50}}, 2, 3), read(from.rows, 4, 5)}, false},
		{"an unknown change that is seen later", []porcupine.Operation{op(changed, lost, 1, forever), read(from.rows, 2, 3), read([]row{{2, 21}, {5, 50}}, 4, 5)}, true},
		{"an unknown change that disappears", []porcupine.Operation{op(changed, lost, 1, forever), read([]row{{2, 21}, {5, 50}}, 2, 3), read(from.rows, 4, 5)}, false},
		{"an unknown deletion", []porcupine.Operation{op(input{kind: remove, id: 5}, lost, 1, forever), read([]row{{2, 20}}, 2, 3)}, true},
		{"a deletion of a record that does not exist", []porcupine.Operation{op(input{kind: remove, id: 3}, missing, 1, 2)}, true},
		{"a deletion that does not find its record", []porcupine.Operation{op(input{kind: remove, id: 5}, missing, 1, 2)}, false},
		{"a record", []porcupine.Operation{op(input{kind: get, id: 5}, output{outcome: stored, number: 50}, 1, 2)}, true},
		{"a record with another text", []porcupine.Operation{op(input{kind: get, id: 5}, output{outcome: stored, number: 51}, 1, 2)}, false},
		{"a record that is not found", []porcupine.Operation{op(input{kind: get, id: 5}, missing, 1, 2)}, false},
		{"a page with an old count", []porcupine.Operation{op(input{kind: list, query: query{limit: 1}}, output{page: page{count: 3, rows: []row{{2, 20}}}}, 1, 2)}, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			for i := range test.history {
				test.history[i].ClientId = i
			}
			if got := porcupine.CheckOperations(model(from), slices.Clone(test.history)); got != test.want {
				t.Errorf("linearizable is %v, want %v", got, test.want)
			}
		})
	}
}
