package crash_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"
)

// A checker has all writes, and checks what reads return. Its clock numbers calls and
// returns in the order in which they happen.
type checker struct {
	mu      sync.Mutex
	clock   int64
	numbers int            // number of the last text
	writes  map[int]*write // by the number of the text, except for deletes
	records map[int]*record
	known   []int    // ids of records that are not certainly deleted, in order
	unbound []*write // creates whose record is not known
	tags    map[string]string
	faults  []error
	silent  bool // faults are left to porcupine
	stats   stats
}

// A record has the writes of one id.
type record struct {
	id      int
	created *write
	patches []*write
	deletes []*write
}

func newChecker() *checker {
	return &checker{writes: map[int]*write{}, records: map[int]*record{}, tags: map[string]string{}}
}

// now returns the instant of a call or a return.
func (l *checker) now() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tick()
}

func (l *checker) tick() int64 {
	l.clock++
	return l.clock
}

// begin records the call of a write.
func (l *checker) begin(k kind, id int) *write {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &write{kind: k, id: id, call: l.tick(), ret: forever}
	if k != remove {
		l.numbers++
		w.number = l.numbers
		l.writes[w.number] = w
	}
	switch k {
	case create:
		l.unbound = append(l.unbound, w)
	case patch:
		l.records[id].patches = append(l.records[id].patches, w)
	case remove:
		l.records[id].deletes = append(l.records[id].deletes, w)
	}
	return w
}

// end records the outcome of a write. id is that of the record that was created.
func (l *checker) end(w *write, o outcome, id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.tick()
	w.outcome = o
	l.stats.count(w)
	if o != unknown {
		w.ret = at
	}
	if w.kind != create {
		if r := l.records[w.id]; o == notFound && l.present(r, w.call, at) {
			l.fault(fmt.Errorf("the record exists: %v", w))
		}
		return
	}
	if o == stored {
		l.fault(l.bind(w, id))
	}
	if o != unknown {
		l.unbound = slices.DeleteFunc(l.unbound, func(u *write) bool { return u == w })
	}
}

// bind records the id of the record that a write created.
func (l *checker) bind(w *write, id int) error {
	if w.id == id && l.records[id] != nil && l.records[id].created == w {
		return nil
	}
	if w.id != 0 {
		return fmt.Errorf("text %d has the ids %d and %d", w.number, w.id, id)
	}
	if r := l.records[id]; r != nil {
		return fmt.Errorf("id %d was assigned twice: %v and %v", id, r.created, w)
	}
	w.id = id
	l.records[id] = &record{id: id, created: w}
	at, _ := slices.BinarySearch(l.known, id)
	l.known = slices.Insert(l.known, at, id)
	l.unbound = slices.DeleteFunc(l.unbound, func(u *write) bool { return u == w })
	return nil
}

// absent reports whether the record certainly did not exist from the instant call on.
func (l *checker) absent(r *record, call int64) bool {
	return slices.ContainsFunc(r.deletes, func(d *write) bool { return d.certain(call) })
}

// present reports whether the record certainly existed at all instants from call to ret.
func (l *checker) present(r *record, call, ret int64) bool {
	return r.created.certain(call) &&
		!slices.ContainsFunc(r.deletes, func(d *write) bool { return d.possible(ret) })
}

// row checks a record that was read between call and ret.
func (l *checker) row(id int, number int, call, ret int64) error {
	w := l.writes[number]
	if w == nil || !w.possible(ret) {
		return fmt.Errorf("id %d has text %d, which was not sent or refused: %v", id, number, w)
	}
	if w.kind == create {
		if err := l.bind(w, id); err != nil {
			return err
		}
	}
	r := l.records[id]
	if r == nil || w.id != id {
		return fmt.Errorf("id %d has the text of another record: %v", id, w)
	}
	if w.seen == 0 {
		w.seen = ret
	}
	if l.absent(r, call) {
		return fmt.Errorf("id %d was deleted, but has text %d", id, number)
	}
	for _, later := range r.patches {
		if later.outcome == stored && later.call > w.ret && later.ret < call {
			return fmt.Errorf("stale: id %d has the text of %v, not of %v", id, w, later)
		}
	}
	return nil
}

