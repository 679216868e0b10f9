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
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/resources"
)

// answer is what a handler says to a GET.
func answer(t testing.TB, h http.Handler, url string) string {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, url, nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("%s: %d", url, rec.Code)
	}
	return rec.Body.String()
}

// followed are the URLs of a list, by its links, and their answers.
func followed(t testing.TB, h http.Handler, url string) (urls, answers []string) {
	t.Helper()
	for url != "" {
		body := answer(t, h, url)
		urls, answers = append(urls, url), append(answers, body)
		var page envelope
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		url = page.Next
	}
	return urls, answers
}

func listURL(about resources.Description) string {
	return "http://catalogue.test/api/" + about.Segment + "/"
}

// files are answers in files that are numbered backwards.
func files(names string, answers ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i, body := range answers {
		fsys[fmt.Sprintf(names, len(answers)-i)] = &fstest.MapFile{Data: []byte(body)}
	}
	return fsys
}

// sameHouse imports all of a source and wants it to be that house, to the byte.
func sameHouse(t *testing.T, house *catalogue.Catalogue, from client.Source) {
	t.Helper()
	copied := catalogue.New()
	report, err := client.Import(t.Context(), copied, from)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cataloguetest.Diff(house, copied); diff != "" {
		t.Error(diff)
	}
	if saved(t, house) != saved(t, copied) {
		t.Error("it is saved in other bytes")
	}
	if len(report) != 39 {
		t.Errorf("%d collections", len(report))
	}
	if err := copied.Check(); err != nil {
		t.Error(err)
	}
}

// A whole house, in pages of 21 and in the service's own orders, out of order.
func TestFilesOfAHouse(t *testing.T) {
	house := sampled(t)
	h := handler(t, house)
	all := fstest.MapFS{"README.md": {Data: []byte("not looked at")}}
	for i, about := range resources.Descriptions() {
		_, answers := followed(t, h, listURL(about))
		name := about.Key
		if i%2 == 0 {
			name = "pages/" + about.Segment
		}
		for name, f := range files(name+"-%d.json", answers...) {
			all[name] = f
		}
	}
	recording, err := client.ReadFiles(all)
	if err != nil {
		t.Fatal(err)
	}
	sameHouse(t, house, recording)
}

// har is a file with these entries.
func har(entries ...string) string {
	return `{"log":{"version":"1.2","creator":{"name":"test","version":"1"},"entries":[` + strings.Join(entries, ",") + `]}}`
}

// got is the entry of an answer to a GET.
func got(url, body string) string {
	return made("GET", url, 200, content{"application/json; charset=utf-8", body, ""})
}

