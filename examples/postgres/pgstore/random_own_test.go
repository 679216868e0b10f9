package pgstore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	rotas "github.com/gobacklist/backlist/examples/rota/collections"
	shops "github.com/gobacklist/backlist/examples/shop/collections"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// TestOwnDifferential compares handlers of the same records in memory and in PostgreSQL, with random
// requests of all verbs to collections of programs, of which each request sees rows of its own.
// BACKLIST_POSTGRES_REQUESTS is their number in each of ten runs.
func TestOwnDifferential(t *testing.T) {
	seed := setting(t, "BACKLIST_POSTGRES_SEED", uint64(time.Now().UnixNano()))
	t.Logf("BACKLIST_POSTGRES_SEED=%d", seed)
	requests := int(setting(t, "BACKLIST_POSTGRES_REQUESTS", 1_500))
	if testing.Short() {
		requests = min(requests, 300)
	}
	films := func(func() time.Time) (*catalogue.Catalogue, error) { return catalogue.New(recordedFilms()...) }
	for i, row := range []struct {
		name, data string
		new        func(now func() time.Time) (*catalogue.Catalogue, error)
		pages      pagination.Style
	}{
		{"films", "../../../httpapi/testdata/own/dataset.json", films, nil},
		{"films by cursors", "../../../httpapi/testdata/own/dataset.json", films, pagination.Cursors{Limits: pagination.Limits{Default: 5}}},
		{"shop", "../../shop/testdata/dataset.json", shops.New, nil},
		{"shop by cursors", "../../shop/testdata/dataset.json", shops.New, pagination.Cursors{Limits: pagination.Limits{Default: 4}}},
		{"rota", "../../rota/testdata/dataset.json", rotas.New, pagination.Numbers{}},
		{"rota by cursors", "../../rota/testdata/dataset.json", rotas.New, pagination.Cursors{Limits: pagination.Limits{Default: 3}}},
		{"shelf", "../../shelf/testdata/dataset.json", newStoredShelf, nil},
		{"library", "", newLibrary, nil},
		{"library by cursors", "", newLibrary, pagination.Cursors{Limits: pagination.Limits{Default: 3}}},
		{"library without pages", "", newLibrary, pagination.Whole{Max: 12}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newOwnPair(t, row.data, row.new, row.pages, newGenerator(seed+uint64(i)))
			for n := range requests {
				if n%150 == 149 { // deletions leave few
					p.load(t)
				}
				if p.ask(t); t.Failed() {
					t.Fatalf("after %d requests", n+1)
				}
			}
			want, got := saved(t, p.cat.Save), all(t, p.store)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("saved: -memory +PostgreSQL\n%s", diff)
			}
		})
	}
}

// An ownPair is the same catalogue in memory and in PostgreSQL.
type ownPair struct {
	generator
	data   []byte
	words  []string          // of the texts in data
	rows   map[string]string // parameters that restrict a collection in a request
	cat    *catalogue.Catalogue
	store  *pgstore.Store
	memory http.Handler
	sql    http.Handler
	next   [2]string // the last links of both
}

func newOwnPair(t *testing.T, file string, newCatalogue func(func() time.Time) (*catalogue.Catalogue, error), pages pagination.Style, g generator) *ownPair {
	p := &ownPair{generator: g, cat: made(t, newCatalogue)}
	p.store = open(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Catalogue: made(t, newCatalogue), Timeout: time.Minute})
	if p.data = []byte(libraryData(g)); file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p.data = data
	}
	for _, text := range regexp.MustCompile(`"[^"\\]*"`).FindAllString(string(p.data), -1) {
		p.words = append(p.words, strings.Fields(strings.Trim(text, `"`))...)
	}
	p.load(t)
	opts := httpapi.Options{Authorizer: httpapi.AllowAll, Pages: pages}
	opts.OnError = func(r *http.Request, err error) { t.Errorf("%s %s: %v", r.Method, r.URL, err) }
	var inMemory []httpapi.Collection
	for _, c := range p.cat.All() {
		inMemory = append(inMemory, c)
	}
	p.memory, p.sql = p.restrict(t, inMemory, opts), p.restrict(t, p.store.Collections(), opts)
	return p
}