// pick returns the id of a record that probably exists, or 0, and the number of records.
// The id is often the highest, which must not be used again when the record is deleted.
func (l *checker) pick(rng *rand.Rand) (id, number int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	number = len(l.known)
	for range 10 {
		if number == 0 {
			break
		}
		at := rng.IntN(number)
		if rng.IntN(6) == 0 {
			at = number - 1
		}
		r := l.records[l.known[at]]
		if len(r.deletes) == 0 || rng.IntN(20) == 0 {
			return r.id, number
		}
	}
	return 0, number
}

// compact forgets tags and the records that were deleted before a round.
func (l *checker) compact() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.tags)
	l.known = slices.DeleteFunc(l.known, func(id int) bool { return l.absent(l.records[id], l.clock) })
}

func (l *checker) fault(err error) {
	if err != nil && len(l.faults) < 10 && !l.silent {
		l.faults = append(l.faults, err)
	}
}

// report records a fault.
func (l *checker) report(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault(err)
}

func (l *checker) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.faults...)
}

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

// An input is an operation. Its kind determines which fields are used.
type input struct {
	kind   kind
	id     int
	number int // of the text to store
	query  query
}

// An output is what a client knows about the result of an operation.
type output struct {
	outcome outcome
	number  int // of the text of a get
	page    page
}

// A state is the collection at an instant. It is never changed.
type state struct {
	last int   // the highest id ever used
	rows []row // sorted by id
	hash uint64
}

func newState(last int, rows []row) state {
	s := state{last: last, rows: rows, hash: uint64(last)}
	for _, r := range rows {
		s.hash += r.hash()
	}
	return s
}

func (r row) hash() uint64 {
	h := uint64(r.id)*0x9e3779b97f4a7c15 ^ uint64(r.number)*0xbf58476d1ce4e5b9
	return h ^ h>>29
}

// model returns the sequential specification of the collection, with an initial state.
func model(from state) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return from },
		Step: func(s, in, out any) (bool, any) {
			ok, next := s.(state).step(in.(input), out.(output))
			return ok, next
		},
		Equal: func(a, b any) bool {
			x, y := a.(state), b.(state)
			return x.hash == y.hash && x.last == y.last && slices.Equal(x.rows, y.rows)
		},
		Hash:              func(s any) uint64 { return s.(state).hash },
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
	}
}

// step reports whether an operation can have the result, and returns the state after it.
func (s state) step(in input, out output) (bool, state) {
	i, found := slices.BinarySearchFunc(s.rows, in.id, func(r row, id int) int { return cmp.Compare(r.id, id) })
	switch in.kind {
	case create:
		// The id of a create is always known: others are not in the history.
		return in.id == s.last+1, newState(in.id, append(slices.Clip(s.rows), row{in.id, in.number}))
	case patch, remove:
		if !found || out.outcome == notFound {
			return !found && out.outcome != stored, s
		}
		rows := slices.Clone(s.rows)
		if in.kind == remove {
			return true, newState(s.last, slices.Delete(rows, i, i+1))
		}
		rows[i].number = in.number
		return true, newState(s.last, rows)
	case get:
		if !found {
			return out.outcome == notFound, s
		}
		return out.outcome == stored && out.number == s.rows[i].number, s
	case list:
		return out.page.count == len(s.rows) && slices.Equal(out.page.rows, s.page(in.query)), s
	}
	return false, s
}

// page returns the rows that a query selects.
func (s state) page(q query) []row {
	rows := slices.Clone(s.rows)
	if q.descending {
		slices.Reverse(rows)
	}
	start := min(q.offset, len(rows))
	return rows[start:min(start+q.limit, len(rows))]
}

