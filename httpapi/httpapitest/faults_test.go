package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A planted fault is what a fake does wrong.
type planted struct {
	reason string
	open   bool // in a collection of open records
	fault  fault
}

const newFilm = `{"title":"T","slug":"t","minutes":90,"price":"9.50","director":1,"genres":[1],"rating":2.5,"status":"released"}`

// faults returns all planted faults.
func faults() []planted {
	const films, open = false, true
	return slices.Concat([]planted{
		{"the description lacks a filter", films,
			after("Description", func(_ call, a *answer) { a.description.Filters = a.description.Filters[1:] })},
		{"a field of open records is sortable", open,
			after("Description", func(_ call, a *answer) { a.description.Sortable = append(a.description.Sortable, "id") })},
		{"a field cannot be ordered by", films, before("List", func(c *call) {
			tags := func(t ordering.Term) bool { return t.Field == "tags" }
			c.Terms = slices.DeleteFunc(slices.Clone(c.Terms), tags)
		})},
		{"records are not compact", open, after("List", func(_ call, a *answer) {
			a.list.Records = slices.Clone(a.list.Records)
			for i, r := range a.list.Records {
				a.list.Records[i] = replaced(r, "{", "{ ")
			}
		})},
		{"an empty list is an error", films, after("List", func(_ call, a *answer) {
			if a.err == nil && a.list.Count == 0 {
				a.err = errors.New("no rows")
			}
		})},
		{"the count is that of the page", films,
			after("List", func(_ call, a *answer) { a.list.Count = len(a.list.Records) })},
		{"a page has at least two records", films,
			before("List", func(c *call) { c.Window.Limit = max(c.Window.Limit, 2) })},
		{"pages start at multiples of the limit", films,
			before("List", func(c *call) { c.Window.Offset = c.Window.Offset / c.Window.Limit * c.Window.Limit })},
		{"a window past the end has the last record", films,
			instead("List", func(c call, next right) answer {
				c.Window.Offset = min(c.Window.Offset, max(next(c).list.Count-1, 0))
				return next(c)
			})},
		{"limit plus offset overflows", films, after("List", func(c call, a *answer) {
			if c.Window.Limit+c.Window.Offset < 0 {
				a.list.Records = nil
			}
		})},

		{"text is compared case-insensitively", films,
			comparesAs(schema.Text, strings.ToLower)},
		{"numbers are compared as float64s", open,
			comparesAs(schema.JSON, func(value string) string {
				if f, err := strconv.ParseFloat(value, 64); err == nil {
					return strconv.FormatFloat(f, 'f', -1, 64)
				}
				return value
			})},
		{"numbers and ids are compared as text", open,
			comparesAs(schema.JSON, func(value string) string {
				if _, err := strconv.ParseFloat(value, 64); err == nil {
					return strconv.Quote(value)
				}
				return value
			})},
		{"times are compared as text", films, comparesAs(schema.Timestamp, strconv.Quote)},
		{"decimals are sorted as text", films, comparesAs(schema.Decimal, strconv.Quote)},
		{"true is less than false", films,
			comparesAs(schema.Boolean, func(value string) string { return strconv.FormatBool(value == "false") })},
		{"lists are compared as text", films, comparesAs(schema.References, strconv.Quote)},
		{"null is smallest, as in SQLite", films,
			comparesAs(schema.Date, func(value string) string {
				if value == "null" {
					return "false" // the smallest value
				}
				return value
			})},
		{"ties are broken by ascending id", films,
			ordersBy(func(terms []ordering.Term) []ordering.Term { return append(filmOrder(terms), asc("id")...) })},
		{"ties are broken by descending id", films,
			ordersBy(func(terms []ordering.Term) []ordering.Term { return append(filmOrder(terms), desc("id")...) })},
		{"all terms have the direction of the first", films,
			ordersBy(func(terms []ordering.Term) []ordering.Term {
				for i := range terms {
					terms[i].Desc = terms[0].Desc
				}
				return terms
			})},
		{"the default order is by id", films,
			ordersBy(func(terms []ordering.Term) []ordering.Term {
				if len(terms) == 0 {
					return asc("id")
				}
				return terms
			})},
		{"unknown terms are errors", open,
			after("List", func(c call, a *answer) {
				if len(known(c.Terms)) < len(c.Terms) {
					a.err = errors.Join(a.err, ordering.ErrUnknownField)
				}
			})},

		{"List ignores the context", films, ignoresContext("List")},
		{"Get ignores the context", films, ignoresContext("Get")},
		{"Revision ignores the context", films, ignoresContext("Revision")},
		{"terms are appended to in place", films,
			before("List", func(c *call) { _ = append(c.Terms, ordering.Asc("id")) })},
		{"terms are dropped in place", open, before("List", func(c *call) {
			c.Terms = slices.DeleteFunc(c.Terms, func(t ordering.Term) bool { return t.Field == "no_such_field" })
		})},
		{"pages share a buffer", films, sharesBuffer()},
		{"the count is taken before the page", films, countsFirst()},
		{"the revision never changes", films,
			after("Revision", func(_ call, a *answer) { a.revision = 1 })},
		{"Revision returns an error", films,
			after("Revision", func(_ call, a *answer) { a.err = errors.Join(a.err, errors.New("no revisions")) })},

		{"exact ignores case", films, changesTests(func(t *schema.Test) {
			if t.Field == "title" && t.Lookup == "exact" {
				t.Lookup = "iexact"
			}
		})},
		{"in uses the first value", films, changesTests(func(t *schema.Test) {
			if t.Lookup == "in" {
				t.Values = t.Values[:1]
			}
		})},
		{"gte is gt", films, changesTests(func(t *schema.Test) {
			if t.Field == "minutes" && t.Lookup == "gte" {
				t.Lookup = "gt"
			}
		})},
		{"a range has no end", films, changesTests(func(t *schema.Test) {
			if t.Field == "minutes" && t.Lookup == "range" {
				t.Lookup, t.Values = "gte", t.Values[:1]
			}
		})},
		{"null is less than all values", films, selects(func(filter schema.Filter, list lister) [][]byte {
			chosen := list(filter)
			if testOf(filter, "rating", "lt").Values != nil {
				null := schema.Filter{Tests: []schema.Test{{Field: "rating", Lookup: "isnull", Values: []string{"true"}}}}
				chosen = append(slices.Clip(chosen), list(null)...)
			}
			return chosen
		})},
		{"decimals are ordered as text", films, selects(func(filter schema.Filter, list lister) [][]byte {
			bound := testOf(filter, "price", "lte")
			if bound.Values == nil {
				return list(filter)
			}
			return slices.DeleteFunc(slices.Clone(list(schema.Filter{})), func(r []byte) bool {
				return strings.Trim(string(decode(r)["price"]), `"`) > bound.Values[0]
			})
		})},
		{"isnull always holds", films, changesTests(func(t *schema.Test) {
			if t.Field == "released" && t.Lookup == "isnull" {
				t.Field = ""
			}
		})},
		{"icontains is contains", films, changesTests(func(t *schema.Test) {
			if t.Lookup == "icontains" {
				t.Lookup = "contains"
			}
		})},
		{"case is ignored in ASCII only", films, changesTests(func(t *schema.Test) {
			if t.Lookup == "icontains" && strings.ContainsAny(t.Values[0], "éÉ") {
				t.Lookup = "contains"
			}
		})},
		{"_ matches any character", films, changesTests(func(t *schema.Test) {
			if t.Values[0] == "_" {
				t.Field = ""
			}
		})},
		{"one of several tests is enough", films,
			selects(func(filter schema.Filter, list lister) (chosen [][]byte) {
				for _, t := range filter.Tests {
					chosen = append(chosen, list(schema.Filter{Tests: []schema.Test{t}})...)
				}
				if filter.Tests == nil {
					return list(filter)
				}
				return chosen
			})},
		{"the window precedes the filter", films, instead("List", func(c call, next right) answer {
			page := c
			page.Filter = schema.Filter{}
			c.Window = whole()
			a := next(c)
			a.list.Records = slices.DeleteFunc(slices.Clone(next(page).list.Records), func(r []byte) bool {
				return !contains(a.list.Records, r)
			})
			return a
		})},
		{"the count is that of all records", films,
			instead("List", func(c call, next right) answer {
				a := next(c)
				if c.filtered() {
					c.Filter = schema.Filter{}
					a.list.Count = next(c).list.Count
				}
				return a
			})},
		{"the records after a position begin with those at it", films, beginning(func(c *call) {
			if c.Place.Positioned && c.Terms[0] == ordering.Asc("published") && !c.Place.Reverse {
				c.Filter.Tests = []schema.Test{{Field: "published", Lookup: "gte", Values: []string{c.Place.Position}}}
				c.Place.Positioned = false
			}
		})},
		{"the records before a position are those after it", films, beginning(func(c *call) {
			c.Place.Reverse = c.Place.Reverse && !c.Place.Positioned
		})},
		{"null is after no position", films, beginning(func(c *call) {
			if c.Place.Positioned && c.Terms[0].Field == "released" {
				c.Filter.Tests = []schema.Test{{Field: "released", Lookup: "isnull", Values: []string{"false"}}}
			}
		})},
		{"a position has no offset", films, beginning(func(c *call) { c.Place.Offset = 0 })},
		{"a token begins with its record", films, listing(func(list *catalogue.Listing) {
			token := list.Token
			list.Token = func(i int) string { return token(max(i-1, 0)) }
		})},
		{"a token is read forwards only", films, beginning(func(c *call) {
			c.Place.Reverse = c.Place.Reverse && c.Place.Token == ""
		})},
		{"an invalid token is the start", open, beginning(func(c *call) {
			if len(c.Place.Token) < 10 {
				c.Place.Token = ""
			}
		})},
		{"the keys are those of ids", films, listing(func(list *catalogue.Listing) {
			for i := range list.Keys {
				list.Keys[i] = sortkey.Int(int64(i))
			}
		})},
		{"there are no keys", open, listing(func(list *catalogue.Listing) { list.Keys = nil })},
		{"all records exist", films, after("Find", func(c call, a *answer) { a.id = c.id })},
		{"references are read in another collection", films, before("Find", func(c *call) { c.segment, c.id = "genres", c.id+6 })},
		{"Find ignores the context", films, ignoresContext("Find")},
		{"one of several words is enough", films,
			selects(func(filter schema.Filter, list lister) (chosen [][]byte) {
				if filter.Search == nil {
					return list(filter)
				}
				for _, tests := range filter.Search {
					chosen = append(chosen, list(schema.Filter{Search: [][]schema.Test{tests}})...)
				}
				return chosen
			})},
		{"search ignores signs", films, selects(func(filter schema.Filter, list lister) [][]byte {
			return slices.DeleteFunc(slices.Clone(list(schema.Filter{Tests: filter.Tests})), func(r []byte) bool {
				return slices.ContainsFunc(filter.Search, func(tests []schema.Test) bool {
					return !bytes.Contains(bytes.ToUpper(r), []byte(strings.ToUpper(tests[0].Values[0])))
				})
			})
		})},
	}, recordFaults())
}

