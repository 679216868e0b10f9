package browse

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/kinds"
)

// names returns the names of the inputs of the form of a page that are not hidden.
func (res result) names() (names []string) {
	for _, tag := range res.tags {
		name := tag.attrs["name"]
		if (tag.name == "input" || tag.name == "textarea" || tag.name == "select") && tag.attrs["type"] != "hidden" && name != "token" {
			names = append(names, name)
		}
	}
	return names
}

// The members of an object and of the objects of a list have inputs of their own.
func TestInputsOfParts(t *testing.T) {
	for _, test := range []struct {
		reason, id, changes string // NAME=VALUE, separated by &
		want                string // of home and lines, or the inputs with errors
	}{
		{"nothing", "1", "", `{"city":"Rome","geo":{"lat":4}} []`},
		{"nothing, where there is no object", "2", "", `null []`},
		{"a member of an object", "1", "home.geo.lat=5", `{"city":"Rome","geo":{"lat":5}} []`},
		{"an object inside an object is emptied", "1", "home.geo.lat=", `{"city":"Rome","geo":null} []`},
		{"an object is emptied", "1", "home.city=&home.geo.lat=", `null []`},
		{"a new object", "2", "home.city=Oslo", `{"city":"Oslo","geo":null} []`},
		{"a new object in a list", "1", "lines[0]city=Oslo&lines[0]geo.lat=-1", `{"city":"Rome","geo":{"lat":4}} [{"city":"Oslo","geo":{"lat":-1}}]`},
		{"of three, one is changed", "3", "lines[1]city=Bonn", `null [{"city":"Ulm","geo":null},{"city":"Bonn","geo":null},{"city":"Lodz","geo":{"lat":51}}]`},
		{"of three, one is removed", "3", "_remove.lines[1]=true", `null [{"city":"Ulm","geo":null},{"city":"Lodz","geo":{"lat":51}}]`},
		{"all are removed", "3", "_remove.lines[0]=true&_remove.lines[1]=true&_remove.lines[2]=true", `null []`},
		{"one is emptied", "3", "lines[0]city=", `null [{"city":"Kiel","geo":null},{"city":"Lodz","geo":{"lat":51}}]`},
		{"an error of an object", "1", "home.city=R&home.geo.lat=x", `home.city: Ensure this field has at least 2 characters. home.geo.lat: A valid integer is required.`},
		{"an error after an object that is removed", "3", "_remove.lines[0]=true&lines[1]city=X", `lines[1]city: Ensure this field has at least 2 characters.`},
		{"an error of a new object", "3", "lines[3]geo.lat=1", `lines[3]city: This field is required.`},
	} {
		h := accounts(t, false)
		target := "/api/accounts/" + test.id + "/?_method=PATCH"
		page := get(h.browse, target)
		checkAccessible(t, page)
		values := page.formValues("post", nil)
		for change := range strings.SplitSeq(test.changes, "&") {
			name, value, _ := strings.Cut(change, "=")
			values.Set(name, value)
		}
		got := do(h.browse, formRequest(target, values.Encode()))
		var members struct{ Home, Lines json.RawMessage }
		must(t, json.Unmarshal([]byte(get(h.plain, "/api/accounts/"+test.id+"/").body), &members))
		now := string(members.Home) + " " + string(members.Lines)
		if got.status == http.StatusBadRequest {
			checkAccessible(t, got)
			var faults []string
			for _, p := range got.find("p", "class", "message") {
				faults = append(faults, strings.TrimPrefix(p.attrs["id"], "fault-")+": "+strings.TrimSpace(p.text))
			}
			now = strings.Join(faults, " ")
		} else if got.status != http.StatusSeeOther {
			t.Errorf("%s: %d %s", test.reason, got.status, got.text)
		}
		equal(t, test.reason, test.want, now)
	}
}

