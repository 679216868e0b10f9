package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp/syntax"
	"runtime"
	"slices"
	"strconv"
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

// The records of a store.
type (
	category struct {
		ID     int    `json:"id"`
		Code   string `json:"code" backlist:"slug,unique"`
		Name   string `json:"name"`
		Parent *int   `json:"parent" backlist:"refers=categories,ondelete=cascade,related=children"`
	}
	customer struct {
		ID    int     `json:"id"`
		Email string  `json:"email" backlist:"unique"`
		UUID  string  `json:"uuid" backlist:"uuid,unique"`
		Name  string  `json:"name"`
		Born  *string `json:"born" backlist:"date"`
	}
	product struct {
		ID         int             `json:"id"`
		Slug       string          `json:"slug" backlist:"slug,unique"`
		Name       string          `json:"name"`
		Price      string          `json:"price" backlist:"decimal=8.2"`
		Stock      int             `json:"stock"`
		Weight     *float64        `json:"weight"`
		Category   string          `json:"category" backlist:"refers=categories.code,related=products"`
		Tags       []string        `json:"tags"`
		Sizes      []int           `json:"sizes"`
		Attributes map[string]int  `json:"attributes"`
		Details    json.RawMessage `json:"details" backlist:"default=null"`
	}
	line struct {
		Number   string `json:"number" backlist:"maxlength=8"`
		Quantity int    `json:"quantity" backlist:"default=1000000"`
		Price    string `json:"price" backlist:"decimal=8.2"`
	}
	free struct {
		Text string  `json:"textOfTheRow" backlist:"blank,default=nothing-at-all"`
		Note *string `json:"noteOfTheRow"`
	}
	order struct {
		ID       int      `json:"id"`
		Number   string   `json:"orderNumber" backlist:"unique"`
		Customer string   `json:"customer" backlist:"refers=customers.email,ondelete=cascade,related=orders"`
		Product  *string  `json:"product" backlist:"refers=products.slug,ondelete=setnull,related=orders"`
		Watchers []string `json:"watchers" backlist:"refers=customers.uuid"`
		Seen     []int    `json:"seen" backlist:"refers=customers"`
		Status   string   `json:"status" backlist:"choices=new|paid|sent,default=new"`
		Lines    []line   `json:"lines"`
		Free     []free   `json:"free"`
		Note     string   `json:"note" backlist:"blank"`
	}
)

// fiveSteps is the longest path, in both directions, from customers to orders.
const fiveSteps = "orders__product__category__products__orders__note"

