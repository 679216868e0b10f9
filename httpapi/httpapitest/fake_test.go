package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A call is a call of a method of a collection. Members that the method has no parameters
// for are zero.
type call struct {
	method string
	ctx    context.Context
	catalogue.Query
	segment   string
	body      []byte
	assigned  schema.Record
	partial   bool
	condition func([]byte) error
	id        int
}

// An answer is what a call returns.
type answer struct {
	description schema.Description
	list        catalogue.Listing
	record      []byte
	revision    uint64
	id          int // of a record that is found
	err         error
}

// right answers a call as the catalogue does.
type right func(call) answer

// A fault answers the calls of some methods, which are separated by spaces, wrongly.
type fault struct {
	methods string
	answer  func(c call, next right) answer
}

func (f fault) of(method string) bool { return slices.Contains(strings.Fields(f.methods), method) }

// A fake is a collection of a catalogue with a fault.
type fake struct {
	collection catalogue.AnyCollection
	fault      fault
}

var (
	_ httpapi.Getter           = fake{}
	_ httpapi.Creator          = fake{}
	_ httpapi.Updater          = fake{}
	_ httpapi.Deleter          = fake{}
	_ httpapi.Revisioner       = fake{}
	_ httpapi.ReferenceChecker = fake{}
)

// answer answers a call, wrongly if the method has the fault.
func (f fake) answer(c call) answer {
	if f.fault.of(c.method) {
		return f.fault.answer(c, f.next)
	}
	return f.next(c)
}

func (f fake) next(c call) (a answer) {
	switch c.method {
	case "Description":
		a.description = f.collection.Description()
	case "List":
		a.list, a.err = f.collection.List(c.ctx, c.Query)
	case "Get":
		a.record, a.err = f.collection.Get(c.ctx, c.segment, c.Filter)
	case "Create":
		a.record, a.err = f.collection.Create(c.ctx, c.body, c.assigned)
	case "Update":
		a.record, a.err = f.collection.Update(c.ctx, c.segment, catalogue.Edit{
			Filter: c.Filter, Body: c.body, Partial: c.partial, Assigned: c.assigned, Precondition: c.condition,
		})
	case "Delete":
		a.err = f.collection.Delete(c.ctx, c.segment, c.Filter, c.condition)
	case "Find":
		a.id, _, a.err = f.collection.Find(c.ctx, c.segment, "id", strconv.Itoa(c.id))
	case "Load":
		a.err = f.collection.Load(bytes.NewReader(c.body), catalogue.LoadOptions{})
	case "Revision":
		a.revision, a.err = f.collection.Revision(), c.ctx.Err()
	}
	return a
}

func (f fake) Description() schema.Description {
	return f.answer(call{method: "Description"}).description
}

func (f fake) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	a := f.answer(call{method: "List", ctx: ctx, Query: q})
	return a.list, a.err
}

func (f fake) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	a := f.answer(call{method: "Get", ctx: ctx, segment: segment, Query: catalogue.Query{Filter: filter}})
	return a.record, a.err
}

func (f fake) Create(ctx context.Context, body []byte, assigned schema.Record) ([]byte, error) {
	a := f.answer(call{method: "Create", ctx: ctx, body: body, assigned: assigned})
	return a.record, a.err
}

func (f fake) Update(ctx context.Context, segment string, u catalogue.Edit) ([]byte, error) {
	a := f.answer(call{"Update", ctx, catalogue.Query{Filter: u.Filter}, segment, u.Body, u.Assigned, u.Partial, u.Precondition, 0})
	return a.record, a.err
}

func (f fake) Delete(ctx context.Context, segment string, filter schema.Filter, condition func([]byte) error) error {
	return f.answer(call{"Delete", ctx, catalogue.Query{Filter: filter}, segment, nil, schema.Record{}, false, condition, 0}).err
}

func (f fake) Find(ctx context.Context, collection, field, text string) (int, string, error) {
	if field != "id" {
		return f.collection.Find(ctx, collection, field, text)
	}
	a := f.answer(call{method: "Find", ctx: ctx, segment: collection, id: schema.ParseID(text)})
	return a.id, "", a.err
}

func (f fake) Revision(ctx context.Context) (uint64, error) {
	a := f.answer(call{method: "Revision", ctx: ctx})
	return a.revision, a.err
}

// fake returns a collection with the fault.
func (p planted) fake(c httpapi.Collection) httpapi.Collection {
	return fake{c.(catalogue.AnyCollection), p.fault}
}

// before changes the calls of the methods, which are separated by spaces.
func before(methods string, change func(c *call)) fault {
	return instead(methods, func(c call, next right) answer {
		change(&c)
		return next(c)
	})
}

