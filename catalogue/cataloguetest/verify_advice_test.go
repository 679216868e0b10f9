package cataloguetest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// exceptAll lists all pathologies but the given ones.
func exceptAll(but ...string) (others []string) {
	for _, e := range expected {
		if !strings.Contains(" "+strings.Join(but, " ")+" ", " "+e.pathology+" ") {
			others = append(others, e.pathology)
		}
	}
	return others
}

// problemIn runs a client through one pathology and returns its problem.
func problemIn(t *testing.T, pathology string, fetch cataloguetest.Fetch) string {
	t.Helper()
	report, _ := cataloguetest.CheckClient(fetch, cataloguetest.Verification{Timeout: time.Minute, Except: exceptAll(pathology)})
	if len(report.Results) != 1 {
		t.Fatalf("%s: %d results", pathology, len(report.Results))
	}
	return report.Results[0].Problem
}

// fetchList returns a client without mistakes for the list at a path, whose response bodies
// are closed by closeBody.
func fetchList(path string, closeBody func(io.Closer)) cataloguetest.Fetch {
	return func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
		keep := *client
		keep.Transport = rounder(func(r *http.Request) (*http.Response, error) {
			resp, err := client.Transport.RoundTrip(r)
			if err == nil {
				resp.Body = &ownClose{resp.Body, closeBody}
			}
			return resp, err
		})
		return fetchByOffset(ctx, &keep, baseURL+path, func(resp *http.Response, err error) (body []byte, ended bool, _ error) {
			if err != nil {
				return nil, false, err
			}
			body, err = io.ReadAll(resp.Body)
			return body, false, err
		})
	}
}

type rounder func(*http.Request) (*http.Response, error)

func (f rounder) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// An ownClose is a body that is closed by a function.
type ownClose struct {
	io.ReadCloser
	closeBody func(io.Closer)
}

func (o *ownClose) Close() error {
	o.closeBody(o.ReadCloser)
	return nil
}

// TestVerifyUnclosedBodies uses a client that returns the right records.
func TestVerifyUnclosedBodies(t *testing.T) {
	closed := 0
	tests := []struct {
		reason, pathology string
		closeBody         func(io.Closer)
		problem           string // prefix; empty: none
	}{
		{"all closed", "several-pages", func(c io.Closer) { c.Close() }, ""},
		{"closed twice", "several-pages", func(c io.Closer) { c.Close(); c.Close() }, ""},
		{"closed by another goroutine", "several-pages", func(c io.Closer) {
			go func() { time.Sleep(10 * time.Millisecond); c.Close() }()
		}, ""},
		{"none closed", "several-pages", func(io.Closer) {}, "did not close 3 of 3 response bodies: call resp.Body.Close"},
		{"one not closed", "several-pages", func(c io.Closer) {
			if closed++; closed > 1 {
				c.Close()
			}
		}, "did not close 1 of 3 response bodies: "},
		{"the body of an error is not closed", "status-500-always", func(io.Closer) {}, "did not close 1 of 1 response bodies: "},
		{"no response", "cancelled", func(io.Closer) {}, ""},
	}
	for _, tt := range tests {
		problem := problemIn(t, tt.pathology, fetchList("/api/events/", tt.closeBody))
		if !strings.HasPrefix(problem, tt.problem) || tt.problem == "" && problem != "" {
			t.Errorf("%s: problem %q, want %q", tt.reason, problem, tt.problem)
		}
	}
}

// TestVerifyOtherCollection checks the advice for clients of another collection than
// events.
func TestVerifyOtherCollection(t *testing.T) {
	closes := func(c io.Closer) { c.Close() }
	numbers := func(ids ...int) cataloguetest.Fetch {
		return func(context.Context, *http.Client, string) ([]int, error) { return ids, nil }
	}
	tests := []struct {
		reason, pathology string
		fetch             cataloguetest.Fetch
		problem           string // prefix
	}{
		{"records of another collection, whose ids may be the same", "several-pages", fetchList("/api/item_variants/", closes),
			`sent requests to /api/item_variants/ and none to /api/events/: if the client fetches the collection itemVariants, set Verification.Collection to "itemVariants"`},
		{"an error is expected", "status-500-always", fetchList("/api/item_variants/", closes), "sent requests to /api/item_variants/ and none to /api/events/: "},
		{"no id is known", "several-pages", numbers(1_000_001, 1_000_002),
			"returned 2 records, and none of their ids is in the collection events: the client probably fetches another collection; set Verification.Collection"},
		{"no records", "several-pages", numbers(), "returned 0 of 25 records, without the one with the id "},
	}
	for _, tt := range tests {
		if problem := problemIn(t, tt.pathology, tt.fetch); !strings.HasPrefix(problem, tt.problem) {
			t.Errorf("%s: problem %q, want %q", tt.reason, problem, tt.problem)
		}
	}
}
