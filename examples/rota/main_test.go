package main

import (
	"net/http"
	"testing"

	"github.com/gobacklist/backlist/examples/internal/recorded"
)

// TestVectors replays the requests that were recorded from Django REST framework.
func TestVectors(t *testing.T) {
	recorded.Service{Requests: 766, Copies: []string{"across"}, Handler: func(version string) (http.Handler, error) {
		return program.Handler("-open", "-browse=false", "-data", "testdata/dataset.json", "-framework", version)
	}}.Replay(t)
}
