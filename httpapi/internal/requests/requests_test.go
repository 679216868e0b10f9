package requests

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// Many bodies of a collection are valid whose members have other names there than in responses, where the
// records are shown as they are stored or with those to which they refer.
func TestWrittenNames(t *testing.T) {
	d := schema.Description{Key: "books", Segment: "books", Name: "book", Actions: schema.AllActions, Fields: []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "title", Kind: schema.Text, Required: true},
		{Name: "author", Kind: schema.Reference, Refers: "authors", Required: true, Write: "author_id"},
		{Name: "tags", Kind: schema.References, Refers: "tags", Required: true, Write: "tag_ids"},
	}}
	current, err := schema.ParseRecord([]byte(`{"id":1,"title":"One","author":3,"tags":[2]}`))
	if err != nil {
		t.Fatal(err)
	}
	checks := schema.Checks{Find: func(context.Context, string, string, string) (int, string, error) { return 1, "", nil }}
	for _, shown := range []string{`{"id":1,"title":"One","author":3,"tags":[2]}`, `{"id":1,"title":"One","author":{"id":3},"tags":[{"id":2}]}`} {
		g := New(5, "/api/", []schema.Description{d})
		g.Learn("books", []byte(shown))
		all := slices.Collect(g.Creations())
		for r := range g.Systematic() {
			all = append(all, r)
		}
		for range 3000 {
			all = append(all, g.Request())
		}
		sent, valid := map[string]int{}, map[string]int{}
		for _, r := range all {
			if r.Body == "" || r.Body == "{}" {
				continue
			}
			sent[r.Method]++
			var errs error
			if r.Method == "PATCH" {
				_, errs = d.ValidateUpdate(t.Context(), current, []byte(r.Body), true, checks)
			} else {
				_, errs = d.Validate(t.Context(), []byte(r.Body), checks)
			}
			if errs == nil && (strings.Contains(r.Body, "Id\"") || strings.Contains(r.Body, "Ids\"") || strings.Contains(r.Body, "_id")) { // with a name for writing
				valid[r.Method]++
			}
		}
		for _, method := range []string{"POST", "PUT", "PATCH"} {
			if valid[method] < sent[method]*3/5 {
				t.Errorf("%s, shown as %s: %d of %d bodies are valid, want three fifths", method, shown, valid[method], sent[method])
			}
		}
	}
}
