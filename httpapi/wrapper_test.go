package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

type memo struct {
	ID    int    `json:"id"`
	Owner string `json:"owner"`
	Text  string `json:"text"`
}

type userKey struct{}

// memos restricts what each user can see, and has all other methods of the collection.
type memos struct{ catalogue.AnyCollection }

func (m memos) List(ctx context.Context, q catalogue.Query) (catalogue.List, error) {
	q.Filter = owned(ctx)
	return m.AnyCollection.List(ctx, q)
}

func (m memos) Get(ctx context.Context, segment string, _ schema.Filter) ([]byte, error) {
	return m.AnyCollection.Get(ctx, segment, owned(ctx))
}

func owned(ctx context.Context) schema.Filter {
	return schema.Filter{Tests: []schema.Test{{Field: "owner", Lookup: "exact", Values: []string{ctx.Value(userKey{}).(string)}}}}
}

// A type that embeds a collection and restricts List and Get shows no record of another user,
// neither by a tag of a page nor by a write.
func TestRestrictedRows(t *testing.T) {
	d := catalogue.Define[memo]("memos", catalogue.Options{})
	c, err := catalogue.New(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range []string{"ann", "bob"} {
		if _, err := mustIn(d, c).Insert(memo{Owner: owner, Text: "secret of " + owner}); err != nil {
			t.Fatal(err)
		}
	}
	coll, err := c.Collection("memos")
	if err != nil {
		t.Fatal(err)
	}
	h := newStubHandler(t, Options{ETags: true, Authorizer: AllowAll}, memos{coll})
	as := func(user string, c call) answer {
		r := c.request()
		return serve(h, r.WithContext(context.WithValue(r.Context(), userKey{}, user)))
	}
	record := as("ann", call{target: "/api/memos/1/"})
	tag := record.Header["Etag"]
	if record.Status != 200 || tag == "" {
		t.Fatalf("the record of the user: %+v, want 200 with a tag", record)
	}
	if page := as("ann", call{target: "/api/memos/"}); page.Header["Etag"] != "" {
		t.Errorf("the page of a user has the tag %s, want none", page.Header["Etag"])
	}
	for _, test := range []call{
		{target: "/api/memos/1/"},
		{target: "/api/memos/1/", header: ifNoneMatch(tag)},
		{target: "/api/memos/1/", header: ifNoneMatch("*")},
		{"PATCH", "/api/memos/1/", nil, `{"text":"x"}`},
		{"PUT", "/api/memos/1/", http.Header{"If-Match": {tag}}, `{"text":"x","owner":"bob"}`},
		{"DELETE", "/api/memos/1/", nil, ""},
		{"DELETE", "/api/memos/1/", http.Header{"If-Match": {tag}}, ""},
		{"DELETE", "/api/memos/1/", ifNoneMatch("*"), ""},
	} {
		if got := as("bob", test); got.Status != 404 || got.Body != notFound {
			t.Errorf("%s %v of another user: %d %s, want 404", test.method, test.header, got.Status, got.Body)
		}
	}
	if got := as("ann", call{method: "DELETE", target: "/api/memos/1/"}); got.Status != 204 {
		t.Errorf("DELETE of the user: %d %s, want 204", got.Status, got.Body)
	}
}

// The collections of a catalogue have tags of pages, as does a wrapper that declares Revision.
func TestRevisionOfWrapper(t *testing.T) {
	coll, err := newSmallCatalogue(t).Collection("films")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason string
		c      Collection
		tagged bool
	}{
		{"of a catalogue", coll, true},
		{"embedded", struct{ catalogue.AnyCollection }{coll}, false},
		{"with a Revision", struct {
			listOnly
			Revisioner
		}{listOnly{coll}, newStub(1)}, true},
	} {
		h := newStubHandler(t, Options{ETags: true}, test.c)
		if got := get(h, "/api/films/"); (got.Header["Etag"] != "") != test.tagged || h.Served().Collections[0].Tagged != test.tagged {
			t.Errorf("%s: %d with the tag %q, want one: %t", test.reason, got.Status, got.Header["Etag"], test.tagged)
		}
	}
}

