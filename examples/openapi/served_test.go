package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// served is the fake of the service that generated clients use. It has the 39 documented
// collections, and those of filmDefinitions.
type served struct {
	house *catalogue.Catalogue
	api   *httpapi.Handler
	url   string
}

// Tokens with which writes are refused: with 401 and with 403.
const (
	wrongToken   = "wrong"
	readersToken = "reader"
)

// authorize is an [httpapi.Authorizer] that permits all but the tokens that are refused.
func authorize(r *http.Request, _ string, _ schema.Actions) error {
	switch r.Header.Get("Authorization") {
	case "Bearer " + wrongToken:
		return httpapi.Unauthorized("Bearer", "Invalid token.")
	case "Bearer " + readersToken:
		return httpapi.Forbidden("")
	}
	return nil
}

// serve serves several pages of each collection on the loopback interface.
func serve(t *testing.T) *served {
	t.Helper()
	house, err := resources.New(filmDefinitions(t)...)
	if err != nil {
		t.Fatal(err)
	}
	var records bytes.Buffer
	if err := sample.Write(&records, sample.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{records.String(), manyFilms()} {
		if err := house.Load(strings.NewReader(file), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	api, err := httpapi.New(house, httpapi.Options{Authorizer: authorize, ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api)
	t.Cleanup(func() {
		server.Close()
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	})
	return &served{house, api, server.URL}
}

// manyFilms returns records of 25 directors, genres and films, so that they have several
// pages.
func manyFilms() string {
	var directors, genres, films []string
	for id := range 25 {
		id++
		released := "null"
		if id%2 == 0 {
			released = fmt.Sprintf(`"19%d-02-01"`, 50+id)
		}
		directors = append(directors, fmt.Sprintf(`{"id":%d,"name":"Director %[1]d","slug":"director-%[1]d","born":%s,"website":""}`, id, released))
		genres = append(genres, fmt.Sprintf(`{"id":%d,"name":"genre %[1]d","position":%[1]d,"note":[%[1]d]}`, id))
		films = append(films, fmt.Sprintf(`{"id":%d,"title":"Film %[1]d","slug":"film-%[1]d","synopsis":"","released":%s,"premiereAt":null,`+
			`"minutes":%[1]d,"rating":null,"price":"%[1]d.50","status":"released","published":true,"director":%[1]d,"genres":[%[1]d],`+
			`"createdAt":"2021-10-27T19:15:00Z","awards":[{"name":"a","year":null}]}`, id, released))
	}
	return fmt.Sprintf(`{"directors":[%s],"genres":[%s],"films":[%s]}`,
		strings.Join(directors, ","), strings.Join(genres, ","), strings.Join(films, ","))
}

// document writes the document of the service to a file in dir and returns its name.
func (s *served) document(t *testing.T, dir string, opts openapi.Options) string {
	t.Helper()
	d, err := openapi.New(s.api, opts)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "openapi.json")
	if err := os.WriteFile(file, d.JSON(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// walked is what a client read of a collection.
type walked struct{ Count, Records, Pages int }

// pageSize is the limit that the clients send. The smallest collections have 12 records.
const pageSize = 10

// checkWalk compares the records with what a client read. read returns its output, an object
// that maps the operations that list collections to values of type walked. Only the letter
// case of operations may differ, because generators change it.
func (s *served) checkWalk(t *testing.T, document string, read func() []byte) {
	t.Helper()
	want := s.walk(t, document) // before the client adds records
	output := read()
	var listed map[string]walked
	if err := json.Unmarshal(output, &listed); err != nil {
		t.Fatalf("%v in %.300s", err, output)
	}
	got := map[string]walked{}
	for operation, w := range listed {
		got[strings.ToLower(operation)] = w
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-stored +read):\n%s", diff)
	}
}

// walk returns what a client should read of the 39 documented collections, the directors,
// the genres and the films.
func (s *served) walk(t *testing.T, document string) map[string]walked {
	t.Helper()
	var described struct {
		Paths map[string]struct{ Get struct{ OperationID string } }
	}
	if err := json.Unmarshal([]byte(read(t, document)), &described); err != nil {
		t.Fatal(err)
	}
	want := map[string]walked{}
	for _, c := range s.api.Served().Collections {
		list, err := c.Collection.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: 1}})
		if err != nil {
			t.Fatal(err)
		}
		n := list.Count
		want[strings.ToLower(described.Paths[c.Path].Get.OperationID)] = walked{n, n, (n + pageSize - 1) / pageSize}
	}
	if len(want) != 39+3 {
		t.Errorf("%d collections, want 42", len(want))
	}
	return want
}
