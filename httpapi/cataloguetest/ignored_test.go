package cataloguetest

import (
	"bytes"
	"fmt"

	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/pagination"
)

type purchase struct {
	ID       int    `json:"id"`
	Customer string `json:"customer"`
	Total    int    `json:"total" backlist:"default=0"`
	PaidOn   string `json:"paidOn" backlist:"readonly"`
	Password string `json:"password" backlist:"hidden"`
	Address  struct {
		City   string `json:"city"`
		ZipNo  string `json:"zipNo"`
		Region string `json:"region" backlist:"readonly"`
	} `json:"address"`
	Lines []struct {
		SKU    string `json:"sku"`
		Amount int    `json:"amount"`
	} `json:"lines"`
	Tags []string       `json:"tags"`
	Meta map[string]any `json:"meta"`
}

// purchases returns the options of a server with three purchases.
func purchases() Options {
	about := schema.Description{
		Filters:    []string{"customer", "customer__icontains", "total__gte", "total__lte", "address__city", "min_total"},
		Parameters: map[string]string{"min_total": "total__gte"},
		Sortable:   []string{"customer", "total", "paid_on", "address__city"},
		Search:     []string{"customer"},
	}
	return Options{
		Catalogue: holding(`{"purchases":[{"id":1,"customer":"Ada"},{"id":2,"customer":"Bea"},{"id":3,"customer":"Cam"}]}`,
			catalogue.Define[purchase]("purchases", catalogue.Options{Description: &about}), catalogue.Define[director]("directors", catalogue.Options{})),
		Handler: httpapi.Options{Root: "/v1/", Forms: true},
	}
}

const (
	formType     = "application/x-www-form-urlencoded"
	purchaseBody = `{"customer":"Dee","total":4,"password":"x","address":{"city":"Paris","zipNo":"1"},"lines":[{"sku":"a","amount":1}],"tags":["a"],"meta":{"any":{"thing":1}}}`
)

