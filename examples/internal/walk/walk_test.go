package walk

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/httpapi/clienttest"
)

// fetch returns a function that reads a collection of a service.
func fetch(segment string) clienttest.Fetch[int] {
	return func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		records, err := (&Service{Client: client, Root: baseURL + "/api/"}).All(ctx, segment)
		for _, r := range records {
			ids = append(ids, r.ID)
		}
		return ids, err
	}
}

func TestVerify(t *testing.T) {
	for _, collection := range []string{"events", "books"} {
		t.Run(collection, func(t *testing.T) {
			clienttest.VerifyClient(t, fetch(collection), clienttest.Options{Collection: collection, Timeout: time.Minute})
		})
	}
}

// TestRequests checks what is requested, and that requests are not closer than the pause.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := cataloguetest.New(t)
		service := Service{Client: server.Client, Root: server.URL + "/api/", Size: 100, Pause: time.Second}
		begin := time.Now()
		list, err := service.Collections(t.Context())
		if err != nil || len(list) != 39 || list[0] != (Collection{"attribute-types", "attribute-types"}) {
			t.Errorf("%v, %v", list, err)
		}
		records, err := service.All(t.Context(), "books")
		if err != nil || len(records) != 200 {
			t.Errorf("%d records, %v", len(records), err)
		}
		want := []string{"/api/", "/api/books/?ordering=id&limit=100&offset=0", "/api/books/?ordering=id&limit=100&offset=99", "/api/books/?ordering=id&limit=100&offset=198"}
		var got []string
		for _, x := range server.Exchanges() {
			got = append(got, x.URL.RequestURI())
		}
		if diff := cmp.Diff(want, got); diff != "" || time.Since(begin) != 3*time.Second {
			t.Errorf("%v (-want +got):\n%s", time.Since(begin), diff)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if _, err := service.All(ctx, "books"); err == nil || time.Since(begin) != 3500*time.Millisecond {
			t.Errorf("a context that ends while the service is waiting: error %v after %v", err, time.Since(begin))
		}
	})
}

// An answer is the body of all responses.
type answer string

func (a answer) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(string(a))),
	}, nil
}

// TestRoot checks what is refused as a root listing.
func TestRoot(t *testing.T) {
	for body, ok := range map[string]bool{
		`{"books":"http://x/api/books/","item_s":"/v2/it%20ems/?a=b"}`: true,
		`[]`: false, `{"books":7}`: false, `{"books":"http://x"}`: false, `{"books":"/"}`: false, `{"books":":"}`: false,
	} {
		client := &http.Client{Transport: answer(body)}
		if list, err := (&Service{Client: client, Root: "http://x/api/"}).Collections(t.Context()); (err == nil) != ok {
			t.Errorf("%s: %v, %v", body, list, err)
		}
	}
}