// ownRows are parameters that may restrict a collection. Some pass references to records that the
// request cannot see.
var ownRows = map[string][]string{
	"teams":      {"name__gte=a", "name__contains=p"},
	"tags":       {"slug__contains=t", "name__gte=V"},
	"workers":    {"level__in=1,2", "team__name__gte=O", "name__gte=b", "team__isnull=false", "level__gte=99"},
	"shifts":     {"workers__level__gte=2", "kind__in=desk,yard", "tags__name__isnull=false"},
	"categories": {"parent__isnull=true", "parent__name__gte=L"},
	"customers":  {"born__isnull=false", "name__gte=b"},
	"products":   {"category__parent__isnull=true", "stock__gte=5", "active=true"},
	"orders":     {"customer__born__isnull=false", "status__in=paid,new"},
	"directors":  {"name__gte=K"},
	"films":      {"director__name__gte=K", "minutes__gte=100"},
	"writers":    {"volumes__isnull=false", "volumes__price__gte=5", "volumes__topics__name__contains=i", "name__gte=S", "profile__isnull=true"},
	"series":     {"mentions__title__gte=R", "patron__isnull=false"},
	"topics":     {"volumes__writer__name__gte=O", "id__gte=3"},
	"marks":      {"marked__isnull=false"},
	"volumes":    {"critiques__isnull=false", "critiques__stars__gte=3", "writer__born__isnull=false", "price__isnull=false", "sequels__title__gte=A"},
	"critiques":  {"volume__sequels__isnull=false", "stars__gte=2"},
	"profiles":   {"writer__volumes__title__gte=O"},
	"authors":    {"books__isnull=false", "books__reviews__stars__gte=3", "books__tags__name__gte=N"},
	"books":      {"sequels__isnull=true", "author__country__gte=J", "reviews__stars__in=4,5", "tags__books__owner=ann"},
	"reviews":    {"book__sequels__isnull=true", "stars__gte=2"},
}