// newStore returns n records of each collection of a store.
func newStore(t *testing.T, n int) *catalogue.Catalogue {
	t.Helper()
	define := func(key string, about *schema.Description, err error) *schema.Description {
		if err != nil {
			t.Fatal(key, err)
		}
		for _, f := range about.Fields {
			if f.Kind.Scalar() {
				about.Sortable = append(about.Sortable, ordering.Snake(f.Name))
			}
		}
		return about
	}
	of := func(about schema.Description, err error) *schema.Description { return define(about.Key, &about, err) }
	categories, customers := of(schema.DescriptionOf[category]("categories")), of(schema.DescriptionOf[customer]("customers"))
	products, orders := of(schema.DescriptionOf[product]("products")), of(schema.DescriptionOf[order]("orders"))
	categories.Search, customers.Search, products.Search = []string{"$name"}, []string{"name", "email"}, []string{"name", "category__name"}
	customers.Lookup, products.Lookup, customers.Filters = "uuid", "slug", []string{"name__iregex", "orders__note__icontains", "orders__isnull", fiveSteps + "__icontains"}
	categories.Filters, categories.Sortable = []string{"children__name__icontains"}, append(categories.Sortable, "children__children__name")
	customers.Sortable = append(customers.Sortable, "orders__note", fiveSteps)
	products.Sortable = append(products.Sortable, "category__name", "category__parent__name")
	products.Filters = []string{"category__parent__isnull", "slug__in"}
	orders.Search = []string{"note", "customer__name", "product__name", "product__category__name"}
	orders.Sortable = append(orders.Sortable, "customer__name", "customer__born", "product__price", "product__name", "product__category__name")
	orders.Filters = []string{"status__in", "customer__name__icontains", "customer__name__istartswith", "customer__born__gte", "customer__born__isnull",
		"product__price__gte", "product__price__range", "product__category__name__icontains", "product__category__code__in"}
	c := mustCatalogue(t,
		catalogue.Define[category]("categories", catalogue.Options{Description: categories}), catalogue.Define[customer]("customers", catalogue.Options{Description: customers}),
		catalogue.Define[product]("products", catalogue.Options{Description: products}), catalogue.Define[order]("orders", catalogue.Options{Description: orders}))
	lists := map[string][]string{}
	for i := 1; i <= n; i++ {
		parent, buyer := "null", 1+i*3%n
		if i > 1 {
			parent = fmt.Sprint(i - 1)
		}
		if i%2 == 0 {
			buyer = 1
		}
		for key, record := range map[string]string{
			"categories": fmt.Sprintf(`{"id":%d,"code":"c%d","name":"category abc %d","parent":%s}`, i, i, i, parent),
			"customers":  fmt.Sprintf(`{"id":%d,"email":"c%d@a.example","uuid":"%08x-0000-4000-8000-000000000000","name":"%s %d","born":"1970-01-01"}`, i, i, i, strings.Repeat("a", 31), i),
			"products":   fmt.Sprintf(`{"id":%d,"slug":"p%d","name":"product %d","price":"%d.50","stock":1,"weight":1.5,"category":"c%d","tags":["a"],"sizes":[1],"attributes":{},"details":null}`, i, i, i, i, 1+i*7%n),
			"orders":     fmt.Sprintf(`{"id":%d,"orderNumber":"o%d","customer":"c%d@a.example","product":"p%d","watchers":[],"seen":[],"status":"new","lines":[],"free":[],"note":"order %d"}`, i, i, buyer, 1+i*11%n, i),
		} {
			lists[key] = append(lists[key], record)
		}
	}
	var members []string
	for key, list := range lists {
		members = append(members, fmt.Sprintf("%q:[%s]", key, strings.Join(list, ",")))
	}
	must(t, c.Load(strings.NewReader("{"+strings.Join(members, ",")+"}"), catalogue.LoadOptions{}))
	return c
}

// listOf returns a JSON list of about a mebibyte.
func listOf(item string) string {
	return "[" + item + strings.Repeat(","+item, (1<<20-1000)/(len(item)+1)-1) + "]"
}

// manyMembers returns the members of an object of about a mebibyte.
func manyMembers(value string) string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20-1000; i++ {
		fmt.Fprintf(&b, `,"m%d":%s`, i, value)
	}
	return "{" + b.String()[1:] + "}"
}

// words returns a search of n different words.
func words(n int, word func(i int) string) string {
	var all []string
	for i := range n {
		all = append(all, word(i))
	}
	return url.QueryEscape(strings.Join(all, " "))
}

// counted counts the records that a handler reads of a collection, and the work of the regular
// expressions of requests: instructions × bytes of text.
type counted struct {
	catalogued
	records *int
	work    *atomic.Int64
}

func (c counted) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	q.Filter.Tests, q.Filter.Search = c.weighed(q.Filter.Tests), slices.Clone(q.Filter.Search)
	for i, tests := range q.Filter.Search {
		q.Filter.Search[i] = c.weighed(tests)
	}
	list, err := c.AnyCollection.List(ctx, q)
	*c.records += len(list.Records)
	return list, err
}

func (c counted) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	*c.records++
	return c.AnyCollection.Get(ctx, segment, filter)
}

// weighed returns tests whose regular expressions are counted.
func (c counted) weighed(tests []schema.Test) []schema.Test {
	tests = slices.Clone(tests)
	for i, test := range tests {
		if !strings.HasSuffix(test.Lookup, "regex") {
			continue
		}
		expression, _ := syntax.Parse(test.Values[0], syntax.Perl|syntax.FoldCase)
		program, _ := syntax.Compile(expression.Simplify())
		tests[i].Match = func(text string) (bool, error) {
			ok, err := test.Match(text)
			if err == nil {
				c.work.Add(int64(len(program.Inst) * len(text)))
			}
			return ok, err
		}
	}
	return tests
}

