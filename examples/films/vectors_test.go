package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// The data set and the requests were recorded from a Django REST framework service with
// the collections of this example.
const (
	recordedData     = "../../httpapi/testdata/own/dataset.json"
	recordedRequests = "../../httpapi/testdata/own/vectors.jsonl"
	recordedNow      = "2026-01-02T03:04:05.678Z"
)

// A vector is a recorded request with the response of the service.
type vector struct {
	Tag     string
	Request struct {
		Method, Target string
		Headers        map[string]string
		Body           *body
	}
	Want response
}

type response struct {
	Status  int
	Headers map[string]string // only those that are compared
	Body    *body
	Page    *page
}

type body struct {
	Text   *string
	Base64 []byte
}

func (b *body) bytes() []byte {
	switch {
	case b == nil:
		return nil
	case b.Text != nil:
		return []byte(*b.Text)
	}
	return b.Base64
}

type page struct {
	Count          int
	Next, Previous *string
	IDs            []int
	SHA256         string // of the body
}

// TestVectors replays the recorded requests in order and compares the responses byte by
// byte.
func TestVectors(t *testing.T) {
	replay(t, recordedHandler(t))
}

// TestVectorsOfOpenRecords replays them for collections whose records are open and whose
// descriptions are written out.
func TestVectorsOfOpenRecords(t *testing.T) {
	c, err := parse([]string{"-now", recordedNow}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	typed, err := newHouse(nil)
	if err != nil {
		t.Fatal(err)
	}
	var open []catalogue.AnyDefinition
	for key, collection := range typed.All() {
		d := collection.Description()
		open = append(open, catalogue.Define[schema.Record](key, catalogue.Options{Description: &d, Now: c.now}))
	}
	house, err := catalogue.New(open...)
	if err != nil {
		t.Fatal(err)
	}
	if err := house.LoadFile(recordedData, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	replay(t, h)
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

// recordedHandler returns the handler of the example with the recorded data set.
func recordedHandler(t *testing.T) http.Handler {
	t.Helper()
	c, err := parse([]string{"-open", "-now", recordedNow, "-data", recordedData}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	h, err := newHandler(c, log.New(t.Output(), "", 0))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func replay(t *testing.T, h http.Handler) {
	file, err := os.Open(recordedRequests)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		n++
		if diff := cmp.Diff(v.Want, v.send(h)); diff != "" {
			t.Errorf("line %d, %s: %s %s %v %s (-want +got):\n%s", n, v.Tag, v.Request.Method, v.Request.Target, v.Request.Headers, v.Request.Body.bytes(), diff)
		}
	}
	if err := lines.Err(); err != nil || n != 1217 {
		t.Errorf("replayed %d of 1217 requests: %v", n, err)
	}
}

// send sends the request of the vector and returns the parts of the response that the
// vector has.
func (v *vector) send(h http.Handler) response {
	r := httptest.NewRequest(v.Request.Method, v.Request.Target, bytes.NewReader(v.Request.Body.bytes()))
	r.Host = "host.example"
	for name, value := range v.Request.Headers {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text := strings.ReplaceAll(w.Body.String(), "http://"+r.Host, "{base}")
	got := response{Status: w.Code, Headers: map[string]string{}}
	for name := range v.Want.Headers {
		value := strings.Join(w.Header().Values(name), ", ")
		if name == "Content-Type" {
			value, _, _ = strings.Cut(value, ";")
		}
		got.Headers[name] = value
	}
	switch {
	case v.Want.Page != nil:
		got.Page = readPage(text)
	case v.Want.Body != nil && v.Want.Body.Text != nil:
		got.Body = &body{Text: &text}
	case v.Want.Body != nil:
		got.Body = &body{Base64: []byte(text)}
	}
	return got
}

// readPage returns what a vector records of a page.
func readPage(text string) *page {
	sum := sha256.Sum256([]byte(text))
	var p struct {
		page
		Results []struct{ ID int }
	}
	p.SHA256 = hex.EncodeToString(sum[:])
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return &page{SHA256: text}
	}
	p.IDs = []int{}
	for _, r := range p.Results {
		p.IDs = append(p.IDs, r.ID)
	}
	return &p.page
}

// TestNow checks that -now is a time and not a date.
func TestNow(t *testing.T) {
	c, err := parse([]string{"-now", recordedNow}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	if got := c.now(); !got.Equal(want) {
		t.Errorf("-now %s: %v, want %v", recordedNow, got, want)
	}
	if _, err := parse([]string{"-now", "2026-01-02"}, io.Discard); err == nil {
		t.Error("-now accepts a date")
	}
}

func TestBrowse(t *testing.T) {
	for _, row := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"a browser", nil, "text/html; charset=utf-8"},
		{"a browser with -browse=false", []string{"-browse=false"}, "application/json"},
	} {
		c, err := parse(row.args, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		h, err := routes(c, log.New(io.Discard, "", 0))
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/api/films/", nil)
		r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != row.want {
			t.Errorf("%s: %d %s, want %s", row.reason, w.Code, got, row.want)
		}
	}
}
