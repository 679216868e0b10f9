package catalogue_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The records of a small shop, whose references are by id and by text.
type (
	relatedCategory struct {
		ID     int    `json:"id"`
		Code   string `json:"code" backlist:"unique"`
		Name   string `json:"name"`
		Parent *int   `json:"parent" backlist:"refers=categories,ondelete=cascade,related=children"`
	}
	relatedCustomer struct {
		ID    int     `json:"id"`
		Email string  `json:"email" backlist:"unique"`
		UUID  string  `json:"uuid" backlist:"uuid,unique"`
		Name  string  `json:"name"`
		Born  *string `json:"born" backlist:"date"`
	}
	relatedProduct struct {
		ID         int      `json:"id"`
		Slug       string   `json:"slug" backlist:"unique"`
		Price      string   `json:"price" backlist:"decimal=8.2"`
		Active     bool     `json:"active"`
		Category   string   `json:"category" backlist:"refers=categories.code,related=products"`
		Categories []string `json:"categories" backlist:"refers=categories.code,related=listed_products"`
	}
	relatedOrder struct {
		ID       int     `json:"id"`
		Customer string  `json:"customer" backlist:"refers=customers.email,ondelete=cascade,related=orders"`
		Product  *string `json:"product" backlist:"refers=products.slug,ondelete=setnull,related=orders"`
		Category *int    `json:"category" backlist:"refers=categories,ondelete=setnull"`
		Watchers []int   `json:"watchers" backlist:"refers=customers,related=watched"`
		Note     string  `json:"note"`
	}
)

var relatedPaths = map[string][]string{
	"categories": {"name", "name__icontains", "parent", "parent__isnull", "parent__code", "parent__parent__name__icontains", "parent__parent__isnull",
		"children", "children__isnull", "children__name__icontains", "products", "products__isnull", "products__in", "products__price__gte", "products__slug__icontains", "listed_products__isnull",
		"listed_products__active", "products__orders__note__icontains", "products__orders__customer__orders__watchers__name", "products__orders__isnull"},
	"customers": {"orders", "orders__isnull", "orders__note", "orders__product__price__gte", "orders__product__isnull", "watched", "watched__isnull", "watched__note__icontains",
		"orders__watchers__watched__product__category__name__icontains"},
	"products": {"category", "category__name__icontains", "category__parent", "category__parent__isnull", "categories", "categories__in", "categories__name", "categories__parent__isnull"},
	"orders": {
		"customer__name", "customer__name__icontains", "customer__name__istartswith", "customer__uuid", "customer__born__gte", "customer__born__isnull",
		"product", "product__isnull", "product__price__gte", "product__price__lte", "product__price__range", "product__active",
		"product__category", "product__category__code__in", "product__category__name__icontains", "product__category__parent__name",
		"product__categories__name__icontains", "product__categories__name", "category__parent__code", "category__name__in", "category__name__icontains",
		"watchers__name", "watchers__born__isnull", "watchers__in", "watchers__isnull", "watchers__id__in", "note__icontains", "customer",
	},
}

var relatedSortable = map[string][]string{
	"categories": {"name", "parent__code", "parent__parent__name", "products__price", "children__name", "listed_products__orders__note"},
	"customers":  {"name", "orders__note", "watched__product__price"},
	"products":   {"slug", "category__name", "category__parent__name"},
	"orders":     {"note", "customer__name", "customer__born", "product__price", "product__category__name", "category__name", "watchers__name", "product__categories__name"},
}

// newRelations returns an empty shop of structs or of open records.
func newRelations(tb testing.TB, open bool) *catalogue.Catalogue {
	tb.Helper()
	return mustCatalogue(tb, relations(tb, open)...)
}

func relations(tb testing.TB, open bool) []catalogue.AnyDefinition {
	names := func(d *schema.Description) {
		d.Filters, d.Sortable = relatedPaths[d.Key], relatedSortable[d.Key]
		if d.Key == "categories" {
			d.Search = []string{"name", "products__slug", "listed_products__orders__note"}
		}
		if d.Key == "orders" {
			d.Search = []string{"note", "^customer__name", "product__category__name", "$watchers__name"}
		}
	}
	return []catalogue.AnyDefinition{definitionOf[relatedCategory](tb, "categories", open, names), definitionOf[relatedCustomer](tb, "customers", open, names),
		definitionOf[relatedProduct](tb, "products", open, names), definitionOf[relatedOrder](tb, "orders", open, names)}
}

