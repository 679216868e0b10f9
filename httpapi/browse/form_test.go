package browse

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

func urlEscape(text string) string { return url.QueryEscape(text) }

const people = `{"authors":[{"id":7,"name":"Anna"},{"id":9,"name":"Ugo"}]}`

func TestFormIsForWhoMayPost(t *testing.T) {
	token := httpapi.Bearer("secret")
	tests := []struct {
		reason      string
		authorizer  httpapi.Authorizer
		target      string
		credentials string
		want        bool
	}{
		{"anybody", httpapi.AllowAll, "/api/events/", "", true},
		{"and on any page", httpapi.AllowAll, "/api/events/?offset=30&format=api", "", true},
		{"nobody", nil, "/api/events/", "", false},
		{"without the token", token, "/api/social-links/", "", false},
		{"with a wrong token", token, "/api/social-links/", "Bearer guess", false},
		{"with the token", token, "/api/social-links/", "Bearer secret", true},
		{"labels are never posted", httpapi.AllowAll, "/api/labels/", "", false},
		{"nor books", httpapi.AllowAll, "/api/books/", "", false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			p := newPair(t, load(t, "{}"), httpapi.Options{Authorizer: test.authorizer})
			r := request("GET", test.target, "")
			if test.credentials != "" {
				r.Header.Set("Authorization", test.credentials)
			}
			if got := len(do(p.browse, r).find("form", "method", "post")); got != map[bool]int{true: 1}[test.want] {
				t.Errorf("%d forms", got)
			}
		})
	}
}

