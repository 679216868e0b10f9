package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// all returns a window that is larger than the collection of any check.
func all() pagination.Window { return pagination.Window{Limit: 5000} }

func asc(name string) []ordering.Term  { return []ordering.Term{ordering.Asc(name)} }
func desc(name string) []ordering.Term { return []ordering.Term{ordering.Desc(name)} }
func byID() []ordering.Term            { return asc("id") }
func byIDDown() []ordering.Term        { return desc("id") }

// everything returns a query for all records in the order of the terms.
func everything(terms []ordering.Term) catalogue.Query {
	return catalogue.Query{Window: all(), Terms: terms}
}

// list returns the list that a query asks for, and the ids of its records.
func (s *subject) list(c httpapi.Collection, q catalogue.Query) (catalogue.List, []int) {
	q.Terms = slices.Clone(q.Terms)
	list, err := c.List(s.ctx, q)
	if err != nil {
		s.fail("List of %+v: %v", q, err)
	}
	ids := make([]int, len(list.Records))
	for i, r := range list.Records {
		ids[i] = s.id(r)
	}
	return list, ids
}

// id returns the id of an encoded record.
func (s *subject) id(encoded []byte) int {
	var r struct{ ID *int }
	if err := json.Unmarshal(encoded, &r); err != nil || r.ID == nil {
		s.fail("record %q has no id: %v", encoded, err)
	}
	return *r.ID
}

// inside returns the ids inside a window.
func inside(w pagination.Window, ids []int) []int {
	ids = ids[min(w.Offset, len(ids)):]
	return ids[:min(w.Limit, len(ids))]
}

// checkPage checks that a page holds the records of the window in the order of the terms.
// why is the rule under test.
func (s *subject) checkPage(c httpapi.Collection, m model, w pagination.Window, terms []ordering.Term, why string) {
	_, got := s.list(c, catalogue.Query{Window: w, Terms: terms})
	if want := inside(w, m.ids(terms)); !slices.Equal(got, want) {
		s.fail("List by %v of %+v: ids %v, want %v (%s)", terms, w, got, want, why)
	}
}

// checkStored checks that the collection has exactly these records. after names the
// operation before.
func (s *subject) checkStored(c httpapi.Collection, want stored, after string) {
	list, ids := s.list(c, everything(byID()))
	if list.Count != len(want) || len(ids) != len(want) {
		s.fail("after %s List returns %d records and a count of %d, want %d", after, len(ids), list.Count, len(want))
	}
	for i, got := range list.Records {
		if !bytes.Equal(got, want[ids[i]]) {
			s.fail("after %s List returns %s, want %s", after, got, want[ids[i]])
		}
	}
}

// The names of fields of open records depend on the records.
func checkDescription(s *subject) {
	got, want := s.open(nil).Description(), s.Description
	if want.Fields == nil {
		got.Sortable = want.Sortable
	}
	a, b := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range a.NumField() {
		a, b := a.Field(i), b.Field(i)
		if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 {
			continue
		}
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			s.fail("Description: %s is %v, want %v as in the Implementation", reflect.TypeOf(got).Field(i).Name, a, b)
		}
	}
}

// Records can be ordered by all of their fields, and List returns the terms.
func checkFields(s *subject) {
	c := s.open(s.plain(3))
	sortable := c.Description().Sortable
	for i, name := range sortable {
		if name != ordering.Snake(name) || slices.Contains(sortable[:i], name) {
			s.fail("Description: %q in Sortable is not in snake_case or a duplicate", name)
		}
		s.checkSortable(c, name)
	}
	for _, f := range s.fields() {
		name := ordering.Snake(f.Name)
		if sortable != nil && !slices.Contains(sortable, name) {
			s.fail("Description: Sortable is %q, without %q, which all records have", sortable, name)
		}
		s.checkSortable(c, name)
	}
	s.checkSortable(s.open(nil), "id")
}

func (s *subject) checkSortable(c httpapi.Collection, name string) {
	if list, _ := s.list(c, everything(desc(name))); !slices.Equal(list.Terms, desc(name)) {
		s.fail("List by the field %q returns the terms %v, want %v", name, list.Terms, desc(name))
	}
}