// A mistake of a client that the service ignores fails the test, with one sentence.
func TestIgnored(t *testing.T) {
	const list, record, form = "/v1/purchases/", "/v1/purchases/1/", formType
	numbers, cursors := pagination.Numbers{Size: "page_size"}, pagination.Cursors{Size: "page_size"}
	for _, tt := range []struct {
		mistake     string
		style       pagination.Style
		request     string
		body        string
		contentType string
		want        string // after the request and "nothing reads "
	}{
		{"a filter", nil, "GET " + list + "?customr=Ada", "", "", "customr: did you mean customer?"},
		{"a filter of a nested field", nil, "GET " + list + "?address__ctiy=Rome", "", "", "address__ctiy: did you mean address__city?"},
		{"a filter with points", nil, "GET " + list + "?address.city=Rome", "", "", "address.city: did you mean address__city?"},
		{"a filter with a name of its own", nil, "GET " + list + "?mintotal=3", "", "", "mintotal: did you mean min_total?"},
		{"a filter in capitals", nil, "GET " + list + "?Customer=Ada", "", "", "Customer: did you mean customer?"},
		{"a lookup that the filter lacks", nil, "GET " + list + "?customer__contains=a", "", "", "customer__contains: did you mean customer__icontains?"},
		{"a lookup with one underscore", nil, "GET " + list + "?total_gte=3", "", "", "total_gte: did you mean total__gte?"},
		{"a lookup of another collection", nil, "GET /v1/directors/?name=Varda", "", "", "name: want one of offset, limit, ordering, format"},
		{"a search where there is none", nil, "GET /v1/directors/?search=Varda", "", "", "search: want one of offset, limit, ordering, format"},
		{"a search with another name", nil, "GET " + list + "?searches=Ada", "", "", "searches: did you mean search?"},
		{"an order", nil, "GET " + list + "?ordering=-totl", "", "", "totl: did you mean total?"},
		{"a term of an order", nil, "GET " + list + "?ordering=total,%20-custmer", "", "", "custmer: did you mean customer?"},
		{"an order in camelCase", nil, "GET " + list + "?ordering=paidOn", "", "", "paidOn: did you mean paid_on?"},
		{"an order by what is no place of a cursor", cursors, "GET " + list + "?ordering=address__city", "", "", "address__city: want one of customer, total, paid_on, id"},
		{"the parameter of orders", nil, "GET " + list + "?order=total", "", "", "order: did you mean ordering?"},
		{"a page size", nil, "GET " + list + "?limt=2", "", "", "limt: did you mean limit?"},
		{"a page size of another style", numbers, "GET " + list + "?limit=2", "", "", "limit: want one of page, page_size, ordering, format, search, customer, customer__icontains, total__gte, total__lte, address__city, min_total"},
		{"a page size in camelCase", numbers, "GET " + list + "?page=1&pageSize=2", "", "", "pageSize: did you mean page_size?"},
		{"a page size where all records are sent", pagination.Whole{}, "GET /v1/directors/?limit=2", "", "", "limit: want one of ordering, format"},
		{"a filter of a record", nil, "GET " + record + "?custmer=Ada", "", "", "custmer: did you mean customer?"},
		{"a filter of a HEAD", nil, "HEAD " + list + "?custmer=Ada", "", "", "custmer: did you mean customer?"},
		{"a filter of OPTIONS", nil, "OPTIONS " + list + "?custmer=Ada", "", "", "custmer: did you mean customer?"},
		{"a filter of a POST", nil, "POST " + list + "?custmer=Ada", purchaseBody, "", "custmer: did you mean customer?"},

		{"a member", nil, "POST " + list, strings.Replace(purchaseBody, "total", "totl", 1), "", "totl: did you mean total?"},
		{"a member of a PUT", nil, "PUT " + record, strings.Replace(purchaseBody, "total", "totl", 1), "", "totl: did you mean total?"},
		{"a member of a PATCH", nil, "PATCH " + record, `{"totl":1}`, "", "totl: did you mean total?"},
		{"a hidden member", nil, "PATCH " + record, `{"pasword":"x"}`, "", "pasword: did you mean password?"},
		{"a nested member", nil, "PATCH " + record, `{"address":{"ctiy":"Rome"}}`, "", "ctiy: did you mean city?"},
		{"a member of an item", nil, "PATCH " + record, `{"lines":[{"sku":"a","amount":1},{"sku":"a","amount":1,"amuont":2}]}`, "", "amuont: did you mean amount?"},
		{"a value of a form", nil, "PATCH " + record, "custmer=Ada", form, "custmer: did you mean customer?"},
		{"a nested value of a form", nil, "PATCH " + record, "address.city=Rome&address.zip=1", form, "zip: did you mean zip_no?"},
		{"an item's value of a form", nil, "PATCH " + record, "lines[0]sku=a&lines[0]amount=1&lines[0]amuont=2", form, "amuont: did you mean amount?"},
		{"a point after an index of a form", nil, "PATCH " + record, "lines[0]sku=a&lines[0]amount=1&lines[0].amount=2", form, ".amount: did you mean amount?"},
	} {
		opts := purchases()
		opts.Handler.Pages = tt.style
		got := failureOf(t, func(tb testing.TB) {
			server := NewWith(tb, opts)
			ask(t, server, tt.request, tt.body, "Content-Type", typeOr(tt.contentType))
		})
		want := fmt.Sprintf("cataloguetest: %s: nothing reads %s (requests: 1)", tt.request, tt.want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", tt.mistake, diff)
		}
		name, _, _ := strings.Cut(tt.want, ":")
		opts.Ignored = []string{name}
		ask(t, NewWith(t, opts), tt.request, tt.body, "Content-Type", typeOr(tt.contentType)) // does not fail
	}
}

// typeOr returns a Content-Type, which is that of JSON if it is empty.
func typeOr(contentType string) string {
	if contentType == "" {
		return "application/json"
	}
	return contentType
}

// multipartForm returns a form with the given values, and its Content-Type.
func multipartForm(t *testing.T, values ...string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(values); i += 2 {
		must(t, w.WriteField(values[i], values[i+1]))
	}
	must(t, w.Close())
	return b.String(), w.FormDataContentType()
}

// What a request may have does not fail the test, whatever the response is.
func TestNothingIgnored(t *testing.T) {
	server := NewWith(t, purchases())
	multi, multiType := multipartForm(t, "customer", "Eve", "address.city", "Rome", "lines[3]sku", "b", "lines[3]amount", "1", "tags", "a", "tags", "b")
	for _, tt := range [...][3]string{
		{"GET /v1/"}, {"GET /v1/?artsit=1"}, {"GET /?artsit=1"}, {"GET /v1/unknown/?artsit=1"}, {"GET /v1/purchases?limit=1"}, // no path of a collection
		{"GET /v1/purchases/?limit=1&offset=1&format=api&ordering=-total,id,address__city&search=a"},
		{"GET /v1/purchases/?customer=a&customer=b&customer__icontains=&total__gte=x&min_total=1&address__city=Rome"},
		{"GET /v1/purchases/1/?format=json&customer=Ada&limit=1&ordering=total"},
		{"OPTIONS /v1/purchases/?format=json"}, {"HEAD /v1/purchases/?limit=1"},
		{"GET /v1/purchases/?ordering=,-,&&=&limit"}, // nothing
		{"POST /v1/purchases/", purchaseBody},
		{"PATCH /v1/purchases/1/", `{"id":7,"paidOn":"x","paid_on":"x","address":{"city":"a","zip_no":"b","region":"c"},"meta":{"a":{"b":[{}]}},"tags":[]}`},
		{"PATCH /v1/purchases/9/", `{"totl":1}`}, // is not read
		{"PATCH /v1/purchases/1/", `{"totl":1`}, {"PATCH /v1/purchases/1/", `[{"totl":1}]`}, {"PATCH /v1/purchases/1/", `null`},
		{"PATCH /v1/purchases/1/", `{"address":[{"a":1}],"lines":{"a":1},"tags":[{"a":1}],"customer":{"a":1}}`}, // are of wrong kinds
		{"PATCH /v1/purchases/1/", "customer=Fay&address.zipNo=3&address.region=x&lines[0]sku=a&lines[0]amount=2&tags[0]=a&tags[1]=b&paid_on=x&id=3&meta={}&password=1", formType},
		{"PATCH /v1/purchases/1/", multi, multiType},
		{"PATCH /v1/purchases/1/", `{"totl":1}`, "text/plain"}, // is rejected
	} {
		_, record := ask(t, server, tt[0], tt[1], "Content-Type", typeOr(tt[2]))
		if method, path, _ := strings.Cut(tt[0], " "); method == "POST" {
			ask(t, server, "PUT "+path+"4/", record) // what was read is sent back
		}
	}
}

