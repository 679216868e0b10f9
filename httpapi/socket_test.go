package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// listen serves h until the test ends. The test fails if the server has logged anything.
func listen(t *testing.T, h http.Handler) (address string) {
	t.Helper()
	var lines bytes.Buffer
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(&lines, "", 0)
	server.Start()
	t.Cleanup(func() {
		server.Close()
		if lines.Len() > 0 {
			t.Errorf("the server logged: %s", &lines)
		}
	})
	return server.Listener.Addr().String()
}

// rawAnswer is a response with its body.
type rawAnswer struct {
	*http.Response
	body string
}

// ask sends a request unchanged and returns all responses until the server closes the
// connection. If closeWrite is true, it closes its side after the request.
func ask(t *testing.T, address, request string, closeWrite bool) []rawAnswer {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	must(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second)) // in case the server blocks
	go func() {
		_, _ = io.WriteString(conn, request) // may fail, since the server need not read all of it
		if closeWrite {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
	}()
	var answers []rawAnswer
	for r := bufio.NewReader(conn); ; {
		if _, err := r.Peek(1); err != nil {
			return answers
		}
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%q: %v", request[:min(len(request), 100)], err)
		}
		body, err := io.ReadAll(answer.Body)
		must(t, err)
		answers = append(answers, rawAnswer{answer, string(body)})
	}
}

// head returns the header of a request with a Host, after which the server closes the
// connection.
func head(line string, more ...string) string {
	lines := append([]string{line, "Host: host.example", "Connection: close"}, more...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// TestSocket sends requests that the client of net/http would not send, but its server accepts.
func TestSocket(t *testing.T) {
	h := newStubHandler(t, Options{Authorizer: Bearer("s"), TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, newStub(2))
	address := listen(t, h)
	const films = `"next":"http://host.example/api/films/?limit=1&offset=1"`
	tests := []struct {
		reason, request string
		status          int
		part            string
	}{
		{"valid request", head("GET /api/films/?limit=1 HTTP/1.1"), 200, films},
		{"escaped NUL in the path", head("GET /api/films%00/ HTTP/1.1"), 404, notFound},
		{"line end escaped in the path", head("GET /api/films%0D%0AX-Evil:%20y/ HTTP/1.1"), 404, notFound},
		{"line end escaped before a redirect", head("GET /api/films?q=%0D%0AX-Evil:y HTTP/1.1"), 301, ""},
		{"markup in the query of a redirect", head(`GET /api/films?"<script>\ HTTP/1.1`), 301, ""},
		{"invalid UTF-8 in the path", head("GET /api/\xff\xfe/ HTTP/1.1"), 404, notFound},
		{"fragment", head("GET /api/films/?limit=1#x HTTP/1.1"), 200, `"next":null`},
		{"escaped slash", head("GET /api%2Ffilms%2F?limit=1 HTTP/1.1"), 200, films},
		{"two slashes", head("GET //api/films/ HTTP/1.1"), 404, notFound},
		{"two slashes and a host", head("GET //evil.example/api/films HTTP/1.1"), 404, notFound},
		{"absolute form", head("GET http://other.example/api/films/?limit=1 HTTP/1.1"), 200, `"http://other.example/api/films/`},
		{"absolute form with an invalid port", head("GET http://other.example:99999/api/films/ HTTP/1.1"), 400, "Invalid Host header."},
		{"absolute form of another scheme", head("GET gopher://other.example/api/films/?limit=1 HTTP/1.1"), 200, `"http://other.example/api/films/`},
		{"star", head("GET * HTTP/1.1"), 404, notFound},
		{"authority", head("CONNECT other.example:443 HTTP/1.1"), 404, notFound},
		{"unknown method", head("BREW /api/films/ HTTP/1.1"), 405, `"Method \"BREW\" not allowed."`},
		{"TRACE", head("TRACE /api/films/ HTTP/1.1", "X-Secret: 1234"), 405, `"Method \"TRACE\" not allowed."`},
		{"GET with a body", head("GET /api/films/?limit=1 HTTP/1.1", "Content-Length: 5") + "hello", 200, films},
		{"no Host in HTTP/1.0", "GET /api/films/?limit=1 HTTP/1.0\r\n\r\n", 200, `"next":"http://` + address + `/api/films/?limit=1&offset=1"`},
		{"empty Host", "GET /api/films/ HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n", 400, "Invalid Host header."},
		{"forwarded headers of an untrusted client", head("GET /api/films/?limit=1 HTTP/1.1", "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example"), 200, films},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			answers := ask(t, address, test.request, false)
			if len(answers) != 1 {
				t.Fatalf("%d responses, want 1", len(answers))
			}
			got := answers[0]
			if got.StatusCode != test.status || !strings.Contains(got.body, test.part) {
				t.Errorf("%d %.300s, want %d %.300s", got.StatusCode, got.body, test.status, test.part)
			}
			checkWire(t, got)
		})
	}
}

// checkWire checks that the request did not inject anything into the response, which is JSON,
// except for redirects, and has nosniff.
func checkWire(t *testing.T, got rawAnswer) {
	t.Helper()
	if got.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("no nosniff, or a response of net/http: %v", got.Header)
	}
	if got.Header.Get("X-Evil") != "" {
		t.Errorf("header injected: %v", got.Header)
	}
	if location := got.Header.Get("Location"); strings.ContainsAny(location, "\"<>\\ \r\n") || strings.Contains(location, "//") {
		t.Errorf("Location %q", location)
	}
	if got.StatusCode != 301 && !json.Valid([]byte(got.body)) {
		t.Errorf("not JSON: %.300s", got.body)
	}
}