const relatedData = `{
"categories":[
	{"id":1,"code":"home","name":"Home","parent":null},
	{"id":2,"code":"sale","name":"Sale 100%","parent":1},
	{"id":40,"code":"lamps","name":"Lamps","parent":2}],
"customers":[
	{"id":1,"email":"zoe@a.example","uuid":"6bd0638b-4d10-4d8f-9af0-105ba06c05a1","name":"Zoe Straw","born":null},
	{"id":2,"email":"bo@a.example","uuid":"110d7c25-ccf3-40b3-9815-a3d516a91f39","name":"Bo Müller","born":"1970-01-01"},
	{"id":3,"email":"cy@a.example","uuid":"bcefd0a7-4767-4714-b4fa-b1019bde8163","name":"Cy","born":"1969-12-31"}],
"products":[
	{"id":1,"slug":"chair","price":"9.50","active":true,"category":"home","categories":["home","sale"]},
	{"id":2,"slug":"lamp","price":"50.00","active":false,"category":"lamps","categories":[]},
	{"id":3,"slug":"rug","price":"10.00","active":true,"category":"sale","categories":["lamps"]}],
"orders":[
	{"id":1,"customer":"zoe@a.example","product":"chair","category":40,"watchers":[2],"note":"gift"},
	{"id":2,"customer":"bo@a.example","product":null,"category":null,"watchers":[],"note":"zoe"},
	{"id":3,"customer":"bo@a.example","product":"lamp","category":2,"watchers":[1,3],"note":""},
	{"id":4,"customer":"cy@a.example","product":"rug","category":1,"watchers":[1],"note":"a"},
	{"id":5,"customer":"gone@a.example","product":"gone","category":9,"watchers":[9],"note":"left by a write from Go"}]}`

// TestRelationsAreOneInstant swaps the names of two customers, and with them the customers of all
// orders, in one batch. A page that mixed two instants would find the orders of the other customer,
// none or all.
func TestRelationsAreOneInstant(t *testing.T) {
	cat := newRelations(t, true)
	must(t, cat.Load(strings.NewReader(`{"customers":[{"id":1,"email":"a","name":"odd"},{"id":2,"email":"b","name":"even"}],"orders":[
		{"id":1,"customer":"a","note":"note"},{"id":2,"customer":"b","note":"note"},{"id":3,"customer":"a","note":"note"},{"id":4,"customer":"b","note":"note"}]}`),
		catalogue.LoadOptions{}))
	const odd, even = "1 3", "2 4" // a few changes are put in place
	swap := func(swapped bool) error {
		names, owners := []string{"odd", "even"}, []string{"b", "a"}
		if swapped {
			names, owners = []string{"even", "odd"}, []string{"a", "b"}
		}
		return cat.Batch(func(b *catalogue.Batch) error {
			people, _ := customers.Tx(b)
			bought, _ := orders.Tx(b)
			_, err := people.Where().Update(func(r *schema.Record) (err error) { *r, err = r.With("name", names[r.ID-1]); return err })
			_, err2 := bought.Where().Update(func(r *schema.Record) (err error) { *r, err = r.With("customer", owners[r.ID%2]); return err })
			return cmp.Or(err, err2)
		})
	}
	end, running := make(chan struct{}), sync.WaitGroup{}
	running.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-end:
				return
			default:
				if err := swap(i%2 == 0); err != nil {
					t.Error(err)
				}
			}
		}
	})
	i := 0
	for began := time.Now(); time.Since(began) < time.Duration(scaled(2000))*time.Millisecond && !t.Failed(); i++ {
		for _, row := range []struct{ query, order, want string }{
			{"customer__name=odd", "", odd},
			{"search=even", "", even},
			{"customer__name=odd", "customer__name", odd},
			{"", "customer__name", even + " " + odd},
		} {
			if got := idsWhere(t, cat, "orders", row.query, row.order); got != row.want {
				t.Errorf("%s by %q finds %s, want %s", row.query, row.order, got, row.want)
			}
		}
		if i%100 != 0 {
			continue // an update waits for the writer
		}
		c := collectionOf(t, cat, "orders")
		_, err := c.Update(t.Context(), "1", catalogue.Edit{Filter: filterOf(t, c, url.Values{"customer__name": {"even"}}), Body: []byte(`{"note":"x"}`), Partial: true})
		if err == nil {
			t.Error("a filter across a reference does not hide a record from an update")
		}
	}
	close(end)
	running.Wait()
}

// endsSoon is a context that ends after it has been asked a number of times, by any goroutines.
type endsSoon struct {
	context.Context
	left *atomic.Int64
}

