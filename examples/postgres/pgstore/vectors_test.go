package pgstore_test

import (
	"bytes"
	"net/http"
	"os"
	"regexp"
	"testing"
	"time"
	_ "time/tzdata" // for Europe/Rome, whatever the machine has

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/recorded"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	rotas "github.com/gobacklist/backlist/examples/rota/collections"
	shops "github.com/gobacklist/backlist/examples/shop/collections"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// recordedFilms returns the definitions of the service of films.
func recordedFilms() []catalogue.AnyDefinition {
	return []catalogue.AnyDefinition{recorded.Directors(), recorded.Genres(), recorded.Films()}
}

// made returns the empty catalogue that a function makes.
func made(t *testing.T, newCatalogue func(now func() time.Time) (*catalogue.Catalogue, error)) *catalogue.Catalogue {
	t.Helper()
	cat, err := newCatalogue(recorded.Now)
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

// TestVectors replays the requests that were recorded from Django REST framework, in order. Each
// must have the recorded response or, where memory has another deliberately, that one.
func TestVectors(t *testing.T) {
	const house, shop, rota = "../../../httpapi/testdata/", "../../shop/testdata/", "../../rota/testdata/"
	of := func(definitions ...catalogue.AnyDefinition) *catalogue.Catalogue {
		return made(t, func(func() time.Time) (*catalogue.Catalogue, error) { return catalogue.New(definitions...) })
	}
	publisher := made(t, func(func() time.Time) (*catalogue.Catalogue, error) { return resources.New() })
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		data, file string
		as         schema.Framework
		cat        *catalogue.Catalogue
		n          int
		different  map[string]int // responses, by tag; nil if those from memory count, some of which differ
		forms      bool
	}{
		{house + "dataset.json", house + "vectors.jsonl", schema.Framework{}, publisher, 1159, same, false},
		{house + "dataset.json", house + "v318/documented.jsonl", schema.DRF318(rome), publisher, 128, map[string]int{
			"scene json":  17, // the text of a syntax error; NaN
			"scene stamp": 1,  // an offset with seconds
		}, false},
		{house + "own/dataset.json", house + "own/vectors.jsonl", schema.Framework{}, of(recordedFilms()...), 1217, same, false},
		{house + "own/dataset.json", house + "v318/own.jsonl", schema.DRF318(time.UTC), of(recordedFilms()...), 175, map[string]int{
			"scene json":   7, // the text of a syntax error; NaN
			"scene number": 2, // 1_0, and -0
		}, false},
		{house + "keys/dataset.json", house + "keys/vectors.jsonl", schema.Framework{}, of(recorded.Keys()...), 633, same, false},
		{house + "pages/dataset.json", house + "pages/vectors.jsonl", schema.Framework{}, of(recorded.Pages()...), 577, nil, false}, // see TestPagesVectors of httpapi
		{shop + "dataset.json", shop + "vectors.jsonl", schema.Framework{}, made(t, shops.New), 1258, same, false},
		{shop + "dataset.json", shop + "v318.jsonl", schema.DRF318(time.UTC), made(t, shops.New), 175, map[string]int{
			"scene json": 11, // the text of a syntax error
		}, false},
		{rota + "dataset.json", rota + "vectors.jsonl", schema.Framework{}, made(t, rotas.New), 766, nil, true}, // see examples/rota
		{rota + "dataset.json", rota + "vectors.jsonl", schema.DRF318(time.UTC), made(t, rotas.New), 766, nil, true},
	} {
		t.Run(row.file, func(t *testing.T) {
			t.Parallel()
			all, err := recorded.Read(row.file)
			if err != nil {
				t.Fatal(err)
			}
			if len(all) != row.n {
				t.Errorf("%d requests, want %d", len(all), row.n)
			}
			store := open(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Catalogue: row.cat, Timeout: time.Minute})
			data, err := os.ReadFile(row.data)
			if err != nil {
				t.Fatal(err)
			}
			load(t, store, string(data))
			cat := row.cat.Clone()
			if err := cat.Load(bytes.NewReader(data), catalogue.LoadOptions{}); err != nil {
				t.Fatal(err)
			}
			opts := httpapi.Options{Authorizer: httpapi.AllowAll, Framework: row.as, Forms: row.forms}
			memory, err := httpapi.New(cat, opts)
			if err != nil {
				t.Fatal(err)
			}
			h, different := handle(t, store, opts), map[string]int{}
			for _, r := range all {
				if row.different == nil {
					compareWithMemory(t, r, memory, h)
					continue
				}
				diff := cmp.Diff(r.Want, r.Send(h))
				if diff == "" {
					continue
				}
				if different[r.Tag]++; different[r.Tag] > row.different[r.Tag] {
					t.Errorf("line %d, %s: %s %s %s (-want +got):\n%s", r.Line, r.Tag, r.Request.Method, r.Request.Target, r.Body(), diff)
				}
			}
		})
	}
}

// tokens matches the tokens of links, each of which only the store that made it can read.
var tokens = regexp.MustCompile(`cursor=[np][\w-]{40,}`)

// compareWithMemory compares the responses of two handlers to a request, and to those for the pages
// to which they link with a token.
func compareWithMemory(t *testing.T, r recorded.Request, memory, h http.Handler) {
	t.Helper()
	want, wantText := r.Do(memory)
	got, gotText := r.Do(h)
	diff := cmp.Diff(want.Code, got.Code) + cmp.Diff(want.Header(), got.Header(), cmpopts.IgnoreMapEntries(func(name string, _ []string) bool {
		return name == "Content-Length" // tokens of another length
	}))
	if diff += cmp.Diff(tokens.ReplaceAllString(wantText, "token"), tokens.ReplaceAllString(gotText, "token")); diff != "" {
		t.Errorf("line %d, %s: %s %s %s (-memory +PostgreSQL):\n%s", r.Line, r.Tag, r.Request.Method, r.Request.Target, r.Body(), diff)
	}
	// follow returns the texts of the pages behind the tokens of a page.
	follow := func(text string, h http.Handler) (pages []string) {
		for _, link := range regexp.MustCompile(`"\{base\}([^"]*)"`).FindAllStringSubmatch(text, 2) {
			if tokens.MatchString(link[1]) {
				next := r
				next.Request.Target = link[1]
				_, page := next.Do(h)
				pages = append(pages, tokens.ReplaceAllString(page, "token"))
			}
		}
		return pages
	}
	if diff := cmp.Diff(follow(wantText, memory), follow(gotText, h)); diff != "" {
		t.Errorf("line %d: pages behind the links of %s (-memory +PostgreSQL):\n%s", r.Line, r.Request.Target, diff)
	}
}

// same says that all responses are the recorded ones.
var same = map[string]int{}
