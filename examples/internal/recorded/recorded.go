// Package recorded replays requests that were recorded from Django REST framework.
package recorded

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
)

// A Request is a request with the response of the service.
type Request struct {
	Line    int // of the file, or of the one whose request this is
	Tag     string
	Request struct {
		Method, Target string
		Headers        map[string]string
		Body           *body
	}
	Want Response
}

// A Response is what is recorded of a response.
type Response struct {
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
	IDs            []any  // ids or keys
	SHA256         string // of the body
}

// Read returns the requests of a file, in order.
func Read(name string) (all []Request, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		r := Request{Line: len(all) + 1}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Body returns the body of the request.
func (r *Request) Body() string { return string(r.Request.Body.bytes()) }

// Do sends the request and returns the response, in whose body {base} is the URL of the service.
func (r *Request) Do(h http.Handler) (w *httptest.ResponseRecorder, text string) {
	request := httptest.NewRequest(r.Request.Method, r.Request.Target, bytes.NewReader(r.Request.Body.bytes()))
	request.Host = "service.example"
	for name, value := range r.Request.Headers {
		request.Header.Set(name, value)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, request)
	return w, strings.ReplaceAll(w.Body.String(), "http://"+request.Host, "{base}")
}

// Send sends the request and returns the parts of the response that are recorded.
func (r *Request) Send(h http.Handler) Response {
	w, text := r.Do(h)
	got := Response{Status: w.Code}
	for name := range r.Want.Headers {
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
	case r.Want.Page != nil:
		got.Page = readPage(text)
	case r.Want.Body != nil && r.Want.Body.Text != nil:
		got.Body = &body{Text: &text}
	case r.Want.Body != nil:
		got.Body = &body{Base64: []byte(text)}
	}
	return got
}

// readPage returns what is recorded of a page.
func readPage(text string) *page {
	var p struct {
		page
		Results []struct{ ID, Code any }
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return &page{SHA256: text}
	}
	sum := sha256.Sum256([]byte(text))
	p.SHA256, p.IDs = hex.EncodeToString(sum[:]), []any{}
	for _, r := range p.Results {
		if r.ID == nil {
			r.ID = r.Code
		}
		p.IDs = append(p.IDs, r.ID)
	}
	return &p.page
}