type content struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"encoding,omitempty"`
}

func made(method, url string, status int, body content) string {
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

// A whole house, recorded while somebody walked through it, with all else that a
// browser does.
func TestHAROfAHouse(t *testing.T) {
	house := sampled(t)
	h := handler(t, house)
	html := content{"text/html; charset=utf-8", "<html>", ""}
	entries := []string{
		made("GET", "http://catalogue.test/", 200, html),
		made("GET", "http://catalogue.test/api/", 200, content{"application/json", "{}", ""}),
		made("GET", "http://catalogue.test/api/books/?format=api", 200, html),
		made("GET", "http://catalogue.test/api/books/?search=onda", 200, content{"application/json", "{", ""}),
		made("GET", "http://catalogue.test/api/books/7/", 200, content{"application/json", "{", ""}),
		made("GET", "http://catalogue.test/api/books", 301, html),
		made("GET", "http://catalogue.test/api/books/", 304, content{}),
		made("GET", "http://catalogue.test/api/books/", 500, content{"application/json", `{"detail":"Internal server error."}`, ""}),
		made("POST", "http://catalogue.test/api/events/", 201, content{"application/json", "{}", ""}),
		made("OPTIONS", "http://catalogue.test/api/events/", 200, content{"application/json", "{}", ""}),
		made("GET", "data:application/json,{}", 200, content{"application/json", "{}", ""}),
		made("GET", "http://[::1/api/books/", 200, content{"application/json", "{}", ""}),
	}
	for i, about := range resources.Descriptions() {
		urls, answers := followed(t, h, listURL(about)+"?limit=17&format=json")
		for j, body := range answers {
			entry := got(urls[j], body)
			if i%2 == 0 {
				entry = made("GET", urls[j], 200, content{"application/json", base64.StdEncoding.EncodeToString([]byte(body)), "base64"})
			}
			entries = append(entries, entry)
		}
		entries = append(entries, got(urls[0], answers[0])) // and back
	}
	recording, err := client.ReadHAR(strings.NewReader("\ufeff" + har(entries...)))
	if err != nil {
		t.Fatal(err)
	}
	sameHouse(t, house, recording)
}

// What our own client asks, pages that overlap, is a recording too.
func TestHAROfAWalk(t *testing.T) {
	house := shelf(t)
	h := handler(t, house)
	var entries []string
	service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		url := "http://" + r.Host + r.URL.String()
		entries = append(entries, got(url, answer(t, h, url)))
	}), 4)
	if _, err := service.Walk(t.Context(), "books"); err != nil {
		t.Fatal(err)
	}
	recording, err := client.ReadHAR(strings.NewReader(har(entries...)))
	if err != nil {
		t.Fatal(err)
	}
	list, err := ids(t, recording, "books")
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, list); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if diff := cmp.Diff([]string{"books"}, recording.Keys()); diff != "" {
		t.Error(diff)
	}
}

// A recording is proven whole whatever was recorded of it first, in files and in a
// HAR. The list is of ten books, by default by id.
func TestRecordings(t *testing.T) {
	const list = "http://catalogue.test/api/books/"
	h := handler(t, shelf(t))
	other := catalogue.New()
	load(t, other, "books", books(1, 2, 3, 4, 5, 6, 7, 8, 9, 77))
	changed := handler(t, other)
	fewer := catalogue.New()
	load(t, fewer, "books", books(1, 2, 3, 4, 5, 6, 7, 8, 9))
	shrunk := handler(t, fewer)
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
		{"three pages", "back to front", plain("?limit=4&offset=8", "?limit=4&offset=4", "?limit=4"), nil, 0},
		{"pages of other sizes", "they join", plain("?limit=3", "?limit=100&offset=3"), nil, 0},
		{"pages that overlap", "what they share is the same", plain("?limit=4", "?limit=4&offset=3", "?limit=4&offset=6"), nil, 0},
		{"a page twice", "the same", plain("?limit=4", "?limit=6&offset=4", "?limit=4"), nil, 0},
		{"behind the end", "an empty page proves nothing, and harms nothing", plain("?limit=5", "?limit=5&offset=5", "?limit=5&offset=50"), nil, 0},
		{"another order", "is whole as well", plain("?ordering=-name&limit=5", "?ordering=-name&limit=5&offset=5"), nil, 0},
		{"two orders", "one of which is whole", plain("?limit=5", "?ordering=name&limit=5", "?ordering=name&limit=5&offset=5", "?limit=2&ordering=-id"), nil, 0},
		{"two halves", "each of another order", plain("?ordering=id&limit=5", "?ordering=-id&limit=5&offset=5"), client.ErrGap, anywhere},
		{"the first page is missing", "it begins at 4", plain("?limit=4&offset=4", "?limit=4&offset=8"), client.ErrGap, 0},
		{"a page is missing", "8 follows upon 4", plain("?limit=4", "?limit=4&offset=8"), client.ErrGap, 4},
		{"the last page is missing", "two are to come", plain("?limit=4", "?limit=4&offset=4"), client.ErrGap, 8},
		{"another count", "something was deleted between the pages", []page{{h, "?limit=5", nil}, {shrunk, "?limit=5&offset=5", nil}}, client.ErrChanged, 5},
		{"a page twice, and not alike", "something was written between", []page{{h, "?limit=5", nil}, {h, "?limit=5&offset=5", nil}, {changed, "?limit=5&offset=5", nil}}, client.ErrChanged, 9},
		{"a page twice, with another name in it", "something was written between", []page{{h, "?limit=5", nil}, {h, "?limit=5", func(p *envelope) { p.Records[2] = json.RawMessage(`{"id":3,"name":"Onda"}`) }}, {h, "?limit=5&offset=5", nil}}, client.ErrChanged, 2},
		{"one record twice", "it has moved over the border", []page{{h, "?limit=5", nil}, {h, "?limit=5&offset=5", func(p *envelope) { p.Records[0] = p.Records[1] }}}, client.ErrDuplicate, 6},
		{"a record of the page before", "it has moved over the border", []page{{h, "?limit=5", nil}, {h, "?limit=5&offset=5", func(p *envelope) { p.Records[0] = books(5)[0] }}}, client.ErrDuplicate, 5},
		{"a row is missing", "5 on a page of 5, and one is taken out", []page{{h, "?limit=5", func(p *envelope) { p.Records = p.Records[1:] }}, {h, "?limit=5&offset=5", nil}}, client.ErrGap, 4},
		{"a row is missing on the last page", "the count tells", []page{{h, "?limit=4", nil}, {h, "?limit=4&offset=4", nil}, {h, "?limit=4&offset=8", func(p *envelope) { p.Records = p.Records[1:] }}}, client.ErrGap, 9},
		{"a row is missing on the only page", "the count tells", []page{{h, "", func(p *envelope) { p.Records = p.Records[1:] }}}, client.ErrGap, 9},
		{"a row is missing where two pages overlap", "it is in the other; but a page that lost one proves nothing", []page{{h, "?limit=5", func(p *envelope) { p.Records = p.Records[:4] }}, {h, "?limit=6&offset=4", nil}}, client.ErrGap, 4},
		{"next is missing", "the page says that it is the last, and the count that it is not", []page{{h, "?limit=5", func(p *envelope) { p.Next = "" }}, {h, "?limit=5&offset=5", nil}}, client.ErrGap, anywhere},
		{"a row more than next says", "6 on a page of 5", []page{{h, "?limit=5", func(p *envelope) { p.Records = books(1, 2, 3, 4, 5, 6) }}, {h, "?limit=5&offset=5", nil}}, client.ErrInvalidLink, 6},
		{"all rows, and a next", "10 on a page of 5", []page{{h, "?limit=5", func(p *envelope) { p.Records = books(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) }}}, client.ErrInvalidLink, 10},
		{"a row too many", "the count tells", []page{{h, "", func(p *envelope) { p.Count = 9 }}}, client.ErrChanged, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			var answers, entries []string
			for _, p := range c.pages {
				body := answer(t, p.h, list+p.query)
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
				answers, entries = append(answers, body), append(entries, got(list+p.query, body))
			}
			fromFiles, err := client.ReadFiles(files("books-%d.json", answers...))
			if err != nil {
				t.Fatal(err)
			}
			fromHAR, err := client.ReadHAR(strings.NewReader(har(entries...)))
			if err != nil {
				t.Fatal(err)
			}
			for name, source := range map[string]client.Source{"files": fromFiles, "HAR": fromHAR} {
				if c.want != nil {
					mustFail(t, source, c.want, c.offset)
					continue
				}
				got, err := ids(t, source, "books")
				if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, got); diff != "" || err != nil {
					t.Error(name, diff, err)
				}
			}
		})
	}
}

// What is in a file that cannot be a page, or be where it says.
func TestBadFiles(t *testing.T) {
	const page = `{"count":10,"next":%s,"previous":%s,"results":[{"id":1},{"id":2}]}`
	const list = `"http://catalogue.test/api/books/?limit=2`
	links := func(next, previous string) string { return fmt.Sprintf(page, next, previous) }
	for _, c := range []struct {
		name, reason, file, body string
		want                     error
	}{
		{"name", "none of the 39", "shelves-0.json", links("null", "null"), catalogue.ErrUnknownCollection},
		{"only a number", "none of the 39", "7.json", links("null", "null"), catalogue.ErrUnknownCollection},
		{"no JSON", "it breaks off", "books.json", `{"count":10,`, client.ErrInvalidPage},
		{"empty", "no JSON", "books.json", ``, client.ErrInvalidPage},
		{"a list", "no envelope, so no proof", "books.json", `[{"id":1}]`, client.ErrInvalidPage},
		{"error document", "no page", "books.json", `{"detail":"Not found."}`, client.ErrInvalidPage},
		{"record", "without id", "books.json", `{"count":1,"next":null,"previous":null,"results":[{}]}`, client.ErrInvalidPage},
		{"next is relative", "nobody knows whose it is", "books.json", links(`"?limit=2&offset=2"`, "null"), client.ErrInvalidLink},
		{"next begins too late", "previous says that it is the first", "books.json", links(list+`&offset=4"`, "null"), client.ErrInvalidLink},
		{"next begins too early", "before the first record", "books.json", links(list+`&offset=1"`, "null"), client.ErrInvalidLink},
		{"next of the first page", "to the first page", "books.json", links(list+`"`, "null"), client.ErrInvalidLink},
		{"next behind the end", "nothing is there", "books.json", links(list+`&offset=10"`, list+`&offset=6"`), client.ErrInvalidLink},
		{"previous of the first page", "before the first record", "books.json", links(list+`&offset=2"`, list+`"`), client.ErrInvalidLink},
		{"previous too early", "two before 4 is 2", "books.json", links(list+`&offset=6"`, list+`&offset=1"`), client.ErrInvalidLink},
		{"previous of another size", "one page has one size", "books.json", links(list+`&offset=6"`, `"http://catalogue.test/api/books/?limit=3&offset=2"`), client.ErrInvalidLink},
		{"previous of another list", "another order", "books.json", links(list+`&offset=6"`, list+`&offset=2&ordering=name"`), client.ErrInvalidLink},
		{"previous on another host", "another service", "books.json", links(list+`&offset=6"`, `"http://192.0.2.1/api/books/?limit=2&offset=2"`), client.ErrInvalidLink},
		{"previous without end", "beyond all numbers", "books.json", links(`null`, `"http://catalogue.test/api/books/?limit=9223372036854775807&offset=9223372036854775807"`), client.ErrInvalidLink},
		{"another collection", "records of faqs in a file of books", "books.json", links(`"http://catalogue.test/api/faqs/?limit=2&offset=2"`, "null"), client.ErrInvalidLink},
		{"no collection", "whose records nobody knows", "books.json", links(`"http://catalogue.test/api/shelves/?limit=2&offset=2"`, "null"), client.ErrInvalidLink},
		{"a search", "which shows a part", "books.json", links(list+`&offset=2&search=rome"`, "null"), client.ErrInvalidLink},
		{"a filter on the last page", "which shows a part", "books.json", links("null", list+`&offset=6&active=true"`), client.ErrInvalidLink},
		{"a semicolon", "a search, to some", "books.json", links(list+`&offset=2&search=rome;milan"`, "null"), client.ErrInvalidLink},
		{"a broken escape", "a search, to some", "books.json", links(list+`&offset=2&search=100%"`, "null"), client.ErrInvalidLink},
		{"more rows than the count", "so it begins before the first", "books.json", `{"count":1,"next":null,"previous":` + list + `","results":[{"id":1},{"id":2}]}`, client.ErrInvalidLink},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			recording, err := client.ReadFiles(fstest.MapFS{
				"a/" + c.file: {Data: []byte(c.body)},
				"events.json": {Data: []byte(`{"count":0,"next":null,"previous":null,"results":[]}`)},
			})
			if !errors.Is(err, c.want) || recording != nil || !strings.Contains(err.Error(), "a/"+c.file) {
				t.Errorf("want %v of %s, got %v", c.want, c.file, err)
			}
		})
	}
}

