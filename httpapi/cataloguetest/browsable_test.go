package cataloguetest

import (
	"strings"
	"testing"
)

// TestBrowsableAPI compares the status and type with those of Django REST framework with
// the renderers JSONRenderer and BrowsableAPIRenderer. Its negotiation first filters the
// renderers by format and then takes the first that Accept matches. The body of a 406 is
// rendered as JSON.
func TestBrowsableAPI(t *testing.T) {
	const (
		page   = "text/html; charset=utf-8"
		js     = "application/json"
		detail = `{"detail":"Could not satisfy the request Accept header."}`
	)
	tests := []struct {
		reason, request, accept string
		status                  int
		contentType             string
		contains                string // in the body
		changed                 int
	}{
		{"net/http sends no Accept", "GET /api/news/?format=api", "none", 200, page, "&#34;count&#34;: ", 1},
		{"any type", "GET /api/news/?format=api", "*/*", 200, page, "&#34;count&#34;: ", 1},
		{"a browser", "GET /api/news/?format=api", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 200, page, "<!DOCTYPE html>", 1},
		{"only HTML", "GET /api/news/?format=api", "text/html", 200, page, "HTTP 200 OK", 1},
		{"qualities are ignored", "GET /api/news/?format=api", "application/json, TEXT/*;q=0", 200, page, "HTTP 200 OK", 1},
		{"only JSON", "GET /api/news/?format=api", js, 406, js, detail, 1},
		{"empty Accept", "GET /api/news/?format=api", "", 406, js, detail, 1},
		{"another type of text", "GET /api/news/?format=api", "text/plain, html", 406, js, detail, 1},
		{"the root listing", "GET /api/?format=api", js, 406, js, detail, 1},
		{"the root listing as HTML", "GET /api/?format=api", "none", 200, page, "/api/events/?format=api", 1},
		{"the last format counts", "GET /api/news/?format=json&format=api", js, 406, js, detail, 1},
		{"the status of the request comes after that of Accept", "PUT /api/news/?format=api", js, 406, js, detail, 1},
		{"an error as HTML", "PUT /api/news/?format=api", "none", 405, page, "HTTP 405 Method Not Allowed", 1},
		{"POST without effect", "POST /api/events/?format=api", js, 406, js, detail, 1},
		{"POST with effect, escaped", "POST /api/events/?format=api", "*/*", 201, page, "A &amp; &lt;B&gt;", 1},
		{"no format", "GET /api/news/", js, 200, js, `{"count":`, 0},
		{"format=json", "GET /api/news/?format=json", js, 200, js, `{"count":`, 0},
		{"an overridden format", "GET /api/news/?format=api&format=json", js, 200, js, `{"count":`, 0},
		{"a path of no view", "GET /api/nothing/?format=api", js, 404, js, `{"detail":`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			server := New(t)
			before := eventsOf(server.Catalogue).Count()
			b := server.Inject(Match{}, BrowsableAPI())
			var header []string
			if tt.accept != "none" {
				header = []string{"Accept", tt.accept}
			}
			sent := ""
			if strings.HasPrefix(tt.request, "POST") {
				sent = eventBody
			}
			resp, body := ask(t, server, tt.request, sent, header...)
			if resp.StatusCode != tt.status || resp.Header.Get("Content-Type") != tt.contentType || !strings.Contains(body, tt.contains) {
				t.Errorf("%s, %s, %s", resp.Status, resp.Header.Get("Content-Type"), body)
			}
			if n := b.Count(); n != tt.changed {
				t.Errorf("Count() = %d, want %d", n, tt.changed)
			}
			if added := eventsOf(server.Catalogue).Count() - before; (added == 1) != (tt.status == 201) {
				t.Errorf("%d events were added", added)
			}
			if e := server.Exchanges()[0]; tt.accept != "none" && e.Header.Get("Accept") != tt.accept {
				t.Errorf("the log shows Accept %q, want %q", e.Header.Get("Accept"), tt.accept)
			}
		})
	}
}

// TestBrowsableAPIOfRecords checks records with paths. A page that says that a record was
// deleted needs a body, so its status is 200.
func TestBrowsableAPIOfRecords(t *testing.T) {
	server := newFilms(t, 3)
	server.Inject(Match{Path: "/v1/films/{id}/"}, BrowsableAPI())
	if resp, body := ask(t, server, "GET /v1/films/2/?format=api", ""); resp.StatusCode != 200 || !strings.Contains(body, "Film 2") {
		t.Errorf("GET: %s, %s", resp.Status, body)
	}
	if resp, _ := ask(t, server, "DELETE /v1/films/2/?format=api", "", "Accept", "application/json"); resp.StatusCode != 406 {
		t.Errorf("DELETE that accepts only JSON: %s", resp.Status)
	}
	resp, body := ask(t, server, "DELETE /v1/films/2/?format=api", "")
	if resp.StatusCode != 200 || !strings.Contains(body, "HTTP 204 No Content") {
		t.Errorf("DELETE: %s, %s", resp.Status, body)
	}
	if resp, _ := ask(t, server, "GET /v1/films/2/", "", "Accept", "application/json"); resp.StatusCode != 404 {
		t.Errorf("GET of the deleted record: %s", resp.Status)
	}
}

// TestBrowsableAPIWithFaults checks that a page has the faults of its records and headers,
// and that a HEAD has the header of the GET.
func TestBrowsableAPIWithFaults(t *testing.T) {
	server := newFilms(t, 3)
	for _, f := range []Fault{Header("X-Last", "yes"), BrowsableAPI(), MissingRow()} {
		server.Inject(Match{}, f)
	}
	get, body := ask(t, server, "GET /v1/films/?format=api", "")
	if !strings.Contains(body, "Film 2") || strings.Contains(body, "Film 3") || get.Header.Get("X-Last") != "yes" {
		t.Errorf("%v\n%s", get.Header, body)
	}
	head, _ := ask(t, server, "HEAD /v1/films/?format=api", "")
	if head.ContentLength != int64(len(body)) || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
		t.Errorf("HEAD: %d bytes of %s; want %d", head.ContentLength, head.Header.Get("Content-Type"), len(body))
	}
	server = newFilms(t, 3)
	server.Inject(Match{}, BrowsableAPI())
	server.Inject(Match{}, Status(429, `{"detail":"Request was throttled."}`))
	if resp, body := ask(t, server, "GET /v1/films/?format=api", ""); resp.StatusCode != 429 || !strings.Contains(body, "<b>HTTP 429") {
		t.Errorf("with a status: %s, %s", resp.Status, body)
	}
}
