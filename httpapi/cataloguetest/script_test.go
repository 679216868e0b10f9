package cataloguetest

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi/internal/rows"
)

// forEachSection runs a test for each section of a script.
func forEachSection(t *testing.T, file string, test func(t *testing.T, section string)) {
	t.Helper()
	_, sections := rows.Texts(t, file)
	for _, s := range sections {
		t.Run(s.Name, func(t *testing.T) { test(t, s.Data) })
	}
}

// TestFaults sends the requests in testdata/faults.txtar, whose comment says how it is written.
func TestFaults(t *testing.T) { forEachSection(t, "faults.txtar", runScript) }

// parseFault returns the fault that a script names, and its arguments.
func parseFault(t *testing.T, text string) Fault {
	t.Helper()
	name, all, _ := strings.Cut(text, " ")
	first, rest, _ := strings.Cut(all, " ")
	n, _ := strconv.Atoi(first)
	switch name {
	case "Status":
		return Status(n, rest)
	case "Header":
		return Header(strings.TrimSuffix(first, ":"), rest)
	case "ResetAfter":
		return ResetAfter(n)
	case "Truncate":
		return Truncate(n)
	}
	fault, ok := map[string]func() Fault{
		"ResetConnection": ResetConnection, "NextIsSelf": NextIsSelf, "MissingRow": MissingRow, "RepeatedRow": RepeatedRow,
		"Page": func() Fault {
			return Page(map[string]func(*http.Request, *envelope){
				"next leads to another host": nextHost,
				"count less one":             fewer,
				"no records":                 func(_ *http.Request, page *envelope) { page.Records = nil },
				"next is the request":        func(r *http.Request, page *envelope) { page.Next = r.URL.RequestURI() },
				"invalid record":             func(_ *http.Request, page *envelope) { page.Records[0] = []byte("{") },
			}[all])
		},
	}[name]
	if !ok {
		t.Fatalf("unknown fault %q", text)
	}
	return fault()
}

// runScript injects the faults of a section, sends its request and checks the response.
func runScript(t *testing.T, section string) {
	server, _ := serveFaults(t, true)
	sent, expected, _ := strings.Cut(section, "\n=> ")
	sent, body, _ := strings.Cut(sent, "\n\n")
	var first *Injection
	var r *http.Request
	for line := range strings.SplitSeq(sent, "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch method, path, _ := strings.Cut(line, " "); {
		case name == "fault":
			i := server.Inject(Match{}, parseFault(t, value))
			defer i.Remove()
			if first == nil {
				first = i
			}
		case r == nil:
			var err error
			if r, err = http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body)); err != nil {
				t.Fatal(err)
			}
			if r.Close = true; body != "" {
				r.Header.Set("Content-Type", "application/json")
			}
		default:
			r.Header[name] = []string{value}
		}
	}
	got, header := send(server, r)
	changed := 1
	conditions, body, _ := strings.Cut(strings.TrimRight(expected, "\n"), "\n\n")
	lines := strings.Split(conditions, "\n")
	want := view{Length: int64(len(body)), Body: body}
	status, contentType, _ := strings.Cut(lines[0], " ")
	if err, ok := strings.CutPrefix(contentType, "response: "); ok {
		want = view{Err: err}
	} else {
		want.Status, _ = strconv.Atoi(status)
		want.Type = contentType
	}
	if strings.Contains(got.Body, "HOST") || got.Err != "" { // other lengths
		want.Length = got.Length
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		n, _ := strconv.Atoi(value)
		switch name {
		case "length":
			want.Length = int64(n)
		case "error":
			want.Err = value
		case "changed":
			changed = n
		case "contains", "lacks":
			if strings.Contains(got.Body, value) != (name == "contains") {
				t.Errorf("%s:\n%s", line, got.Body)
			}
			want.Length, want.Body = got.Length, got.Body
		case "events":
			if stored := eventsOf(server.Catalogue).Count(); stored != n {
				t.Errorf("%d events are stored, want %d", stored, n)
			}
		default:
			if _, there := header[name]; header.Get(name) != value || there != (value != "") {
				t.Errorf("%s: %q, want %q", name, header[name], value)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := first.Count(); n != changed {
		t.Errorf("Count() = %d, want %d", n, changed)
	}
	for _, e := range server.Exchanges() {
		if diff := cmp.Diff(r.Header["Accept"], e.Header["Accept"]); diff != "" {
			t.Errorf("Accept in the log (-want +got):\n%s", diff)
		}
	}
	if r.Method == http.MethodGet {
		want.Body = ""
		if want.Status != 0 {
			want.Err = ""
		}
		if want.Status == http.StatusNoContent { // which has no Content-Length
			want.Length = -1
		}
		r.Method = http.MethodHead
		head, _ := send(server, r)
		if diff := cmp.Diff(want, head); diff != "" {
			t.Errorf("HEAD (-want +got):\n%s", diff)
		}
	}
	if err := server.Catalogue.Check(); err != nil {
		t.Error(err)
	}
}

// A view is what a client of net/http sees of a response.
type view struct {
	Status int
	Type   string // Content-Type
	Length int64  // ContentLength
	Body   string // with HOST for the host of the server
	Err    string // of the request or of reading the body
}

// send sends a request, and also returns the header of its response.
func send(server *Server, r *http.Request) (view, http.Header) {
	resp, err := server.Client.Do(r)
	if err != nil {
		return view{Err: innermost(err)}, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	text := strings.ReplaceAll(string(body), strings.TrimPrefix(server.URL, "http://"), "HOST")
	return view{resp.StatusCode, resp.Header.Get("Content-Type"), resp.ContentLength, text, innermost(err)}, resp.Header
}

func innermost(err error) string {
	for err != nil {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
	return ""
}

// nextHost makes the next link of a page lead to another host.
func nextHost(_ *http.Request, page *envelope) {
	if _, rest, ok := strings.Cut(page.Next, "/api/"); ok {
		page.Next = "http://elsewhere.example/api/" + rest
	}
}

// fewer makes the count of a page less than it is.
func fewer(_ *http.Request, page *envelope) { page.Count-- }
