package client_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/client"
)

// getBody returns the body of a GET response.
func getBody(t testing.TB, h http.Handler, url string) string {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, url, nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("GET %s: status %d", url, rec.Code)
	}
	return rec.Body.String()
}

// followNext follows the links of a list. It returns the URLs and their pages.
func followNext(t testing.TB, h http.Handler, url string) (urls, bodies []string) {
	t.Helper()
	for url != "" {
		body := getBody(t, h, url)
		urls, bodies = append(urls, url), append(bodies, body)
		var page envelope
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		url = page.Next
	}
	return urls, bodies
}

func listURL(about schema.Description) string {
	return "http://catalogue.test/api/" + about.Segment + "/"
}

// numberedFiles returns a file system with the given pages, numbered in reverse order.
func numberedFiles(names string, pages ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i, body := range pages {
		fsys[fmt.Sprintf(names, len(pages)-i)] = &fstest.MapFile{Data: []byte(body)}
	}
	return fsys
}

// checkImport checks that an import of a source results in an equal catalogue.
func checkImport(t *testing.T, house *catalogue.Catalogue, from client.Source) {
	t.Helper()
	copied := catalogue.New()
	report, err := client.Import(t.Context(), copied, from)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cataloguetest.Diff(house, copied); diff != "" {
		t.Error(diff)
	}
	if save(t, house) != save(t, copied) {
		t.Error("Save writes different bytes")
	}
	if len(report) != 39 {
		t.Errorf("imported %d collections, want 39", len(report))
	}
	if err := copied.Check(); err != nil {
		t.Error(err)
	}
}

// The files contain a whole catalogue in pages of 21, in the default orders.
func TestReadFilesOfCatalogue(t *testing.T) {
	house := sampleCatalogue(t)
	h := newHandler(t, house)
	all := fstest.MapFS{"README.md": {Data: []byte("ignored")}}
	for i, about := range schema.Descriptions() {
		_, pages := followNext(t, h, listURL(about))
		name := about.Key
		if i%2 == 0 {
			name = "pages/" + about.Segment
		}
		for name, f := range numberedFiles(name+"-%d.json", pages...) {
			all[name] = f
		}
	}
	recording, err := client.ReadFiles(all)
	if err != nil {
		t.Fatal(err)
	}
	checkImport(t, house, recording)
}

// har returns a HAR file with the given entries.
func har(entries ...string) string {
	return `{"log":{"version":"1.2","creator":{"name":"test","version":"1"},"entries":[` + strings.Join(entries, ",") + `]}}`
}

// pageEntry returns the entry of a page.
func pageEntry(url, body string) string {
	return harEntry("GET", url, 200, content{"application/json; charset=utf-8", body, ""})
}

