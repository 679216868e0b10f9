package httpapi_test

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

func TestNewErrors(t *testing.T) {
	if _, err := httpapi.New(nil, httpapi.Options{}); !errors.Is(err, httpapi.ErrInvalidConfig) {
		t.Errorf("New(nil) returns %v, want ErrInvalidConfig", err)
	}
	if _, err := httpapi.New(catalogue.New(), httpapi.Options{BaseURL: "shop"}); !errors.Is(err, httpapi.ErrInvalidConfig) {
		t.Errorf("New with an invalid base URL returns %v, want ErrInvalidConfig", err)
	}
}

// When the largest id is in use, a POST results in 409 and stores nothing, even if the
// collection wraps that of a catalogue.
func TestLargestID(t *testing.T) {
	const event = `{"name":"N","slug":"s","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`
	type wrapped struct{ catalogue.Encoded }
	for _, wrap := range []bool{false, true} {
		for _, last := range []int{math.MaxInt - 1, math.MaxInt} {
			house := catalogue.New()
			if _, err := house.Events().Insert(schema.Event{ID: last}); err != nil {
				t.Fatal(err)
			}
			all := make(map[string]httpapi.Collection)
			for key, c := range house.All() {
				all[key] = c
				if wrap {
					all[key] = wrapped{c}
				}
			}
			var reported []error
			h, err := httpapi.NewHandler(all, httpapi.Options{
				Authorizer: httpapi.AllowAll,
				OnError:    func(_ *http.Request, err error) { reported = append(reported, err) },
			})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				r := httptest.NewRequest("POST", "/api/events/", strings.NewReader(event))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				reported = nil
				if h.ServeHTTP(w, r); last < math.MaxInt {
					if w.Code != 201 || len(reported) > 0 {
						t.Errorf("largest id %d: %d %s and errors %v, want 201 and none", last, w.Code, w.Body, reported)
					}
					last = math.MaxInt // the id just assigned
					continue
				}
				if want := fmt.Sprintf(`{"detail":"No id is left above %d."}`, math.MaxInt); w.Code != 409 || w.Body.String() != want {
					t.Errorf("%d %s, want 409 %s", w.Code, w.Body, want)
				}
				if len(reported) != 1 || !errors.Is(reported[0], catalogue.ErrInvalidID) {
					t.Errorf("OnError was called with %v, want ErrInvalidID", reported)
				}
			}
			if n := house.Events().Count(); n > 2 {
				t.Errorf("%d events, want at most 2", n)
			}
		}
	}
}

func ExampleNew() {
	house := catalogue.New()
	house.Labels().Insert(schema.Label{Name: "Blue", Slug: "blue"})
	handler, err := httpapi.New(house, httpapi.Options{})
	if err != nil {
		panic(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("HEAD", "http://127.0.0.1/api/labels/", nil))
	fmt.Println(w.Code, w.Header().Get("Allow"))
	// Output: 200 GET, HEAD, OPTIONS
}