// A handler orders by the fields in Sortable and the id only, whatever the collection can do.
func TestSortable(t *testing.T) {
	d := catalogue.Define[memo]("memos", catalogue.Options{})
	restricted := catalogue.Define[memo]("memos", catalogue.Options{Description: &schema.Description{Sortable: []string{"text"}}})
	open := catalogue.Define[schema.Record]("memos", catalogue.Options{Description: &schema.Description{Sortable: []string{"text"}}})
	unknown := catalogue.Define[schema.Record]("memos", catalogue.Options{})
	as := func(about schema.Description) func(schema.Description) schema.Description {
		return func(d schema.Description) schema.Description {
			d.Fields, d.Sortable = about.Fields, about.Sortable
			return d
		}
	}
	unchanged := func(d schema.Description) schema.Description { return d }
	text := []schema.Field{{Name: "text", Kind: schema.Text}}
	for _, test := range []struct {
		reason string
		d      catalogue.AnyDefinition
		about  func(schema.Description) schema.Description // that of a wrapper
		found  []string                                    // fields that records can be ordered by
	}{
		{"all fields", d, unchanged, []string{"id", "owner", "text"}},
		{"the description", restricted, unchanged, []string{"id", "text"}},
		{"open records", open, unchanged, []string{"id", "text"}},
		{"open records, whose members the description does not name", unknown, unchanged, []string{"id", "owner", "text"}},
		{"a wrapper hides a field", d, as(schema.Description{Fields: text}), []string{"id", "text"}},
		{"a wrapper names fields", d, as(schema.Description{Fields: text, Sortable: []string{"owner"}}), []string{"id", "owner"}},
		{"a wrapper permits none", d, as(schema.Description{Fields: text, Sortable: []string{}}), []string{"id"}},
		{"a wrapper of open records hides a member", unknown, as(schema.Description{Sortable: []string{"text"}}), []string{"id", "text"}},
	} {
		c, err := catalogue.New(test.d)
		if err != nil {
			t.Fatal(err)
		}
		// The handler is made before there are records.
		coll, err := c.Collection("memos")
		if err != nil {
			t.Fatal(err)
		}
		h := newStubHandler(t, Options{}, describedAs{coll, test.about(coll.Description())})
		const data = `{"memos":[{"id":1,"owner":"b","text":"b"},{"id":2,"owner":"a","text":"a"}]}`
		if err := c.Load(strings.NewReader(data), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"id", "owner", "text"} {
			got := get(h, "/api/memos/?limit=1&ordering="+map[bool]string{true: "-"}[field == "id"]+field)
			if sorted := strings.Contains(got.Body, `[{"id":2`); sorted != slices.Contains(test.found, field) {
				t.Errorf("%s, by %s: %s", test.reason, field, got.Body)
			}
		}
	}
}

// describedAs is a collection with another description.
type describedAs struct {
	catalogue.AnyCollection
	about schema.Description
}

func (c describedAs) Description() schema.Description { return c.about }

// If the members of records are in snake_case, so are the other names in responses.
func TestSnakeCase(t *testing.T) {
	type record struct {
		ID          int    `json:"id"`
		ReleaseYear int    `json:"release_year" backlist:"min=0,max=9"`
		Status      string `json:"status" backlist:"choices=a|b"`
	}
	c, err := catalogue.New(catalogue.Define[record]("films", catalogue.Options{Description: &schema.Description{Filters: []string{"release_year__gte"}}}))
	if err != nil {
		t.Fatal(err)
	}
	h := serveFilms(t, c)
	for _, test := range []struct {
		call call
		want string
	}{
		{call{target: "/api/films/?release_year__gte=x"}, `{"release_year__gte":["Enter a number."]}`},
		{call{method: "POST", target: "/api/films/", body: "[]"}, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`},
		{call{method: "OPTIONS", target: "/api/films/"}, `"release_year":{"type":"integer","required":true,"read_only":false,"label":"Release year","min_value":0,"max_value":9}`},
		{call{method: "OPTIONS", target: "/api/films/"}, `"choices":[{"value":"a","display_name":"A"},`},
	} {
		if got := test.call.do(h); !strings.Contains(got.Body, test.want) {
			t.Errorf("%s %s: %s, want %s", test.call.method, test.call.target, got.Body, test.want)
		}
	}
}
