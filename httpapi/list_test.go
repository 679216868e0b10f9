package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

func TestEveryCollection(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	for key := range strings.FieldsSeq(documentKeys) {
		vary, allow := "Accept", readMethods
		switch key {
		case "events":
			vary, allow = authorizedVary, createMethods
		case "social-links":
			allow = createMethods
		}
		target := "/api/" + strings.Replace(key, "itemVariants", "item_variants", 1) + "/"
		want := answer{200, viewHeader(vary, allow, len(emptyPage)), emptyPage}
		if diff := cmp.Diff(want, get(h, target)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
}

func TestPages(t *testing.T) {
	record := func(id int) string { return fmt.Sprintf(`{"id":%d,"name":"<é> & co","tags":[]}`, id) }
	const books = `"http://host.example/api/books/?`
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(5)})
	tests := []struct{ reason, query, want string }{
		{"first", "?limit=2", `{"count":5,"next":` + books + `limit=2&offset=2","previous":null,"results":[` + record(1) + "," + record(2) + "]}"},
		{"middle", "?limit=1&offset=2", `{"count":5,"next":` + books + `limit=1&offset=3","previous":` + books + `limit=1&offset=1","results":[` + record(3) + "]}"},
		{"last, back to the first", "?limit=4&offset=4", `{"count":5,"next":null,"previous":` + books + `limit=4","results":[` + record(5) + "]}"},
		{"past the end", "?offset=1000", `{"count":5,"next":null,"previous":` + books + `limit=21&offset=979","results":[]}`},
		{"other parameters", "?z=1&limit=1&format=api&ordering=-id&a=%C3%A9+%22", `{"count":5,"next":` + books + `a=%C3%A9+%22&format=api&limit=1&offset=1&ordering=-id&z=1","previous":null,"results":[` + record(5) + "]}"},
		{"invalid limit", "?limit=x&offset=4", `{"count":5,"next":null,"previous":` + books + `limit=21","results":[` + record(5) + "]}"},
		{"two limits", "?limit=3&limit=1&offset=4", `{"count":5,"next":null,"previous":` + books + `limit=1&offset=3","results":[` + record(5) + "]}"},
		{"limit too large", "?limit=2000&offset=4", `{"count":5,"next":null,"previous":` + books + `limit=1000","results":[` + record(5) + "]}"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := answer{200, viewHeader("Accept", readMethods, len(test.want)), test.want}
			if diff := cmp.Diff(want, get(h, "/api/books/"+test.query)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	h := newTestHandler(t, Options{Limits: pagination.Limits{Default: 2, Max: 3}}, map[string]Collection{"books": newCollection(9)})
	for query, want := range map[string]string{"": "limit=2&offset=2", "?limit=9": "limit=3&offset=3"} {
		if got := next(get(h, "/api/books/"+query)); got != "http://host.example/api/books/?"+want {
			t.Errorf("%q: next %s, want %s", query, got, want)
		}
	}
}

func TestOrdering(t *testing.T) {
	tests := []struct {
		reason, query string
		want          []ordering.Term
	}{
		{"no ordering", "", []ordering.Term{{Field: "id"}}},
		{"empty ordering", "?ordering=", []ordering.Term{{Field: "id"}}},
		{"one term", "?ordering=name", []ordering.Term{{Field: "name"}, {Field: "id"}}},
		{"descending and white space", "?ordering=-name%20,+id", []ordering.Term{{Field: "name", Desc: true}, {Field: "id"}}},
		{"unknown fields", "?ordering=bogus,start_date,startDate", []ordering.Term{{Field: "start_date"}, {Field: "id"}}},
		{"id in the direction of the leading term", "?ordering=-name,start_date", []ordering.Term{{Field: "name", Desc: true}, {Field: "start_date"}, {Field: "id", Desc: true}}},
		{"terms after id", "?ordering=name,-id,start_date", []ordering.Term{{Field: "name"}, {Field: "id", Desc: true}}},
		{"only unknown fields", "?ordering=bogus", []ordering.Term{{Field: "id"}}},
		{"two orderings", "?ordering=name&ordering=-id", []ordering.Term{{Field: "id", Desc: true}}},
		{"two orderings, the last empty", "?ordering=name&ordering=", []ordering.Term{{Field: "id"}}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var got []ordering.Term
			books := &sliceCollection{onPage: func(terms []ordering.Term) { got = terms }}
			get(newTestHandler(t, Options{}, map[string]Collection{"books": books}), "/api/books/"+test.query)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFailingCollection(t *testing.T) {
	secret := errors.New("password of the database is 1234")
	tests := []struct {
		reason string
		err    error
		status int
	}{
		{"any error", secret, 500},
		{"canceled", fmt.Errorf("%w: %w", secret, context.Canceled), 503},
		{"deadline", fmt.Errorf("%w: %w", secret, context.DeadlineExceeded), 503},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var reported []error
			opts := Options{Authorizer: AllowAll, OnError: func(_ *http.Request, err error) { reported = append(reported, err) }}
			broken := creatableCollection{&sliceCollection{err: test.err}, func([]byte) ([]byte, error) { return nil, test.err }}
			h := newTestHandler(t, opts, map[string]Collection{"events": broken})
			calls := []call{
				{target: "/api/events/"},
				{target: "/api/events/?ordering=id"},
				{method: "POST", target: "/api/events/"},
			}
			for _, c := range calls {
				got := c.do(h)
				if got.Status != test.status || !strings.HasPrefix(got.Body, `{"detail":"`) || strings.Contains(got.Body, "1234") {
					t.Errorf("%s %s: %d %s, want %d", c.method, c.target, got.Status, got.Body, test.status)
				}
			}
			if want := []error{test.err, test.err, test.err}; !slices.Equal(reported, want) {
				t.Errorf("OnError was called with %v, want %v", reported, want)
			}
			h = newTestHandler(t, Options{}, map[string]Collection{"events": broken})
			if got := get(h, "/api/events/"); got.Status != test.status {
				t.Errorf("without OnError: %d, want %d", got.Status, test.status)
			}
		})
	}
}

// A record that is not JSON cannot be indented.
func TestInvalidStoredRecord(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"books": &sliceCollection{records: [][]byte{[]byte("{")}}})
	got := call{target: "/api/books/", header: accept("*/*;indent=2")}.do(h)
	if want := `{"detail":"Internal server error."}`; got.Status != 500 || got.Body != want {
		t.Errorf("%d %s, want 500 %s", got.Status, got.Body, want)
	}
}

// changingCollection is a collection whose fields disappear before Page.
type changingCollection struct {
	*sliceCollection
	left int // number of calls of Page that fail
}

func (c *changingCollection) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	if terms[0].Field != "id" && c.left > 0 {
		c.left--
		return 0, nil, fmt.Errorf("books: %w: %q", ordering.ErrUnknownField, terms[0].Field)
	}
	return c.sliceCollection.Page(ctx, w, terms)
}

func TestFieldDisappearsBeforePage(t *testing.T) {
	for _, row := range []struct {
		left  int
		first string
		why   string
	}{
		{1, `{"id":3,`, "once: the handler tries again"},
		{1000, `{"id":1,`, "always: the default order"},
	} {
		h := newTestHandler(t, Options{}, map[string]Collection{"books": &changingCollection{newCollection(3), row.left}})
		got := get(h, "/api/books/?ordering=-name")
		if _, results, _ := strings.Cut(got.Body, `"results":[`); got.Status != 200 || !strings.HasPrefix(results, row.first) {
			t.Errorf("%s: %d %s, want %s first", row.why, got.Status, got.Body, row.first)
		}
	}
}

// Events are ordered by their dates, or by id if the collection has no such field.
func TestDefaultOrder(t *testing.T) {
	var got [][]ordering.Term
	events := &sliceCollection{onPage: func(terms []ordering.Term) { got = append(got, terms) }}
	get(newTestHandler(t, Options{}, map[string]Collection{"events": events}), "/api/events/?ordering=bogus")
	undated := &changingCollection{&sliceCollection{onPage: events.onPage}, 1000}
	if a := get(newTestHandler(t, Options{}, map[string]Collection{"events": undated}), "/api/events/"); a.Body != emptyPage {
		t.Errorf("without dates: %d %s, want an empty page", a.Status, a.Body)
	}
	want := [][]ordering.Term{{{Field: "start_date"}, {Field: "id"}}, {{Field: "id"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A description without an ordering means the order by id.
func TestNoDefaultOrder(t *testing.T) {
	for reason, order := range map[string][]ordering.Term{"nil": nil, "empty": {}} {
		var got [][]ordering.Term
		films := newFilms()
		films.description.Ordering = order
		films.onPage = func(terms []ordering.Term) { got = append(got, terms) }
		h, err := NewHandler(map[string]Collection{"films": films}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		get(h, "/api/films/")
		get(h, "/api/films/?ordering=bogus")
		if diff := cmp.Diff([][]ordering.Term{{{Field: "id"}}, {{Field: "id"}}}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reason, diff)
		}
	}
}