type content struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"encoding,omitempty"`
}

// harEntry returns a HAR entry.
func harEntry(method, url string, status int, body content) string {
	type request struct {
		Method string `json:"method"`
		URL    string `json:"url"`
	}
	type response struct {
		Status  int     `json:"status"`
		Content content `json:"content"`
	}
	entry, err := json.Marshal(struct {
		Started  string   `json:"startedDateTime"`
		Request  request  `json:"request"`
		Response response `json:"response"`
	}{"2026-05-10T18:00:00Z", request{method, url}, response{status, body}})
	if err != nil {
		panic(err)
	}
	return string(entry)
}

// The file contains a whole catalogue and entries to be skipped.
func TestReadHAROfCatalogue(t *testing.T) {
	house := sampleCatalogue(t)
	h := newHandler(t, house)
	html := content{"text/html; charset=utf-8", "<html>", ""}
	entries := []string{
		harEntry("GET", "http://catalogue.test/", 200, html),
		harEntry("GET", "http://catalogue.test/api/", 200, content{"application/json", "{}", ""}),
		harEntry("GET", "http://catalogue.test/api/books/?format=api", 200, html),
		harEntry("GET", "http://catalogue.test/api/books/?search=onda", 200, content{"application/json", "{", ""}),
		harEntry("GET", "http://catalogue.test/api/books/7/", 200, content{"application/json", "{", ""}),
		harEntry("GET", "http://catalogue.test/api/books", 301, html),
		harEntry("GET", "http://catalogue.test/api/books/", 304, content{}),
		harEntry("GET", "http://catalogue.test/api/books/", 500, content{"application/json", `{"detail":"Internal server error."}`, ""}),
		harEntry("POST", "http://catalogue.test/api/events/", 201, content{"application/json", "{}", ""}),
		harEntry("OPTIONS", "http://catalogue.test/api/events/", 200, content{"application/json", "{}", ""}),
		harEntry("GET", "data:application/json,{}", 200, content{"application/json", "{}", ""}),
		harEntry("GET", "http://[::1/api/books/", 200, content{"application/json", "{}", ""}),
	}
	for i, about := range schema.Descriptions() {
		urls, pages := followNext(t, h, listURL(about)+"?limit=17&format=json")
		for j, body := range pages {
			entry := pageEntry(urls[j], body)
			if i%2 == 0 {
				entry = harEntry("GET", urls[j], 200, content{"application/json", base64.StdEncoding.EncodeToString([]byte(body)), "base64"})
			}
			entries = append(entries, entry)
		}
		entries = append(entries, pageEntry(urls[0], pages[0])) // recorded twice
	}
	recording, err := client.ReadHAR(strings.NewReader("\ufeff" + har(entries...)))
	if err != nil {
		t.Fatal(err)
	}
	checkImport(t, house, recording)
}

// The overlapping pages of a Client can be read.
func TestReadHAROfWalk(t *testing.T) {
	house := tenBooks(t)
	h := newHandler(t, house)
	var entries []string
	service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		url := "http://" + r.Host + r.URL.String()
		entries = append(entries, pageEntry(url, getBody(t, h, url)))
	}), 4)
	if _, err := service.Walk(t.Context(), "books"); err != nil {
		t.Fatal(err)
	}
	recording, err := client.ReadHAR(strings.NewReader(har(entries...)))
	if err != nil {
		t.Fatal(err)
	}
	list, err := walkIDs(t, recording, "books")
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, list); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if diff := cmp.Diff([]string{"books"}, recording.Keys()); diff != "" {
		t.Error(diff)
	}
}

// Each case is tested with files and with a HAR. The list has ten books.
func TestRecordingWalk(t *testing.T) {
	const list = "http://catalogue.test/api/books/"
	h := newHandler(t, tenBooks(t))
	other := catalogue.New()
	load(t, other, "books", books(1, 2, 3, 4, 5, 6, 7, 8, 9, 77))
	changed := newHandler(t, other)
	fewer := catalogue.New()
	load(t, fewer, "books", books(1, 2, 3, 4, 5, 6, 7, 8, 9))
	shrunk := newHandler(t, fewer)
	type page struct {
		h     http.Handler
		query string
		edit  func(p *envelope)
	}
	plain := func(queries ...string) (pages []page) {
		for _, q := range queries {
			pages = append(pages, page{h, q, nil})
		}
		return pages
	}
	for _, c := range []struct {
		name, reason string
		pages        []page
		want         error
		offset       int
	}{
		{"one page", "no links", plain(""), nil, 0},
		{"three pages", "in reverse order", plain("?limit=4&offset=8", "?limit=4&offset=4", "?limit=4"), nil, 0},
		{"pages of different sizes", "they are contiguous", plain("?limit=3", "?limit=100&offset=3"), nil, 0},
		{"overlapping pages", "the common records are equal", plain("?limit=4", "?limit=4&offset=3", "?limit=4&offset=6"), nil, 0},
		{"same page twice", "the recordings are equal", plain("?limit=4", "?limit=6&offset=4", "?limit=4"), nil, 0},
		{"page past the end", "it is empty", plain("?limit=5", "?limit=5&offset=5", "?limit=5&offset=50"), nil, 0},
		{"another order", "it is complete", plain("?ordering=-name&limit=5", "?ordering=-name&limit=5&offset=5"), nil, 0},
		{"two orders", "one is complete", plain("?limit=5", "?ordering=name&limit=5", "?ordering=name&limit=5&offset=5", "?limit=2&ordering=-id"), nil, 0},
		{"two halves", "they have different orders", plain("?ordering=id&limit=5", "?ordering=-id&limit=5&offset=5"), client.ErrGap, anyOffset},
		{"missing first page", "the recording starts at 4", plain("?limit=4&offset=4", "?limit=4&offset=8"), client.ErrGap, 0},
		{"missing page", "there is nothing from 4 to 8", plain("?limit=4", "?limit=4&offset=8"), client.ErrGap, 4},
		{"missing last page", "two records are missing", plain("?limit=4", "?limit=4&offset=4"), client.ErrGap, 8},
		{"different counts", "a record was deleted in between", []page{{h, "?limit=5", nil}, {shrunk, "?limit=5&offset=5", nil}}, client.ErrChanged, 5},
		{"same page twice with different records", "the collection changed in between", []page{{h, "?limit=5", nil}, {h, "?limit=5&offset=5", nil}, {changed, "?limit=5&offset=5", nil}}, client.ErrChanged, 9},
		{"same page twice with a changed record", "the record was updated in between", []page{{h, "?limit=5", nil}, {h, "?limit=5", func(p *envelope) { p.Records[2] = json.RawMessage(`{"id":3,"name":"Onda"}`) }}, {h, "?limit=5&offset=5", nil}}, client.ErrChanged, 2},
		{"same record twice", "on one page", []page{{h, "?limit=5", nil}, {h, "?limit=5&offset=5", func(p *envelope) { p.Records[0] = p.Records[1] }}}, client.ErrDuplicate, 6},
		{"record of the page before", "it moved to the next page", []page{{h, "?limit=5", nil}, {h, "?limit=5&offset=5", func(p *envelope) { p.Records[0] = books(5)[0] }}}, client.ErrDuplicate, 5},
		{"missing record", "4 records on a page of 5", []page{{h, "?limit=5", func(p *envelope) { p.Records = p.Records[1:] }}, {h, "?limit=5&offset=5", nil}}, client.ErrGap, 4},
		{"missing record on the last page", "the count differs", []page{{h, "?limit=4", nil}, {h, "?limit=4&offset=4", nil}, {h, "?limit=4&offset=8", func(p *envelope) { p.Records = p.Records[1:] }}}, client.ErrGap, 9},
		{"missing record on the only page", "the count differs", []page{{h, "", func(p *envelope) { p.Records = p.Records[1:] }}}, client.ErrGap, 9},
		{"missing record in overlapping pages", "the other page has it, but the first is invalid", []page{{h, "?limit=5", func(p *envelope) { p.Records = p.Records[:4] }}, {h, "?limit=6&offset=4", nil}}, client.ErrGap, 4},
		{"missing next", "by its count the page is not the last", []page{{h, "?limit=5", func(p *envelope) { p.Next = "" }}, {h, "?limit=5&offset=5", nil}}, client.ErrGap, anyOffset},
		{"more records than next implies", "6 records on a page of 5", []page{{h, "?limit=5", func(p *envelope) { p.Records = books(1, 2, 3, 4, 5, 6) }}, {h, "?limit=5&offset=5", nil}}, client.ErrInvalidLink, 6},
		{"all records and a next", "10 records on a page of 5", []page{{h, "?limit=5", func(p *envelope) { p.Records = books(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) }}}, client.ErrInvalidLink, 10},
		{"more records than the count", "the count is 9", []page{{h, "", func(p *envelope) { p.Count = 9 }}}, client.ErrChanged, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			var bodies, entries []string
			for _, p := range c.pages {
				body := getBody(t, p.h, list+p.query)
				if p.edit != nil {
					var e envelope
					if err := json.Unmarshal([]byte(body), &e); err != nil {
						t.Fatal(err)
					}
					p.edit(&e)
					edited, err := e.MarshalJSON()
					if err != nil {
						t.Fatal(err)
					}
					body = string(edited)
				}
				bodies, entries = append(bodies, body), append(entries, pageEntry(list+p.query, body))
			}
			fromFiles, err := client.ReadFiles(numberedFiles("books-%d.json", bodies...))
			if err != nil {
				t.Fatal(err)
			}
			fromHAR, err := client.ReadHAR(strings.NewReader(har(entries...)))
			if err != nil {
				t.Fatal(err)
			}
			for name, source := range map[string]client.Source{"files": fromFiles, "HAR": fromHAR} {
				if c.want != nil {
					checkWalkFails(t, source, c.want, c.offset)
					continue
				}
				got, err := walkIDs(t, source, "books")
				if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, got); diff != "" || err != nil {
					t.Errorf("%s: error %v, ids (-want +got):\n%s", name, err, diff)
				}
			}
		})
	}
}

func TestReadFilesErrors(t *testing.T) {
	const page = `{"count":10,"next":%s,"previous":%s,"results":[{"id":1},{"id":2}]}`
	const list = `"http://catalogue.test/api/books/?limit=2`
	links := func(next, previous string) string { return fmt.Sprintf(page, next, previous) }
	for _, c := range []struct {
		name, reason, file, body string
		want                     error
	}{
		{"unknown name", "not one of the 39", "shelves-0.json", links("null", "null"), catalogue.ErrUnknownCollection},
		{"number as name", "not one of the 39", "7.json", links("null", "null"), catalogue.ErrUnknownCollection},
		{"invalid JSON", "it is truncated", "books.json", `{"count":10,`, client.ErrInvalidPage},
		{"empty file", "not JSON", "books.json", ``, client.ErrInvalidPage},
		{"list", "no envelope", "books.json", `[{"id":1}]`, client.ErrInvalidPage},
		{"error object", "not a page", "books.json", `{"detail":"Not found."}`, client.ErrInvalidPage},
		{"record without id", "records cannot be distinguished", "books.json", `{"count":1,"next":null,"previous":null,"results":[{}]}`, client.ErrInvalidPage},
		{"relative next", "links are absolute", "books.json", links(`"?limit=2&offset=2"`, "null"), client.ErrInvalidLink},
		{"next too late", "without previous the page is the first", "books.json", links(list+`&offset=4"`, "null"), client.ErrInvalidLink},
		{"next too early", "the page would start before the first record", "books.json", links(list+`&offset=1"`, "null"), client.ErrInvalidLink},
		{"next is the first page", "the page would start before the first record", "books.json", links(list+`"`, "null"), client.ErrInvalidLink},
		{"next past the end", "there is no such page", "books.json", links(list+`&offset=10"`, list+`&offset=6"`), client.ErrInvalidLink},
		{"previous of the first page", "there is no such page", "books.json", links(list+`&offset=2"`, list+`"`), client.ErrInvalidLink},
		{"previous too early", "it should be at offset 2", "books.json", links(list+`&offset=6"`, list+`&offset=1"`), client.ErrInvalidLink},
		{"previous of another size", "its limit differs from that of next", "books.json", links(list+`&offset=6"`, `"http://catalogue.test/api/books/?limit=3&offset=2"`), client.ErrInvalidLink},
		{"previous of another list", "another order", "books.json", links(list+`&offset=6"`, list+`&offset=2&ordering=name"`), client.ErrInvalidLink},
		{"previous on another host", "another service", "books.json", links(list+`&offset=6"`, `"http://192.0.2.1/api/books/?limit=2&offset=2"`), client.ErrInvalidLink},
		{"previous out of range", "offset plus limit overflows", "books.json", links(`null`, `"http://catalogue.test/api/books/?limit=9223372036854775807&offset=9223372036854775807"`), client.ErrInvalidLink},
		{"another collection", "faqs in a file of books", "books.json", links(`"http://catalogue.test/api/faqs/?limit=2&offset=2"`, "null"), client.ErrInvalidLink},
		{"unknown collection", "not one of the 39", "books.json", links(`"http://catalogue.test/api/shelves/?limit=2&offset=2"`, "null"), client.ErrInvalidLink},
		{"search", "it selects part of the collection", "books.json", links(list+`&offset=2&search=rome"`, "null"), client.ErrInvalidLink},
		{"filter on the last page", "it selects part of the collection", "books.json", links("null", list+`&offset=6&active=true"`), client.ErrInvalidLink},
		{"semicolon in the query", "it may be part of a search", "books.json", links(list+`&offset=2&search=rome;milan"`, "null"), client.ErrInvalidLink},
		{"invalid escape in the query", "it may be part of a search", "books.json", links(list+`&offset=2&search=100%"`, "null"), client.ErrInvalidLink},
		{"more records than the count", "the page would start before the first record", "books.json", `{"count":1,"next":null,"previous":` + list + `","results":[{"id":1},{"id":2}]}`, client.ErrInvalidLink},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			recording, err := client.ReadFiles(fstest.MapFS{
				"a/" + c.file: {Data: []byte(c.body)},
				"events.json": {Data: []byte(`{"count":0,"next":null,"previous":null,"results":[]}`)},
			})
			if !errors.Is(err, c.want) || recording != nil || !strings.Contains(err.Error(), "a/"+c.file) {
				t.Errorf("ReadFiles: error %v, want %v with the name %s", err, c.want, c.file)
			}
		})
	}
}

