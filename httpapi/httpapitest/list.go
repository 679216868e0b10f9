package httpapitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// checkDescription compares the description, except that functions are only present or absent.
func checkDescription(s *subject) {
	p := s.open(s.records(3))
	isFunc := func(path cmp.Path) bool { return path.Last().Type().Kind() == reflect.Func }
	if diff := cmp.Diff(s.Description, p.c.Description(), cmpopts.EquateEmpty(),
		cmp.FilterPath(isFunc, cmp.Comparer(func(a, b any) bool { return reflect.ValueOf(a).IsNil() == reflect.ValueOf(b).IsNil() })),
		cmp.Comparer(func(a, b *regexp.Regexp) bool { return fmt.Sprint(a) == fmt.Sprint(b) })); diff != "" {
		s.Fatalf("Description differs from that of the Implementation (-want +got):\n%s", diff)
	}
	if _, ok := p.c.(httpapi.Creator); !ok && s.Body != "" {
		s.Fatalf("there is a Body, but the collection is not an httpapi.Creator")
	}
}

func checkRecords(s *subject) {
	s.open(s.records(3)).checkStored("New")
}

// windows returns a check of pages of n records. The windows are pairs of a limit and an offset.
func windows(n int, pairs ...[2]int) func(*subject) {
	return func(s *subject) { s.open(s.records(n)).checkPages(schema.Filter{}, pairs...) }
}

func (p *pair) checkOrders(why string, f schema.Field) {
	name := ordering.Snake(f.Name)
	p.list(why, everything(ordering.Asc(name)))
	p.list(why, everything(ordering.Desc(name)))
	p.list(why, everything(ordering.Asc(name), ordering.Desc("id")))
}

// orders returns a check of the orders of different values in fields of some kinds.
func orders(why string, kinds ...schema.Kind) func(*subject) {
	return func(s *subject) {
		for _, f := range s.find(func(f schema.Field) bool { return slices.Contains(kinds, f.Kind) }) {
			values := s.values(f)
			s.open(s.records(len(values), column{f, values})).checkOrders(why, f)
		}
	}
}

// Some ids are equal as float64s.
func checkBigIDs(s *subject) {
	var records [][]byte
	for _, id := range []int{math.MaxInt>>10 + 2, math.MaxInt>>10 + 1, math.MaxInt, math.MaxInt - 1, 10, 9, 1} {
		records = append(records, s.record(id, nil))
	}
	p := s.open(records)
	p.list("ids are compared exactly", everything(ordering.Asc("id")))
	p.list("ids are compared exactly", everything(ordering.Desc("id")))
}

func checkNulls(s *subject) {
	var columns []column
	for _, f := range s.find(func(f schema.Field) bool { return f.Nullable }) {
		v := s.values(f)
		columns = append(columns, column{f, []string{v[0], "null", v[len(v)-1]}})
	}
	p := s.open(s.records(3, columns...))
	for _, c := range columns {
		p.checkOrders("null is greater than all other values", c.field)
	}
}

func checkTies(s *subject) {
	p := s.open(s.records(6))
	for _, f := range s.find(func(f schema.Field) bool { return !f.Unique }) {
		p.checkOrders("ties are broken by id, in the direction of the leading term", f)
	}
}

func checkMixedDirections(s *subject) {
	var columns []column
	for i, f := range s.find(func(f schema.Field) bool { return !f.Unique }) {
		v := s.values(f)
		all := []string{v[0], v[len(v)-1], v[0]}
		columns = append(columns, column{f, all[:2+i%2]})
	}
	p := s.open(s.records(8, columns...))
	for i := range len(columns) - 1 {
		a, b := ordering.Snake(columns[i].field.Name), ordering.Snake(columns[i+1].field.Name)
		for _, terms := range [][]ordering.Term{
			{ordering.Asc(a), ordering.Desc(b)},
			{ordering.Desc(a), ordering.Asc(b)},
			{ordering.Asc(b), ordering.Desc(a)},
			{ordering.Asc(b), ordering.Asc(a)},
		} {
			p.list("each term has its own direction", everything(terms...))
		}
	}
}

func checkDefaultOrder(s *subject) {
	var columns []column
	for _, f := range s.fields() {
		columns = append(columns, column{f, s.values(f)})
	}
	s.open(s.records(7, columns...)).list("the default order", everything())
}

// List drops terms that name no member of open records. If none is left, it uses the default
// order. The handler drops terms that name no field of a description.
func checkUnknownField(s *subject) {
	if s.Description.Fields != nil {
		s.Skipf("the fields are known")
	}
	p := s.open(s.records(7))
	for _, name := range []string{"no_such_field", "ID", "id; --", "'"} {
		const why = "terms that name no field are dropped"
		p.list(why, everything(ordering.Asc(name)))
		p.list(why, everything(ordering.Asc(name), ordering.Desc("id")))
		p.list(why, everything(ordering.Desc("id"), ordering.Asc(name)))
	}
}

