package browse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// chrome is the Accept header of a browser that follows a link.
const chrome = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng," +
	"*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"

// load returns a catalogue loaded from JSON. It is checked at the end of the test.
func load(t testing.TB, text string) *catalogue.Catalogue {
	t.Helper()
	cat := mustNew()
	must(t, cat.Load(strings.NewReader(text), catalogue.LoadOptions{}))
	t.Cleanup(func() {
		if err := cat.Check(); err != nil {
			t.Error(err)
		}
	})
	return cat
}

// books returns the JSON of a catalogue with n books.
func books(n int) string {
	var records []string
	for i := range n {
		text, _ := json.Marshal(map[string]int{"id": i + 1})
		records = append(records, string(text))
	}
	return `{"books":[` + strings.Join(records, ",") + `]}`
}

// handlers holds the same handler without and with package browse.
type handlers struct{ plain, browse http.Handler }

func newHandlers(t testing.TB, cat *catalogue.Catalogue, opts httpapi.Options) handlers {
	t.Helper()
	h, err := httpapi.New(cat, reportingPanics(t, opts))
	must(t, err)
	return handlers{h, browsing(t, h, Options{})}
}

// reportingPanics returns options in which a panic fails the test, unless they have an OnError.
func reportingPanics(t testing.TB, opts httpapi.Options) httpapi.Options {
	if opts.OnError == nil {
		opts.OnError = func(r *http.Request, err error) {
			if errors.Is(err, httpapi.ErrPanic) {
				t.Errorf("%s %s: %v", r.Method, r.URL, err)
			}
		}
	}
	return opts
}

func browsing(t testing.TB, h http.Handler, opts Options) http.Handler {
	t.Helper()
	b, err := New(h, opts)
	must(t, err)
	return b
}

// around returns the pages of the documented collections with the responses of serve, in place of a
// handler.
func around(t testing.TB, serve http.HandlerFunc) http.Handler {
	t.Helper()
	return browsing(t, middleware(t, func(w http.ResponseWriter, r *http.Request) {
		wire.PageOf(r.Context())(w, r, answers{serve})
	}), Options{})
}

// answers admit all requests, and have no lists.
type answers struct{ http.Handler }

func (a answers) Admit(w http.ResponseWriter, r *http.Request, use func(wire.Selection) error) bool {
	if use != nil {
		a.ServeHTTP(w, r)
	}
	return use == nil
}

func (a answers) Unread(w http.ResponseWriter, r *http.Request, _ func(string, []string)) {
	a.ServeHTTP(w, r)
}

// middleware returns a handler of the documented collections that responds with serve.
func middleware(t testing.TB, serve http.HandlerFunc) http.Handler {
	t.Helper()
	h, err := httpapi.New(mustNew(), httpapi.Options{})
	must(t, err)
	return wrapped{h, serve}
}

// wrapped is middleware that embeds the handler that it wraps.
type wrapped struct {
	*httpapi.Handler
	serve http.HandlerFunc
}

func (w wrapped) ServeHTTP(rw http.ResponseWriter, r *http.Request) { w.serve(rw, r) }

