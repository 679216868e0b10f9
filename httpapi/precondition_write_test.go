package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// genreHandler returns a handler, with tags, of a catalogue with genres 1 and 2.
func genreHandler(t *testing.T) (http.Handler, *catalogue.Catalogue) {
	t.Helper()
	house := newFilmHouse(t)
	if err := house.LoadCollection("genres", strings.NewReader(`[{"id":1,"name":"drama","position":1},{"id":2,"name":"comedy","position":2}]`)); err != nil {
		t.Fatal(err)
	}
	return taggedHandler(t, house), house
}

// sendWith sends a request with a JSON body and more headers, each as name and value.
func sendWith(h http.Handler, method, target string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, body)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func genreTag(h http.Handler) string {
	return sendWith(h, "GET", "/api/genres/1/", nil).Header().Get("ETag")
}

// See RFC 9110, section 13. T stands for the current tag of genre 1, S and X for the tag and
// other text within the quotes, and I for the tag of its
// indented representation.
func TestPreconditionsOfWrites(t *testing.T) {
	const valid, invalid = `{"name":"crime","position":7}`, `{"position":"x"}`
	for _, test := range []struct {
		reason, match, none string
		body                string
		update, delete      int
	}{
		{"the tag", "T", "", valid, 200, 204},
		{"in a list", `"a", W/"b",T`, "", valid, 200, 204},
		{"the tag of an indented representation", "I", "", valid, 200, 204},
		{"the tag with a suffix of middleware", "S", "", valid, 200, 204},
		{"the tag and other text", "X", "", valid, 412, 412},
		{"star", "*", "", valid, 200, 204},
		{"no precondition", "", "", valid, 200, 204},
		{"strong comparison", "W/T", "", valid, 412, 412},
		{"other tag", `"x"`, "", valid, 412, 412},
		{"empty tag", `""`, "", valid, 412, 412},
		{"the tag and then something else", "T2", "", valid, 200, 204},
		{"no tag", "x", "", valid, 412, 412},
		{"If-None-Match with the tag", "", "T", valid, 412, 412},
		{"If-None-Match by weak comparison", "", "W/T", valid, 412, 412},
		{"If-None-Match with star", "", "*", valid, 412, 412},
		{"If-None-Match with another tag", "", `"x"`, valid, 200, 204},
		{"both", "T", `"x"`, valid, 200, 204},
		{"both, the second false", "T", "T", valid, 412, 412},
		{"star and the tag", "*", "T", valid, 412, 412},
		{"false before an invalid body", `"x"`, "", invalid, 412, 412},
		{"true before an invalid body", "T", "", invalid, 400, 204},
	} {
		for _, method := range []string{"PUT", "PATCH", "DELETE"} {
			h, _ := genreHandler(t)
			tag := genreTag(h)
			tags := strings.NewReplacer("T", tag, "S", tag[:len(tag)-1]+`-gzip"`, "X", tag[:len(tag)-1]+`x"`,
				"I", sendWith(h, "GET", "/api/genres/1/", nil, "Accept", "application/json; indent=2").Header().Get("ETag"))
			var headers []string
			if test.match != "" {
				headers = append(headers, "If-Match", tags.Replace(test.match))
			}
			if test.none != "" {
				headers = append(headers, "If-None-Match", tags.Replace(test.none))
			}
			want := test.update
			if method == "DELETE" {
				want = test.delete
			}
			before := sendWith(h, "GET", "/api/genres/1/", nil).Body.String()
			got := sendWith(h, method, "/api/genres/1/", strings.NewReader(test.body), headers...)
			if got.Code != want || want == 412 && !strings.HasPrefix(got.Body.String(), `{"detail":"Precondition failed: `) {
				t.Errorf("%s, %s: %d %s, want %d", test.reason, method, got.Code, got.Body, want)
			}
			after := sendWith(h, "GET", "/api/genres/1/", nil)
			if changed := after.Body.String() != before; changed != (got.Code < 300) {
				t.Errorf("%s, %s: %d, and then the record is %s", test.reason, method, got.Code, after.Body)
			}
		}
	}
}

