package browse

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

// attacks returns texts that become markup in a page if they are not escaped.
func attacks() []string {
	return []string{
		`<script>pwned()</script>`,
		`"><script>pwned()</script>`,
		`'><img src=x onerror=pwned()>`,
		`" onfocus="pwned()" autofocus="`,
		`</style><script>pwned()</script>`,
		`</textarea><script>pwned()</script>`,
		`</title></pre><svg onload=pwned()>`,
		`<!--<script>pwned()//-->`,
		"`onclick=pwned()`",
		`javascript:pwned()`,
		`https://x.example/"onmouseover="pwned()`,
		`https://x.example/<script>pwned()</script>.png`,
		`{{.Style}}<%= pwned() %>`,
		"\u0000<script>pwned()</script>\u202e\u2066",
		"مرحبا <b>\u202e",
		strings.Repeat("w", 10_000),
	}
}

// checkEscaped checks that a page has no markup except the template's.
func checkEscaped(t *testing.T, page result) {
	t.Helper()
	for _, tag := range page.tags {
		switch strings.TrimPrefix(tag.name, "/") {
		case "script", "img", "svg", "iframe":
			t.Errorf("the page has a <%s>", tag.name)
		}
		for name, value := range tag.attrs {
			if strings.HasPrefix(name, "on") || name == "src" || name == "style" {
				t.Errorf("<%s> has %s=%q", tag.name, name, value)
			}
		}
		if link := tag.attrs["href"]; strings.HasPrefix(strings.ToLower(link), "javascript:") {
			t.Errorf("a link leads to %q", link)
		}
	}
	if strings.Contains(page.body, "<script") || strings.Contains(page.body, "<!--") {
		t.Error("the page has a script or a comment")
	}
}

func TestHostileRecords(t *testing.T) {
	var records []map[string]any
	for i, attack := range attacks() {
		records = append(records, map[string]any{
			"id": i + 1, "title": attack, "text": attack, attack: attack, "list": []any{attack, nil, 1.5}, "nested": []any{map[string]any{attack: []any{attack}}},
			"markup": "<p>" + attack + "</p>", "url": "https://x.example/" + attack, "none": nil, "time": "2026-05-10T18:00:00+02:00" + attack,
		})
	}
	text, err := json.Marshal(map[string]any{"books": records})
	must(t, err)
	h := newHandlers(t, load(t, string(text)), httpapi.Options{})
	got := get(h.browse, "/api/books/")
	if got.status != 200 || len(got.find("tr", "id", "*")) != len(records) {
		t.Fatalf("status %d, %d rows", got.status, len(got.find("tr", "id", "*")))
	}
	checkEscaped(t, got)
	for _, attack := range attacks() {
		// Like a browser, the template replaces U+0000 with U+FFFD.
		if want := strings.Join(strings.Fields(strings.ReplaceAll(attack, "\x00", "\uFFFD")), " "); !strings.Contains(got.text, want[:min(30, len(want))]) {
			t.Errorf("the page does not show %q", want)
		}
	}
}

