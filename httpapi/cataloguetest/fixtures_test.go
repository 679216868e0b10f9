package cataloguetest

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// files returns a file system with pairs of names and contents.
func files(pairs ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return all
}

const eventOne = `{"id": 1, "name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`

func TestFixtures(t *testing.T) {
	for reason, row := range map[string]struct {
		files fstest.MapFS
		want  map[string]int // counts of the collections that are not empty
	}{
		"array":                       {files("books.json", `[{"id": 1}, {"id": 7}]`), map[string]int{"books": 2}},
		"named after a key":           {files("itemVariants.json", `[{"id": 1}]`), map[string]int{"itemVariants": 1}},
		"named after a segment":       {files("item_variants.json", `[{"id": 1}]`), map[string]int{"itemVariants": 1}},
		"saved catalogue":             {files("all.json", `{"events": [`+eventOne+`],`+"\n"+`"$lastIds": [{"collection":"events","id":9}]}`), map[string]int{"events": 1}},
		"catalogue named after a key": {files("events.json", `{"labels": [], "events": [`+eventOne+`]}`), map[string]int{"events": 1}},
		"response of the service":     {files("events.json", `{"count": 99, "next": null, "previous": null, "results": [`+eventOne+`]}`), map[string]int{"events": 1}},
		".ndjson":                     {files("news.ndjson", "{\"id\": 1}\n\n  {\"id\": 2}\r\n"), map[string]int{"news": 2}},
		".jsonl without last newline": {files("news.jsonl", "{\"id\": 1}\n{\"id\": 2}"), map[string]int{"news": 2}},
		"empty array, array in lines": {files("news.json", "[ ]", "faqs.json", "\n[\n{\"id\":3}]\n"), map[string]int{"faqs": 1}},
		"several collections":         {files("server.json", `{"books": [{"id": 1}], "events": [`+eventOne+`], "news": []}`), map[string]int{"books": 1, "events": 1}},
		"several, by segment":         {files("server.json", `{"item_variants": [{"id": 1}]}`), map[string]int{"itemVariants": 1}},
		"directories":                 {files("rest/server.json", `{"books": [{"id": 1}]}`, "a/b/news.json", `[{"id": 1}]`), map[string]int{"books": 1, "news": 1}},
		"other files are ignored":     {files("books.json", `[{"id": 1}]`, "README.md", "# Books", "books.json.orig", "["), map[string]int{"books": 1}},
		"empty object":                {files("server.json", "{}"), map[string]int{}},
		"directory named x.json":      {files("x.json/books.json", `[{"id": 1}]`), map[string]int{"books": 1}},
		"references are not checked":  {files("social-links.json", `[{"id": 1, "title": "t", "url": "https://example.com", "type": "x", "author": 99}]`), map[string]int{"social-links": 1}},
	} {
		t.Run(reason, func(t *testing.T) {
			server := NewWith(t, Options{Fixtures: row.files})
			got := map[string]int{}
			for key, c := range server.Catalogue.All() {
				if c.Count() > 0 {
					got[key] = c.Count()
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if err := server.Catalogue.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestInvalidFixtures checks that the test fails with the file, line, column and member.
// Of an error of package catalogue, it compares only the beginning and the names.
func TestInvalidFixtures(t *testing.T) {
	const (
		notNamed = " is not named after a collection and is not a JSON object of collections"
		noList   = "books: want an array of records, or an object whose results are one"
	)
	for reason, row := range map[string]struct {
		files fs.FS
		want  []string // the beginning of the message and other parts of it
	}{
		"no fixtures":                  {files("README.md", ""), []string{"the file system has no .json, .ndjson or .jsonl file"}},
		"empty file":                   {files("books.json", " \n"), []string{"books.json is empty"}},
		"unknown collection, an array": {files("boks.json", `[{"id": 1}]`), []string{"boks.json" + notNamed}},
		"unknown collection, lines":    {files("boks.ndjson", `{"id": 1}`), []string{"boks.ndjson" + notNamed}},
		"unknown key":                  {files("server.json", "{\n  \"books\": [],\n  \"boks\": []\n}"), []string{"server.json:3:3: unknown collection", `"boks"`}},
		"key in upper case":            {files("server.json", `{"Books": []}`), []string{"server.json:1:2: unknown collection", `"Books"`}},
		"collection is not an array":   {files("server.json", `{"books": {"id": 1}}`), []string{"server.json:1:11: " + noList}},
		"response without results":     {files("books.json", "\n{\"detail\": \"Not found.\"}"), []string{"books.json:2:1: " + noList}},
		"results are null":             {files("books.json", `{"results": null}`), []string{"books.json:1:13: " + noList}},
		"string":                       {files("books.json", `"books"`), []string{"books.json:1:1: " + noList}},
		"same collection in two files": {files("a/books.json", "[]", "server.json", `{"books": []}`), []string{"server.json: collection books is already in a/books.json"}},
		"same collection in one file":  {files("server.json", `{"books": [], "books": []}`), []string{"server.json: collection books is already in server.json"}},
		"invalid JSON":                 {files("books.json", "[\n  {\"id\": 1},\n  {\"id\": x}\n]"), []string{"books.json:3:10: invalid character 'x'"}},
		"truncated JSON":               {files("books.json", "[\n{\"id\": 1}"), []string{"books.json:2:10: unexpected EOF"}},
		"two values":                   {files("books.json", "[]\n[]"), []string{"books.json:2:1: invalid character '['"}},
		"invalid line":                 {files("books.ndjson", "{\"id\": 1}\n  {\"id\": 2,}\n"), []string{"books.ndjson:2:12: invalid character '}'"}},
		"line is not a record":         {files("books.ndjson", "{\"id\": 1}\n[]\n"), []string{"books.ndjson:2:1: books: ", "record 1"}},
		"invalid member":               {files("events.json", "[\n  "+strings.Replace(eventOne, `"name": "Reading"`, "\n  \"name\": 5", 1)+"\n]"), []string{"events.json:3:3: events: ", "record 0", `"name"`}},
		"invalid member of a response": {files("events.json", "{\"count\": 1,\n \"results\": [ {\"id\": \"one\"} ]}"), []string{"events.json:2:"}},
		"invalid member of several":    {files("server.json", "{\"books\": [{\"id\": 1},\n{\"name\": \"b\", \"id\": 0}]}"), []string{"server.json:2:15: books: ", "record 1", `"id"`}},
		"missing members":              {files("events.json", "[\n{\"id\": 1}]"), []string{"events.json:2:1: events: ", "record 0", `"name"`}},
		"repeated id":                  {files("books.jsonl", "{\"id\": 1}\n\n{\"id\": 1}"), []string{"books.jsonl:3:2: books: ", "record 1", `"id"`}},
		"two invalid files":            {files("books.json", "[", "news.json", "]"), []string{"books.json:1:2: ", "\nfixtures: news.json:1:1: "}},
		"file system that fails":       {failingFS{}, []string{"cannot be read"}},
	} {
		t.Run(reason, func(t *testing.T) {
			got := failureOf(t, func(tb testing.TB) { NewWith(tb, Options{Fixtures: row.files}) })
			if prefix := "cataloguetest: fixtures: " + row.want[0]; !strings.HasPrefix(got, prefix) {
				t.Errorf("failed with %q, want prefix %q", got, prefix)
			}
			for _, want := range row.want {
				if !strings.Contains(got, want) {
					t.Errorf("failed with %q, which does not contain %q", got, want)
				}
			}
		})
	}
}

// A failingFS is a file system that cannot be read.
type failingFS struct{}

func (failingFS) Open(string) (fs.File, error) { return nil, errors.New("cannot be read") }
