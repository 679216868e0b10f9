package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// The names of fields of open records depend on the records.
func checkDescription(s *subject) {
	got, want := s.open(nil).c.Description(), s.Description
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
			s.Fatalf("Description: %s is %v, want %v as in the Implementation", reflect.TypeOf(got).Field(i).Name, a, b)
		}
	}
}

// Records can be ordered by all of their fields, and List returns the terms.
func checkFields(s *subject) {
	p := s.open(s.plain(3))
	sortable := p.c.Description().Sortable
	for i, name := range sortable {
		if name != ordering.Snake(name) || slices.Contains(sortable[:i], name) {
			s.Fatalf("Description: %q in Sortable is not in snake_case or a duplicate", name)
		}
		p.checkTerms(desc(name))
	}
	for _, f := range s.fields() {
		name := ordering.Snake(f.Name)
		if sortable != nil && !slices.Contains(sortable, name) {
			s.Fatalf("Description: Sortable is %q, without %q, which all records have", sortable, name)
		}
		p.checkTerms(desc(name))
	}
	s.open(nil).checkTerms(desc("id"))
}

func checkRecords(s *subject) {
	p := s.open(s.plain(3))
	list, _ := s.list(p.c, everything(asc("id")))
	for _, got := range list.Records {
		var compact bytes.Buffer
		if json.Compact(&compact, got) != nil || !bytes.Equal(compact.Bytes(), got) || !utf8.Valid(got) {
			s.Fatalf("record %q is not compact JSON in UTF-8", got)
		}
	}
	p.checkStored("New")
}

// windows returns a check of pages of n records in both directions. The windows are pairs of
// a limit and an offset.
func windows(n int, pairs ...[2]int) func(*subject) {
	return func(s *subject) {
		p := s.open(s.plain(n))
		for _, w := range pairs {
			for _, terms := range [][]ordering.Term{asc("id"), desc("id")} {
				p.checkList(fmt.Sprintf("%d records", n), catalogue.Query{Window: pagination.Window{Limit: w[0], Offset: w[1]}, Terms: terms})
			}
		}
	}
}

