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

// What browsers send when somebody follows a link.
const (
	chrome  = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"
	firefox = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
)

// load makes a house of JSON, checked once the test is over.
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

// shelf is n books.
func shelf(n int) string {
	var books []string
	for i := range n {
		text, _ := json.Marshal(map[string]int{"id": i + 1})
		books = append(books, string(text))
	}
	return `{"books":[` + strings.Join(books, ",") + `]}`
}

// pair is a handler, and the same for browsers.
type pair struct{ plain, browse http.Handler }

func newPair(t testing.TB, house *catalogue.Catalogue, opts httpapi.Options) pair {
	t.Helper()
	h, err := httpapi.New(house, opts)
	if err != nil {
		t.Fatal(err)
	}
	return pair{h, New(h, Options{})}
}

// request is one of a browser's, unless its header says something else.
func request(method, target, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "host.example"
	r.Header.Set("Accept", chrome)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// posting is what a browser sends of a form.
func posting(target, body string, header ...string) *http.Request {
	header = append([]string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin", "Origin", "http://host.example"}, header...)
	return request("POST", target, body, header...)
}

// shown is a page.
type shown struct {
	status int
	header http.Header
	body   string
	tags   []tag
	text   string // all of it, unescaped, white space collapsed
}

func do(h http.Handler, r *http.Request) shown {
	rec := httptest.NewRecorder()
	rec.Body = new(bytes.Buffer)
	h.ServeHTTP(rec, r)
	s := shown{status: rec.Code, header: rec.Header(), body: rec.Body.String()}
	s.tags, s.text = parse(s.body)
	return s
}

func get(h http.Handler, target string) shown { return do(h, request("GET", target, "")) }

// tag is an element's beginning.
type tag struct {
	name  string
	attrs map[string]string
	text  string // up to the next tag
}

// parse is an HTML tokenizer for pages whose attributes are all quoted, as those
// of the template are. It knows that style has no tags in it.
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

// find gives the tags of a name that have an attribute of a value; a value of *
// is any.
func (s shown) find(name, attr, value string) (found []tag) {
	for _, t := range s.tags {
		got, ok := t.attrs[attr]
		if t.name == name && (attr == "" || ok && (value == "*" || value == got)) {
			found = append(found, t)
		}
	}
	return found
}

// one is the only such tag.
func (s shown) one(t *testing.T, name, attr, value string) tag {
	t.Helper()
	found := s.find(name, attr, value)
	if len(found) != 1 {
		t.Fatalf("%d of <%s %s=%q>, want one in:\n%s", len(found), name, attr, value, s.body)
	}
	return found[0]
}

// links are the targets of all links, by their texts.
func (s shown) links() map[string]string {
	all := make(map[string]string)
	for _, t := range s.find("a", "href", "*") {
		all[strings.TrimSpace(t.text)] = t.attrs["href"]
	}
	return all
}

// follow is a browser's: it resolves a link of the page at target.
func follow(t *testing.T, h http.Handler, target, link string) shown {
	t.Helper()
	at, err := request("GET", target, "").URL.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return get(h, at.RequestURI())
}

// untouched is a body that nobody may read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}