// after changes the answers to calls of the methods, which are separated by spaces.
func after(methods string, change func(c call, a *answer)) fault {
	return instead(methods, func(c call, next right) answer {
		a := next(c)
		change(c, &a)
		return a
	})
}

// instead replaces the methods, which are separated by spaces.
func instead(methods string, f func(c call, next right) answer) fault { return fault{methods, f} }

func ignoresContext(method string) fault {
	return before(method, func(c *call) { c.ctx = context.WithoutCancel(c.ctx) })
}

func ignoresFilter(method string) fault {
	return before(method, func(c *call) { c.Filter = schema.Filter{} })
}

func ignoresCondition(method string) fault {
	return before(method, func(c *call) { c.condition = nil })
}

// keepsRevision hides what a method adds to the revision.
func keepsRevision(method string) fault {
	var hidden uint64
	return instead(method+" Revision", func(c call, next right) answer {
		revision := func() uint64 { return next(call{method: "Revision", ctx: context.Background()}).revision }
		start := revision()
		a := next(c)
		if c.method == method {
			hidden += revision() - start
		}
		a.revision -= hidden
		return a
	})
}

// countsFirst takes the count of a page before its records. Creations are slow, so that some end
// in between.
func countsFirst() fault {
	var inserting atomic.Bool
	return instead("List Create", func(c call, next right) answer {
		if c.method == "Create" {
			inserting.Store(true)
			defer inserting.Store(false)
			time.Sleep(time.Millisecond)
			return next(c)
		}
		early := next(c).list.Count
		for inserting.Load() {
			time.Sleep(100 * time.Microsecond)
		}
		a := next(c)
		a.list.Count = early
		return a
	})
}

// sharesBuffer uses one buffer for the records of all pages.
func sharesBuffer() fault {
	buffer := make([]byte, 0, 1<<16)
	return after("List", func(_ call, a *answer) {
		buffer = buffer[:0]
		records := a.list.Records
		a.list.Records = nil
		for _, r := range records {
			from := len(buffer)
			buffer = append(buffer, r...)
			a.list.Records = append(a.list.Records, buffer[from:])
		}
	})
}

func asc(name string) []ordering.Term  { return []ordering.Term{ordering.Asc(name)} }
func desc(name string) []ordering.Term { return []ordering.Term{ordering.Desc(name)} }

// known returns the terms of a list without those that the calls and requests know to name no field.
func known(terms []ordering.Term) []ordering.Term {
	return slices.DeleteFunc(slices.Clone(terms), func(t ordering.Term) bool { return t.Field == "no_such_field" })
}

// ordersBy changes the known terms of a list, and returns those that were known.
func ordersBy(change func(terms []ordering.Term) []ordering.Term) fault {
	return instead("List", func(c call, next right) answer {
		c.Terms = change(known(c.Terms))
		return next(c)
	})
}

// filmOrder returns the terms or, if there are none, those of the default order of films.
func filmOrder(terms []ordering.Term) []ordering.Term {
	if len(terms) == 0 {
		return desc("minutes")
	}
	return terms
}

// comparesAs sorts lists as if the JSON in fields of one kind were that which key returns for
// it. In open records, ids are of the kind JSON, too.
func comparesAs(kind schema.Kind, key func(value string) string) fault {
	return instead("List", func(c call, next right) answer {
		about := next(call{method: "Description"}).description
		affected := func(t ordering.Term) bool {
			return about.Fields == nil || slices.ContainsFunc(about.Fields, func(f schema.Field) bool {
				return f.Kind == kind && ordering.Snake(f.Name) == t.Field
			})
		}
		if !slices.ContainsFunc(c.Terms, affected) {
			return next(c)
		}
		w := c.Window
		c.Window = whole()
		a := next(c)
		about.Filters, about.Search, about.Fields = nil, nil, slices.Clone(about.Fields)
		kinds := map[string]schema.Kind{}
		for i, f := range about.Fields {
			kinds[f.Name] = f.Kind
			if about.Fields[i].Refers = ""; f.Kind == kind {
				about.Fields[i] = schema.Field{Name: f.Name, Kind: schema.JSON, Nullable: true}
			}
		}
		byID, changed := map[int][]byte{}, [][]byte{}
		for _, encoded := range a.list.Records {
			byID[idOf(encoded)] = encoded
			values := decode(encoded)
			for name, value := range decode(encoded) {
				if k := kinds[name]; k != kind && (about.Fields != nil || kind != schema.JSON) {
					continue
				}
				if name == "id" {
					name = "idKey"
				}
				values[name] = json.RawMessage(key(string(value)))
			}
			changed = append(changed, []byte(encode(values)))
		}
		terms := known(c.Terms)
		for i, t := range terms {
			if t.Field == "id" && about.Fields == nil {
				terms[i].Field = "id_key"
			}
		}
		sorted, err := sort(c.ctx, about, changed, terms)
		if err != nil {
			return answer{err: err}
		}
		a.list.Records = nil
		for _, r := range sorted {
			a.list.Records = append(a.list.Records, byID[idOf(r)])
		}
		start, end := w.Bounds(len(a.list.Records))
		a.list.Records = a.list.Records[start:end]
		return a
	})
}

