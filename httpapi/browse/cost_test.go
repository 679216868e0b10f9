package browse

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// A stock has a field of each kind of input, and references to few and to many records.
type stock struct {
	ID     int    `json:"id"`
	Code   string `json:"code" backlist:"unique"`
	Note   string `json:"note" backlist:"blank"`
	Days   []int  `json:"days"`
	Parent *int   `json:"parent" backlist:"refers=stocks"`
	Others []int  `json:"others" backlist:"refers=stocks"`
	Shop   int    `json:"shop" backlist:"refers=shops"`
	Data   any    `json:"data"`
	Lines  []line `json:"lines"`
	Secret string `json:"secret" backlist:"hidden,blank,default=x"`
}

type line struct {
	Sku  string `json:"sku" backlist:"blank"`
	Shop *int   `json:"shop"`
}

type shop struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// tallying counts the records that the handler reads.
type tallying struct {
	catalogue.AnyCollection
	read *int
}

func (c tallying) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	list, err := c.AnyCollection.List(ctx, q)
	*c.read += len(list.Records)
	return list, err
}

func (c tallying) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	*c.read++
	return c.AnyCollection.Get(ctx, segment, filter)
}

func (c tallying) Count(ctx context.Context, filter schema.Filter, groups [][]schema.Test) ([]int, error) {
	return c.Counts(ctx, filter, groups)
}

// No form and no page costs many times as much as its size, or reads many records, whatever has been
// typed. An export costs a few times its file.
func TestCost(t *testing.T) {
	const n, body = 2000, maxForm - 1000
	cat, err := catalogue.New(catalogue.Define[shop]("shops", catalogue.Options{}), catalogue.Define[stock]("stocks", catalogue.Options{
		Description: &schema.Description{Search: []string{"code", "note"}, Filters: []string{"shop", "parent", "code__icontains"}}}))
	must(t, err)
	var stocks []string
	for i := range n {
		stocks = append(stocks, fmt.Sprintf(`{"id":%d,"code":"c%[1]d","note":"","days":[],"parent":%d,"others":[],"shop":1,"data":null,"lines":[],"secret":""}`, i+1, i/2+1))
	}
	must(t, cat.Load(strings.NewReader(`{"shops":[{"id":1,"name":"a"}],"stocks":[`+strings.Join(stocks, ",")+"]}"), catalogue.LoadOptions{}))
	read := 0
	var all []httpapi.Collection
	for _, c := range cat.All() {
		all = append(all, tallying{c, &read})
	}
	api, err := httpapi.NewHandler(all, httpapi.Options{Authorizer: httpapi.Bearer("t")})
	must(t, err)
	h := browsing(t, api, Options{Scheme: "Bearer"})
	values := func(name, text string, n int) string { // of a form, under names with an index
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, strings.ReplaceAll(name, "%d", fmt.Sprint(i))+"=%s&", strings.Repeat(text, (body/n-len(name)-5)/len(text)))
		}
		return b.String()
	}
	ids := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d,", n-i)
		}
		return b.String()
	}
	part := "--B\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n"
	const encoded, multipart = "application/x-www-form-urlencoded", "multipart/form-data; boundary=B"
	forms := map[string][]string{
		encoded: {"", values("token", "a", 1), values("code", "\x01", 1), values("note", "%01", 1), values("note", "\xff", 1), values("data", "[", 1), values("data", "1", 1), values("days", "1\n", 1), values("others", "1,", 1),
			values("others", "1", 999), values("days", "1", 999), values("lines[%d]sku", "a", 999), values("lines[0]sku", "a\n", 999), values("_shown.note", "%0D", 500), values("_find.parent", "c ", 1), values("x%d", "a", 999),
			values("_remove.lines[%d]", "a", 999), "_again=lines&" + values("lines[%d]sku", "\"", 900), strings.Repeat("&", body), strings.Repeat("a=&", body/3), "_find.parent=c&_find.others=c", values("secret", "a", 1),
			"_again=x&others=" + ids(300_000), "others=" + ids(10_000)},
		multipart: {part + strings.Repeat("\x01", body), part + strings.Repeat("\xff", body), strings.Repeat(part, body/len(part)), strings.Repeat("--B", body/3)},
	}
	check := func(r func() *http.Request, most, reads int) {
		t.Helper()
		got, request, sent := math.MaxInt, r(), &counter{header: http.Header{}}
		for try := 0; try < 3 && got > most; try++ { // a collection of garbage empties pools
			var before, after runtime.MemStats
			request, sent, read = r(), &counter{header: http.Header{}}, 0
			runtime.ReadMemStats(&before)
			h.ServeHTTP(sent, request)
			runtime.ReadMemStats(&after)
			got = int(after.TotalAlloc - before.TotalAlloc)
		}
		name := fmt.Sprintf("%s %s %s, %d bytes: %d", request.Method, request.URL, request.Header["Content-Type"], request.ContentLength, sent.status)
		if os.Getenv("COST") != "" {
			t.Logf("%4.1f%% of %d, %d records, %d bytes: %s", 100*float64(got)/float64(most), most, read, sent.bytes, name)
		}
		if got > most || read > reads || sent.status >= 500 {
			t.Errorf("%s, %d bytes are allocated and %d records read, want at most %d and %d", name, got, read, most, reads)
		}
	}
	for _, target := range []string{"?_method=SIGN-IN", "stocks/?_method=POST", "stocks/7/?_method=PATCH", "stocks/7/?_method=DELETE&_tag=x"} {
		for contentType, bodies := range forms {
			for _, form := range bodies {
				check(func() *http.Request {
					return formRequest("/api/"+target, form, "Content-Type", contentType, "Authorization", "Bearer t")
				}, 64*maxForm, 400)
			}
		}
	}
	for _, target := range []string{"", "stocks/", "stocks/?search=c1", "stocks/?shop=1&limit=1000", "stocks/8/", "stocks/8/?_method=PATCH", "stocks/8/?_method=DELETE", "stocks/?_method=POST", "stocks/?_export=csv", "stocks/?code__icontains=9&_export=csv"} {
		for _, method := range []string{"GET", "HEAD"} {
			most, reads := 16<<20, 1200
			if strings.Contains(target, "_export") {
				if reads = n; method == "HEAD" {
					most, reads = 64<<10, 0
				}
			}
			check(func() *http.Request { return request(method, "/api/"+target, "", "Authorization", "Bearer t") }, most, reads)
		}
	}
}
