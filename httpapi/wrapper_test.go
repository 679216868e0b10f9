package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

type memo struct {
	ID    int    `json:"id"`
	Owner string `json:"owner"`
	Text  string `json:"text"`
}

type userKey struct{}

// memos restricts what each user can see, and has all other methods of the collection.
type memos struct{ catalogue.AnyCollection }

func (m memos) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	q.Filter.Tests = append(slices.Clip(q.Filter.Tests), owned(ctx).Tests...)
	return m.AnyCollection.List(ctx, q)
}

func (m memos) Get(ctx context.Context, segment string, _ schema.Filter) ([]byte, error) {
	return m.AnyCollection.Get(ctx, segment, owned(ctx))
}

func owned(ctx context.Context) schema.Filter {
	return schema.Filter{Tests: []schema.Test{{Field: "owner", Lookup: "exact", Values: []string{ctx.Value(userKey{}).(string)}}}}
}

// newMemos returns the memos of two users.
func newMemos(t *testing.T) catalogue.AnyCollection {
	t.Helper()
	c := mustCatalogue(t,
		catalogue.Define[memo]("memos", catalogue.Options{Description: &schema.Description{Filters: []string{"text"}, Search: []string{"text"}}}))
	const data = `{"memos":[{"id":1,"owner":"ann","text":"x"},{"id":2,"owner":"bob","text":"x"},{"id":3,"owner":"bob","text":"y"}]}`
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	coll := collectionOf(t, c, "memos")
	return coll
}

// ownRows returns the parameters that select the records of the user.
func ownRows(ctx context.Context) (url.Values, error) {
	return url.Values{"owner": {ctx.Value(userKey{}).(string)}}, nil
}

// doAs sends a request of a user.
func (c call) doAs(h http.Handler, user string) answer {
	r := c.request()
	return serve(h, r.WithContext(context.WithValue(r.Context(), userKey{}, user)))
}

// A collection that is restricted, by Restrict or by a type that embeds it and declares List and
// Get, shows no record of another user, neither by a tag nor by a write.
func TestRestrictedRows(t *testing.T) {
	for reason, restrict := range map[string]func(c catalogue.AnyCollection) Collection{
		"a wrapper": func(c catalogue.AnyCollection) Collection { return memos{c} },
		"Restrict":  func(c catalogue.AnyCollection) Collection { return Restrict(c, ownRows) },
		"twice": func(c catalogue.AnyCollection) Collection {
			exists := func(context.Context) (url.Values, error) { return url.Values{"id__isnull": {"false"}}, nil }
			return Restrict(Restrict(c, ownRows), exists)
		},
	} {
		h := newStubHandler(t, Options{ETags: true, Authorizer: AllowAll}, restrict(newMemos(t)))
		record := call{target: "/api/memos/1/"}.doAs(h, "ann")
		tag := record.Header["Etag"]
		if record.Status != 200 || tag == "" {
			t.Fatalf("%s: the record of the user: %+v, want 200 with a tag", reason, record)
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
			if got := test.doAs(h, "bob"); got.Status != 404 || got.Body != notFound {
				t.Errorf("%s: %s %v of another user: %d %s, want 404", reason, test.method, test.header, got.Status, got.Body)
			}
		}
		page := call{target: "/api/memos/"}
		if a, b := page.doAs(h, "ann").Header["Etag"], page.doAs(h, "bob").Header["Etag"]; a == b && a != "" {
			t.Errorf("%s: the pages of two users have the tag %s", reason, a)
		}
		if got, want := tallied(t, h, "bob", "/api/memos/", nil, url.Values{"text": {"x"}}), []int{2, 1}; !cmp.Equal(got, want) {
			t.Errorf("%s: %d records of the user are counted, want %d", reason, got, want)
		}
		var exported []string
		selecting(t, h, "bob", "/api/memos/", func(s wire.Selection) error {
			records, _ := s.All()
			for record, err := range records {
				must(t, err)
				exported = append(exported, string(record))
			}
			return nil
		})
		equal(t, reason+": an export", []string{`{"id":2,"owner":"bob","text":"x"}`, `{"id":3,"owner":"bob","text":"y"}`}, exported)
		if got := (call{method: "DELETE", target: "/api/memos/1/"}).doAs(h, "ann"); got.Status != 204 {
			t.Errorf("%s: DELETE of the user: %d %s, want 204", reason, got.Status, got.Body)
		}
	}
}

