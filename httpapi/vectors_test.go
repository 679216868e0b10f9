package httpapi

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

	"github.com/google/go-cmp/cmp"
)

// vector is a recorded request with the response of the reference server.
type vector struct {
	Tag     string
	Request struct {
		Method, Target string
		Headers        map[string]string
		Body           *recordedBody
	}
	Want struct {
		Status  int
		Headers map[string]string
		Body    *recordedBody
		Page    *recordedPage
	}
}

type recordedBody struct {
	Text   *string
	Base64 []byte
}

func (b *recordedBody) bytes() []byte {
	if b == nil {
		return nil
	}
	if b.Text != nil {
		return []byte(*b.Text)
	}
	return b.Base64
}

type recordedPage struct {
	Count          int
	Next, Previous *string
	IDs            []int
	SHA256         string
}

const vectorBase = "http://host.example"

// TestVectors replays all recorded requests in order and compares the responses byte by
// byte.
func TestVectors(t *testing.T) {
	handler, err := New(newRecordedPublisher(t), Options{Authorizer: AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	replayed := 0
	for line := 1; ; line++ {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF && len(text) == 0 {
			break
		}
		var v vector
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("line %d: %v", line, err)
		}
		diff := ""
		for range times(v) {
			diff += compare(v, replay(handler, v))
		}
		replayed++
		if diff != "" {
			t.Errorf("line %d, %s: %s %s %v\n%s", line, v.Tag, v.Request.Method, v.Request.Target, v.Request.Headers, diff)
		}
	}
	if replayed != 1159 {
		t.Errorf("replayed %d of 1159 vectors", replayed)
	}
}

// times returns the number of times that a request is sent. Reads are repeated, since the
// catalogue builds arrays for parts of an index that are read often.
func times(v vector) int {
	if v.Request.Method == http.MethodGet || v.Request.Method == http.MethodHead {
		return 3
	}
	return 1
}

func replay(handler http.Handler, v vector) *httptest.ResponseRecorder {
	r := httptest.NewRequest(v.Request.Method, v.Request.Target, bytes.NewReader(v.Request.Body.bytes()))
	r.Host = strings.TrimPrefix(vectorBase, "http://")
	for name, value := range v.Request.Headers {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// compare returns the differences between a response and the recorded one.
func compare(v vector, w *httptest.ResponseRecorder) string {
	var diffs []string
	add := func(what, diff string) {
		if diff != "" {
			diffs = append(diffs, what+": -want +got\n"+diff)
		}
	}
	body := strings.ReplaceAll(w.Body.String(), vectorBase, "{base}")
	add("status", cmp.Diff(v.Want.Status, w.Code))
	for name, want := range v.Want.Headers {
		got := strings.Join(w.Header().Values(name), ", ")
		if name == "Content-Type" {
			got, _, _ = strings.Cut(got, ";")
		}
		add(name, cmp.Diff(want, got))
	}
	if v.Want.Body != nil {
		add("body", cmp.Diff(string(v.Want.Body.bytes()), body))
	}
	if page := v.Want.Page; page != nil {
		if sum := sha256.Sum256([]byte(body)); hex.EncodeToString(sum[:]) != page.SHA256 {
			add("page", cmp.Diff(page, readPage(body, page.SHA256)))
			add("sha256", page.SHA256+" expected")
		}
	}
	return strings.Join(diffs, "")
}

// readPage returns what a vector records of a page, to show the differences.
func readPage(body, sum string) *recordedPage {
	var page struct {
		Count          int
		Next, Previous *string
		Results        []struct{ ID int }
	}
	if json.Unmarshal([]byte(body), &page) != nil {
		return nil
	}
	got := &recordedPage{Count: page.Count, Next: page.Next, Previous: page.Previous, SHA256: sum}
	for _, r := range page.Results {
		got.IDs = append(got.IDs, r.ID)
	}
	return got
}