// A kind is a kind of operation.
type kind int

const (
	create kind = iota
	patch
	remove
	get
	list // a page
)

func (k kind) String() string { return [...]string{"create", "patch", "delete", "get", "page"}[k] }

// An outcome is what a client knows about its operation.
type outcome int

const (
	unknown  outcome = iota // it may take effect later or never, or runs
	stored                  // it took effect
	notFound                // there was no such record
	refused                 // it never takes effect
)

func (o outcome) String() string { return [...]string{"unknown", "ok", "not found", "refused"}[o] }

// forever is the return of an operation that may still take effect.
const forever = math.MaxInt64

// A write is an operation that may change a record.
type write struct {
	kind      kind
	number    int // of its text
	id        int // 0 for a create whose record is not known
	call, ret int64
	outcome   outcome
	seen      int64 // return of the first read of its text, or 0
}

func (w *write) String() string {
	return fmt.Sprintf("%v(id %d, text %d) -> %v at %d to %d", w.kind, w.id, w.number, w.outcome, w.call, w.ret)
}

// possible reports whether the write may have taken effect before the instant.
func (w *write) possible(before int64) bool {
	return w.call < before && (w.outcome == stored || w.outcome == unknown)
}

// certain reports whether the write took effect before the instant.
func (w *write) certain(before int64) bool {
	return w.outcome == stored && w.ret < before || w.seen > 0 && w.seen < before
}

// textOf returns the text with a number. Texts have different lengths, so that parts of
// two are not a third.
func textOf(number int) string {
	return fmt.Sprintf("%d:%s", number, strings.Repeat(strconv.Itoa(number%97), 1+number%61))
}

// numberOf returns the number of a text, which must be that of textOf.
func numberOf(text string) (int, error) {
	before, _, _ := strings.Cut(text, ":")
	number, err := strconv.Atoi(before)
	if err != nil || textOf(number) != text {
		return 0, fmt.Errorf("text %q was never sent", text)
	}
	return number, nil
}

// encodedRow returns the exact bytes of a record.
func encodedRow(id, number int) string {
	return fmt.Sprintf(`{"id":%d,"text":%q}`, id, textOf(number))
}

// A query selects a page of the notes.
type query struct {
	offset, limit int
	descending    bool // by id
}

func (q query) encode() string {
	text := fmt.Sprintf("limit=%d&offset=%d", q.limit, q.offset)
	if q.descending {
		text += "&ordering=-id"
	}
	return text
}

// A row is a record of a page.
type row struct{ id, number int }

// A page is a response to a query.
type page struct {
	count int
	rows  []row
	tag   string
}

// parsePage returns the page in a body, and the query of its next link, which is "" on the
// last page. It checks what does not depend on other requests.
func parsePage(q query, body []byte) (p page, next string, err error) {
	var parsed struct {
		Count          int
		Next, Previous *string
		Results        []json.RawMessage
	}
	if err := json.Unmarshal(body, &parsed); err != nil {
		return p, "", fmt.Errorf("%w: %.200q", err, body)
	}
	p.count = parsed.Count
	for _, raw := range parsed.Results {
		r, err := parseRow(raw)
		if err != nil {
			return p, "", err
		}
		p.rows = append(p.rows, r)
	}
	switch {
	case len(p.rows) != min(q.limit, max(0, p.count-q.offset)):
		return p, "", fmt.Errorf("%d of %d records at offset %d with limit %d", len(p.rows), p.count, q.offset, q.limit)
	case (parsed.Next != nil) != (q.offset+q.limit < p.count):
		return p, "", fmt.Errorf("next is %v at offset %d with limit %d and count %d", parsed.Next, q.offset, q.limit, p.count)
	case (parsed.Previous != nil) != (q.offset > 0):
		return p, "", fmt.Errorf("previous is %v at offset %d", parsed.Previous, q.offset)
	}
	for i := 1; i < len(p.rows); i++ {
		if a, b := p.rows[i-1].id, p.rows[i].id; a == b || (a > b) != q.descending {
			return p, "", fmt.Errorf("id %d is followed by id %d", a, b)
		}
	}
	if parsed.Next != nil {
		next, err = checkNext(q, *parsed.Next)
	}
	return p, next, err
}