// Methods return the error of a ctx that is done, and change nothing.
func checkCancellation(s *subject) {
	p := s.open(s.records(3))
	canceled, cancel := context.WithCancel(s.ctx)
	cancel()
	expired, cancel := context.WithDeadline(s.ctx, time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{canceled, expired} {
		check := func(method any, err error) {
			if !errors.Is(err, ctx.Err()) {
				s.Fatalf("%s with a ctx that is done: error %v, want one wrapping %q", method, err, ctx.Err())
			}
		}
		q := everything(ordering.Asc("id"))
		_, err := p.c.List(ctx, q)
		check("List", err)
		if s.Description.Filters != nil {
			parameter := s.parameters()[0]
			q.Filter = s.filter(parameter.name, parameter.queries[0])
			_, err := p.c.List(ctx, q)
			check("List with a filter", err)
		}
		if r, ok := p.c.(httpapi.Revisioner); ok {
			_, err := r.Revision(ctx)
			check("Revision", err)
		}
		for _, o := range p.possible() {
			check(o, o.on(ctx, p.c).err)
		}
	}
	p.checkStored("calls with a ctx that is done")
}

// The handler may share the terms between calls.
func checkTermsUnmodified(s *subject) {
	terms := make([]ordering.Term, 0, 4)
	if s.Description.Fields == nil {
		terms = append(terms, ordering.Asc("no_such_field"))
	}
	terms = append(terms, ordering.Asc("id"))
	want := slices.Clone(terms[:4])
	if _, err := s.open(s.records(3)).c.List(s.ctx, everything(terms...)); err != nil {
		s.Fatalf("List: %v", err)
	}
	if !slices.Equal(terms[:4], want) {
		s.Fatalf("List modified the terms or appended to them in place: %v, want %v", terms[:4], want)
	}
}

// The records of a page must not change afterwards.
func checkKeptPages(s *subject) {
	p := s.open(s.records(9))
	q := catalogue.Query{Window: pagination.Window{Limit: 4}, Terms: []ordering.Term{ordering.Asc("id")}}
	kept := p.list("a page", q).Records
	before := bytes.Join(kept, []byte(" "))
	for _, w := range []pagination.Window{{Limit: 9}, {Limit: 2, Offset: 3}, {Limit: 4, Offset: 2}} {
		q.Window = w
		p.list("another page", q)
	}
	if s.Insert != nil {
		if err := p.insert(1000); err != nil {
			s.Fatalf("Insert: %v", err)
		}
	}
	if after := bytes.Join(kept, []byte(" ")); !bytes.Equal(before, after) {
		s.Fatalf("records returned by List changed later from %s to %s", before, after)
	}
}

// checkOneInstant reads all records while others are inserted between them. If each
// page and its count are of one instant, the number of ids equals the count, the ids
// are distinct and ordered, and the count never decreases.
func checkOneInstant(s *subject) {
	if s.Insert == nil {
		s.Skipf("no Insert")
	}
	p := s.open(s.records(5))
	written := make(chan error, 1)
	go func() {
		defer close(written)
		written <- p.insertMany()
	}()
	defer func() { <-written }() // the writer must not outlive the check
	for i, last, ended := 0, 0, false; !ended; i++ {
		ended = len(written) > 0
		desc := i%2 == 1
		list, err := p.c.List(s.ctx, everything(ordering.Term{Field: "id", Desc: desc}))
		if err != nil {
			s.Fatalf("List during writes: %v", err)
		}
		ids := s.ids(list)
		ordered := slices.Compact(slices.Sorted(slices.Values(ids)))
		if desc {
			slices.Reverse(ordered)
		}
		if list.Count != len(ids) || list.Count < last || !slices.Equal(ids, ordered) {
			s.Fatalf("List during writes returns the count %d, after %d, and the ids %v: they are not of one instant", list.Count, last, ids)
		}
		last = list.Count
	}
	if err := <-written; err != nil {
		s.Fatalf("Insert: %v", err)
	}
}

// insertMany inserts records between the existing ones and after them, for at most a second.
func (p *pair) insertMany() error {
	const inserts = 300
	err := p.insert(10_000)
	end := time.Now().Add(time.Second)
	for i := 0; err == nil && i < inserts && time.Now().Before(end); i++ {
		err = p.insert(100 + (i*7919)%inserts) // distinct and in no order
	}
	return err
}
