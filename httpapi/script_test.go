package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/rows"
	"github.com/gobacklist/backlist/pagination"
)

// TestScripts runs the scripts in testdata, whose format is described in its README.md.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	must(t, err)
	for _, file := range files {
		if filepath.Base(file) == differencesFile {
			continue // see TestDifference
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			comment, cases := rows.Texts(t, filepath.Base(file))
			_, settings, _ := strings.Cut(comment, "server:")
			common, _, _ := strings.Cut(settings, "\n")
			for _, c := range cases {
				t.Run(c.Name, func(t *testing.T) { runScript(t, strings.Fields(common), c.Data) })
			}
		})
	}
}

// scriptStep is a request of a script and the answer that it expects.
type scriptStep struct {
	server          []string // settings of a new server, if not nil
	request, answer []string // the lines after > and <, the first of which has no header
	sent, want      []string // the lines of the bodies
}

// scriptSteps returns the requests of a script.
func scriptSteps(t *testing.T, text string) (list []*scriptStep) {
	t.Helper()
	last := byte('<')
	server := []string{}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "server:"):
			server = append(append([]string{}, server...), strings.Fields(line)[1:]...)
		case strings.HasPrefix(line, "> "):
			if last != '>' {
				list = append(list, &scriptStep{server: server})
				server = nil
			}
			list[len(list)-1].request = append(list[len(list)-1].request, rows.Expand(t, line[2:]))
			last = '>'
		case list == nil:
			if line != "" {
				t.Fatalf("%q comes before the first request", line)
			}
		case strings.HasPrefix(line, "< "):
			list[len(list)-1].answer = append(list[len(list)-1].answer, rows.Expand(t, line[2:]))
			last = '<'
		case last == '>' || last == 'b':
			list[len(list)-1].sent = append(list[len(list)-1].sent, rows.Expand(t, line))
			last = 'b'
		default:
			list[len(list)-1].want = append(list[len(list)-1].want, rows.Expand(t, line))
			last = 'w'
		}
	}
	return list
}

// runScript sends the requests of a script and checks the answers. All servers have the given
// settings.
func runScript(t *testing.T, settings []string, text string) {
	var h http.Handler
	names := map[string]string{} // values of $name
	list := scriptSteps(t, text)
	if len(list) == 0 {
		t.Fatal("no request")
	}
	for _, e := range list {
		if e.server != nil {
			h = scriptServer(t, slices.Concat(settings, e.server))
		}
		if len(e.answer) == 0 {
			t.Fatalf("%s has no answer", e.request[0])
		}
		before := e.send(t, h, names, "GET")
		got := e.send(t, h, names, "")
		e.check(t, got, names)
		after := e.send(t, h, names, "GET")
		if got.Status >= 400 && after.Body != before.Body {
			t.Errorf("%.200s: %d, but it has changed\n%.1000s\nto\n%.1000s", e.request[0], got.Status, before.Body, after.Body)
		}
		if got.Status == 200 && after.Status == 200 && strings.HasPrefix(e.request[0], "P") && after.Body != got.Body {
			t.Errorf("%.200s: the response is\n%.1000s\nand that of a GET\n%.1000s", e.request[0], got.Body, after.Body)
		}
		if strings.HasPrefix(e.request[0], "GET ") {
			if diff := cmp.Diff(got, e.send(t, h, names, "")); diff != "" {
				t.Errorf("%.200s, a second time (-first +second):\n%s", e.request[0], diff)
			}
			got.Body = ""
			if diff := cmp.Diff(got, e.send(t, h, names, "HEAD")); diff != "" {
				t.Errorf("%.200s (-GET +HEAD):\n%s", e.request[0], diff)
			}
		}
	}
}

// send sends the request with a method, or with its own if that is "". A GET for another method
// has no body and no preconditions.
func (e *scriptStep) send(t *testing.T, h http.Handler, names map[string]string, method string) answer {
	t.Helper()
	own, target, _ := strings.Cut(e.request[0], " ")
	if method == "" {
		method = own
	}
	path, query, _ := strings.Cut(target, "?")
	u, err := url.ParseRequestURI(path)
	must(t, err)
	u.RawQuery = query
	instead := method == "GET" && own != method
	body := strings.TrimRight(strings.Join(e.sent, "\n"), "\n")
	if instead {
		body = ""
	}
	r := httptest.NewRequest("GET", "/", strings.NewReader(body))
	r.Method, r.URL, r.RequestURI, r.Host = method, u, target, "host.example"
	if r.ContentLength > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range e.request[1:] {
		name, value, _ := strings.Cut(line, ":")
		value = scriptName.ReplaceAllStringFunc(strings.TrimPrefix(value, " "), func(n string) string { return names[n] })
		if instead && !slices.Contains([]string{"Host", "Protocol", "Client-Address", "Authorization", "Accept"}, name) {
			continue
		}
		switch name {
		case "Host":
			r.Host = value
		case "Protocol":
			r.ProtoMajor, r.ProtoMinor, _ = http.ParseHTTPVersion(value)
		case "Client-Address":
			r.RemoteAddr = value
		case "Transfer-Encoding":
			r.ContentLength, r.TransferEncoding, r.Body = -1, []string{value}, io.NopCloser(r.Body)
		case "Content-Type":
			if r.Header.Del(name); value != "" {
				r.Header.Set(name, value)
			}
		default:
			r.Header.Add(name, value)
		}
	}
	return serve(h, r)
}

