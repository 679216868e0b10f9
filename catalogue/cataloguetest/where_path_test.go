package cataloguetest

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestWherePathsOfRecords checks the paths of a service whose records have paths.
func TestWherePathsOfRecords(t *testing.T) {
	films := paths{"/v1/", []schema.Description{{Key: "films", Segment: "films", Actions: schema.AllActions}}}
	tests := []struct {
		reason, path string
		want         string // in the error; empty: none
	}{
		{"record", "/v1/films/7/", ""},
		{"pattern of records", "/v1/films/{id}/", ""},
		{"path of the program", "/login", ""},
		{"path below that of a record", "/v1/films/7/reviews", ""},
		{"record without its slash", "/v1/films/7", `want "/v1/films/7/"`},
		{"pattern without its slash", "/v1/films/{id}", `want "/v1/films/{id}/"`},
	}
	for _, tt := range tests {
		err := (&Where{Path: tt.path}).check(films)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", tt.reason, err, tt.want)
		}
	}
}

func TestWhereText(t *testing.T) {
	all := Where{Method: "GET", Path: "/api/events/", Collection: "events", Page: AtOffset(0), Share: 0.5, Seed: 3, After: 1, Nth: 2}
	const want = `Where{Method: "GET", Path: "/api/events/", Collection: "events", Page: AtOffset(0), Share: 0.5, Seed: 3, After: 1, Nth: 2}`
	if got := all.text(); got != want {
		t.Errorf("text() = %s, want %s", got, want)
	}
	if got := (&Where{}).text(); got != "Where{}" {
		t.Errorf("text() = %s, want Where{}", got)
	}
}