// A meter serves requests and measures what they cost.
type meter struct {
	http.Handler
	records int
	work    atomic.Int64
}

func newMeter(t *testing.T, c *catalogue.Catalogue, opts Options) *meter {
	t.Helper()
	m := new(meter)
	var all []Collection
	for _, own := range c.All() {
		all = append(all, counted{catalogued{own}, &m.records, &m.work})
	}
	h, err := NewHandler(all, opts)
	must(t, err)
	m.Handler = h
	return m
}

// dropping reports whether a sync.Pool drops some of what it is given, as it does under the race
// detector. Package regexp then allocates the memory of its matches again and again.
func dropping() bool {
	var pool sync.Pool
	for range 100 {
		if pool.Put(new(int)); pool.Get() == nil {
			return true
		}
	}
	return false
}

// maxWork is the bound on the work of the regular expressions of a request.
const maxWork = 200_000_000

// serve serves a request, more than once if it seems to be too dear: a collection of garbage empties pools. It reports a request that
// allocates more than a number of bytes, reads more records than its page has, takes more work, or
// has a response that is much longer than the request.
func (m *meter) serve(t *testing.T, c call, most, tries int) (status int) {
	t.Helper()
	var w *discard
	got := math.MaxInt
	for range tries {
		if got <= most {
			break
		}
		var before, after runtime.MemStats
		r := c.request()
		w, m.records = newDiscard(), 0
		m.work.Store(0)
		runtime.ReadMemStats(&before)
		m.ServeHTTP(w, r)
		runtime.ReadMemStats(&after)
		got = min(got, int(after.TotalAlloc-before.TotalAlloc))
	}
	name := fmt.Sprintf("%s %.60s %.60q %.40s: %d", c.method, c.target, c.body, fmt.Sprint(c.header), w.status)
	if os.Getenv("COST") != "" {
		t.Logf("%4.1f%% of %d: %s", float64(got)/float64(most)*100, most, name)
	}
	if m.work.Load() > 0 && dropping() {
		got = 0
	}
	if got > most || w.status >= 500 {
		t.Errorf("%s, %d bytes are allocated, want at most %d", name, got, most)
	}
	page := 25 // with those that a cursor needs
	if strings.Contains(c.target, "limit=1000") {
		page = 1000
	}
	if m.records > page || m.work.Load() > maxWork {
		t.Errorf("%s, %d records are read, want at most %d, and expressions take %d steps", name, m.records, page, m.work.Load())
	}
	if most := max(2*len(c.body)+1000, 1<<20); w.size > most || c.method == "HEAD" && w.size > 0 {
		t.Errorf("%s, a response of %d bytes, want at most %d", name, w.size, most)
	}
	return w.status
}