func (c endsSoon) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestFilterAcrossReferencesEnds checks that the records of another collection are no longer read
// after the context has ended.
func TestFilterAcrossReferencesEnds(t *testing.T) {
	cat := newRelations(t, false)
	var categories, products []string
	for i := range 4096 {
		categories = append(categories, fmt.Sprintf(`{"id":%d,"code":"c%d","name":"n%d"}`, i+1, i, i))
	}
	for i := range 2048 {
		products = append(products, fmt.Sprintf(`{"id":%d,"slug":"p%d","price":"1","category":"c%d"}`, i+1, i, i))
	}
	must(t, cat.Load(strings.NewReader(`{"categories":[`+strings.Join(categories, ",")+`],"products":[`+strings.Join(products, ",")+`]}`), catalogue.LoadOptions{}))
	for _, row := range []struct {
		key, filter, order string
		left               int64
		want               error
		reason             string
	}{
		{"products", "category__name__icontains", "", 10, context.Canceled, "it ends among 4096 categories"},
		{"products", "category__name__icontains", "", 1000, nil, "it does not end"},
		{"categories", "products__slug__icontains", "", 5, context.Canceled, "it ends among the references of 2048 products"},
		{"categories", "products__slug__icontains", "", 22, context.Canceled, "it ends among 2048 products"},
		{"categories", "products__slug__icontains", "", 1000, nil, "it does not end"},
		{"categories", "", "products__price", 5, context.Canceled, "an order ends among 2048 products"},
		{"categories", "", "products__price", 1000, nil, "an order does not end"},
	} {
		c := collectionOf(t, cat, row.key)
		q := catalogue.Query{Filter: filterOf(t, c, url.Values{row.filter: {"n1"}}), Terms: ordering.Parse(row.order, nil)}
		var left atomic.Int64
		left.Store(row.left)
		if _, err := c.List(endsSoon{t.Context(), &left}, q); !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", row.reason, err, row.want)
		}
		if left.Load() < -6 { // once for each list of records
			t.Errorf("%s: asked %d times after its end", row.reason, -left.Load())
		}
	}
}

// TestRecordsOfPathAreReadOnce checks that a filter of one record tests those at the end of a path once, also if
// many of the records between lead to the same ones.
func TestRecordsOfPathAreReadOnce(t *testing.T) {
	const n = 64
	var categories, products []string
	for i := range n {
		categories = append(categories, fmt.Sprintf(`{"id":%d,"code":"c%d","name":"n"}`, i+1, i))
		products = append(products, fmt.Sprintf(`{"id":%d,"slug":"p%d","price":"1","category":"c0"}`, i+1, i))
	}
	cat := newRelations(t, false)
	must(t, cat.Load(strings.NewReader(`{"categories":[`+strings.Join(categories, ",")+`],"products":[`+strings.Join(products, ",")+`]}`), catalogue.LoadOptions{}))
	c := collectionOf(t, cat, "categories")
	for _, path := range []string{"products__slug", "products__category__products__slug", "products__category__products__category__products__slug"} {
		about := c.Description()
		about.Filters = []string{path + "__icontains"}
		filter := mustHave(about.Filter(t.Context(), func(string) []string { return []string{"none"} }, schema.Checks{Find: c.Find}))
		calls := 0
		matches := filter.Tests[0].MatchesText
		filter.Tests[0].Match = func(text string) (bool, error) {
			calls++
			return matches(text)
		}
		if _, err := c.Get(t.Context(), "1", filter); !errors.Is(err, catalogue.ErrNotFound) || calls != n {
			t.Errorf("%s: %d records are tested, %v; want %d", path, calls, err, n)
		}
	}
}

// TestReferrersAreFoundByIndex checks that a program reads what refers to a record by the index of a reference,
// by ids and by texts, from the first time on, and that only a list is read whole.
func TestReferrersAreFoundByIndex(t *testing.T) {
	cat := newRelations(t, true)
	var list []string
	for i := range 2000 {
		list = append(list, fmt.Sprintf(`{"id":%d,"customer":"c%d","category":%d,"watchers":[%[2]d]}`, i+1, i%500, i%500+1))
	}
	must(t, cat.Load(strings.NewReader(`{"orders":[`+strings.Join(list, ",")+`]}`), catalogue.LoadOptions{}))
	c := mustHave(orders.In(cat))
	for _, where := range []ordering.Condition{ordering.Equal("customer", "c7"), ordering.Equal("category", 8)} {
		for range 3 {
			found := c.Where(where)
			n, err := found.Count()
			explained, err2 := found.Explain()
			must(t, cmp.Or(err, err2))
			if want := "range of " + where.Field() + ": 4 of 2000 records, in order"; n != 4 || explained != want {
				t.Errorf("%d are found: %s, want %s", n, explained, want)
			}
		}
	}
}