// checkNext returns the query of a link to the page after q.
func checkNext(q query, link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil {
		return "", err
	}
	want := q
	want.offset += q.limit
	values, _ := url.ParseQuery(want.encode())
	if got := u.Query().Encode(); got != values.Encode() {
		return "", fmt.Errorf("next is %q, want %q", got, values.Encode())
	}
	return u.RawQuery, nil
}

// parseRow returns a record whose bytes are exactly those that are expected.
func parseRow(raw []byte) (r row, err error) {
	var note struct {
		ID   int
		Text string
	}
	if err := json.Unmarshal(raw, &note); err != nil {
		return r, fmt.Errorf("%w: %.200q", err, raw)
	}
	number, err := numberOf(note.Text)
	if err != nil {
		return r, err
	}
	if want := encodedRow(note.ID, number); want != string(raw) {
		return r, fmt.Errorf("a record is %q, want %q", raw, want)
	}
	return row{note.ID, number}, nil
}

// page checks a page that was read between call and ret.
func (l *checker) page(q query, p page, call, ret int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.pages++
	if err := l.checkPage(q, p, call, ret); err != nil {
		l.fault(fmt.Errorf("page %+v of %d records %v at %d to %d: %w", q, p.count, p.rows, call, ret, err))
	}
}

func (l *checker) checkPage(q query, p page, call, ret int64) error {
	if key, got := p.tag+" "+q.encode(), fmt.Sprint(p.count, p.rows); p.tag == "" {
		l.stats.untagged++
	} else if seen, ok := l.tags[key]; !ok {
		l.tags[key] = got
	} else if seen != got {
		return fmt.Errorf("two pages have the tag %s: the other is %s", p.tag, seen)
	}
	for _, r := range p.rows {
		if err := l.row(r.id, r.number, call, ret); err != nil {
			return err
		}
	}
	return l.checkPositions(q, p, call, ret)
}

// checkPositions checks that the page has all records that it must have, and that their
// number before the page and in total is possible.
func (l *checker) checkPositions(q query, p page, call, ret int64) error {
	ids := make([]int, len(p.rows))
	for i, r := range p.rows {
		ids[i] = r.id
	}
	slices.Sort(ids)
	var count, before bounds
	for _, id := range l.known {
		r := l.records[id]
		must := l.present(r, call, ret)
		may := r.created.possible(ret) && !l.absent(r, call)
		count.add(must, may)
		if len(ids) == 0 {
			continue
		}
		if _, found := slices.BinarySearch(ids, id); must && !found && id > ids[0] && id < ids[len(ids)-1] {
			return fmt.Errorf("id %d is missing", id)
		}
		if !q.descending && id < ids[0] || q.descending && id > ids[len(ids)-1] {
			before.add(must, may)
		}
	}
	for _, w := range l.unbound {
		count.add(false, w.possible(ret))
		before.add(false, w.possible(ret))
	}
	if !count.include(p.count) {
		return fmt.Errorf("the count is not in %+v", count)
	}
	if len(ids) > 0 && !before.include(q.offset) {
		return fmt.Errorf("the number of records before the page is not in %+v", before)
	}
	return nil
}

// bounds are the least and the greatest possible number of records.
type bounds struct{ least, most int }

func (b *bounds) add(must, may bool) {
	if must {
		b.least++
	}
	if may {
		b.most++
	}
}

func (b *bounds) include(n int) bool { return b.least <= n && n <= b.most }