func checkRecords(s *subject) {
	m := s.plain(3)
	c := s.open(m)
	list, _ := s.list(c, everything(byID()))
	for _, got := range list.Records {
		var compact bytes.Buffer
		if json.Compact(&compact, got) != nil || !bytes.Equal(compact.Bytes(), got) || !utf8.Valid(got) {
			s.fail("record %q is not compact JSON in UTF-8", got)
		}
	}
	s.checkStored(c, m.stored(), "New")
}

func checkEmpty(s *subject) {
	c := s.open(nil)
	for _, offset := range []int{0, 1, 1000} {
		list, ids := s.list(c, catalogue.Query{Window: pagination.Window{Limit: 21, Offset: offset}})
		if list.Count != 0 || len(ids) != 0 {
			s.fail("List at offset %d of an empty collection: count %d, ids %v", offset, list.Count, ids)
		}
	}
}

func checkCount(s *subject) {
	const n = 7
	c := s.open(s.plain(n))
	for _, w := range []pagination.Window{{Limit: 1}, {Limit: n}, {Limit: 100}, {Limit: 3, Offset: 5}, {Limit: 2, Offset: n}, {Limit: 2, Offset: 50}} {
		if list, _ := s.list(c, catalogue.Query{Window: w, Terms: byID()}); list.Count != n {
			s.fail("List of %+v: count %d, want %d, the number of all records", w, list.Count, n)
		}
	}
}

// checkWindows checks pages of 7 records in both directions.
func (s *subject) checkWindows(windows ...pagination.Window) {
	m := s.plain(7)
	c := s.open(m)
	for _, w := range windows {
		s.checkPage(c, m, w, byID(), "7 records")
		s.checkPage(c, m, w, byIDDown(), "7 records")
	}
}

func checkLimits(s *subject) {
	s.checkWindows(pagination.Window{Limit: 1}, pagination.Window{Limit: 6}, pagination.Window{Limit: 7},
		pagination.Window{Limit: 8}, pagination.Window{Limit: 1000})
}

func checkOffsets(s *subject) {
	s.checkWindows(pagination.Window{Limit: 2, Offset: 1}, pagination.Window{Limit: 2, Offset: 5},
		pagination.Window{Limit: 2, Offset: 6}, pagination.Window{Limit: 1, Offset: 6}, pagination.Window{Limit: 21, Offset: 3})
}

func checkOffsetAtCount(s *subject) {
	s.checkWindows(pagination.Window{Limit: 1, Offset: 7}, pagination.Window{Limit: 21, Offset: 7})
}

func checkOffsetBeyond(s *subject) {
	s.checkWindows(pagination.Window{Limit: 1, Offset: 8}, pagination.Window{Limit: 21, Offset: 1000})
}

// The sum of limit and offset overflows.
func checkLargest(s *subject) {
	s.checkWindows(pagination.Window{Limit: math.MaxInt}, pagination.Window{Limit: 21, Offset: math.MaxInt},
		pagination.Window{Limit: math.MaxInt, Offset: 3}, pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt})
}