// request returns a request of a browser, with additional headers.
func request(method, target, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "host.example"
	r.Header.Set("Accept", chrome)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// formRequest returns the request of a browser that posts a form.
func formRequest(target, body string, header ...string) *http.Request {
	if !strings.Contains(target, methodName) {
		path, query, _ := strings.Cut(target, "?")
		target = path + "?" + strings.TrimPrefix(query+"&"+methodName+"=POST", "&")
	}
	header = append([]string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin", "Origin", "http://host.example"}, header...)
	return request("POST", target, body, header...)
}

// result is a response, parsed as HTML.
type result struct {
	status int
	header http.Header
	body   string
	tags   []tag
	text   string // unescaped, with white space collapsed
}

func do(h http.Handler, r *http.Request) result {
	rec := httptest.NewRecorder()
	rec.Body = new(bytes.Buffer)
	h.ServeHTTP(rec, r)
	res := result{status: rec.Code, header: rec.Header(), body: rec.Body.String()}
	res.tags, res.text = parse(res.body)
	return res
}

func get(h http.Handler, target string) result { return do(h, request("GET", target, "")) }

// tag is a start or end tag.
type tag struct {
	name  string
	attrs map[string]string
	text  string // up to the next tag
}

// parse tokenizes HTML. All attribute values must be quoted, as in the template.
func parse(page string) (tags []tag, text string) {
	var all strings.Builder
	for page != "" {
		before, rest, ok := strings.Cut(page, "<")
		before = html.UnescapeString(before)
		all.WriteString(before)
		if len(tags) > 0 {
			tags[len(tags)-1].text += before
		}
		if !ok {
			break
		}
		t := tag{attrs: make(map[string]string)}
		end := strings.IndexAny(rest, " \n>")
		t.name, rest = rest[:end], rest[end:]
		for {
			rest = strings.TrimLeft(rest, " \n")
			if rest[0] == '>' {
				rest = rest[1:]
				break
			}
			end := strings.IndexAny(rest, "= >\n")
			name := rest[:end]
			rest = rest[end:]
			value := ""
			if strings.HasPrefix(rest, `="`) {
				value, rest, _ = strings.Cut(rest[2:], `"`)
			}
			t.attrs[name] = html.UnescapeString(value)
		}
		if t.name == "style" {
			_, rest, _ = strings.Cut(rest, "</style>")
		}
		if t.name != "bdi" && t.name != "/bdi" { // they only isolate a text
			tags = append(tags, t)
		}
		page = rest
	}
	return tags, strings.Join(strings.Fields(all.String()), " ")
}

// find returns the tags with the given name and attribute. The value "*" matches any
// value, and an empty attr any tag.
func (res result) find(name, attr, value string) (found []tag) {
	for _, t := range res.tags {
		got, ok := t.attrs[attr]
		if t.name == name && (attr == "" || ok && (value == "*" || value == got)) {
			found = append(found, t)
		}
	}
	return found
}

// one returns the only such tag.
func (res result) one(t *testing.T, name, attr, value string) tag {
	t.Helper()
	found := res.find(name, attr, value)
	if len(found) != 1 {
		t.Fatalf("%d tags <%s %s=%q>, want 1, in:\n%s", len(found), name, attr, value, res.body)
	}
	return found[0]
}

// links returns the targets of all links by their texts.
func (res result) links() map[string]string {
	all := make(map[string]string)
	inMenu := false // which has the names of the breadcrumb
	for _, t := range res.tags {
		inMenu = t.attrs["class"] == "menu" || inMenu && t.name != "/details"
		if href, ok := t.attrs["href"]; ok && t.name == "a" && !inMenu {
			all[strings.TrimSpace(t.text)] = href
		}
	}
	return all
}

// follow requests a link of the page at target.
func follow(t *testing.T, h http.Handler, target, link string) result {
	t.Helper()
	at, err := request("GET", target, "").URL.Parse(link)
	must(t, err)
	return get(h, at.RequestURI())
}

// next requests the page to which the response to a form at target redirects, with its cookies.
func (res result) next(t *testing.T, h http.Handler, target string) result {
	t.Helper()
	at, err := request("GET", target, "").URL.Parse(res.header.Get("Location"))
	if err != nil || res.status != http.StatusSeeOther {
		t.Fatalf("%d %q: %v", res.status, res.header.Get("Location"), err)
	}
	r := request("GET", at.RequestURI(), "")
	for _, c := range (&http.Response{Header: res.header}).Cookies() {
		r.AddCookie(c)
	}
	return do(h, r)
}

// unreadBody is a body that must not be read.
type unreadBody struct{ t *testing.T }

func (u unreadBody) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// shelf is a collection with all operations, which records its writes but does not make
// them.
type shelf struct {
	about   schema.Description
	records map[int]map[string]json.RawMessage
	calls   []string // writes
	refuse  error    // of all writes
}

func newShelf(about schema.Description, records ...string) *shelf {
	s := &shelf{about: about, records: make(map[int]map[string]json.RawMessage)}
	for i, text := range records {
		record := make(map[string]json.RawMessage)
		if err := json.Unmarshal([]byte(text), &record); err != nil {
			panic(err)
		}
		s.records[i+1] = record
	}
	return s
}

func (s *shelf) Description() schema.Description { return s.about }

// encoded returns a record with its members in the order of the fields.
func (s *shelf) encoded(id int) []byte {
	var members []string
	for _, f := range s.about.Fields {
		if value, ok := s.records[id][f.Name]; ok {
			name, _ := json.Marshal(f.Name)
			members = append(members, fmt.Sprintf("%s:%s", name, value))
		}
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

func (s *shelf) List(_ context.Context, q catalogue.Query) (catalogue.Listing, error) {
	var all [][]byte
	for id := range 1000 {
		if s.records[id] != nil && !isNothing(q.Filter) {
			all = append(all, s.encoded(id))
		}
	}
	start, end := q.Window.Bounds(len(all))
	return catalogue.Listing{Records: all[start:end], Count: len(all)}, nil
}

// isNothing reports whether a filter is that of a search for the word nothing.
func isNothing(filter schema.Filter) bool {
	return len(filter.Search) > 0 && filter.Search[0][0].Values[0] == "nothing"
}

func (s *shelf) Get(_ context.Context, segment string, _ schema.Filter) ([]byte, error) {
	id := schema.ParseID(segment)
	if s.records[id] == nil {
		return nil, catalogue.ErrNotFound
	}
	return s.encoded(id), nil
}

func (s *shelf) Update(_ context.Context, segment string, u catalogue.Edit) ([]byte, error) {
	id := schema.ParseID(segment)
	s.calls = append(s.calls, fmt.Sprintf("update %d %t %s", id, u.Partial, u.Body))
	if u.Precondition != nil {
		if err := u.Precondition(s.encoded(id)); err != nil {
			return nil, err
		}
	}
	if s.refuse != nil {
		return nil, s.refuse
	}
	return s.encoded(id), nil
}

func (s *shelf) Delete(_ context.Context, segment string, _ schema.Filter, condition func([]byte) error) error {
	id := schema.ParseID(segment)
	s.calls = append(s.calls, fmt.Sprintf("delete %d", id))
	if s.records[id] == nil {
		return catalogue.ErrNotFound
	}
	if condition != nil {
		if err := condition(s.encoded(id)); err != nil {
			return err
		}
	}
	return s.refuse
}

func (s *shelf) Create(_ context.Context, body []byte, _ schema.Record) ([]byte, error) {
	s.calls = append(s.calls, "create "+string(body))
	if s.refuse != nil {
		return nil, s.refuse
	}
	return s.encoded(1), nil
}

func filmFields() []schema.Field {
	return []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "title", Kind: schema.Text, Required: true},
		{Name: "synopsis", Kind: schema.Text, Blank: true, Default: `""`},
		{Name: "released", Kind: schema.Date, Nullable: true, Default: `null`},
		{Name: "premiereAt", Kind: schema.Timestamp, Nullable: true, Default: `null`},
		{Name: "minutes", Kind: schema.Integer, Required: true, Min: "0", Max: "600"},
		{Name: "rating", Kind: schema.Float, Nullable: true, Default: `null`},
		{Name: "price", Kind: schema.Decimal, Digits: 8, Places: 2, Required: true},
		{Name: "status", Kind: schema.Choice, Choices: []string{"announced", "released"}, Default: `"announced"`},
		{Name: "published", Kind: schema.Boolean, Default: `false`},
		{Name: "seen", Kind: schema.Boolean, Nullable: true, Default: `null`},
		{Name: "website", Kind: schema.URL, Blank: true, Nullable: true, Default: `null`},
		{Name: "director", Kind: schema.Reference, Refers: "directors", Required: true},
		{Name: "genres", Kind: schema.References, Refers: "genres", Default: `[]`},
		{Name: "tags", Kind: schema.Array, Item: &schema.Field{Kind: schema.Text}, Default: `[]`},
		{Name: "extra", Kind: schema.JSON, Nullable: true, Default: `null`},
		{Name: "createdAt", Kind: schema.Timestamp, ReadOnly: true, Created: true},
	}
}

func describe(key, name string, actions schema.Actions, fields []schema.Field) schema.Description {
	return schema.Description{Key: key, Segment: key, Name: name, Actions: actions, Vary: "Accept", Ordering: []ordering.Term{ordering.Asc("id")}, Fields: fields}
}

const firstFilm = `{"id":1,"title":"Nächte & <Tage>","synopsis":"one\ntwo","released":"2024-05-10","premiereAt":"2024-05-10T18:00:00.500000Z",
	"minutes":90,"rating":7.0,"price":"12.50","status":"released","published":true,"seen":null,"website":null,"director":2,"genres":[1,3],
	"tags":["a\nb","c"],"extra":{"k":[1]},"createdAt":"2026-01-02T03:04:05Z"}`

// service is a handler for films with all operations, directors that can be read, and
// genres that have no pages.
type service struct {
	films, directors, genres *shelf
}

func newService() service {
	named := []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "title", Kind: schema.Text, Required: true}}
	films := describe("films", "film", schema.AllActions, filmFields())
	films.Filters = []string{"title__icontains", "status", "published", "genres", "minutes__gte", "minutes__range", "director__in", "released__isnull", "premiere_at__gte"}
	films.Search = []string{"^title", "director__name"}
	return service{
		films:     newShelf(films, firstFilm),
		directors: newShelf(describe("directors", "director", schema.List|schema.Retrieve, named), `{"id":1,"title":"A"}`, `{"id":2,"title":"B"}`),
		genres:    newShelf(describe("genres", "genre", schema.List, named), `{"id":1,"title":"g"}`, `{"id":3,"title":"h"}`),
	}
}

