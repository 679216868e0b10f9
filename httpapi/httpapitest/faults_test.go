package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A planted fault is what a fake does wrong, and the checks that must find it.
type planted struct {
	reason string
	open   bool   // in a collection of open records
	checks string // separated by spaces
	fault  fault
}

// faults returns all planted faults.
func faults() []planted {
	const films, open = false, true
	return slices.Concat([]planted{
		{"the description lacks a filter", films, "description",
			after("Description", func(_ call, a *answer) { a.description.Filters = a.description.Filters[1:] })},
		{"a field of open records is sortable", open, "description",
			after("Description", func(_ call, a *answer) { a.description.Sortable = append(a.description.Sortable, "id") })},
		{"a field cannot be ordered by", films, "lists ties mixed-directions", before("List", func(c *call) {
			tags := func(t ordering.Term) bool { return t.Field == "tags" }
			c.Terms = slices.DeleteFunc(slices.Clone(c.Terms), tags)
		})},
		{"records are not compact", open, "records cancellation", after("List", func(_ call, a *answer) {
			a.list.Records = slices.Clone(a.list.Records)
			for i, r := range a.list.Records {
				a.list.Records[i] = replaced(r, "{", "{ ")
			}
		})},
		{"an empty collection is an error", open, "empty", after("List", func(_ call, a *answer) {
			if a.err == nil && a.list.Count == 0 {
				a.err = errors.New("no rows")
			}
		})},
		{"the count is that of the page", films,
			"limits offsets offset-beyond-the-end largest-window kept-pages filter-pages",
			after("List", func(_ call, a *answer) { a.list.Count = len(a.list.Records) })},
		{"a page has at least two records", films, "limits filter-pages",
			before("List", func(c *call) { c.Window.Limit = max(c.Window.Limit, 2) })},
		{"pages start at multiples of the limit", films,
			"offsets offset-beyond-the-end largest-window kept-pages filter-pages",
			before("List", func(c *call) { c.Window.Offset = c.Window.Offset / c.Window.Limit * c.Window.Limit })},
		{"a window past the end has the last record", films,
			"offset-beyond-the-end largest-window filter-pages",
			instead("List", func(c call, next right) answer {
				c.Window.Offset = min(c.Window.Offset, max(next(c).list.Count-1, 0))
				return next(c)
			})},
		{"limit plus offset overflows", films, "largest-window filter-pages", after("List", func(c call, a *answer) {
			if c.Window.Limit+c.Window.Offset < 0 {
				a.list.Records = nil
			}
		})},

		{"text is compared case-insensitively", films, "text-by-bytes",
			comparesAs(schema.Text, strings.ToLower)},
		{"numbers are compared as float64s", open, "integers mixed-kinds",
			comparesAs(schema.JSON, func(value string) string {
				if f, err := strconv.ParseFloat(value, 64); err == nil {
					return strconv.FormatFloat(f, 'f', -1, 64)
				}
				return value
			})},
		{"numbers and ids are compared as text", open, "big-ids integers mixed-kinds one-instant",
			comparesAs(schema.JSON, func(value string) string {
				if _, err := strconv.ParseFloat(value, 64); err == nil {
					return strconv.Quote(value)
				}
				return value
			})},
		{"times are compared as text", films, "times-by-instant", comparesAs(schema.Timestamp, strconv.Quote)},
		{"decimals are sorted as text", films, "numbers-by-value mixed-directions", comparesAs(schema.Decimal, strconv.Quote)},
		{"true is less than false", films, "booleans mixed-directions",
			comparesAs(schema.Boolean, func(value string) string { return strconv.FormatBool(value == "false") })},
		{"lists are compared as text", films, "lists mixed-directions", comparesAs(schema.References, strconv.Quote)},
		{"null is smallest, as in SQLite", films, "nulls",
			comparesAs(schema.Date, func(value string) string {
				if value == "null" {
					return "false" // the smallest value
				}
				return value
			})},
		{"ties are broken by ascending id", films, "ties mixed-directions default-order filter-pages",
			ordersBy(func(terms []ordering.Term) []ordering.Term { return append(filmOrder(terms), asc("id")...) })},
		{"ties are broken by descending id", films,
			"ties mixed-directions filter-pages",
			ordersBy(func(terms []ordering.Term) []ordering.Term { return append(filmOrder(terms), desc("id")...) })},
		{"all terms have the direction of the first", films, "ties mixed-directions",
			ordersBy(func(terms []ordering.Term) []ordering.Term {
				for i := range terms {
					terms[i].Desc = terms[0].Desc
				}
				return terms
			})},
		{"the default order is by id", films, "default-order filter-pages",
			ordersBy(func(terms []ordering.Term) []ordering.Term {
				if len(terms) == 0 {
					return asc("id")
				}
				return terms
			})},
		{"the terms of the default order are returned", films, "default-order filter-pages",
			after("List", func(_ call, a *answer) { a.list.Terms = filmOrder(a.list.Terms) })},
		{"unknown terms are returned", open, "unknown-field",
			after("List", func(c call, a *answer) { a.list.Terms = c.Terms })},
		{"unknown terms are errors", open, "unknown-field terms-are-read",
			after("List", func(c call, a *answer) {
				if len(a.list.Terms) < len(c.Terms) {
					a.err = errors.Join(a.err, ordering.ErrUnknownField)
				}
			})},

		{"List ignores the context", films, "cancellation", ignoresContext("List")},
		{"Get ignores the context", films, "cancellation", ignoresContext("Get")},
		{"Revision ignores the context", films, "cancellation", ignoresContext("Revision")},
		{"terms are appended to in place", films, "terms-are-read",
			before("List", func(c *call) { _ = append(c.Terms, ordering.Asc("id")) })},
		{"terms are dropped in place", open, "terms-are-read", before("List", func(c *call) {
			c.Terms = slices.DeleteFunc(c.Terms, func(t ordering.Term) bool { return t.Field == "no_such_field" })
		})},
		{"pages share a buffer", films, "kept-pages", sharesBuffer()},
		{"the count is taken before the page", films, "one-instant", countsFirst()},
		{"the revision never changes", films, "revision",
			after("Revision", func(_ call, a *answer) { a.revision = 1 })},
		{"Revision returns an error", films, "revision",
			after("Revision", func(_ call, a *answer) { a.err = errors.Join(a.err, errors.New("no revisions")) })},

		{"exact ignores case", films, "filter-exact filter-several", changesTests(func(t *schema.Test) {
			if t.Field == "title" && t.Lookup == "exact" {
				t.Lookup = "iexact"
			}
		})},
		{"in uses the first value", films, "filter-in", changesTests(func(t *schema.Test) {
			if t.Lookup == "in" {
				t.Values = t.Values[:1]
			}
		})},
		{"gte is gt", films, "filter-bounds filter-several", changesTests(func(t *schema.Test) {
			if t.Field == "minutes" && t.Lookup == "gte" {
				t.Lookup = "gt"
			}
		})},
		{"a range has no end", films, "filter-bounds filter-several", changesTests(func(t *schema.Test) {
			if t.Field == "minutes" && t.Lookup == "range" {
				t.Lookup, t.Values = "gte", t.Values[:1]
			}
		})},
		{"null is less than all values", films, "filter-bounds filter-several", selects(func(filter schema.Filter, list lister) [][]byte {
			chosen := list(filter)
			if testOf(filter, "rating", "lt").Values != nil {
				null := schema.Filter{Tests: []schema.Test{{Field: "rating", Lookup: "isnull", Values: []string{"true"}}}}
				chosen = append(slices.Clip(chosen), list(null)...)
			}
			return chosen
		})},
		{"decimals are ordered as text", films, "filter-bounds filter-several", selects(func(filter schema.Filter, list lister) [][]byte {
			bound := testOf(filter, "price", "lte")
			if bound.Values == nil {
				return list(filter)
			}
			return slices.DeleteFunc(slices.Clone(list(schema.Filter{})), func(r []byte) bool {
				return strings.Trim(string(decode(r)["price"]), `"`) > bound.Values[0]
			})
		})},
		{"isnull always holds", films, "filter-null filter-several", changesTests(func(t *schema.Test) {
			if t.Field == "released" && t.Lookup == "isnull" {
				t.Field = ""
			}
		})},
		{"icontains is contains", films, "filter-text filter-several", changesTests(func(t *schema.Test) {
			if t.Lookup == "icontains" {
				t.Lookup = "contains"
			}
		})},
		{"case is ignored in ASCII only", films, "filter-text", changesTests(func(t *schema.Test) {
			if t.Lookup == "icontains" && strings.ContainsAny(t.Values[0], "éÉ") {
				t.Lookup = "contains"
			}
		})},
		{"_ matches any character", films, "filter-exact filter-text", changesTests(func(t *schema.Test) {
			if t.Values[0] == "_" {
				t.Field = ""
			}
		})},
		{"one of several tests is enough", films, "filter-several",
			selects(func(filter schema.Filter, list lister) (chosen [][]byte) {
				for _, t := range filter.Tests {
					chosen = append(chosen, list(schema.Filter{Tests: []schema.Test{t}})...)
				}
				if filter.Tests == nil {
					return list(filter)
				}
				return chosen
			})},
		{"the window precedes the filter", films, "filter-pages", instead("List", func(c call, next right) answer {
			page := c
			page.Filter = schema.Filter{}
			c.Window = all()
			a := next(c)
			a.list.Records = slices.DeleteFunc(slices.Clone(next(page).list.Records), func(r []byte) bool {
				return !contains(a.list.Records, r)
			})
			return a
		})},
		{"the count is that of all records", films,
			"filter-exact filter-in filter-bounds filter-null filter-text filter-several filter-pages search",
			instead("List", func(c call, next right) answer {
				a := next(c)
				if c.filtered() {
					c.Filter = schema.Filter{}
					a.list.Count = next(c).list.Count
				}
				return a
			})},
		{"the records after a position begin with those at it", films, "positions", beginning(func(c *call) {
			if c.Place.Positioned && c.Terms[0] == ordering.Asc("published") && !c.Place.Reverse {
				c.Filter.Tests = []schema.Test{{Field: "published", Lookup: "gte", Values: []string{c.Place.Position}}}
				c.Place.Positioned = false
			}
		})},
		{"the records before a position are those after it", films, "positions", beginning(func(c *call) {
			c.Place.Reverse = c.Place.Reverse && !c.Place.Positioned
		})},
		{"null is after no position", films, "positions", beginning(func(c *call) {
			if c.Place.Positioned && c.Terms[0].Field == "released" {
				c.Filter.Tests = []schema.Test{{Field: "released", Lookup: "isnull", Values: []string{"false"}}}
			}
		})},
		{"a position has no offset", films, "positions", beginning(func(c *call) { c.Place.Offset = 0 })},
		{"a token begins with its record", open, "positions", listing(func(list *catalogue.Listing) {
			token := list.Token
			list.Token = func(i int) string { return token(max(i-1, 0)) }
		})},
		{"a token is read forwards only", films, "positions", beginning(func(c *call) {
			c.Place.Reverse = c.Place.Reverse && c.Place.Token == ""
		})},
		{"an invalid token is the start", open, "positions", beginning(func(c *call) {
			if len(c.Place.Token) < 10 {
				c.Place.Token = ""
			}
		})},
		{"the keys are those of ids", films, "positions", listing(func(list *catalogue.Listing) {
			for i := range list.Keys {
				list.Keys[i] = sortkey.Int(int64(i))
			}
		})},
		{"there are no keys", open, "positions", listing(func(list *catalogue.Listing) { list.Keys = nil })},
		{"all records exist", films, "references", after("Find", func(c call, a *answer) { a.id = c.id })},
		{"references are read in another collection", films, "references", before("Find", func(c *call) { c.segment, c.id = "genres", c.id+1 })},
		{"Find ignores the context", films, "references", ignoresContext("Find")},
		{"one of several words is enough", films, "search",
			selects(func(filter schema.Filter, list lister) (chosen [][]byte) {
				if filter.Search == nil {
					return list(filter)
				}
				for _, tests := range filter.Search {
					chosen = append(chosen, list(schema.Filter{Search: [][]schema.Test{tests}})...)
				}
				return chosen
			})},
		{"search ignores signs", films, "search", selects(func(filter schema.Filter, list lister) [][]byte {
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
		{"Get returns another record", films, "get get-filtered patch-segments revision", after("Get", func(_ call, a *answer) {
			if a.err == nil {
				a.record = []byte(`{"id":1}`)
			}
		})},
		{"Get of id 0 returns nothing", films, "get-missing", after("Get", func(c call, a *answer) {
			if c.segment == "0" && !c.filtered() {
				a.err = nil
			}
		})},
		{"Get ignores its filter", films, "get-filtered", ignoresFilter("Get")},
		{"white space is part of an id", films, "get patch-segments delete", after("Get Update Delete", func(c call, a *answer) {
			if a.err == nil && strings.TrimSpace(c.segment) != c.segment {
				a.err = catalogue.ErrNotFound
			}
		})},
		{"text after an id is ignored", films, "get-missing patch-missing put-missing delete-missing",
			before("Get Update Delete", func(c *call) {
				var id int
				if n, _ := fmt.Sscan(c.segment, &id); n == 1 {
					c.segment = strconv.Itoa(id)
				}
			})},

		{"all created records get the same id", films, "create create-invalid create-assigned deleted-ids revision", after("Create", func(_ call, a *answer) {
			if a.err == nil {
				a.record = withID(a.record, 1)
			}
		})},
		{"an invalid record is stored", films, "create create-invalid create-unique",
			instead("Create", func(c call, next right) answer {
				a := next(c)
				if a.err != nil {
					c.body = replaced([]byte(newFilm), `"slug":"t"`, `"slug":"invalid"`)
					next(c)
				}
				return a
			})},
		{"only the first invalid field is an error", films, "create create-invalid put",
			after("Create Update", func(_ call, a *answer) {
				if fields := (schema.FieldErrors)(nil); errors.As(a.err, &fields) {
					a.err = fields[:1]
				}
			})},
		{"the id is taken from the body", films, "create", after("Create", func(c call, a *answer) {
			if id := idOf(c.body); a.err == nil && id != 0 {
				a.record = withID(a.record, id)
			}
		})},
		{"ids are used again", films, "deleted-ids", instead("Create", func(c call, next right) answer {
			a := next(c)
			list := next(call{method: "List", ctx: c.ctx, Query: everything(ordering.Asc("id"))}).list
			if last := len(list.Records) - 1; a.err == nil && idOf(a.record) > list.Count {
				a.record = withID(a.record, list.Count) // that of the deleted record
				list.Records = append(slices.Clone(list.Records[:last]), a.record)
				next(call{method: "Load", body: slices.Concat([]byte("["), bytes.Join(list.Records, []byte(",")), []byte("]"))})
			}
			return a
		})},
		{"Create stores another value", films, "create create-assigned deleted-ids revision", before("Create", func(c *call) {
			c.body = replaced(c.body, `"minutes":90`, `"minutes":91`)
		})},
		{"Create ignores the context", films, "cancellation", ignoresContext("Create")},
		{"posts are not unique", films, "create-invalid create-unique", instead("Create", func(c call, next right) answer {
			a := next(c)
			if onlySlug(a.err) {
				body := decode(c.body)
				body["slug"] = json.RawMessage(`"unique"`)
				c.body = []byte(encode(body))
				a = next(c)
			}
			return a
		})},

		{"a PATCH resets the synopsis", films, "patch",
			before("Update", func(c *call) { c.body = replaced(c.body, `{"minutes"`, `{"synopsis":"","minutes"`) })},
		{"a PATCH to null is ignored", films, "patch", before("Update", func(c *call) {
			if bytes.HasSuffix(c.body, []byte(":null}")) && bytes.Count(c.body, []byte(":")) == 1 {
				c.body = []byte("{}")
			}
		})},
		{"a PUT resets absent fields", films, "put put-invalid put-unique put-assigned revision", before("Update", func(c *call) {
			if !c.partial {
				c.body = replaced(c.body, "{", `{"synopsis":"",`)
			}
		})},
		{"a PUT requires no field", films, "put put-invalid", before("Update", func(c *call) { c.partial = true })},
		{"the time of creation is that of the update", films, "patch put",
			after("Update", func(c call, a *answer) {
				if bytes.Contains(c.body, []byte("createdAt")) {
					a.record = replaced(a.record, `"createdAt":"2024`, `"createdAt":"2001`)
				}
			})},
		{"assigned values are ignored", films, "create-assigned patch-assigned put-assigned",
			before("Create Update", func(c *call) { c.assigned = schema.Record{} })},
		{"an invalid update is stored", films, "patch-invalid", instead("Update", func(c call, next right) answer {
			a := next(c)
			if a.err != nil && bytes.Contains(c.body, []byte(`:"x"`)) {
				c.body = []byte(`{"title":"new"}`)
				next(c)
			}
			return a
		})},
		{"updates are not unique", films, "patch-invalid patch-unique patch-filtered put-invalid put-unique put-filtered",
			after("Update", func(_ call, a *answer) {
				if onlySlug(a.err) {
					a.err = nil
				}
			})},
		{"a record is compared with itself", films, "patch-invalid patch-unique put-invalid put-unique",
			instead("Update", func(c call, next right) answer {
				var stored, sent struct{ Slug string }
				_ = json.Unmarshal(next(call{method: "Get", ctx: c.ctx, segment: c.segment}).record, &stored)
				_ = json.Unmarshal(c.body, &sent)
				if sent.Slug != "" && sent.Slug == stored.Slug {
					return answer{err: schema.FieldErrors{{Field: "slug"}}}
				}
				return next(c)
			})},
		{"Update of a missing record creates one", films, "patch-missing put-missing",
			instead("Update", func(c call, next right) answer {
				a := next(c)
				if errors.Is(a.err, catalogue.ErrNotFound) && !c.filtered() {
					c.method = "Create"
					return next(c)
				}
				return a
			})},
		{"Update ignores its filter", films, "patch-filtered put-filtered", ignoresFilter("Update")},
		{"Update ignores the context", films, "cancellation", ignoresContext("Update")},
		{"Update stores nothing", films,
			"patch patch-invalid patch-unique patch-assigned patch-filtered patch-condition put put-invalid put-unique put-assigned put-filtered put-condition revision",
			instead("Update", func(c call, next right) answer {
				stored := next(call{method: "Get", ctx: c.ctx, segment: c.segment}).record
				a := next(c)
				if a.err == nil {
					next(call{method: "Update", ctx: c.ctx, segment: c.segment, body: stored})
				}
				return a
			})},
		{"Update keeps the revision", films, "revision", keepsRevision("Update")},
		{"Update ignores the condition", films, "patch-condition put-condition", ignoresCondition("Update")},
		{"Update ignores the result of the condition", films, "patch-condition put-condition", before("Update", func(c *call) {
			if condition := c.condition; condition != nil {
				c.condition = func(r []byte) error { _ = condition(r); return nil }
			}
		})},
		{"an invalid body precedes the condition", films, "patch-condition put-condition", before("Update", func(c *call) {
			if !json.Valid(c.body) || c.body[0] != '{' {
				c.condition = nil
			}
		})},
		{"conditions see another record", films, "patch-condition put-condition delete-condition", before("Update Delete", func(c *call) {
			if condition := c.condition; condition != nil {
				c.condition = func([]byte) error { return condition([]byte(`{"id":1}`)) }
			}
		})},

		{"Delete deletes nothing", films, "delete delete-filtered delete-condition deleted-ids revision",
			instead("Delete", func(c call, next right) answer {
				c.method = "Get"
				a := next(c)
				if a.err == nil && c.condition != nil {
					a.err = c.condition(a.record)
				}
				return a
			})},
		{"Delete of id 0 succeeds", films, "delete-missing", after("Delete", func(c call, a *answer) {
			if c.segment == "0" {
				a.err = nil
			}
		})},
		{"Delete ignores its filter", films, "delete-filtered", ignoresFilter("Delete")},
		{"Delete ignores the context", films, "cancellation", ignoresContext("Delete")},
		{"Delete keeps the revision", films, "revision", keepsRevision("Delete")},
		{"Delete ignores the condition", films, "delete-condition", ignoresCondition("Delete")},
	}
}

// onlySlug reports whether an error blames the unique field only.
func onlySlug(err error) bool {
	fields := (schema.FieldErrors)(nil)
	return errors.As(err, &fields) && len(fields) == 1 && fields[0].Field == "slug"
}

// inFake returns the implementation of a fake.
func inFake(t *testing.T, p planted) Implementation {
	impl := inCatalogue[film](t, "films", newFilm)
	if p.open {
		impl = inCatalogue[schema.Record](t, "reviews", "")
	}
	open, insert := impl.New, impl.Insert
	impl.Insert = func(_ context.Context, c httpapi.Collection, record []byte) error {
		return c.(interface{ insert([]byte) error }).insert(record)
	}
	impl.New = func(ctx context.Context, records [][]byte) (httpapi.Collection, error) {
		c, err := open(ctx, records)
		if err != nil {
			return nil, err
		}
		f := fake{c.(catalogue.AnyCollection), func(record []byte) error { return insert(ctx, c, record) }, p.fault}
		if p.fault.of("Positions") {
			return positioner{f}, nil
		}
		return f, nil
	}
	return impl
}

// callsOf returns the methods that each check calls if there is no fault.
func callsOf(t *testing.T, open bool) map[string][]string {
	calls := map[string][]string{}
	for _, check := range allChecks() {
		records := before("Description List Get Create Update Delete Find Revision Positions", func(c *call) {
			calls[check.name] = append(calls[check.name], c.method)
		})
		if r := outcome(inFake(t, planted{open: open, fault: records}), check); r.problem != "" {
			t.Errorf("no fault, open %t: %s: %s", open, check.name, r.problem)
		}
	}
	return calls
}

// A correct implementation passes. One with a single fault fails the checks of that fault
// and no others. Checks that do not call the faulty method are not run.
func TestFaults(t *testing.T) {
	calls := map[bool]map[string][]string{false: callsOf(t, false), true: callsOf(t, true)}
	for i, p := range faults() {
		if testing.Short() && i%8 > 1 {
			continue // all take long
		}
		t.Run(p.reason, func(t *testing.T) {
			t.Parallel()
			checks := slices.DeleteFunc(allChecks(), func(c check) bool {
				return !slices.ContainsFunc(calls[p.open][c.name], p.fault.of)
			})
			names, problems := run(t, inFake(t, p), checks)
			if diff := cmp.Diff(p.checks, strings.Join(names, " ")); diff != "" {
				t.Errorf("failed checks (-want +got):\n%s\n%s", diff, problems)
			}
		})
	}
}

// Each check finds a fault.
func TestChecksFindFaults(t *testing.T) {
	for _, c := range allChecks() {
		finds := func(p planted) bool { return slices.Contains(strings.Fields(p.checks), c.name) }
		if !slices.ContainsFunc(faults(), finds) {
			t.Errorf("no planted fault is found by the check %s", c.name)
		}
	}
}
