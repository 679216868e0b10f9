package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

func TestErrors(t *testing.T) {
	const (
		unavailable = `{"detail":"Service temporarily unavailable, try again later."}`
		givenUp     = `{"detail":"The request was given up before it could be answered."}`
		gone        = `{"detail":"This collection is gone."}`
		conflict    = `{"detail":"The record is in conflict with what is stored."}`
	)
	secret := errors.New("password is 1234")
	tests := []struct {
		reason     string
		err        error
		status     int
		retryAfter string
		body       string
	}{
		{"unavailable", ErrUnavailable, 503, "", unavailable},
		{"wrapped", fmt.Errorf("%w: %w", ErrUnavailable, secret), 503, "", unavailable},
		{"with a time", Unavailable(7*time.Second, secret), 503, "7", unavailable},
		{"with a time, wrapped", fmt.Errorf("books: %w", Unavailable(time.Minute, nil)), 503, "60", unavailable},
		{"less than a second", Unavailable(1, secret), 503, "1", unavailable},
		{"a little more than a second", Unavailable(time.Second+1, secret), 503, "2", unavailable},
		{"longest time", Unavailable(math.MaxInt64, secret), 503, "9223372037", unavailable},
		{"time zero", Unavailable(0, secret), 503, "", unavailable},
		{"negative time", Unavailable(-time.Second, secret), 503, "", unavailable},
		{"with the error of a context", Unavailable(time.Second, context.DeadlineExceeded), 503, "1", unavailable},
		{"canceled", context.Canceled, 503, "", givenUp},
		{"gone", fmt.Errorf("%w: %w", ErrGone, secret), 410, "", gone},
		{"conflict", fmt.Errorf("%w: %w", ErrConflict, secret), 409, "", conflict},
		{"any other error", secret, 500, "", internalError},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var reported []error
			opts := Options{Authorizer: AllowAll, OnError: func(_ *http.Request, err error) { reported = append(reported, err) }}
			broken := creatableCollection{&sliceCollection{err: test.err}, func([]byte) ([]byte, error) { return nil, test.err }}
			h := newTestHandler(t, opts, map[string]Collection{"events": broken})
			for i, c := range []call{{target: "/api/events/"}, {target: "/api/events/?ordering=id"}, {method: "POST", target: "/api/events/"}} {
				got := c.do(h)
				if got.Status != test.status || got.Header["Retry-After"] != test.retryAfter || got.Body != test.body {
					t.Errorf("%s %s: %d, Retry-After %q, %s, want %d, %q, %s", c.method, c.target, got.Status, got.Header["Retry-After"], got.Body, test.status, test.retryAfter, test.body)
				}
				if len(reported) != i+1 || reported[i] != test.err {
					t.Errorf("OnError was called with %v, want %v last", reported, test.err)
				}
			}
		})
	}
	if err := Unavailable(0, secret); !errors.Is(err, secret) || !errors.Is(err, ErrUnavailable) || errors.Is(Unavailable(0, nil), secret) {
		t.Errorf("Unavailable(0, err) = %v, want an error wrapping ErrUnavailable and err only", err)
	}
}

// failingStep is a collection of films of which one method fails.
type failingStep struct {
	*filmCollection
	in  string // the method
	err error
}

func (c failingStep) failure(method string) error {
	if c.in == method {
		return c.err
	}
	return nil
}

func (c failingStep) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	n, records, _ := c.filmCollection.Page(ctx, w, terms)
	return n, records, c.failure("Page")
}

func (c failingStep) PageWhere(ctx context.Context, _ url.Values, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	n, records, _ := c.filmCollection.Page(ctx, w, terms)
	return n, records, c.failure("PageWhere")
}

func (c failingStep) Get(context.Context, int, url.Values) ([]byte, error) {
	return []byte(`{"id":1}`), c.failure("Get")
}

func (c failingStep) Create(_ context.Context, body []byte) ([]byte, error) {
	return body, c.failure("Create")
}

func (c failingStep) Update(_ context.Context, _ int, _ url.Values, body []byte, _ bool) ([]byte, error) {
	return body, c.failure("Update")
}

func (c failingStep) Delete(context.Context, int, url.Values) error { return c.failure("Delete") }

// An error is the client's mistake only if it comes from a step that can find one: a page
// has no syntax, and a read deletes nothing. All others are reported, and their texts are
// not sent.
func TestErrorsOfSteps(t *testing.T) {
	_, syntax := schema.ParseRecord([]byte(`{"id":1,`))
	errs := []error{
		catalogue.ErrNotFound,
		catalogue.ErrReferenced,
		syntax,
		schema.FieldErrors{{Field: "secret", Messages: []string{"internal"}}},
		catalogue.ErrInvalidID,
	}
	const page, record, filtered = "/api/films/", "/api/films/1/", "?status=announced"
	for _, test := range []struct {
		method string // of the collection
		call   call
		status [5]int // for each error
	}{
		{"Page", call{target: page}, [5]int{500, 500, 500, 500, 500}},
		{"PageWhere", call{target: page + filtered}, [5]int{500, 500, 500, 400, 500}},
		{"Get", call{target: record}, [5]int{404, 500, 500, 500, 500}},
		{"Get", call{target: record + filtered}, [5]int{404, 500, 500, 400, 500}},
		{"Get", call{method: "PATCH", target: record}, [5]int{404, 500, 500, 500, 500}},
		{"Get", call{method: "PUT", target: record + filtered}, [5]int{404, 500, 500, 400, 500}},
		{"Create", call{method: "POST", target: page}, [5]int{500, 500, 400, 400, 409}},
		{"Update", call{method: "PATCH", target: record}, [5]int{404, 500, 400, 400, 500}},
		{"Delete", call{method: "DELETE", target: record}, [5]int{404, 409, 500, 500, 500}},
		{"Delete", call{method: "DELETE", target: record + filtered}, [5]int{404, 409, 500, 400, 500}},
	} {
		for i, err := range errs {
			var reported []error
			films := failingStep{newFilms(), test.method, fmt.Errorf("row 7: %w", err)}
			h, err := NewHandler(map[string]Collection{"films": films}, Options{
				Authorizer: AllowAll,
				OnError:    func(_ *http.Request, err error) { reported = append(reported, err) },
			})
			if err != nil {
				t.Fatal(err)
			}
			got, want := test.call.do(h), test.status[i]
			if got.Status != want || want == 500 && got.Body != internalError {
				t.Errorf("%s %s: %s fails with %v: %d %s, want %d", test.call.method, test.call.target, test.method, films.err, got.Status, got.Body, want)
			}
			if calls := len(reported); (calls == 1) != (want == 500 || errs[i] == catalogue.ErrInvalidID && want == 409) {
				t.Errorf("%s %s: %s fails with %v: OnError was called with %v", test.call.method, test.call.target, test.method, films.err, reported)
			}
		}
	}
}
