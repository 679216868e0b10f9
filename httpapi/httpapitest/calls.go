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

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/requests"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// everything returns a query for all records.
func everything(terms ...ordering.Term) catalogue.Query {
	return catalogue.Query{Window: pagination.Window{Limit: math.MaxInt}, Terms: terms}
}

// checkDescriptions compares the descriptions, except that functions are only present or absent.
func (p *pair) checkDescriptions() {
	p.Helper()
	isFunc := func(path gocmp.Path) bool { return path.Last().Type().Kind() == reflect.Func }
	var want, got []schema.Description
	for _, c := range p.ref.All() {
		want = append(want, c.Description())
	}
	for _, c := range p.own {
		got = append(got, c.Description())
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty(),
		gocmp.FilterPath(isFunc, gocmp.Comparer(func(a, b any) bool { return reflect.ValueOf(a).IsNil() == reflect.ValueOf(b).IsNil() })),
		gocmp.Comparer(func(a, b *regexp.Regexp) bool { return fmt.Sprint(a) == fmt.Sprint(b) })); diff != "" {
		p.Fatalf("descriptions (-catalogue +collections):\n%s", diff)
	}
}

// checkCalls calls the methods of each collection for what no request shows.
func (p *pair) checkCalls() {
	p.Helper()
	g, _ := p.start()
	var all []*calls
	for key, ref := range p.ref.All() {
		c := &calls{p, p.own[len(all)], ref, ref.Description(), g, ""}
		for _, record := range c.list(everything()).Records {
			g.Learn(key, record)
			c.segment = requests.Segment(c.about, record)
		}
		all = append(all, c)
	}
	for _, c := range all {
		c.checkContexts()
		c.checkTerms()
		c.checkKept()
		c.checkConditions(c.segment)
		c.checkConditions("0")
		c.checkTokens()
	}
	for _, c := range all {
		c.checkOneInstant()
		c.checkRevision()
	}
}

// calls are those of the methods of a collection.
type calls struct {
	*pair
	httpapi.Collection
	ref     catalogue.AnyCollection
	about   schema.Description
	g       *requests.Generator
	segment string // of a record, or ""
}

func (c *calls) fatalf(format string, args ...any) {
	c.Helper()
	c.Fatalf("%s: %s", c.about.Key, fmt.Sprintf(format, args...))
}

func (c *calls) list(q catalogue.Query) catalogue.Listing {
	c.Helper()
	list, err := c.List(c.ctx, q)
	if err != nil {
		c.fatalf("List: %v", err)
	}
	return list
}

// A method is called for a record. The last two parameters are those of Update and Delete.
type method func(ctx context.Context, f schema.Filter, condition func([]byte) error) error

// of returns calls of the methods that a collection has and the description permits.
func (c *calls) of(of httpapi.Collection) map[string]method {
	all := map[string]method{"List": func(ctx context.Context, _ schema.Filter, _ func([]byte) error) error {
		_, err := of.List(ctx, everything())
		return err
	}}
	if r, ok := of.(httpapi.Revisioner); ok {
		all["Revision"] = func(ctx context.Context, _ schema.Filter, _ func([]byte) error) error {
			_, err := r.Revision(ctx)
			return err
		}
	}
	if r, ok := of.(httpapi.ReferenceChecker); ok {
		all["Find"] = func(ctx context.Context, _ schema.Filter, _ func([]byte) error) error {
			_, _, err := r.Find(ctx, c.about.Key, c.about.Identity().Name, c.segment)
			return err
		}
	}
	if r, ok := of.(httpapi.Creator); ok && c.about.Actions.Has(schema.Create) {
		all["Create"] = func(ctx context.Context, _ schema.Filter, _ func([]byte) error) error {
			_, err := r.Create(ctx, []byte(c.g.Object(c.about.Written())), schema.Record{})
			return err
		}
	}
	if c.segment == "" {
		return all
	}
	if r, ok := of.(httpapi.Getter); ok && c.about.Actions.Has(schema.Retrieve) {
		all["Get"] = func(ctx context.Context, f schema.Filter, _ func([]byte) error) error {
			_, err := r.Get(ctx, c.segment, f)
			return err
		}
	}
	if r, ok := of.(httpapi.Updater); ok && c.about.Actions.Has(schema.PartialUpdate) {
		all["Update"] = func(ctx context.Context, f schema.Filter, condition func([]byte) error) error {
			_, err := r.Update(ctx, c.segment, catalogue.Edit{Filter: f, Body: []byte("{}"), Partial: true, Precondition: condition})
			return err
		}
	}
	if r, ok := of.(httpapi.Deleter); ok && c.about.Actions.Has(schema.Destroy) {
		all["Delete"] = func(ctx context.Context, f schema.Filter, condition func([]byte) error) error {
			return r.Delete(ctx, c.segment, f, condition)
		}
	}
	return all
}

