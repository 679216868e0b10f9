package httpapi_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
)

// TestDifferencesOfRecords checks the deliberate differences from Django REST framework
// in the documentation of records and filters.
func TestDifferencesOfRecords(t *testing.T) {
	const missing = `{"detail":"Not found."}`
	var words strings.Builder
	for i := range 101 {
		fmt.Fprintf(&words, "w%d+", i)
	}
	nan := `{"rating":["A valid number is required."]}`
	tests := []struct {
		row, method, target, body string
		status                    int
		contains                  string
	}{
		{"deleting a director who has films", "DELETE", "/api/directors/4/", "", 409, `{"detail":"The record cannot be deleted: director of films 40 refers to it."}`},
		{"it is still there", "GET", "/api/directors/4/", "", 200, `"id":4,`},
		{"id in a path: underscores", "GET", "/api/films/1_1/", "", 404, missing},
		{"id in a path: other digits", "GET", "/api/films/%D9%A1/", "", 404, missing},
		{"id in a path: NUL", "PATCH", "/api/films/7%00/", "{}", 404, missing},
		{"number in a filter: other digits", "GET", "/api/films/?minutes=%D9%A9%D9%A0", "", 400, `{"minutes":["Enter a number."]}`},
		{"number in a filter: underscores", "GET", "/api/films/?minutes__gte=9_0", "", 400, `{"minutes_Gte":["Enter a number."]}`},
		{"NaN as text", "PATCH", "/api/films/2/", `{"rating":"NaN"}`, 400, nan},
		{"infinity as text", "PATCH", "/api/films/2/", `{"rating":" -inf"}`, 400, nan},
		{"infinity as text", "PATCH", "/api/films/2/", `{"rating":"Infinity"}`, 400, nan},
		{"too large for a float64", "PATCH", "/api/films/2/", `{"rating":1e999}`, 400, nan},
		{"too large for a float64, as text", "PATCH", "/api/films/2/", `{"rating":"1e999"}`, 400, nan},
		{"NaN", "PATCH", "/api/films/2/", `{"rating":NaN}`, 400, `{"detail":"JSON parse error - `},
		{"negative zero", "PATCH", "/api/films/2/", `{"price":"-0"}`, 200, `"price":"0.00"`},
		{"negative zero as a float", "PATCH", "/api/films/2/", `{"rating":-0.0}`, 200, `"rating":0.0,`},
		{"integer: underscores", "PATCH", "/api/films/2/", `{"minutes":"1_0"}`, 400, `{"minutes":["A valid integer is required."]}`},
		{"float: underscores", "PATCH", "/api/films/2/", `{"rating":"1_0.5"}`, 400, nan},
		{"decimal: underscores", "PATCH", "/api/films/2/", `{"price":"1_0"}`, 400, `{"price":["A valid number is required."]}`},
		{"id with an exponent", "PATCH", "/api/films/2/", `{"director":1e5}`, 400, `{"director":["Invalid pk \"1e5\" - object does not exist."]}`},
		{"method in lower case", "patch", "/api/films/2/", "{}", 405, `{"detail":"Method \"patch\" not allowed."}`},
		{"path /", "GET", "/", "", 404, missing},
		{"too many words", "GET", "/api/films/?search=" + words.String(), "", 400, `{"search":["Too many words: at most 100 are allowed."]}`},
		{"reference: underscores", "PATCH", "/api/films/2/", `{"director":"1_2"}`, 400, `{"director":["Incorrect type. Expected pk value, received str."]}`},
		{"date-time: the offset is kept", "PATCH", "/api/films/2/", `{"premiereAt":"2024-05-10T18:00:00+02:00"}`, 200, `"premiereAt":"2024-05-10T18:00:00+02:00"`},
		{"date-time: without an offset", "PATCH", "/api/films/2/", `{"premiereAt":"2024-05-10T18:00:00"}`, 400, `{"premiereAt":["`},
		{"ordering by a list of ids: a record appears once", "GET", "/api/films/?ordering=genres&limit=1", "", 200, `"count":120,`},
		{"path below a record", "GET", "/api/films/2/x/", "", 404, missing},
		{"missing slash", "PUT", "/api/films/2", "{}", 308, ""},
	}
	h := recordedFilms(t)
	for _, test := range tests {
		status, body := send(h, test.method, test.target, test.body)
		if status != test.status || !strings.Contains(body, test.contains) {
			t.Errorf("%s: %s %s %s: %d %.200s, want %d and %s", test.row, test.method, test.target, test.body, status, body, test.status, test.contains)
		}
	}
}

// TestDifferencesOfFields checks the deliberate differences of kinds of fields that films
// do not have.
func TestDifferencesOfFields(t *testing.T) {
	type note struct {
		ID    int      `json:"id"`
		Tags  []string `json:"tags"`
		Count int      `json:"count" backlist:"default=0"`
		Label string   `json:"label" backlist:"unique,blank"`
	}
	house, err := catalogue.NewOnly(catalogue.Define[note]("notes", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	h := serveFilms(t, house)
	tests := []struct {
		row, body string
		status    int
		want      string
	}{
		{"list of strings: the messages of the first invalid item", `{"tags":["a",[],{}],"label":"x"}`, 400, `{"tags":["Not a valid string."]}`},
		{"integer without bounds: those of an int64", `{"count":9223372036854775808,"label":"x"}`, 400, `{"count":["Ensure this value is less than or equal to 9223372036854775807."]}`},
		{"an empty value of a unique field", `{"label":""}`, 201, `{"id":1,"tags":[],"count":0,"label":""}`},
		{"an empty value of a unique field: checked", `{"label":" "}`, 400, `{"label":["note with this label already exists."]}`},
		{"the default of a unique field: checked", `{}`, 400, `{"label":["note with this label already exists."]}`},
	}
	for _, test := range tests {
		if status, body := send(h, "POST", "/api/notes/", test.body); status != test.status || body != test.want {
			t.Errorf("%s: %d %s, want %d %s", test.row, status, body, test.status, test.want)
		}
	}
}

// TestDifferencesOfBodies checks how a body is read: the framework ignores one in chunks
// and decodes those of all charsets that Python knows.
func TestDifferencesOfBodies(t *testing.T) {
	h := recordedFilms(t)
	for _, test := range []struct {
		row, contentType string
		chunked          bool
	}{
		{"in chunks", "application/json", true},
		{"another charset", "application/json; charset=utf-16", false},
		{"an unknown charset", "application/json; charset=bogus", false},
	} {
		r := httptest.NewRequest("PATCH", "/api/films/2/", strings.NewReader(`{"title":"é `+test.row+`"}`))
		if test.chunked {
			r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(r.Body), -1, []string{"chunked"}
		}
		r.Header.Set("Content-Type", test.contentType)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if want := `"title":"é ` + test.row + `"`; w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %.200s, want 200 and %s", test.row, w.Code, w.Body, want)
		}
	}
}
