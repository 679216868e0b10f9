package browse

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// formValues returns what a browser sends for the form of a page with the given method or
// class, whose inputs have been changed.
func (res result) formValues(form string, changes map[string]string) url.Values {
	values := make(url.Values)
	inForm, selecting := false, ""
	for _, tag := range res.tags {
		name := tag.attrs["name"]
		_, checked := tag.attrs["checked"]
		_, selected := tag.attrs["selected"]
		switch {
		case tag.name == "form":
			inForm = tag.attrs["method"] == form || tag.attrs["class"] == form
		case tag.name == "/form":
			inForm = false
		case !inForm:
		case tag.name == "textarea":
			values.Add(name, strings.NewReplacer("\r\n", "\r\n", "\n", "\r\n").Replace(strings.TrimPrefix(tag.text, "\n")))
		case tag.name == "select":
			selecting = name
		case tag.name == "option" && selected:
			values.Add(selecting, tag.attrs["value"])
		case tag.name == "input" && (tag.attrs["type"] != "checkbox" || checked):
			values.Add(name, strings.ReplaceAll(tag.attrs["value"], "\n", ""))
		}
	}
	for name, value := range changes {
		values.Set(name, value)
	}
	return values
}

func TestChangeForm(t *testing.T) {
	h := newHouse().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	page := get(h, "/api/films/1/")
	if form := page.one(t, "form", "method", "post"); form.attrs["action"] != "?format=api&_method=PUT" {
		t.Errorf("the form leads to %q", form.attrs["action"])
	}
	want := url.Values{
		"title": {"Nächte & <Tage>"}, "synopsis": {"one\r\ntwo"}, "released": {"2024-05-10"}, "premiereAt": {"2024-05-10T18:00:00.500000Z"},
		"minutes": {"90"}, "rating": {"7.0"}, "price": {"12.50"}, "status": {"released"}, "published": {"true"}, "seen": {""}, "website": {""},
		"director": {"2"}, "genres": {"1, 3"}, "tags": {"a\r\nb\r\nc"}, "extra": {"{\r\n\t\"k\": [\r\n\t\t1\r\n\t]\r\n}"},
	}
	if diff := cmp.Diff(want, page.formValues("post", nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, control := range []string{"input", "textarea", "select"} {
		for _, tag := range page.find(control, "name", "*") {
			_, required := tag.attrs["required"]
			if want := slices.Contains([]string{"title", "minutes", "price", "director"}, tag.attrs["name"]); required != want {
				t.Errorf("%s: required = %t, want %t", tag.attrs["name"], required, want)
			}
		}
	}
	for _, hint := range []string{"From 0 to 600.", "at most 2 decimal places", "A number, such as 7.5.", "Such as 2026-05-10.", "An id from Directors."} {
		if !strings.Contains(page.text, hint) {
			t.Errorf("there is no hint %q", hint)
		}
	}
}

// unchanged is the JSON of firstFilm without the read-only members.
const unchanged = `{"title":"Nächte & <Tage>","synopsis":"one\ntwo","released":"2024-05-10","premiereAt":"2024-05-10T18:00:00.500000Z",` +
	`"minutes":90,"rating":7.0,"price":"12.50","status":"released","published":true,"seen":null,"website":null,"director":2,"genres":[1,3],` +
	`"tags":["a\nb","c"],"extra":{"k":[1]}}`

func TestChange(t *testing.T) {
	tests := []struct {
		reason  string
		changes map[string]string
		want    string // members that differ
	}{
		{"nothing is changed", nil, `{}`},
		{"text", map[string]string{"title": " <b>"}, `{"title":" <b>"}`},
		{"text is emptied", map[string]string{"title": "", "synopsis": ""}, `{"title":"","synopsis":""}`},
		{"line endings", map[string]string{"synopsis": "a\r\nb"}, `{"synopsis":"a\nb"}`},
		{"nullable values are emptied", map[string]string{"released": "", "premiereAt": " ", "rating": "", "extra": ""}, `{"released":null,"premiereAt":null,"rating":null,"extra":null}`},
		{"other values are emptied", map[string]string{"minutes": "", "price": "", "status": "", "director": ""}, `{"minutes":"","price":"","status":"","director":""}`},
		{"lists are emptied", map[string]string{"genres": " ", "tags": ""}, `{"genres":[],"tags":[]}`},
		{"numbers", map[string]string{"minutes": " 07 ", "rating": " 7.50 ", "price": "1e3", "director": "1"}, `{"minutes":7,"rating":"7.50","price":"1e3","director":1}`},
		{"not numbers", map[string]string{"minutes": "x", "rating": "1,5", "price": "NaN", "director": "B"}, `{"minutes":"x","rating":"1,5","price":"NaN","director":"B"}`},
		{"date and time", map[string]string{"released": " 2024-1-2", "premiereAt": "2024-05-10 18:00 +02:00"}, `{"released":"2024-1-2","premiereAt":"2024-05-10T18:00+02:00"}`},
		{"choice", map[string]string{"status": "announced"}, `{"status":"announced"}`},
		{"not a choice", map[string]string{"status": "bogus"}, `{"status":"bogus"}`},
		{"nullable boolean is true", map[string]string{"seen": "true"}, `{"seen":true}`},
		{"nullable boolean is false", map[string]string{"seen": "false"}, `{"seen":false}`},
		{"not a boolean", map[string]string{"seen": "maybe"}, `{"seen":"maybe"}`},
		{"URL", map[string]string{"website": "https://x.example"}, `{"website":"https://x.example"}`},
		{"lists", map[string]string{"genres": "3;4", "tags": "a\r\n\r\nb\r\n"}, `{"genres":[3,4],"tags":["a","b"]}`},
		{"JSON", map[string]string{"extra": "[1, 2]"}, `{"extra":[1,2]}`},
		{"read-only and unknown fields", map[string]string{"id": "9", "createdAt": "x", "other": "x"}, `{}`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			own := newHouse()
			h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
			values := get(h, "/api/films/1/").formValues("post", test.changes)
			got := do(h, formRequest("/api/films/1/?format=api&_method=PUT", values.Encode()))
			if got.status != 303 || got.header.Get("Location") != "?format=api" || got.body != "" {
				t.Fatalf("%d, Location %q: %s", got.status, got.header.Get("Location"), got.text)
			}
			if len(own.films.calls) != 1 {
				t.Fatalf("writes: %q", own.films.calls)
			}
			body, ok := strings.CutPrefix(own.films.calls[0], "update 1 false ")
			if !ok {
				t.Fatalf("the write is %s", own.films.calls[0])
			}
			want, sent := decode(t, unchanged), decode(t, body)
			for name, value := range decode(t, test.want) {
				want[name] = value
			}
			if diff := cmp.Diff(want, sent); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func decode(t *testing.T, text string) (object map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber() // 7.0 is not 7
	if err := decoder.Decode(&object); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return object
}

// A box that is not checked is not sent. Other fields that are not sent keep their value.
func TestChangeOfIncompleteForm(t *testing.T) {
	own := newHouse()
	h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	if got := do(h, formRequest("/api/films/1/?_method=PUT", "title=x")); got.status != 303 {
		t.Fatalf("status %d: %s", got.status, got.text)
	}
	want := decode(t, unchanged)
	want["title"], want["published"] = "x", false
	if diff := cmp.Diff(want, decode(t, strings.TrimPrefix(own.films.calls[0], "update 1 false "))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// If only PATCH is served, the form sends that.
func TestPartialChange(t *testing.T) {
	own := newHouse()
	own.films.about.Actions = resources.ReadActions | resources.PartialUpdate
	h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	page := get(h, "/api/films/1/")
	if form := page.one(t, "form", "method", "post"); form.attrs["action"] != "?format=api&_method=PATCH" {
		t.Errorf("the form leads to %q", form.attrs["action"])
	}
	if got := do(h, formRequest("/api/films/1/?_method=PATCH", "title=x")); got.status != 303 || !strings.HasPrefix(own.films.calls[0], `update 1 true {"title":"x"`) {
		t.Errorf("%d, writes %q", got.status, own.films.calls)
	}
	if got := do(h, formRequest("/api/films/1/?_method=PUT", "title=x")); got.status != 405 || len(own.films.calls) != 1 {
		t.Errorf("PUT: %d, writes %q", got.status, own.films.calls)
	}
}

func TestRejectedChange(t *testing.T) {
	own := newHouse()
	own.films.refuse = resources.FieldErrors{{Field: "title", Messages: []string{"Not <that>."}}, {Field: "status", Messages: []string{"Nor that."}}, {Field: "nonFieldErrors", Messages: []string{"Sold out."}}}
	h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	values := get(h, "/api/films/1/").formValues("post", map[string]string{"title": "<x>", "status": "odd"})
	page := do(h, formRequest("/api/films/1/?format=api&_method=PUT", values.Encode()))
	if page.status != 400 || page.one(t, "h1", "", "").text != "Not stored" {
		t.Fatalf("%d %s", page.status, page.text)
	}
	if diff := cmp.Diff(values, page.formValues("post", nil)); diff != "" {
		t.Errorf("the values of the form (-want +got):\n%s", diff)
	}
	for id, want := range map[string]string{"fault-title": "Not <that>.", "fault-status": "Nor that."} {
		if got := page.one(t, "p", "id", id).text; strings.TrimSpace(got) != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if !strings.Contains(page.text, "Sold out.") || page.one(t, "select", "name", "status").attrs["aria-invalid"] != "true" {
		t.Errorf("the page does not show all errors: %s", page.text)
	}
	if form := page.one(t, "form", "method", "post"); form.attrs["action"] != "?format=api&_method=PUT" {
		t.Errorf("the form leads to %q", form.attrs["action"])
	}
	if links := page.links(); links["Films"] != "../?format=api" || links["Film 1"] != "?format=api" {
		t.Errorf("the links are %q", links)
	}
	checkAccessible(t, page)
}

func TestDeletion(t *testing.T) {
	own := newHouse()
	h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	link := get(h, "/api/films/1/").links()["Delete"]
	page := follow(t, h, "/api/films/1/", link)
	if page.status != 200 || page.one(t, "h1", "", "").text != "Delete film 1?" || !strings.Contains(page.text, "Title Nächte & <Tage>") {
		t.Fatalf("%d %s", page.status, page.text)
	}
	if page.links()["Cancel"] != "?format=api" {
		t.Errorf("Cancel leads to %q", page.links()["Cancel"])
	}
	if own.films.calls != nil {
		t.Fatalf("the question has made the writes %q", own.films.calls)
	}
	action := page.one(t, "form", "method", "post").attrs["action"]
	got := do(h, formRequest("/api/films/1/"+action, ""))
	if got.status != 303 || got.header.Get("Location") != "../?format=api" || got.body != "" {
		t.Errorf("%d, Location %q: %s", got.status, got.header.Get("Location"), got.text)
	}
	if diff := cmp.Diff([]string{"delete 1"}, own.films.calls); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// Responses other than success are pages with the status of the response.
func TestFailedChanges(t *testing.T) {
	referenced := &catalogue.ReferenceError{Collection: "copies", ID: 4, Field: "film"}
	tests := []struct {
		reason, target string
		refuse         error
		authorizer     httpapi.Authorizer
		status         int
		text           string
		writes         int
	}{
		{"deletion of a record that others refer to", "/api/films/1/?_method=DELETE", referenced, httpapi.AllowAll, 409, "film of copies 4", 1},
		{"deletion of a record that does not exist", "/api/films/9/?_method=DELETE", nil, httpapi.AllowAll, 404, "Not found.", 1},
		{"change of a record that does not exist", "/api/films/9/?_method=PUT", nil, httpapi.AllowAll, 404, "Not found.", 0},
		{"the record has been deleted in the meantime", "/api/films/1/?_method=PUT", catalogue.ErrNotFound, httpapi.AllowAll, 404, "Not found.", 1},
		{"conflict", "/api/films/1/?_method=PUT", httpapi.ErrConflict, httpapi.AllowAll, 409, "in conflict", 1},
		{"deletion without credentials", "/api/films/1/?_method=DELETE", nil, httpapi.Bearer("x"), 401, "credentials were not provided", 0},
		{"change without credentials", "/api/films/1/?_method=PUT", nil, httpapi.Bearer("x"), 401, "credentials were not provided", 0},
		{"change without an authorizer", "/api/films/1/?_method=PUT", nil, nil, 403, "credentials were not provided", 0},
		{"method that the form does not have", "/api/films/1/?_method=PATCH", nil, httpapi.AllowAll, 405, `"POST" not allowed`, 0},
		{"unknown method", "/api/films/1/?_method=x", nil, httpapi.AllowAll, 405, `"POST" not allowed`, 0},
		{"no method", "/api/films/1/", nil, httpapi.AllowAll, 405, `"POST" not allowed`, 0},
		{"method in lower case", "/api/films/1/?_method=delete", nil, httpapi.AllowAll, 405, `"POST" not allowed`, 0},
		{"change of a record that cannot be changed", "/api/directors/1/?_method=PUT", nil, httpapi.AllowAll, 405, `"POST" not allowed`, 0},
		{"deletion of a record that cannot be deleted", "/api/directors/1/?_method=DELETE", nil, httpapi.AllowAll, 405, `"POST" not allowed`, 0},
		{"record without a page", "/api/genres/1/?_method=DELETE", nil, httpapi.AllowAll, 404, "Not found.", 0},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			own := newHouse()
			own.films.refuse = test.refuse
			h := own.handler(t, httpapi.Options{Authorizer: test.authorizer})
			got := do(h, formRequest(test.target, "title=x"))
			if got.status != test.status || !strings.Contains(got.text, test.text) || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%d %s, want %d and %q", got.status, got.text, test.status, test.text)
			}
			if len(own.films.calls) != test.writes {
				t.Errorf("writes: %q, want %d", own.films.calls, test.writes)
			}
		})
	}
}

func TestChangeFromAnotherSite(t *testing.T) {
	for _, method := range []string{"PUT", "DELETE"} {
		for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "", "Origin", "https://evil.example"}} {
			own := newHouse()
			h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
			got := do(h, formRequest("/api/films/1/?_method="+method, "title=x", header...))
			if got.status != 403 || own.films.calls != nil {
				t.Errorf("%s with %q: status %d, writes %q", method, header, got.status, own.films.calls)
			}
		}
	}
}

// Requests that are not forms of browsers are not changed.
func TestMethodOfOtherRequests(t *testing.T) {
	own := newHouse()
	h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, r := range []*http.Request{
		formRequest("/api/films/1/?_method=DELETE", "", "Accept", "*/*"),
		request("POST", "/api/films/1/?_method=DELETE", "", "Content-Type", "application/x-www-form-urlencoded"),
		request("POST", "/api/films/1/?_method=DELETE", "{}", "Content-Type", "application/json", "Origin", "http://host.example"),
	} {
		if got := do(h, r); got.status != 405 || own.films.calls != nil {
			t.Errorf("status %d, writes %q", got.status, own.films.calls)
		}
	}
}

// The form and the link to the deletion are shown only if the authorizer permits a PUT.
func TestChangeRequiresPermission(t *testing.T) {
	only := func(allowed resources.Actions) httpapi.Authorizer {
		return func(_ *http.Request, _ string, action resources.Actions) error {
			if allowed.Has(action) {
				return nil
			}
			return httpapi.Forbidden("")
		}
	}
	all := resources.AllActions
	tests := []struct {
		reason       string
		authorizer   httpapi.Authorizer
		served       resources.Actions
		form, delete bool
	}{
		{"everything is permitted", httpapi.AllowAll, all, true, true},
		{"no authorizer", nil, all, false, false},
		{"only creation is permitted", only(resources.Create), all, false, false},
		{"only PUT is permitted", only(resources.Update), all, true, true},
		{"only reads are served", httpapi.AllowAll, resources.ReadActions, false, false},
		{"no deletion is served", httpapi.AllowAll, all &^ resources.Destroy, true, false},
		{"only deletion is served", httpapi.AllowAll, resources.ReadActions | resources.Destroy, false, true},
	}
	for _, test := range tests {
		own := newHouse()
		own.films.about.Actions = test.served
		h := own.handler(t, httpapi.Options{Authorizer: test.authorizer})
		page := get(h, "/api/films/1/")
		if got := len(page.find("form", "method", "post")) == 1; got != test.form {
			t.Errorf("%s: there is a form: %t", test.reason, got)
		}
		if _, got := page.links()["Delete"]; got != test.delete {
			t.Errorf("%s: there is a link to the deletion: %t", test.reason, got)
		}
		asking := strings.Contains(get(h, "/api/films/1/?_method=DELETE").text, "Delete film 1?")
		if asking != test.delete {
			t.Errorf("%s: the page asks whether to delete: %t", test.reason, asking)
		}
	}
}

// The form is not read if the authorizer does not permit the change.
func TestForbiddenChangeIsNotRead(t *testing.T) {
	h := newHouse().handler(t, httpapi.Options{})
	for _, method := range []string{"PUT", "DELETE"} {
		r := formRequest("/api/films/1/?_method="+method, "")
		r.Body = struct {
			unreadBody
			closer
		}{unreadBody{t}, closer{}}
		if got := do(h, r); got.status != 403 {
			t.Errorf("%s: status %d, want 403", method, got.status)
		}
	}
}
