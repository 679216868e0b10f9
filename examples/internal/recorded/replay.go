package recorded

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// notYet is a file with the requests that have another response than the recorded one, by version and tag.
const notYet = "testdata/notyet.json"

// A Service is a program whose requests were recorded. Its files are in testdata: vectors.jsonl has the requests,
// v318.jsonl those with other responses of version 3.18, and notyet.json the lines of those that the
// program answers differently, by version and tag.
type Service struct {
	Handler  func(version string) (http.Handler, error)
	Requests int
	Copies   []string // tags of requests whose pages have a record several times, or once
}

// Replay sends the requests in order. Those of notyet.json must have another response than the
// recorded one; BACKLIST_UPDATE removes those that have not.
func (s Service) Replay(t *testing.T) {
	text, err := os.ReadFile(notYet)
	if err != nil {
		t.Fatal(err)
	}
	var missing map[string]map[string]string // the lines, by version and tag
	if err := json.Unmarshal(text, &missing); err != nil {
		t.Fatal(err)
	}
	for version, known := range missing {
		t.Run(version, func(t *testing.T) {
			failed := s.replay(t, version, known)
			for tag, lines := range known {
				left := slices.DeleteFunc(strings.Fields(lines), func(line string) bool { return !slices.Contains(failed[tag], line) })
				if n := len(strings.Fields(lines)) - len(left); n > 0 && os.Getenv("BACKLIST_UPDATE") == "" {
					t.Errorf("%s: %d requests of %s have the recorded response; BACKLIST_UPDATE=1 removes them", tag, n, notYet)
				}
				known[tag] = strings.Join(left, " ")
			}
			maps.DeleteFunc(known, func(_, lines string) bool { return lines == "" })
		})
	}
	if os.Getenv("BACKLIST_UPDATE") == "" {
		return
	}
	text, err = json.MarshalIndent(missing, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(notYet, append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
}

// replay sends the requests to a handler of a version. It returns those that have another response, by
// tag, and reports those that are not known.
func (s Service) replay(t *testing.T, version string, known map[string]string) (failed map[string][]string) {
	h, err := s.Handler(version)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Read("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if version == "3.18" {
		others, err := Read("testdata/v318.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range others {
			all[other.Line-1].Want = other.Want
		}
	}
	if len(all) != s.Requests {
		t.Errorf("%d requests, want %d", len(all), s.Requests)
	}
	failed = map[string][]string{}
	for _, r := range all {
		line := strconv.Itoa(r.Line)
		got := r.Send(h)
		diff := cmp.Diff(r.Want, got)
		if diff == "" || slices.Contains(s.Copies, r.Tag) && isWithoutCopies(r.Want, got) {
			continue
		}
		failed[r.Tag] = append(failed[r.Tag], line)
		about := fmt.Sprintf("line %s, %s: %s %s %.200q (-want +got):\n%s", line, r.Tag, r.Request.Method, r.Request.Target, r.Body(), diff)
		if slices.Contains(strings.Fields(known[r.Tag]), line) {
			t.Log(about)
		} else {
			t.Error(about)
		}
	}
	return failed
}

// isWithoutCopies reports whether the different ids of a recorded page, which has copies of records
// that refer to several, are the first ones of another page. Its count and links are those of copies.
func isWithoutCopies(want, got Response) bool {
	if want.Page == nil || got.Page == nil {
		return false
	}
	var ids []any
	for _, id := range want.Page.IDs {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return len(ids) < len(want.Page.IDs) && len(ids) <= len(got.Page.IDs) && slices.Equal(ids, got.Page.IDs[:len(ids)])
}