func TestFieldsOfForms(t *testing.T) {
	p := newPair(t, load(t, "{}"), httpapi.Options{Authorizer: httpapi.AllowAll})
	got := get(p.browse, "/api/events/")
	var names []string
	for _, tag := range got.tags {
		if tag.name != "input" && tag.name != "textarea" {
			continue
		}
		name := tag.attrs["name"]
		names = append(names, name)
		_, required := tag.attrs["required"]
		if want := slices.Contains([]string{"name", "slug", "startDate", "endDate"}, name); required != want {
			t.Errorf("%s is required: %t, want %t", name, required, want)
		}
		if wrong, ok := tag.attrs["aria-invalid"]; ok || tag.attrs["value"] != "" && tag.attrs["type"] != "checkbox" {
			t.Errorf("%s begins with %q, invalid %s", name, tag.attrs["value"], wrong)
		}
	}
	// The fields of the document without id, which nobody sends.
	want := []string{"name", "slug", "summary", "description", "location", "startDate", "endDate", "published", "poster", "posterWebp", "labels", "authors"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if button := got.one(t, "button", "", ""); button.attrs["type"] != "submit" {
		t.Errorf("the button is %v", button.attrs)
	}
}

func TestPost(t *testing.T) {
	house := load(t, people)
	p := newPair(t, house, httpapi.Options{Authorizer: httpapi.AllowAll})
	got := do(p.browse, posting("/api/events/?format=api", "name=N%C3%A4chte+%26+%3CTage%3E&slug=nights&description=%3Cp%3Ea%0D%0Ab&startDate=2026-05-10+18%3A00+%2B02%3A00"+
		"&endDate=2026-05-10T20%3A00%3A00Z&published=true&poster=https%3A%2F%2Fx.example%2Fp.jpg&labels=&authors=7%2C+9&unknown=x"))
	const place = "?format=api&ordering=-id#record-1"
	if got.status != http.StatusSeeOther || got.header.Get("Location") != place || got.body != "" {
		t.Fatalf("%d to %q: %s", got.status, got.header.Get("Location"), got.text)
	}
	page, err := house.Events().Page(pagination.Window{Limit: 9})
	if err != nil || len(page.Records) != 1 {
		t.Fatalf("%d events, %v", len(page.Records), err)
	}
	stored, err := page.Records[0].MarshalJSON()
	const want = `{"id":1,"name":"Nächte & <Tage>","slug":"nights","summary":"","description":"<p>a\nb","location":"","startDate":"2026-05-10T18:00:00+02:00",` +
		`"endDate":"2026-05-10T20:00:00Z","published":true,"poster":"https://x.example/p.jpg","posterWebp":"","labels":[],"authors":[7,9]}`
	if diff := cmp.Diff(want, string(stored)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if seen := follow(t, p.browse, "/api/events/?format=api", place); !strings.Contains(seen.text, "Nächte & <Tage>") || len(seen.find("tr", "id", "record-1")) != 1 {
		t.Errorf("it is not to be seen at %s", place)
	}
}

func TestPostWithFaults(t *testing.T) {
	house := load(t, people)
	p := newPair(t, house, httpapi.Options{Authorizer: httpapi.AllowAll})
	got := do(p.browse, posting("/api/events/", "name=&slug=a+b&startDate=2026-05-10&endDate=2026-05-10T20%3A00%3A00Z&published=true&authors=7+8+nine&summary=%22kept%22"))
	if got.status != 400 {
		t.Fatalf("%d", got.status)
	}
	tests := []struct{ field, value, says string }{
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
			t.Errorf("%s has become %q, want %q", test.field, field.attrs["value"], test.value)
		}
		if _, wrong := field.attrs["aria-invalid"]; wrong != (test.says != "") {
			t.Errorf("%s is marked as wrong: %t", test.field, wrong)
		}
		faults := got.find("p", "id", "fault-"+test.field)
		if test.says == "" {
			if len(faults) > 0 {
				t.Errorf("%s: %s", test.field, faults[0].text)
			}
			continue
		}
		if len(faults) != 1 || !strings.Contains(faults[0].text, test.says) {
			t.Errorf("beside %s is %v, want %q", test.field, faults, test.says)
		}
		if !slices.Contains(strings.Fields(field.attrs["aria-describedby"]), "fault-"+test.field) {
			t.Errorf("%s is not described by its fault", test.field)
		}
	}
	if _, checked := got.one(t, "input", "name", "published").attrs["checked"]; !checked {
		t.Error("the tick is gone")
	}
	if focus := got.one(t, "input", "autofocus", "*"); focus.attrs["name"] != "name" {
		t.Errorf("the focus is on %s, want the first fault", focus.attrs["name"])
	}
	if n := house.Events().Count(); n != 0 {
		t.Errorf("%d events were stored", n)
	}
}

// A handler may find fault with more than the fields of the form.
func TestFaultsOfNoField(t *testing.T) {
	for body, want := range map[string]string{
		`{"nonFieldErrors":["Sold out."],"zzz":[["<deep>"]]}`: `Sold out. [["<deep>"]]`,
		`{"detail":"Not <today>."}`:                           "Not <today>.",
	} {
		h := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "OPTIONS" {
				w.Write([]byte(`{"actions":{"POST":{}}}`))
				return
			}
			w.WriteHeader(400)
			w.Write([]byte(body))
		}), Options{})
		if got := do(h, posting("/api/social-links/", "title=x")); got.status != 400 || !strings.Contains(got.text, want) || got.one(t, "input", "name", "title").attrs["value"] != "x" {
			t.Errorf("%s: %d %s", body, got.status, got.text)
		}
	}
}

func TestFormsOfOtherSites(t *testing.T) {
	const body = "title=x&url=https%3A%2F%2Fx.example&type=web&author=7"
	tests := []struct {
		reason       string
		site, origin string
		want         int
	}{
		{"our own", "same-origin", "http://host.example", 303},
		{"our own, of a browser that does not say", "", "http://host.example", 303},
		{"another site", "cross-site", "https://evil.example", 403},
		{"another site, of a browser that does not say", "", "https://evil.example", 403},
		{"a neighbour", "same-site", "https://evil.host.example", 403},
		{"a sandboxed frame", "cross-site", "null", 403},
		{"hidden", "", "null", 403},
		{"another port", "", "http://host.example:81", 403},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			house := load(t, people)
			p := newPair(t, house, httpapi.Options{Authorizer: httpapi.AllowAll})
			r := posting("/api/social-links/", body)
			r.Header.Del("Sec-Fetch-Site")
			if test.site != "" {
				r.Header.Set("Sec-Fetch-Site", test.site)
			}
			r.Header.Set("Origin", test.origin)
			got := do(p.browse, r)
			if stored := house.SocialLinks().Count(); got.status != test.want || stored != map[int]int{303: 1}[test.want] {
				t.Errorf("%d, %d stored, want %d", got.status, stored, test.want)
			}
		})
	}
}

