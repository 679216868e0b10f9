package etcdstore_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// send sends a request with a body in JSON, or none, and returns the response.
func send(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "host.example"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// expect sends a request whose response is to have a status, and returns the id of the
// record in the response, if any.
func expect(t *testing.T, h http.Handler, status int, method, target, body string) (id int) {
	t.Helper()
	w := send(h, method, target, body)
	if w.Code != status {
		t.Errorf("%s %s %s: %d %s, want %d", method, target, body, w.Code, w.Body, status)
		return 0
	}
	if w.Body.Len() == 0 {
		return 0
	}
	return idIn(t, w.Body.Bytes())
}

// idIn returns the id of a record, or 0 if it has none.
func idIn(t *testing.T, record []byte) int {
	t.Helper()
	var r struct{ ID int }
	if err := json.Unmarshal(record, &r); err != nil {
		t.Errorf("%.200q: %v", record, err)
	}
	return r.ID
}