// recordFaults returns the faults of single records, which are films.
func recordFaults() []planted {
	const films = false
	return []planted{
		{"Get returns another record", films, after("Get", func(_ call, a *answer) {
			if a.err == nil {
				a.record = []byte(`{"id":1}`)
			}
		})},
		{"Get of id 0 returns nothing", films, after("Get", func(c call, a *answer) {
			if c.segment == "0" && !c.filtered() {
				a.err = nil
			}
		})},
		{"Get ignores its filter", films, ignoresFilter("Get")},
		{"white space is part of an id", films, after("Get Update Delete", func(c call, a *answer) {
			if a.err == nil && strings.TrimSpace(c.segment) != c.segment {
				a.err = catalogue.ErrNotFound
			}
		})},
		{"text after an id is ignored", films,
			before("Get Update Delete", func(c *call) {
				var id int
				if n, _ := fmt.Sscan(c.segment, &id); n == 1 {
					c.segment = strconv.Itoa(id)
				}
			})},

		{"all created records get the same id", films, after("Create", func(_ call, a *answer) {
			if a.err == nil {
				a.record = withID(a.record, 1)
			}
		})},
		{"an invalid record is stored", films,
			instead("Create", func(c call, next right) answer {
				a := next(c)
				if a.err != nil {
					c.body = replaced([]byte(newFilm), `"slug":"t"`, `"slug":"invalid"`)
					next(c)
				}
				return a
			})},
		{"only the first invalid field is an error", films,
			after("Create Update", func(_ call, a *answer) {
				if fields := (schema.FieldErrors)(nil); errors.As(a.err, &fields) {
					a.err = fields[:1]
				}
			})},
		{"the id is taken from the body", films, after("Create", func(c call, a *answer) {
			if id := idOf(c.body); a.err == nil && id != 0 {
				a.record = withID(a.record, id)
			}
		})},
		{"ids are used again", films, instead("Create", func(c call, next right) answer {
			a := next(c)
			list := next(call{method: "List", ctx: c.ctx, Query: everything(ordering.Asc("id"))}).list
			if last := len(list.Records) - 1; a.err == nil && idOf(a.record) > list.Count {
				a.record = withID(a.record, list.Count) // that of the deleted record
				list.Records = append(slices.Clone(list.Records[:last]), a.record)
				next(call{method: "Load", body: slices.Concat([]byte("["), bytes.Join(list.Records, []byte(",")), []byte("]"))})
			}
			return a
		})},
		{"Create stores another value", films, before("Create", func(c *call) { c.body = replaced(c.body, `"title":"`, `"title":"a`) })},
		{"Create ignores the context", films, ignoresContext("Create")},
		{"posts are not unique", films, instead("Create", func(c call, next right) answer {
			a := next(c)
			if onlySlug(a.err) {
				body := decode(c.body)
				body["slug"] = json.RawMessage(`"unique"`)
				c.body = []byte(encode(body))
				a = next(c)
			}
			return a
		})},

		{"a PATCH resets the synopsis", films,
			before("Update", func(c *call) {
				if c.partial {
					c.body = replaced(c.body, `"minutes"`, `"synopsis":"","minutes"`)
				}
			})},
		{"a PATCH to null is ignored", films, before("Update", func(c *call) {
			if c.partial {
				c.body = replaced(c.body, `"released":null`, `"nothing":null`)
			}
		})},
		{"a PUT resets absent fields", films, before("Update", func(c *call) {
			if !c.partial {
				c.body = replaced(c.body, "{", `{"synopsis":"",`)
			}
		})},
		{"a PUT requires no field", films, before("Update", func(c *call) { c.partial = true })},
		{"the time of creation is that of the update", films,
			after("Update", func(c call, a *answer) {
				if bytes.Contains(c.body, []byte("createdAt")) {
					a.record = replaced(a.record, `"createdAt":"2026`, `"createdAt":"2001`)
				}
			})},
		{"assigned values are ignored", films,
			before("Create Update", func(c *call) { c.assigned = schema.Record{} })},
		{"an invalid update is stored", films, instead("Update", func(c call, next right) answer {
			a := next(c)
			if fields := (schema.FieldErrors)(nil); errors.As(a.err, &fields) {
				c.body = []byte(`{"title":"new"}`)
				next(c)
			}
			return a
		})},
		{"updates are not unique", films,
			after("Update", func(_ call, a *answer) {
				if onlySlug(a.err) {
					a.err = nil
				}
			})},
		{"a record is compared with itself", films,
			instead("Update", func(c call, next right) answer {
				var stored, sent struct{ Slug string }
				_ = json.Unmarshal(next(call{method: "Get", ctx: c.ctx, segment: c.segment}).record, &stored)
				_ = json.Unmarshal(c.body, &sent)
				if sent.Slug != "" && sent.Slug == stored.Slug {
					return answer{err: schema.FieldErrors{{Field: "slug"}}}
				}
				return next(c)
			})},
		{"Update of a missing record creates one", films,
			instead("Update", func(c call, next right) answer {
				a := next(c)
				if errors.Is(a.err, catalogue.ErrNotFound) && !c.filtered() {
					c.method = "Create"
					return next(c)
				}
				return a
			})},
		{"Update ignores its filter", films, ignoresFilter("Update")},
		{"Update ignores the context", films, ignoresContext("Update")},
		{"Update stores nothing", films,
			instead("Update", func(c call, next right) answer {
				stored := next(call{method: "Get", ctx: c.ctx, segment: c.segment}).record
				a := next(c)
				if a.err == nil {
					next(call{method: "Update", ctx: c.ctx, segment: c.segment, body: stored})
				}
				return a
			})},
		{"Update keeps the revision", films, keepsRevision("Update")},
		{"Update ignores the condition", films, ignoresCondition("Update")},
		{"Update ignores the result of the condition", films, before("Update", func(c *call) {
			if condition := c.condition; condition != nil {
				c.condition = func(r []byte) error { _ = condition(r); return nil }
			}
		})},
		{"conditions see another record", films, before("Update Delete", func(c *call) {
			if condition := c.condition; condition != nil {
				c.condition = func([]byte) error { return condition([]byte(`{"id":1}`)) }
			}
		})},

		{"Delete deletes nothing", films,
			instead("Delete", func(c call, next right) answer {
				c.method = "Get"
				a := next(c)
				if a.err == nil && c.condition != nil {
					a.err = c.condition(a.record)
				}
				return a
			})},
		{"Delete of id 0 succeeds", films, after("Delete", func(c call, a *answer) {
			if c.segment == "0" {
				a.err = nil
			}
		})},
		{"Delete ignores its filter", films, ignoresFilter("Delete")},
		{"Delete ignores the context", films, ignoresContext("Delete")},
		{"Delete keeps the revision", films, keepsRevision("Delete")},
		{"Delete ignores the condition", films, ignoresCondition("Delete")},
	}
}

