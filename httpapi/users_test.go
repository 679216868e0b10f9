package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A shelf has a key, and a page refers to shelves and pages of any user.
type (
	shelf struct {
		Code  string `json:"code" backlist:"key"`
		Owner string `json:"owner"`
	}
	page1 struct {
		ID     int     `json:"id"`
		Owner  string  `json:"owner"`
		Shelf  *string `json:"shelf" backlist:"refers=shelves,related=pages"`
		Parent *int    `json:"parent" backlist:"refers=pages,ondelete=cascade,related=children"`
		Links  []int   `json:"links" backlist:"refers=pages"`
		Cover  *int    `json:"cover" backlist:"refers=pages"`
	}
)

// newShelves returns a handler of shelves and pages, of which each user sees his own.
func newShelves(t *testing.T, opts Options) http.Handler {
	t.Helper()
	c := mustCatalogue(t,
		catalogue.Define[shelf]("shelves", catalogue.Options{Description: &schema.Description{
			Filters: []string{"owner", "pages", "pages__isnull", "pages__owner", "pages__parent__children__owner"}, Search: []string{"code", "pages__owner"}, Sortable: []string{"code", "pages__owner"},
		}}),
		catalogue.Define[page1]("pages", catalogue.Options{Description: &schema.Description{
			Filters: []string{"parent", "parent__in", "links", "shelf"},
		}}))
	const data = `{"shelves":[{"code":"a","owner":"ann"},{"code":"b","owner":"bob"}],"pages":[
		{"id":1,"owner":"ann","shelf":"a","parent":null,"links":[],"cover":null},
		{"id":2,"owner":"bob","shelf":"b","parent":null,"links":[],"cover":null},
		{"id":3,"owner":"ann","shelf":"b","parent":2,"links":[2],"cover":null},
		{"id":4,"owner":"bob","shelf":null,"parent":null,"links":[],"cover":null},
		{"id":5,"owner":"bob","shelf":null,"parent":null,"links":[],"cover":4}]}`
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{References: true}))
	var all []Collection
	for _, coll := range c.All() {
		all = append(all, Restrict(coll, ownRows))
	}
	if opts.Authorizer == nil {
		opts.Authorizer = AllowAll
	}
	opts.ETags = true
	return newStubHandler(t, opts, all...)
}

// References find only records that the request can see. A record of another user is answered as
// one that does not exist.
func TestRestrictedReferences(t *testing.T) {
	pk := func(field, key string) string {
		return `{"` + field + `":["Invalid pk \"` + key + `\" - object does not exist."]}`
	}
	for _, tt := range []struct {
		reason string
		call   call
		status int
		want   string
	}{
		{"an id", call{"PATCH", "/api/pages/2/", nil, `{"parent":1}`}, 400, pk("parent", "1")},
		{"no record", call{"PATCH", "/api/pages/2/", nil, `{"parent":9}`}, 400, pk("parent", "9")},
		{"a key", call{"PATCH", "/api/pages/2/", nil, `{"shelf":"a"}`}, 400, pk("shelf", "a")},
		{"a list", call{"PATCH", "/api/pages/2/", nil, `{"links":[4,1]}`}, 400, pk("links", "1")},
		{"a new record", call{"POST", "/api/pages/", nil, `{"owner":"bob","shelf":null,"parent":1,"links":[],"cover":null}`}, 400, pk("parent", "1")},
		{"a filter", call{target: "/api/pages/?parent=1"}, 400, `{"parent":["Select a valid choice. That choice is not one of the available choices."]}`},
		{"a filter of a list", call{target: "/api/pages/?links=1"}, 400, `{"links":["Select a valid choice. 1 is not one of the available choices."]}`},
		{"a filter by a key", call{target: "/api/pages/?shelf=a"}, 400, `{"shelf":["Select a valid choice. That choice is not one of the available choices."]}`},
		{"the user's own", call{"PATCH", "/api/pages/2/", nil, `{"parent":4,"shelf":"b","links":[5,2]}`}, 200, `{"id":2,"owner":"bob","shelf":"b","parent":4,"links":[2,5],"cover":null}`},
		{"a filter by the user's own", call{target: "/api/pages/?parent=4&shelf=b&links=2"}, 200, `"count":0,`},
	} {
		for _, as := range []schema.Framework{{}, schema.DRF318(nil)} {
			got := tt.call.doAs(newShelves(t, Options{Framework: as}), "bob")
			if got.Status != tt.status || !strings.Contains(got.Body, tt.want) {
				t.Errorf("%s: %d %s, want %d %s", tt.reason, got.Status, got.Body, tt.status, tt.want)
			}
		}
	}
	if got := (call{"PATCH", "/api/pages/2/", nil, `{"parent":1}`}).doAs(newShelves(t, Options{}), "ann"); got.Status != 404 {
		t.Errorf("the record of another user: %d %s", got.Status, got.Body)
	}
}

