package httpapi

import (
	"context"
	"net/http"
	"net/url"
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
	q.Params = owned(ctx)
	return m.AnyCollection.List(ctx, q)
}

func (m memos) Get(ctx context.Context, segment string, _ url.Values) ([]byte, error) {
	return m.AnyCollection.Get(ctx, segment, owned(ctx))
}

func owned(ctx context.Context) url.Values {
	return url.Values{"owner": {ctx.Value(userKey{}).(string)}}
}

// A type that embeds a collection and restricts List and Get shows no record of another user,
// neither by a tag of a page nor by a write.
func TestRestrictedRows(t *testing.T) {
	d := catalogue.Define[memo]("memos", catalogue.Options{Description: &schema.Description{Filters: []string{"owner"}}})
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
