package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
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
	Page    *page // instead of the body
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
		{"testdata/vectors.jsonl", []string{"-open", "-browse=false"}, 1258, 0},
		{"testdata/v318.jsonl", []string{"-open", "-browse=false", "-framework", "3.18"}, 175, different318},
	} {
		t.Run(test.file, func(t *testing.T) {
			if replayed, failed := replay(t, test.file, test.args); replayed != test.n || failed != test.failed {
				t.Errorf("replayed %d requests, want %d, and %d have another response, want %d", replayed, test.n, failed, test.failed)
			}
		})
	}
}

// replay sends the requests of a file to a shop with the given flags. It returns their number, and
// that of other responses.
func replay(t *testing.T, name string, args []string) (replayed, failed int) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	cat, err := newCatalogue(func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	if err := cat.LoadFile("testdata/dataset.json", catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	c, err := parse(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	h, err := newHandler(cat, c)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Buffer(nil, 1<<20); lines.Scan(); replayed++ {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("line %d: %v", replayed+1, err)
		}
		if diff := cmp.Diff(v.Want, v.send(h)); diff != "" {
			failed++
			t.Logf("line %d, %s: %s %s %s (-want +got):\n%s", replayed+1, v.Tag, v.Request.Method, v.Request.Target, v.Request.Body.bytes(), diff)
		}
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
	return replayed, failed
}

// send sends the request and returns the parts of the response that the vector has.
func (v *vector) send(h http.Handler) response {
	r := httptest.NewRequest(v.Request.Method, v.Request.Target, bytes.NewReader(v.Request.Body.bytes()))
	r.Host = "shop.example"
	for name, value := range v.Request.Headers {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text := strings.ReplaceAll(w.Body.String(), "http://"+r.Host, "{base}")
	got := response{Status: w.Code}
	for name := range v.Want.Headers {
		value := strings.Join(w.Header().Values(name), ", ")
		if name == "Content-Type" {
			value, _, _ = strings.Cut(value, ";")
		}
		if got.Headers == nil {
			got.Headers = map[string]string{}
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
	var p struct {
		page
		Results []struct{ ID int }
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return &page{SHA256: text}
	}
	sum := sha256.Sum256([]byte(text))
	p.SHA256, p.IDs = hex.EncodeToString(sum[:]), []int{}
	for _, r := range p.Results {
		p.IDs = append(p.IDs, r.ID)
	}
	return &p.page
}