// Ids may be strings in other implementations of httpapi.Collection.
func TestHostileID(t *testing.T) {
	for _, attack := range attacks() {
		id, _ := json.Marshal(attack)
		h := browsing(t, middleware(t, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"count":1,"next":null,"previous":null,"results":[{"id":%s}]}`, id)
		}), Options{Title: attack})
		checkEscaped(t, get(h, "/api/books/"))
	}
}

func TestHostileRequests(t *testing.T) {
	h := newHandlers(t, load(t, books(50)), httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, attack := range attacks() {
		for _, query := range []string{"", "ordering", "limit", "format", "offset", attack} {
			r := request("GET", "/api/books/", "")
			r.URL.RawQuery = query + "=" + attack
			r.RequestURI = "/api/books/?" + r.URL.RawQuery
			checkEscaped(t, do(h.browse, r))
		}
		r := request("GET", "/api/books/", "")
		r.URL.Path = "/api/" + attack
		r.RequestURI = r.URL.Path
		checkEscaped(t, do(h.browse, r))
		r = request("GET", "/api/books", "")
		r.RequestURI = attack + "/api/books"
		checkEscaped(t, do(h.browse, r))
		r = request("GET", "/api/books/", "")
		r.Host = attack
		checkEscaped(t, do(h.browse, r))
		r = request(http.MethodPut, "/api/books/", "")
		r.Method = attack
		checkEscaped(t, do(h.browse, r))
		body := make([]string, 0, 12)
		for _, name := range []string{"name", "slug", "description", "startDate", "endDate", "published", "poster", "labels", attack} {
			body = append(body, url.QueryEscape(name)+"="+url.QueryEscape(attack))
		}
		page := do(h.browse, formRequest("/api/events/", strings.Join(body, "&")))
		if page.status != 400 {
			t.Errorf("POST of %q: status %d, want 400", attack, page.status)
		}
		checkEscaped(t, page)
	}
}

// Descriptions, records, filters and errors of a program's own collections may be anything,
// except that a description has no control characters.
func TestHostileCollections(t *testing.T) {
	for _, attack := range attacks() {
		attack = strings.ReplaceAll(attack, "\x00", "")
		h := hostileHandler(t, attack)
		query := url.Values{"status": {attack}, "search": {attack}, ordering.Snake(attack): {attack}, "minutes__gte": {"bogus"}}.Encode()
		tests := []struct {
			request *http.Request
			status  int
		}{
			{request("GET", "/api/", ""), 200},
			{request("GET", "/api/films/", ""), 200},
			{request("GET", "/api/films/?search="+url.QueryEscape(attack), ""), 200},
			{request("GET", "/api/films/?"+query, ""), 400},
			{request("GET", "/api/films/?_filter=x&"+query, ""), 303},
			{request("GET", "/api/films/1/", ""), 200},
			{request("GET", "/api/films/1/?_method=DELETE&_list="+url.QueryEscape(attack), "", "Cookie", "backlist-token="+attack), 200},
			{request("GET", "/api/films/1/?_method=PATCH", ""), 200},
			{request("GET", "/api/films/?_method=POST", "", "Cookie", "backlist-done="+base64.RawURLEncoding.EncodeToString([]byte(attack))), 200},
			{request("GET", "/api/films/?_filter=x&"+url.QueryEscape(attack)+"="+url.QueryEscape(attack), ""), 303},
			{formRequest("/api/films/?_method=SIGN-IN&"+query, "token=a+"+url.QueryEscape(attack)), 401},
			{request("GET", "/api/films/"+url.PathEscape(strings.NewReplacer("/", "", ".", "").Replace(attack))+"/", ""), 404},
			{formRequest("/api/films/", query), 400},
			{formRequest("/api/films/1/?_method=PATCH", query), 400},
			{formRequest("/api/films/1/?_method="+url.QueryEscape(attack), query), 405},
		}
		for _, test := range tests {
			page := do(h, test.request)
			if page.status != test.status && page.status != 414 {
				t.Errorf("%.50q: %s %.200s: status %d, want %d", attack, test.request.Method, test.request.RequestURI, page.status, test.status)
			}
			checkEscaped(t, page)
		}
	}
}

// hostileHandler returns a handler for a collection that has the attack wherever it may
// have a text.
func hostileHandler(t *testing.T, attack string) http.Handler {
	t.Helper()
	quoted, _ := json.Marshal(attack)
	snake := ordering.Snake(attack)
	record := make(map[string]json.RawMessage)
	fields := filmFields()
	for i, f := range fields {
		if f.Kind == schema.Choice {
			fields[i].Choices = []string{attack, "x"}
		}
		if f.Name == "title" {
			fields[i].Name = attack
		}
		record[fields[i].Name] = quoted
	}
	about := describe("films", attack, schema.AllActions, fields)
	about.Filters = []string{"status", "status__in", "minutes__gte", "genres", snake, snake + "__icontains"}
	about.Search = []string{snake, "^" + snake}
	films := newShelf(about)
	films.records[1] = record
	films.refuse = schema.FieldErrors{{Field: attack, Messages: []string{attack}}, {Field: "status", Messages: []string{attack}}}
	handler, err := httpapi.NewHandler([]httpapi.Collection{films}, httpapi.Options{Authorizer: httpapi.AllowAll})
	must(t, err)
	return browsing(t, handler, Options{Scheme: "Bearer", OpenAPI: attack})
}

// The number of columns to choose from is limited even if records have no members in common.
func TestManyMembers(t *testing.T) {
	var records []string
	for i := range 200 {
		record := fmt.Sprintf(`{"id":%d`, i+1)
		for j := range 20 {
			record += fmt.Sprintf(`,"m%d_%d":"<b>"`, i, j)
		}
		records = append(records, record+"}")
	}
	h := newHandlers(t, load(t, `{"books":[`+strings.Join(records, ",")+`]}`), httpapi.Options{})
	got := get(h.browse, "/api/books/?limit=200&_columns=m0_7&_columns=m0_1,m199_19")
	if columns, boxes := len(got.find("th", "scope", "col")), len(got.find("input", "type", "checkbox")); columns != 3 || boxes != maxColumns-1 {
		t.Errorf("%d columns of %d, want 3 of %d", columns, boxes, maxColumns-1)
	}
	checkEscaped(t, got)
}

// Whatever the value of a field, a form in which nothing is changed sends that value.
func FuzzUnchangedForm(f *testing.F) {
	for _, attack := range attacks() {
		quoted, _ := json.Marshal(attack)
		f.Add(string(quoted))
		f.Add(`[` + string(quoted) + `,1]`)
	}
	for _, value := range []string{`null`, `true`, `false`, `"false"`, `-1.5e300`, `7.0`, `" a\r\nb\rc\n"`, `"\n"`, `""`, `[]`, `{}`, `"\ud800"`, `[[1],null]`, "[\"\xb5\",1]"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if _, err := schema.ParseRecord([]byte(`{"value":` + value + `}`)); err != nil {
			t.Skip()
		}
		own := newService()
		record := make(map[string]json.RawMessage)
		for _, field := range filmFields() {
			record[field.Name] = json.RawMessage(value)
		}
		own.films.records[1] = record
		own.films.about.Actions &^= schema.PartialUpdate // a PUT sends all values
		h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
		page := changeForm(t, h)
		checkEscaped(t, page)
		page.save(t, h, nil)
		if len(own.films.calls) != 1 {
			t.Fatalf("writes: %.200q", own.films.calls)
		}
		var sent map[string]json.RawMessage
		must(t, json.Unmarshal([]byte(strings.TrimPrefix(own.films.calls[0], "update 1 false ")), &sent))
		if len(sent) != len(record)-2 { // all except id and createdAt
			t.Errorf("sent %d members", len(sent))
		}
		for name, got := range sent {
			if diff := cmp.Diff(decoded(t, value), decoded(t, string(got))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

// decoded returns a JSON value, whose numbers keep their digits.
func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	must(t, decoder.Decode(&value))
	return value
}

// Any JSON value that a record can have results in one cell with a short visible text and no markup.
func FuzzRecord(f *testing.F) {
	for _, attack := range attacks() {
		quoted, _ := json.Marshal(attack)
		f.Add(string(quoted))
		f.Add(`[` + string(quoted) + `,1]`)
		f.Add(`{` + string(quoted) + `:[` + string(quoted) + `]}`)
	}
	for _, value := range []string{`null`, `true`, `-1.5e300`, `"2026-05-10T18:00:00+02:00"`, `"https://x.example/a.png?b=c#d"`, `"<p>a</p>"`, `"<"`, `[[]]`, `"\ud800"`} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if _, err := schema.ParseRecord([]byte(`{"value":` + value + `}`)); err != nil {
			t.Skip()
		}
		h := around(t, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"count":1,"next":null,"previous":null,"results":[{"id":1,"value":%s}]}`, value)
		})
		got := get(h, "/api/books/")
		checkEscaped(t, got)
		cells := got.find("td", "", "")
		if got.status != 200 || len(cells) != 1 || len(got.find("table", "", "")) != 1 {
			t.Fatalf("status %d, %d cells", got.status, len(cells))
		}
		text := strings.TrimSpace(value)
		if c := (&view{browser: &browser{}, c: &collection{}}).show(text, schema.Field{}, 0); len([]rune(c.Text)) > maxSeen+1 {
			t.Errorf("%d visible characters, want at most %d", len([]rune(c.Text)), maxSeen+1)
		}
	})
}

// A body is shown as text, whatever it contains.
func TestHostileBody(t *testing.T) {
	const attack = "</pre></details><script>alert(1)</script>&lt;\x00\"'"
	for _, body := range []string{attack, `{"count":1,"next":null,"previous":null,"results":[{"id":1,"a":"</pre><script>&lt;"}]}`, `{"detail":"</pre><script>"}`} {
		for _, status := range []int{200, 404} {
			h := around(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				w.Write([]byte(body))
			})
			for _, target := range []string{"/api/", "/api/books/"} {
				got := get(h, target)
				if len(got.find("script", "", "")) > 0 || len(got.find("pre", "", "")) != len(got.find("/pre", "", "")) || strings.Contains(got.body, "\x00") {
					t.Errorf("GET %s of %q is\n%s", target, body, got.body)
				}
				if isRoot := target == "/api/" && status == 200 && body != attack; !isRoot && !strings.Contains(got.text, "</pre>") {
					t.Errorf("GET %s of %q does not show the body", target, body)
				}
			}
		}
	}
}
