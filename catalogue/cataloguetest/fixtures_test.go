package cataloguetest_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// files makes a file system of names and texts.
func files(pairs ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return all
}

const eventOne = `{"id": 1, "name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`

// TestFixtures: every form of file fills what it should, and nothing else is there.
func TestFixtures(t *testing.T) {
	for reason, row := range map[string]struct {
		files fstest.MapFS
		want  map[string]int // records of the collections that have any
	}{
		"an array, called by its key":          {files("books.json", `[{"id": 1}, {"id": 7}]`), map[string]int{"books": 2}},
		"a key that is no segment":             {files("itemVariants.json", `[{"id": 1}]`), map[string]int{"itemVariants": 1}},
		"a segment that is no key":             {files("item_variants.json", `[{"id": 1}]`), map[string]int{"itemVariants": 1}},
		"an answer of the service":             {files("events.json", `{"count": 99, "next": null, "previous": null, "results": [`+eventOne+`]}`), map[string]int{"events": 1}},
		"a record a line":                      {files("news.ndjson", "{\"id\": 1}\n\n  {\"id\": 2}\r\n"), map[string]int{"news": 2}},
		"lines by their other name, no end":    {files("news.jsonl", "{\"id\": 1}\n{\"id\": 2}"), map[string]int{"news": 2}},
		"lines of nothing":                     {files("news.json", "[ ]", "faqs.json", "\n[\n{\"id\":3}]\n"), map[string]int{"faqs": 1}},
		"one file for all":                     {files("house.json", `{"books": [{"id": 1}], "events": [`+eventOne+`], "news": []}`), map[string]int{"books": 1, "events": 1}},
		"segments in one file for all":         {files("house.json", `{"item_variants": [{"id": 1}]}`), map[string]int{"itemVariants": 1}},
		"both kinds, in folders":               {files("rest/house.json", `{"books": [{"id": 1}]}`, "a/b/news.json", `[{"id": 1}]`), map[string]int{"books": 1, "news": 1}},
		"other files are nobody's business":    {files("books.json", `[{"id": 1}]`, "README.md", "# Books", "books.json.orig", "["), map[string]int{"books": 1}},
		"an object of nothing is a house too":  {files("house.json", "{}"), map[string]int{}},
		"an odd folder name does no harm":      {files("x.json/books.json", `[{"id": 1}]`), map[string]int{"books": 1}},
		"references to nowhere are not looked": {files("social-links.json", `[{"id": 1, "title": "t", "url": "https://example.com", "type": "x", "author": 99}]`), map[string]int{"social-links": 1}},
	} {
		t.Run(reason, func(t *testing.T) {
			house := cataloguetest.NewWith(t, cataloguetest.Options{Fixtures: row.files})
			got := map[string]int{}
			for key, c := range house.Catalogue.All() {
				if c.Count() > 0 {
					got[key] = c.Count()
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err := house.Catalogue.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBadFixtures: the test fails at once, and is told file, line, column and
// member. Columns are counted by hand.
func TestBadFixtures(t *testing.T) {
	for reason, row := range map[string]struct {
		files fs.FS
		want  []string // parts of what the test fails with, each begins a file's line
	}{
		"no fixture at all":                {files("README.md", ""), []string{"fixtures: the file system has no .json, .ndjson or .jsonl file"}},
		"an empty file":                    {files("books.json", " \n"), []string{"fixtures: books.json is empty"}},
		"no such collection":               {files("boks.json", `[{"id": 1}]`), []string{"fixtures: boks.json is called by no collection, and is no JSON object of collections either"}},
		"nor lines of it":                  {files("boks.ndjson", `{"id": 1}`), []string{`fixtures: boks.ndjson is called by no collection`}},
		"a key of none":                    {files("house.json", "{\n  \"books\": [],\n  \"boks\": []\n}"), []string{`fixtures: house.json:3:3: unknown collection: "boks"`}},
		"a key in another case":            {files("house.json", `{"Books": []}`), []string{`fixtures: house.json:1:2: unknown collection: "Books"`}},
		"a collection in no list":          {files("house.json", `{"books": {"id": 1}}`), []string{"fixtures: house.json:1:11: books: want an array of records"}},
		"an answer without results":        {files("books.json", "\n{\"detail\": \"Not found.\"}"), []string{"fixtures: books.json:2:1: books: want an array of records"}},
		"results in no list":               {files("books.json", `{"results": null}`), []string{"fixtures: books.json:1:13: books: want an array of records"}},
		"a text":                           {files("books.json", `"books"`), []string{"fixtures: books.json:1:1: books: want an array of records"}},
		"twice, in two files":              {files("a/books.json", "[]", "house.json", `{"books": []}`), []string{"fixtures: house.json: books were given already, in a/books.json"}},
		"twice, in one file":               {files("house.json", `{"books": [], "books": []}`), []string{"fixtures: house.json: books were given already, in house.json"}},
		"broken syntax":                    {files("books.json", "[\n  {\"id\": 1},\n  {\"id\": x}\n]"), []string{"fixtures: books.json:3:10: invalid character 'x'"}},
		"an early end":                     {files("books.json", "[\n{\"id\": 1}"), []string{"fixtures: books.json:2:10: unexpected EOF"}},
		"two values":                       {files("books.json", "[]\n[]"), []string{"fixtures: books.json:2:1: invalid character '['"}},
		"a broken line":                    {files("books.ndjson", "{\"id\": 1}\n  {\"id\": 2,}\n"), []string{"fixtures: books.ndjson:2:12: invalid character '}'"}},
		"a line that is no record":         {files("books.ndjson", "{\"id\": 1}\n[]\n"), []string{"fixtures: books.ndjson:2:1: books: cannot load: record 1: "}},
		"a bad member":                     {files("events.json", "[\n  "+strings.Replace(eventOne, `"name": "Reading"`, "\n  \"name\": 5", 1)+"\n]"), []string{`fixtures: events.json:3:3: events: cannot load: record 0: member "name": `}},
		"a bad member of a saved answer":   {files("events.json", "{\"count\": 1,\n \"results\": [ {\"id\": \"one\"} ]}"), []string{`fixtures: events.json:2:`}},
		"a bad member in one file for all": {files("house.json", "{\"books\": [{\"id\": 1},\n{\"name\": \"b\", \"id\": 0}]}"), []string{`fixtures: house.json:2:15: books: cannot load: record 1: member "id": `}},
		"a member that is missing":         {files("events.json", "[\n{\"id\": 1}]"), []string{`fixtures: events.json:2:1: events: cannot load: record 0: member "`}},
		"an id that comes twice":           {files("books.jsonl", "{\"id\": 1}\n\n{\"id\": 1}"), []string{`fixtures: books.jsonl:3:2: books: cannot load: record 1: member "id": id is taken`}},
		"every bad file is told":           {files("books.json", "[", "news.json", "]"), []string{"fixtures: books.json:1:2: ", "\nfixtures: news.json:1:1: "}},
		"a file system that fails":         {failing{}, []string{"fixtures: a disk on fire"}},
	} {
		t.Run(reason, func(t *testing.T) {
			got := failure(t, func(tb testing.TB) { cataloguetest.NewWith(tb, cataloguetest.Options{Fixtures: row.files}) })
			if !strings.HasPrefix(got, "cataloguetest: "+row.want[0]) {
				t.Errorf("failed with %q", got)
			}
			for _, want := range row.want {
				if !strings.Contains(got, want) {
					t.Errorf("failed with %q, without %q", got, want)
				}
			}
		})
	}
}

// failing is a file system that cannot be read.
type failing struct{}

func (failing) Open(string) (fs.File, error) { return nil, errors.New("a disk on fire") }
