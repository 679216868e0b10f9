package browse

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

func urlEscape(text string) string { return url.QueryEscape(text) }

const twoAuthors = `{"authors":[{"id":7,"name":"Anna"},{"id":9,"name":"Ugo"}]}`

func TestFormRequiresPermission(t *testing.T) {
	token := httpapi.Bearer("secret")
	tests := []struct {
		reason      string
		authorizer  httpapi.Authorizer
		target      string
		credentials string
		want        bool
	}{
		{"everybody may post", httpapi.AllowAll, "/api/events/", "", true},
		{"any page", httpapi.AllowAll, "/api/events/?offset=30&format=api", "", true},
		{"nobody may post", nil, "/api/events/", "", false},
		{"missing token", token, "/api/social-links/", "", false},
		{"wrong token", token, "/api/social-links/", "Bearer guess", false},
		{"valid token", token, "/api/social-links/", "Bearer secret", true},
		{"labels are read-only", httpapi.AllowAll, "/api/labels/", "", false},
		{"books are read-only", httpapi.AllowAll, "/api/books/", "", false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h := newHandlers(t, load(t, "{}"), httpapi.Options{Authorizer: test.authorizer})
			r := request("GET", test.target, "")
			if test.credentials != "" {
				r.Header.Set("Authorization", test.credentials)
			}
			if got := len(do(h.browse, r).find("form", "method", "post")); got != map[bool]int{true: 1}[test.want] {
				t.Errorf("%d forms, want one: %t", got, test.want)
			}
		})
	}
}

