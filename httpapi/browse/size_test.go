package browse

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
)

// A long query is not repeated in each row, column, facet and filter of a page.
func TestLongQueries(t *testing.T) {
	manyFilms := make([]string, 1000)
	for i := range manyFilms {
		manyFilms[i] = fmt.Sprintf(`{"id":%d,"title":"F%d","released":null,"minutes":%d,"price":"1.00","status":"released","director":1}`, i+1, i, i+1)
	}
	h, _ := filmPages(t, `{"directors":[{"id":1,"name":"Ana"}],"films":[`+strings.Join(manyFilms, ",")+`]}`, httpapi.Options{})
	const limit = "/api/films/?limit=1000"
	plain := len(get(h, limit).body)
	tests := []struct {
		reason, query string
		rows          int
	}{
		{"a parameter that nothing reads", "&x=" + strings.Repeat("%00", 5000), 1000},
		{"a byte that is not UTF-8", "&x=" + strings.Repeat("%ff", 1700), 1000},
		{"many columns", "&_columns=" + strings.Repeat(",", 5000), 1000},
		{"a list of values", "&status__in=released" + strings.Repeat(",released", 1000), 1000},
		{"many values of a filter", strings.Repeat("&status=released", 900), 1000},
		{"many values that select nothing", strings.Repeat("&title__icontains=zzz", 700), 0},
	}
	for _, test := range tests {
		page := get(h, limit+test.query)
		if page.status != 200 || len(page.find("tr", "id", "*")) != test.rows {
			t.Fatalf("%s: %d, %d rows", test.reason, page.status, len(page.find("tr", "id", "*")))
		}
		if most := plain + 2<<20; len(page.body) > most {
			t.Errorf("%s: a query of %d bytes makes a page of %d bytes, without it %d", test.reason, len(test.query), len(page.body), plain)
		}
		if test.rows == 1000 && strings.Contains(test.query, "status=") && page.links()["900 filters"] != "?limit=1000" {
			t.Errorf("%s: no link removes the filters", test.reason)
		}
	}
	short := get(h, limit+"&status=released")
	if rows := len(short.find("a", "href", "./7/?_list=limit%3D1000%26status%3Dreleased")); rows != 1 {
		t.Errorf("%d links of a row keep the place in the list, want 1", rows)
	}
}

// A page with as many filters, facets and columns as a shop has, or the form of a record, is at most
// 35 kB.
func TestPageSize(t *testing.T) {
	own := newService()
	for id := range 21 {
		own.films.records[id+1] = own.films.records[1]
	}
	h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, target := range []string{"/api/films/", "/api/films/1/", "/api/films/1/?_method=PATCH", "/api/films/?_method=POST", "/api/films/?status=x",
		"/api/films/?status=" + strings.Repeat("released", 100_000), // longer than the handler reads
	} {
		if page := get(h, target); len(page.body) > 35_000 {
			t.Errorf("%.40s has %d bytes", target, len(page.body))
		}
	}
}

// A page of large records takes a few times their size, and sends little of them.
func TestLargeRecords(t *testing.T) {
	records := make([]string, 300)
	for i := range records {
		records[i] = fmt.Sprintf(`{"id":%d,"name":%q,"text":%q}`, i+1, "n", strings.Repeat("word ", 6000))
	}
	h := newHandlers(t, load(t, `{"books":[`+strings.Join(records, ",")+`]}`), httpapi.Options{})
	r := httptest.NewRequest("GET", "/api/books/?limit=300", nil)
	r.Header.Set("Accept", chrome)
	size := len(do(h.plain, httptest.NewRequest("GET", "/api/books/?limit=300", nil)).body)
	sent := &counter{header: http.Header{}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h.browse.ServeHTTP(sent, r)
	runtime.ReadMemStats(&after)
	allocated := int(after.TotalAlloc - before.TotalAlloc)
	t.Logf("JSON of %d bytes, a page of %d bytes, %d bytes allocated, %.1f times as many", size, sent.bytes, allocated, float64(allocated)/float64(size))
	if sent.status != 200 || sent.bytes > 300*1000 {
		t.Errorf("the page has %d bytes, its JSON %d", sent.bytes, size)
	}
	if allocated > 9*size { // pools keep less under the race detector
		t.Errorf("%d bytes are allocated for JSON of %d bytes", allocated, size)
	}
}

// counter is a ResponseWriter that keeps nothing of the body.
type counter struct {
	header        http.Header
	status, bytes int
}

func (c *counter) Header() http.Header { return c.header }

func (c *counter) WriteHeader(status int) { c.status = status }

func (c *counter) Write(body []byte) (int, error) {
	c.bytes += len(body)
	return len(body), nil
}