var scriptName = regexp.MustCompile(`\$[a-z]+`)

// check compares the answer with the expected one.
func (e *scriptStep) check(t *testing.T, got answer, names map[string]string) {
	t.Helper()
	what := fmt.Sprintf("%.200s", e.request[0])
	if want := e.answer[0]; strconv.Itoa(got.Status) != want {
		t.Errorf("%s: %d %.1000s, want %s", what, got.Status, got.Body, want)
		return
	}
	want := map[string]string{}
	for _, line := range e.answer[1:] {
		name, value, _ := strings.Cut(line, ":")
		name, value = http.CanonicalHeaderKey(name), strings.TrimSpace(value)
		want[name] = learn(t, names, value, got.Header[name])
		if want[name] != got.Header[name] {
			t.Errorf("%s: %s: %s, want %s", what, name, got.Header[name], want[name])
		}
	}
	checkHeader(t, what, got, want)
	if body := strings.TrimRight(strings.Join(e.want, "\n"), "\n"); body != "" && !matches(body, got.Body) {
		t.Errorf("%s: the body is\n%.2000s\nwant\n%.2000s", what, got.Body, body)
	}
}

// learn replaces $name in the expected value of a header. If the name has no value yet, it
// is what the header has there, and no other name may have the same value.
func learn(t *testing.T, names map[string]string, want, got string) string {
	t.Helper()
	name := scriptName.FindString(want)
	if _, known := names[name]; !known && name != "" {
		before, after, _ := strings.Cut(want, name)
		value := strings.TrimSuffix(strings.TrimPrefix(got, before), after)
		for other, v := range names {
			if v == value {
				t.Errorf("%s and %s are both %s", name, other, v)
			}
		}
		names[name] = value
	}
	return strings.ReplaceAll(want, name, names[name])
}