func TestFormFields(t *testing.T) {
	h := newHandlers(t, load(t, "{}"), httpapi.Options{Authorizer: httpapi.AllowAll})
	got := get(h.browse, "/api/events/")
	var names []string
	for _, tag := range got.tags {
		if tag.name != "input" && tag.name != "textarea" {
			continue
		}
		name := tag.attrs["name"]
		names = append(names, name)
		_, required := tag.attrs["required"]
		if want := slices.Contains([]string{"name", "slug", "startDate", "endDate"}, name); required != want {
			t.Errorf("%s: required = %t, want %t", name, required, want)
		}
		if wrong, ok := tag.attrs["aria-invalid"]; ok || tag.attrs["value"] != "" && tag.attrs["type"] != "checkbox" {
			t.Errorf("%s: value = %q, aria-invalid = %q in a new form", name, tag.attrs["value"], wrong)
		}
	}
	// The fields of the service's document, except id.
	want := []string{"name", "slug", "summary", "description", "location", "startDate", "endDate", "published", "poster", "posterWebp", "labels", "authors"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if button := got.one(t, "button", "", ""); button.attrs["type"] != "submit" {
		t.Errorf("the button has attributes %v", button.attrs)
	}
}

func TestPost(t *testing.T) {
	house := load(t, twoAuthors)
	h := newHandlers(t, house, httpapi.Options{Authorizer: httpapi.AllowAll})
	got := do(h.browse, formRequest("/api/events/?format=api", "name=N%C3%A4chte+%26+%3CTage%3E&slug=nights&description=%3Cp%3Ea%0D%0Ab&startDate=2026-05-10+18%3A00+%2B02%3A00"+
		"&endDate=2026-05-10T20%3A00%3A00Z&published=true&poster=https%3A%2F%2Fx.example%2Fp.jpg&labels=&authors=7%2C+9&unknown=x"))
	const location = "?format=api&ordering=-id#record-1"
	if got.status != http.StatusSeeOther || got.header.Get("Location") != location || got.body != "" {
		t.Fatalf("status %d, Location %q: %s", got.status, got.header.Get("Location"), got.text)
	}
	page, err := house.Events().Page(pagination.Window{Limit: 9})
	if err != nil || len(page.Records) != 1 {
		t.Fatalf("Page = %d events, %v, want 1", len(page.Records), err)
	}
	stored, err := page.Records[0].MarshalJSON()
	const want = `{"id":1,"name":"Nächte & <Tage>","slug":"nights","summary":"","description":"<p>a\nb","location":"","startDate":"2026-05-10T18:00:00+02:00",` +
		`"endDate":"2026-05-10T20:00:00Z","published":true,"poster":"https://x.example/p.jpg","posterWebp":"","labels":[],"authors":[7,9]}`
	if diff := cmp.Diff(want, string(stored)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if page := follow(t, h.browse, "/api/events/?format=api", location); !strings.Contains(page.text, "Nächte & <Tage>") || len(page.find("tr", "id", "record-1")) != 1 {
		t.Errorf("the new record is not shown at %s", location)
	}
}

func TestPostInvalidRecord(t *testing.T) {
	house := load(t, twoAuthors)
	h := newHandlers(t, house, httpapi.Options{Authorizer: httpapi.AllowAll})
	got := do(h.browse, formRequest("/api/events/", "name=&slug=a+b&startDate=2026-05-10&endDate=2026-05-10T20%3A00%3A00Z&published=true&authors=7+8+nine&summary=%22kept%22"))
	if got.status != 400 {
		t.Fatalf("status %d, want 400", got.status)
	}
	tests := []struct{ field, value, message string }{
		{"name", "", "This field is required."},
		{"slug", "a b", `Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`},
		{"startDate", "2026-05-10", "Datetime has wrong format."},
		{"endDate", "2026-05-10T20:00:00Z", ""},
		{"summary", `"kept"`, ""},
		{"authors", "7 8 nine", `Invalid pk "8" - object does not exist.`},
	}
	for _, test := range tests {
		field := got.one(t, "input", "name", test.field)
		if field.attrs["value"] != test.value {
			t.Errorf("%s: value = %q, want %q", test.field, field.attrs["value"], test.value)
		}
		if _, invalid := field.attrs["aria-invalid"]; invalid != (test.message != "") {
			t.Errorf("%s: marked as invalid = %t", test.field, invalid)
		}
		faults := got.find("p", "id", "fault-"+test.field)
		if test.message == "" {
			if len(faults) > 0 {
				t.Errorf("%s: unexpected message %q", test.field, faults[0].text)
			}
			continue
		}
		if len(faults) != 1 || !strings.Contains(faults[0].text, test.message) {
			t.Errorf("%s: messages %v, want %q", test.field, faults, test.message)
		}
		if !slices.Contains(strings.Fields(field.attrs["aria-describedby"]), "fault-"+test.field) {
			t.Errorf("%s: aria-describedby does not refer to the message", test.field)
		}
	}
	if _, checked := got.one(t, "input", "name", "published").attrs["checked"]; !checked {
		t.Error("the checkbox is not checked anymore")
	}
	if focus := got.one(t, "input", "autofocus", "*"); focus.attrs["name"] != "name" {
		t.Errorf("autofocus is on %s, want the first invalid field", focus.attrs["name"])
	}
	if n := house.Events().Count(); n != 0 {
		t.Errorf("Count() = %d, want 0", n)
	}
}

// Errors that belong to no field of the form are shown above it.
func TestErrorsOfNoField(t *testing.T) {
	for body, want := range map[string]string{
		`{"nonFieldErrors":["Sold out."],"zzz":[["<deep>"]]}`: `Sold out. [["<deep>"]]`,
		`{"detail":"Not <today>."}`:                           "Not <today>.",
	} {
		h := around(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "OPTIONS" {
				w.Write([]byte(`{"actions":{"POST":{}}}`))
				return
			}
			w.WriteHeader(400)
			w.Write([]byte(body))
		})
		if got := do(h, formRequest("/api/social-links/", "title=x")); got.status != 400 || !strings.Contains(got.text, want) || got.one(t, "input", "name", "title").attrs["value"] != "x" {
			t.Errorf("%s: %d %s", body, got.status, got.text)
		}
	}
}

func TestCrossOriginForm(t *testing.T) {
	const body = "title=x&url=https%3A%2F%2Fx.example&type=web&author=7"
	tests := []struct {
		reason       string
		site, origin string
		want         int
	}{
		{"same origin", "same-origin", "http://host.example", 303},
		{"same origin without Sec-Fetch-Site", "", "http://host.example", 303},
		{"another site", "cross-site", "https://evil.example", 403},
		{"another site without Sec-Fetch-Site", "", "https://evil.example", 403},
		{"same site, another origin", "same-site", "https://evil.host.example", 403},
		{"sandboxed frame", "cross-site", "null", 403},
		{"opaque origin", "", "null", 403},
		{"another port", "", "http://host.example:81", 403},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			house := load(t, twoAuthors)
			h := newHandlers(t, house, httpapi.Options{Authorizer: httpapi.AllowAll})
			r := formRequest("/api/social-links/", body)
			r.Header.Del("Sec-Fetch-Site")
			if test.site != "" {
				r.Header.Set("Sec-Fetch-Site", test.site)
			}
			r.Header.Set("Origin", test.origin)
			got := do(h.browse, r)
			if stored := house.SocialLinks().Count(); got.status != test.want || stored != map[int]int{303: 1}[test.want] {
				t.Errorf("status %d, %d records stored, want status %d", got.status, stored, test.want)
			}
		})
	}
}

