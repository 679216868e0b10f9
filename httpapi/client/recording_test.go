package client_test

import (
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
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
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

// followNext follows the links of a list and returns its pages.
func followNext(t testing.TB, h http.Handler, url string) (bodies []string) {
	t.Helper()
	for url != "" {
		body := getBody(t, h, url)
		bodies = append(bodies, body)
		var page envelope
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		url = page.Next
	}
	return bodies
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
func checkImport(t *testing.T, cat *catalogue.Catalogue, from client.Source) {
	t.Helper()
	copied := mustNew()
	report, err := client.Import(t.Context(), copied, from)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cataloguetest.Diff(cat, copied); diff != "" {
		t.Error(diff)
	}
	if save(t, cat) != save(t, copied) {
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
	cat := sampleCatalogue(t)
	h := newHandler(t, cat)
	all := fstest.MapFS{"README.md": {Data: []byte("ignored")}}
	for key, c := range cat.All() {
		segment := c.Description().Segment
		pages, name := followNext(t, h, "http://catalogue.test/api/"+segment+"/"), key
		if key > "i" { // about half of them
			name = "pages/" + segment
		}
		for name, f := range numberedFiles(name+"-%d.json", pages...) {
			all[name] = f
		}
	}
	recording, err := client.ReadFiles(all, client.Options{Catalogue: mustNew()})
	if err != nil {
		t.Fatal(err)
	}
	checkImport(t, cat, recording)
}

// The list has ten books.
func TestRecordingWalk(t *testing.T) {
	const list = "http://catalogue.test/api/books/"
	h := newHandler(t, tenBooks(t))
	other := mustNew()
	load(t, other, "books", books(1, 2, 3, 4, 5, 6, 7, 8, 9, 77))
	changed := newHandler(t, other)
	fewer := mustNew()
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
		{"two halves", "they have different orders", plain("?ordering=id&limit=5", "?ordering=-id&limit=5&offset=5"), errGap, anyOffset},
		{"missing first page", "the recording starts at 4", plain("?limit=4&offset=4", "?limit=4&offset=8"), errGap, 0},
		{"missing page", "there is nothing from 4 to 8", plain("?limit=4", "?limit=4&offset=8"), errGap, 4},
		{"missing last page", "two records are missing", plain("?limit=4", "?limit=4&offset=4"), errGap, 8},
		{"different counts", "a record was deleted in between", []page{{h, "?limit=5", nil}, {shrunk, "?limit=5&offset=5", nil}}, errChanged, 5},
		{"same page twice with different records", "the collection changed in between", []page{{h, "?limit=5", nil}, {h, "?limit=5&offset=5", nil}, {changed, "?limit=5&offset=5", nil}}, errChanged, 9},
		{"same page twice with a changed record", "the record was updated in between", []page{{h, "?limit=5", nil}, {h, "?limit=5", func(p *envelope) { p.Records[2] = json.RawMessage(`{"id":3,"name":"Onda"}`) }}, {h, "?limit=5&offset=5", nil}}, errChanged, 2},
		{"same record twice", "on one page", []page{{h, "?limit=5", nil}, {h, "?limit=5&offset=5", func(p *envelope) { p.Records[0] = p.Records[1] }}}, errDuplicate, 6},
		{"record of the page before", "it moved to the next page", []page{{h, "?limit=5", nil}, {h, "?limit=5&offset=5", func(p *envelope) { p.Records[0] = books(5)[0] }}}, errDuplicate, 5},
		{"missing record", "4 records on a page of 5", []page{{h, "?limit=5", func(p *envelope) { p.Records = p.Records[1:] }}, {h, "?limit=5&offset=5", nil}}, errGap, 4},
		{"missing record on the last page", "the count differs", []page{{h, "?limit=4", nil}, {h, "?limit=4&offset=4", nil}, {h, "?limit=4&offset=8", func(p *envelope) { p.Records = p.Records[1:] }}}, errGap, 9},
		{"missing record on the only page", "the count differs", []page{{h, "", func(p *envelope) { p.Records = p.Records[1:] }}}, errGap, 9},
		{"missing record in overlapping pages", "the other page has it, but the first is invalid", []page{{h, "?limit=5", func(p *envelope) { p.Records = p.Records[:4] }}, {h, "?limit=6&offset=4", nil}}, errGap, 4},
		{"missing next", "by its count the page is not the last", []page{{h, "?limit=5", func(p *envelope) { p.Next = "" }}, {h, "?limit=5&offset=5", nil}}, errGap, anyOffset},
		{"more records than next implies", "6 records on a page of 5", []page{{h, "?limit=5", func(p *envelope) { p.Records = books(1, 2, 3, 4, 5, 6) }}, {h, "?limit=5&offset=5", nil}}, client.ErrInvalidLink, 6},
		{"all records and a next", "10 records on a page of 5", []page{{h, "?limit=5", func(p *envelope) { p.Records = books(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) }}}, client.ErrInvalidLink, 10},
		{"more records than the count", "the count is 9", []page{{h, "", func(p *envelope) { p.Count = 9 }}}, errChanged, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			var bodies []string
			for _, p := range c.pages {
				if p.edit != nil {
					p.h = editPages(p.h, func(_ int, e *envelope) { p.edit(e) })
				}
				bodies = append(bodies, getBody(t, p.h, list+p.query))
			}
			source, err := client.ReadFiles(numberedFiles("books-%d.json", bodies...), client.Options{Catalogue: mustNew()})
			if err != nil {
				t.Fatal(err)
			}
			if c.want != nil {
				checkWalkFails(t, source, c.want, c.offset)
				return
			}
			got, err := walkIDs(t, source, "books")
			if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, got); diff != "" || err != nil {
				t.Errorf("error %v, ids (-want +got):\n%s", err, diff)
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
			}, client.Options{Catalogue: mustNew()})
			if !errors.Is(err, c.want) || recording != nil || !strings.Contains(err.Error(), "a/"+c.file) {
				t.Errorf("ReadFiles: error %v, want %v with the name %s", err, c.want, c.file)
			}
		})
	}
}

