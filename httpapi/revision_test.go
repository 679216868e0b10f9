package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

// revisions counts the calls of Revision and List. The nth call of Revision fails.
type revisions struct {
	nth          int
	err          error
	calls, lists int
}

func (r *revisions) on(_ context.Context, method string) error {
	switch method {
	case "List":
		r.lists++
	case "Revision":
		if r.calls++; r.calls == r.nth {
			return r.err
		}
	}
	return nil
}

const oneRecord = `{"count":1,"next":null,"previous":null,"results":[{"id":1}]}`

// If either call of Revision fails, with any error, the page is the same as without
// Revisioner. If-None-Match is then ignored.
func TestRevisionFails(t *testing.T) {
	want := answer{200, viewHeader(listMethods, len(oneRecord)), oneRecord}
	for _, err := range []error{
		errors.New("password is 1234"), Unavailable(time.Second, nil), ErrConflict, context.DeadlineExceeded,
		ordering.ErrUnknownField,
	} {
		for nth := 1; nth <= 2; nth++ {
			opts, reported := reporting()
			opts.ETags = true
			films, r := newStub(1), &revisions{}
			films.on = r.on
			h := newStubHandler(t, opts, films)
			tag := tagOf(t, h, call{target: "/api/films/"})
			for _, header := range []http.Header{nil, ifNoneMatch("*"), ifNoneMatch(`"x"`), ifNoneMatch(tag)} {
				if nth == 2 && header.Get("If-None-Match") != `"x"` && header != nil {
					continue // List is not called, so neither is Revision a second time
				}
				*r, *reported = revisions{nth: nth, err: err}, nil
				if diff := cmp.Diff(want, call{target: "/api/films/", header: header}.do(h)); diff != "" {
					t.Errorf("%v, call %d, %v (-want +got):\n%s", err, nth, header, diff)
				}
				if r.lists != 1 || r.calls != nth || !slices.Equal(*reported, []error{err}) {
					t.Errorf("%v, call %d, %v: %+v, and OnError was called with %v", err, nth, header, r, *reported)
				}
			}
			// The tag stays valid.
			*r = revisions{nth: 2, err: err}
			got := call{target: "/api/films/", header: ifNoneMatch(tag)}.do(h)
			if got.Status != 304 || r.lists != 0 || r.calls != 1 {
				t.Errorf("%v, afterwards: %d and %+v, want 304 without a List", err, got.Status, r)
			}
		}
	}
}

// changing is a collection with one record, whose id is the revision of the page. The
// revision changes before one step of a request.
type changing struct {
	*stub
	calls  int
	before string // first, list, record, or second
	by     int
}

func (c *changing) step(name string) {
	if c.before == name {
		c.revision += uint64(c.by) // decreases if negative
	}
}

func (c *changing) Revision(context.Context) (uint64, error) {
	c.calls++
	c.step([]string{"", "first", "second"}[c.calls])
	return c.revision, nil
}

func (c *changing) List(context.Context, catalogue.Query) (catalogue.Listing, error) {
	c.step("list")
	records := [][]byte{fmt.Appendf(nil, `{"id":%d}`, c.revision)}
	c.step("record")
	return catalogue.Listing{Records: records, Count: 1}, nil
}

// A page has a tag only if the revision is the same before and after List. Revisions may
// decrease if one of several replicas is outdated.
func TestTagIfRevisionChanges(t *testing.T) {
	shown := func(revision int) string {
		return fmt.Sprintf(`{"count":1,"next":null,"previous":null,"results":[{"id":%d}]}`, revision)
	}
	for _, test := range []struct {
		reason string
		before string
		by     int
		shown  int // revision
		tagged bool
	}{
		{"no write", "none", 0, 100, true},
		{"write before the first call of Revision", "first", 1, 101, true},
		{"write between Revision and List", "list", 1, 101, false},
		{"write after List has read", "record", 1, 100, false},
		{"write before the second call of Revision", "second", 1, 100, false},
		{"older replica for all calls", "first", -1, 99, true},
		{"older replica for List", "list", -1, 99, false},
		{"older replica for the second call of Revision", "second", -1, 100, false},
		{"much older replica for the second call of Revision", "record", -50, 100, false},
	} {
		c := &changing{stub: newStub(1), before: test.before, by: test.by}
		c.revision = 100
		h := newStubHandler(t, Options{ETags: true}, c)
		got := get(h, "/api/films/")
		tag, tagged := got.Header["Etag"]
		_, controlled := got.Header["Cache-Control"]
		if got.Status != 200 || got.Body != shown(test.shown) || tagged != test.tagged || controlled != tagged {
			t.Errorf("%s: %d %s, tag %q, want revision %d and a tag: %t",
				test.reason, got.Status, got.Body, tag, test.shown, test.tagged)
		}
		c.before = "none"
		for now := 98; now <= 102 && tagged; now++ {
			c.revision, c.calls = uint64(now), 0
			again := call{target: "/api/films/", header: ifNoneMatch(tag)}.do(h)
			if has := now == test.shown; (again.Status == 304) != has || !has && again.Body != shown(now) {
				t.Errorf("%s: at revision %d with the tag of %d: %d %s", test.reason, now, test.shown, again.Status, again.Body)
			}
		}
		// A page is not sent to a request with If-Match if its revision is not that of the tag.
		for before, want := range map[string]int{"none": 200, "list": 412} {
			if !tagged {
				break
			}
			c.revision, c.calls, c.before, c.by = uint64(test.shown), 0, before, 1
			if got := (call{target: "/api/films/", header: http.Header{"If-Match": {tag}}}).do(h); got.Status != want {
				t.Errorf("%s: If-Match with a write before step %q: %d, want %d", test.reason, before, got.Status, want)
			}
		}
	}
}
