package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/examples/internal/recorded"
)

// TestVectors replays the requests that were recorded from Django REST framework.
func TestVectors(t *testing.T) {
	recorded.Service{Requests: 766, Copies: []string{"across"}, Handler: func(version string) (http.Handler, error) {
		return program.Handler("-open", "-browse=false", "-data", "testdata/dataset.json", "-framework", version)
	}}.Replay(t)
}

// TestRecords checks that the rota opens with records, which are validated, and with pages.
func TestRecords(t *testing.T) {
	h, err := program.Handler()
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/api/teams/":                    "<h1><bdi>Teams",
		"/api/shifts/?starts__gte=22:00": `id="record-33"`,
		"/api/shifts/?workers__team__name__icontains=kitchen&format=json": `{"count":7,`,
	} {
		r, w := httptest.NewRequest("GET", target, nil), httptest.NewRecorder()
		r.Header.Set("Accept", "text/html, */*;q=0.8")
		if h.ServeHTTP(w, r); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", target, w.Code, w.Body, want)
		}
	}
}