// TestWritesOfOthers checks that a write to another record does not make If-Match false.
func TestWritesOfOthers(t *testing.T) {
	h, _ := genreHandler(t)
	tag := genreTag(h)
	if got := sendWith(h, "PATCH", "/api/genres/2/", strings.NewReader(`{"position":9}`)); got.Code != 200 {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	if got := sendWith(h, "PATCH", "/api/genres/1/", strings.NewReader(`{"position":8}`), "If-Match", tag); got.Code != 200 {
		t.Errorf("%d %s, want 200", got.Code, got.Body)
	}
}

// writingBody is a JSON body that performs another write before it is read.
type writingBody struct {
	io.Reader
	write func()
}

func (b *writingBody) Read(p []byte) (int, error) {
	if b.write != nil {
		b.write()
		b.write = nil
	}
	return b.Reader.Read(p)
}

// TestNoLostUpdate changes the record after the request was checked for the first time,
// while its body is read. Only a comparison at the instant of the write detects that.
func TestNoLostUpdate(t *testing.T) {
	for _, method := range []string{"PUT", "PATCH"} {
		h, house := genreHandler(t)
		body := &writingBody{strings.NewReader(`{"name":"mine"}`), func() {
			if got := sendWith(h, "PATCH", "/api/genres/1/", strings.NewReader(`{"name":"theirs"}`)); got.Code != 200 {
				t.Fatalf("%d %s", got.Code, got.Body)
			}
		}}
		if got := sendWith(h, method, "/api/genres/1/", body, "If-Match", genreTag(h)); got.Code != 412 {
			t.Errorf("%s after another write: %d %s, want 412", method, got.Code, got.Body)
		}
		genres, err := house.Encoded("genres")
		if err != nil {
			t.Fatal(err)
		}
		if record, err := genres.Get(t.Context(), 1, nil); err != nil || !strings.Contains(string(record), `"theirs"`) {
			t.Errorf("%s: the record is %s (%v), want that of the other write", method, record, err)
		}
	}
}

// TestConcurrentIncrements increments a number with GET and PATCH from several goroutines.
// Each repeats its request after a 412. No increment is lost.
func TestConcurrentIncrements(t *testing.T) {
	const writers, increments = 4, 25
	h, _ := genreHandler(t)
	increment := func() (status int) {
		got := sendWith(h, "GET", "/api/genres/1/", nil)
		var genre struct{ Position int }
		if err := json.Unmarshal(got.Body.Bytes(), &genre); err != nil {
			t.Error(err)
		}
		body := fmt.Sprintf(`{"position":%d}`, genre.Position+1)
		return sendWith(h, "PATCH", "/api/genres/1/", strings.NewReader(body), "If-Match", got.Header().Get("ETag")).Code
	}
	var running sync.WaitGroup
	for range writers {
		running.Go(func() {
			for done := 0; done < increments && !t.Failed(); {
				switch status := increment(); status {
				case 200:
					done++
				case 412:
				default:
					t.Errorf("%d, want 200 or 412", status)
				}
			}
		})
	}
	running.Wait()
	want := fmt.Sprintf(`"position":%d}`, 1+writers*increments)
	if got := sendWith(h, "GET", "/api/genres/1/", nil).Body.String(); !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// embedded is a collection of a catalogue in a type of the program, which hides UpdateIf.
type embedded struct{ catalogue.Encoded }

// TestUncheckedPreconditions checks that a collection that cannot compare tags at the
// instant of a write is not written to if a request has some.
func TestUncheckedPreconditions(t *testing.T) {
	_, house := genreHandler(t)
	genres, err := house.Encoded("genres")
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.NewHandler(map[string]httpapi.Collection{"genres": embedded{genres}}, httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	tag := genreTag(h)
	for _, test := range []struct {
		name, value    string
		update, delete int
	}{
		{"If-Match", tag, 412, 412},
		{"If-Match", `"x"`, 412, 412},
		{"If-None-Match", `"x"`, 412, 412},
		{"If-None-Match", "*", 412, 412},
		{"If-Match", "*", 200, 204}, // last, since it deletes the record
	} {
		for _, method := range []string{"PUT", "PATCH", "DELETE"} {
			want := test.update
			if method == "DELETE" {
				want = test.delete
			}
			if got := sendWith(h, method, "/api/genres/9/", strings.NewReader(`{"name":"x"}`), test.name, test.value); got.Code != 404 {
				t.Errorf("%s of no record with %s: %s: %d, want 404", method, test.name, test.value, got.Code)
			}
			if got := sendWith(h, method, "/api/genres/1/", strings.NewReader(`{"name":"x"}`), test.name, test.value); got.Code != want {
				t.Errorf("%s with %s: %s: %d %s, want %d", method, test.name, test.value, got.Code, got.Body, want)
			}
		}
	}
}
