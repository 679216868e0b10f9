package browse

import (
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strconv"
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
	Lines  []struct {
		Sku  string `json:"sku" backlist:"blank"`
		Shop *int   `json:"shop"`
	} `json:"lines"`
}

type shop struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// No form and no page costs many times as much as its size, or reads many records, whatever has been
// typed. A HEAD of an export reads none.
func TestCost(t *testing.T) {
	const n, body, part = 2000, maxForm - 1000, "--B\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n"
	cat, err := catalogue.New(catalogue.Define[shop]("shops", catalogue.Options{}), catalogue.Define[stock]("stocks", catalogue.Options{
		Description: &schema.Description{Search: []string{"code", "note"}, Filters: []string{"shop", "parent", "code__icontains"}}}))
	must(t, err)
	repeated := func(n int, text string) string { // with the numbers up to n
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(text, "%d", strconv.Itoa(i+1)))
		}
		return b.String()
	}
	stocks := repeated(n, `,{"id":%d,"code":"c%d","note":"","days":[],"parent":1,"others":[],"shop":1,"data":null,"lines":[]}`)
	must(t, cat.Load(strings.NewReader(`{"shops":[{"id":1,"name":"a"}],"stocks":[`+stocks[1:]+"]}"), catalogue.LoadOptions{}))
	read := 0
	var all []httpapi.Collection
	for _, c := range cat.All() {
		all = append(all, readers{c, &read})
	}
	api, err := httpapi.NewHandler(all, httpapi.Options{Authorizer: httpapi.Bearer("t")})
	must(t, err)
	h := browsing(t, api, Options{Scheme: "Bearer"})
	check := func(r func() *http.Request, most, reads int) {
		t.Helper()
		got, name := math.MaxInt, ""
		for try := 0; try < 3 && got > most; try++ { // a collection of garbage empties pools
			var before, after runtime.MemStats
			request, sent := r(), &counter{header: http.Header{}}
			read = 0
			runtime.ReadMemStats(&before)
			h.ServeHTTP(sent, request)
			runtime.ReadMemStats(&after)
			got = int(after.TotalAlloc - before.TotalAlloc)
			if name = fmt.Sprintf("%s %s %s, %d bytes: %d", request.Method, request.URL, request.Header["Content-Type"], request.ContentLength, sent.status); sent.status >= 500 {
				t.Error(name)
			}
		}
		if got > most || read > reads {
			t.Errorf("%s, %d bytes are allocated and %d records read, want at most %d and %d", name, got, read, most, reads)
		}
	}
	long := func(name, text string) string { return name + "=" + strings.Repeat(text, body/len(text)-20) }
	many := func(name, text string) string { return repeated(999, name+"="+strings.Repeat(text, body/999-30)+"&") }
	for contentType, forms := range map[string][]string{
		"application/x-www-form-urlencoded": {"", long("token", "a"), long("code", "\x01"), long("note", "%01"), long("note", "\xff"), long("data", "["), long("data", "1"), long("days", "1\n"), long("others", "1,"),
			many("others", "1"), many("days", "1"), many("lines[%d]sku", "a"), many("lines[%d]sku", "\""), many("_shown", "\r"), "_shown={" + repeated(150_000, `"%d":[""],`) + `"":[]}`, many("_remove.lines[%d]", "a"), many("x%d", "a"), long("_find.parent", "c "),
			long("lines[0]sku", "a\n"), "_again=lines&" + many("lines[%d]sku", "\""), long("", "&"), long("", "a=&"), "_find.parent=c&_find.others=c", "_again=x&others=" + repeated(300_000, "%d,"), "others=" + repeated(maxElements, "%d,")},
		"multipart/form-data; boundary=B": {part + long("", "\x01"), part + long("", "\xff"), long("", part), long("", "--B")},
	} {
		for _, form := range forms {
			for _, target := range []string{"?_method=SIGN-IN", "stocks/?_method=POST", "stocks/7/?_method=PATCH", "stocks/7/?_method=DELETE&_tag=x", "stocks/1/?_method=DELETE"} {
				check(func() *http.Request {
					return formRequest("/api/"+target, form, "Content-Type", contentType, "Authorization", "Bearer t")
				}, 64*maxForm, 400)
			}
		}
	}
	for _, target := range []string{
		"", "stocks/", "stocks/?search=c1", "stocks/?shop=1&limit=1000", "stocks/8/", "stocks/8/?_method=PATCH", "stocks/8/?_method=DELETE", "stocks/1/?_method=DELETE", "stocks/?_method=POST", "stocks/?_export=csv", "stocks/?code__icontains=9&_export=csv",
	} {
		check(func() *http.Request { return request("GET", "/api/"+target, "", "Authorization", "Bearer t") }, 8*maxForm, n)
		most, reads := 8*maxForm, 1200
		if strings.Contains(target, "_export") {
			most, reads = 64<<10, 0
		}
		check(func() *http.Request { return request("HEAD", "/api/"+target, "", "Authorization", "Bearer t") }, most, reads)
	}
}
