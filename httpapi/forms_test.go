package httpapi

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

const (
	encoded   = "application/x-www-form-urlencoded"
	multipart = "multipart/form-data; boundary=B"
)

// parts returns a multipart body with the boundary B of names and values.
func parts(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "--B\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n", pairs[i], pairs[i+1])
	}
	return b.String() + "--B--\r\n"
}

// TestForms sends forms. What the framework answers to most kinds is in the vectors of
// examples/rota; here are kinds that those collections do not have, and bounds.
func TestForms(t *testing.T) {
	for _, test := range []struct {
		reason, method, target, contentType, body string
		want                                      string // status, and the body or a part of it
	}{
		{"a JSON field has JSON", "PATCH", "notes/1/", encoded, `data={"a":[1]}`, `200 "data":{"a":[1]}`},
		{"JSON with a mistake is reported with other errors", "PATCH", "notes/1/", encoded, `data={"a":&count=x`,
			`400 {"count":["A valid integer is required."],"data":["Value must be valid JSON."]}`},
		{"an object and a list of any values", "POST", "notes/", encoded, "label=n&tags=a&tags=b&size.w=3&pair=[1,2]",
			`201 "tags":["a","b"],"count":0,"label":"n","size":{"w":3},"pair":[1,2]`},
		{"an object whose member is invalid", "POST", "notes/", multipart, parts("label", "n", "tags", "a", "size.w", "x"),
			`400 {"size":{"w":["A valid integer is required."]}}`},
		{"indexes in their order", "POST", "notes/", multipart, parts("label", "n", "tags[10]", "c", "tags[9]", "b", "tags[-]", "x", "size.w", "1"),
			`201 "tags":["b","c"]`},
		{"a huge index is no size", "POST", "notes/", encoded, "label=n&tags[999999999999]=b&tags[99999999999999999999]=c&size.w=1", `201 "tags":["b"]`},
		{"a file in a list", "POST", "notes/", multipart, strings.Replace(parts("tags", "a", "label", "n", "size.w", "1"), `"tags"`, `"tags"; filename="f"`, 1),
			`400 {"tags":{"0":["Not a valid string."]}}`},
		{"1000 values", "POST", "notes/", encoded, strings.Repeat("tags=a&", 1000), "400 size"},
		{"1001 values", "POST", "notes/", encoded, strings.Repeat("tags=a&", 1000) + "tags=a", `400 {"detail":"Too many values in a form: at most 1000 are allowed."}`},
		{"1001 parts", "POST", "notes/", multipart, strings.Repeat(parts("a", "b"), 1001), `400 {"detail":"Too many values in a form: at most 1000 are allowed."}`},
		{"a large body", "POST", "notes/", encoded, strings.Repeat("a", 1<<20+1), `413 {"detail":"The body of the request is larger than 1048576 bytes."}`},
		{"a large body as JSON", "PATCH", "notes/1/", encoded, "label=" + strings.Repeat("%01", 200_000), `413 {"detail":"The body of the request is larger than 1048576 bytes."}`},
		{"a part in base64", "PATCH", "notes/1/", multipart, strings.Replace(parts("count", "Nw=="), "\r\n\r\n", "\r\nContent-Transfer-Encoding: base64\r\n\r\n", 1), `200 "count":7`},
		{"a type in capitals", "PATCH", "notes/1/", "Multipart/Form-Data; Boundary=B", parts("count", "7"), `200 "count":7`},
		{"a boundary beyond ASCII", "PATCH", "notes/1/", "multipart/form-data; boundary=é", "x",
			`400 {"detail":"Multipart form parse error - Invalid non-ASCII Content-Type in multipart: multipart/form-data; boundary=Ã©"}`},
		{"a boundary that is too long", "PATCH", "notes/1/", "multipart/form-data; boundary=" + strings.Repeat("b", 202), "x", "400 Invalid boundary in multipart: bbb"},
		{"another type", "PATCH", "notes/1/", "text/plain", "count=7", `415 {"detail":"Unsupported media type \"text/plain\" in request."}`},
		{"the types of bodies", "OPTIONS", "notes/", "", "", `200 "parses":["application/json","application/x-www-form-urlencoded","multipart/form-data"],"actions"`},
		{"those of the root", "OPTIONS", "", "", "", `200 "parses":["application/json","application/x-www-form-urlencoded","multipart/form-data"]}`},
	} {
		h := mustHandler(t, newSmallCatalogue(t), Options{Authorizer: AllowAll, Forms: true})
		got := call{method: test.method, target: "/api/" + test.target, body: test.body, header: http.Header{"Content-Type": {test.contentType}}}.do(h)
		status, text, _ := strings.Cut(test.want, " ")
		if fmt.Sprint(got.Status) != status || !strings.Contains(got.Body, text) {
			t.Errorf("%s: %d %.300s\nwant %s", test.reason, got.Status, got.Body, test.want)
		}
	}
}