// tallied returns the numbers of records that a request of a user and selections select.
func tallied(t *testing.T, h http.Handler, user, target string, selections ...url.Values) (counts []int) {
	t.Helper()
	selecting(t, h, user, target, func(s wire.Selection) (err error) {
		counts, err = s.Counts(selections)
		return err
	})
	return counts
}

// selecting calls a function with what a request of a user selects, as a page does.
func selecting(t *testing.T, h http.Handler, user, target string, use func(wire.Selection) error) {
	t.Helper()
	r := call{target: target}.request()
	ctx := wire.WithPage(context.WithValue(r.Context(), userKey{}, user), func(w http.ResponseWriter, r *http.Request, ask wire.Operations) {
		if !ask.Admit(w, r, use) {
			t.Errorf("what %s selects is not read", target)
		}
	})
	serve(h, r.WithContext(ctx))
}

// Values that the program assigns replace those of the body, for the actions for which it returns
// them.
func TestAssign(t *testing.T) {
	type task struct {
		ID     int    `json:"id"`
		Owner  string `json:"owner"`
		Tenant string `json:"tenant" backlist:"readonly"`
		Text   string `json:"text"`
		Parent *int   `json:"parent" backlist:"refers=tasks"`
	}
	c := mustCatalogue(t, catalogue.Define[task]("tasks", catalogue.Options{}))
	opts, reported := reporting()
	opts.Assign = func(r *http.Request, collection string, action schema.Actions) (schema.Record, error) {
		if collection != "tasks" {
			return schema.Record{}, errors.New("another collection")
		}
		switch user := r.Header.Get("User"); {
		case user == "nobody":
			return schema.Record{}, Forbidden("You are nobody.")
		case user == "wrong":
			return schema.Record{}.With("ovner", user)
		case user == "orphan":
			return schema.Record{}.With("parent", 99)
		case user == "broken":
			return schema.Record{}, errors.New("secret")
		case action == schema.Create:
			owned, err := schema.Record{}.With("owner", user)
			if err != nil {
				return owned, err
			}
			return owned.With("tenant", "of "+user)
		case action == schema.Update:
			return schema.Record{}.With("tenant", "put by "+user)
		case action == schema.PartialUpdate && user != "":
			return schema.Record{}.With("owner", user)
		}
		return schema.Record{}, nil
	}
	h := mustHandler(t, c, opts)
	for _, test := range []struct {
		reason             string
		user, method, body string
		status             int
		want               string
	}{
		{"a required field is not missing", "ann", "POST", `{"text":"t"}`, 201, `{"id":1,"owner":"ann","tenant":"of ann","text":"t","parent":null}`},
		{"a PATCH that assigns nothing", "", "PATCH", `{"owner":"bob","tenant":"x"}`, 200, `{"id":1,"owner":"bob","tenant":"of ann","text":"t","parent":null}`},
		{"a PATCH", "eve", "PATCH", `{"owner":"bob"}`, 200, `{"id":1,"owner":"eve","tenant":"of ann","text":"t","parent":null}`},
		{"a PUT", "ann", "PUT", `{"owner":"bob","text":"u"}`, 200, `{"id":1,"owner":"bob","tenant":"put by ann","text":"u","parent":null}`},
		{"in place of an invalid value", "ann", "POST", `{"owner":[],"text":"t"}`, 201, `{"id":2,"owner":"ann","tenant":"of ann","text":"t","parent":null}`},
		{"another field is invalid", "ann", "POST", `{}`, 400, `{"text":["This field is required."]}`},
		{"a value that the field rejects", "orphan", "POST", `{"owner":"o","text":"t"}`, 400, `{"parent":["Invalid pk \"99\" - object does not exist."]}`},
		{"a refusal", "nobody", "POST", `{}`, 403, `{"detail":"You are nobody."}`},
		{"a refusal of a PATCH", "nobody", "PATCH", `{}`, 403, `{"detail":"You are nobody."}`},
		{"no field", "wrong", "POST", `{"owner":"o","text":"t"}`, 500, internalError},
		{"an error", "broken", "PUT", `{"owner":"o","text":"t"}`, 500, internalError},
		{"a body that is not JSON", "ann", "POST", `{`, 400, `JSON parse error`},
	} {
		target := "/api/tasks/1/"
		if test.method == "POST" {
			target = "/api/tasks/"
		}
		got := call{test.method, target, http.Header{"User": {test.user}}, test.body}.do(h)
		if got.Status != test.status || !strings.Contains(got.Body, test.want) {
			t.Errorf("%s: %d %s, want %d %s", test.reason, got.Status, got.Body, test.status, test.want)
		}
	}
	if len(*reported) != 2 {
		t.Errorf("OnError was called with %v, want the two errors that result in 500", *reported)
	}
}

