package schema

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dataset returns the records of the reference server by collection, with their bytes.
func dataset(t testing.TB) map[string][]json.RawMessage {
	t.Helper()
	data, err := os.ReadFile("testdata/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	var set map[string][]json.RawMessage
	if err := json.Unmarshal(data, &set); err != nil {
		t.Fatal(err)
	}
	return set
}

// datasetExists returns a function that reports whether the data set has a record.
func datasetExists(t testing.TB) func(string, int) bool {
	t.Helper()
	ids := map[string]map[int]bool{}
	for key, records := range dataset(t) {
		ids[key] = map[int]bool{}
		for _, text := range records {
			var record struct{ ID int }
			if err := json.Unmarshal(text, &record); err != nil {
				t.Fatal(err)
			}
			ids[key][record.ID] = true
		}
	}
	return func(key string, id int) bool { return ids[key][id] }
}

// TestRecordedPosts replays recorded POST requests to the reference server. The recording
// does not contain those to which the library intentionally responds differently.
func TestRecordedPosts(t *testing.T) {
	file, err := os.Open("testdata/posts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	exists := datasetExists(t)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var post struct {
			Collection, Body, Want string
			Status                 int
		}
		if err := json.Unmarshal(lines.Bytes(), &post); err != nil {
			t.Fatal(err)
		}
		d, ok := Lookup(post.Collection)
		if !ok {
			t.Fatalf("line %d: no collection %q", n, post.Collection)
		}
		record, err := d.Validate([]byte(post.Body), Checks{Exists: exists})
		status, got := 201, ""
		var errs FieldErrors
		if errors.As(err, &errs) {
			status = 400
			text, _ := errs.MarshalJSON()
			got = string(text)
		} else if err != nil {
			t.Errorf("line %d: %s: %v", n, post.Body, err)
			continue
		} else {
			var want struct{ ID int }
			if err := json.NewDecoder(bytes.NewReader([]byte(post.Want))).Decode(&want); err != nil {
				t.Fatal(err)
			}
			record.ID = want.ID
			got = record.String()
		}
		if status != post.Status {
			t.Errorf("line %d: %s: status %d, want %d: %s", n, post.Body, status, post.Status, got)
		}
		if diff := cmp.Diff(post.Want, got); diff != "" {
			t.Errorf("line %d: %s (-want +got):\n%s", n, post.Body, diff)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