func (s service) handler(t testing.TB, opts httpapi.Options) http.Handler {
	t.Helper()
	handler, err := httpapi.NewHandler([]httpapi.Collection{s.directors, s.films, s.genres}, reportingPanics(t, opts))
	must(t, err)
	return browsing(t, handler, Options{})
}

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue {
	c, err := resources.New()
	if err != nil {
		panic(err)
	}
	return c
}

const threeEvents = `{"events":[
	{"id":1,"name":"b","slug":"b","summary":"","description":"","location":"","startDate":"2026-05-10T18:00:00+02:00","endDate":"2026-05-10T20:00:00+02:00","published":true,"poster":"","posterWebp":"","labels":[],"authors":[]},
	{"id":2,"name":"c","slug":"c","summary":"","description":"","location":"","startDate":"2026-05-09T18:00:00Z","endDate":"2026-05-10T20:00:00Z","published":true,"poster":"","posterWebp":"","labels":[],"authors":[]},
	{"id":3,"name":"a","slug":"a","summary":"","description":"","location":"","startDate":"2026-05-11T18:00:00+02:00","endDate":"2026-05-11T20:00:00+02:00","published":true,"poster":"","posterWebp":"","labels":[],"authors":[]}]}`

const twoAuthors = `{"authors":[{"id":7,"name":"Anna"},{"id":9,"name":"Ugo"}]}`