// If it is not clear which records a request may see, it sees none.
func TestRestrictErrors(t *testing.T) {
	given := func(params url.Values, err error) func(context.Context) (url.Values, error) {
		return func(context.Context) (url.Values, error) { return params, err }
	}
	secret := errors.New("secret")
	for _, test := range []struct {
		reason string
		rows   func(context.Context) (url.Values, error)
		status int
	}{
		{"no parameters", given(nil, nil), 200},
		{"several parameters", given(url.Values{"owner": {"ann"}, "id__in": {"1,2"}}, nil), 200},
		{"an error", given(nil, secret), 500},
		{"an error beside parameters", given(url.Values{"owner": {"ann"}}, secret), 500},
		{"unavailable", given(nil, ErrUnavailable), 503},
		{"the errors of fields", given(nil, schema.FieldErrors{{Field: "owner", Messages: []string{"secret"}}}), 500},
		{"an unknown field", given(url.Values{"ovner": {"ann"}}, nil), 500},
		{"an unknown lookup", given(url.Values{"owner__is": {"ann"}}, nil), 500},
		{"an empty value, which counts as absent", given(url.Values{"owner": {""}}, nil), 500},
		{"no value", given(url.Values{"owner": nil}, nil), 500},
		{"an invalid value", given(url.Values{"id": {"x"}}, nil), 500},
		{"the parameter of a search", given(url.Values{"search": {"x"}}, nil), 500},
		{"the parameter of a page", given(url.Values{"limit": {"1"}}, nil), 500},
	} {
		coll := Restrict(newMemos(t), test.rows)
		opts, reported := reporting()
		h := newStubHandler(t, opts, coll)
		for _, c := range []call{
			{target: "/api/memos/"},
			{target: "/api/memos/1/"},
			{"PATCH", "/api/memos/1/", nil, `{}`},
		} {
			if got := c.do(h); got.Status != test.status || strings.Contains(got.Body, "secret") {
				t.Errorf("%s: %s %s: %d %s, want %d", test.reason, c.method, c.target, got.Status, got.Body, test.status)
			}
		}
		if reports := map[bool]int{true: 3}[test.status >= 500]; len(*reported) != reports {
			t.Errorf("%s: OnError was called with %v, want %d errors", test.reason, *reported, reports)
		}
		if _, err := coll.List(t.Context(), catalogue.Query{Window: pagination.Window{Limit: 1}}); (err == nil) != (test.status == 200) {
			t.Errorf("%s: List: %v", test.reason, err)
		}
	}
	memos := newMemos(t)
	_, err := memos.Update(t.Context(), "1", catalogue.Edit{Body: []byte(`{"text":"` + strings.Repeat("a", 900_000) + `"}`), Partial: true})
	must(t, err)
	opts, reported := reporting()
	h := newStubHandler(t, opts, Restrict(memos, given(url.Values{"text__regex": {"z{240}"}}, nil)))
	for _, target := range []string{"/api/memos/", "/api/memos/1/"} {
		if got := (call{target: target}).do(h); got.Status != 500 || got.Body != internalError {
			t.Errorf("%s, restricted by an expression that takes too much work: %d %s, want 500", target, got.Status, got.Body)
		}
	}
	if len(*reported) != 2 || !strings.Contains(fmt.Sprint(*reported), "too much work") {
		t.Errorf("an expression that takes too much work: OnError was called with %v", *reported)
	}
	if Restrict(nil, ownRows) != nil || Restrict(catalogue.AnyCollection{}, ownRows) != nil || Restrict(newMemos(t), nil) != nil {
		t.Error("Restrict of nil is not nil")
	}
}