// Links of the server have parameters of their own.
func TestNothingIgnoredBetweenPages(t *testing.T) {
	numbers, cursors := pagination.Numbers{Size: "n", Page: "p"}, pagination.Cursors{Cursor: "c", Limits: pagination.Limits{Default: 1}}
	for _, style := range []pagination.Style{nil, numbers, cursors, pagination.Limits{Max: 1}} {
		opts := purchases()
		opts.Handler.Pages = style
		server := NewWith(t, opts)
		is := pagination.TraitsOf(style)
		next := "/v1/purchases/?ordering=-total&search=a&customer__icontains=a"
		if is.Size != "" {
			next += "&" + is.Size + "=1"
		}
		for range 2 {
			u, err := url.Parse(page(t, server, next).Next)
			must(t, err)
			next = u.RequestURI()
		}
	}
}

// What Wrap serves itself is not judged, and a handler that it returns instead knows its own filters.
func TestIgnoredWithWrap(t *testing.T) {
	opts := purchases()
	opts.Wrap = func(next http.Handler) http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/", next)
		mux.HandleFunc("/login", func(http.ResponseWriter, *http.Request) {})
		return mux
	}
	server := NewWith(t, opts)
	ask(t, server, "POST /login?user=x", `{"password":"x"}`)
	getAll(t, server, "/v1/purchases/?customer=Ada")

	opts.Wrap = func(http.Handler) http.Handler {
		cat, err := catalogue.New(catalogue.Define[director]("directors", catalogue.Options{Description: &schema.Description{Filters: []string{"name__startswith"}}}))
		must(t, err)
		h, err := httpapi.New(cat, httpapi.Options{})
		must(t, err)
		return http.StripPrefix("/mounted", h)
	}
	getAll(t, NewWith(t, opts), "/mounted/api/directors/?name__startswith=V")
	got := failureOf(t, func(tb testing.TB) { getAll(t, NewWith(tb, opts), "/mounted/api/directors/?name_startswith=V") })
	if !strings.HasPrefix(got, "cataloguetest: GET /mounted/api/directors/?name_startswith=V: nothing reads name_startswith: did you mean name__startswith?") {
		t.Errorf("a handler of its own: %s", got)
	}
}

// A request of a page for browsers, which has parameters of its own, is the page's, whether the page is
// inside of a server or around it.
func TestIgnoredWithBrowse(t *testing.T) {
	cat := purchases().Catalogue
	handler, err := httpapi.New(cat, httpapi.Options{Root: "/v1/"})
	must(t, err)
	pages := func(next http.Handler) http.Handler {
		h, err := browse.New(served{handler, next}, browse.Options{})
		must(t, err)
		return h
	}
	server := NewWith(t, Options{Catalogue: cat, Handler: httpapi.Options{Root: "/v1/"}, Wrap: pages})
	around := pages(NewWith(t, Options{Catalogue: cat, Handler: httpapi.Options{Root: "/v1/"}}).Handler)
	const path = "/v1/purchases/?_export=csv"
	resp, inside := ask(t, server, "GET "+path, "", "Accept", "text/html")
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	around.ServeHTTP(w, r)
	if resp.StatusCode != 200 || !strings.HasPrefix(inside, "id,customer,") || w.Body.String() != inside {
		t.Errorf("inside of a server: %d %s; around it: %d %s", resp.StatusCode, inside, w.Code, w.Body)
	}
	got := failureOf(t, func(tb testing.TB) {
		getAll(t, NewWith(tb, Options{Catalogue: cat, Handler: httpapi.Options{Root: "/v1/"}, Wrap: pages}), "/v1/purchases/?custmer=1") // no page
	})
	if !strings.Contains(got, "custmer: did you mean customer?") {
		t.Errorf("JSON: %s", got)
	}
}

