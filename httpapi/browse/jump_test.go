package browse

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

func TestPageJump(t *testing.T) {
	h := newHandlers(t, load(t, books(500)), httpapi.Options{}).browse
	const last = "?format=api&limit=21&offset=483"
	tests := []struct{ reason, query, want string }{
		{"second page", "?_page=2", "?format=api&limit=21&offset=21"},
		{"first page", "?_page=1&offset=300", "?format=api&limit=21"},
		{"last page", "?_page=24", last},
		{"past the last page", "?_page=25", last},
		{"beyond an int64", "?_page=99999999999999999999", last},
		{"zero", "?_page=0", "?format=api&limit=21"},
		{"negative", "?_page=-99999999999999999999", "?format=api&limit=21"},
		{"not a number", "?_page=x", "?format=api&limit=21"},
		{"white space", "?_page=+2+", "?format=api&limit=21&offset=21"},
		{"the last value counts", "?_page=3&_page=2", "?format=api&limit=21&offset=21"},
		{"other parameters are kept", "?x=1&x=%26&limit=5&ordering=-id&_page=2", "?format=api&limit=5&offset=5&ordering=-id&x=1&x=%26"},
		{"a limit that the handler reduces", "?limit=5000&_page=9", "?format=api&limit=5000"},
		{"an invalid limit", "?limit=x&_page=2", "?format=api&limit=21&offset=21"},
	}
	for _, test := range tests {
		got := get(h, "/api/books/"+test.query)
		if got.status != http.StatusSeeOther || got.header.Get("Location") != test.want {
			t.Errorf("%s: %d, Location %q, want %q", test.reason, got.status, got.header.Get("Location"), test.want)
		}
		if got.header.Get("Vary") != "Accept" {
			t.Errorf("%s: Vary is %q", test.reason, got.header.Get("Vary"))
		}
	}
}

// A handler with a lower maximum decides how large the pages are.
func TestPageJumpWithReducedLimit(t *testing.T) {
	house := load(t, books(500))
	h, err := httpapi.New(house, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reduced := around(t, func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		q := r.URL.Query()
		q.Set("limit", "10")
		r.URL.RawQuery = q.Encode()
		h.ServeHTTP(w, r)
	})
	if got := get(reduced, "/api/books/?limit=100&_page=3").header.Get("Location"); got != "?format=api&limit=10&offset=20" {
		t.Errorf("the third page is %q", got)
	}
}

// The form leads to every page, and keeps the parameters of the page that it is on.
func TestPageForm(t *testing.T) {
	h := newHandlers(t, load(t, books(50)), httpapi.Options{}).browse
	for number := 1; number <= 8; number++ {
		page := get(h, "/api/books/?limit=7&offset=14&ordering=-id")
		input := page.one(t, "input", "name", "_page").attrs
		if input["value"] != "3" || input["min"] != "1" || input["max"] != "8" {
			t.Fatalf("the input is %v", input)
		}
		values := page.formValues("jump", map[string]string{"_page": fmt.Sprint(number)})
		got := follow(t, h, "/api/books/", get(h, "/api/books/?"+values.Encode()).header.Get("Location"))
		rows := got.find("tr", "id", "*")
		if want := fmt.Sprintf("record-%d", 50-(number-1)*7); len(rows) == 0 || rows[0].attrs["id"] != want {
			t.Errorf("page %d starts with %v, want %s", number, rows, want)
		}
	}
	for _, query := range []string{"", "?limit=50", "?limit=51"} {
		if got := get(h, "/api/books/"+query); (len(got.find("form", "class", "jump")) == 1) != (query == "") {
			t.Errorf("%s: %d forms for a page", query, len(got.find("form", "class", "jump")))
		}
	}
	if got := get(h, "/api/books/?offset=9223372036854775807&limit=1").one(t, "input", "name", "_page").attrs["value"]; got != "50" {
		t.Errorf("past the end, the number of the page is %s", got)
	}
}