// A restricted collection has the actions, the tags and the type of the collection.
func TestRestrictKeeps(t *testing.T) {
	films := collectionOf(t, newSmallCatalogue(t), "films")
	for _, test := range []struct {
		reason string
		c      Collection
		tagged bool
	}{
		{"of a catalogue", films, true},
		{"with Revision", newStub(1), true},
		{"with List only", listOnly{films}, false},
		{"embedded", struct{ catalogue.AnyCollection }{films}, false},
		{"with a Revision of its own", struct {
			listOnly
			Revisioner
		}{listOnly{films}, newStub(1)}, true},
	} {
		rows := func(context.Context) (url.Values, error) { return url.Values{"director": {"99"}}, nil } // who does not exist
		if _, ok := test.c.(*stub); ok {
			rows = func(context.Context) (url.Values, error) { return nil, nil }
		}
		served := newStubHandler(t, Options{ETags: true}, Restrict(test.c, rows)).Served().Collections[0]
		want := newStubHandler(t, Options{ETags: true}, test.c).Served().Collections[0]
		if diff := cmp.Diff(want, served, cmpopts.IgnoreFields(ServedCollection{}, "Collection"), cmpopts.IgnoreFields(schema.Field{}, "Check")); diff != "" {
			t.Errorf("%s (-collection +restricted):\n%s", test.reason, diff)
		}
		h := newStubHandler(t, Options{ETags: true}, Restrict(test.c, rows))
		if got := get(h, "/api/films/"); got.Status != 200 || (got.Header["Etag"] != "") != test.tagged || served.Tagged != test.tagged {
			t.Errorf("%s: %d with the tag %q, want one: %t", test.reason, got.Status, got.Header["Etag"], test.tagged)
		}
		if inside := served.Collection.(interface{ Unwrap() Collection }).Unwrap(); inside != test.c {
			t.Errorf("%s: inside is %v", test.reason, inside)
		}
	}
}

