package browse

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

func TestChangeForm(t *testing.T) {
	h := newService().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	page := changeForm(t, h)
	if form := page.one(t, "form", "method", "post"); form.attrs["action"] != "?_method=PATCH" {
		t.Errorf("the form leads to %q", form.attrs["action"])
	}
	want := url.Values{
		"title": {"Nächte & <Tage>"}, "synopsis": {"one\r\ntwo"}, "released": {"2024-05-10"}, "premiereAt": {"2024-05-10T18:00:00.500000Z"},
		"minutes": {"90"}, "rating": {"7.0"}, "price": {"12.50"}, "status": {"released"}, "published": {"true"}, "seen": {""}, "website": {""},
		"director": {"2"}, "genres": {"", "1", "3"}, "tags": {"a\r\nb\r\nc"}, "extra": {"{\r\n\t\"k\": [\r\n\t\t1\r\n\t]\r\n}"},
	}
	got := page.formValues("post", nil)
	var shown url.Values // beside what the form sends
	must(t, json.Unmarshal([]byte(got.Get(shownName)), &shown))
	for name, texts := range shown {
		if want := strings.TrimPrefix(strings.Join(want[name], ", "), ", "); want != strings.ReplaceAll(texts[0], "\n", "\r\n") || len(texts) != 1 {
			t.Errorf("%s: the form has shown %q, and sends %q", name, texts, want)
		}
	}
	got.Del(shownName)
	equal(t, "the result", want, got)
	for _, control := range []string{"input", "textarea", "select"} {
		for _, tag := range page.find(control, "name", "*") {
			_, required := tag.attrs["required"]
			if want := slices.Contains([]string{"title", "minutes", "price", "director"}, tag.attrs["name"]); required != want {
				t.Errorf("%s: required = %t, want %t", tag.attrs["name"], required, want)
			}
		}
	}
	// A time with fractions of a second is text, since browsers would drop them.
	want = url.Values{"released": {"date"}, "premiereAt": {"text"}, "minutes": {"number", "1", "0", "600"}, "rating": {"number", "any"},
		"price": {"number", "0.01"}, "website": {"url"}, "title": {"text"}}
	got = make(url.Values)
	for name := range want {
		input := page.one(t, "input", "name", name).attrs
		for _, attribute := range []string{"type", "step", "min", "max"} {
			if value, ok := input[attribute]; ok {
				got.Add(name, value)
			}
		}
	}
	equal(t, "type, step, min and max", want, got)
}