// Without a list there are no pages to jump to.
func TestPageJumpElsewhere(t *testing.T) {
	h := newHouse().handler(t, httpapi.Options{})
	for target, status := range map[string]int{
		"/api/?_page=2": 200, "/api/films/1/?_page=2": 200, "/api/films/?_page=2&status=bogus": 400, "/api/x/?_page=2": 404, "/api/films?_page=2": 301,
		"/api/?_record=1": 200, "/api/films/1/?_record=1": 200, "/api/x/?_record=1": 404,
	} {
		if got := get(h, target); got.status != status {
			t.Errorf("GET %s: %d, want %d", target, got.status, status)
		}
	}
}

func TestRecordJump(t *testing.T) {
	ids := []int{2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765, 10946, 17711, 28657, 46368, 75025}
	var records []string
	at := make(map[int]int)
	for i, id := range ids {
		records = append(records, fmt.Sprintf(`{"id":%d}`, id))
		at[id] = i
	}
	h := newHandlers(t, load(t, `{"books":[`+strings.Join(records, ",")+`]}`), httpapi.Options{}).browse
	for id := -1; id < 240; id++ {
		got := get(h, fmt.Sprintf("/api/books/?_record=%d", id))
		if i, ok := at[id]; ok {
			if want := fmt.Sprintf("?format=api&ordering=id#record-%d", id); i < 21 && got.header.Get("Location") != want {
				t.Errorf("record %d is at %q, want %q", id, got.header.Get("Location"), want)
			}
			continue
		}
		if got.status != http.StatusNotFound || !strings.Contains(got.text, "There is no record with the id") {
			t.Errorf("record %d: %d %.200s", id, got.status, got.text)
		}
	}
	location := get(h, "/api/books/?_record=75025").header.Get("Location")
	if location != "?format=api&offset=21&ordering=id#record-75025" {
		t.Fatalf("the last record is at %q", location)
	}
	location, _, _ = strings.Cut(location, "#")
	follow(t, h, "/api/books/", location).one(t, "tr", "id", "record-75025")
	for _, id := range []string{"x", "1.5", "99999999999999999999"} {
		if got := get(h, "/api/books/?_record="+id); got.status != 200 || len(got.find("tr", "id", "*")) != 21 {
			t.Errorf("record %q: %d, %d rows", id, got.status, len(got.find("tr", "id", "*")))
		}
	}
}

// Whatever the handler returns, a jump ends.
func TestJumpOfOtherResponses(t *testing.T) {
	for _, body := range []string{``, `7`, `{"count":-5,"results":[]}`, `{"count":9,"results":[{"id":"x"}]}`, `{"count":9223372036854775807,"results":[]}`, `{"count":3,"results":[7]}`} {
		h := around(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) })
		for _, target := range []string{"/api/books/?_page=7", "/api/books/?_record=7"} {
			if got := get(h, target); got.status >= 500 {
				t.Errorf("%s of %s: %d", target, body, got.status)
			}
		}
	}
}

// The references of the documented collections lead to the rows of the records.
func TestLinksToRows(t *testing.T) {
	var labels []string
	for id := range 60 {
		labels = append(labels, fmt.Sprintf(`{"id":%d}`, id+1))
	}
	event := strings.Replace(threeEvents, `"labels":[]`, `"labels":[7,58]`, 1)
	house := strings.TrimSuffix(event, "}") + `,"labels":[` + strings.Join(labels, ",") + `]}`
	if !json.Valid([]byte(house)) {
		t.Fatal("not JSON")
	}
	h := newHandlers(t, load(t, house), httpapi.Options{}).browse
	links := get(h, "/api/events/").links()
	got := follow(t, h, "/api/events/", links["58"])
	if diff := cmp.Diff("?format=api&offset=42&ordering=id#record-58", got.header.Get("Location")); diff != "" {
		t.Errorf("the label (-want +got):\n%s", diff)
	}
}