// onlySlug reports whether an error blames the unique field only.
func onlySlug(err error) bool {
	fields := (schema.FieldErrors)(nil)
	return errors.As(err, &fields) && len(fields) == 1 && fields[0].Field == "slug"
}

// find compares a fake with the catalogue, and returns the difference.
func find(t *testing.T, p planted) string {
	key, opts := "films", Options{Seed: 1, Handler: httpapi.Options{Pages: pagination.Limits{Max: -1}}}
	if p.open {
		key = "reviews"
	}
	if p.fault.of("Positions") {
		opts.Handler.Pages = pagination.Cursors{Limits: pagination.Limits{Default: 3}}
	}
	open := inMemory(t, ofFilms)
	r := &recorder{}
	r.run(func() {
		Compare(r, newCatalogue(t, ofFilms), func(ctx context.Context, file []byte) ([]httpapi.Collection, error) {
			list, err := open(ctx, file)
			for i, c := range list {
				if c.Description().Key == key {
					list[i] = p.fake(c)
				}
			}
			return list, err
		}, opts)
	})
	return r.problem
}

// A recorder is a testing.TB that records why a comparison ended.
type recorder struct {
	testing.TB
	problem string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.problem = fmt.Sprintf(format, args...) }

// run calls f until it ends or calls Fatalf.
func (r *recorder) run(f func()) {
	ended := make(chan bool)
	go func() {
		defer close(ended)
		f()
	}()
	<-ended
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// Each single fault is found: each sixth, unless BACKLIST_LONG is set, since all take long, and few with -short.
func TestFaults(t *testing.T) {
	nth := 6
	switch {
	case long():
		nth = 1
	case testing.Short():
		nth = 24
	}
	for i, p := range faults() {
		if i%nth > 0 {
			continue
		}
		t.Run(p.reason, func(t *testing.T) {
			t.Parallel()
			if problem := find(t, p); problem == "" {
				t.Error("not found")
			} else {
				t.Logf("%.600s", problem)
			}
		})
	}
}

// A panic in both handlers makes no difference, and is reported.
func TestPanics(t *testing.T) {
	opts := Options{Seed: 1, Requests: 1, Handler: httpapi.Options{Authorizer: func(r *http.Request, _ string, _ schema.Actions) error {
		if r.Method == "DELETE" {
			panic("oops")
		}
		return nil
	}}}
	r := &recorder{}
	r.run(func() { Compare(r, newCatalogue(t, ofFilms), inMemory(t, ofFilms), opts) })
	if !strings.HasPrefix(r.problem, "DELETE /api/") || !strings.Contains(r.problem, "oops") {
		t.Errorf("the problem is %q", r.problem)
	}
}