// TestFormsOfOtherSites checks that no form of a page of another site writes with the visitor's
// cookies. A browser sends the three types of forms without a preflight.
func TestFormsOfOtherSites(t *testing.T) {
	bodies := map[string]string{encoded: "name=New", multipart: parts("name", "New"), "text/plain": `{"name":"New"}`}
	for _, forms := range []bool{false, true} {
		for contentType, body := range bodies {
			for _, site := range []struct {
				name, value string
				foreign     bool
			}{
				{"Sec-Fetch-Site", "cross-site", true},
				{"Sec-Fetch-Site", "same-site", true},
				{"Sec-Fetch-Site", "same-origin", false},
				{"Origin", "https://evil.example", true},
				{"Origin", "null", true},
				{"Origin", "http:", true},
				{"Origin", "http://host.example", false},
				{"Cookie", "session=1", false}, // no browser
			} {
				for _, body := range []string{body, ""} {
					c := newSmallCatalogue(t)
					h := mustHandler(t, c, Options{Authorizer: AllowAll, Forms: forms})
					got := call{method: "POST", target: "/api/genres/", body: body, header: http.Header{
						"Content-Type": {contentType}, http.CanonicalHeaderKey(site.name): {site.value},
					}}.do(h)
					want := http.StatusUnsupportedMediaType
					switch accepted := forms && contentType != "text/plain"; {
					case accepted && site.foreign:
						want = http.StatusForbidden
					case accepted && body != "":
						want = http.StatusCreated
					case body == "" && !site.foreign:
						want = http.StatusBadRequest // the name is required
					}
					if got.Status != want {
						t.Errorf("Forms %t, %s %q with %s: %s: %d %s, want %d", forms, contentType, body, site.name, site.value, got.Status, got.Body, want)
					}
				}
			}
		}
	}
}

// TestRandomForms sends random forms in both versions. None may result in a 5xx status.
func TestRandomForms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	names := strings.Split("title slug synopsis released premiereAt minutes rating price status published director genres tags tags[0] tags[9] size size.w size. size.w.x data pair label count x", " ")
	texts := strings.Split("0|1|-1|a|on|null|true|2024-01-01|2024-01-01T00:00:00Z|{}|[|\"|\x00|\xff|%|é|1e999|--B|\r\n|9999999999999999999", "|")
	var handlers []http.Handler
	for _, as := range []schema.Framework{{}, schema.DRF318(time.UTC)} {
		handlers = append(handlers, mustHandler(t, newSmallCatalogue(t), Options{Authorizer: AllowAll, Forms: true, Framework: as}))
	}
	for i := range 300 {
		h := handlers[i%2]
		var pairs, query []string
		for range r.IntN(8) {
			name, text := names[r.IntN(len(names))], texts[r.IntN(len(texts))]
			pairs, query = append(pairs, name, text), append(query, name+"="+text)
		}
		types := map[string]string{encoded: strings.Join(query, "&"), encoded + "; charset=latin-1": strings.Join(query, "&"), multipart: parts(pairs...)}
		for contentType, body := range types {
			for _, target := range []string{"POST /api/films/", "PUT /api/films/1/", "PATCH /api/films/1/", "POST /api/notes/", "PUT /api/notes/1/", "PATCH /api/notes/1/"} {
				method, path, _ := strings.Cut(target, " ")
				got := call{method: method, target: path, body: body, header: http.Header{"Content-Type": {contentType}}}.do(h)
				if got.Status >= 500 {
					t.Errorf("%s, %s, %q: %d %s", target, contentType, body, got.Status, got.Body)
				}
			}
		}
	}
}