// restrict returns a handler of collections of which a request sees the rows that the pair has.
func (p *ownPair) restrict(t *testing.T, collections []httpapi.Collection, opts httpapi.Options) http.Handler {
	for i, c := range collections {
		key := c.Description().Key
		collections[i] = httpapi.Restrict(c, func(context.Context) (url.Values, error) { return url.ParseQuery(p.rows[key]) })
	}
	h, err := httpapi.NewHandler(collections, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// load replaces the records of both by those of the file.
func (p *ownPair) load(t *testing.T) {
	t.Helper()
	if err := p.cat.Load(bytes.NewReader(p.data), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	load(t, p.store, string(p.data))
}

// cursors are those of links: the tokens in them differ. Following them shows where they lead.
var cursors = regexp.MustCompile(`cursor=[^&"]*`)

// nextLink is the link to the next page.
var nextLink = regexp.MustCompile(`"next":"http://service\.example([^"]*)"`)

// ask sends a random request, or follows the last links to next pages, and compares the answers.
func (p *ownPair) ask(t *testing.T) {
	t.Helper()
	method, target, body := p.request(t)
	targets := [2]string{target, target}
	if p.next[0] != "" && p.next[1] != "" && p.oneIn(2) {
		method, targets, body = "GET", p.next, ""
	} else {
		p.rows = map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(ownRows)) {
			if p.oneIn(3) {
				p.rows[key] = pick(p.generator, ownRows[key])
			}
		}
	}
	var answers [2]string
	for i, h := range []http.Handler{p.memory, p.sql} {
		if method == "DELETE" {
			answers[i] = p.dependents(t, i, target)
		}
		r := httptest.NewRequest(method, targets[i], strings.NewReader(body))
		r.Host = "service.example"
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		p.next[i] = ""
		if m := nextLink.FindStringSubmatch(w.Body.String()); m != nil {
			p.next[i] = m[1]
		}
		answers[i] += http.StatusText(w.Code) + "\n" + cursors.ReplaceAllString(w.Body.String(), "cursor=")
	}
	if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
		t.Errorf("%s %s %s of %q: -memory +PostgreSQL\n%s", method, targets[0], body, p.rows, diff)
	}
}

// dependents returns what a store says of the deletion of the record of a path.
func (p *ownPair) dependents(t *testing.T, store int, path string) string {
	t.Helper()
	at, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(at.EscapedPath(), "/")
	segment, err := url.PathUnescape(parts[3])
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for key, c := range p.cat.All() {
		var of any = c
		for _, stored := range p.store.Collections() {
			if store == 1 && stored.Description().Key == key {
				of = stored
			}
		}
		if c.Description().Segment != parts[2] {
			continue
		}
		err = of.(interface {
			Dependents(context.Context, string, func(collection, segment string, does schema.OnDelete)) error
		}).Dependents(t.Context(), segment, func(collection, segment string, does schema.OnDelete) {
			lines = append(lines, fmt.Sprintln(collection, segment, does))
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// request returns a random request.
func (p *ownPair) request(t *testing.T) (method, target, body string) {
	all := slices.Sorted(maps.Keys(maps.Collect(p.cat.All())))
	c, err := p.cat.Collection(pick(p.generator, all))
	if err != nil {
		t.Fatal(err)
	}
	about := c.Description()
	list, err := c.List(t.Context(), catalogue.Query{Window: pagination.Window{Limit: 1_000}})
	if err != nil {
		t.Fatal(err)
	}
	target = "/api/" + about.Segment + "/"
	if p.oneIn(2) || len(list.Records) == 0 {
		return "GET", target + "?" + p.query(about, list.Records).Encode(), ""
	}
	record, other := pick(p.generator, list.Records), pick(p.generator, list.Records)
	detail := target + url.PathEscape(segmentOf(t, about, record)) + "/"
	switch p.IntN(8) {
	case 0, 1:
		return "GET", detail + "?" + p.query(about, list.Records).Encode(), ""
	case 2:
		return "DELETE", detail, ""
	case 3, 4:
		return "POST", target, p.mixed(t, about, record, other)
	case 5:
		return "PUT", detail, p.mixed(t, about, record, other)
	}
	return "PATCH", detail, p.mixed(t, about, record, other)
}

// segmentOf returns the segment of the path of a record.
func segmentOf(t *testing.T, about schema.Description, record []byte) string {
	var members map[string]any
	decoder := json.NewDecoder(bytes.NewReader(record))
	decoder.UseNumber()
	if err := decoder.Decode(&members); err != nil {
		t.Fatal(err)
	}
	name := about.Identity().Name
	if about.Lookup != "" {
		name = ordering.Camel(about.Lookup)
	}
	text, _ := json.Marshal(members[name])
	return strings.Trim(string(text), `"`)
}

// mixed returns a record with some members of another one and some random values, most under the names
// for writing.
func (p *ownPair) mixed(t *testing.T, about schema.Description, record, other []byte) string {
	var members, others map[string]json.RawMessage
	if err := json.Unmarshal(record, &members); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(other, &others); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch p.IntN(10) {
		case 0:
			delete(members, name)
		case 1, 2, 3:
			members[name] = others[name]
		case 4:
			members[name] = json.RawMessage(pick(p.generator, []string{`"a"`, `"É"`, `"` + pick(p.generator, words) + `"`, "1", "2", "null", "[]", "true", `"2024-05-10"`, `"0.5"`}))
		case 5:
			var text string
			if json.Unmarshal(members[name], &text) == nil && text != "" {
				members[name] = json.RawMessage(quoted(text + pick(p.generator, words)))
			}
		}
	}
	for _, f := range about.Fields {
		if value, ok := members[f.Name]; ok && f.Write != "" && !p.oneIn(5) {
			members[pick(p.generator, []string{f.Write, ordering.Camel(f.Write)})] = value
		}
	}
	if p.oneIn(4) {
		members["password"] = json.RawMessage(quoted("secret " + pick(p.generator, words)))
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var words = []string{"a", "é", "ÉA", "x1", "ß", "it", "_", "Z", "ı", "long"}

// query returns parameters with values of records.
func (p *ownPair) query(about schema.Description, records [][]byte) url.Values {
	params := url.Values{}
	for range p.IntN(3) {
		if len(about.Filters) == 0 {
			break
		}
		name := pick(p.generator, about.Filters)
		params.Set(name, p.value(about, name, records))
	}
	if p.oneIn(3) {
		var some []string
		for range 1 + p.IntN(3) {
			some = append(some, pick(p.generator, pick(p.generator, [][]string{words, p.words})))
		}
		params.Set("search", strings.Join(some, " "))
	}
	if p.oneIn(2) {
		var terms []string
		names := about.Sortable
		for _, f := range about.Fields {
			names = append(slices.Clip(names), ordering.Snake(f.Name))
		}
		for range 1 + p.IntN(3) {
			terms = append(terms, pick(p.generator, []string{"", "-"})+pick(p.generator, names))
		}
		params.Set("ordering", strings.Join(terms, ","))
	}
	if p.oneIn(2) {
		params.Set("limit", pick(p.generator, []string{"1", "3", "50"}))
		params.Set("offset", pick(p.generator, []string{"0", "1", "7", "30"}))
	}
	if p.oneIn(3) {
		params.Set("page", pick(p.generator, []string{"1", "2", "last"}))
	}
	return params
}

// value returns a value for a parameter, usually one of a record.
func (p *ownPair) value(about schema.Description, name string, records [][]byte) string {
	if len(records) == 0 || p.oneIn(3) {
		return pick(p.generator, append(slices.Clone(words), "1", "2", "3", "true", "false", "2024-01-01", "2024-01-01T00:00:00Z", "10.5", "1,2", "99999999999999999999", "a,é", "-1"))
	}
	f, _, err := about.Parameter(name)
	if err != nil {
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(pick(p.generator, records), &members) != nil {
		return ""
	}
	if members[f.Name] == nil { // of other records
		return pick(p.generator, append([]string{"1", "2,3", "3", "true", "false"}, p.words...))
	}
	text := strings.Trim(string(members[f.Name]), `"[]`)
	if !p.oneIn(3) {
		return text
	}
	runes := []rune(text)
	from := p.IntN(len(runes) + 1)
	return string(runes[from : from+p.IntN(len(runes)-from+1)])
}
