package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// An answer is a response that has been read.
type answer struct {
	status int
	header http.Header
	body   string
	err    error // of a connection that was cut
}

// ask sends a request, such as "GET http://127.0.0.1:80/api/", with headers in pairs. It
// follows no redirect. It uses a connection of its own, because net/http sends a request
// again if a connection is cut that has been used before.
func ask(t *testing.T, request, body string, headers ...string) answer {
	t.Helper()
	method, url, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(text), err}
}

// decode decodes the body of a response with the given status.
func decode[T any](t *testing.T, a answer, status int) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &v); err != nil || a.status != status {
		t.Fatalf("%d %s, %v, %v; want %d", a.status, a.body, a.err, err, status)
	}
	return v
}
