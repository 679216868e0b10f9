package httpapi_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
// the collections below.
const (
	recordedFilms    = "testdata/own/dataset.json"
	recordedRequests = "testdata/own/vectors.jsonl"
)

// recordedNow returns the time at which the requests were recorded.
func recordedNow() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC) }

// A director directs films.
type director struct {
	ID      int     `json:"id"`
	Name    string  `json:"name"`
	Slug    string  `json:"slug" backlist:"slug,unique"`
	Born    *string `json:"born" backlist:"date"`
	Website string  `json:"website" backlist:"url,blank"`
}

// A genre is a kind of films.
type genre struct {
	ID       int    `json:"id"`
	Name     string `json:"name" backlist:"unique"`
	Position int32  `json:"position" backlist:"default=0"`
}

// A film has a director and any number of genres.
type film struct {
	ID         int              `json:"id"`
	Title      string           `json:"title"`
	Slug       string           `json:"slug" backlist:"slug,unique"`
	Synopsis   string           `json:"synopsis" backlist:"blank"`
	Released   *string          `json:"released" backlist:"date"`
	PremiereAt *schema.DateTime `json:"premiereAt"`
	Minutes    int32            `json:"minutes" backlist:"min=0"`
	Rating     *json.Number     `json:"rating"`
	Price      string           `json:"price" backlist:"decimal=8.2"`
	Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
	Published  bool             `json:"published"`
	Director   int              `json:"director" backlist:"refers=directors"`
	Genres     []int            `json:"genres" backlist:"refers=genres"`
	CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
}

// newFilms returns a catalogue of the recorded collections, without records.
func newFilms(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.New(
		catalogue.Define[director]("directors", catalogue.Options{
			Description: &schema.Description{Search: []string{"^name", "=slug"}},
		}),
		catalogue.Define[genre]("genres", catalogue.Options{}),
		catalogue.Define[film]("films", catalogue.Options{
			Now: recordedNow,
			Description: &schema.Description{
				Search: []string{"title", "synopsis", "director__name"},
				Filters: []string{
					"status", "status__in", "published", "director", "director__in", "genres",
					"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
					"released", "released__gte", "released__lte", "released__isnull",
					"price", "price__gte", "price__lte",
					"title", "title__iexact", "title__contains", "title__icontains", "title__startswith", "title__istartswith",
					"premiere_at__gte", "premiere_at__lte",
				},
			},
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

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

// TestOwnVectors replays the recorded requests in order and compares the responses byte by
// byte.
func TestOwnVectors(t *testing.T) {
	replay(t, newFilms(t))
}

// TestOwnVectorsOfOpenRecords replays them for collections whose records are open and whose
// descriptions are written out.
func TestOwnVectorsOfOpenRecords(t *testing.T) {
	var open []catalogue.AnyDefinition
	for key, collection := range newFilms(t).All() {
		d := collection.Description()
		open = append(open, catalogue.Define[schema.Record](key, catalogue.Options{
			Description: &d,
			Now:         recordedNow,
		}))
	}
	c, err := catalogue.New(open...)
	if err != nil {
		t.Fatal(err)
	}
	replay(t, c)
}

// replay replays the requests for a catalogue, and compares the responses.
func replay(t *testing.T, c *catalogue.Catalogue) {
	t.Helper()
	if err := c.LoadFile(recordedFilms, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(c, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
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
	if err := c.Check(); err != nil {
		t.Error(err)
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