// No request costs many times as much as the records that it reads, once, or its own size. A bound
// is in bytes that are allocated after the indexes are built.
func TestCost(t *testing.T) {
	const (
		n     = 2000 // records of each collection
		small = 64 << 10
		body  = 1 << 20
	)
	text := func(c string) string { return strings.Repeat(c, body-1000) }
	long := func(i int) string { return strings.Repeat("a", i+1) }
	pair := func(i int) string { return string(rune('a'+i/26)) + string(rune('a'+i%26)) }
	put := func(name, value string) string { return fmt.Sprintf(`{%q:%s}`, name, value) }
	quoted := func(c string) string { return `"` + text(c) + `"` }
	escapes := `"` + strings.Repeat(`\u0001`, body/6-500) + `"`
	cursor := func(at pagination.Place) string {
		return string(pagination.AppendLink(nil, pagination.Cursors{}, pagination.Query{}, at))
	}
	header := func(name, value string) http.Header { return http.Header{name: {value}} }
	form := func(target, contentType, body string) call {
		return call{target: target, body: body, header: header("Content-Type", contentType)}
	}
	pairs := func(n int, name, text string) string { // of a name with an index, and a text of many texts
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(name, "%d", strconv.Itoa(i)) + "=")
			b.WriteString(strings.Repeat(text, (body/n-len(name)-4)/len(text)) + "&")
		}
		return b.String()
	}
	var typed []call // bodies of each content type, most of which are not of that type
	for _, contentType := range []string{"application/json", "application/json; charset=latin1", "text/plain", encoded, encoded + ";charset=latin1", multipart, multipart + ";charset=latin1"} {
		for _, b := range []string{
			text("\xff"), text("\x01"), text(`"`), text("["), text("%"), put("note", quoted("\xff")), put("note", escapes), "note=" + text("\x01"), "note=" + strings.Repeat("%01", body/3-500),
			parts("note", text("\x01")), strings.Repeat(parts("note", ""), 10_000),
		} {
			typed = append(typed, form("orders/", contentType, b))
		}
	}
	for _, group := range []struct {
		method string
		most   int // bytes
		calls  []call
	}{
		{"GET", small, []call{ // what an index answers, or is refused
			{target: "orders/"}, {target: "orders/?offset=1900"}, {target: "orders/?ordering=-status"}, {target: "customers/00000007-0000-4000-8000-000000000000/"},
			{target: "products/p77/"}, {target: "products/%ff%00/"},
			{target: "orders/", header: header("Accept", strings.Repeat("text/html;q=0.1,", 6000))},
			{target: "orders/", header: header("Accept", "application/json"+strings.Repeat(";a=b", 25000))},
			{target: "orders/", header: header("Accept-Language", strings.Repeat("de;q=0.1,", 60000))},
			{target: "orders/", header: header("If-None-Match", strings.Repeat(`"x",`, 120000))},
			{target: "orders/7/", header: header("If-Match", strings.Repeat(`"x",`, 120000))},
			{target: "orders/7/", header: header("If-None-Match", `"`+text("x"))},
			{target: "orders/", header: header("Range", "bytes="+strings.Repeat("0-1,", 100000))},
			{target: "orders/", header: header("X-Forwarded-Host", strings.Repeat("x,", 250000))},
			{target: "orders/?limit=1000"}, {target: "orders/?limit=1000", header: header("Accept", "application/json; indent=8")},
			{target: "customers/?search=" + words(31, long)}, {target: ""},
		}},
		{"GET", 6 * small, []call{ // long queries
			{target: "orders/?search=" + strings.Repeat("a", 20_000)}, {target: "orders/?" + strings.Repeat("a=b&", 999)}, {target: "orders/?ordering=" + strings.Repeat("a,", 5000)},
			{target: "products/?slug__in=x" + strings.Repeat(",p", 8000)}, {target: "orders/?status__in=new" + strings.Repeat(",new", 4000)},
		}},
		{"GET", 10 * small, []call{{target: "customers/?name__iregex=" + url.QueryEscape("[^#]{0,480}#")}}},                                 // an expression of 962 instructions
		{"GET", 5 * small, []call{{target: "categories/?search=" + words(31, func(i int) string { return fmt.Sprintf("^#{%d}", 470+i) })}}}, // with too much work
		{"GET", 150 * n, []call{ // across one reference, with one or many tests
			{target: "orders/?customer__name__icontains=a"}, {target: "orders/?customer__name__icontains=zz"}, {target: "products/?category__parent__isnull=true"},
			{target: "products/?search=" + words(100, pair)}, {target: "orders/?customer__name__icontains=a&customer__name__istartswith=a&customer__born__gte=1900-01-01&customer__born__isnull=false"},
		}},
		{"GET", 400 * n, []call{ // across three
			{target: "orders/?search=a"}, {target: "orders/?search=" + words(31, long)}, {target: "orders/?search=" + words(100, pair)}, {target: "orders/?search=" + strings.Repeat("a", 16_000)},
			{target: "orders/?search=a%00b"}, {target: "orders/?product__category__name__icontains=a&product__category__code__in=c1,c2"},
			{target: "orders/?ordering=customer__name"}, {target: "orders/?ordering=product__category__name"}, {target: "products/?ordering=category__parent__name"},
			{target: "customers/?ordering=orders__note"}, {target: "categories/?ordering=-children__children__name"},
		}},
		{"GET", 1000 * n, []call{
			{target: "orders/?customer__name__icontains=a&customer__born__isnull=false&product__price__gte=0&product__price__range=0,99999&product__category__name__icontains=a"},
			{target: "orders/?ordering=customer__name,customer__born,product__price,product__name,product__category__name,-status"},
			{target: "orders/?ordering=customer__name&search=" + words(31, long)}, {target: "customers/?ordering=" + fiveSteps},
		}},
		{"GET", 150 * n, []call{ // backwards
			{target: "customers/?orders__note__icontains=order"}, {target: "customers/?orders__note__icontains=zz"}, {target: "customers/?orders__isnull=true"},
			{target: "categories/?children__name__icontains=a"},
			{target: "customers/00000007-0000-4000-8000-000000000000/?orders__note__icontains=order"}, {target: "customers/00000001-0000-4000-8000-000000000000/?orders__isnull=false"},
		}},
		{"GET", 600 * n, []call{ // five steps, and with the references of 1,000 orders to one record
			{target: "customers/?" + fiveSteps + "__icontains=7"}, {target: "customers/?" + fiveSteps + "__icontains=zz"},
			{target: "customers/00000001-0000-4000-8000-000000000000/?" + fiveSteps + "__icontains=7"},
		}},
		{"GET", 6 * small, []call{ // by cursors
			{target: "orders/"}, {target: "orders/" + cursor(pagination.Place{Window: pagination.Window{Offset: 1e9}})}, {target: "orders/" + cursor(pagination.Place{Position: strings.Repeat("9", 8000), Positioned: true})},
			{target: "orders/" + cursor(pagination.Place{Position: "x", Positioned: true, Reverse: true})}, {target: "orders/?cursor=" + strings.Repeat("%3D", 5000)},
			{target: "orders/" + cursor(pagination.Place{Window: pagination.Window{Offset: 1000}, Position: "new", Positioned: true, Reverse: true}) + "&ordering=status"},
			{target: "orders/" + cursor(pagination.Place{Position: "\xff\xfe\x00", Positioned: true}) + "&ordering=order_number"},
		}},
		{"OPTIONS", small, []call{{target: "orders/"}, {target: "orders/7/"}}},
		{"POST", 8 * body, []call{ // texts that are not valid
			{target: "products/", body: put("price", quoted("1"))}, {target: "products/", body: put("price", text("1"))}, {target: "products/", body: put("price", `"0.`+text("0")+`1"`)},
			{target: "products/", body: put("price", `"1e999999999"`)}, {target: "products/", body: put("stock", quoted("1"))}, {target: "products/", body: put("stock", "1e1000000")},
			{target: "products/", body: put("weight", text("1"))}, {target: "products/", body: put("weight", "0."+text("1"))}, {target: "customers/", body: put("born", quoted("1"))},
			{target: "orders/", body: put("status", quoted("<"))}, {target: "orders/", body: put("status", strings.Repeat("[", 190)+strings.Repeat("]", 190))},
			{target: "products/", body: put("details", strings.Repeat("[", 190)+strings.Repeat("]", 190))},
		}},
		{"POST", 15 * body, []call{ // escapes, and forms
			{target: "orders/", body: put("orderNumber", escapes)}, {target: "orders/", body: put("free", `[{"textOfTheRow":`+escapes+`}]`)}, {target: "products/", body: put("tags", "["+escapes+"]")},
			form("orders/", encoded, strings.Repeat("a=&", body/3)), form("orders/", encoded, strings.Repeat("&", body)),
			form("products/", encoded, "slug="+strings.Repeat("a-", body/2-500)), form("orders/", encoded, "note="+text("\x01")), form("orders/", encoded, "note="+text("\xff")),
			form("orders/", encoded+"; charset=latin1", "status="+strings.Repeat("%80", body/3-500)), form("orders/", encoded, "orderNumber="+strings.Repeat("%22", body/3-500)),
			form("orders/", encoded, pairs(1000, "seen", "1")), form("products/", encoded, pairs(1000, "sizes", "1")), form("orders/", encoded, pairs(1000, "lines[%d]number", "a")),
			form("orders/", encoded, pairs(1000, "free[%d]textOfTheRow", "%25")), form("orders/", encoded, pairs(1000, "%d"+strings.Repeat("lines[0]", 100), "a")),
			form("orders/", multipart, "--B\r\n"+strings.Repeat("Content-Disposition:;name=note\r\n", 100)+"\r\n"+strings.Repeat("\xff", body-10_000)),
			form("orders/", multipart, "--B\r\n"+strings.Repeat("Content-Disposition:;name=note\r\n", 20_000)+"\r\n"+strings.Repeat("\xff", 300_000)),
			form("orders/", multipart, strings.Repeat(parts("note", "")[:45], 20_000)), form("orders/", multipart, strings.Repeat("--B", body/3)),
			form("orders/", multipart, "--B\r\nContent-Disposition:;name=note\r\nContent-Transfer-Encoding:base64\r\n\r\n"+strings.Repeat("//79", body/4-500)),
			form("categories/", multipart, parts("code", "x", "parent", "", "name", text("é")[:body-1000])),
		}},
		{"POST", 30 * body, []call{ // lists and texts that are not valid
			{target: "orders/", body: put("lines", listOf("{}"))}, {target: "orders/", body: put("lines", listOf("1"))}, {target: "products/", body: put("tags", listOf("1"))},
			{target: "orders/", body: put("lines", listOf(`{"number":"123456789","quantity":1,"price":"1.00"}`))}, {target: "products/", body: put("sizes", listOf(`""`))},
			{target: "orders/", body: put("free", listOf("{}"))}, {target: "orders/", body: put("seen", listOf("1"))}, {target: "orders/", body: put("seen", listOf("x"))},
			{target: "orders/", body: put("watchers", listOf(`"ab"`))}, {target: "products/", body: put("slug", `"`+strings.Repeat("a-", body/2-500)+`"`)}, {target: "products/", body: put("stock", text("1"))},
			{target: "orders/", body: put("customer", quoted("a"))}, {target: "products/", body: manyMembers("1")}, {target: "products/", body: "{" + strings.Repeat(`"name":"x",`, 90_000) + `"name":"x"}`},
		}},
		{"POST", 50 * body, []call{ // values that are repeated in Python's form, or kept
			{target: "orders/", body: put("status", listOf("1"))}, {target: "orders/", body: put("product", put("a", listOf("1")))}, {target: "products/", body: put("attributes", manyMembers("[]"))},
			{target: "products/", body: put("details", manyMembers("1"))}, {target: "orders/", body: put("watchers", listOf(`"00000007-0000-4000-8000-000000000000"`))},
		}},
		{"POST", 15 * body, typed},
		{"PATCH", 15 * body, []call{{target: "orders/7/", body: put("note", escapes)}, form("orders/8/", encoded, "note="+text("a")), form("orders/9/", multipart, parts("note", text("é")[:body-1000]))}},
		{"PATCH", small, []call{{target: "orders/7/", body: `{"note":"x"}`}}},
		{"PATCH", 300 * n, []call{{target: "categories/5/", body: `{"code":"q5"}`}}}, // which builds an index
		{"DELETE", 50 * n, []call{ // of a record to which lists may refer
			{target: "customers/00000005-0000-4000-8000-000000000000/"}, {target: "products/p7/"}, {target: "categories/2/"}, {target: "categories/1990/"},
		}},
		{"DELETE", 1000 * n, []call{{target: "customers/00000001-0000-4000-8000-000000000000/"}}}, // with half of the orders
	} {
		style := pagination.Style(nil)
		if strings.Contains(fmt.Sprint(group.calls), "cursor=") {
			style = pagination.Cursors{}
		}
		h := newMeter(t, newStore(t, n), Options{ETags: true, Authorizer: AllowAll, Pages: style, Forms: true})
		for _, c := range group.calls {
			tries := 1
			if c.method, c.target = group.method, "/api/"+c.target; c.method == "GET" {
				serve(h, c.request())
				tries = 5
			} else if c.method == "DELETE" {
				for _, other := range []string{"customers/00000009-0000-4000-8000-000000000000/", "products/p9/", "categories/9/"} {
					serve(h, call{method: "DELETE", target: "/api/" + other}.request())
				}
			}
			status := h.serve(t, c, 2*group.most, tries)
			if c.method == "GET" {
				c.method = "HEAD"
				if got := h.serve(t, c, 2*group.most, tries); got != status {
					t.Errorf("%s: %d, a HEAD %d", c.target, status, got)
				}
			}
		}
	}
}

