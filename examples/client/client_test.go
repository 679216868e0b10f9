package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/internal/walk"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

func TestRun(t *testing.T) {
	server := cataloguetest.New(t)
	var out strings.Builder
	if err := run(t.Context(), server.Client, []string{"-url", server.URL + "/", "labels"}, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 24 {
		t.Errorf("%d lines, want one for each of 24 labels", len(lines))
	}
	for _, line := range lines {
		var label struct{ Name string }
		if err := json.Unmarshal([]byte(line), &label); err != nil || label.Name == "" {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestRunErrors checks the errors of failures and wrong arguments, and that nothing is printed.
func TestRunErrors(t *testing.T) {
	server := cataloguetest.New(t)
	server.Inject(cataloguetest.Match{Collection: "events"}, cataloguetest.MissingRow())
	url := "-url=" + server.URL
	tests := []struct {
		reason string
		args   []string
		want   string // in the error
	}{
		{"no collection", []string{url}, "usage"},
		{"two collections", []string{url, "events", "books"}, "usage"},
		{"unknown flag", []string{"-port", "80"}, "-port"},
		{"unknown collection", []string{url, "magazines"}, "404"},
		{"relative path", []string{url, "../events"}, "404"},
		{"missing record", []string{url, "events"}, walk.ErrInconsistent.Error()},
		{"timeout", []string{url, "-timeout", "1ns", "labels"}, context.DeadlineExceeded.Error()},
	}
	for _, tt := range tests {
		var out strings.Builder
		err := run(t.Context(), server.Client, tt.args, &out)
		if err == nil || !strings.Contains(err.Error(), tt.want) || out.Len() > 0 {
			t.Errorf("%s: err = %v with %d bytes printed, want an error with %q and none", tt.reason, err, out.Len(), tt.want)
		}
	}
}

type film struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

// TestRunOwnService reads a collection that is not documented.
func TestRunOwnService(t *testing.T) {
	films := catalogue.Define[film]("films", catalogue.Options{})
	server := cataloguetest.NewWith(t, cataloguetest.Options{Definitions: []catalogue.AnyDefinition{films}, Handler: httpapi.Options{Root: "/v1/"}})
	if err := server.Catalogue.Load(strings.NewReader(`{"films": [{"id": 1, "title": "Onda"}, {"id": 3, "title": "Sale"}]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), server.Client, []string{"-url", server.URL, "-root", "/v1/", "films"}, &out); err != nil {
		t.Fatal(err)
	}
	if want := "{\"id\":1,\"title\":\"Onda\"}\n{\"id\":3,\"title\":\"Sale\"}\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}
