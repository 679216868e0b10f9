package httpapi

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // for Europe/Rome, whatever the machine has

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// A vector is a recorded request with the response of the service.
type vector struct {
	Tag     string
	Request struct {
		Method, Target string
		Headers        map[string]string
		Body           *recordedBody
	}
	Want recordedResponse
}

type recordedResponse struct {
	Status  int
	Headers map[string]string // only those that are compared
	Body    *recordedBody
	Page    *recordedPage // instead of the body
}

type recordedBody struct {
	Text   *string
	Base64 []byte
}

func (b *recordedBody) bytes() []byte {
	switch {
	case b == nil:
		return nil
	case b.Text != nil:
		return []byte(*b.Text)
	}
	return b.Base64
}

type recordedPage struct {
	Count          int
	Next, Previous *string
	IDs            []any  // ids or keys
	SHA256         string // of the body
}

// TestVectors replays the requests that were recorded from the service of the publishing house.
func TestVectors(t *testing.T) {
	replayAll(t, newRecordedPublisher(t), "testdata/vectors.jsonl", 1159)
}

// TestOwnVectors replays those that were recorded from a service of films.
func TestOwnVectors(t *testing.T) {
	replayAll(t, newRecordedFilms(t), "testdata/own/vectors.jsonl", 1217)
}

// TestOwnVectorsOfOpenRecords replays them for collections whose records are open and whose
// descriptions are written out.
func TestOwnVectorsOfOpenRecords(t *testing.T) {
	var open []catalogue.AnyDefinition
	for key, collection := range newFilmCatalogue(t).All() {
		d := collection.Description()
		open = append(open, catalogue.Define[schema.Record](key, catalogue.Options{
			Description: &d,
			Now:         func() time.Time { return ownNow },
		}))
	}
	c := mustCatalogue(t, open...)
	loadFile(t, c, "testdata/own/dataset.json")
	replayAll(t, c, "testdata/own/vectors.jsonl", 1217)
}

// TestKeyVectors replays those that were recorded from a service of records with keys.
func TestKeyVectors(t *testing.T) {
	replayAll(t, newRecordedKeys(t), "testdata/keys/vectors.jsonl", 633)
}

// TestVectors318 replays requests that were recorded from version 3.18, most of which 3.14 answers
// otherwise. The numbers are those of responses that differ deliberately: see DIFFERENCES.md.
func TestVectors318(t *testing.T) {
	rome, err := time.LoadLocation("Europe/Rome")
	must(t, err)
	for _, test := range []struct {
		file string
		new  func(testing.TB) *catalogue.Catalogue
		zone *time.Location
		n    int
		want map[string]int
	}{
		{"documented", newRecordedPublisher, rome, 128, map[string]int{
			"scene json":  17, // the text of a syntax error; NaN
			"scene stamp": 1,  // an offset with seconds
		}},
		{"own", newRecordedFilms, time.UTC, 175, map[string]int{
			"scene json":   7,
			"scene number": 2, // 1_0, and -0
		}},
	} {
		t.Run(test.file, func(t *testing.T) {
			got := map[string]int{}
			for tag, diffs := range replay(t, test.new(t), schema.DRF318(test.zone), "testdata/v318/"+test.file+".jsonl", test.n) {
				got[tag] = len(diffs)
				t.Logf("%s: %s", tag, strings.Join(diffs, "\n"))
			}
			equal(t, "responses that differ", test.want, got)
		})
	}
}

// replayAll sends n recorded requests in order and compares the responses byte by byte.
func replayAll(t *testing.T, c *catalogue.Catalogue, file string, n int, expect ...func(h http.Handler, v *vector)) {
	t.Helper()
	for tag, diffs := range replay(t, c, schema.Framework{}, file, n, expect...) {
		t.Errorf("%s: %s", tag, strings.Join(diffs, "\n"))
	}
}

// replay does so for a version of the framework and returns the differences of each tag. Functions
// change what is expected, where it is to differ.
func replay(t *testing.T, c *catalogue.Catalogue, as schema.Framework, file string, n int, expect ...func(h http.Handler, v *vector)) map[string][]string {
	t.Helper()
	h := mustHandler(t, c, Options{Authorizer: AllowAll, Framework: as})
	different := map[string][]string{}
	vectors, err := os.Open(file)
	must(t, err)
	defer vectors.Close()
	lines, replayed := bufio.NewScanner(vectors), 0
	for lines.Buffer(nil, 1<<20); lines.Scan(); replayed++ {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("line %d: %v", replayed+1, err)
		}
		for _, f := range expect {
			f(h, &v)
		}
		times := 1
		if v.Request.Method == "GET" || v.Request.Method == "HEAD" {
			times = 3 // the catalogue builds arrays for parts of an index that are read often
		}
		for range times {
			if diff := cmp.Diff(v.Want, v.send(h)); diff != "" {
				different[v.Tag] = append(different[v.Tag], fmt.Sprintf("line %d: %s %s %v %s (-want +got):\n%s", replayed+1,
					v.Request.Method, v.Request.Target, v.Request.Headers, v.Request.Body.bytes(), diff))
				break
			}
		}
	}
	if err := lines.Err(); err != nil || replayed != n {
		t.Errorf("replayed %d of %d requests: %v", replayed, n, err)
	}
	return different
}

// do sends the request and returns the response, and its body as it was recorded.
func (v *vector) do(h http.Handler) (w *httptest.ResponseRecorder, text string) {
	r := httptest.NewRequest(v.Request.Method, v.Request.Target, bytes.NewReader(v.Request.Body.bytes()))
	r.Host = "host.example"
	for name, value := range v.Request.Headers {
		r.Header.Set(name, value)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, strings.ReplaceAll(w.Body.String(), "http://"+r.Host, "{base}")
}

// send sends the request and returns the parts of the response that the vector has.
func (v *vector) send(h http.Handler) recordedResponse {
	w, text := v.do(h)
	got := recordedResponse{Status: w.Code}
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
		got.Body = &recordedBody{Text: &text}
	case v.Want.Body != nil:
		got.Body = &recordedBody{Base64: []byte(text)}
	}
	return got
}

// readPage returns what a vector records of a page.
func readPage(text string) *recordedPage {
	var p struct {
		recordedPage
		Results []struct{ ID, Code any }
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return &recordedPage{SHA256: text}
	}
	sum := sha256.Sum256([]byte(text))
	p.SHA256, p.IDs = hex.EncodeToString(sum[:]), []any{}
	for _, r := range p.Results {
		if r.ID == nil {
			r.ID = r.Code
		}
		p.IDs = append(p.IDs, r.ID)
	}
	return &p.recordedPage
}

// TestPages318 has what drf-pages says of version 3.18.
func TestPages318(t *testing.T) {
	for _, test := range []struct {
		reason string
		as     schema.Framework
		pages  pagination.Style
		want   int
	}{
		{"3.14", schema.Framework{}, pagination.Numbers{}, http.StatusNotFound},
		{"3.18", schema.DRF318(nil), pagination.Numbers{}, http.StatusOK},
		{"3.18, by cursors", schema.DRF318(nil), pagination.Cursors{}, http.StatusOK},
	} {
		h := mustHandler(t, newRecordedFilms(t), Options{Pages: test.pages, Framework: test.as})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/api/films/?page=", nil))
		if w.Code != test.want {
			t.Errorf("%s: an empty page is %d %s, want %d", test.reason, w.Code, w.Body, test.want)
		}
	}
}