// served is middleware that embeds the handler that it wraps.
type served struct {
	*httpapi.Handler
	next http.Handler
}

func (s served) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.next.ServeHTTP(w, r) }

// The responses to requests with names that nothing reads are those of the handler alone, byte for byte.
func TestIgnoredResponses(t *testing.T) {
	opts := purchases()
	opts.OnIgnored = func(*http.Request, string, string) {}
	var plain http.Handler
	opts.Wrap = func(next http.Handler) http.Handler { plain = next; return next }
	judged, err := Open(opts)
	must(t, err)
	defer judged.Close()
	for _, request := range [][3]string{
		{"GET /v1/purchases/?artsit=1&limit=2"}, {"GET /v1/purchases/1/?artsit=1"}, {"HEAD /v1/purchases/?artsit=1"}, {"OPTIONS /v1/purchases/?artsit=1"},
		{"GET /v1/purchases/?artsit=1&total__gte=x"}, {"DELETE /v1/purchases/?artsit=1"}, {"PATCH /v1/purchases/1/", `{"totl":1,"address":{"ctiy":1}}`},
		{"PATCH /v1/purchases/1/", "totl=1&address.city=x&address.ctiy=y&lines[0]skuu=1", formType}, {"PATCH /v1/purchases/1/", "{"}, {"PATCH /v1/purchases/1/", "x", "text/plain"},
		{"PATCH /v1/purchases/1/", strings.Repeat(" ", 1<<20) + "{}"},
	} {
		method, path, _ := strings.Cut(request[0], " ")
		respond := func(h http.Handler) string {
			r := httptest.NewRequest(method, path, strings.NewReader(request[1]))
			r.Header.Set("Content-Type", typeOr(request[2]))
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return fmt.Sprint(w.Code, w.Result().Header, w.Body)
		}
		if diff := cmp.Diff(respond(plain), respond(judged.Handler)); diff != "" {
			t.Errorf("%s:\n%s", request, diff)
		}
	}
}

// Each name is reported once, with the number of requests that have it. A program is told of each request.
func TestOnIgnored(t *testing.T) {
	opts := purchases()
	opts.Ignored = []string{"debug"}
	var calls []string
	opts.OnIgnored = func(r *http.Request, name, hint string) { calls = append(calls, r.URL.RawQuery+" "+name+" "+hint) }
	got := failureOf(t, func(tb testing.TB) {
		server := NewWith(tb, opts)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				ask(t, server, "PATCH /v1/purchases/1/?custmer=1&custmer=2&debug=1", `{"lines":[{"skuu":1},{"skuu":2}]}`)
			})
		}
		all.Wait()
	})
	const first = "cataloguetest: PATCH /v1/purchases/1/?custmer=1&custmer=2&debug=1: nothing reads "
	want := first + "custmer: did you mean customer? (requests: 8)\n" + first + "skuu: did you mean sku? (requests: 8)"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	slices.Sort(calls)
	member, parameter := "custmer=1&custmer=2&debug=1 skuu did you mean sku?", "custmer=1&custmer=2&debug=1 custmer did you mean customer?"
	if diff := cmp.Diff(slices.Concat(slices.Repeat([]string{parameter}, 8), slices.Repeat([]string{member}, 8)), calls); diff != "" {
		t.Error(diff)
	}
	if got := failureOf(t, func(tb testing.TB) {
		getAll(t, NewWith(tb, purchases()), "/v1/purchases/?custmer=1")
		tb.(*recorder).skipped = true
	}); got != "" {
		t.Errorf("a skipped test: %s", got)
	}
}

// A request with many names costs no more than some reports, each of limited length.
func TestManyIgnored(t *testing.T) {
	var body, query strings.Builder
	body.WriteString(`{"customer":"Ada"`)
	for i := range 90_000 {
		fmt.Fprintf(&body, `,"n%d":1`, i)
	}
	body.WriteString("}")
	fmt.Fprint(&query, "?", strings.Repeat("x", 5000))
	for i := range 900 {
		fmt.Fprintf(&query, "&q%d", i)
	}
	calls, opts := 0, purchases()
	opts.OnIgnored = func(*http.Request, string, string) { calls++ }
	got := failureOf(t, func(tb testing.TB) {
		server := NewWith(tb, opts)
		ask(t, server, "GET /v1/purchases/"+query.String(), "")
		ask(t, server, "PATCH /v1/purchases/1/", body.String())
	})
	if n := strings.Count(got, "nothing reads"); n != maxUnread || calls != 2*maxUnread || len(got) > 700*maxUnread {
		t.Errorf("%d names in %d bytes after %d calls", n, len(got), calls)
	}
}
