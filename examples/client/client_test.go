package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// CheckClient puts the client through everything.
func TestClient(t *testing.T) {
	for _, collection := range []string{"events", "books"} {
		t.Run(collection, func(t *testing.T) {
			fetch := func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
				records, err := fetchAll(ctx, client, baseURL, collection)
				for _, r := range records {
					ids = append(ids, r.id)
				}
				return ids, err
			}
			cataloguetest.VerifyClient(t, fetch, cataloguetest.Verification{Collection: collection, Timeout: time.Minute})
		})
	}
}

func TestRun(t *testing.T) {
	house := cataloguetest.New(t)
	var out strings.Builder
	if err := run(t.Context(), house.Client, []string{"-url", house.URL + "/", "labels"}, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != house.Catalogue.Labels().Count() {
		t.Errorf("%d lines, %d labels", len(lines), house.Catalogue.Labels().Count())
	}
	for _, line := range lines {
		var label struct{ Name string }
		if err := json.Unmarshal([]byte(line), &label); err != nil || label.Name == "" {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// Nothing is printed unless all of it can be.
func TestRunFails(t *testing.T) {
	house := cataloguetest.New(t)
	house.Break(cataloguetest.Where{Page: cataloguetest.AtOffset(21)}, cataloguetest.MissingRow())
	url := "-url=" + house.URL
	tests := []struct {
		reason string
		args   []string
		names  string
	}{
		{"no collection", []string{url}, "usage"},
		{"two", []string{url, "events", "books"}, "usage"},
		{"no such flag", []string{"-port", "80"}, "-port"},
		{"no such collection", []string{url, "magazines"}, "404"},
		{"no path out of the collection", []string{url, "../events"}, "404"},
		{"a row is missing", []string{url, "events"}, errWalk.Error()},
		{"no time", []string{url, "-timeout", "1ns", "labels"}, context.DeadlineExceeded.Error()},
	}
	for _, tt := range tests {
		var out strings.Builder
		err := run(t.Context(), house.Client, tt.args, &out)
		if err == nil || !strings.Contains(err.Error(), tt.names) || out.Len() > 0 {
			t.Errorf("%s: %v and %d bytes, want an error that names %s", tt.reason, err, out.Len(), tt.names)
		}
	}
}
