package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
)

type director struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type film struct {
	ID       int    `json:"id"`
	Title    string `json:"title"`
	Director int    `json:"director" backlist:"refers=directors"`
}

type draft struct {
	ID int `json:"id"`
}

// newFilms returns an empty catalogue of directors, films and drafts. The segment of the
// films is not their key, films have a filter, and drafts have no list.
func newFilms(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	house, err := catalogue.NewOnly(
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[film]("shortFilms", catalogue.Options{
			Description: &schema.Description{Segment: "top10", Filters: []string{"director"}},
		}),
		catalogue.Define[draft]("drafts", catalogue.Options{
			Description: &schema.Description{Actions: schema.Create | schema.Retrieve},
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return house
}

// filledFilms returns a catalogue with 2 directors, the given number of films and a draft.
func filledFilms(t testing.TB, films int) *catalogue.Catalogue {
	t.Helper()
	house := newFilms(t)
	var all []json.RawMessage
	for id := 1; id <= films; id++ {
		all = append(all, json.RawMessage(fmt.Sprintf(`{"id":%d,"title":"Film %d","director":%d}`, 2*id, id, 1+id%2)))
	}
	load(t, house, "directors", []json.RawMessage{[]byte(`{"id":1,"name":"Varda"}`), []byte(`{"id":2,"name":"Rohrwacher"}`)})
	load(t, house, "shortFilms", all)
	load(t, house, "drafts", []json.RawMessage{[]byte(`{"id":1}`)})
	return house
}

// handlerAt returns a handler that serves a catalogue at a root.
func handlerAt(t testing.TB, house *catalogue.Catalogue, root string) http.Handler {
	t.Helper()
	h, err := httpapi.New(house, httpapi.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// An import without keys reads the collections of the catalogue that is loaded, below the
// root. Drafts have no list.
func TestImportOwnCollections(t *testing.T) {
	house := filledFilms(t, 40)
	for _, c := range []struct{ root, prefix, reason string }{
		{"", "", "the default root"},
		{"/v1/", "", "another root"},
		{"/", "", "the root of the server"},
		{"/films/v1/", "/shop", "a handler below a prefix"},
		{"/it's/", "", "a root that url.URL would escape"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			server := httptest.NewServer(http.StripPrefix(c.prefix, handlerAt(t, house, c.root)))
			defer server.Close()
			service := newClient(t, client.Options{BaseURL: server.URL + c.prefix, Root: c.root, PageSize: 13, Rate: -1})
			copied := newFilms(t)
			report, err := client.Import(t.Context(), copied, service)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, i := range report {
				got = append(got, fmt.Sprintf("%s: %d in %d", i.Collection, i.Records, i.Pages))
			}
			// Pages after the first have 12 new records.
			if diff := cmp.Diff([]string{"directors: 2 in 1", "shortFilms: 40 in 4"}, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			load(t, copied, "drafts", []json.RawMessage{[]byte(`{"id":1}`)})
			if diff := cataloguetest.Diff(house, copied); diff != "" {
				t.Error(diff)
			}
			if err := copied.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A catalogue with some of the documented collections is filled with those.
func TestImportSubset(t *testing.T) {
	into, err := catalogue.NewOnly(catalogue.Define[schema.Label]("labels", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	house := sampleCatalogue(t)
	report, err := client.Import(t.Context(), into, serve(t, newHandler(t, house), 100))
	if err != nil || len(report) != 1 || into.Labels().Count() != house.Labels().Count() {
		t.Errorf("Import = %v, %v, want %d labels", report, err, house.Labels().Count())
	}
}

// The collections of a client are the documented ones unless it has a catalogue.
func TestOwnCollectionsOfClient(t *testing.T) {
	house := filledFilms(t, 5)
	server := httptest.NewServer(handlerAt(t, house, "/v1/"))
	defer server.Close()
	opts := client.Options{BaseURL: server.URL, Root: "/v1/", Rate: -1}
	if _, err := newClient(t, opts).Walk(t.Context(), "shortFilms"); !errors.Is(err, catalogue.ErrUnknownCollection) {
		t.Errorf("Walk without a catalogue: error %v, want ErrUnknownCollection", err)
	}
	opts.Catalogue = newFilms(t)
	service := newClient(t, opts)
	if diff := cmp.Diff([]string{"directors", "shortFilms"}, service.Keys()); diff != "" {
		t.Errorf("Keys (-want +got):\n%s", diff)
	}
	walk, err := service.Walk(t.Context(), "shortFilms")
	if err != nil || len(walk.Records) != 5 || walk.From != server.URL+"/v1/top10/" {
		t.Errorf("Walk = %d films from %s, %v, want 5", len(walk.Records), walk.From, err)
	}
	for _, key := range []string{"top10", "events"} { // a segment, and a documented key
		if _, err := service.Walk(t.Context(), key); !errors.Is(err, catalogue.ErrUnknownCollection) {
			t.Errorf("Walk of %s: error %v, want ErrUnknownCollection", key, err)
		}
	}
	if _, err := service.Walk(t.Context(), "drafts"); !errors.Is(err, client.ErrInvalidPage) || !strings.Contains(err.Error(), "405") {
		t.Errorf("Walk of drafts: error %v, want ErrInvalidPage with status 405", err)
	}
	if n := opts.Catalogue.Clone(); cataloguetest.Diff(nil, n) != "" {
		t.Error("the client wrote to its catalogue")
	}
	// The catalogue of the client counts, not the one that is loaded.
	report, err := client.Import(t.Context(), catalogue.New(), service)
	if !errors.Is(err, catalogue.ErrUnknownCollection) || len(report) != 2 {
		t.Errorf("Import into the documented collections = %v, %v, want ErrUnknownCollection", report, err)
	}
}

func TestVerifyClientOfOwnService(t *testing.T) {
	house := filledFilms(t, 95)
	fetch := func(ctx context.Context, http *http.Client, baseURL string) ([]int, error) {
		service, err := client.New(client.Options{BaseURL: baseURL, Root: "/v1/", Catalogue: house, HTTP: http, Rate: -1})
		if err != nil {
			return nil, err
		}
		walk, err := service.Walk(ctx, "shortFilms")
		var ids []int
		for _, text := range walk.Records {
			record, err := schema.ParseRecord(text)
			if err != nil {
				return nil, err
			}
			ids = append(ids, record.ID)
		}
		return ids, err
	}
	cataloguetest.VerifyClient(t, fetch, cataloguetest.Verification{Catalogue: house, Root: "/v1/", Timeout: time.Minute})
}

// The recordings hold the pages of all lists, in pages of 3, and others to be skipped.
func TestRecordingsOfOwnService(t *testing.T) {
	house := filledFilms(t, 10)
	h := handlerAt(t, house, "/v1/")
	const list = "http://films.test/shop/v1/"
	shop := http.StripPrefix("/shop", h)
	_, directors := followNext(t, shop, list+"directors/")
	urls, films := followNext(t, shop, list+"top10/?limit=3")
	files := numberedFiles("top10-%d.json", films...) // the segment ends in a number
	files["directors.json"] = &fstest.MapFile{Data: []byte(directors[0])}
	entries := []string{
		pageEntry(list+"directors/", directors[0]),
		pageEntry(list+"top10/?director=1", getBody(t, shop, list+"top10/?director=1")),
		pageEntry(list+"top10/2/", getBody(t, shop, list+"top10/2/")),
		pageEntry("http://films.test/v1/events/", `{"detail":"not a page"}`),
	}
	for i, body := range films {
		entries = append(entries, pageEntry(urls[i], body))
	}
	// If it were read, it would be the last complete list.
	entries = append(entries, pageEntry("http://films.test/api/top10/", `{"count":0,"next":null,"previous":null,"results":[]}`))
	opts := client.Options{Root: "/v1/", Catalogue: newFilms(t)}
	fromFiles, err := opts.ReadFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	fromHAR, err := opts.ReadHAR(strings.NewReader(har(entries...)))
	if err != nil {
		t.Fatal(err)
	}
	load(t, house, "drafts", []json.RawMessage{})
	for name, source := range map[string]client.Source{"files": fromFiles, "HAR": fromHAR} {
		if diff := cmp.Diff([]string{"directors", "shortFilms"}, source.Keys()); diff != "" {
			t.Errorf("%s: Keys (-want +got):\n%s", name, diff)
		}
		copied := newFilms(t)
		if _, err := client.Import(t.Context(), copied, source); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cataloguetest.Diff(house, copied); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if _, err := source.Walk(t.Context(), "events"); !errors.Is(err, catalogue.ErrUnknownCollection) {
			t.Errorf("%s: Walk of events: error %v, want ErrUnknownCollection", name, err)
		}
	}
}

func TestReadFilesNames(t *testing.T) {
	const page = `{"count":0,"next":null,"previous":null,"results":[]}`
	opts := client.Options{Catalogue: newFilms(t)}
	for _, c := range []struct{ file, key, reason string }{
		{"shortFilms.json", "shortFilms", "key"},
		{"shortFilms7.json", "shortFilms", "key and number"},
		{"top10.json", "shortFilms", "segment that ends in a number"},
		{"top10-3.json", "shortFilms", "segment that ends in a number, and number"},
		{"top103.json", "", "number that continues that of a segment"},
		{"top.json", "", "segment without its number"},
		{"events.json", "", "documented collection that the catalogue does not have"},
	} {
		recording, err := opts.ReadFiles(fstest.MapFS{c.file: {Data: []byte(page)}})
		var got string
		if err == nil {
			got = strings.Join(recording.Keys(), " ")
		}
		if got != c.key || c.key == "" && !errors.Is(err, catalogue.ErrUnknownCollection) {
			t.Errorf("%s: Keys = %q, %v, want %q", c.reason, got, err, c.key)
		}
	}
}

// The links of a saved page must lead to the root.
func TestReadFilesRoot(t *testing.T) {
	files := fstest.MapFS{"books.json": {Data: []byte(`{"count":4,"next":"http://shop.example/v1/books/?limit=2&offset=2","previous":null,"results":[{"id":1},{"id":2}]}`)}}
	if _, err := (client.Options{Root: "/v1/"}).ReadFiles(files); err != nil {
		t.Error(err)
	}
	for _, root := range []string{"", "/v2/", "/books/v1/"} {
		if _, err := (client.Options{Root: root}).ReadFiles(files); !errors.Is(err, client.ErrInvalidLink) {
			t.Errorf("root %q: error %v, want ErrInvalidLink", root, err)
		}
	}
}

// A root is valid if package httpapi can serve it.
func TestRoot(t *testing.T) {
	for _, root := range []string{
		"", "/", "/v1/", "/a/b/", "/città/", "//", "v1/", "/v1", "v1", "/v1//", "/./", "/a/../b/", "/a//b/",
		"/a b/", "/a?b/", "/a#b/", "/a%20b/", "/{a}/", "/a\n/", "https://films.test/v1/",
	} {
		_, want := httpapi.New(catalogue.New(), httpapi.Options{Root: root})
		opts := client.Options{BaseURL: "http://films.test", Root: root}
		_, forClient := client.New(opts)
		_, forFiles := opts.ReadFiles(fstest.MapFS{})
		_, forHAR := opts.ReadHAR(strings.NewReader(har()))
		for name, err := range map[string]error{"New": forClient, "ReadFiles": forFiles, "ReadHAR": forHAR} {
			if (err == nil) != (want == nil) || err != nil && !errors.Is(err, client.ErrInvalidOptions) {
				t.Errorf("root %q: %s: error %v, but that of httpapi.New is %v", root, name, err, want)
			}
		}
	}
}
