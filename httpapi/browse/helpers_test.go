package browse

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// The Accept headers of browsers that follow a link.
const (
	chrome  = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"
	firefox = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
)

// load returns a catalogue loaded from JSON. It is checked at the end of the test.
func load(t testing.TB, text string) *catalogue.Catalogue {
	t.Helper()
	house := catalogue.New()
	if err := house.Load(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	})
	return house
}

// books returns the JSON of a catalogue with n books.
func books(n int) string {
	var records []string
	for i := range n {
		text, _ := json.Marshal(map[string]int{"id": i + 1})
		records = append(records, string(text))
	}
	return `{"books":[` + strings.Join(records, ",") + `]}`
}

// handlers holds the same handler without and with package browse.
type handlers struct{ plain, browse http.Handler }

func newHandlers(t testing.TB, house *catalogue.Catalogue, opts httpapi.Options) handlers {
	t.Helper()
	h, err := httpapi.New(house, opts)
	if err != nil {
		t.Fatal(err)
	}
	return handlers{h, browsing(t, h, Options{})}
}

// browsing returns the handler of New.
func browsing(t testing.TB, h http.Handler, opts Options) http.Handler {
	t.Helper()
	b, err := New(h, opts)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// around returns the pages of the documented collections with the responses of serve.
func around(t testing.TB, serve http.HandlerFunc) http.Handler {
	t.Helper()
	return browsing(t, middleware(t, serve), Options{})
}

// middleware returns a handler of the documented collections that responds with serve.
func middleware(t testing.TB, serve http.HandlerFunc) http.Handler {
	t.Helper()
	h, err := httpapi.New(catalogue.New(), httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return wrapped{h, serve}
}

// wrapped is middleware that embeds the handler that it wraps.
type wrapped struct {
	*httpapi.Handler
	serve http.HandlerFunc
}

func (w wrapped) ServeHTTP(rw http.ResponseWriter, r *http.Request) { w.serve(rw, r) }

// request returns a request of a browser, with additional headers.
func request(method, target, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "host.example"
	r.Header.Set("Accept", chrome)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// formRequest returns the request of a browser that posts a form.
func formRequest(target, body string, header ...string) *http.Request {
	header = append([]string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin", "Origin", "http://host.example"}, header...)
	return request("POST", target, body, header...)
}

// result is a response, parsed as HTML.
type result struct {
	status int
	header http.Header
	body   string
	tags   []tag
	text   string // unescaped, with white space collapsed
}

func do(h http.Handler, r *http.Request) result {
	rec := httptest.NewRecorder()
	rec.Body = new(bytes.Buffer)
	h.ServeHTTP(rec, r)
	res := result{status: rec.Code, header: rec.Header(), body: rec.Body.String()}
	res.tags, res.text = parse(res.body)
	return res
}

func get(h http.Handler, target string) result { return do(h, request("GET", target, "")) }

// tag is a start or end tag.
type tag struct {
	name  string
	attrs map[string]string
	text  string // up to the next tag
}

// parse tokenizes HTML. All attribute values must be quoted, as in the template.
func parse(page string) (tags []tag, text string) {
	var all strings.Builder
	for page != "" {
		before, rest, ok := strings.Cut(page, "<")
		before = html.UnescapeString(before)
		all.WriteString(before)
		if len(tags) > 0 {
			tags[len(tags)-1].text += before
		}
		if !ok {
			break
		}
		t := tag{attrs: make(map[string]string)}
		end := strings.IndexAny(rest, " \n>")
		t.name, rest = rest[:end], rest[end:]
		for {
			rest = strings.TrimLeft(rest, " \n")
			if rest[0] == '>' {
				rest = rest[1:]
				break
			}
			end := strings.IndexAny(rest, "= >\n")
			name := rest[:end]
			rest = rest[end:]
			value := ""
			if strings.HasPrefix(rest, `="`) {
				value, rest, _ = strings.Cut(rest[2:], `"`)
			}
			t.attrs[name] = html.UnescapeString(value)
		}
		if t.name == "style" {
			_, rest, _ = strings.Cut(rest, "</style>")
		}
		tags = append(tags, t)
		page = rest
	}
	return tags, strings.Join(strings.Fields(all.String()), " ")
}

// find returns the tags with the given name and attribute. The value "*" matches any
// value, and an empty attr any tag.
func (res result) find(name, attr, value string) (found []tag) {
	for _, t := range res.tags {
		got, ok := t.attrs[attr]
		if t.name == name && (attr == "" || ok && (value == "*" || value == got)) {
			found = append(found, t)
		}
	}
	return found
}

// one returns the only such tag.
func (res result) one(t *testing.T, name, attr, value string) tag {
	t.Helper()
	found := res.find(name, attr, value)
	if len(found) != 1 {
		t.Fatalf("%d tags <%s %s=%q>, want 1, in:\n%s", len(found), name, attr, value, res.body)
	}
	return found[0]
}

// links returns the targets of all links by their texts.
func (res result) links() map[string]string {
	all := make(map[string]string)
	for _, t := range res.find("a", "href", "*") {
		all[strings.TrimSpace(t.text)] = t.attrs["href"]
	}
	return all
}

// follow requests a link of the page at target.
func follow(t *testing.T, h http.Handler, target, link string) result {
	t.Helper()
	at, err := request("GET", target, "").URL.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return get(h, at.RequestURI())
}

// unreadBody is a body that must not be read.
type unreadBody struct{ t *testing.T }

func (u unreadBody) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}
