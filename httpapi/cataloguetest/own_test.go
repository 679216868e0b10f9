package cataloguetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
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

// filmDefinitions returns definitions of collections of a program. The segment of the
// films is not their key, and drafts have no list and no paths of records.
func filmDefinitions() []catalogue.AnyDefinition {
	return []catalogue.AnyDefinition{
		catalogue.Define[draft]("drafts", catalogue.Options{Description: &schema.Description{Actions: schema.Create}}),
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[film]("shortFilms", catalogue.Options{
			Description: &schema.Description{Segment: "films", Filters: []string{"director"}, Search: []string{"title"}},
		}),
	}
}

// filmRecords returns the JSON of films with the ids from 1.
func filmRecords(n int) string {
	var all []string
	for id := 1; id <= n; id++ {
		all = append(all, fmt.Sprintf(`{"id":%d,"title":"Film %d","director":%d}`, id, id, 1+id%2))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// newFilms returns a server of two directors and the given number of films.
func newFilms(t *testing.T, films int) *Server {
	t.Helper()
	return NewWith(t, Options{
		Handler:   httpapi.Options{Root: "/v1/"},
		Ignored:   []string{"api_key"},
		Catalogue: holding(`{"directors":[{"id":1,"name":"Varda"},{"id":2,"name":"Rohrwacher"}],"shortFilms":`+filmRecords(films)+"}", filmDefinitions()...),
	})
}

// Faults apply to pages of all styles. Pages have three of seven books, ordered by id, whose
// cursors are "p=" and an id in base64.
func TestFaultsOfStyles(t *testing.T) {
	limits := pagination.Limits{Default: 3}
	numbers, cursors := pagination.Numbers{Limits: limits}, pagination.Cursors{Limits: limits}
	more := func() Fault { return Page(func(_ *http.Request, page *envelope) { page.Count++ }) }
	for _, tt := range []struct {
		reason string
		style  pagination.Style
		fault  func() Fault
		query  string
		want   string // count, next without its path, and ids
	}{
		{"the last record is missing", numbers, MissingRow, "?page=2", `7 "?page=3" [{4} {5}]`},
		{"the first record is repeated", numbers, RepeatedRow, "?page=2", `7 "?page=3" [{4} {4} {5} {6}]`},
		{"a size and another name", pagination.Numbers{Limits: limits, Page: "p", Size: "n"}, MissingRow, "?p=3&n=2", `7 "?n=2&p=4" [{5}]`},
		{"the last page", numbers, NextIsSelf, "?page=last", `7 "?page=last" [{7}]`},
		{"a count", numbers, more, "?page=3", `8 "" [{7}]`},

		{"the last record is missing", cursors, MissingRow, "", `- "?cursor=cD0z" [{1} {2}]`},
		{"the first record is repeated", cursors, RepeatedRow, "?cursor=cD0z", `- "?cursor=cD02" [{4} {4} {5} {6}]`},
		{"the last page", cursors, NextIsSelf, "?cursor=cD02", `- "?cursor=cD02" [{7}]`},
		{"there is no count", cursors, more, "?cursor=cD02", `- "" [{7}]`},
	} {
		server := NewWith(t, Options{Handler: httpapi.Options{Pages: tt.style}, Catalogue: holding(`{"books":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]}`)})
		fault := server.Inject(Match{}, tt.fault())
		_, body := get(t, server, "/api/books/"+tt.query)
		fault.Remove()
		var p struct {
			Count   *int
			Next    string
			Results []struct{ ID int }
		}
		must(t, json.Unmarshal([]byte(body), &p))
		got := "-"
		if p.Count != nil {
			got = fmt.Sprint(*p.Count)
		}
		_, next, _ := strings.Cut(p.Next, "/api/books/")
		if got = fmt.Sprintf("%s %q %v", got, next, p.Results); got != tt.want {
			t.Errorf("%T, %s: %s: %s, want %s", tt.style, tt.query, tt.reason, got, tt.want)
		}
	}
}

// Faults of pages apply to the records of a list without pages, which has neither a count nor links. A
// response to which a fault does nothing does not count.
func TestFaultsWithoutPages(t *testing.T) {
	change := func(f func(page *envelope)) Fault { return Page(func(_ *http.Request, page *envelope) { f(page) }) }
	for _, tt := range []struct {
		reason string
		fault  Fault
		path   string
		want   string
		count  int // of changed responses
	}{
		{"the last record is missing", MissingRow(), "/api/books/", `[{"id":1},{"id":2}]`, 1},
		{"the first record is repeated", RepeatedRow(), "/api/books/?ordering=-id&limit=1", `[{"id":3},{"id":3},{"id":2},{"id":1}]`, 1},
		{"no records", change(func(page *envelope) { page.Records = nil }), "/api/books/", `[]`, 1},
		{"a record of HTML", change(func(page *envelope) {
			page.Records = page.Records[:1]
			page.Records[0] = json.RawMessage(`"<\"results\":"`)
		}), "/api/books/", `["<\"results\":"]`, 1},
		{"no JSON", change(func(page *envelope) { page.Records[0] = json.RawMessage(`{`) }), "/api/books/", `[{"id":1},{"id":2},{"id":3}]`, 0},
		{"a link to itself", NextIsSelf(), "/api/books/", `[{"id":1},{"id":2},{"id":3}]`, 0},
		{"a link", change(func(page *envelope) { page.Next = "http://other.example/" }), "/api/books/", `[{"id":1},{"id":2},{"id":3}]`, 0},
		{"a count", change(func(page *envelope) { page.Count++ }), "/api/books/", `[{"id":1},{"id":2},{"id":3}]`, 0},
		{"a cut list", Truncate(5), "/api/books/", `[{"id`, 1},
	} {
		server := NewWith(t, Options{Handler: httpapi.Options{Pages: pagination.Whole{Max: 3}}, Ignored: []string{"limit"}, Catalogue: holding(`{"books":[{"id":1},{"id":2},{"id":3}]}`)})
		fault := server.Inject(Match{}, tt.fault)
		_, body := get(t, server, tt.path)
		if fault.Remove(); body != tt.want || fault.Count() != tt.count {
			t.Errorf("%s: %s and %d changes, want %s and %d", tt.reason, body, fault.Count(), tt.want, tt.count)
		}
	}
	server := NewWith(t, Options{Handler: httpapi.Options{Pages: pagination.Whole{Max: 2}}, Catalogue: holding(`{"books":[{"id":1},{"id":2},{"id":3}]}`)})
	fault := server.Inject(Match{}, MissingRow())
	if status, body := get(t, server, "/api/books/"); status != 400 || !strings.Contains(body, "Too many records") || fault.Count() != 0 {
		t.Errorf("a list that is too long: %d %s", status, body)
	}
	fault.Remove()
}

// The style of a description takes precedence over that of the options.
func TestStyleOfDescription(t *testing.T) {
	server := NewWith(t, Options{
		Handler: httpapi.Options{Pages: pagination.Numbers{}},
		Catalogue: holding(`{"directors":[{"id":1,"name":"A"},{"id":2,"name":"B"},{"id":3,"name":"C"}]}`,
			catalogue.Define[director]("directors", catalogue.Options{Description: &schema.Description{Pages: pagination.Cursors{Limits: pagination.Limits{Default: 2}}}})),
	})
	server.Inject(Match{}, MissingRow())
	const want = `{"next":"http://catalogue.test/api/directors/?cursor=cD0y","previous":null,"results":[{"id":1,"name":"A"}]}`
	if _, body := get(t, server, "/api/directors/"); body != want {
		t.Errorf("a page without its last record: %s, want %s", body, want)
	}
}

// A server imitates another version of the framework.
func TestFramework(t *testing.T) {
	server := NewWith(t, Options{Handler: httpapi.Options{Pages: pagination.Numbers{Limits: pagination.Limits{Default: 150}}, Framework: schema.DRF318(nil)}})
	if p := page(t, server, "/api/events/?page="); len(p.Records) != 150 || p.Previous != "" {
		t.Errorf("an empty number: %d records after %q, want the first page", len(p.Records), p.Previous)
	}
}

// The rights of a handler are those of the fake, which permits everything without any.
func TestAuthorizer(t *testing.T) {
	for _, tt := range []struct {
		authorizer httpapi.Authorizer
		status     int
	}{{nil, 201}, {httpapi.Bearer("s3cret"), 401}} {
		server := NewWith(t, Options{
			Catalogue: holding(`{"directors":[]}`, filmDefinitions()...),
			Handler:   httpapi.Options{Authorizer: tt.authorizer},
		})
		if resp, text := ask(t, server, "POST /api/directors/", `{"name":"Varda"}`); resp.StatusCode != tt.status {
			t.Errorf("%d %s, want %d", resp.StatusCode, text, tt.status)
		}
	}
}