// Of several lists of a collection, the last complete one is used.
func TestLastCompleteList(t *testing.T) {
	const staging, shop = "http://staging.example/api/books/", "http://shop.example/api/books/"
	h := newHandler(t, tenBooks(t))
	two := mustNew()
	load(t, two, "books", books(1, 2))
	short := newHandler(t, two)
	get := func(h http.Handler, list, query string) string { return getBody(t, h, list+query) }
	for _, c := range []struct {
		reason string
		pages  []string
		want   int
	}{
		{"short list last", []string{get(h, staging, "?limit=6"), get(h, staging, "?limit=6&offset=6"), get(short, shop, "?limit=1"), get(short, shop, "?limit=1&offset=1")}, 2},
		{"long list last", []string{get(short, shop, "?limit=1"), get(short, shop, "?limit=1&offset=1"), get(h, staging, "?limit=6"), get(h, staging, "?limit=6&offset=6")}, 10},
		{"incomplete list last", []string{get(h, staging, "?limit=6"), get(h, staging, "?limit=6&offset=6"), get(h, shop, "?limit=2")}, 10},
	} {
		files := fstest.MapFS{} // read in the order of their names
		for i, body := range c.pages {
			files[fmt.Sprintf("books-%d.json", i)] = &fstest.MapFile{Data: []byte(body)}
		}
		recording, err := client.ReadFiles(files, client.Options{Catalogue: mustNew()})
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
	recording, err := client.ReadFiles(numberedFiles("books-%d.json", getBody(t, newHandler(t, tenBooks(t)), "http://catalogue.test/api/books/")), client.Options{Catalogue: mustNew()})
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

func TestEmptyRecording(t *testing.T) {
	empty, err := client.ReadFiles(fstest.MapFS{}, client.Options{Catalogue: mustNew()})
	if err != nil {
		t.Fatal(err)
	}
	if keys, err := empty.Keys(t.Context()); err != nil || len(keys) != 0 {
		t.Errorf("Keys() = %v, %v, want none", keys, err)
	}
	if _, err := empty.Walk(t.Context(), "books"); !is(err, errGap) {
		t.Errorf("Walk of books: error %v, want a gap", err)
	}
	if _, err := empty.Walk(t.Context(), "shelves"); !errors.Is(err, catalogue.ErrUnknownCollection) {
		t.Errorf("Walk of shelves: error %v, want ErrUnknownCollection", err)
	}
	if report, err := client.Import(t.Context(), mustNew(), empty); err != nil || len(report) != 0 {
		t.Errorf("Import = %v, %v, want an empty report", report, err)
	}
	if _, err := client.ReadFiles(fstest.MapFS{}, client.Options{}); !errors.Is(err, client.ErrInvalidOptions) {
		t.Errorf("ReadFiles without a catalogue: error %v, want ErrInvalidOptions", err)
	}
}