// A sampler has a field of each kind that lookups compare.
type sampler struct {
	ID     int                `json:"id"`
	Text   string             `json:"text"`
	UUID   string             `json:"uuid" backlist:"uuid"`
	Price  string             `json:"price" backlist:"decimal=8.2"`
	Weight *float64           `json:"weight"`
	Day    string             `json:"day" backlist:"date"`
	At     time.Time          `json:"at"`
	Clock  schema.Time        `json:"clock"`
	Took   schema.Duration    `json:"took"`
	Flag   bool               `json:"flag"`
	Status string             `json:"status" backlist:"choices=new|old"`
	Parent *int               `json:"parent" backlist:"refers=samplers"`
	Others []int              `json:"others" backlist:"refers=samplers"`
	Place  map[string]float64 `json:"place"`
	Data   any                `json:"data"`
}

// Each lookup of each kind of field costs a few times the query, and a little for each record, whatever
// its values are.
func TestCostOfLookups(t *testing.T) {
	const n, most = 200, 1 << 20 // 64 times the longest query
	about, err := schema.DescriptionOf[sampler]("samplers")
	must(t, err)
	for _, f := range about.Fields {
		name := ordering.Snake(f.Name)
		_, _, err := about.Parameter(name + "__none_of_them")
		_, known, _ := strings.Cut(err.Error(), "want one of ")
		lookups := strings.Split(strings.TrimSuffix(known, ", …"), ", ")
		if strings.HasSuffix(known, "…") {
			lookups = append(lookups, "date__lt", "time__gt") // the last ones
		}
		for _, lookup := range lookups {
			about.Filters = append(about.Filters, strings.TrimSuffix(name+"__"+lookup, "__exact"))
		}
	}
	c := mustCatalogue(t, catalogue.Define[sampler]("samplers", catalogue.Options{Description: &about}))
	var records []string
	for i := range n {
		records = append(records, fmt.Sprintf(`{"id":%d,"text":"%s%[1]d","uuid":"%08[1]x-0000-4000-8000-000000000000","price":"%[1]d.50","weight":%[1]d.5,"day":"2024-02-29","at":"2024-02-29T08:00:%02[3]dZ","clock":"08:00:00","took":"00:00:%02[3]d","flag":true,"status":"new","parent":null,"others":[1],"place":{},"data":null}`,
			i+1, strings.Repeat("a", 100), i%60))
	}
	must(t, c.Load(strings.NewReader(`{"samplers":[`+strings.Join(records, ",")+"]}"), catalogue.LoadOptions{}))
	m := newMeter(t, c, Options{})
	for _, filter := range about.Filters {
		for _, value := range []string{
			"true", "1", "-9e999999999", strings.Repeat("9", 16000), "0." + strings.Repeat("0", 15000) + "1", strings.Repeat("a", 16000), strings.Repeat("1,", 5000), strings.Repeat(",", 5000),
			strings.Repeat("%00", 5000), strings.Repeat("%FF", 1700), strings.Repeat("(", 5000), "%5B%5E%23%5D%7B0%2C480%7D%23", "9999-12-31T23:59:59.999999999%2B14:00",
		} {
			status := m.serve(t, call{method: "GET", target: "/api/samplers/?" + filter + "=" + value}, most, 2)
			if got := m.serve(t, call{method: "HEAD", target: "/api/samplers/?" + filter + "=" + value}, most, 1); got != status {
				t.Errorf("%s=%.40s: %d, a HEAD %d", filter, value, status, got)
			}
		}
		m.serve(t, call{method: "GET", target: "/api/samplers/?" + strings.Repeat(filter+"=1&", min(999, 16000/(len(filter)+3)))}, most, 2)
	}
}