// TestExpressionsThatTakeTooMuchWork checks that an operation whose regular expressions match too much text
// ends with an error about the parameter, through whatever it reads that text, and that it
// succeeds if it reads less. An expression of 242 instructions may match 826 thousand letters.
func TestExpressionsThatTakeTooMuchWork(t *testing.T) {
	const many, large = 1000, 900_000
	customers, orders := make([]string, many), make([]string, many)
	for i := range many {
		customers[i] = fmt.Sprintf(`{"id":%d,"email":"c%d","uuid":"%08x-0000-4000-8000-000000000000","name":%q}`, i+1, i, i, strings.Repeat("a", 1000))
		orders[i] = fmt.Sprintf(`{"id":%d,"customer":"c%d","category":1,"watchers":[%d],"note":"n"}`, i+1, i, i+1)
	}
	const list, all, counts, get, update, remove, cursor = "List", "All", "Counts", "Get", "Update", "Delete", "a page by a cursor"
	operations := map[string]func(ctx context.Context, c catalogue.AnyCollection, f schema.Filter) error{
		list: func(ctx context.Context, c catalogue.AnyCollection, f schema.Filter) error {
			return second(c.List(ctx, catalogue.Query{Filter: f, Window: pagination.Window{Limit: 5}}))
		},
		cursor: func(ctx context.Context, c catalogue.AnyCollection, f schema.Filter) error {
			return second(c.List(ctx, catalogue.Query{Filter: f, Place: &pagination.Place{Window: pagination.Window{Limit: 5}}}))
		},
		all: func(ctx context.Context, c catalogue.AnyCollection, f schema.Filter) (failed error) {
			for _, err := range c.All(ctx, catalogue.Query{Filter: f}) {
				failed = err
			}
			return failed
		},
		counts: func(ctx context.Context, c catalogue.AnyCollection, f schema.Filter) error {
			return second(c.Counts(ctx, f, [][]schema.Test{nil}))
		},
		get: func(ctx context.Context, c catalogue.AnyCollection, f schema.Filter) error {
			return second(c.Get(ctx, "1", f))
		},
		update: func(ctx context.Context, c catalogue.AnyCollection, f schema.Filter) error {
			return second(c.Update(ctx, "1", catalogue.Edit{Filter: f, Body: []byte(`{"name":"b","note":"b"}`), Partial: true}))
		},
		remove: func(ctx context.Context, c catalogue.AnyCollection, f schema.Filter) error {
			return c.Delete(ctx, "1", f, nil)
		},
	}
	reads := []string{list, all, counts, cursor}
	for _, row := range []struct {
		reason, key string
		params      url.Values
		field       string // of the error, or ""
		operations  []string
	}{
		{"of the collection", "customers", url.Values{"name__regex": {"z{240}"}}, "name_Regex", reads},
		{"or in any letters", "customers", url.Values{"name__iregex": {"z{240}"}}, "name_Iregex", reads},
		{"across a reference", "orders", url.Values{"customer__name__regex": {"z{240}"}}, "customer_Name_Regex", reads},
		{"across a list of references", "orders", url.Values{"watchers__name__regex": {"z{240}"}}, "watchers_Name_Regex", reads},
		{"of a search", "orders", url.Values{"search": {"z{240}"}}, "search", reads},
		{"of one large text", "categories", url.Values{"name__regex": {"z{240}"}}, "name_Regex", append(reads, get, update, remove)},
		{"which is that of another record", "orders", url.Values{"category__name__regex": {"z{240}"}}, "category_Name_Regex", append(reads, get, update, remove)},
		{"a simple one", "orders", url.Values{"customer__name__regex": {"^[a-m]*$"}, "search": {"[a-m]"}}, "", reads},
		{"of few records", "customers", url.Values{"email": {"c7"}, "name__regex": {"z{240}"}}, "", reads},
		{"of one text", "orders", url.Values{"customer__name__regex": {"a{240}"}}, "", []string{get, update, remove}},
		{"another test fails first", "orders", url.Values{"note": {"m"}, "customer__name__regex": {"z{240}"}}, "", reads},
	} {
		cat := newRelations(t, false)
		must(t, cat.Load(strings.NewReader(fmt.Sprintf(`{"categories":[{"id":1,"code":"c","name":%q}],"customers":[%s],"orders":[%s]}`,
			strings.Repeat("a", large), strings.Join(customers, ","), strings.Join(orders, ","))), catalogue.LoadOptions{}))
		c := collectionOf(t, cat, row.key)
		for _, name := range row.operations {
			about := c.Description()
			about.Filters = slices.Sorted(maps.Keys(row.params))
			filter := mustHave(about.Filter(t.Context(), func(name string) []string { return row.params[name] }, schema.Checks{Find: c.Find}))
			before := c.Revision()
			err := operations[name](t.Context(), c, filter)
			var errs schema.FieldErrors
			if row.field == "" && err != nil || row.field != "" && (!errors.As(err, &errs) || errs[0].Field != row.field || c.Revision() != before) {
				t.Errorf("%s %s: %v, want an error of %q", name, row.reason, err, row.field)
			}
		}
	}
}