func checkCancellation(s *subject) {
	c := s.open(s.plain(3)).c
	canceled, cancel := context.WithCancel(s.ctx)
	cancel()
	expired, cancel := context.WithDeadline(s.ctx, time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{canceled, expired} {
		check := func(method string, err error) {
			if !errors.Is(err, ctx.Err()) {
				s.Fatalf("%s with a ctx that is done: error %v, want one wrapping %q", method, err, ctx.Err())
			}
		}
		q := catalogue.Query{Window: pagination.Window{Limit: 1}, Terms: asc("id")}
		_, err := c.List(ctx, q)
		check("List", err)
		if s.Description.Filters != nil {
			field, lookup, _ := s.Description.Parameter(s.Description.Filters[0])
			q.Filter.Tests = []schema.Test{{Field: ordering.Snake(field.Name), Lookup: lookup, Values: []string{"1", "2"}}}
			_, err := c.List(ctx, q)
			check("List with a filter", err)
		}
		if g, ok := c.(httpapi.Getter); ok && s.Description.Actions.Has(schema.Retrieve) {
			_, err := g.Get(ctx, "1", schema.Filter{})
			check("Get", err)
		}
		if r, ok := c.(httpapi.Revisioner); ok {
			_, err := r.Revision(ctx)
			check("Revision", err)
		}
	}
	s.list(c, everything(asc("id"))) // can be called again
}

// The handler may share the terms between calls.
func checkTermsUnmodified(s *subject) {
	terms := make([]ordering.Term, 0, 4)
	if s.Description.Fields == nil {
		terms = append(terms, ordering.Asc("no_such_field"))
	}
	terms = append(terms, ordering.Asc("id"))
	want := slices.Clone(terms[:4])
	if _, err := s.open(s.plain(3)).c.List(s.ctx, everything(terms)); err != nil {
		s.Fatalf("List: %v", err)
	}
	if !slices.Equal(terms[:4], want) {
		s.Fatalf("List modified the terms or appended to them in place: %v, want %v", terms[:4], want)
	}
}

// insert adds a record with the given id.
func (p *pair) insert(id int) error {
	if err := p.Insert(p.ctx, p.c, p.record(id, nil)); err != nil {
		return fmt.Errorf("inserting a record with id %d: %w", id, err)
	}
	return nil
}

// The records of a page must not change afterwards.
func checkKeptPages(s *subject) {
	p := s.open(s.plain(9))
	kept, _ := s.list(p.c, catalogue.Query{Window: pagination.Window{Limit: 4}, Terms: asc("id")})
	var before [][]byte
	for _, r := range kept.Records {
		before = append(before, bytes.Clone(r))
	}
	if s.Insert != nil {
		if err := p.insert(1000); err != nil {
			s.Fatalf("%v", err)
		}
	}
	for _, w := range []pagination.Window{{Limit: 4}, {Limit: 2, Offset: 3}, {Limit: 9}} {
		s.list(p.c, catalogue.Query{Window: w, Terms: desc("id")})
	}
	if !slices.EqualFunc(kept.Records, before, bytes.Equal) {
		s.Fatalf("records returned by List changed later from %s to %s", before, kept.Records)
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
	if s.Insert == nil {
		s.Skipf("no Insert")
	}
	p := s.open(s.plain(5))
	written := make(chan error, 1)
	go func() { written <- p.insertMany() }()
	ended, stop := false, func() { <-written } // the writer must not outlive the check
	defer func() { stop() }()
	for i, last := 0, 0; !ended; i++ {
		select {
		case err := <-written:
			ended, stop = true, func() {}
			if err != nil {
				s.Fatalf("%v", err)
			}
		default:
		}
		down := i%2 == 1
		list, ids := s.list(p.c, everything([]ordering.Term{{Field: "id", Desc: down}}))
		s.checkInstant(list.Count, ids, down, last)
		last = list.Count
	}
}

// insertMany inserts records between the existing ones and after them, within the limits.
func (p *pair) insertMany() error {
	err := p.insert(10_000)
	end := time.Now().Add(maxDuration)
	for i := 0; err == nil && i < maxInserts && time.Now().Before(end); i++ {
		err = p.insert(100 + (i*7919)%maxInserts) // distinct and in no order
	}
	return err
}

// checkInstant checks a page of all records. before is the count of the page before it.
func (s *subject) checkInstant(count int, ids []int, desc bool, before int) {
	if count != len(ids) {
		s.Fatalf("List returned all %d records, but the count %d: they are not of one instant", len(ids), count)
	}
	if count < before {
		s.Fatalf("the count decreased to %d from %d, but no record was deleted", count, before)
	}
	if desc {
		slices.Reverse(ids)
	}
	for i := range ids {
		if i > 0 && ids[i-1] >= ids[i] {
			s.Fatalf("during writes a page had id %d before %d: it is not of one instant", ids[i-1], ids[i])
		}
	}
}

// revisions returns a function that checks that the revision has never been the same
// before. after names the operation before.
func (s *subject) revisions(c httpapi.Collection) (check func(after string)) {
	r, ok := c.(httpapi.Revisioner)
	if !ok {
		s.Skipf("the collection is not an httpapi.Revisioner")
	}
	seen := map[uint64]string{}
	return func(after string) {
		now, err := r.Revision(s.ctx)
		if err != nil {
			s.Fatalf("Revision: %v", err)
		}
		if before, ok := seen[now]; ok {
			s.Fatalf("revision %d after %s was in use after %s, so outdated pages would appear current", now, after, before)
		}
		seen[now] = after
	}
}

func checkRevision(s *subject) {
	if s.Insert == nil {
		s.Skipf("no Insert")
	}
	p := s.open(s.plain(3))
	check := s.revisions(p.c)
	check("New")
	for id := 10; id < 15; id++ {
		if err := p.insert(id); err != nil {
			s.Fatalf("%v", err)
		}
		check(fmt.Sprintf("Insert of id %d", id))
	}
}

// checkOrders checks all records of a collection in several orders.
func (s *subject) checkOrders(why string, records [][]byte, orders ...[]ordering.Term) {
	p := s.open(records)
	for _, terms := range orders {
		p.checkList(why, everything(terms))
	}
}

// An order returns the terms of an order by a field.
type order func(name string) []ordering.Term

// values returns a check of the order of values in a field of the kind.
func values(why string, nullable bool, kind schema.Kind, values []string, orders ...order) func(*subject) {
	return func(s *subject) { s.checkValues(why, s.find(nullable, kind), values, orders...) }
}

func (s *subject) checkValues(why string, f schema.Field, values []string, orders ...order) {
	var terms [][]ordering.Term
	for _, order := range orders {
		terms = append(terms, order(ordering.Snake(f.Name)))
	}
	s.checkOrders(why, s.records(column{f, values}), terms...)
}

// The first two values, and the next two, are equal as float64s. Their order differs from the
// order of the ids, which are checked even if there is no field to check.
func checkBigIntegers(s *subject) {
	const why = "integers are compared exactly"
	values := []string{"9007199254740993", "9007199254740992", "9223372036854775807", "9223372036854775806", "10", "9", "1"}
	var records [][]byte
	for _, value := range values {
		id, err := strconv.Atoi(value)
		if err != nil {
			s.Skipf("an int has 32 bits")
		}
		records = append(records, s.record(id, nil))
	}
	s.checkOrders(why, records, asc("id"), desc("id"))
	s.checkValues(why, s.find(false, schema.Integer, schema.Reference), values, asc, desc)
}

func checkDecimals(s *subject) {
	f := s.find(false, schema.Decimal)
	var values []string
	for _, n := range []int{9, 3, 1, 0, 24, 2} {
		values = append(values, decimal(f, n*step(f)))
	}
	s.checkValues("decimals are compared by value", f, values, asc, desc)
}

// nulls returns a check of the order of null and other values in a field that can be null.
// Each letter is a value, greater for later letters, and n is null.
func nulls(places string, by order) func(*subject) {
	return func(s *subject) {
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
		s.checkValues("null is greater than all other values", f, values, by)
	}
}

const tiesByID = "ties are broken by id, in the direction of the leading term"

var ties = [...]string{`"x"`, `"a"`, `"x"`, `"x"`, `"a"`, `"x"`}

// thenDown orders by a field and by descending ids.
func thenDown(name string) []ordering.Term {
	return []ordering.Term{ordering.Asc(name), ordering.Desc("id")}
}

func checkMixedDirections(s *subject) {
	one := s.find(false, schema.Text)
	two := s.find(false, schema.Boolean, schema.Integer, schema.Reference)
	values := []string{"true", "false", "false", "true", "true"}
	if two.Kind != schema.Boolean {
		values = []string{"2", "1", "1", "2", "2"}
	}
	a, b := ordering.Snake(one.Name), ordering.Snake(two.Name)
	records := s.records(column{one, []string{`"a"`, `"b"`, `"a"`, `"b"`, `"a"`}}, column{two, values})
	s.checkOrders("each term has its own direction", records,
		[]ordering.Term{ordering.Asc(a), ordering.Desc(b)},
		[]ordering.Term{ordering.Desc(a), ordering.Asc(b)},
		[]ordering.Term{ordering.Asc(b), ordering.Desc(a)},
		[]ordering.Term{ordering.Asc(b), ordering.Asc(a)},
	)
}

// unordered returns records whose default order is not by id.
func (s *subject) unordered() [][]byte {
	columns := []column{{values: make([]string, 5)}}
	for _, t := range s.Description.Ordering {
		i := slices.IndexFunc(s.fields(), func(f schema.Field) bool { return ordering.Snake(f.Name) == t.Field })
		if i < 0 {
			s.Skipf("test records lack a field of the default order")
		}
		c := column{field: s.fields()[i]}
		for _, n := range []int{3, 1, 4, 0, 2} {
			c.values = append(c.values, numbered(c.field, n))
		}
		columns = append(columns, c)
	}
	return s.records(columns...)
}

func checkDefaultOrder(s *subject) {
	p := s.open(s.unordered())
	p.checkTerms(nil)
	p.checkList("the default order", everything(nil))
}

// List drops terms that name no field. If none is left, it uses the default order.
func checkUnknownField(s *subject) {
	if s.Description.Fields != nil {
		s.Skipf("the handler drops terms that name no field of the description")
	}
	p := s.open(s.unordered())
	for _, name := range []string{"no_such_field", "ID", "id; --", "'"} {
		for _, terms := range [][]ordering.Term{asc(name), thenDown(name), {ordering.Desc("id"), ordering.Asc(name)}} {
			p.checkTerms(terms)
			p.checkList("terms that name no field are dropped", everything(terms))
		}
	}
}