// A form is shown again with one object more, and with what was typed. Nothing is stored.
func TestAnotherItem(t *testing.T) {
	h := accounts(t, false)
	before := get(h.plain, "/api/accounts/").body
	page := get(h.browse, "/api/accounts/3/?_method=PATCH")
	for _, want := range []int{4, 5, 6} {
		if got := strings.Count(strings.Join(page.names(), " "), "]city"); got != want {
			t.Fatalf("inputs %q, want %d objects", page.names(), want)
		}
		values := page.formValues("post", map[string]string{"lines[1]city": "Bonn", "name": ""})
		values.Set("_again", "lines")
		page = do(h.browse, formRequest("/api/accounts/3/?_method=PATCH", values.Encode()))
		checkAccessible(t, page)
		if page.status != http.StatusOK || page.one(t, "input", "name", "lines[1]city").attrs["value"] != "Bonn" || page.one(t, "h1", "", "").text != "Change account 3" || !slices.Equal(page.focused(), []string{fmt.Sprintf("lines[%d]city", want)}) {
			t.Fatalf("%d %s", page.status, page.text)
		}
	}
	equal(t, "the records", before, get(h.plain, "/api/accounts/").body)
	values := page.formValues("post", map[string]string{"lines[5]city": "Wien", "name": "Ann"})
	if got := do(h.browse, formRequest("/api/accounts/3/?_method=PATCH", values.Encode())); got.status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.status, got.text)
	}
	if got := get(h.plain, "/api/accounts/3/").body; !strings.Contains(got, `"name":"Ann"`) || !strings.Contains(got, `{"city":"Bonn","geo":null},{"city":"Lodz","geo":{"lat":51}},{"city":"Wien","geo":null}]`) {
		t.Error(got)
	}
}

// A list of more objects than a form has inputs for is JSON, as is any other value.
func TestManyItems(t *testing.T) {
	for n, want := range map[int]string{maxItems: "lines[0]city", maxItems + 1: "lines"} {
		h := accounts(t, false)
		body := `{"lines":[` + strings.Repeat(`{"city":"Rome"},`, n-1) + `{"city":"Ulm"}]}`
		if got := do(h.plain, request("PATCH", "/api/accounts/1/", body, "Content-Type", "application/json")); got.status != http.StatusOK {
			t.Fatal(got.body)
		}
		page := get(h.browse, "/api/accounts/1/?_method=PATCH")
		if !strings.Contains(" "+strings.Join(page.names(), " ")+" ", " "+want+" ") {
			t.Errorf("%d objects: inputs %q, want %s", n, page.names(), want)
		}
		before := get(h.plain, "/api/accounts/1/").body
		do(h.browse, formRequest("/api/accounts/1/?_method=PATCH", page.formValues("post", nil).Encode()))
		equal(t, "the record", before, get(h.plain, "/api/accounts/1/").body)
	}
}

// What somebody else has changed in the meantime is named at the input of the member.
func TestConflictOfParts(t *testing.T) {
	h := accounts(t, true)
	page := get(h.browse, "/api/accounts/1/?_method=PATCH")
	values := page.formValues("post", map[string]string{"home.city": "Pisa", "lines[0]city": "Bari"})
	do(h.plain, request("PATCH", "/api/accounts/1/", `{"home":{"city":"Turin","geo":null},"name":"Zed"}`, "Content-Type", "application/json"))
	got := do(h.browse, formRequest("/api/accounts/1/"+page.one(t, "form", "method", "post").attrs["action"], values.Encode()))
	if fault := got.find("p", "id", "fault-home.city"); got.status != http.StatusPreconditionFailed || len(fault) != 1 || !strings.Contains(fault[0].text, "Turin") {
		t.Fatalf("%d %s", got.status, got.text)
	}
	do(h.browse, formRequest("/api/accounts/1/"+got.one(t, "form", "method", "post").attrs["action"], got.formValues("post", nil).Encode()))
	if now := get(h.plain, "/api/accounts/1/").body; !strings.Contains(now, `"name":"Zed"`) || !strings.Contains(now, `"home":{"city":"Pisa","geo":null},"lines":[{"city":"Bari","geo":null}]`) {
		t.Error(now)
	}
}