// A browser does not change values that nobody touches: one that an input of the usual type would
// change is text, in which case the type is "text".
func TestUnusualValues(t *testing.T) {
	for _, test := range []struct{ field, value, control, shown string }{
		{"genres", `[1,3]`, "select", ""},
		{"genres", `[3,1]`, "select", ""}, // which sends 3 first
		{"genres", `[1,9]`, "select", ""},
		{"genres", `[]`, "select", ""},
		{"director", `2`, "select", ""},
		{"director", `9`, "select", ""},
		{"premiereAt", `"2024-05-10T18:00:00+02:00"`, "datetime-local", "2024-05-10T16:00"},
		{"premiereAt", `"2024-05-10T18:00:09Z"`, "datetime-local", "2024-05-10T18:00:09"},
		{"premiereAt", `null`, "datetime-local", ""},
		{"premiereAt", `"2024-05-10T18:00:00"`, "text", "2024-05-10T18:00:00"},
		{"premiereAt", `"2024-05-10T18:00:00.5Z"`, "text", "2024-05-10T18:00:00.5Z"},
		{"premiereAt", `"0000-05-10T18:00:00Z"`, "text", "0000-05-10T18:00:00Z"},
		{"premiereAt", `"9999-12-31T23:00:00-02:00"`, "text", "9999-12-31T23:00:00-02:00"},
		{"released", `"2024-05-10"`, "date", ""},
		{"released", `"soon"`, "text", ""},
		{"minutes", `-7`, "number", ""},
		{"minutes", `"x"`, "text", ""},
		{"rating", `"Inf"`, "text", ""},
		{"price", `"+1.50"`, "text", ""},
	} {
		own := newService()
		own.films.records[1][test.field] = json.RawMessage(test.value)
		h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
		page, control := changeForm(t, h), ""
		for _, tag := range page.tags {
			if tag.attrs["id"] == "field-"+test.field {
				control = strings.TrimPrefix(tag.name+tag.attrs["type"], "input")
			}
		}
		if control != test.control {
			t.Errorf("%s %s: the control is %s, want %s", test.field, test.value, control, test.control)
		}
		values := page.formValues("post", nil)
		if got := values.Get(test.field); test.field == "premiereAt" && got != test.shown {
			t.Errorf("%s %s: the form shows %s, want %s", test.field, test.value, got, test.shown)
		}
		action := page.one(t, "form", "method", "post").attrs["action"]
		if got := do(h, formRequest("/api/films/1/"+action, values.Encode())); got.status != 303 || len(own.films.calls) != 1 || own.films.calls[0] != "update 1 true {}" {
			t.Errorf("%s %s: status %d, writes %q, want nothing changed", test.field, test.value, got.status, own.films.calls)
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
		{"text that begins like a list", map[string]string{"title": ", or: "}, `{"title":", or: "}`},
		{"text is emptied", map[string]string{"title": "", "synopsis": ""}, `{"title":"","synopsis":""}`},
		{"line endings", map[string]string{"synopsis": "a\r\nb"}, `{"synopsis":"a\nb"}`},
		{"nullable values are emptied", map[string]string{"released": "", "premiereAt": " ", "rating": "", "extra": ""}, `{"released":null,"premiereAt":null,"rating":null,"extra":null}`},
		{"other values are emptied", map[string]string{"minutes": "", "price": "", "status": "", "director": ""}, `{"minutes":"","price":"","status":"","director":""}`},
		{"lists are emptied", map[string]string{"genres": " ", "tags": ""}, `{"genres":[],"tags":[]}`},
		{"numbers", map[string]string{"minutes": " 07 ", "rating": " 7.50 ", "price": "1e3", "director": "1"}, `{"minutes":"07","rating":7.50,"price":"1e3","director":1}`},
		{"not numbers", map[string]string{"minutes": "x", "rating": "1,5", "price": "NaN", "director": "B"}, `{"minutes":"x","rating":"1,5","price":"NaN","director":"B"}`},
		{"date and time", map[string]string{"released": " 2024-1-2", "premiereAt": " 2024-05-10T18:00+02:00"}, `{"released":"2024-1-2","premiereAt":"2024-05-10T18:00+02:00"}`},
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
			for _, whole := range []bool{false, true} {
				own := newService()
				want, call := decode(t, test.want), "update 1 true "
				if whole { // a PUT
					own.films.about.Actions &^= schema.PartialUpdate
					want, call = decode(t, unchanged), "update 1 false "
					maps.Copy(want, decode(t, test.want))
				}
				got := save(t, own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll}), test.changes)
				if got.status != 303 || got.header.Get("Location") != "./" || got.body != "" {
					t.Fatalf("%d, Location %q: %s", got.status, got.header.Get("Location"), got.text)
				}
				if len(own.films.calls) != 1 {
					t.Fatalf("writes: %q", own.films.calls)
				}
				body, ok := strings.CutPrefix(own.films.calls[0], call)
				if !ok {
					t.Fatalf("the write is %s", own.films.calls[0])
				}
				equal(t, "the result", want, decode(t, body))
			}
		})
	}
}

// changeForm returns the page with the form of film 1.
func changeForm(t *testing.T, h http.Handler) result {
	t.Helper()
	return follow(t, h, "/api/films/1/", get(h, "/api/films/1/").links()["Change"])
}

// save sends the form of film 1 with changes.
func save(t *testing.T, h http.Handler, changes map[string]string) result {
	t.Helper()
	return changeForm(t, h).save(t, h, changes)
}

// save sends the form of a page of film 1 with changes.
func (res result) save(t *testing.T, h http.Handler, changes map[string]string) result {
	t.Helper()
	action := res.one(t, "form", "method", "post").attrs["action"]
	return do(h, formRequest("/api/films/1/"+action, res.formValues("post", changes).Encode()))
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	object, _ := decoded(t, text).(map[string]any)
	return object
}

// A box that is not checked is not sent. Other fields that are not sent keep their value.
func TestChangeOfIncompleteForm(t *testing.T) {
	own := newService()
	h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	if got := do(h, formRequest("/api/films/1/?_method=PATCH", "title=x")); got.status != 303 {
		t.Fatalf("status %d: %s", got.status, got.text)
	}
	want := decode(t, `{"title":"x","published":false}`)
	equal(t, "the result", want, decode(t, strings.TrimPrefix(own.films.calls[0], "update 1 true ")))
}

