package client_test

import (
	"context"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/pagination"
)

// checkComplete checks that the records of complete collections have ascending ids. It
// returns the number of records of the last complete collection, or -1.
func checkComplete(t *testing.T, r client.Source) (n int) {
	t.Helper()
	n = -1
	keys, err := r.Keys(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		walk, err := r.Walk(context.Background(), key)
		if err != nil {
			continue
		}
		last := 0
		for _, text := range walk.Records {
			record, err := schema.ParseRecord(text)
			if err != nil || record.ID <= last {
				t.Fatalf("record %s after id %d, error %v", text, last, err)
			}
			last = record.ID
		}
		n = len(walk.Records)
	}
	return n
}

// Any two files are rejected, or result in a collection with as many records as the
// count of one of its pages.
func FuzzReadFiles(f *testing.F) {
	cat := tenBooks(f)
	h := newHandler(f, cat)
	for _, queries := range [][2]string{
		{"?limit=5", "?limit=5&offset=5"}, {"?limit=7", "?limit=20&offset=7"}, {"?limit=4", "?limit=4&offset=2"}, {"", "?offset=30"},
	} {
		f.Add([]byte(getBody(f, h, "http://catalogue.test/api/books/"+queries[0])), []byte(getBody(f, h, "http://catalogue.test/api/books/"+queries[1])))
	}
	f.Add([]byte(`null`), []byte(`{"count":0,"next":null,"previous":null,"results":[]}`))
	opts := client.Options{Catalogue: mustNew()}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		recording, err := client.ReadFiles(fstest.MapFS{"books-0.json": {Data: a}, "books-1.json": {Data: b}}, opts)
		if err != nil {
			return
		}
		n := checkComplete(t, recording)
		if n < 0 {
			return
		}
		counted := false
		for _, body := range [][]byte{a, b} {
			var p pagination.Envelope[any]
			if err := p.UnmarshalJSON(body); err != nil {
				t.Fatal(err)
			}
			counted = counted || p.Count == n
		}
		if !counted {
			t.Errorf("%d records, which is not the count of a page", n)
		}
	})
}

// A walk terminates after a limited number of requests, whatever the responses.
func FuzzWalk(f *testing.F) {
	f.Add([]byte(`{"count":3,"next":"http://catalogue.test/api/books/?limit=2&offset=2&ordering=id","previous":null,"results":[{"id":1},{"id":2}]}`),
		[]byte(`{"count":3,"next":null,"previous":"http://catalogue.test/api/books/?limit=2&ordering=id","results":[{"id":2},{"id":3}]}`))
	f.Add([]byte(`{"count":1,"next":null,"previous":null,"results":[{"id":1}]}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, first, others []byte) {
		requests := 0
		service := newClient(t, client.Options{BaseURL: "http://catalogue.test", PageSize: 2, MaxRecords: 20, Rate: -1, HTTP: respondWith(func(offset string) []byte {
			if requests++; requests > 20 {
				t.Fatal("more than 20 requests")
			}
			if offset == "" {
				return first
			}
			return others
		})})
		walk, err := service.Walk(context.Background(), "books")
		if err != nil && walk.Records != nil {
			t.Error("Walk returned records and an error")
		}
		if err == nil && walk.Pages > max(1, len(walk.Records)) {
			t.Errorf("%d pages for %d records", walk.Pages, len(walk.Records))
		}
	})
}

// respondWith returns a client whose responses are determined by the offset.
func respondWith(respond func(offset string) []byte) *http.Client {
	return &http.Client{Transport: inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(respond(r.FormValue("offset")))
	})}}
}
