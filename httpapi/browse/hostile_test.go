package browse

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
)

// attacks are texts that become markup in a page which forgets to escape them
// somewhere.
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

// harmless checks that a page has no markup but the template's, which has none of
// these.
func harmless(t *testing.T, page shown) {
	t.Helper()
	for _, tag := range page.tags {
		switch strings.TrimPrefix(tag.name, "/") {
		case "script", "img", "svg", "iframe":
			t.Errorf("there is a <%s>", tag.name)
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
			"id": i + 1, "text": attack, attack: attack, "list": []any{attack, nil, 1.5}, "nested": []any{map[string]any{attack: []any{attack}}},
			"markup": "<p>" + attack + "</p>", "url": "https://x.example/" + attack, "none": nil, "time": "2026-05-10T18:00:00+02:00" + attack,
		})
	}
	text, err := json.Marshal(map[string]any{"books": records})
	if err != nil {
		t.Fatal(err)
	}
	p := newPair(t, load(t, string(text)), httpapi.Options{})
	got := get(p.browse, "/api/books/")
	if got.status != 200 || len(got.find("tr", "id", "*")) != len(records) {
		t.Fatalf("%d, %d rows", got.status, len(got.find("tr", "id", "*")))
	}
	harmless(t, got)
	for _, attack := range attacks() {
		// A browser reads U+0000 as U+FFFD, and so does the template.
		if want := strings.Join(strings.Fields(strings.ReplaceAll(attack, "\x00", "\uFFFD")), " "); !strings.Contains(got.text, want) {
			t.Errorf("%q is not to be read", want)
		}
	}
}

// Ids of a user's own records may be texts.
func TestHostileID(t *testing.T) {
	for _, attack := range attacks() {
		id, _ := json.Marshal(attack)
		h := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"count":1,"next":null,"previous":null,"results":[{"id":%s}]}`, id)
		}), Options{Title: attack})
		harmless(t, get(h, "/api/books/"))
	}
}

func TestHostileRequests(t *testing.T) {
	p := newPair(t, load(t, shelf(50)), httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, attack := range attacks() {
		for _, query := range []string{"", "ordering", "limit", "format", "offset", attack} {
			r := request("GET", "/api/books/", "")
			r.URL.RawQuery = query + "=" + attack
			r.RequestURI = "/api/books/?" + r.URL.RawQuery
			harmless(t, do(p.browse, r))
		}
		r := request("GET", "/api/books/", "")
		r.URL.Path = "/api/" + attack
		r.RequestURI = r.URL.Path
		harmless(t, do(p.browse, r))
		r = request("GET", "/api/books", "")
		r.RequestURI = attack + "/api/books"
		harmless(t, do(p.browse, r))
		r = request("GET", "/api/books/", "")
		r.Host = attack
		harmless(t, do(p.browse, r))
		r = request(http.MethodPut, "/api/books/", "")
		r.Method = attack
		harmless(t, do(p.browse, r))
		body := make([]string, 0, 12)
		for _, name := range []string{"name", "slug", "description", "startDate", "endDate", "published", "poster", "labels", attack} {
			body = append(body, urlEscape(name)+"="+urlEscape(attack))
		}
		page := do(p.browse, posting("/api/events/", strings.Join(body, "&")))
		if page.status != 400 {
			t.Errorf("%q was posted: %d", attack, page.status)
		}
		harmless(t, page)
	}
}

// What a handler says in its headers is shown, too.
func TestHostileHeaders(t *testing.T) {
	for _, attack := range attacks() {
		h := New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["X-"+attack] = []string{attack}
			w.Header()["Location"] = []string{attack}
			w.WriteHeader(http.StatusMovedPermanently)
		}), Options{})
		harmless(t, get(h, "/api/books"))
	}
}

// A thousand records that share no member would make a million columns.
func TestManyMembers(t *testing.T) {
	var records []string
	for i := range 200 {
		record := fmt.Sprintf(`{"id":%d`, i+1)
		for j := range 20 {
			record += fmt.Sprintf(`,"m%d_%d":"<b>"`, i, j)
		}
		records = append(records, record+"}")
	}
	p := newPair(t, load(t, `{"books":[`+strings.Join(records, ",")+`]}`), httpapi.Options{})
	got := get(p.browse, "/api/books/?limit=200")
	if columns := len(got.find("th", "scope", "col")); columns != maxColumns+1 {
		t.Errorf("%d columns, want %d", columns, maxColumns+1)
	}
	if !strings.Contains(got.text, `"m199_19": "<b>"`) {
		t.Error("a member beyond the columns is not to be read")
	}
	harmless(t, got)
}
