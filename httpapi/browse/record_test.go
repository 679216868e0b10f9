package browse

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

func TestRecordPage(t *testing.T) {
	h := newHouse().handler(t, httpapi.Options{})
	got := get(h, "/api/films/1/")
	if got.status != 200 || got.one(t, "h1", "", "").text != "Film 1" {
		t.Fatalf("status %d, heading %q", got.status, got.one(t, "h1", "", "").text)
	}
	var labels []string
	for _, th := range got.find("th", "scope", "row") {
		labels = append(labels, th.text)
	}
	want := []string{"ID", "Title", "Synopsis", "Released", "Premiere at", "Minutes", "Rating", "Price", "Status", "Published", "Seen", "Website",
		"Director", "Genres", "Tags", "Extra", "Created at"}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	for _, want := range []string{"Title Nächte & <Tage>", "Released 10 May 2024", "Rating 7.0", "Seen null", "GET /api/films/1/", "HTTP 200 OK"} {
		if !strings.Contains(got.text, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	links := got.links()
	for text, want := range map[string]string{
		"Catalogue": "./../../?format=api",
		"Films":     "../?format=api",
		"2":         "../../directors/2/?format=api",      // the director
		"1":         "../../genres/?format=api&_record=1", // a genre, which has no page
		"Raw JSON":  "?format=json",
		"Delete":    "", // nobody may write
	} {
		if links[text] != want {
			t.Errorf("%s leads to %q, want %q", text, links[text], want)
		}
	}
	if row := do(h, request("GET", "/api/genres/?format=api&_record=1", "")).header.Get("Location"); row != "?format=api&ordering=id#record-1" {
		t.Errorf("the link to the genre leads to %q", row)
	}
	if page := follow(t, h, "/api/films/1/", links["2"]); page.one(t, "h1", "", "").text != "Director 2" {
		t.Errorf("the link to the director leads to %s", page.text)
	}
}

func TestLinksToRecords(t *testing.T) {
	h := newHouse().handler(t, httpapi.Options{})
	page := get(h, "/api/films/")
	for _, target := range []string{"./1/?format=api", "../directors/2/?format=api", "../genres/?format=api&_record=3"} {
		page.one(t, "a", "href", target)
	}
	if page := follow(t, h, "/api/films/", "./1/?format=api"); page.one(t, "h1", "", "").text != "Film 1" {
		t.Errorf("the link to the record leads to %s", page.text)
	}
	if link, ok := get(h, "/api/genres/").links()["1"]; ok {
		t.Errorf("a record without a page has the link %q", link)
	}
}

func TestRecordPaths(t *testing.T) {
	h := newHouse().handler(t, httpapi.Options{})
	tests := []struct {
		reason, target string
		status         int
		heading        string
	}{
		{"id with a sign", "/api/films/+1/", 200, "Film 1"},
		{"id with zeros", "/api/films/001/", 200, "Film 1"},
		{"id with white space", "/api/films/%201%0A/", 200, "Film 1"},
		{"other format", "/api/films/1/?format=api", 200, "Film 1"},
		{"no such record", "/api/films/9/", 404, "404 Not Found"},
		{"not a number", "/api/films/%3Cb%3E/", 404, "404 Not Found"},
		{"id with a point", "/api/films/1.0/", 404, "404 Not Found"},
		{"records without pages", "/api/genres/1/", 404, "404 Not Found"},
		{"path below a record", "/api/films/1/x/", 404, "404 Not Found"},
		{"missing slash", "/api/films/1", 301, "301 Moved Permanently"},
		{"the filter is not valid", "/api/films/1/?status=bogus", 400, "400 Bad Request"},
	}
	for _, test := range tests {
		got := get(h, test.target)
		if heading := got.one(t, "h1", "", "").text; got.status != test.status || heading != test.heading {
			t.Errorf("%s: %d %q, want %d %q", test.reason, got.status, heading, test.status, test.heading)
		}
		if got := do(h, request("HEAD", test.target, "")); got.status != test.status || got.body != "" {
			t.Errorf("%s: HEAD: %d and %d bytes", test.reason, got.status, len(got.body))
		}
	}
}

func TestCellsWithLinks(t *testing.T) {
	many := "[" + strings.Repeat("1,", maxLinks) + "1]"
	tests := []struct {
		reason, value string
		want          []string
	}{
		{"id", `7`, []string{"../x/7/?format=api"}},
		{"list of ids", `[7,8]`, []string{"../x/7/?format=api", "../x/8/?format=api"}},
		{"null", `null`, nil},
		{"empty list", `[]`, nil},
		{"too many ids", many, nil},
		{"as many ids as possible", many[:len(many)-3] + "]", slices.Repeat([]string{"../x/1/?format=api"}, maxLinks)},
		{"zero", `0`, nil},
		{"negative id in a list", `[7,-8]`, nil},
		{"text", `"7"`, nil},
		{"path", `"../../evil"`, nil},
		{"fraction", `7.5`, nil},
		{"list of mixed values", `[7,null,"x"]`, nil},
		{"object", `{"id":7}`, nil},
		{"too large", `99999999999999999999`, nil},
	}
	for _, test := range tests {
		got := links{"ref": pageTarget("../x/")}.cell(member{"ref", []byte(test.value)})
		var targets []string
		tags, _ := parse(string(got.Links))
		for _, tag := range (result{tags: tags}).find("a", "href", "*") {
			targets = append(targets, tag.attrs["href"])
		}
		if diff := cmp.Diff(test.want, targets); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if (got.Text == "") != (test.want != nil) {
			t.Errorf("%s: the text is %q", test.reason, got.Text)
		}
	}
}

// The pages follow the root of the handler and its prefix.
func TestOtherRoots(t *testing.T) {
	for _, root := range []string{"/v1/", "/", "/a/b/"} {
		for _, prefix := range []string{"", "/shop"} {
			mux := http.NewServeMux()
			h := newHouse().handler(t, httpapi.Options{Root: root, Authorizer: httpapi.AllowAll})
			if err := httpapi.Mount(mux, prefix, h); err != nil {
				t.Fatal(err)
			}
			at := prefix + root
			page := get(mux, at)
			if page.status != 200 || !strings.Contains(page.text, "3 collections") || !strings.Contains(page.text, "Films 1 records") {
				t.Errorf("GET %s: %d %s", at, page.status, page.text)
			}
			for _, step := range []struct{ target, link, heading string }{
				{at, page.links()["Films"], "Films"},
				{at + "films/", "./1/?format=api", "Film 1"},
				{at + "films/1/", get(mux, at+"films/1/").links()["Catalogue"], "Catalogue"},
				{at + "films/", get(mux, at+"films/").links()["Catalogue"], "Catalogue"},
				{at + "none/x", get(mux, at+"none/x").links()["Catalogue"], "Catalogue"},
			} {
				if page := follow(t, mux, step.target, step.link); page.status != 200 || page.one(t, "h1", "", "").text != step.heading {
					t.Errorf("%s: link %q leads to %d %s, want %s", step.target, step.link, page.status, page.one(t, "h1", "", "").text, step.heading)
				}
			}
		}
	}
}

// Middleware that hides the collections of a handler is an error. Middleware that embeds the
// handler shows them.
func TestNewErrors(t *testing.T) {
	plain, err := httpapi.NewHandler(map[string]httpapi.Collection{"films": newHouse().films}, httpapi.Options{Root: "/v1/"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason string
		h      http.Handler
		want   string // part of the error, or "" if there is none
	}{
		{"the handler itself", plain, ""},
		{"middleware that embeds it", wrapped{plain, plain.ServeHTTP}, ""},
		{"middleware that hides it", http.HandlerFunc(plain.ServeHTTP), "http.HandlerFunc does not have the methods Origin, Root and Served"},
		{"a prefix is stripped inside", http.StripPrefix("/shop", plain), "wrap the handler that New returns"},
		{"no handler", nil, "<nil> does not have the methods"},
	}
	for _, test := range tests {
		h, err := New(test.h, Options{})
		if test.want != "" {
			if h != nil || !errors.Is(err, httpapi.ErrInvalidConfig) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want an error with %q", test.reason, err, test.want)
			}
			continue
		}
		if err != nil || h.(interface{ Root() string }).Root() != "/v1/" {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		if got := get(h, "/v1/films/1/"); got.one(t, "h1", "", "").text != "Film 1" {
			t.Errorf("%s: %s", test.reason, got.text)
		}
	}
}