// Methods return the error of a ctx that is done, and change nothing.
func (c *calls) checkContexts() {
	canceled, cancel := context.WithCancel(c.ctx)
	cancel()
	expired, cancel := context.WithDeadline(c.ctx, time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{canceled, expired} {
		for name, call := range c.of(c.Collection) {
			if err := call(ctx, schema.Filter{}, nil); !errors.Is(err, ctx.Err()) {
				c.fatalf("%s with a ctx that is done: error %v, want one wrapping %q", name, err, ctx.Err())
			}
		}
	}
	if diff := c.storedDiff(); diff != "" {
		c.fatalf("calls with a ctx that is done changed what is stored:\n%s", diff)
	}
}

// The handler may share the terms between calls.
func (c *calls) checkTerms() {
	terms := append(make([]ordering.Term, 0, 4), ordering.Asc(ordering.Snake(c.about.Identity().Name)))
	if c.about.Fields == nil {
		terms = slices.Insert(terms, 0, ordering.Asc("no_such_field"))
	}
	want := slices.Clone(terms[:4])
	if c.list(everything(terms...)); !slices.Equal(terms[:4], want) {
		c.fatalf("List modified the terms or appended to them in place: %v, want %v", terms[:4], want)
	}
}

// The records of a page do not change afterwards.
func (c *calls) checkKept() {
	q := everything()
	kept := c.list(q).Records
	before := bytes.Join(kept, []byte(" "))
	for offset := range 3 {
		q.Window = pagination.Window{Limit: 2, Offset: offset}
		c.list(q)
	}
	if after := bytes.Join(kept, []byte(" ")); !bytes.Equal(before, after) {
		c.fatalf("records returned by List changed later from %s to %s", before, after)
	}
}

// Revision returns no error, and another number after each write.
func (c *calls) checkRevision() {
	r, ok := c.Collection.(httpapi.Revisioner)
	if !ok {
		return
	}
	all := c.of(c.Collection)
	for _, name := range []string{"List", "Create", "Update", "Delete"} {
		before, err := r.Revision(c.ctx)
		if err != nil {
			c.fatalf("Revision: %v", err)
		}
		if all[name] == nil || all[name](c.ctx, schema.Filter{}, nil) != nil || name == "List" {
			continue
		}
		if after, err := r.Revision(c.ctx); err != nil || after == before {
			c.fatalf("Revision after %s: %d, error %v, want another number than %d", name, after, err, before)
		}
	}
}

// errRefused is the error of a precondition.
var errRefused = errors.New("the precondition is false")

// A precondition sees the record as the catalogue shows it, its error is that of the method, and a
// write needs a filter that selects the record. Nothing is stored otherwise.
func (c *calls) checkConditions(segment string) {
	type outcome struct {
		refused, absent bool
		seen            string
	}
	try := func(write method, f schema.Filter, condition func(record []byte) error) (o outcome) {
		err := write(c.ctx, f, func(record []byte) error {
			o.seen = string(record)
			return condition(record)
		})
		o.refused, o.absent = errors.Is(err, errRefused), errors.Is(err, catalogue.ErrNotFound)
		return o
	}
	defer func(before string) { c.segment = before }(c.segment)
	c.segment = segment
	excluding, excludes := c.excluding()
	fails := func([]byte) error { return fmt.Errorf("wrapped: %w", errRefused) }
	want, got := c.of(c.ref), c.of(c.Collection)
	for _, name := range []string{"Update", "Delete"} {
		if got[name] == nil {
			continue
		}
		if a, b := try(want[name], schema.Filter{}, fails), try(got[name], schema.Filter{}, fails); a != b {
			c.fatalf("%s of %q with a false precondition: %+v, want %+v", name, segment, b, a)
		}
		if excludes {
			if a, b := try(want[name], excluding, fails), try(got[name], excluding, fails); a != b {
				c.fatalf("%s of %q with the filter %v: %+v, want %+v", name, segment, excluding, b, a)
			}
		}
	}
	if diff := c.storedDiff(); diff != "" {
		c.fatalf("writes with false preconditions changed what is stored:\n%s", diff)
	}
}

// excluding returns a filter that does not select the record, if the description has one.
func (c *calls) excluding() (f schema.Filter, ok bool) {
	for range 100 {
		params := pagination.ParseQuery(c.g.Query(c.about))
		f, err := c.about.Filter(c.ctx, params.Values, schema.Checks{Find: c.ref.Find})
		if err != nil {
			continue
		}
		if _, err := c.ref.Get(c.ctx, c.segment, f); errors.Is(err, catalogue.ErrNotFound) {
			return f, true
		}
	}
	return schema.Filter{}, false
}

// An invalid token is an error.
func (c *calls) checkTokens() {
	if !c.about.Positions {
		return
	}
	_, err := c.List(c.ctx, catalogue.Query{Place: &pagination.Place{Window: pagination.Window{Limit: 5}, Token: "no-token"}})
	if !errors.Is(err, catalogue.ErrInvalidToken) {
		c.fatalf("List with an invalid token: error %v, want one wrapping %q", err, catalogue.ErrInvalidToken)
	}
}

// checkOneInstant reads all records while others are created and deleted. If a list and its count
// are of one instant, they have the same number of records, each of them once and in order.
func (c *calls) checkOneInstant() {
	creator, ok := c.Collection.(httpapi.Creator)
	if !ok || !c.about.Actions.Has(schema.Create) {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.write(creator)
	}()
	defer func() { <-done }() // the writer must not outlive the check
	identity := c.about.Identity()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		list := c.list(everything(ordering.Asc(ordering.Snake(identity.Name))))
		ids := make(map[string]bool, len(list.Records))
		for _, record := range list.Records {
			r, err := schema.ParseKeyed(record)
			if err != nil {
				c.fatalf("%s: %v", record, err)
			}
			id, _ := r.Get(identity.Name)
			ids[id] = true
		}
		if list.Count != len(list.Records) || len(ids) != list.Count {
			c.fatalf("List during writes returns the count %d with %d records, of which %d are different: they are not of one instant", list.Count, len(list.Records), len(ids))
		}
	}
}

// write creates and deletes records for at most a second.
func (c *calls) write(creator httpapi.Creator) {
	deleter, _ := c.Collection.(httpapi.Deleter)
	end := time.Now().Add(time.Second)
	for i := 0; i < 300 && time.Now().Before(end); i++ {
		record, err := creator.Create(c.ctx, []byte(c.g.Object(c.about.Written())), schema.Record{})
		if err == nil && deleter != nil && i%3 == 2 {
			_ = deleter.Delete(c.ctx, requests.Segment(c.about, record), schema.Filter{}, nil) // if it can be
		}
	}
}
