package httpapi

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// newLoose returns collections that store what is sent.
func newLoose(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	key := schema.Field{Name: "id", Kind: schema.Text, Key: true, Unique: true, Untrimmed: true}
	define := func(name, kind string, about schema.Description, fields ...schema.Field) catalogue.AnyDefinition {
		about.Loose, about.Name, about.Actions, about.Fields = true, kind, schema.AllActions, fields
		var last atomic.Int64
		newKey := func() string { return fmt.Sprint("n", last.Add(1)) }
		return catalogue.Define[schema.Record](name, catalogue.Options{Description: &about, NewKey: newKey})
	}
	c := mustCatalogue(t,
		define("posts", "post", schema.Description{Lookup: "id", Filters: []string{"author_id", "author_id__name"}}, key,
			schema.Field{Name: "title", Kind: schema.Text, Required: true, MaxLength: 3},
			schema.Field{Name: "slug", Kind: schema.Slug, Unique: true},
			schema.Field{Name: "views", Kind: schema.Integer},
			schema.Field{Name: "authorId", Kind: schema.Reference, Refers: "authors", Related: "posts"},
			schema.Field{Name: "tagIds", Kind: schema.References, Refers: "tags"}),
		define("authors", "author", schema.Description{Lookup: "id", Filters: []string{"posts__title"}}, key, schema.Field{Name: "name", Kind: schema.Text}),
		define("tags", "tag", schema.Description{Lookup: "id"}, key),
		define("notes", "note", schema.Description{}, schema.Field{Name: "id", Kind: schema.Integer, ReadOnly: true}, schema.Field{Name: "a", Kind: schema.Boolean}))
	must(t, c.Load(strings.NewReader(`{
		"posts":[{"id":"p9","title":"a","slug":"s1","authorId":"ann","tagIds":["t1"],"price":1.50},{"id":"p1","title":"b","slug":null,"extra":{"b_c":1,"a":[1e5]}}],
		"authors":[{"id":"ann","name":"Ann"}],"tags":[{"id":"t2"},{"id":"t1"}]}`), catalogue.LoadOptions{}))
	return c
}

// TestCostOfLoose checks that what may have any members costs a few times its size to write.
// .ci/cost counts the instructions.
func TestCostOfLoose(t *testing.T) {
	const body = 1 << 20
	spelled := strings.ReplaceAll(manyMembers("1"), `"m`, `"someName`)[:body-9000]
	spelled = spelled[:strings.LastIndexByte(spelled, ',')] + "}"
	h := newMeter(t, newLoose(t), Options{ETags: true, Authorizer: AllowAll})
	for _, test := range []struct {
		method, target string
		most           int // bytes
		body           string
	}{
		{"POST", "", 100 * body, manyMembers("1")},
		{"PUT", "p9/", 100 * body, manyMembers("1")},
		{"PATCH", "p9/", 100 * body, manyMembers("2")},
		{"PATCH", "p1/", 200 * body, spelled},
		{"PATCH", "p1/", 200 * body, `{"some_name0":2}`},
		{"POST", "", 50 * body, `{"title":` + listOf("{}") + "}"},
		{"POST", "", 50 * body, `{"slug":` + listOf("[]") + "}"},
		{"POST", "", 50 * body, `{"slug":"` + strings.Repeat("a", body-100) + `"}`},
		{"POST", "", 50 * body, `{"authorId":` + listOf(`"a"`) + "}"},
		{"POST", "", 50 * body, `{"tagIds":` + listOf(`"a"`) + "}"},
		{"POST", "", 50 * body, `{"tagIds":` + listOf(`"t1"`) + "}"},
		{"PUT", "p1/", 50 * body, `{"id":"` + strings.Repeat("a", body-100) + `"}`},
		{"PUT", "p1/", 50 * body, "{" + strings.Repeat(`"a":1,`, body/6-100) + `"a":1}`},
		{"PUT", "p1/", 50 * body, `{"a":` + strings.Repeat("[", body/2-100) + strings.Repeat("]", body/2-100) + "}"},
		{"PUT", "p1/", 100 * body, `{"` + strings.Repeat("a_B", body/3-100) + `":1}`},
	} {
		h.serve(t, call{method: test.method, target: "/api/posts/" + test.target, body: test.body}, test.most, 1)
	}
}
