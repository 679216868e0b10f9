package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/pagination"
)

// withPages returns a handler that serves a catalogue in pages of a style.
func withPages(t testing.TB, cat *catalogue.Catalogue, style pagination.Style) http.Handler {
	t.Helper()
	h, err := httpapi.New(cat, httpapi.Options{Pages: style})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

var fours = pagination.Limits{Default: 4, Max: 4}

// A walk reads all pages of each style, and nothing else. The cursors are the base64 of p=4, p=8
// and p=3, p=6, p=9.
func TestStyles(t *testing.T) {
	for _, c := range []struct {
		reason string
		style  pagination.Style
		opts   client.Options
		want   []string // queries
	}{
		{"numbers", pagination.Numbers{Limits: fours}, client.Options{Pages: pagination.Numbers{}},
			[]string{"ordering=id&page=1", "ordering=id&page=2", "ordering=id&page=3"}},
		{"numbers, and a size that the service reduces", pagination.Numbers{Limits: fours, Page: "p", Size: "n"}, client.Options{Pages: pagination.Numbers{Page: "p", Size: "n"}},
			[]string{"n=100&ordering=id&p=1", "n=4&ordering=id&p=2", "n=4&ordering=id&p=3"}},
		{"numbers, and a size", pagination.Numbers{Size: "n"}, client.Options{Pages: pagination.Numbers{Size: "n"}, PageSize: 5},
			[]string{"n=5&ordering=id&page=1", "n=5&ordering=id&page=2"}},
		{"numbers, and a page that is larger than PageSize", pagination.Numbers{}, client.Options{Pages: pagination.Numbers{}, PageSize: 5}, []string{"ordering=id&page=1"}},
		{"cursors", pagination.Cursors{Limits: fours}, client.Options{Pages: pagination.Cursors{}},
			[]string{"ordering=id", "cursor=cD00&ordering=id", "cursor=cD04&ordering=id"}},
		{"cursors, and a size", pagination.Cursors{Cursor: "from", Size: "n"}, client.Options{Pages: pagination.Cursors{Cursor: "from", Size: "n"}, PageSize: 3},
			[]string{"n=3&ordering=id", "from=cD0z&n=3&ordering=id", "from=cD02&n=3&ordering=id", "from=cD05&n=3&ordering=id"}},
	} {
		var got []string
		h := withPages(t, tenBooks(t), c.style)
		c.opts.Rate = -1
		service := newInProcessClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = append(got, r.URL.RawQuery)
			h.ServeHTTP(w, r)
		}), c.opts)
		ids, err := walkIDs(t, service, "books")
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, ids); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", c.reason, err, diff)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: requests (-want +got):\n%s", c.reason, diff)
		}
		if ids, err := walkIDs(t, service, "faqs"); ids != nil || err != nil {
			t.Errorf("%s: an empty collection: %v, %v", c.reason, ids, err)
		}
	}
}