// An answer to a question that is not for the whole list, or may not be, is no page
// of it, however whole it looks.
func TestHAROfParts(t *testing.T) {
	const part = `{"count":1,"next":null,"previous":null,"results":[{"id":7}]}`
	for _, c := range []struct{ query, reason string }{
		{"search=rome", "a search"},
		{"search=", "an empty one; other services may see that otherwise"},
		{"search=rome;milan", "net/url does not split at a semicolon"},
		{"search;x=1", "not in names either"},
		{"search=100%", "net/url does not take what is no escape"},
		{"search=%zz", "of whatever kind"},
		{"limit=5&%zz=1", "not in names either"},
	} {
		recording, err := client.ReadHAR(strings.NewReader(har(got("http://catalogue.test/api/books/?"+c.query, part))))
		if err != nil {
			t.Fatal(err)
		}
		if keys := recording.Keys(); len(keys) != 0 {
			t.Errorf("?%s was taken (%s)", c.query, c.reason)
		}
	}
}

func TestBadHAR(t *testing.T) {
	const url = "http://catalogue.test/api/books/"
	const empty = `{"count":0,"next":null,"previous":null,"results":[]}`
	const last = `{"count":10,"next":null,"previous":%s,"results":[{"id":9},{"id":10}]}`
	const middle = `{"count":10,"next":%q,"previous":%q,"results":[{"id":3},{"id":4}]}`
	for _, c := range []struct {
		name, reason, file string
		want               error
	}{
		{"no JSON", "it breaks off", `{"log":{"entries":[`, client.ErrInvalidHAR},
		{"empty", "no JSON", ``, client.ErrInvalidHAR},
		{"null", "no log", `null`, client.ErrInvalidHAR},
		{"an envelope", "no log", empty, client.ErrInvalidHAR},
		{"no entries", "no list of them", `{"log":{"version":"1.2"}}`, client.ErrInvalidHAR},
		{"a status that is text", "no HAR", har(`{"request":{"method":"GET","url":"` + url + `"},"response":{"status":"200"}}`), client.ErrInvalidHAR},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			if recording, err := client.ReadHAR(strings.NewReader(c.file)); !errors.Is(err, c.want) || recording != nil {
				t.Errorf("want %v, got %v", c.want, err)
			}
		})
	}
	for _, c := range []struct {
		name, reason, entry string
		want                error
	}{
		{"no page", "an error document with status 200", got(url, `{"detail":"x"}`), client.ErrInvalidPage},
		{"cut off", "as some tools do with long bodies", got(url, empty[:20]), client.ErrInvalidPage},
		{"not recorded", "as some tools do when asked to", `{"request":{"method":"GET","url":"` + url + `"},"response":{"status":200,"content":{"mimeType":"application/json"}}}`, client.ErrInvalidPage},
		{"bad base64", "no body", made("GET", url, 200, content{"application/json", "{}", "base64"}), client.ErrInvalidPage},
		{"unknown encoding", "no body", made("GET", url, 200, content{"application/json", empty, "gzip"}), client.ErrInvalidPage},
		{"next to itself", "a loop", got(url+"?limit=2&offset=2", fmt.Sprintf(middle, url+"?limit=2&offset=2", url+"?limit=2")), client.ErrInvalidLink},
		{"next on another host", "another service", got(url+"?limit=2&offset=2", fmt.Sprintf(middle, "http://192.0.2.1/api/books/?limit=2&offset=4", url+"?limit=2")), client.ErrInvalidLink},
		{"previous too early", "three before 8 is 5", got(url+"?limit=10&offset=8", fmt.Sprintf(last, `"`+url+`?limit=3&offset=2"`)), client.ErrInvalidLink},
		{"previous is null", "there are pages before", got(url+"?limit=10&offset=8", fmt.Sprintf(last, "null")), client.ErrInvalidLink},
		{"previous of the first page", "nothing is before it", got(url, fmt.Sprintf(last, `"`+url+`?limit=3"`)), client.ErrInvalidLink},
		{"previous to another collection", "other records", got(url+"?limit=2&offset=2", fmt.Sprintf(middle, url+"?limit=2&offset=4", "http://catalogue.test/api/faqs/?limit=2")), client.ErrInvalidLink},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			recording, err := client.ReadHAR(strings.NewReader(har(got("http://catalogue.test/api/faqs/", empty), c.entry)))
			if !errors.Is(err, c.want) || recording != nil || !strings.Contains(err.Error(), "entry 1, "+url) {
				t.Errorf("want %v of entry 1, got %v", c.want, err)
			}
		})
	}
}