type team struct {
	ID      int    `json:"id"`
	Name    string `json:"name"`
	Lead    int    `json:"lead" backlist:"refers=people"`
	Members []int  `json:"members" backlist:"refers=people"`
}

// A form says that there is nothing to refer to, with a link to whoever may add it. A key can be typed
// as soon as there is a record.
func TestNothingToReferTo(t *testing.T) {
	for _, mayAdd := range []bool{true, false} {
		c, err := catalogue.New(catalogue.Define[person]("people", catalogue.Options{}), catalogue.Define[team]("teams", catalogue.Options{}))
		must(t, err)
		h := newHandlers(t, c, httpapi.Options{Authorizer: func(_ *http.Request, collection string, action schema.Actions) error {
			if !mayAdd && collection == "people" && action == schema.Create {
				return httpapi.Forbidden("")
			}
			return nil
		}})
		page := get(h.browse, "/api/teams/?_method=POST")
		checkAccessible(t, page)
		for _, name := range []string{"lead", "members"} {
			hint, control := page.one(t, "p", "id", "hint-"+name), page.one(t, "input", "name", name).attrs
			_, link := page.links()["Add one"]
			if strings.TrimSpace(hint.text) != "People has no records yet." || control["type"] != "text" || link != mayAdd {
				t.Errorf("%s, may add = %t: %q beside %v, and a link: %t", name, mayAdd, hint.text, control, link)
			}
		}
		if mayAdd {
			form := follow(t, h.browse, "/api/teams/", page.links()["Add one"])
			equal(t, "the link", "Add person", form.one(t, "h1", "", "").text)
			must(t, c.Load(strings.NewReader(`{"people":[{"id":1,"name":"Ann"}]}`), catalogue.LoadOptions{}))
			values := page.formValues("post", map[string]string{"name": "a", "lead": "1", "members": "1"})
			if got := do(h.browse, formRequest("/api/teams/?_method=POST", values.Encode())); got.status != http.StatusSeeOther {
				t.Errorf("%d %s", got.status, got.text)
			}
		}
	}
}

// References to many records are found by a text, without losing what was typed.
func TestFind(t *testing.T) {
	about, err := schema.DescriptionOf[person]("people")
	must(t, err)
	about.Search = []string{"name"}
	c, err := catalogue.New(
		catalogue.Define[person]("people", catalogue.Options{Description: &about}),
		catalogue.Define[team]("teams", catalogue.Options{}),
	)
	must(t, err)
	var people []string
	for i := range 120 {
		people = append(people, fmt.Sprintf(`{"id":%d,"name":"<P%d>"}`, i+1, i+1))
	}
	must(t, c.Load(strings.NewReader(`{"people":[`+strings.Join(people, ",")+`],"teams":[{"id":1,"name":"a","lead":7,"members":[7,9]}]}`), catalogue.LoadOptions{}))
	h := newHandlers(t, c, httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, target := range []string{"/api/teams/?_method=POST", "/api/teams/1/?_method=PATCH"} {
		page := get(h.browse, target)
		checkAccessible(t, page)
		if strings.Contains(target, "PATCH") && !strings.Contains(page.text, "Lead required <P7>") {
			t.Errorf("the name is not shown: %s", page.text)
		}
		for field, want := range map[string]string{"lead": "radio", "members": "checkbox"} {
			page = do(h.browse, formRequest(target, page.formValues("post", map[string]string{"_find." + field: "P11", "name": "typed"}).Encode()))
			checkAccessible(t, page)
			found := page.find("input", "type", want)
			if page.status != http.StatusOK || len(found) != 11 || found[0].attrs["name"] != field || found[0].attrs["value"] != "11" || !strings.Contains(page.text, "<P119>") {
				t.Fatalf("%s: %d, found %v", target, page.status, found)
			}
			if !slices.Equal(page.focused(), []string{field}) {
				t.Errorf("%s: the focus is on %q, want %s", target, page.focused(), field)
			}
			if page.one(t, "input", "name", "name").attrs["value"] != "typed" || page.one(t, "input", "name", "_find."+field).attrs["value"] != "" {
				t.Errorf("%s: %s", target, page.text)
			}
		}
		values := page.formValues("post", nil)
		values.Add("members", "112")
		values.Add("members", "113")
		values.Add("lead", "111")
		if got := do(h.browse, formRequest(target, values.Encode())); got.status != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", target, got.status, got.text)
		}
	}
	want := `[{"id":1,"name":"typed","lead":111,"members":[7,9,112,113]},{"id":2,"name":"typed","lead":111,"members":[112,113]}]}`
	if got := get(h.plain, "/api/teams/").body; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	page := do(h.browse, formRequest("/api/teams/?_method=POST", "_find.lead=nobody"))
	if !strings.Contains(page.text, "Found for “nobody”: nothing") || !slices.Equal(page.focused(), []string{"_find.lead"}) {
		t.Error(page.focused(), page.text)
	}
	page = do(h.browse, formRequest("/api/teams/?_method=POST", "_find.lead=P&_find.members=P1&_again=_find.members"))
	if !strings.Contains(page.text, "Found for “P”: the first 20 of 120") || !strings.Contains(page.text, "Found for “P1”: the first 20 of 32") || !slices.Equal(page.focused(), []string{"members"}) {
		t.Error(page.focused(), page.text)
	}
}