// The correct pages of the ten books are 1-4, 5-8 and 9-10.
func TestInvalidPagesOfStyles(t *testing.T) {
	numbers, cursors := pagination.Style(pagination.Numbers{Limits: fours}), pagination.Style(pagination.Cursors{Limits: fours})
	const gone = `{"id":5,"name":"Book 5"},`
	for _, c := range []struct {
		reason   string
		style    pagination.Style
		page     int // that is changed
		old, new string
		want     error
		seen     int // number of records before the error
	}{
		{"a record is missing", numbers, 2, gone, "", errGap, 4},
		{"a record is missing on the first page, and taken for its size", numbers, 1, `,{"id":4,"name":"Book 4"}`, "", client.ErrInvalidPage, 3},
		{"a record is missing on the last page", numbers, 3, `{"id":9,"name":"Book 9"},`, "", errGap, 8},
		{"a record of the page before", numbers, 2, gone, `{"id":4,"name":"Book 4"},`, errDuplicate, 4},
		{"an earlier record", numbers, 2, gone, `{"id":3,"name":"Book 3"},`, errUnordered, 4},
		{"the count changes", numbers, 2, `"count":10`, `"count":9`, errChanged, 4},
		{"the last page comes too early", numbers, 2, `"http://catalogue.test/api/books/?ordering=id&page=3"`, "null", errGap, 4},
		{"next skips a page", numbers, 1, "page=2", "page=3", client.ErrInvalidPage, 0},
		{"next is not a number", numbers, 1, "page=2", "page=last", client.ErrInvalidPage, 0},
		{"next is on another host", numbers, 1, "catalogue.test", "other.test", client.ErrInvalidPage, 0},
		{"previous is not the page before", numbers, 3, "page=2", "page=1", client.ErrInvalidPage, 8},
		{"no count", numbers, 1, `"count":10,`, "", client.ErrInvalidPage, 0},

		{"a record is missing before others", cursors, 2, gone, "", errGap, 4},
		{"a record of the page before", cursors, 2, gone, `{"id":4,"name":"Book 4"},`, errDuplicate, 4},
		{"an earlier record", cursors, 2, gone, `{"id":3,"name":"Book 3"},`, errUnordered, 4},
		{"too many records", cursors, 2, `{"id":8,"name":"Book 8"}`, `{"id":8,"name":"Book 8"},{"id":9,"name":"Book 9"}`, client.ErrInvalidPage, 4},
		{"next is the page itself", cursors, 2, "cursor=cD04", "cursor=cD00", errUnordered, 8},
		{"next is the first page", cursors, 2, "cursor=cD04&", "", errUnordered, 8},
		{"next is on another host", cursors, 1, "catalogue.test", "other.test", client.ErrInvalidPage, 0},
		{"next is without encryption", cursors, 1, "http://", "ftp://", client.ErrInvalidPage, 0},
		{"next is another list", cursors, 1, "ordering=id", "ordering=-id", client.ErrInvalidPage, 0},
		{"next is no URL", cursors, 1, "http://catalogue.test/", "/", client.ErrInvalidPage, 0},
		{"no results", cursors, 1, `"results"`, `"rows"`, client.ErrInvalidPage, 0},
		{"null", cursors, 1, `{`, "null", client.ErrInvalidPage, 0},
	} {
		t.Run(c.reason, func(t *testing.T) {
			h, n := withPages(t, tenBooks(t), c.style), 0
			service := newInProcessClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				recorder := httptest.NewRecorder()
				h.ServeHTTP(recorder, r)
				body := recorder.Body.String()
				if n++; n == c.page {
					changed := strings.Replace(body, c.old, c.new, 1)
					if changed == body {
						t.Errorf("%q is not in %s", c.old, body)
					}
					if body = changed; c.new == "null" && c.old == "{" {
						body = c.new
					}
				}
				w.Header().Set("Content-Type", "application/json")
				w.Write([]byte(body))
			}), client.Options{Rate: -1, Pages: c.style})
			seen := 0
			for _, err := range service.All(t.Context(), "books") {
				if err == nil {
					seen++
				} else if !is(err, c.want) {
					t.Errorf("error %v, want %v", err, c.want)
				} else {
					seen += 100
				}
			}
			if seen != c.seen+100 {
				t.Errorf("%d records and errors, want %d", seen, c.seen+100)
			}
		})
	}
}

// Records that are inserted or deleted beside a walk by cursors change nothing but themselves.
func TestCursorsBesideWrites(t *testing.T) {
	cat := tenBooks(t)
	service := newInProcessClient(t, withPages(t, cat, pagination.Cursors{Limits: fours}), client.Options{Rate: -1, Pages: pagination.Cursors{}})
	coll, err := cat.Collection("books")
	if err != nil {
		t.Fatal(err)
	}
	var ids []int
	for text, err := range service.All(t.Context(), "books") {
		if err != nil {
			t.Fatal(err)
		}
		r, err := schema.ParseRecord(text)
		if err != nil {
			t.Fatal(err)
		}
		if ids = append(ids, r.ID); r.ID == 4 { // after the first page
			if err := coll.Load(strings.NewReader(`[{"id":2},{"id":3},{"id":4},{"id":5},{"id":7},{"id":8}]`), catalogue.LoadOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 7, 8}, ids); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// otherStyle is a style that the client does not read.
type otherStyle struct{ pagination.Limits }

// The style of a description takes precedence.
func TestStylesOfDescriptions(t *testing.T) {
	cat, err := catalogue.New(
		catalogue.Define[schema.Record]("films", catalogue.Options{Description: &schema.Description{Pages: pagination.Cursors{Limits: fours}}}),
		catalogue.Define[schema.Record]("directors", catalogue.Options{}),
	)
	if err != nil {
		t.Fatal(err)
	}
	const nine = `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7},{"id":8},{"id":9}]`
	if err := cat.Load(strings.NewReader(`{"films":`+nine+`,"directors":`+nine+`}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	service := newInProcessClient(t, withPages(t, cat, pagination.Numbers{Limits: fours}), client.Options{Rate: -1, Pages: pagination.Numbers{}, Catalogue: cat})
	copied := cat.Clone()
	report, err := importAll(t.Context(), copied, service)
	if err != nil || len(report) != 2 || report[0].Records != 9 || report[1].Records != 9 {
		t.Errorf("Import = %+v, %v, want 9 records of 2 collections", report, err)
	}
	_, err = client.New(client.Options{BaseURL: "http://catalogue.test", Pages: otherStyle{}})
	if err == nil || !strings.HasPrefix(err.Error(), "client: invalid option: Pages client_test.otherStyle") {
		t.Errorf("New with another style: error %v", err)
	}
}