// Pages of other sites cannot write, whatever the kind of their requests. Clients that are
// no browsers, and trusted pages, can.
func TestRequestsOfOtherSites(t *testing.T) {
	foreign := []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}
	const json, text, form = "application/json", "text/plain", "application/x-www-form-urlencoded"
	const film = `{"title":"x"}`
	own := httpapi.Options{Authorizer: httpapi.AllowAll}
	based := httpapi.Options{Authorizer: httpapi.AllowAll, BaseURL: "https://shop.example/our"}
	proxied := httpapi.Options{Authorizer: httpapi.AllowAll, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin("https://app.example"); err != nil {
		t.Fatal(err)
	}
	trusting := Options{CrossOrigin: protection}
	tests := []struct {
		reason                             string
		opts                               httpapi.Options
		pages                              Options
		method, target, accept, kind, body string
		header                             []string
		status, writes                     int
	}{
		{"form as text/plain", own, Options{}, "POST", "/api/films/", chrome, text, "", foreign, 403, 0},
		{"form without a type", own, Options{}, "POST", "/api/films/", chrome, "", "", foreign, 403, 0},
		{"form with files", own, Options{}, "POST", "/api/films/", chrome, "multipart/form-data; boundary=x", "", foreign, 403, 0},
		{"sendBeacon", own, Options{}, "POST", "/api/films/", "*/*", "", "", foreign, 403, 0},
		{"sendBeacon with text", own, Options{}, "POST", "/api/films/", "*/*", text, film, foreign, 403, 0},
		{"form for JSON", own, Options{}, "POST", "/api/films/?format=json", chrome, form, "", foreign, 403, 0},
		{"fetch", own, Options{}, "POST", "/api/films/", "*/*", json, film, foreign, 403, 0},
		{"fetch with PATCH", own, Options{}, "PATCH", "/api/films/1/", "*/*", json, film, foreign, 403, 0},
		{"fetch with PUT", own, Options{}, "PUT", "/api/films/1/", json, json, film, foreign, 403, 0},
		{"fetch with DELETE", own, Options{}, "DELETE", "/api/films/1/", "*/*", "", "", foreign, 403, 0},
		{"another host of the site", own, Options{}, "POST", "/api/films/", "*/*", "", "", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://a.host.example"}, 403, 0},
		{"a browser without Sec-Fetch-Site", own, Options{}, "POST", "/api/films/", "*/*", "", "", []string{"Origin", "https://evil.example"}, 403, 0},
		{"a sandboxed frame", own, Options{}, "POST", "/api/films/", "*/*", "", "", []string{"Origin", "null"}, 403, 0},
		{"an unknown path", own, Options{}, "POST", "/api/none/", "*/*", "", "", foreign, 403, 0},
		{"a forwarded host that no proxy sent", own, Options{}, "POST", "/api/films/", "*/*", "", "",
			[]string{"Origin", "https://evil.example", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "https"}, 403, 0},
		{"an invalid forwarded host", proxied, Options{}, "POST", "/api/films/", "*/*", "", "", []string{"Origin", "https://evil.example", "X-Forwarded-Host", "a b"}, 403, 0},

		{"a read", own, Options{}, "GET", "/api/films/", "*/*", "", "", foreign, 200, 0},
		{"a link", own, Options{}, "GET", "/api/films/", chrome, "", "", foreign, 200, 0},
		{"OPTIONS", own, Options{}, "OPTIONS", "/api/films/", "*/*", "", "", foreign, 200, 0},
		{"curl and Go's client", own, Options{}, "POST", "/api/films/", "*/*", json, film, nil, 201, 1},
		{"fetch of the same origin", own, Options{}, "PATCH", "/api/films/1/", "*/*", json, film, []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://host.example"}, 200, 1},
		{"the same origin without Sec-Fetch-Site", own, Options{}, "POST", "/api/films/", "*/*", json, film, []string{"Origin", "http://host.example"}, 201, 1},
		{"a proxy that changes the host", own, Options{}, "POST", "/api/films/", "*/*", json, film, []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://shop.example"}, 201, 1},
		{"the base URL, without Sec-Fetch-Site", based, Options{}, "POST", "/api/films/", "*/*", json, film, []string{"Origin", "https://shop.example"}, 201, 1},
		{"another scheme than that of the base URL", based, Options{}, "POST", "/api/films/", "*/*", "", "", []string{"Origin", "http://shop.example"}, 403, 0},
		{"a trusted proxy, without Sec-Fetch-Site", proxied, Options{}, "POST", "/api/films/", "*/*", json, film,
			[]string{"Origin", "https://shop.example", "X-Forwarded-Host", "shop.example", "X-Forwarded-Proto", "https"}, 201, 1},
		{"a trusted origin", own, trusting, "POST", "/api/films/", "*/*", json, film, []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://app.example"}, 201, 1},
		{"an origin that is not trusted", own, trusting, "POST", "/api/films/", "*/*", json, film, foreign, 403, 0},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			films := newHouse().films
			handler, err := httpapi.NewHandler(map[string]httpapi.Collection{"films": films}, test.opts)
			if err != nil {
				t.Fatal(err)
			}
			r := request(test.method, test.target, test.body, test.header...)
			r.Header.Set("Accept", test.accept)
			if test.kind != "" {
				r.Header.Set("Content-Type", test.kind)
			}
			got := do(browsing(t, handler, test.pages), r)
			if got.status != test.status || len(films.calls) != test.writes {
				t.Errorf("status %d, writes %q, want %d and %d: %s", got.status, films.calls, test.status, test.writes, got.body)
			}
			isPage := test.accept == chrome && !strings.Contains(test.target, "json")
			switch {
			case test.status != 403:
			case isPage && (got.one(t, "h1", "", "").text != "403 Forbidden" || !strings.Contains(got.text, "from another site")):
				t.Errorf("the page is %s", got.text)
			case !isPage && got.body != `{"detail":"The request was sent from another site, so nothing was stored."}`,
				!isPage && got.header.Get("Content-Type") != "application/json":
				t.Errorf("%v: %s", got.header, got.body)
			}
		})
	}
}

// The body of a forbidden request is not read.
func TestForbiddenBodyIsNotRead(t *testing.T) {
	forbid := func(*http.Request, string, schema.Actions) error { return httpapi.Forbidden("Not you.") }
	h := newHandlers(t, load(t, "{}"), httpapi.Options{Authorizer: forbid})
	for _, change := range []func(*http.Request){
		func(*http.Request) {},
		func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		func(r *http.Request) { r.URL.Path = "/api/books/" },
	} {
		r := formRequest("/api/events/", "")
		r.Body, r.ContentLength = http.NoBody, 10
		r.Body = struct {
			unreadBody
			closer
		}{unreadBody{t}, closer{}}
		change(r)
		if got := do(h.browse, r); got.status != 403 && got.status != 405 {
			t.Errorf("status %d, want 403 or 405", got.status)
		}
	}
}

type closer struct{}

func (closer) Close() error { return nil }

func TestFormReadError(t *testing.T) {
	house := load(t, "{}")
	h := newHandlers(t, house, httpapi.Options{Authorizer: httpapi.AllowAll})
	r := formRequest("/api/events/", "")
	r.Body = struct {
		failingReader
		closer
	}{}
	if got := do(h.browse, r); got.status != 400 || !strings.Contains(got.text, "could not be read") {
		t.Errorf("%d %s, want 400", got.status, got.text)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("read failed") }

func TestFormJSON(t *testing.T) {
	fields := []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "n", Kind: schema.Integer},
		{Name: "t", Kind: schema.Text, Required: true},
		{Name: "at", Kind: schema.Timestamp},
		{Name: "yes", Kind: schema.Boolean},
		{Name: "ref", Kind: schema.Reference},
		{Name: "refs", Kind: schema.References},
		{Name: "lines", Kind: schema.TextList},
		{Name: "any", Kind: schema.JSON},
	}
	tests := []struct{ reason, form, want string }{
		{"empty form", "", `{"yes":false}`},
		{"white space", "n=+&t=&at=%0D%0A&ref=%09&refs=+&lines=&any=", `{"yes":false}`},
		{"numbers", "n=+12+&ref=-7&refs=1,2%3B3+4%0D%0A5", `{"n":12,"yes":false,"ref":-7,"refs":[1,2,3,4,5]}`},
		{"invalid values", "n=1.5&ref=x&refs=1,y&any={", `{"n":"1.5","yes":false,"ref":"x","refs":[1,"y"],"any":"{"}`},
		{"number out of range", "n=99999999999999999999", `{"n":"99999999999999999999","yes":false}`},
		{"number with leading zeros", "n=007", `{"n":7,"yes":false}`},
		{"white space and line endings in text", "t=+a%0D%0Ab+", `{"t":" a\nb ","yes":false}`},
		{"special characters in text", "t=%3C%22%5C%26%00", `{"t":"\u003c\"\\\u0026\u0000","yes":false}`},
		{"invalid UTF-8", "t=%ff", `{"t":"\ufffd","yes":false}`},
		{"time with spaces", "at=2026-05-10+18:00+%2B02:00", `{"at":"2026-05-10T18:00+02:00","yes":false}`},
		{"time", "at=2026-05-10T18:00:00Z", `{"at":"2026-05-10T18:00:00Z","yes":false}`},
		{"invalid time", "at=tomorrow", `{"at":"tomorrow","yes":false}`},
		{"checked box", "yes=true", `{"yes":true}`},
		{"lines", "lines=a%0D%0A%0D%0A+b+", `{"yes":false,"lines":["a","b"]}`},
		{"JSON", `any={"a":[1,null]}`, `{"yes":false,"any":{"a":[1,null]}}`},
		{"read-only and unknown fields", "id=9&x=1", `{"yes":false}`},
		{"repeated field", "t=a&t=b", `{"t":"a","yes":false}`},
	}
	for _, test := range tests {
		posted, err := url.ParseQuery(test.form)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, string(formJSON(fields, posted))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