func checkCancellation(s *subject) {
	c := s.open(s.plain(3))
	canceled, cancel := context.WithCancel(s.ctx)
	cancel()
	expired, cancel := context.WithDeadline(s.ctx, time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{canceled, expired} {
		check := func(method string, err error) {
			if !errors.Is(err, ctx.Err()) {
				s.fail("%s with a ctx that is done: error %v, want one wrapping %q", method, err, ctx.Err())
			}
		}
		q := catalogue.Query{Window: pagination.Window{Limit: 1}, Terms: byID()}
		_, err := c.List(ctx, q)
		check("List", err)
		if s.Description.Filters != nil {
			q.Params = url.Values{s.Description.Filters[0]: {""}}
			_, err := c.List(ctx, q)
			check("List with parameters", err)
		}
		if g, ok := c.(httpapi.Getter); ok && s.Description.Actions.Has(schema.Retrieve) {
			_, err := g.Get(ctx, "1", nil)
			check("Get", err)
		}
		if r, ok := c.(httpapi.Revisioner); ok {
			_, err := r.Revision(ctx)
			check("Revision", err)
		}
	}
	s.list(c, everything(byID())) // can be called again
}

// The handler may share the terms between calls.
func checkTermsUnmodified(s *subject) {
	terms := append(make([]ordering.Term, 0, 4), ordering.Asc("no_such_field"), ordering.Asc("id"))
	want := slices.Clone(terms[:4])
	if _, err := s.open(s.plain(3)).List(s.ctx, everything(terms)); err != nil {
		s.fail("List: %v", err)
	}
	if !slices.Equal(terms[:4], want) {
		s.fail("List modified the terms or appended to them in place: %v, want %v", terms[:4], want)
	}
}

// insert adds a record with the given id. It skips the check if there is no Insert.
func (s *subject) insert(c httpapi.Collection, id int) {
	if s.Insert == nil {
		s.skip("no Insert")
	}
	if err := s.Insert(s.ctx, c, s.record(id, nil).json); err != nil {
		s.fail("Insert of a record with id %d: %v", id, err)
	}
}

// The records of a page must not change afterwards.
func checkKeptPages(s *subject) {
	c := s.open(s.plain(9))
	kept, _ := s.list(c, catalogue.Query{Window: pagination.Window{Limit: 4}, Terms: byID()})
	var before [][]byte
	for _, r := range kept.Records {
		before = append(before, bytes.Clone(r))
	}
	if s.Insert != nil {
		s.insert(c, 1000)
	}
	for _, w := range []pagination.Window{{Limit: 4}, {Limit: 2, Offset: 3}, {Limit: 9}} {
		s.list(c, catalogue.Query{Window: w, Terms: byIDDown()})
	}
	for i, r := range kept.Records {
		if !bytes.Equal(r, before[i]) {
			s.fail("a record returned by List changed later from %s to %s", before[i], r)
		}
	}
}

// Limits of concurrent writing.
const (
	maxInserts  = 300
	maxDuration = time.Second
)

// checkOneInstant reads all records while others are inserted between them. If each
// page and its count are of one instant, the number of ids equals the count, the ids
// are distinct and ordered, and the count never decreases.
func checkOneInstant(s *subject) {
	c := s.open(s.plain(5))
	s.insert(c, 10_000)
	failed := make(chan any, 1)
	go func() {
		defer func() { failed <- recover() }()
		s.insertMany(c)
	}()
	var reason any
	ended := false
	defer func() {
		if !ended {
			<-failed // the writer must not outlive the check
		}
	}()
	for i, last := 0, 0; !ended; i++ {
		select {
		case reason = <-failed:
			ended = true
		default:
		}
		down := i%2 == 1
		list, ids := s.list(c, everything([]ordering.Term{{Field: "id", Desc: down}}))
		s.checkInstant(list.Count, ids, down, last)
		last = list.Count
	}
	if reason != nil {
		panic(reason)
	}
}

// insertMany inserts records between the existing ones, within the limits.
func (s *subject) insertMany(c httpapi.Collection) {
	end := time.Now().Add(maxDuration)
	for i := 0; i < maxInserts && time.Now().Before(end); i++ {
		s.insert(c, 100+(i*7919)%maxInserts) // distinct and in no order
	}
}

// checkInstant checks a page of all records. before is the count of the page before it.
func (s *subject) checkInstant(count int, ids []int, desc bool, before int) {
	if count != len(ids) {
		s.fail("List returned all %d records, but the count %d: they are not of one instant", len(ids), count)
	}
	if count < before {
		s.fail("the count decreased to %d from %d, but no record was deleted", count, before)
	}
	if desc {
		slices.Reverse(ids)
	}
	for i := range ids {
		if i > 0 && ids[i-1] >= ids[i] {
			s.fail("during writes a page had id %d before %d: it is not of one instant", ids[i-1], ids[i])
		}
	}
}

// revisions returns a function that checks that the revision has never been the same
// before. after names the operation before.
func (s *subject) revisions(c httpapi.Collection) (check func(after string)) {
	r, ok := c.(httpapi.Revisioner)
	if !ok {
		s.skip("the collection is not an httpapi.Revisioner")
	}
	seen := map[uint64]string{}
	return func(after string) {
		now, err := r.Revision(s.ctx)
		if err != nil {
			s.fail("Revision: %v", err)
		}
		if before, ok := seen[now]; ok {
			s.fail("revision %d after %s was in use after %s, so outdated pages would appear current", now, after, before)
		}
		seen[now] = after
	}
}

func checkRevision(s *subject) {
	c := s.open(s.plain(3))
	check := s.revisions(c)
	check("New")
	for id := 10; id < 15; id++ {
		s.insert(c, id)
		check(fmt.Sprintf("Insert of id %d", id))
	}
}

// checkOrders checks all records of a collection in several orders. why is the rule
// under test.
func (s *subject) checkOrders(why string, m model, orders ...[]ordering.Term) {
	c := s.open(m)
	for _, terms := range orders {
		s.checkPage(c, m, all(), terms, why)
	}
}

// checkValues checks the order of values in a field of one of the kinds.
func (s *subject) checkValues(why string, nullable bool, kinds []schema.Kind, values []string, orders ...func(string) []ordering.Term) {
	f := s.find(nullable, kinds...)
	var terms [][]ordering.Term
	for _, order := range orders {
		terms = append(terms, order(ordering.Snake(f.Name)))
	}
	s.checkOrders(why, s.records(column{f, values}), terms...)
}

func checkText(s *subject) {
	s.checkValues("text is compared by the bytes of its UTF-8", false, []schema.Kind{schema.Text}, []string{
		`"b"`, `"B"`, `"a"`, `"A"`, `"é"`, `"e"`, `"z"`, `"Z"`, `"10"`, `"9"`, `" a"`, `"_"`, `"-"`, `"a b"`, `"ab"`, `"�"`, `"😀"`,
	}, asc, desc)
}

// The first two values, and the next two, are equal as float64s. Their order differs
// from that of the ids, which are checked even if there is no field to check.
func checkBigIntegers(s *subject) {
	const why = "integers are compared exactly"
	values := []string{"9007199254740993", "9007199254740992", "9223372036854775807", "9223372036854775806", "10", "9", "1"}
	var m model
	for _, value := range values {
		id, err := strconv.Atoi(value)
		if err != nil {
			s.skip("an int has 32 bits")
		}
		m = append(m, s.record(id, nil))
	}
	s.checkOrders(why, m, byID(), byIDDown())
	s.checkValues(why, false, []schema.Kind{schema.Integer, schema.Reference}, values, asc, desc)
}

func checkNumbers(s *subject) {
	s.checkValues("numbers of any length are compared by value", true, []schema.Kind{schema.JSON},
		[]string{"10", "9.5", "1e1", "-0.25", "-0.5", "123456789012345678901234567890", "123456789012345678901234567891", "0.1", "0"}, asc)
}

func checkDecimals(s *subject) {
	f := s.find(false, schema.Decimal)
	var values []string
	for _, n := range []int{9, 3, 1, 0, 24, 2} {
		values = append(values, decimal(f, n*step(f)))
	}
	s.checkValues("decimals are compared by value", false, []schema.Kind{schema.Decimal}, values, asc, desc)
}

func checkTimes(s *subject) {
	s.checkValues("times are compared by instant, regardless of their offsets", false, []schema.Kind{schema.Timestamp}, []string{
		`"2024-05-10T18:00:00+02:00"`, `"2024-05-10T16:30:00Z"`, `"2024-05-10T12:00:00-05:00"`, `"2024-05-10T16:00:00Z"`,
		`"2024-05-10T15:59:59.999999Z"`, `"2024-12-31T23:30:00-02:00"`, `"2025-01-01T00:30:00Z"`,
	}, asc)
}

func checkBooleans(s *subject) {
	s.checkValues("false is less than true", false, []schema.Kind{schema.Boolean}, []string{"false", "true"}, asc, desc)
}

func checkLists(s *subject) {
	s.checkValues("lists are compared element by element, and a prefix is less than a longer list", false,
		[]schema.Kind{schema.References}, []string{"[2]", "[1,2]", "[10]", "[1]", "[]", "[1,1]"}, asc, desc)
}

func checkMixedKinds(s *subject) {
	s.checkValues("the order of kinds is booleans, numbers, text, lists, objects", true, []schema.Kind{schema.JSON},
		[]string{`{"a":1}`, `"a"`, "[1]", "true", "-1", `""`, "[]", "false", "5"}, asc, desc)
}

// checkNulls checks the order of null and other values in a field that can be null. Each
// letter is a value, greater for later letters, and n is null.
func (s *subject) checkNulls(places string, order func(string) []ordering.Term) {
	f := s.find(true, schema.Text, schema.URL, schema.Date, schema.Timestamp, schema.Float)
	var values []string
	for _, place := range places {
		switch {
		case place == 'n':
			values = append(values, "null")
		case f.Kind == schema.Text || f.Kind == schema.URL:
			values = append(values, strconv.Quote("https://"+string(place)+".example/"))
		default:
			values = append(values, numbered(f, int(place)))
		}
	}
	s.checkOrders("null is greater than all other values", s.records(column{f, values}), order(ordering.Snake(f.Name)))
}

func checkNullsAscending(s *subject)  { s.checkNulls("mnzna", asc) }
func checkNullsDescending(s *subject) { s.checkNulls("mnza", desc) }

const tiesByID = "ties are broken by id, in the direction of the leading term"

func checkTiesAscending(s *subject) {
	s.checkValues(tiesByID, false, []schema.Kind{schema.Text}, []string{`"x"`, `"a"`, `"x"`, `"x"`, `"a"`, `"x"`}, asc)
}

func checkTiesDescending(s *subject) {
	mixed := func(name string) []ordering.Term { return []ordering.Term{ordering.Asc(name), ordering.Desc("id")} }
	s.checkValues(tiesByID, false, []schema.Kind{schema.Text}, []string{`"x"`, `"a"`, `"x"`, `"x"`, `"a"`, `"x"`}, desc, mixed)
}

func checkMixedDirections(s *subject) {
	one := s.find(false, schema.Text)
	two := s.find(false, schema.Boolean, schema.Integer, schema.Reference)
	values := []string{"true", "false", "false", "true", "true"}
	if two.Kind != schema.Boolean {
		values = []string{"2", "1", "1", "2", "2"}
	}
	a, b := ordering.Snake(one.Name), ordering.Snake(two.Name)
	m := s.records(column{one, []string{`"a"`, `"b"`, `"a"`, `"b"`, `"a"`}}, column{two, values})
	s.checkOrders("each term has its own direction", m,
		[]ordering.Term{ordering.Asc(a), ordering.Desc(b)},
		[]ordering.Term{ordering.Desc(a), ordering.Asc(b)},
		[]ordering.Term{ordering.Asc(b), ordering.Desc(a)},
		[]ordering.Term{ordering.Asc(b), ordering.Asc(a)},
	)
}

// defaultOrder returns the terms of the default order.
func (s *subject) defaultOrder() []ordering.Term {
	if len(s.Description.Ordering) == 0 {
		return byID()
	}
	return s.Description.Ordering
}

// unordered returns records whose default order is not that of their ids.
func (s *subject) unordered() model {
	columns := []column{{values: make([]string, 5)}}
	for _, t := range s.Description.Ordering {
		i := slices.IndexFunc(s.fields(), func(f schema.Field) bool { return ordering.Snake(f.Name) == t.Field })
		if i < 0 {
			s.skip("test records lack a field of the default order")
		}
		c := column{field: s.fields()[i]}
		for _, n := range []int{3, 1, 4, 0, 2} {
			c.values = append(c.values, numbered(c.field, n))
		}
		columns = append(columns, c)
	}
	return s.records(columns...)
}

// checkOrder checks the terms that a list of all records returns, and that it has the order
// of these or, if there are none, the default order.
func (s *subject) checkOrder(c httpapi.Collection, m model, terms, known []ordering.Term) {
	list, got := s.list(c, everything(terms))
	if !slices.Equal(list.Terms, known) {
		s.fail("List by %v returns the terms %v, want %v, those that name a field", terms, list.Terms, known)
	}
	order := known
	if len(order) == 0 {
		order = s.defaultOrder()
	}
	if want := m.ids(order); !slices.Equal(got, want) {
		s.fail("List by %v: ids %v, want %v, in the order %v", terms, got, want, order)
	}
}

func checkDefaultOrder(s *subject) {
	m := s.unordered()
	s.checkOrder(s.open(m), m, nil, nil)
}

// List drops terms that name no field. If none is left, it uses the default order.
func checkUnknownField(s *subject) {
	m := s.unordered()
	c := s.open(m)
	for _, name := range []string{"no_such_field", "ID", "id; --", "'"} {
		s.checkOrder(c, m, asc(name), nil)
		s.checkOrder(c, m, []ordering.Term{ordering.Asc(name), ordering.Desc("id")}, byIDDown())
		s.checkOrder(c, m, []ordering.Term{ordering.Desc("id"), ordering.Asc(name)}, byIDDown())
	}
}
