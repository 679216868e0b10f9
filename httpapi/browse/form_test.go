package browse

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

func TestFormFields(t *testing.T) {
	h := newHandlers(t, load(t, "{}"), httpapi.Options{Authorizer: httpapi.AllowAll})
	got := get(h.browse, "/api/events/?_method=POST")
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
	equal(t, "the result", want, names)
	equal(t, "the buttons", []string{"Save", "Save and add another"}, texts(got.find("button", "type", "submit")))
}

func TestPost(t *testing.T) {
	cat := load(t, twoAuthors)
	h := newHandlers(t, cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	got := do(h.browse, formRequest("/api/events/?_method=POST&limit=5&ordering=name", "name=N%C3%A4chte+%26+%3CTage%3E&slug=nights&description=%3Cp%3Ea%0D%0Ab&startDate=2026-05-10T18%3A00"+
		"&endDate=2026-05-10T20%3A00%3A00Z&published=true&poster=https%3A%2F%2Fx.example%2Fp.jpg&labels=&authors=7%2C+9&unknown=x"))
	const location = "?limit=5&ordering=name" // the order and the place are kept
	if got.status != http.StatusSeeOther || got.header.Get("Location") != location || got.body != "" {
		t.Fatalf("status %d, Location %q: %s", got.status, got.header.Get("Location"), got.text)
	}
	const want = `{"count":1,"next":null,"previous":null,"results":[{"id":1,"name":"Nächte & <Tage>","slug":"nights",` +
		`"summary":"","description":"<p>a\nb","location":"","startDate":"2026-05-10T18:00:00Z",` +
		`"endDate":"2026-05-10T20:00:00Z","published":true,"poster":"https://x.example/p.jpg","posterWebp":"","labels":[],"authors":[7,9]}]}`
	equal(t, "the result", want, get(h.plain, "/api/events/").body)
	next := got.next(t, h.browse, "/api/events/")
	if !strings.Contains(next.text, "Nächte & <Tage> has been added.") || len(next.find("tr", "id", "record-1")) != 1 {
		t.Errorf("the page that follows: %s", next.text)
	}
}

// A text that should be JSON and is not is shown again with what is wrong, and where. Nothing is
// sent: a field of any JSON would accept the text.
func TestMisspelledJSON(t *testing.T) {
	for _, target := range []string{"/api/films/?_method=POST", "/api/films/1/?_method=PATCH"} {
		for _, test := range []struct{ reason, text, fault string }{
			{"a comma too many", `{"a": [1,]}`, "line 1 column 10"},
			{"the second line", "{\r\n\t\"a\": é}", "line 2 column 7"},
			{"an end that is missing", `[1`, "line 1 column 3"},
			{"a word", `yes`, "line 1 column 1"},
			{"JSON", " [\r\n1 ] ", ""},
			{"a text in JSON", `"yes"`, ""},
			{"nothing", " ", ""},
		} {
			own := newService()
			page := do(own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll}), formRequest(target, url.Values{"extra": {test.text}}.Encode()))
			if test.fault == "" {
				if page.status != http.StatusSeeOther || len(own.films.calls) != 1 {
					t.Errorf("%s, %s: %d %s", target, test.reason, page.status, page.text)
				}
				continue
			}
			fault := page.find("p", "id", "fault-extra")
			if page.status != 400 || len(fault) != 1 || !strings.HasPrefix(fault[0].text, "JSON parse error - ") || !strings.Contains(fault[0].text, test.fault) || len(own.films.calls) > 0 {
				t.Errorf("%s, %s: %d, %q, writes %q", target, test.reason, page.status, fault, own.films.calls)
			}
			if got := page.formValues("post", nil).Get("extra"); got != test.text {
				t.Errorf("%s, %s: the form has %q, want %q", target, test.reason, got, test.text)
			}
		}
	}
}

