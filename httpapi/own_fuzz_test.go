package httpapi_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"testing"
)

// FuzzRecordPath sends requests to any path and with any query below the films. No
// response may be a 5xx, and all bodies are JSON.
func FuzzRecordPath(f *testing.F) {
	for _, target := range []string{
		"2/?status=released", "7%00/", "%201/?minutes__gte=9e1", "1_1/?search=%C3%89,%20x", "?genres=1&genres=", "?released__isnull=TRUE&title__icontains=%25",
		"2/?status=bogus&minutes=x", "?minutes__lt=1e50", "999999999999999999999/", "1.0/", "%2F1/?director=%D9%A1", "?search=%00&search=%FF",
	} {
		f.Add("GET", target)
	}
	f.Add("DELETE", "3/?search=x")
	f.Add("OPTIONS", "3/?status=bogus")
	f.Fuzz(func(t *testing.T, method, tail string) {
		u, err := url.ParseRequestURI("/api/films/" + tail)
		if err != nil {
			t.Skip()
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.Method, r.URL, r.RequestURI = method, u, "/api/films/"+tail
		w := httptest.NewRecorder()
		recordedFilms(t).ServeHTTP(w, r)
		if body := w.Body.Bytes(); w.Code >= 500 || len(body) > 0 && !json.Valid(body) {
			t.Errorf("%s %q: %d %s", method, tail, w.Code, body)
		}
	})
}

// FuzzPartialBody sends any body as a PUT, a PATCH and a POST. After a 200 the record is
// the one in the response. After a 400 it is unchanged.
func FuzzPartialBody(f *testing.F) {
	for _, body := range []string{
		`{}`, ``, `null`, `[]`, `{"title":" U ","minutes":"90.0"}`, `{"price":"1E+6","rating":true}`, `{"genres":{"1":0}}`, `{"released":"2024-5-1","premiere_at":null}`,
		`{"title":"T","slug":"t","minutes":1,"price":"1","director":41}`, `{"rating":1e999}`, `{"rating":-0.0}`, `{"slug":"x","Slug":"y"}`, `{"id":9,"createdAt":null}`, `{"a":`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		h := recordedFilms(t)
		_, before := send(h, "GET", "/api/films/2/", "")
		for _, method := range []string{"PUT", "PATCH"} {
			status, text := send(h, method, "/api/films/2/", body)
			_, after := send(h, "GET", "/api/films/2/", "")
			switch {
			case status == 200 && text == after:
			case status == 400 && json.Valid([]byte(text)) && after == before:
			default:
				t.Errorf("%s %q: %d %s, then %s", method, body, status, text, after)
			}
			before = after
		}
		if status, text := send(h, "POST", "/api/films/", body); status != 201 && status != 400 || !json.Valid([]byte(text)) {
			t.Errorf("POST %q: %d %s", body, status, text)
		}
	})
}
