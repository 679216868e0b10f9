package httpapi

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// newNumbers returns collections whose keys are numbers.
func newNumbers(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	define := func(name, kind string, about schema.Description, fields ...schema.Field) catalogue.AnyDefinition {
		about.Name, about.Actions, about.Fields, about.Lookup = kind, schema.AllActions, fields, "id"
		var last atomic.Int64
		last.Store(1000)
		newKey := func() string { return strconv.FormatInt(last.Add(1), 10) }
		return catalogue.Define[schema.Record](name, catalogue.Options{Description: &about, NewKey: newKey})
	}
	integers := schema.Field{Name: "id", Kind: schema.Integer, Key: true, Unique: true}
	digits := schema.Field{Name: "id", Kind: schema.Decimal, Digits: 9, Key: true, Unique: true}
	c := mustCatalogue(t,
		define("books", "book", schema.Description{
			Search: []string{"author_id__name"}, Sortable: []string{"id", "author_id", "author_id__name"},
			Filters: []string{"id", "id__in", "id__gte", "author_id", "author_id__in", "author_id__isnull", "editor_ids", "editor_ids__in",
				"author_id__name", "author_id__id__gte", "editor_ids__name", "shelves__id"},
		}, digits,
			schema.Field{Name: "title", Kind: schema.Text, Required: true},
			schema.Field{Name: "authorId", Kind: schema.Reference, Refers: "authors", Related: "books", Nullable: true},
			schema.Field{Name: "editorIds", Kind: schema.References, Refers: "authors", Related: "edited", Default: "[]"}),
		define("authors", "author", schema.Description{Filters: []string{"id", "id__in", "id__gte", "id__lt", "books", "books__title", "books__isnull", "edited__title__in"}},
			integers, schema.Field{Name: "name", Kind: schema.Text, Required: true}),
		define("shelves", "shelf", schema.Description{Loose: true, Filters: []string{"book_ids", "book_ids__in"}},
			integers, schema.Field{Name: "bookIds", Kind: schema.References, Refers: "books", Related: "shelves"}))
	must(t, c.Load(strings.NewReader(`{
		"authors":[{"id":10,"name":"Bob"},{"id":7,"name":"Ann"},{"id":-3,"name":"Eve"},{"id":9007199254740993,"name":"Big"},{"id":0,"name":"Zoe"}],
		"books":[{"id":"100","title":"c","authorId":null,"editorIds":[0]},{"id":"9","title":"a","authorId":7,"editorIds":[-3,10]},{"id":"10","title":"b","authorId":0,"editorIds":[]}],
		"shelves":[{"id":12,"bookIds":["10","9"]},{"id":5,"bookIds":[]}]}`), catalogue.LoadOptions{References: true, Validate: true}))
	return c
}