// TestSearchOfChoices searches for words in two lists of references, of which a row has one record each.
// A search that would try the pairs of all records is an error.
func TestSearchOfChoices(t *testing.T) {
	type item struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
		First []int  `json:"first" backlist:"refers=items"`
		Last  []int  `json:"last" backlist:"refers=items"`
	}
	cat := mustCatalogue(t, catalogue.Define[item]("items", catalogue.Options{Description: &schema.Description{
		Search: []string{"title", "first__title", "last__title"}, SearchParam: "in_titles", Filters: []string{"id__in", "first__title", "first__id__in"},
	}}))
	load := func(n int, titles ...string) { // those of n records, and of n more
		t.Helper()
		var items []item
		var first, last []int
		for i := range n {
			first, last = append(first, i+1), append(last, n+i+1)
			items = append(items, item{ID: i + 1, Title: titles[i%(len(titles)/2)]}, item{ID: n + i + 1, Title: titles[len(titles)/2+i%(len(titles)/2)]})
		}
		data, err := json.Marshal(map[string]any{"items": append(items, item{2*n + 1, "x", first, last})})
		must(t, err, cat.Load(strings.NewReader(string(data)), catalogue.LoadOptions{}))
	}
	c := collectionOf(t, cat, "items")
	for _, row := range []struct {
		titles []string // of the records of first, in turn, and of last
		search string
		want   string // ids
	}{
		{[]string{"one", "two", "three", "four"}, "one three", "9"},
		{[]string{"one", "two", "three", "four"}, "four two", "9"},
		{[]string{"one", "two", "three", "four"}, "two one", ""},
		{[]string{"one", "two", "three", "four"}, "x three one", "9"},
		{[]string{"one", "two", "three", "four"}, "three one four", ""},
		{[]string{"one", "one two", "three", "four"}, "two three one", "9"},
		{[]string{"one", "one two", "one", "four"}, "two one", "2 4 9"},
	} {
		load(4, row.titles...)
		if got := idsWhere(t, cat, "items", "in_titles="+url.QueryEscape(row.search), "id"); got != row.want {
			t.Errorf("%q in %q finds %q, want %q", row.search, row.titles, got, row.want)
		}
	}
	load(4, "one", "two", "three", "four")
	if got := idsWhere(t, cat, "items", "in_titles=one&first__title=two", "id"); got != "9" {
		t.Errorf("a filter beside a search finds %q: it is not about the same record", got)
	}
	r, titles, all := rand.New(rand.NewPCG(1, 2)), make([]string, 6000), ""
	for i := range 30 {
		word := string(rune('a'+i%6)) + string(rune('k'+i/6))
		all += word + " "
		for n := range titles {
			if r.IntN(2) == 0 {
				titles[n] += word + " "
			}
		}
	}
	load(3000, titles...)
	for search, tooMuch := range map[string]bool{all: true, all[:3*6]: false, "ak bk": false, all + "zz": false} {
		filter := filterOf(t, c, url.Values{"in_titles": {search}})
		list, err := c.List(t.Context(), catalogue.Query{Filter: filter})
		_, countErr := c.Counts(t.Context(), filter, [][]schema.Test{nil, {{Field: "title", Lookup: "contains", Values: []string{"x"}}}})
		_, getErr := c.Get(t.Context(), "6001", filter)
		var fields, ofCount, ofGet schema.FieldErrors
		if errors.As(err, &fields) != tooMuch || errors.As(countErr, &ofCount) != tooMuch || errors.As(getErr, &ofGet) != tooMuch {
			t.Errorf("%q: %d records, %v, %v, %v, want errors of the search %t", search, list.Count, err, countErr, getErr, tooMuch)
		}
		if tooMuch && fields[0].Field != "inTitles" {
			t.Errorf("%q: the error is about %q", search, fields[0].Field)
		}
	}
}
