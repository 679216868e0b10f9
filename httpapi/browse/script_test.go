package browse

import (
	"bufio"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/rows"
)

// scriptServers returns the servers that scripts name. Those of films count the writes of the
// shelf that they also return.
func scriptServers(t *testing.T) map[string]func() (http.Handler, *shelf) {
	protection := http.NewCrossOriginProtection()
	must(t, protection.AddTrustedOrigin("https://app.example"))
	documented := func(records string, authorizer httpapi.Authorizer) func() (http.Handler, *shelf) {
		return func() (http.Handler, *shelf) {
			return newHandlers(t, load(t, records), httpapi.Options{Authorizer: authorizer}).browse, nil
		}
	}
	films := func(opts httpapi.Options, pages Options, refuse error) func() (http.Handler, *shelf) {
		return func() (http.Handler, *shelf) {
			own := newService()
			own.films.refuse = refuse
			h, err := httpapi.NewHandler([]httpapi.Collection{own.directors, own.films, own.genres}, opts)
			must(t, err)
			return browsing(t, h, pages), own.films
		}
	}
	token := httpapi.Options{Authorizer: httpapi.Bearer("secret")}
	proxies := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // of httptest.NewRequest
	everybody := httpapi.Options{Authorizer: httpapi.AllowAll}
	return map[string]func() (http.Handler, *shelf){
		"films":                   films(everybody, Options{}, nil),
		"films, nobody may write": films(httpapi.Options{}, Options{}, nil),
		"films, with sign-in":     films(token, Options{Scheme: "Bearer"}, nil),
		"films, with sign-in, below /shop": func() (http.Handler, *shelf) {
			h, s := films(token, Options{Scheme: "Bearer"}, nil)()
			return http.StripPrefix("/shop", h), s
		},
		"films, with sign-in, behind a proxy": films(httpapi.Options{Authorizer: token.Authorizer, TrustedProxies: proxies, ForwardedPrefix: true}, Options{Scheme: "Bearer"}, nil),
		"films, with sign-in to read":         films(httpapi.Options{Authorizer: token.Authorizer, AuthorizeReads: true}, Options{Scheme: "Bearer"}, nil),
		"films, with sign-in, at https":       films(httpapi.Options{Authorizer: token.Authorizer, BaseURL: "https://shop.example/our"}, Options{Scheme: "Bearer"}, nil),
		"films, with a token":                 films(token, Options{}, nil),
		"films, referenced by copy 4":         films(everybody, Options{}, fmt.Errorf("%w: %w", catalogue.ErrReferenced, catalogue.Violations{{Collection: "copies", Identity: schema.Identity{ID: 4}, Field: "film", Err: catalogue.ErrDangling}})),
		"films, deleted meanwhile":            films(everybody, Options{}, catalogue.ErrNotFound),
		"films, in conflict":                  films(everybody, Options{}, httpapi.ErrConflict),
		"films, failing":                      films(everybody, Options{}, http.ErrBodyNotAllowed),
		"films, at https://shop.example/our":  films(httpapi.Options{Authorizer: httpapi.AllowAll, BaseURL: "https://shop.example/our"}, Options{}, nil),
		"films, behind a proxy":               films(httpapi.Options{Authorizer: httpapi.AllowAll, TrustedProxies: proxies, ForwardedPrefix: true}, Options{}, nil),
		"films, trusting https://app.example": films(everybody, Options{CrossOrigin: protection}, nil),
		"a book":                              documented(`{"books":[{"name":"a","id":1,"price":"1.50","pages":7,"unitPrice":"2"}]}`, nil),
		"3 books in other columns":            documented(`{"books":[{"name":"n1","id":1,"pages":7},{"pages":8,"id":2,"name":"n2"},{"id":3,"pages":9}]}`, nil),
		"1,234 books":                         documented(books(1234), nil),
		"500 books":                           documented(books(500), nil),
		"300 books":                           documented(books(300), nil),
		"50 books":                            documented(books(50), nil),
		"notes":                               func() (http.Handler, *shelf) { h, _ := notePages(t, threeNames); return h, nil },
		"two directors":                       func() (http.Handler, *shelf) { h, _ := filmPages(t, twoDirectors, httpapi.Options{}); return h, nil },
		"3 events":                            documented(threeEvents, nil),
		"a sale of a book":                    documented(`{"books":[{"id":7,"name":"Rope"}],"bookshop-sales":[{"id":1,"book":7,"quantity":7}]}`, nil),
		"2 authors":                           documented(twoAuthors, httpapi.AllowAll),
		"2 authors, nobody may write":         documented(twoAuthors, nil),
		"2 authors, with a token":             documented(twoAuthors, httpapi.Bearer("secret")),
	}
}