func TestPostInvalidRecord(t *testing.T) {
	cat := load(t, twoAuthors)
	h := newHandlers(t, cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	got := do(h.browse, formRequest("/api/events/", "name=&slug=a+b&startDate=2026-05-10&endDate=2026-05-10T20%3A00&published=true&authors=7+8+nine&summary=%22kept%22"))
	if got.status != 400 {
		t.Fatalf("status %d, want 400", got.status)
	}
	tests := []struct{ field, value, message string }{
		{"name", "", "This field is required."},
		{"slug", "a b", `Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`},
		{"startDate", "2026-05-10", "Datetime has wrong format."},
		{"endDate", "2026-05-10T20:00", ""},
		{"summary", `"kept"`, ""},
		{"authors", "7 8 nine", `Invalid pk "8" - object does not exist.`},
	}
	for _, test := range tests {
		field := got.find("input", "name", test.field)[0]
		value := field.attrs["value"]
		if value != test.value {
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
	if events := get(h.plain, "/api/events/").body; !strings.HasPrefix(events, `{"count":0,`) {
		t.Errorf("events %s, want none", events)
	}
}

// Errors that belong to no field of the form are shown above it.
func TestErrorsOfNoField(t *testing.T) {
	for body, want := range map[string]string{
		`{"nonFieldErrors":["Sold out."],"zzz":[["<deep>"]]}`: `Sold out. zzz.0: <deep>`,
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

// A reference to one of many records has its name and a link to look another up.
func TestReferenceToManyRecords(t *testing.T) {
	for _, directors := range []int{50, 51} {
		var records []string
		for i := range directors {
			records = append(records, fmt.Sprintf(`{"id":%d,"name":"<D%d>"}`, i+1, i+1))
		}
		h, _ := filmPages(t, `{"directors":[`+strings.Join(records, ",")+`],"films":[
			{"id":1,"title":"a","released":null,"minutes":1,"price":"1.00","status":"released","director":7}]}`, httpapi.Options{Authorizer: httpapi.AllowAll})
		for _, test := range []struct{ target, named string }{
			{"/api/films/?_method=POST", ""},
			{"/api/films/1/?_method=PATCH", "Director required <D7> ID of a record from Directors."},
		} {
			page := get(h, test.target)
			checkAccessible(t, page)
			hints := page.find("p", "id", "hint-director")
			if directors == 50 {
				if len(hints) != 0 || len(page.find("select", "name", "director")) != 1 {
					t.Errorf("50 directors, %s: %d hints, want a select", test.target, len(hints))
				}
				continue
			}
			if len(hints) != 1 || strings.Contains(page.text, "<D7>") != (test.named != "") || !strings.Contains(page.text, test.named) {
				t.Errorf("51 directors, %s: %s", test.target, page.text)
			}
		}
	}
}

func TestFormJSON(t *testing.T) {
	fields := []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "n", Kind: schema.Integer},
		{Name: "t", Kind: schema.Text, Required: true},
		{Name: "at", Kind: schema.Timestamp},
		{Name: "yes", Kind: schema.Boolean},
		{Name: "ref", Kind: schema.Reference},
		{Name: "refs", Kind: schema.References},
		{Name: "lines", Kind: schema.Array, Item: &schema.Field{Kind: schema.Text}},
		{Name: "any", Kind: schema.JSON},
		{Name: "total", Kind: schema.JSON, Computed: true},
		{Name: "mails", Kind: schema.Array, Item: &schema.Field{Kind: schema.Email}},
		{Name: "sizes", Kind: schema.Array, Item: &schema.Field{Kind: schema.Integer}},
		{Name: "flags", Kind: schema.Array, Item: &schema.Field{Kind: schema.Boolean}},
		{Name: "rates", Kind: schema.Array, Item: &schema.Field{Kind: schema.Float}},
		{Name: "home", Kind: schema.Object, Fields: []schema.Field{{Name: "city", Kind: schema.Text}}},
		{Name: "code", Kind: schema.Reference, Refers: "x", By: "code"},
		{Name: "codes", Kind: schema.References, Refers: "x", By: "code"},
		{Name: "uuid", Kind: schema.UUID},
	}
	tests := []struct{ reason, form, want string }{
		{"empty form", "", `{"yes":false}`},
		{"white space", "n=+&t=&at=%0D%0A&ref=%09&refs=+&lines=&any=", `{"yes":false}`},
		{"numbers", "n=+12+&ref=-7&refs=1,2%3B3+4%0D%0A5", `{"n":12,"yes":false,"ref":-7,"refs":[1,2,3,4,5]}`},
		{"invalid values", "n=1.5&ref=x&refs=1,y", `{"n":"1.5","yes":false,"ref":"x","refs":[1,"y"]}`},
		{"number out of range", "n=99999999999999999999", `{"n":"99999999999999999999","yes":false}`},
		{"number with leading zeros", "n=007", `{"n":"007","yes":false}`},
		{"white space and line endings in text", "t=+a%0D%0Ab+", `{"t":" a\nb ","yes":false}`},
		{"special characters in text", "t=%3C%22%5C%26%00", `{"t":"<\"\\&\u0000","yes":false}`},
		{"invalid UTF-8", "t=%ff", "{\"t\":\"\ufffd\",\"yes\":false}"},
		{"time with an offset", "at=2026-05-10T18:00:00%2B02:00", `{"at":"2026-05-10T18:00:00+02:00","yes":false}`},
		{"time of a browser", "at=2026-05-10T18:00", `{"at":"2026-05-10T18:00:00Z","yes":false}`},
		{"time with seconds", "at=2026-05-10T18:00:59", `{"at":"2026-05-10T18:00:59Z","yes":false}`},
		{"time with a fraction of a second", "at=2026-05-10T18:00:00.25", `{"at":"2026-05-10T18:00:00.25Z","yes":false}`},
		{"invalid time", "at=tomorrow", `{"at":"tomorrow","yes":false}`},
		{"checked box", "yes=true", `{"yes":true}`},
		{"lines", "lines=a%0D%0A%0D%0A+b+", `{"yes":false,"lines":["a","b"]}`},
		{"JSON", `any={"a":[1,null]}`, `{"yes":false,"any":{"a":[1,null]}}`},
		{"lines of another kind", "mails=a@b.example%0D%0Ac@d.example", `{"yes":false,"mails":["a@b.example","c@d.example"]}`},
		{"parts", `sizes=1%0A2&home.city=Rom`, `{"yes":false,"sizes":[1,2],"home":{"city":"Rom"}}`},
		{"booleans and numbers", "flags=true%0Afalse%0A&rates=2.5%0A-1", `{"yes":false,"flags":[true,false],"rates":[2.5,-1]}`},
		{"neither", "flags=true%0Ayes&rates=0x1%0A1", `{"yes":false,"flags":["true","yes"],"rates":["0x1",1]}`},
		{"references by text", "code=+7+&codes=a,+7%0D%0A%0D%0A+b+", `{"yes":false,"code":"7","codes":["a, 7","b"]}`},
		{"UUID", "uuid=+7+", `{"yes":false,"uuid":"7"}`},
		{"computed field", "total=1", `{"yes":false}`},
		{"read-only and unknown fields", "id=9&x=1", `{"yes":false}`},
		{"repeated field", "t=a&t=b", `{"t":"b","yes":false}`},
	}
	for _, test := range tests {
		posted, err := url.ParseQuery(test.form)
		must(t, err)
		// As in the framework, lists of references are empty without values.
		got := string(inputsJSON(newInputs("", "", fields, posted, false)))
		equal(t, test.reason, test.want, strings.NewReplacer(`,"refs":[]`, "", `,"codes":[]`, "").Replace(got))
	}
}

type account struct {
	ID       int      `json:"id"`
	Name     string   `json:"name" backlist:"minlength=2,maxlength=40"`
	Code     string   `json:"code" backlist:"blank"`
	Email    string   `json:"email" backlist:"email,maxlength=60"`
	Tags     []string `json:"tags" backlist:"item.minlength=2"`
	Home     *home    `json:"home"`
	Lines    []home   `json:"lines"`
	Password string   `json:"password" backlist:"hidden,minlength=8"`
}

type home struct {
	City string `json:"city" backlist:"minlength=2"`
	Geo  *struct {
		Lat int `json:"lat"`
	} `json:"geo"`
}

func (h home) Validate(context.Context) error {
	if h.City == "Nowhere" {
		return schema.Invalid("No such place.")
	}
	return nil
}

func (a account) Computed() struct {
	Greeting string `json:"greeting"`
} {
	return struct {
		Greeting string `json:"greeting"`
	}{"Dear " + a.Name}
}

// accounts serves some accounts, with or without entity tags.
func accounts(t *testing.T, tags bool) handlers {
	t.Helper()
	about, err := schema.DescriptionOf[account]("accounts")
	must(t, err)
	about.Filters = []string{"home__city__icontains", "home__geo__lat__gte"}
	about.Fields[2].Pattern, about.Fields[2].Message = regexp.MustCompile(`^[A-Z]+$`), "Capitals only."
	c, err := catalogue.New(catalogue.Define[account]("accounts", catalogue.Options{Description: &about}))
	if err == nil {
		err = c.Load(strings.NewReader(`{"accounts":[
			{"id":1,"name":"Zoe","code":"A","email":"z@b.example","tags":["ab"],"home":{"city":"Rome","geo":{"lat":4}},"lines":[],"password":"secret word"},
			{"id":2,"name":"Tom","code":"","email":"t@b.example","tags":[],"home":null,"lines":[],"password":"another word"},
			{"id":3,"name":"Eve","code":"B","email":"e@b.example","tags":[],"home":null,"lines":[{"city":"Ulm","geo":null},{"city":"Kiel","geo":null},{"city":"Lodz","geo":{"lat":51}}],"password":"a third word"}]}`), catalogue.LoadOptions{})
	}
	must(t, err)
	return newHandlers(t, c, httpapi.Options{Authorizer: httpapi.AllowAll, ETags: tags})
}

// Inputs have the lengths and the pattern of their fields. A hidden field has an input without its
// value and no cell, and a computed one a cell and no input.
func TestInputsOfKinds(t *testing.T) {
	h := accounts(t, false)
	for target, required := range map[string]bool{"/api/accounts/?_method=POST": true, "/api/accounts/1/?_method=PATCH": false} {
		page := get(h.browse, target)
		checkAccessible(t, page)
		for name, want := range map[string]map[string]string{
			"name":     {"type": "text", "minlength": "2", "maxlength": "40"},
			"code":     {"type": "text", "pattern": ".*(?:^[A-Z]+$).*"},
			"email":    {"type": "email", "maxlength": "60"},
			"password": {"type": "password", "minlength": "8", "value": ""},
		} {
			attrs := page.one(t, "input", "name", name).attrs
			for attr, value := range want {
				if attrs[attr] != value {
					t.Errorf("%s: %s of %s is %q, want %q", target, attr, name, attrs[attr], value)
				}
			}
			if _, got := attrs["required"]; name == "password" && got != required {
				t.Errorf("%s: the password is required = %t", target, got)
			}
		}
		if len(page.find("", "name", "greeting")) != 0 || strings.Contains(page.body, "secret") {
			t.Errorf("%s: %s", target, page.text)
		}
	}
	page := get(h.browse, "/api/accounts/1/")
	if !strings.Contains(page.text, "Greeting Dear Zoe") || strings.Contains(page.text, "Password") {
		t.Error(page.text)
	}
}

// Forms send times, durations and choices of integers. Options have the labels of the choices.
func TestFormOfShift(t *testing.T) {
	type shift struct {
		ID     int              `json:"id"`
		Starts schema.Time      `json:"starts"`
		Lasts  *schema.Duration `json:"lasts"`
		Rank   int              `json:"rank" backlist:"choices=0|10,labels=Low|High!"`
		Level  *int             `json:"level" backlist:"choices=1|2"`
	}
	about, err := schema.DescriptionOf[shift]("shifts")
	must(t, err)
	about.Filters = []string{"rank"}
	c, err := catalogue.New(catalogue.Define[shift]("shifts", catalogue.Options{Description: &about}))
	must(t, err)
	h := newHandlers(t, c, httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, row := range []struct{ form, want string }{
		{"starts=8:30&lasts=08:00&rank=10&level=2", `{"id":1,"starts":"08:30:00","lasts":"00:08:00","rank":10,"level":2}`},
		{"starts=23:59:59.5&lasts=&rank=0&level=", `{"id":2,"starts":"23:59:59.500000","lasts":null,"rank":0,"level":null}`},
		{"starts=12:00:07&lasts=1:0&rank=10", `{"id":3,"starts":"12:00:07","lasts":"00:01:00","rank":10,"level":null}`},
		{"starts=00:00&lasts=1 0:0:0&rank=0", `{"id":4,"starts":"00:00:00","lasts":"1 00:00:00","rank":0,"level":null}`},
	} {
		if got := do(h.browse, formRequest("/api/shifts/?_method=POST", row.form)); got.status != http.StatusSeeOther {
			t.Errorf("%s: %d %s", row.form, got.status, got.text)
		}
		equal(t, row.form, row.want, get(h.plain, "/api/shifts/"+row.want[6:7]+"/").body)
	}
	page := get(h.browse, "/api/shifts/2/?_method=PATCH")
	checkAccessible(t, page)
	equal(t, "the options", []string{"Low", "High!", "(none)", "1", "2"}, texts(page.find("option", "", "")))
	// Browsers drop some fractions, so a time with one is text.
	for i, want := range []string{"time 08:30", "text 23:59:59.500000", "time 12:00:07", "time 00:00"} {
		path := fmt.Sprintf("/api/shifts/%d/", i+1)
		page, before := get(h.browse, path+"?_method=PATCH"), get(h.plain, path).body
		starts := page.one(t, "input", "name", "starts").attrs
		equal(t, "the time", want, starts["type"]+" "+starts["value"])
		do(h.browse, formRequest(path+"?_method=PATCH", page.formValues("post", nil).Encode()))
		equal(t, "after the form", before, get(h.plain, path).body)
	}
	if list := get(h.browse, "/api/shifts/?rank=10"); len(list.find("tr", "id", "record-1")) != 1 || !strings.Contains(list.text, "High!") {
		t.Error(list.text)
	}
}

// Messages about parts of a field begin with their paths. What is hidden keeps its value unless a
// new one is sent, and is not sent back.
func TestFaultsOfParts(t *testing.T) {
	h := accounts(t, false)
	got := do(h.browse, formRequest("/api/accounts/1/?_method=PATCH", url.Values{
		"name": {"Z"}, "code": {"A"}, "email": {"z@b.example"}, "tags": {"ab\nc"}, "password": {"qwerty"},
		"home": {`{"city":"R","geo":{"lat":"x"}}`}, "lines": {`[{"city":"Rome"},{"city":"Nowhere"},5]`},
	}.Encode()))
	for name, want := range map[string]string{
		"tags":     "tags.1: Ensure this field has at least 2 characters.",
		"home":     "home.city: Ensure this field has at least 2 characters. home.geo.lat: A valid integer is required.",
		"lines":    "lines.1: No such place. lines.2: Invalid data. Expected a dictionary, but got int.",
		"password": "Ensure this field has at least 8 characters.",
	} {
		if faults := got.find("p", "id", "fault-"+name); len(faults) != 1 || strings.TrimSpace(faults[0].text) != want {
			t.Errorf("%s: %v, want %q", name, faults, want)
		}
	}
	if got.one(t, "input", "name", "password").attrs["value"] != "" || strings.Contains(got.body, "qwerty") || strings.Contains(got.text, `"password"`) {
		t.Error("the form has the password that was sent")
	}
	if got := do(h.browse, formRequest("/api/accounts/1/?_method=PATCH", "name=Ann&code=A&email=z@b.example&tags=ab&password=&lines=[]")); got.status != http.StatusSeeOther {
		t.Errorf("a form without a password: %d %s", got.status, got.text)
	}
}

// A list in one input has a bound, since each element takes many times its length.
func TestLongLists(t *testing.T) {
	h := accounts(t, false)
	for n, want := range map[int]string{maxElements: "Tag ab changed", maxElements + 1: "A list of a form can have at most 10000 elements."} {
		got := do(h.browse, formRequest("/api/accounts/1/?_method=PATCH", "name=Tag+ab+changed&tags="+strings.Repeat("ab%0D%0A", n)))
		if got.status == http.StatusSeeOther {
			got = got.next(t, h.browse, "/api/accounts/1/")
		}
		if !strings.Contains(got.text, want) {
			t.Errorf("%d elements: %d, no %q", n, got.status, want)
		}
	}
}

// A rejected form has no value of a hidden field, whatever its kind.
func TestHiddenValues(t *testing.T) {
	type safe struct {
		ID     int      `json:"id"`
		Name   string   `json:"name" backlist:"maxlength=4"`
		Pin    int      `json:"pin" backlist:"hidden"`
		Words  []string `json:"words" backlist:"hidden"`
		Colour string   `json:"colour" backlist:"hidden,choices=carmine|azure"`
		Note   string   `json:"note" backlist:"hidden"`
	}
	c, err := catalogue.New(catalogue.Define[safe]("safes", catalogue.Options{}))
	must(t, err)
	api, err := httpapi.New(c, httpapi.Options{Authorizer: httpapi.AllowAll})
	must(t, err)
	pages, err := New(api, Options{})
	must(t, err)
	got := do(pages, formRequest("/api/safes/?_method=POST", "name=too+long&pin=7531&words=open%0D%0Asesame&colour=azure&note=plaintext"))
	if got.status != http.StatusBadRequest {
		t.Fatalf("%d %s, want 400", got.status, got.text)
	}
	for _, secret := range []string{"7531", "sesame", `<option value="azure" selected`, `<option selected value="azure"`, "plaintext"} {
		if strings.Contains(got.body, secret) {
			t.Errorf("the form has %s", secret)
		}
	}
}

// No form has the default of a hidden field or of what is inside it. It is that of a record whose input
// is empty.
func TestHiddenDefaults(t *testing.T) {
	type inner struct {
		Depth int `json:"depth" backlist:"default=8642"`
	}
	type vault struct {
		ID     int      `json:"id"`
		Name   string   `json:"name"`
		Pin    int      `json:"pin" backlist:"hidden,default=7531"`
		Words  []string `json:"words" backlist:"hidden"`
		Colour string   `json:"colour" backlist:"hidden,choices=carmine|azure,default=azure"`
		Note   string   `json:"note" backlist:"hidden,default=plaintext"`
		Locked bool     `json:"locked" backlist:"hidden,default=true"`
		Box    inner    `json:"box" backlist:"hidden"`
		Boxes  []inner  `json:"boxes" backlist:"hidden"`
	}
	about, err := schema.DescriptionOf[vault]("vaults")
	must(t, err)
	about.Fields[3].Default, about.Fields[7].Required, about.Fields[7].Default = `["sesame"]`, false, `{"depth":9753}`
	vaults := catalogue.Define[vault]("vaults", catalogue.Options{Description: &about})
	c, err := catalogue.New(vaults)
	must(t, err)
	h := newHandlers(t, c, httpapi.Options{Authorizer: httpapi.AllowAll}).browse
	for _, form := range []result{
		get(h, "/api/vaults/?_method=POST"), do(h, formRequest("/api/vaults/?_method=POST", "name=")), do(h, formRequest("/api/vaults/?_method=POST", "name=a&_again=boxes")),
	} {
		for _, secret := range []string{"7531", "sesame", "azure\" selected", "plaintext", "checked", "true\" selected", "8642", "9753"} {
			if strings.Contains(form.body, secret) {
				t.Errorf("%d: the form has %s", form.status, secret)
			}
		}
	}
	sent := get(h, "/api/vaults/?_method=POST").formValues("post", map[string]string{"name": "a"})
	for _, locked := range []string{"", "false"} {
		sent.Set("locked", locked)
		if got := do(h, formRequest("/api/vaults/?_method=POST", sent.Encode())); got.status != http.StatusSeeOther {
			t.Fatalf("%d %s", got.status, got.text)
		}
	}
	sent = get(h, "/api/vaults/1/?_method=PATCH").formValues("post", map[string]string{"name": "b"})
	if got := do(h, formRequest("/api/vaults/1/?_method=PATCH", sent.Encode())); got.status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.status, got.text)
	}
	want := []vault{{1, "b", 7531, []string{"sesame"}, "azure", "plaintext", true, inner{9753}, []inner{}}, {2, "a", 7531, []string{"sesame"}, "azure", "plaintext", false, inner{9753}, []inner{}}}
	stored, err := vaults.In(c)
	must(t, err)
	equal(t, "the records", want, slices.Collect(stored.All()))
}

// Parameters name members of objects.
func TestFiltersOfParts(t *testing.T) {
	page := get(accounts(t, false).browse, "/api/accounts/?home__city__icontains=rom&home__geo__lat__gte=4")
	checkAccessible(t, page)
	if len(page.find("tr", "id", "record-1")) != 1 || len(page.find("tr", "id", "record-2")) != 0 {
		t.Error(page.text)
	}
	if !strings.Contains(page.text, "Home city contains rom") || page.formValues("filters", nil).Get("home__geo__lat__gte") != "4" {
		t.Error(page.text)
	}
}
