package client_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// mustBeWhole wants of each collection that a recording gives what a whole one
// has: records with ids that rise. Then it gives their number, else -1.
func mustBeWhole(t *testing.T, r *client.Recording) (n int) {
	t.Helper()
	n = -1
	for _, key := range r.Keys() {
		walk, err := r.Walk(context.Background(), key)
		if err != nil {
			continue
		}
		last := 0
		for _, text := range walk.Records {
			record, err := resources.ParseRecord(text)
			if err != nil || record.ID <= last {
				t.Fatalf("record %s behind id %d, %v", text, last, err)
			}
			last = record.ID
		}
		n = len(walk.Records)
	}
	return n
}

// Whatever is in two files: it ends, it does not panic, and if a collection comes
// of it, that has as many records as each page of it says.
func FuzzReadFiles(f *testing.F) {
	house := shelf(f)
	h := handler(f, house)
	for _, queries := range [][2]string{
		{"?limit=5", "?limit=5&offset=5"}, {"?limit=7", "?limit=20&offset=7"}, {"?limit=4", "?limit=4&offset=2"}, {"", "?offset=30"},
	} {
		f.Add([]byte(answer(f, h, "http://catalogue.test/api/books/"+queries[0])), []byte(answer(f, h, "http://catalogue.test/api/books/"+queries[1])))
	}
	f.Add([]byte(`null`), []byte(`{"count":0,"next":null,"previous":null,"results":[]}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		recording, err := client.ReadFiles(fstest.MapFS{"books-0.json": {Data: a}, "books-1.json": {Data: b}})
		if err != nil {
			return
		}
		n := mustBeWhole(t, recording)
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
			t.Errorf("%d records, which no page counts", n)
		}
	})
}

// Whatever is in a HAR: it ends, it does not panic, and what comes of it is whole.
func FuzzReadHAR(f *testing.F) {
	h := handler(f, shelf(f))
	urls, answers := followed(f, h, "http://catalogue.test/api/books/?limit=6")
	var entries []string
	for i, url := range urls {
		entries = append(entries, got(url, answers[i]))
	}
	f.Add([]byte(har(entries...)))
	f.Add([]byte(har(made("GET", "http://x/api/faqs/", 200, content{"application/json", "e30=", "base64"}))))
	f.Add([]byte(`{"log":{"entries":[{}]}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		recording, err := client.ReadHAR(bytes.NewReader(file))
		if err == nil {
			mustBeWhole(t, recording)
		} else if !strings.HasPrefix(err.Error(), "client: ") {
			t.Error(err)
		}
	})
}

// Whatever a service answers, a walk ends after a bounded number of requests.
func FuzzWalk(f *testing.F) {
	f.Add([]byte(`{"count":3,"next":"http://catalogue.test/api/books/?limit=2&offset=2&ordering=id","previous":null,"results":[{"id":1},{"id":2}]}`),
		[]byte(`{"count":3,"next":null,"previous":"http://catalogue.test/api/books/?limit=2&ordering=id","results":[{"id":2},{"id":3}]}`))
	f.Add([]byte(`{"count":1,"next":null,"previous":null,"results":[{"id":1}]}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, first, others []byte) {
		requests := 0
		service := connect(t, client.Options{BaseURL: "http://catalogue.test", PageSize: 2, MaxRecords: 20, Rate: -1, HTTP: answering(func(offset string) []byte {
			if requests++; requests > 20 {
				t.Fatal("no end")
			}
			if offset == "" {
				return first
			}
			return others
		})})
		walk, err := service.Walk(context.Background(), "books")
		if err != nil && walk.Records != nil {
			t.Error("records beside an error")
		}
		if err == nil && walk.Pages > max(1, len(walk.Records)) {
			t.Errorf("%d pages of %d records", walk.Pages, len(walk.Records))
		}
	})
}

// answering is a client whose requests are answered by a function of their offset.
func answering(answer func(offset string) []byte) *http.Client {
	return &http.Client{Transport: inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer(r.FormValue("offset")))
	})}}
}
