package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/examples/internal/recorded"
)

// notYet is a file with the requests that have another response than the recorded one, by tag. In
// httpapi/DIFFERENCES.md are the reasons for these:
//
//   - copies, and the order by tags in pages: a record stands in a list once, whatever it is joined with
//   - permissions, 327: a method that is not served is a 405 without credentials, too
//   - permissions, 331: the wording of a syntax error
const notYet = "testdata/notyet.json"

// TestVectors replays the requests that were recorded from Django REST framework, in order. A
// request of notYet must have another response; BACKLIST_UPDATE removes those that have not.
func TestVectors(t *testing.T) {
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
			failed := replay(t, version, known)
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

// replay sends the recorded requests to a shelf of a version. It returns those that have another
// response, by tag, and reports those that are not known.
func replay(t *testing.T, version string, known map[string]string) (failed map[string][]string) {
	h, err := program.Handler("-open", "-browse=false", "-data", "testdata/dataset.json", "-framework", version)
	if err != nil {
		t.Fatal(err)
	}
	all, err := recorded.Read("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if version == "3.18" {
		others, err := recorded.Read("testdata/v318.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range others {
			all[other.Line-1].Want = other.Want
		}
	}
	if len(all) != 631 {
		t.Errorf("%d requests, want 631", len(all))
	}
	failed = map[string][]string{}
	for _, r := range all {
		line := strconv.Itoa(r.Line)
		got := r.Send(h)
		diff := cmp.Diff(r.Want, got)
		if diff == "" || isWithoutCopies(r.Want, got) {
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
func isWithoutCopies(want, got recorded.Response) bool {
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

// TestRecords checks that the program serves its own records, and pages of them.
func TestRecords(t *testing.T) {
	h, err := program.Handler("-token", "s3cret")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason, method, target, user, token string
		status                              int
		want                                string // in the body
	}{
		{"all books", "GET", "books/", "", "", 200, `{"count":12,`},
		{"by number", "GET", "shelves-by-number/", "", "", 200, `{"count":12,"next":"http://example.com/api/shelves-by-number/?page=2"`},
		{"no token", "DELETE", "books/1/", "mira", "", 401, `"detail"`},
		{"no user", "DELETE", "books/1/", "", "s3cret", 403, `"Authentication credentials were not provided."`},
		{"another user", "DELETE", "books/1/", "jonas", "s3cret", 403, `"You do not have permission`},
		{"the owner", "DELETE", "books/1/", "mira", "s3cret", 204, ""},
		{"records without an owner", "DELETE", "reviews/3/", "", "s3cret", 204, ""},
		{"a page of the owner's book", "PAGE", "books/2/", "mira", "s3cret", 200, `?_method=DELETE`},
	} {
		r, w := httptest.NewRequest(strings.Replace(test.method, "PAGE", "GET", 1), "/api/"+test.target, nil), httptest.NewRecorder()
		r.Header.Set("X-User", test.user)
		if test.token != "" {
			r.Header.Set("Authorization", "Bearer "+test.token)
		}
		if test.method == "PAGE" {
			r.Header.Set("Accept", "text/html")
		}
		h.ServeHTTP(w, r)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d %.500s, want %d %s", test.reason, w.Code, w.Body, test.status, test.want)
		}
	}
}