// postable is a poster with a length of 96 bytes.
var postable = `{"title":"Alien ` + strings.Repeat("x", 78) + `"}`

// newWritable returns a catalogue without posters, and a handler of it whose token is "s".
func newWritable(t *testing.T) (posters *catalogue.Collection[poster], h http.Handler) {
	t.Helper()
	c := mustCatalogue(t, catalogue.Define[poster]("posters", catalogue.Options{}), catalogue.Define[schema.Record]("papers", catalogue.Options{
		Description: &schema.Description{Actions: schema.List},
	}))
	return mustIn(catalogue.Define[poster]("posters", catalogue.Options{}), c), mustHandler(t, c, Options{Authorizer: Bearer("s")})
}

// postHead returns the header of a POST of a poster.
func postHead(more ...string) string {
	return head("POST /api/posters/ HTTP/1.1", append(more, "Authorization: Bearer s", "Content-Type: application/json")...)
}

// TestSocketBodies sends bodies that end early or have a length other than announced. Only
// a request with status 201 stores a poster.
func TestSocketBodies(t *testing.T) {
	posters, h := newWritable(t)
	address := listen(t, h)
	const unread = "The body of the request could not be read."
	chunk := func(size, text string) string { return size + "\r\n" + text + "\r\n" }
	size := "60" // of postable, in hexadecimal
	tests := []struct {
		reason, request string
		closeWrite      bool
		statuses        []int
		part            string // of the first response
	}{
		{"with its length", postHead("Content-Length: 96") + postable, false, []int{201}, `"title":"Alien`},
		{"in chunks", postHead("Transfer-Encoding: chunked") + chunk("10", postable[:16]) + chunk("50", postable[16:]) + chunk("0", ""), false, []int{201}, `"title":"Alien`},
		{"in chunks, with a wrong length", postHead("Content-Length: 3", "Transfer-Encoding: chunked") + chunk(size, postable) + chunk("0", ""), false, []int{201}, `"title":"Alien`},
		{"ends before the last byte", postHead("Content-Length: 96") + postable[:95], true, []int{400}, unread},
		{"ends between chunks", postHead("Transfer-Encoding: chunked") + chunk(size, postable), true, []int{400}, unread},
		{"a chunk with a negative size", postHead("Transfer-Encoding: chunked") + chunk("-60", postable), false, []int{400}, unread},
		{"a huge body in chunks", postHead("Transfer-Encoding: chunked") + strings.Repeat(chunk("1000", strings.Repeat(" ", 4096)), 300), true, []int{413}, " 1048576 "},
		{"a huge body announced", postHead("Content-Length: 9223372036854775807") + postable, false, []int{413}, " 1048576 "},
		{"after 100 Continue", postHead("Expect: 100-continue", "Content-Length: 96") + postable, false, []int{100, 201}, ""},
		{"no 100 Continue if too large", postHead("Expect: 100-continue", "Content-Length: 1048577"), false, []int{413}, " 1048576 "},
		{"no 100 Continue without a token", head("POST /api/posters/ HTTP/1.1", "Expect: 100-continue", "Content-Length: 96", "Content-Type: application/json"), false, []int{401}, noCredentials},
		{"no 100 Continue if not allowed", head("POST /api/papers/ HTTP/1.1", "Expect: 100-continue", "Content-Length: 96"), false, []int{405}, "not allowed"},
		{"content type that is not UTF-8", head("POST /api/posters/ HTTP/1.1", "Authorization: Bearer s", "Content-Type: \xff", "Content-Length: 96") + postable, false, []int{415}, `\"` + "\ufffd" + `\"`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			before := posters.Count()
			answers := ask(t, address, test.request, test.closeWrite)
			var statuses []int
			for _, a := range answers {
				statuses = append(statuses, a.StatusCode)
			}
			if !slices.Equal(statuses, test.statuses) {
				t.Fatalf("%v, want %v", statuses, test.statuses)
			}
			if !strings.Contains(answers[0].body, test.part) {
				t.Errorf("%s, want %s", answers[0].body, test.part)
			}
			want := before
			if statuses[len(statuses)-1] == 201 {
				want++
			}
			if got := posters.Count(); got != want {
				t.Errorf("%d posters, want %d", got, want)
			}
		})
	}
}

// Pipelined requests are served in order. A rejected body is not read as a request.
func TestSocketPipeline(t *testing.T) {
	posters, h := newWritable(t)
	open := func(request string) string { return strings.Replace(request, "Connection: close\r\n", "", 1) }
	smuggled := open(postHead("Content-Length: 96")) + postable
	request := open(head("GET /api/papers/ HTTP/1.1")) +
		open(head("POST /api/papers/ HTTP/1.1", "Content-Length: "+strconv.Itoa(len(smuggled)))) + smuggled +
		open(head("DELETE /api/posters/ HTTP/1.1", "Transfer-Encoding: chunked")) + "5\r\nhello\r\n0\r\n\r\n" +
		head("GET /api/posters/ HTTP/1.1")
	var statuses []int
	for _, a := range ask(t, listen(t, h), request, false) {
		statuses = append(statuses, a.StatusCode)
	}
	if !slices.Equal(statuses, []int{200, 405, 405, 200}) || posters.Count() != 0 {
		t.Errorf("statuses %v and %d posters, want [200 405 405 200] and none", statuses, posters.Count())
	}
}