// If PATCH is not served, the form sends a PUT.
func TestMethodOfChange(t *testing.T) {
	for _, test := range []struct {
		served schema.Actions
		method string
	}{
		{schema.AllActions, "PATCH"},
		{schema.List | schema.Retrieve | schema.PartialUpdate, "PATCH"},
		{schema.List | schema.Retrieve | schema.Update, "PUT"},
	} {
		own := newService()
		own.films.about.Actions = test.served
		h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
		form := changeForm(t, h).one(t, "form", "method", "post")
		if form.attrs["action"] != "?_method="+test.method {
			t.Errorf("%b: the form leads to %q", test.served, form.attrs["action"])
		}
		for _, method := range []string{"PUT", "PATCH"} {
			got, want := do(h, formRequest("/api/films/1/?_method="+method, "title=x")), 405
			if method == test.method {
				want = 303
			}
			if got.status != want {
				t.Errorf("%b: a form for %s: %d, want %d", test.served, method, got.status, want)
			}
		}
		if len(own.films.calls) != 1 {
			t.Errorf("%b: writes %q", test.served, own.films.calls)
		}
	}
}

func TestRejectedChange(t *testing.T) {
	own := newService()
	own.films.refuse = schema.FieldErrors{{Field: "title", Messages: []string{"Not <that>."}}, {Field: "status", Messages: []string{"Nor that."}}, {Field: "nonFieldErrors", Messages: []string{"Sold out."}}}
	h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	values := changeForm(t, h).formValues("post", map[string]string{"title": "<x>", "status": "odd"})
	page := do(h, formRequest("/api/films/1/?_method=PATCH", values.Encode()))
	if page.status != 400 || page.one(t, "h1", "", "").text != "Not stored" {
		t.Fatalf("%d %s", page.status, page.text)
	}
	equal(t, "the values of the form", values, page.formValues("post", nil))
	for id, want := range map[string]string{"fault-title": "Not <that>.", "fault-status": "Nor that."} {
		if got := page.one(t, "p", "id", id).text; strings.TrimSpace(got) != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if !strings.Contains(page.text, "Sold out.") || page.one(t, "select", "name", "status").attrs["aria-invalid"] != "true" {
		t.Errorf("the page does not show all errors: %s", page.text)
	}
	if form := page.one(t, "form", "method", "post"); !strings.HasPrefix(form.attrs["action"], "?_method=PATCH") {
		t.Errorf("the form leads to %q", form.attrs["action"])
	}
	if links := page.links(); links["Films"] != "../" || links["Film 1"] != "./" {
		t.Errorf("the links are %q", links)
	}
	checkAccessible(t, page)
}

func TestDeletion(t *testing.T) {
	own := newService()
	h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	link := get(h, "/api/films/1/").links()["Delete"]
	page := follow(t, h, "/api/films/1/", link)
	if page.status != 200 || page.one(t, "h1", "", "").text != "Delete Nächte & <Tage>?" || !strings.Contains(page.text, "Title Nächte & <Tage>") {
		t.Fatalf("%d %s", page.status, page.text)
	}
	if page.links()["Cancel"] != "./" {
		t.Errorf("Cancel leads to %q", page.links()["Cancel"])
	}
	if own.films.calls != nil {
		t.Fatalf("the question has made the writes %q", own.films.calls)
	}
	action := page.one(t, "form", "method", "post").attrs["action"]
	got := do(h, formRequest("/api/films/1/"+action, ""))
	if got.status != 303 || got.header.Get("Location") != "../" || got.body != "" {
		t.Errorf("%d, Location %q: %s", got.status, got.header.Get("Location"), got.text)
	}
	equal(t, "writes", []string{"delete 1"}, own.films.calls)
}

// The form and the link to the deletion are shown only if the authorizer permits what they send, and
// Options.Permit permits it for the record.
func TestChangeRequiresPermission(t *testing.T) {
	only := func(allowed schema.Actions) httpapi.Authorizer {
		return func(_ *http.Request, _ string, action schema.Actions) error {
			if allowed.Has(action) {
				return nil
			}
			return httpapi.Forbidden("")
		}
	}
	all := schema.AllActions
	tests := []struct {
		reason       string
		authorizer   httpapi.Authorizer
		served       schema.Actions
		form, delete bool
	}{
		{"everything is permitted", httpapi.AllowAll, all, true, true},
		{"no authorizer", nil, all, false, false},
		{"only creation is permitted", only(schema.Create), all, false, false},
		{"only PUT is permitted, which the form does not send", only(schema.Update), all, false, false},
		{"only PATCH is permitted", only(schema.PartialUpdate), all, true, false},
		{"only deletion is permitted", only(schema.Destroy), all, false, true},
		{"only PUT is permitted and served", only(schema.Update), schema.List | schema.Retrieve | schema.Update, true, false},
		{"only reads are served", httpapi.AllowAll, schema.List | schema.Retrieve, false, false},
		{"no deletion is served", httpapi.AllowAll, all &^ schema.Destroy, true, false},
		{"only deletion is served", httpapi.AllowAll, schema.List | schema.Retrieve | schema.Destroy, false, true},
	}
	for i := range 2 * len(tests) {
		test, opts := tests[i/2], httpapi.Options{Authorizer: tests[i/2].authorizer}
		if i%2 == 1 && opts.Authorizer != nil { // the same for the record
			test.reason += " for the record"
			opts = httpapi.Options{Authorizer: httpapi.AllowAll, Permit: func(r *http.Request, key string, action schema.Actions, record []byte) error {
				if !strings.HasPrefix(string(record), `{"id":1,`) {
					t.Errorf("%s: asked for %s", test.reason, record)
				}
				return test.authorizer(r, key, action)
			}}
		}
		own := newService()
		own.films.about.Actions = test.served
		h := own.handler(t, opts)
		page := get(h, "/api/films/1/")
		if only := page.find("p", "class", "lead only"); (len(only) == 1) != (!test.form && !test.delete && test.served != schema.List|schema.Retrieve) {
			t.Errorf("%s: %d times read-only", test.reason, len(only))
		}
		if _, got := page.links()["Change"]; got != test.form {
			t.Errorf("%s: there is a link to the form: %t", test.reason, got)
		}
		for _, method := range []string{"PUT", "PATCH"} {
			sent := method == "PATCH" == test.served.Has(schema.PartialUpdate)
			if form := get(h, "/api/films/1/?_method="+method).find("form", "method", "post"); len(form) == 1 != (test.form && sent) {
				t.Errorf("%s: %d forms for %s", test.reason, len(form), method)
			}
		}
		if _, got := page.links()["Delete"]; got != test.delete {
			t.Errorf("%s: there is a link to the deletion: %t", test.reason, got)
		}
		asking := strings.Contains(get(h, "/api/films/1/?_method=DELETE").text, "Delete Nächte & <Tage>?")
		if asking != test.delete {
			t.Errorf("%s: the page asks whether to delete: %t", test.reason, asking)
		}
	}
}

// The form is not read if the authorizer or Options.Permit does not permit the change.
func TestForbiddenChangeIsNotRead(t *testing.T) {
	denied := newService().handler(t, httpapi.Options{})
	others := newService().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll, Permit: func(*http.Request, string, schema.Actions, []byte) error { return httpapi.Forbidden("") }})
	for i, method := range []string{"PATCH", "DELETE", "PATCH", "DELETE"} {
		h := []http.Handler{denied, others}[i/2]
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

// A record that another visitor changes while a form is open keeps that change, with entity tags and
// without them.
func TestConcurrentChange(t *testing.T) {
	tests := []struct {
		reason  string
		other   string            // change of the other visitor
		changes map[string]string // of this one
		status  int
		want    string            // title, minutes and status that are stored
		form    map[string]string // values of the form after a conflict
		text    []string          // on the page after a conflict
	}{
		{"nobody else", `{}`, map[string]string{"minutes": "80"}, 303, "Rope 80 announced", nil, nil},
		{"what the form does not show", `{"code":"x"}`, map[string]string{"minutes": "80"}, 303, "Rope 80 announced", nil, nil},
		{"another field", `{"title":"The Rope"}`, map[string]string{"minutes": "80"}, 412, "The Rope 77 announced",
			map[string]string{"title": "The Rope", "minutes": "80", "status": "announced"}, []string{"The record has changed since the form was opened"}},
		{"the same field", `{"title":"The Rope","status":"released"}`, map[string]string{"title": "Ropes"}, 412, "The Rope 77 released",
			map[string]string{"title": "Ropes", "minutes": "77", "status": "released"}, []string{"It has been changed in the meantime: The Rope"}},
		{"an object of a list more", `{"reels":[{"metres":300},{"metres":9}]}`, map[string]string{"minutes": "80"}, 412, "Rope 77 announced",
			map[string]string{"reels[1]metres": "9"}, nil},
		{"an object of a list less", `{"reels":[]}`, map[string]string{"minutes": "80"}, 412, "Rope 77 announced",
			map[string]string{"minutes": "80", "reels[0]metres": ""}, nil},
	}
	for i := range 2 * len(tests) {
		test, tags := tests[i/2], i%2 > 0
		t.Run(fmt.Sprintf("%s, tags: %t", test.reason, tags), func(t *testing.T) {
			h, films := ropePages(t, tags, nil)
			page := changeForm(t, h)
			films.change(t, test.other)
			got := page.save(t, h, test.changes)
			if stored := films.stored(t); got.status != test.status || stored != test.want {
				t.Fatalf("status %d, stored %q, want %d and %q: %s", got.status, stored, test.status, test.want, got.text)
			}
			if test.status == 303 {
				return
			}
			checkAccessible(t, got)
			values := got.formValues("post", nil)
			for name, want := range test.form {
				if values.Get(name) != want {
					t.Errorf("%s in the form: %q, want %q", name, values.Get(name), want)
				}
			}
			for _, want := range append(test.text, "Not stored") {
				if !strings.Contains(got.text, want) {
					t.Errorf("the page does not show %q: %s", want, got.text)
				}
			}
			if got := got.save(t, h, nil); got.status != 303 { // the visitor saves again
				t.Errorf("the second attempt: %d %s", got.status, got.text)
			}
			for name, want := range test.changes {
				if !strings.Contains(films.stored(t), want) {
					t.Errorf("%s is not stored: %s", name, films.stored(t))
				}
			}
		})
	}
}

// A record that another visitor changes after it has been compared with what the form or the page has
// shown is not written either.
func TestChangeDuringWrite(t *testing.T) {
	for _, method := range []string{"PATCH", "DELETE"} {
		for _, change := range []string{`{"title":"The Rope"}`, ""} {
			var films ropes
			meanwhile := func() {
				if change != "" {
					films.change(t, change)
				}
			}
			var h http.Handler
			h, films = ropePages(t, false, meanwhile)
			page := get(h, "/api/films/1/?_method="+method)
			got := page.save(t, h, map[string]string{"minutes": "80"})
			switch {
			case change == "" && got.status != 303:
				t.Errorf("%s without a change: %d %s", method, got.status, got.text)
			case change != "" && (got.status != 412 || films.stored(t) != "The Rope 77 announced"):
				t.Errorf("%s: %d, stored %s: %s", method, got.status, films.stored(t), got.text)
			}
		}
	}
}

// ropes is a collection with one film.
type ropes struct {
	catalogue.AnyCollection
	meanwhile func() // what happens before a write
}

func (r ropes) Update(ctx context.Context, segment string, e catalogue.Edit) ([]byte, error) {
	r.meanwhile()
	return r.AnyCollection.Update(ctx, segment, e)
}

func (r ropes) Delete(ctx context.Context, segment string, filter schema.Filter, precondition func([]byte) error) error {
	r.meanwhile()
	return r.AnyCollection.Delete(ctx, segment, filter, precondition)
}

// rope is a film of which a form does not show all.
type rope struct {
	ID      int    `json:"id"`
	Title   string `json:"title" backlist:"unique"`
	Minutes int    `json:"minutes" backlist:"min=1"`
	Status  string `json:"status" backlist:"choices=announced|released,default=announced"`
	Code    string `json:"code" backlist:"hidden,optional"`
	Reels   []struct {
		Metres int `json:"metres"`
	} `json:"reels" backlist:"default=[]"`
}

// ropePages returns pages of a collection with a film, with or without entity tags.
func ropePages(t *testing.T, tags bool, meanwhile func()) (http.Handler, ropes) {
	t.Helper()
	cat, err := catalogue.New(catalogue.Define[rope]("films", catalogue.Options{}))
	must(t, err)
	must(t, cat.Load(strings.NewReader(`{"films":[{"id":1,"title":"Rope","minutes":77,"status":"announced","code":"","reels":[{"metres":300}]}]}`), catalogue.LoadOptions{}))
	films, err := cat.Collection("films")
	must(t, err)
	r := ropes{films, meanwhile}
	if meanwhile == nil {
		r.meanwhile = func() {}
	}
	api, err := httpapi.NewHandler([]httpapi.Collection{r}, httpapi.Options{Authorizer: httpapi.AllowAll, ETags: tags})
	must(t, err)
	return browsing(t, api, Options{}), r
}

func (r ropes) change(t *testing.T, body string) {
	t.Helper()
	if _, err := r.AnyCollection.Update(t.Context(), "1", catalogue.Edit{Body: []byte(body), Partial: true}); err != nil {
		t.Fatal(err)
	}
}

func (r ropes) stored(t *testing.T) string {
	t.Helper()
	text, err := r.Get(t.Context(), "1", schema.Filter{})
	must(t, err)
	var f rope
	must(t, json.Unmarshal(text, &f))
	return fmt.Sprint(f.Title, " ", f.Minutes, " ", f.Status)
}
