package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/examples/internal/recorded"
)

// different318 is the number of those recorded from version 3.18 with another response: the text
// of a JSON syntax error is not that of Python.
const different318 = 11

// TestVectors replays the requests that were recorded from Django REST framework, in order.
func TestVectors(t *testing.T) {
	for _, test := range []struct {
		file   string
		args   []string
		n      int
		failed int
	}{
		{"testdata/vectors.jsonl", nil, 1258, 0},
		{"testdata/v318.jsonl", []string{"-framework", "3.18"}, 175, different318},
	} {
		t.Run(test.file, func(t *testing.T) {
			args := append(test.args, "-open", "-browse=false", "-data", "testdata/dataset.json", "-now", "2026-01-02T03:04:05.678Z")
			if replayed, failed := replay(t, test.file, args); replayed != test.n || failed != test.failed {
				t.Errorf("replayed %d requests, want %d, and %d have another response, want %d", replayed, test.n, failed, test.failed)
			}
		})
	}
}

// replay sends the requests of a file to a shop with the given flags. It returns their number, and
// that of other responses.
func replay(t *testing.T, name string, args []string) (replayed, failed int) {
	h, err := program.Handler(args...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := recorded.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		if diff := cmp.Diff(r.Want, r.Send(h)); diff != "" {
			failed++
			t.Logf("line %d, %s: %s %s %s (-want +got):\n%s", i+1, r.Tag, r.Request.Method, r.Request.Target, r.Body(), diff)
		}
	}
	return len(all), failed
}