// Of two houses, or of two days, the last that is whole counts.
func TestLastWholeRecordingCounts(t *testing.T) {
	const staging, shop = "http://staging.example/api/books/", "http://shop.example/api/books/"
	h := handler(t, shelf(t))
	empty := handler(t, catalogue.New())
	for _, c := range []struct {
		reason  string
		entries []string
		want    int
	}{
		{"the shop is last", []string{got(staging, answer(t, h, staging)), got(shop, answer(t, empty, shop))}, 0},
		{"staging is last", []string{got(shop, answer(t, empty, shop)), got(staging, answer(t, h, staging))}, 10},
		{"the last is not whole", []string{got(staging, answer(t, h, staging)), got(shop+"?limit=2", answer(t, h, shop+"?limit=2"))}, 10},
	} {
		recording, err := client.ReadHAR(strings.NewReader(har(c.entries...)))
		if err != nil {
			t.Fatal(err)
		}
		if list, err := ids(t, recording, "books"); err != nil || len(list) != c.want {
			t.Errorf("%s: want %d books, got %d, %v", c.reason, c.want, len(list), err)
		}
	}
}

// What a walk gives is the caller's.
func TestRecordingIsNotShared(t *testing.T) {
	recording, err := client.ReadFiles(files("books-%d.json", answer(t, handler(t, shelf(t)), "http://catalogue.test/api/books/")))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		walk, err := recording.Walk(t.Context(), "books")
		if err != nil {
			t.Fatal(err)
		}
		if string(walk.Records[0]) != `{"id":1,"name":"Book 1"}` {
			t.Errorf("the first is %s", walk.Records[0])
		}
		clear(walk.Records[0])
	}
}

// What was not recorded, and what is no collection.
func TestRecordingOfOthers(t *testing.T) {
	var none client.Recording
	if keys := none.Keys(); len(keys) != 0 {
		t.Errorf("keys %v", keys)
	}
	if _, err := none.Walk(t.Context(), "books"); !errors.Is(err, client.ErrGap) {
		t.Error(err)
	}
	if _, err := none.Walk(t.Context(), "shelves"); !errors.Is(err, catalogue.ErrUnknownCollection) {
		t.Error(err)
	}
	if report, err := client.Import(t.Context(), catalogue.New(), &none); err != nil || len(report) != 0 {
		t.Error(report, err)
	}
}