// Pages that other collections determine have no tag, because the revision of their own does not
// change with them. Restrict selects by the fields of other records, too.
func TestAcrossReferences(t *testing.T) {
	type team struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	type job struct {
		ID    int    `json:"id"`
		Team  int    `json:"team" backlist:"refers=teams"`
		State string `json:"state"`
	}
	cat := mustCatalogue(t, catalogue.Define[team]("teams", catalogue.Options{}), catalogue.Define[job]("jobs", catalogue.Options{
		Description: &schema.Description{
			Filters: []string{"state", "team", "team__name"}, Search: []string{"state", "team__name"}, Sortable: []string{"state", "team__name"},
		}}))
	const data = `{"teams":[{"id":1,"name":"red"},{"id":2,"name":"blue"}],"jobs":[{"id":1,"team":1,"state":"on"},{"id":2,"team":2,"state":"on"}]}`
	must(t, cat.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	jobs := collectionOf(t, cat, "jobs")
	ofTeam := Restrict(jobs, func(ctx context.Context) (url.Values, error) {
		return url.Values{"team__name": {ctx.Value(userKey{}).(string)}}, nil
	})
	const one, both = `"results":[{"id":1,"team":1,"state":"on"}]}`, `"results":[{"id":2,"team":2,"state":"on"},{"id":1,"team":1,"state":"on"}]}`
	for _, row := range []struct {
		reason     string
		collection Collection
		target     string
		want       string // in the body
		tagged     bool
	}{
		{"no filter", jobs, "/api/jobs/?limit=1", one[:len(one)-2], true},
		{"its own field", jobs, "/api/jobs/?state=off", `[]`, true},
		{"an order by its own field", jobs, "/api/jobs/?ordering=-state", both, true},
		{"a reference", jobs, "/api/jobs/?team=1", one, false},
		{"a field of another record", jobs, "/api/jobs/?team__name=red", one, false},
		{"a search", jobs, "/api/jobs/?search=RED", one, false},
		{"an order", jobs, "/api/jobs/?ordering=team__name", both, false},
		{"an unknown order", jobs, "/api/jobs/?ordering=team__nam&limit=1", `{"count":2,`, true},
		{"the rows of a user", ofTeam, "/api/jobs/", one, false},
		{"a record of the user", ofTeam, "/api/jobs/1/", `{"id":1,"team":1,"state":"on"}`, true},
		{"that of another", ofTeam, "/api/jobs/2/", `{"detail":"Not found."}`, false},
	} {
		got := call{target: row.target}.doAs(newStubHandler(t, Options{ETags: true}, row.collection), "red")
		if !strings.Contains(got.Body, row.want) || (got.Header["Etag"] != "") != row.tagged {
			t.Errorf("%s: %s with the tag %q, want %s, tagged %t", row.reason, got.Body, got.Header["Etag"], row.want, row.tagged)
		}
	}
}

// TestDescribe serves works a second time, with a description of its own: in another order, on other
// pages, with other filters, and with the same records, references, restrictions and tags.
func TestDescribe(t *testing.T) {
	type author struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	type work struct {
		ID     int    `json:"id"`
		Title  string `json:"title"`
		Author int    `json:"author" backlist:"refers=authors,related=works"`
		Next   *int   `json:"next" backlist:"refers=works,related=earlier"`
	}
	c := mustCatalogue(t,
		catalogue.Define[author]("authors", catalogue.Options{Description: &schema.Description{Filters: []string{"works__title"}}}),
		catalogue.Define[work]("works", catalogue.Options{Description: &schema.Description{
			Ordering: []ordering.Term{ordering.Desc("title")}, Sortable: []string{"title", "author__name"}, Filters: []string{"title"}, Search: []string{"title"},
		}}))
	must(t, c.Load(strings.NewReader(`{"authors":[{"id":1,"name":"b"},{"id":2,"name":"a"}],"works":[
		{"id":1,"title":"b","author":1,"next":3},{"id":2,"title":"a","author":2,"next":null},{"id":3,"title":"c","author":1,"next":null}]}`), catalogue.LoadOptions{References: true}))
	authors, err := c.Collection("authors")
	must(t, err)
	works, err := c.Collection("works")
	must(t, err)
	about := works.Description()
	about.Of, about.Key, about.Segment, about.Name = "works", "shelves", "shelves", "shelf"
	about.Ordering, about.Sortable, about.Search = []ordering.Term{ordering.Asc("author__name")}, []string{"author__name"}, nil
	about.Filters, about.Pages = []string{"earlier__title", "author"}, pagination.Numbers{Limits: pagination.Limits{Default: 2}}
	byID := about
	byID.Key, byID.Segment, byID.Ordering, byID.Pages = "ids", "ids", nil, nil
	walked := byID
	walked.Key, walked.Segment, walked.Ordering, walked.Pages = "walk", "walk", []ordering.Term{ordering.Desc("id")}, pagination.Cursors{}
	h := newStubHandler(t, Options{Authorizer: AllowAll, ETags: true}, authors, works, Describe(works, about), Describe(Describe(works, about), byID), Describe(works, walked))
	for _, test := range []struct {
		reason, target, next string
		ids                  []int
	}{
		{"the first path", "works/", "", []int{3, 1, 2}},
		{"pages and order of the second", "shelves/", "shelves/?page=2", []int{2, 1}},
		{"its other page", "shelves/?page=2", "", []int{3}},
		{"in the other direction", "shelves/?ordering=-author__name", "shelves/?ordering=-author__name&page=2", []int{3, 1}},
		{"an order that only the first has", "shelves/?ordering=title", "shelves/?ordering=title&page=2", []int{2, 1}},
		{"a filter that only the first has", "shelves/?title=a", "shelves/?page=2&title=a", []int{2, 1}},
		{"a search that only the first has", "shelves/?search=a", "shelves/?page=2&search=a", []int{2, 1}},
		{"a filter along references to the first", "shelves/?earlier__title=b", "", []int{3}},
		{"a filter by a reference", "shelves/?author=2", "", []int{2}},
		{"no order", "ids/", "", []int{1, 2, 3}},
		{"an order in pages by cursors", "walk/", "", []int{3, 2, 1}},
		{"references lead to the first", "authors/?works__title=a", "", []int{2}},
	} {
		var got struct {
			Next    *string
			Results []struct{ ID int }
		}
		must(t, json.Unmarshal([]byte(get(h, "/api/"+test.target).Body), &got))
		next, ids := "", []int{}
		if got.Next != nil {
			next = strings.TrimPrefix(*got.Next, "http://host.example/api/")
		}
		for _, r := range got.Results {
			ids = append(ids, r.ID)
		}
		equal(t, test.reason, fmt.Sprint(test.next, test.ids), fmt.Sprint(next, ids))
	}
	const root = `{"authors":"http://host.example/api/authors/","works":"http://host.example/api/works/","shelves":"http://host.example/api/shelves/","ids":"http://host.example/api/ids/","walk":"http://host.example/api/walk/"}`
	equal(t, "the root", root, get(h, "/api/").Body)
	if got := get(h, "/api/ids/"); got.Header["Etag"] == "" {
		t.Error("a page of the second path has no tag")
	}
	if status, body := send(h, "PATCH", "/api/shelves/3/", `{"next":2}`); status != 200 || get(h, "/api/works/3/").Body != body {
		t.Errorf("a write: %d %s", status, body)
	}
	rows := func(context.Context) (url.Values, error) { return url.Values{"author": {"1"}}, nil }
	for i, second := range []Collection{Restrict(Describe(works, about), rows), Describe(Restrict(works, rows), about)} {
		h := newStubHandler(t, Options{Authorizer: AllowAll}, authors, works, second)
		if got := get(h, "/api/shelves/").Body; !strings.HasPrefix(got, `{"count":2,"next":null,"previous":null,"results":[{"id":1,`) {
			t.Errorf("restricted %d: %s", i, got)
		}
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			if status, body := send(h, method, "/api/shelves/2/", `{}`); status != 404 {
				t.Errorf("restricted %d: %s %d %s", i, method, status, body)
			}
		}
		if list, err := second.List(t.Context(), catalogue.Query{}); err != nil || list.Count != 2 || !strings.Contains(string(list.Records[0]), `"id":1`) {
			t.Errorf("restricted %d: List returns %s, %v", i, list.Records, err)
		}
	}
	if Describe(nil, about) != nil || Describe(catalogue.AnyCollection{}, about) != nil {
		t.Error("nil is a collection")
	}
}
