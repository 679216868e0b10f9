package recipes

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
)

func TestGzip(t *testing.T) {
	h, err := Gzip(newHandler(t, httpapi.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	check(t, h, "")
	s := serve(t, h, "")
	for _, page := range []string{"films/", "films/1/"} {
		plain := s.do("GET", page, "", "Accept-Encoding", "identity")
		got := s.do("GET", page, "", "Accept-Encoding", "gzip")
		if text := unzip(t, got.body); got.Header.Get("Content-Encoding") != "gzip" || text != plain.body {
			t.Errorf("%s: %v, %.60s", page, got.Header, text)
		}
		for _, response := range []answer{plain, got} {
			if vary := strings.Join(response.Header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") {
				t.Errorf("%s: Vary is %q", page, vary)
			}
		}
		tag, zipped := plain.Header.Get("ETag"), got.Header.Get("ETag")
		if zipped != strings.TrimSuffix(tag, `"`)+`-gzip"` {
			t.Errorf("%s: tags %s and %s", page, tag, zipped)
		}
		for _, known := range []string{tag, zipped} {
			if got := s.do("GET", page, "", "Accept-Encoding", "gzip", "If-None-Match", known); got.StatusCode != 304 || got.body != "" || got.Header.Get("ETag") != known {
				t.Errorf("%s with If-None-Match %s: %d %v", page, known, got.StatusCode, got.Header)
			}
		}
		head := s.do("HEAD", page, "", "Accept-Encoding", "gzip")
		if head.StatusCode != 200 || head.body != "" || head.Header.Get("ETag") != tag || head.Header.Get("Content-Encoding") != "" {
			t.Errorf("HEAD %s: %d %v", page, head.StatusCode, head.Header)
		}
	}
	if got := s.do("GET", "nope/", "", "Accept-Encoding", "gzip"); got.Header.Get("Content-Encoding") != "" || got.body != `{"detail":"Not found."}` {
		t.Errorf("a small response: %v %q", got.Header, got.body)
	}
	zipped := s.do("GET", "films/1/", "", "Accept-Encoding", "gzip").Header.Get("ETag")
	if got := s.do("PATCH", "films/1/", `{"name":"x"}`, "If-Match", zipped); got.StatusCode != 200 {
		t.Errorf("If-Match with the tag of a compressed record: %d %s", got.StatusCode, got.body)
	}
}

func unzip(t *testing.T, body string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