// Who may not post cannot make anybody read what it sends.
func TestRefusedBeforeReading(t *testing.T) {
	refuse := func(*http.Request, string) error { return httpapi.Forbidden("Not you.") }
	p := newPair(t, load(t, "{}"), httpapi.Options{Authorizer: refuse})
	for _, change := range []func(*http.Request){
		func(*http.Request) {},
		func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		func(r *http.Request) { r.URL.Path = "/api/books/" },
	} {
		r := posting("/api/events/", "")
		r.Body, r.ContentLength = http.NoBody, 10
		r.Body = struct {
			untouched
			closer
		}{untouched{t}, closer{}}
		change(r)
		if got := do(p.browse, r); got.status != 403 && got.status != 405 {
			t.Errorf("%d", got.status)
		}
	}
}

type closer struct{}

func (closer) Close() error { return nil }

func TestBrokenForm(t *testing.T) {
	house := load(t, "{}")
	p := newPair(t, house, httpapi.Options{Authorizer: httpapi.AllowAll})
	r := posting("/api/events/", "")
	r.Body = struct {
		broken
		closer
	}{}
	if got := do(p.browse, r); got.status != 400 || !strings.Contains(got.text, "could not be read") {
		t.Errorf("%d %s", got.status, got.text)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("gone") }

func TestFormJSON(t *testing.T) {
	kinds := []resources.Field{
		{Name: "id", Kind: resources.Integer, ReadOnly: true},
		{Name: "n", Kind: resources.Integer},
		{Name: "t", Kind: resources.Text, Required: true},
		{Name: "at", Kind: resources.Timestamp},
		{Name: "yes", Kind: resources.Boolean},
		{Name: "ref", Kind: resources.Reference},
		{Name: "refs", Kind: resources.References},
		{Name: "lines", Kind: resources.TextList},
		{Name: "any", Kind: resources.JSON},
	}
	tests := []struct{ reason, form, want string }{
		{"nothing", "", `{"yes":false}`},
		{"blanks are nothing", "n=+&t=&at=%0D%0A&ref=%09&refs=+&lines=&any=", `{"yes":false}`},
		{"numbers", "n=+12+&ref=-7&refs=1,2%3B3+4%0D%0A5", `{"n":12,"yes":false,"ref":-7,"refs":[1,2,3,4,5]}`},
		{"what is no number goes as it is", "n=1.5&ref=x&refs=1,y&any={", `{"n":"1.5","yes":false,"ref":"x","refs":[1,"y"],"any":"{"}`},
		{"a number that is too big", "n=99999999999999999999", `{"n":"99999999999999999999","yes":false}`},
		{"a number is not JSON's business", "n=007", `{"n":7,"yes":false}`},
		{"text keeps its blanks, and lines end as anywhere", "t=+a%0D%0Ab+", `{"t":" a\nb ","yes":false}`},
		{"text is no markup", "t=%3C%22%5C%26%00", `{"t":"\u003c\"\\\u0026\u0000","yes":false}`},
		{"bytes that are no text", "t=%ff", `{"t":"\ufffd","yes":false}`},
		{"times with blanks", "at=2026-05-10+18:00+%2B02:00", `{"at":"2026-05-10T18:00+02:00","yes":false}`},
		{"times as they are sent", "at=2026-05-10T18:00:00Z", `{"at":"2026-05-10T18:00:00Z","yes":false}`},
		{"no time", "at=tomorrow", `{"at":"tomorrow","yes":false}`},
		{"a tick", "yes=true", `{"yes":true}`},
		{"lines", "lines=a%0D%0A%0D%0A+b+", `{"yes":false,"lines":["a","b"]}`},
		{"JSON", `any={"a":[1,null]}`, `{"yes":false,"any":{"a":[1,null]}}`},
		{"what nobody asks for", "id=9&x=1", `{"yes":false}`},
		{"the first of two", "t=a&t=b", `{"t":"a","yes":false}`},
	}
	for _, test := range tests {
		posted, err := url.ParseQuery(test.form)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, string(formJSON(kinds, posted))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
