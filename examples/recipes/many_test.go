package recipes

import (
	"net/http"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

type song struct {
	ID     int    `json:"id"`
	Artist string `json:"artist" backlist:"unique"`
}

// TestCreateMany sends lists of records in order. Of a list that is not valid, no record is stored.
func TestCreateMany(t *testing.T) {
	define := catalogue.Define[song]("songs", catalogue.Options{Validate: true})
	cat, err := catalogue.New(define)
	if err != nil {
		t.Fatal(err)
	}
	songs, err := define.In(cat)
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", h)
	mux.Handle("POST /api/songs/many/", CreateMany(h, songs))
	s := serve(t, mux, "")
	for _, test := range []struct {
		reason, body string
		status       int
		want         string
		count        int
	}{
		{"two records", `[{"artist":" Blur "},{"artist":"Pulp"}]`, 201, `[{"id":1,"artist":"Blur"},{"id":2,"artist":"Pulp"}]` + "\n", 2},
		{"one that is not valid", `[{"artist":"Suede"},{"artist":""}]`, 400, `{"1":{"artist":["This field may not be blank."]}}`, 2},
		{"a value that is taken", `[{"artist":"Suede"},{"artist":"Blur"}]`, 400, `{"nonFieldErrors":["songs: duplicate value: artist \"Blur\" is that of id 1"]}`, 2},
		{"a value twice", `[{"artist":"Suede"},{"artist":"Suede"}]`, 400, `{"nonFieldErrors":["songs: duplicate value: artist \"Suede\" is that of id 3"]}`, 2},
		{"no list", `{}`, 400, `{"nonFieldErrors":["Invalid data: json: cannot unmarshal object into Go value of type []recipes.song"]}`, 2},
		{"no records", `[]`, 201, "[]\n", 2},
		{"more", `[{"artist":"Suede"}]`, 201, `[{"id":3,"artist":"Suede"}]` + "\n", 3},
	} {
		got := s.do("POST", "songs/many/", test.body)
		if got.StatusCode != test.status || got.body != test.want || songs.Count() != test.count {
			t.Errorf("%s: %d %s and %d records, want %d %s and %d", test.reason, got.StatusCode, got.body, songs.Count(), test.status, test.want, test.count)
		}
	}
}