// TestScripts sends the requests in testdata/*.txtar. The comment of the first file says how a
// script is written.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	servers := scriptServers(t)
	for _, file := range files {
		_, sections := rows.Texts(t, filepath.Base(file))
		for _, s := range sections {
			t.Run(filepath.Base(file)+"/"+s.Name, func(t *testing.T) { runScript(t, servers, s.Data) })
		}
	}
}

// runScript sends one request and checks what is expected of its response.
func runScript(t *testing.T, servers map[string]func() (http.Handler, *shelf), section string) {
	sent, expected, ok := strings.Cut(section, "\n=> ")
	lines := strings.Split(sent, "\n")
	name, ok2 := strings.CutPrefix(lines[0], "server: ")
	serve := servers[name]
	if !ok || !ok2 || serve == nil {
		t.Fatalf("a section begins with the name of a server, and has a line with =>:\n%s", section)
	}
	handler, films := serve()
	method, target, _ := strings.Cut(lines[1], " ")
	header, body, _ := strings.Cut("\n"+strings.Join(lines[2:], "\n")+"\n", "\n\n")
	r := request(method, target, strings.TrimSuffix(body, "\n"))
	if method == "FORM" {
		r = formRequest(target, strings.TrimSuffix(body, "\n"))
	}
	given := http.Header{}
	for line := range strings.SplitSeq(strings.TrimSpace(header), "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			given.Add(name, value)
			r.Header[http.CanonicalHeaderKey(name)] = given.Values(name)
		} else if name, ok := strings.CutSuffix(line, ":"); ok {
			r.Header.Del(name)
		}
	}
	got := do(handler, r)
	if method == http.MethodGet { // a HEAD has the same header, as RFC 9110, section 9.3.2 requires
		r.Method = http.MethodHead
		head := do(handler, r)
		if diff := cmp.Diff(got.header, head.header); diff != "" || head.status != got.status || head.body != "" {
			t.Errorf("HEAD: status %d, %d bytes, header (-GET +HEAD):\n%s", head.status, len(head.body), diff)
		}
	}
	if strings.HasPrefix(got.header.Get("Content-Type"), "text/html") && got.body != "" && got.status != http.StatusMovedPermanently {
		checkAccessible(t, got)
	}
	scan := bufio.NewScanner(strings.NewReader(expected))
	for first := true; scan.Scan(); first = false {
		line := scan.Text()
		if first {
			line = "status: " + line
		}
		name, want, ok := strings.Cut(strings.TrimSuffix(line, ":")+": ", ": ")
		want = strings.TrimSuffix(want, ": ")
		if !ok || line == "" {
			continue
		}
		if value := got.seen(name, want, films); value != want {
			t.Errorf("%s: got %q, want %q, on the page\n%s", name, value, want, got.text)
		}
	}
}

// seen returns what a line of a script is compared with.
func (res result) seen(name, want string, films *shelf) string {
	switch name {
	case "status":
		return strconv.Itoa(res.status)
	case "body":
		return res.body
	case "h1":
		if h1 := res.find("h1", "", ""); len(h1) == 1 {
			return h1[0].text
		}
		return ""
	case "shows":
		if strings.Contains(res.text, want) {
			return want
		}
		return ""
	case "hides":
		if !strings.Contains(res.text, want) {
			return want
		}
		return "shown"
	case "rows":
		return strconv.Itoa(len(res.find("tr", "id", "*")))
	case "columns":
		return strings.Join(res.headers(), " ")
	case "fields":
		return strings.Join(texts(res.find("th", "scope", "row")), ", ")
	case "search":
		if input := res.find("input", "name", "search"); len(input) == 1 {
			return input[0].attrs["value"]
		}
		return "none"
	case "lead":
		return strings.Join(texts(res.find("p", "class", "lead")), ", ")
	case "forms":
		return strconv.Itoa(len(res.find("form", "method", "post")))
	case "writes":
		return strconv.Itoa(len(films.calls))
	case "open":
		return strconv.FormatBool(res.isOpen("exchange"))
	}
	if text, ok := strings.CutPrefix(name, "link "); ok {
		return res.links()[text]
	}
	return strings.Join(res.header.Values(name), ", ")
}

func texts(tags []tag) (all []string) {
	for _, t := range tags {
		all = append(all, t.text)
	}
	return all
}

// headers returns the texts of the header, each with its arrow.
func (res result) headers() []string {
	var all []string
	inHead := false
	for _, tag := range res.tags {
		switch {
		case tag.name == "th" && tag.attrs["scope"] == "col":
			inHead = true
			all = append(all, "")
		case tag.name == "/th":
			inHead = false
		}
		if inHead {
			all[len(all)-1] += tag.text
		}
	}
	return all
}

// isOpen reports whether the contents of the details of a class are visible.
func (res result) isOpen(class string) bool {
	found := res.find("details", "class", class)
	return len(found) == 1 && slices.Contains(slices.Collect(maps.Keys(found[0].attrs)), "open")
}