// Entries whose query may select part of the list are skipped.
func TestReadHARSkipsFilters(t *testing.T) {
	const part = `{"count":1,"next":null,"previous":null,"results":[{"id":7}]}`
	for _, c := range []struct{ query, reason string }{
		{"search=rome", "search"},
		{"search=", "empty search"},
		{"search=rome;milan", "semicolon in a value"},
		{"search;x=1", "semicolon in a name"},
		{"search=100%", "incomplete escape"},
		{"search=%zz", "invalid escape"},
		{"limit=5&%zz=1", "invalid escape in a name"},
	} {
		recording, err := client.ReadHAR(strings.NewReader(har(pageEntry("http://catalogue.test/api/books/?"+c.query, part))))
		if err != nil {
			t.Fatal(err)
		}
		if keys := recording.Keys(); len(keys) != 0 {
			t.Errorf("%s: the page of ?%s was not skipped", c.reason, c.query)
		}
	}
}

func TestReadHARErrors(t *testing.T) {
	const url = "http://catalogue.test/api/books/"
	const empty = `{"count":0,"next":null,"previous":null,"results":[]}`
	const last = `{"count":10,"next":null,"previous":%s,"results":[{"id":9},{"id":10}]}`
	const middle = `{"count":10,"next":%q,"previous":%q,"results":[{"id":3},{"id":4}]}`
	for _, c := range []struct {
		name, reason, file string
		want               error
	}{
		{"invalid JSON", "it is truncated", `{"log":{"entries":[`, client.ErrInvalidHAR},
		{"empty file", "not JSON", ``, client.ErrInvalidHAR},
		{"null", "no log", `null`, client.ErrInvalidHAR},
		{"page", "no log", empty, client.ErrInvalidHAR},
		{"no entries", "the list is missing", `{"log":{"version":"1.2"}}`, client.ErrInvalidHAR},
		{"string as status", "statuses are integers", har(`{"request":{"method":"GET","url":"` + url + `"},"response":{"status":"200"}}`), client.ErrInvalidHAR},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			if recording, err := client.ReadHAR(strings.NewReader(c.file)); !errors.Is(err, c.want) || recording != nil {
				t.Errorf("ReadHAR: error %v, want %v", err, c.want)
			}
		})
	}
	for _, c := range []struct {
		name, reason, entry string
		want                error
	}{
		{"error object", "with status 200", pageEntry(url, `{"detail":"x"}`), client.ErrInvalidPage},
		{"truncated body", "as by some tools if it is long", pageEntry(url, empty[:20]), client.ErrInvalidPage},
		{"missing body", "as by some tools if so configured", `{"request":{"method":"GET","url":"` + url + `"},"response":{"status":200,"content":{"mimeType":"application/json"}}}`, client.ErrInvalidPage},
		{"invalid base64", "the body is not encoded", harEntry("GET", url, 200, content{"application/json", "{}", "base64"}), client.ErrInvalidPage},
		{"unknown encoding", "only base64 is known", harEntry("GET", url, 200, content{"application/json", empty, "gzip"}), client.ErrInvalidPage},
		{"next is the same page", "a loop", pageEntry(url+"?limit=2&offset=2", fmt.Sprintf(middle, url+"?limit=2&offset=2", url+"?limit=2")), client.ErrInvalidLink},
		{"next on another host", "another service", pageEntry(url+"?limit=2&offset=2", fmt.Sprintf(middle, "http://192.0.2.1/api/books/?limit=2&offset=4", url+"?limit=2")), client.ErrInvalidLink},
		{"previous too early", "it should be at offset 5", pageEntry(url+"?limit=10&offset=8", fmt.Sprintf(last, `"`+url+`?limit=3&offset=2"`)), client.ErrInvalidLink},
		{"missing previous", "there are pages before", pageEntry(url+"?limit=10&offset=8", fmt.Sprintf(last, "null")), client.ErrInvalidLink},
		{"previous of the first page", "there is no such page", pageEntry(url, fmt.Sprintf(last, `"`+url+`?limit=3"`)), client.ErrInvalidLink},
		{"previous in another collection", "other records", pageEntry(url+"?limit=2&offset=2", fmt.Sprintf(middle, url+"?limit=2&offset=4", "http://catalogue.test/api/faqs/?limit=2")), client.ErrInvalidLink},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			recording, err := client.ReadHAR(strings.NewReader(har(pageEntry("http://catalogue.test/api/faqs/", empty), c.entry)))
			if !errors.Is(err, c.want) || recording != nil || !strings.Contains(err.Error(), "entry 1, "+url) {
				t.Errorf("ReadHAR: error %v, want %v of entry 1", err, c.want)
			}
		})
	}
}