// Filters, searches and orders backwards find only records that the request can see, and so does a record
// alone. A page that depends on other collections has no tag.
func TestRestrictedBackwards(t *testing.T) {
	for _, tt := range []struct {
		user, query, want string
	}{
		{"bob", "pages__owner=bob", `"count":1,`}, // page 2 on shelf b
		{"bob", "pages__owner=ann", `"count":0,`}, // page 3 on shelf b is Ann's
		{"ann", "pages__owner=bob", `"count":0,`}, // shelf b is Bob's
		{"bob", "pages=2", `"count":1,`},          // his own
		{"bob", "pages=3", `{"pages":["Select a valid choice. 3 is not one of the available choices."]}`},   // which is Ann's
		{"bob", "pages=99", `{"pages":["Select a valid choice. 99 is not one of the available choices."]}`}, // no record
		{"bob", "pages__isnull=true", `"count":0,`},                                                         // b has page 2
		{"ann", "pages__isnull=false", `"count":1,`},                                                        // a has page 1
		{"bob", "pages__parent__children__owner=ann", `"count":0,`},                                         // only page 3 has a parent
		{"bob", "search=ann", `"count":0,`},                                                                 // page 3 again
		{"bob", "search=bob", `"count":1,`},                                                                 // page 2
		{"bob", "ordering=pages__owner", `"count":1,`},                                                      // an order selects none
	} {
		h := newShelves(t, Options{})
		got := call{target: "/api/shelves/?" + tt.query}.doAs(h, tt.user)
		if !strings.Contains(got.Body, tt.want) || got.Header["Etag"] != "" {
			t.Errorf("%s: %s: %s with the tag %q, want %s without one", tt.user, tt.query, got.Body, got.Header["Etag"], tt.want)
		}
		status := 404
		if tt.want == `"count":1,` {
			status = 200
		} else if tt.want[0] == '{' {
			status = 400
		}
		segment := map[string]string{"ann": "a", "bob": "b"}[tt.user]
		if got := (call{target: "/api/shelves/" + segment + "/?" + tt.query}).doAs(h, tt.user); got.Status != status && !strings.HasPrefix(tt.query, "search") {
			t.Errorf("%s: %s/?%s: %d %s, want %d", tt.user, segment, tt.query, got.Status, got.Body, status)
		}
	}
	if got := (call{target: "/api/shelves/?owner=ann"}).doAs(newShelves(t, Options{}), "ann"); got.Header["Etag"] == "" {
		t.Errorf("a page that does not depend on others has no tag: %s", got.Body)
	}
	h := newShelves(t, Options{})
	ofPages := func(owner string) url.Values { return url.Values{"pages__owner": {owner}} }
	equal(t, "counts of shelves, and of those with a page of Bob and of Ann", []int{1, 1, 0},
		tallied(t, h, "bob", "/api/shelves/", nil, ofPages("bob"), ofPages("ann")))
	served := h.(*Handler).Served().Collections
	annHasPages := func(context.Context) (url.Values, error) { return ofPages("ann"), nil }
	both := newStubHandler(t, Options{}, Restrict(served[0].Collection, annHasPages), served[1].Collection)
	if got := (call{target: "/api/shelves/?pages__owner=bob"}).doAs(both, "bob"); !strings.Contains(got.Body, `"count":1,`) {
		t.Errorf("rows that depend on a page that Bob cannot see: %s, want shelf b", got.Body)
	}
}