// checkAccessible checks the structure of a page on which screen readers rely.
func checkAccessible(t *testing.T, page result) {
	t.Helper()
	title := page.one(t, "title", "", "").text
	if page.one(t, "html", "", "").attrs["lang"] != "en" || title == "" || len(page.find("main", "", "")) != 1 {
		t.Errorf("%q: no language, title or main", title)
	}
	page.one(t, "h1", "", "")
	if about := page.one(t, "meta", "name", "description").attrs["content"]; len(about) < 20 || len(about) > 300 || strings.HasSuffix(about, "..") {
		t.Errorf("%s: the description of the page is %q", title, about)
	}
	ids := make(map[string]bool)
	for _, tag := range page.tags {
		id, ok := tag.attrs["id"]
		if ok && (ids[id] || id == "") {
			t.Errorf("%s: the id %q is empty or a duplicate", title, id)
		}
		ids[id] = true
	}
	for _, tag := range page.tags {
		if tag.attrs["role"] == "region" {
			t.Errorf("%s: a <%s role=region> instead of a <section>", title, tag.name)
		}
		for _, refers := range []string{"aria-describedby", "aria-labelledby", "for"} {
			for id := range strings.FieldsSeq(tag.attrs[refers]) {
				if !ids[id] {
					t.Errorf("%s: %s refers to the missing id %q", title, refers, id)
				}
			}
		}
		switch tag.name {
		case "input", "textarea", "select":
			if !slices.Contains([]string{"checkbox", "radio", "hidden"}, tag.attrs["type"]) && len(page.find("label", "for", tag.attrs["id"])) != 1 {
				t.Errorf("%s: the field %s has no label", title, tag.attrs["name"])
			}
		case "th":
			if tag.attrs["scope"] == "" {
				t.Errorf("%s: a th without scope", title)
			}
		case "a":
			target, ok := strings.CutPrefix(tag.attrs["href"], "#")
			if target, _ = url.PathUnescape(target); ok && !ids[target] {
				t.Errorf("%s: a link leads to the missing id %q", title, target)
			}
		}
	}
}

// formValues returns what a browser sends for the form of a page with the given method or
// class, whose inputs have been changed.
func (res result) formValues(form string, changes map[string]string) url.Values {
	values := make(url.Values)
	lineEndings := strings.NewReplacer("\r\n", "\r\n", "\n", "\r\n")
	inForm, selecting := false, ""
	for _, tag := range res.tags {
		name := tag.attrs["name"]
		_, checked := tag.attrs["checked"]
		_, selected := tag.attrs["selected"]
		switch {
		case tag.name == "form":
			inForm = tag.attrs["method"] == form || tag.attrs["class"] == form
		case tag.name == "/form":
			inForm = false
		case !inForm:
		case tag.name == "textarea":
			values.Add(name, lineEndings.Replace(strings.TrimPrefix(tag.text, "\n")))
		case tag.attrs["type"] == "hidden":
			values.Add(name, lineEndings.Replace(tag.attrs["value"]))
		case tag.name == "select":
			selecting = name
		case tag.name == "option" && selected:
			values.Add(selecting, tag.attrs["value"])
		case tag.name == "input" && (tag.attrs["type"] != "checkbox" || checked):
			values.Add(name, strings.ReplaceAll(tag.attrs["value"], "\n", ""))
		}
	}
	for name, value := range changes {
		values.Set(name, value)
	}
	return values
}

type closer struct{}

func (closer) Close() error { return nil }

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("read failed") }

// must ends the test if its preparation failed.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// equal reports how what the test got differs from what it wants.
func equal(t testing.TB, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