// Of several lists of a collection, the last complete one is used.
func TestLastCompleteList(t *testing.T) {
	const staging, shop = "http://staging.example/api/books/", "http://shop.example/api/books/"
	h := newHandler(t, tenBooks(t))
	empty := newHandler(t, catalogue.New())
	for _, c := range []struct {
		reason  string
		entries []string
		want    int
	}{
		{"empty list last", []string{pageEntry(staging, getBody(t, h, staging)), pageEntry(shop, getBody(t, empty, shop))}, 0},
		{"full list last", []string{pageEntry(shop, getBody(t, empty, shop)), pageEntry(staging, getBody(t, h, staging))}, 10},
		{"incomplete list last", []string{pageEntry(staging, getBody(t, h, staging)), pageEntry(shop+"?limit=2", getBody(t, h, shop+"?limit=2"))}, 10},
	} {
		recording, err := client.ReadHAR(strings.NewReader(har(c.entries...)))
		if err != nil {
			t.Fatal(err)
		}
		if list, err := walkIDs(t, recording, "books"); err != nil || len(list) != c.want {
			t.Errorf("%s: Walk = %d books, %v, want %d", c.reason, len(list), err, c.want)
		}
	}
}

// The caller may modify the records of a walk.
func TestRecordingWalkCopies(t *testing.T) {
	recording, err := client.ReadFiles(numberedFiles("books-%d.json", getBody(t, newHandler(t, tenBooks(t)), "http://catalogue.test/api/books/")))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		walk, err := recording.Walk(t.Context(), "books")
		if err != nil {
			t.Fatal(err)
		}
		if string(walk.Records[0]) != `{"id":1,"name":"Book 1"}` {
			t.Errorf("first record = %s, want id 1", walk.Records[0])
		}
		clear(walk.Records[0])
	}
}

func TestZeroRecording(t *testing.T) {
	var empty client.Recording
	if keys := empty.Keys(); len(keys) != 0 {
		t.Errorf("Keys() = %v, want none", keys)
	}
	if _, err := empty.Walk(t.Context(), "books"); !errors.Is(err, client.ErrGap) {
		t.Errorf("Walk of books: error %v, want ErrGap", err)
	}
	if _, err := empty.Walk(t.Context(), "shelves"); !errors.Is(err, catalogue.ErrUnknownCollection) {
		t.Errorf("Walk of shelves: error %v, want ErrUnknownCollection", err)
	}
	if report, err := client.Import(t.Context(), catalogue.New(), &empty); err != nil || len(report) != 0 {
		t.Errorf("Import = %v, %v, want an empty report", report, err)
	}
}