// The rows of a collection are determined once for all references of a request. If that fails, so
// does the request.
func TestRestrictedReferencesAskOnce(t *testing.T) {
	c := mustCatalogue(t, catalogue.Define[page1]("pages", catalogue.Options{}), catalogue.Define[shelf]("shelves", catalogue.Options{}))
	const data = `{"pages":[{"id":1,"owner":"ann","shelf":null,"parent":null,"links":[],"cover":null},
		{"id":2,"owner":"ann","shelf":null,"parent":null,"links":[],"cover":null}]}`
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	pages := collectionOf(t, c, "pages")
	asked, fails := 0, error(nil)
	h := newStubHandler(t, Options{Authorizer: AllowAll}, Restrict(pages, func(context.Context) (url.Values, error) {
		asked++
		return url.Values{"owner": {"ann"}}, fails
	}))
	post := call{"POST", "/api/pages/", nil, `{"owner":"ann","shelf":null,"parent":1,"links":[1,2,1],"cover":2}`}
	if got := post.do(h); got.Status != 201 || asked != 1 {
		t.Errorf("%d %s, after %d calls of rows, want 1", got.Status, got.Body, asked)
	}
	fails = errors.New("secret")
	if got := post.do(h); got.Status != 500 || got.Body != internalError {
		t.Errorf("%d %s, want 500", got.Status, got.Body)
	}
}

// The response to a deletion names the record that refers to the deleted one if the request may
// read that.
func TestReferencedDetail(t *testing.T) {
	const plain = `{"detail":"The record cannot be deleted: other records refer to it."}`
	named := func(record, field string) string {
		return `{"detail":"The record cannot be deleted: record ` + record + ` refers to it in the field ` + field + `."}`
	}
	onlyShelves := Options{AuthorizeReads: true, Authorizer: func(r *http.Request, collection string, action schema.Actions) error {
		if action == schema.Retrieve && collection == "pages" {
			return Forbidden("")
		}
		return nil
	}}
	for _, tt := range []struct {
		reason, target, user string
		opts                 Options
		want                 string
	}{
		{"a record of the user", "/api/pages/4/", "bob", Options{}, named("5 of pages", "cover")},
		{"a record of the user, who may not read it", "/api/pages/4/", "bob", onlyShelves, plain},
		{"a record of another user", "/api/shelves/a/", "ann", Options{}, named("1 of pages", "shelf")},
	} {
		got := call{method: "DELETE", target: tt.target}.doAs(newShelves(t, tt.opts), tt.user)
		if got.Status != 409 || got.Body != tt.want {
			t.Errorf("%s: %d %s, want %s", tt.reason, got.Status, got.Body, tt.want)
		}
	}
	h := newShelves(t, Options{})
	if got := (call{"PATCH", "/api/pages/2/", nil, `{"shelf":null}`}).doAs(h, "bob"); got.Status != 200 {
		t.Fatal(got)
	}
	if got := (call{method: "DELETE", target: "/api/shelves/b/"}).doAs(h, "bob"); got.Status != 409 || got.Body != plain {
		t.Errorf("only a record of another user refers to it: %d %s, want %s", got.Status, got.Body, plain)
	}
}

// Tags of pages do not show how often others write.
func TestTagsHideRevisions(t *testing.T) {
	h := newShelves(t, Options{})
	seen := map[string]bool{}
	for range 20 {
		tag := call{target: "/api/pages/"}.doAs(h, "bob").Header["Etag"]
		if len(tag) != 24 || seen[tag] {
			t.Errorf("the tag %s has a number, or is that of another state", tag)
		}
		seen[tag] = true
		if got := (call{"PATCH", "/api/pages/1/", nil, `{"parent":null}`}).doAs(h, "ann"); got.Status != 200 {
			t.Fatal(got)
		}
	}
}