// matches reports whether a text is the expected one, in which … stands for any text.
func matches(want, got string) bool {
	parts := strings.Split(want, "…")
	got, ok := strings.CutPrefix(got, parts[0])
	if len(parts) == 1 || !ok {
		return ok && got == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, got, ok = strings.Cut(got, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(got, parts[len(parts)-1])
}

// checkHeader checks what is common to all responses. Headers that not all of them have
// must be expected.
func checkHeader(t *testing.T, what string, got answer, expected map[string]string) {
	t.Helper()
	want := map[string]string{
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "same-origin",
		"X-Frame-Options":        "DENY",
		"Content-Type":           "application/json",
		"Content-Length":         strconv.Itoa(len(got.Body)),
	}
	switch {
	case got.Status == 204:
		delete(want, "Content-Type")
	case got.Status == 304:
		clear(want)
	case got.Status/100 == 3:
		delete(want, "X-Frame-Options")
		want["Content-Type"] = "text/html; charset=utf-8"
	case !json.Valid([]byte(got.Body)):
		t.Errorf("%s: not JSON: %.1000s", what, got.Body)
	}
	if got.Body != "" && (got.Status == 204 || got.Status/100 == 3) {
		t.Errorf("%s: %d with a body: %s", what, got.Status, got.Body)
	}
	for name := range got.Header {
		if _, ok := expected[name]; ok || name == "Allow" || name == "Vary" {
			want[name] = got.Header[name] // already compared, or not of interest
		}
	}
	equal(t, fmt.Sprintf("%s: header", what), want, got.Header)
}

// scriptServer returns a handler with some settings.
func scriptServer(t *testing.T, settings []string) (h http.Handler) {
	t.Helper()
	cat, failing, mount, restricted := newSmallCatalogue, false, "", map[string]string{}
	var limits pagination.Limits
	opts := Options{Authorizer: AllowAll, OnError: func(r *http.Request, err error) {
		if !failing {
			t.Errorf("%s %.200s: %v", r.Method, r.RequestURI, err)
		}
	}}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		number, numberErr := strconv.Atoi(value)
		switch name {
		case "catalogue":
			cat = map[string]func(testing.TB) *catalogue.Catalogue{
				"films": newSmallCatalogue, "recorded-films": newRecordedFilms, "publisher": newRecordedPublisher,
				"narrow": newNarrow, "pages": newRecordedPages, "keys": newKeyed, "desk": newDesk, "opts": newOpts, "named": newNamed, "lookup": newCities, "plants": newPlants, "loose": newLoose, "numbers": newNumbers,
			}[value]
		case "writes":
			opts.Authorizer = map[string]Authorizer{"nobody": nil, "fails": func(*http.Request, string, schema.Actions) error {
				failing = true
				panic("password is 1234")
			}}[value]
		case "cursors": // see below
		case "errors":
			failing = true
		case "rows":
			key, params, _ := strings.Cut(value, "?")
			restricted[key] = params
		case "token":
			opts.Authorizer = Bearer(value)
		case "scheme":
			opts.Authorizer = Token(value, "s3cret")
		case "reads":
			opts.AuthorizeReads = value == "token"
		case "root":
			opts.Root = value
		case "mount":
			mount = value
		case "base-url":
			opts.BaseURL = value
		case "proxies":
			for prefix := range strings.SplitSeq(value, ",") {
				opts.TrustedProxies = append(opts.TrustedProxies, netip.MustParsePrefix(prefix))
			}
		case "forwarded-prefix":
			opts.ForwardedPrefix = true
		case "drf318":
			zone, err := time.LoadLocation(value)
			must(t, err)
			if value == "" {
				zone = nil
			}
			opts.Framework = schema.DRF318(zone)
		case "forms":
			opts.Forms = true
		case "etags":
			opts.ETags = true
		case "max-limit":
			limits.Max = number
		case "default-limit":
			limits.Default = number
		case "max-body":
			opts.MaxBody = int64(number)
		default:
			t.Fatalf("no setting is called %s", name)
		}
		if strings.HasPrefix(name, "max-") && numberErr != nil {
			t.Fatal(numberErr)
		}
	}
	if opts.Pages = limits; slices.Contains(settings, "cursors") {
		opts.Pages = pagination.Cursors{Limits: limits}
	}
	var served []Collection
	for key, c := range cat(t).All() {
		served = append(served, c)
		if params, ok := restricted[key]; ok {
			served[len(served)-1] = Restrict(c, func(context.Context) (url.Values, error) { return url.ParseQuery(params) })
		}
	}
	handler := newStubHandler(t, opts, served...)
	if mount == "" {
		return handler
	}
	mux := http.NewServeMux()
	must(t, Mount(mux, mount, handler))
	return mux
}

const (
	differencesFile = "differences.txtar"
	differencesPage = "DIFFERENCES.md"
)

// TestDifference has one script for each deliberate difference from Django REST framework.
// DIFFERENCES.md consists of their texts. With BACKLIST_UPDATE it is written.
func TestDifference(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Differences from Django REST framework

The tests replay 6,203 requests recorded from seven services built with Django REST framework 3.14,
and 562 recorded with version 3.18, and compare the responses byte by byte. A Handler differs
deliberately in the points below, and in no others that are known. A row holds for both versions unless it
names one. Each is a test of this package: ` + "`go test -run 'TestDifference/NAME' ./httpapi`" + `,
with the requests in [testdata/differences.txtar](testdata/differences.txtar), from which this
page is written.
`)
	_, parts := rows.Texts(t, differencesFile)
	for _, part := range parts {
		if section, ok := strings.CutPrefix(part.Name, "# "); ok && strings.TrimSpace(part.Data) == "" {
			fmt.Fprintf(&page, "\n## %s\n\n| | a Handler | Django REST framework | why | version |\n|---|---|---|---|---|\n", section)
			continue
		}
		about, script, _ := strings.Cut(part.Data, "\n\n")
		lines := strings.Split(about, "\n")
		row := []string{part.Name}
		for i, label := range []string{"here: ", "framework: ", "why: "} {
			if i >= len(lines) || !strings.HasPrefix(lines[i], label) {
				t.Fatalf("%s: line %d does not begin with %q", part.Name, i+1, label)
			}
			row = append(row, strings.TrimPrefix(lines[i], label))
		}
		version := ""
		if len(lines) > 3 {
			version = strings.TrimPrefix(lines[3], "version: ")
		}
		fmt.Fprintf(&page, "| %s | %s |\n", strings.Join(row, " | "), version)
		t.Run(part.Name, func(t *testing.T) { runScript(t, nil, script) })
	}
	if os.Getenv("BACKLIST_UPDATE") != "" {
		must(t, os.WriteFile(differencesPage, []byte(page.String()), 0o666))
	}
	got, err := os.ReadFile(differencesPage)
	must(t, err)
	equal(t, fmt.Sprintf("%s differs; BACKLIST_UPDATE=1 writes it", differencesPage), page.String(), string(got))
}