// sort returns open records in the order of a list.
func sort(ctx context.Context, about schema.Description, records [][]byte, terms []ordering.Term) ([][]byte, error) {
	c, err := catalogue.New(catalogue.Define[schema.Record](about.Key, catalogue.Options{Description: &about}))
	if err != nil {
		return nil, err
	}
	if err := c.Load(strings.NewReader(fmt.Sprintf(`{%q:[%s]}`, about.Key, bytes.Join(records, []byte(",")))), catalogue.LoadOptions{}); err != nil {
		return nil, err
	}
	collection, err := c.Collection(about.Key)
	if err != nil {
		return nil, err
	}
	list, err := collection.List(ctx, everything(terms...))
	return list.Records, err
}

func decode(object []byte) (members map[string]json.RawMessage) {
	_ = json.Unmarshal(object, &members)
	return members
}

func encode(members map[string]json.RawMessage) string {
	text, _ := json.Marshal(members) // of valid values
	return string(text)
}

func whole() pagination.Window { return pagination.Window{Limit: 5000} }

func (c call) filtered() bool { return len(c.Filter.Tests)+len(c.Filter.Search) > 0 }

// changesTests changes the tests of lists. Those without a field are dropped.
func changesTests(change func(t *schema.Test)) fault {
	return before("List", func(c *call) {
		c.Filter.Tests = slices.Clone(c.Filter.Tests)
		for i := range c.Filter.Tests {
			change(&c.Filter.Tests[i])
		}
		c.Filter.Tests = slices.DeleteFunc(c.Filter.Tests, func(t schema.Test) bool { return t.Field == "" })
	})
}

// beginning changes lists that begin at a place.
func beginning(change func(c *call)) fault {
	return fault{"List Positions", before("List", func(c *call) {
		if c.Place != nil {
			c.Place = new(*c.Place)
			change(c)
		}
	}).answer}
}

// listing changes what such lists return.
func listing(change func(list *catalogue.Listing)) fault {
	return fault{"List Positions", after("List", func(c call, a *answer) {
		if a.err == nil && c.Place != nil {
			change(&a.list)
		}
	}).answer}
}

// A lister returns the records that a filter selects.
type lister func(schema.Filter) [][]byte

// selects lists the records that choose returns instead of those that the filter selects.
func selects(choose func(filter schema.Filter, list lister) [][]byte) fault {
	return instead("List", func(c call, next right) answer {
		if a := next(c); a.err != nil || !c.filtered() {
			return a
		}
		chosen := choose(c.Filter, func(filter schema.Filter) [][]byte {
			return next(call{method: "List", ctx: c.ctx, Query: catalogue.Query{Filter: filter, Window: whole()}}).list.Records
		})
		w := c.Window
		c.Window, c.Filter = whole(), schema.Filter{}
		a := next(c)
		a.list.Records = slices.DeleteFunc(slices.Clone(a.list.Records), func(r []byte) bool { return !contains(chosen, r) })
		a.list.Count = len(a.list.Records)
		start, end := w.Bounds(a.list.Count)
		a.list.Records = a.list.Records[start:end]
		return a
	})
}

// testOf returns the test of a field with a lookup, or one without values.
func testOf(filter schema.Filter, field, lookup string) schema.Test {
	for _, t := range filter.Tests {
		if t.Field == field && t.Lookup == lookup {
			return t
		}
	}
	return schema.Test{}
}

func contains(records [][]byte, record []byte) bool {
	return slices.ContainsFunc(records, func(r []byte) bool { return bytes.Equal(r, record) })
}

// withID returns a record with another id.
func withID(encoded []byte, id int) []byte {
	r, err := schema.ParseRecord(encoded)
	if err != nil {
		panic(err)
	}
	r.ID = id
	return []byte(r.String())
}

// idOf returns the id of a record, or 0 if none exists in the text.
func idOf(encoded []byte) int {
	r, _ := schema.ParseRecord(encoded)
	return r.ID
}

// replaced returns a body with another text instead of the first one.
func replaced(body []byte, old, text string) []byte {
	return bytes.Replace(body, []byte(old), []byte(text), 1)
}