// focused returns the names of the inputs that the page asks the browser to focus.
func (res result) focused() (names []string) {
	for _, kind := range []string{"input", "select", "textarea"} {
		for _, in := range res.find(kind, "autofocus", "*") {
			names = append(names, in.attrs["name"])
		}
	}
	return names
}

// After a record, the form for another one says what has been added.
func TestAddAnother(t *testing.T) {
	h := accounts(t, false)
	got := do(h.browse, formRequest("/api/accounts/?_method=POST&limit=5", url.Values{
		"name": {"Ann"}, "email": {"a@b.example"}, "password": {"secret word"}, "_another": {"true"},
	}.Encode()))
	if want := "?_method=POST&limit=5"; got.status != http.StatusSeeOther || got.header.Get("Location") != want {
		t.Fatalf("%d, Location %q, want %q: %s", got.status, got.header.Get("Location"), want, got.text)
	}
	next := got.next(t, h.browse, "/api/accounts/")
	if !strings.Contains(next.text, "Ann has been added.") || !slices.Equal(next.focused(), []string{"name"}) || next.one(t, "input", "name", "name").attrs["value"] != "" {
		t.Error(next.text)
	}
}

// A form keeps a value of each kind that it shows.
func TestKinds(t *testing.T) {
	m := values.Maker{Choose: rand.New(rand.NewPCG(1, 2)).IntN}
	find := func(context.Context, string, string, string) (int, string, error) { return 1, "", nil }
	for _, f := range values.Fields() {
		about := schema.Description{Fields: []schema.Field{f}}
		if kinds.Of(f.Kind).Control == "" {
			t.Errorf("%v, kind %d, has no control", f.Kind, f.Kind)
		}
		for range 100 {
			value := m.Value(f)
			if valueText(f, value) == "" { // nothing is sent
				continue
			}
			record, err := schema.ParseKeyed([]byte(`{"` + f.Name + `":` + value + `}`))
			must(t, err)
			body := inputsJSON(newInputs("", "", about.Fields, recordTexts(about.Fields, record), false))
			r, err := about.Validate(t.Context(), body, schema.Checks{Find: find})
			if got, _ := r.Get(f.Name); err != nil || got != value {
				t.Fatalf("%v, kind %d: %s becomes %s and is stored as %s, %v", f.Kind, f.Kind, value, body, got, err)
			}
		}
	}
}
