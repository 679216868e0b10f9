package browse

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// A country has a key, a city an id and a path by its slug. A visit refers to both.
type country struct {
	Code string `json:"code" backlist:"key"`
	Rank int    `json:"rank"`
}

type city struct {
	ID   int    `json:"id"`
	Slug string `json:"slug" backlist:"unique"`
}

type visit struct {
	ID        int      `json:"id"`
	Country   string   `json:"country" backlist:"refers=countries.code"`
	Countries []string `json:"countries" backlist:"refers=countries.code"`
	City      int      `json:"city" backlist:"refers=cities"`
}

// newKeyed returns pages with a country and a city for each text, and a visit of both.
func newKeyed(t testing.TB, texts ...string) http.Handler {
	t.Helper()
	countries := catalogue.Define[country]("countries", catalogue.Options{})
	cities := catalogue.Define[city]("cities", catalogue.Options{Description: &schema.Description{Lookup: "slug"}})
	visits := catalogue.Define[visit]("visits", catalogue.Options{Description: &schema.Description{Filters: []string{"country", "countries", "city"}}})
	c, err := catalogue.New(countries, cities, visits)
	must(t, err)
	err = c.Batch(func(b *catalogue.Batch) error {
		some, err1 := countries.Tx(b)
		towns, err2 := cities.Tx(b)
		both, err3 := visits.Tx(b)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		for i, text := range texts {
			_, err1 := some.Insert(country{text, i})
			_, err2 := towns.Insert(city{Slug: text})
			_, err3 := both.Insert(visit{Country: text, Countries: []string{text}, City: i + 1})
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
		}
		return nil
	})
	must(t, err)
	h, err := httpapi.New(c, httpapi.Options{Authorizer: httpapi.AllowAll})
	must(t, err)
	return browsing(t, h, Options{})
}

// TestKeys follows the links to records whose paths have a text, and changes the records. Many
// others are there, so that names are requested one by one.
func TestKeys(t *testing.T) {
	others := []string{"A/B", "A.B"}
	for i := range maxOptions {
		others = append(others, fmt.Sprintf("other %d", i))
	}
	for text, segment := range map[string]string{
		"x y": "x%20y", "%25": "%2525", "é": "%C3%A9", "a+b": "a+b", "<em>": "%3Cem%3E", `"'&`: "%22%27&", "?#": "%3F%23", "01": "01", "1": "1",
	} {
		h := newKeyed(t, append([]string{text}, others...)...)
		for _, name := range []string{"countries", "cities"} {
			list := "/api/" + name + "/?limit=100"
			link := get(h, list).links()[text]
			if link != "./"+segment+"/?_list=limit%3D100" {
				t.Errorf("the list of %s leads to %q, want %s", name, link, segment)
			}
			if page := follow(t, h, list, link); page.status != 200 || !strings.Contains(page.text, text) {
				t.Errorf("%s of %s: %d %s", link, name, page.status, page.text)
			}
		}
		found := make(map[string]int)
		for _, link := range get(h, "/api/visits/1/").find("a", "href", "*") {
			for _, name := range []string{"countries", "cities"} {
				if strings.HasSuffix(link.attrs["href"], "../"+name+"/"+segment+"/") && link.text == text {
					found[name]++
				}
			}
		}
		if found["countries"] != 2 || found["cities"] != 1 {
			t.Errorf("a visit has links to %v, want 2 countries and a city", found)
		}
		path := "/api/countries/" + segment + "/"
		page := get(h, path)
		if link := page.links()["Visit 1"]; link != "../../visits/1/" {
			t.Errorf("%s is referred to by %q", path, page.links())
		}
		for _, step := range []struct{ target, body, says string }{
			{path + "?_method=PATCH", "rank=77", " has been changed."},
			{path + "?_method=DELETE", "", "Prevent the deletion"},
			{"/api/visits/1/?_method=DELETE", "", " has been deleted."},
			{path + "?_method=DELETE", "", "Country " + text + " has been deleted."},
			{"/api/countries/?_method=POST", "rank=1&code=" + url.QueryEscape(text), "Country " + text + " has been added."},
		} {
			page := do(h, formRequest(step.target, step.body))
			if page.status == http.StatusSeeOther {
				page = page.next(t, h, step.target)
			}
			if link := page.links()["Visit 1"]; step.says == "Prevent the deletion" && link != "../../visits/1/" {
				t.Errorf("%s: the record that refers to it has the link %q", step.target, link)
			}
			if !strings.Contains(page.text, step.says) {
				t.Errorf("%s %s: %s, want %s", step.target, step.body, page.text, step.says)
			}
			if strings.Contains(step.says, "added") && page.links()["Country "+text] != "./"+segment+"/" {
				t.Errorf("%s: no link to the record: %v", step.target, page.links())
			}
		}
	}
}

// TestUnreachable shows records that have no path, and what refers to them, without links.
func TestUnreachable(t *testing.T) {
	points := newKeyed(t, ".", "..")
	for _, target := range []string{"/api/countries/", "/api/cities/", "/api/visits/", "/api/visits/1/"} {
		for text, link := range get(points, target).links() {
			if name := strings.TrimPrefix(text, "Country "); strings.Trim(name, ".") == "" && name != "" && !strings.HasPrefix(link, "?") {
				t.Errorf("%s: %q leads to %s", target, text, link)
			}
		}
	}
	h := newKeyed(t, "A/B", "C/D")
	for _, target := range []string{"/api/countries/", "/api/cities/", "/api/visits/", "/api/visits/1/"} {
		page := get(h, target)
		if !strings.Contains(page.text, "A/B") {
			t.Errorf("%s: %s", target, page.text)
		}
		for text, link := range page.links() {
			if strings.HasPrefix(link, "?") {
				continue // a filter
			}
			if strings.HasPrefix(text, "A/B") || strings.Contains(link, "C/D/") || strings.Contains(link, "/1/") && strings.Contains(link, "cities") {
				t.Errorf("%s: %q leads to %s", target, text, link)
			}
		}
	}
}

// A port has a key of text.
type port struct {
	Name string `json:"name"`
	Code string `json:"code" backlist:"key,maxlength=99"`
}

// A ship has an id, and a path with another text.
type ship struct {
	ID   int    `json:"id"`
	Slug string `json:"slug" backlist:"unique"`
	Name string `json:"name"`
	Mail string `json:"mail" backlist:"unique"`
}

// A voyage has a key that the server makes, and refers by key, by id and by another text.
type voyage struct {
	Key   string   `json:"key" backlist:"key,uuid,readonly"`
	From  *string  `json:"from" backlist:"refers=ports"`
	Ports []string `json:"ports" backlist:"refers=ports"`
	Ship  *int     `json:"ship" backlist:"refers=ships"`
	Owner *string  `json:"owner" backlist:"refers=ships.mail"`
}

const firstVoyage = "00000000-0000-4000-8000-000000000001"

// oddKeys are keys, in order, with characters that HTML, URLs, lists or forms treat in a special
// way.
var oddKeys = [...]string{`"'&amp;`, "$&;:@=", "%25", "<em>", "?q=1#f", "a+b", "a,b", "x y", "é"}

// voyagePages returns pages of ports, of which there are so many more with keys that are numbers,
// of two ships, and of a voyage to all ports with odd keys.
func voyagePages(t *testing.T, more int) (http.Handler, *catalogue.Collection[voyage]) {
	t.Helper()
	definition := catalogue.Define[voyage]("voyages", catalogue.Options{Description: &schema.Description{
		Filters: []string{"from", "from__in", "ports", "ship", "owner", "owner__name", "from__isnull"},
	}})
	cat, err := catalogue.New(
		catalogue.Define[port]("ports", catalogue.Options{}),
		catalogue.Define[ship]("ships", catalogue.Options{Description: &schema.Description{Lookup: "slug"}}),
		definition,
		catalogue.Define[schema.Record]("notes", catalogue.Options{}),
	)
	must(t, err)
	var ports, ships, texts []string
	add := func(key, name string) {
		ports = append(ports, `{"code":`+wire.Quote(key)+`,"name":`+wire.Quote(name)+`}`)
	}
	for _, key := range oddKeys {
		add(key, "Port "+key)
		texts = append(texts, wire.Quote(key))
	}
	add("A/B", "No path")
	add("v1/0", "No path either")
	for i := range more {
		add(fmt.Sprint(i), "")
		ships = append(ships, fmt.Sprintf(`{"id":%d,"slug":"s%d","name":"s%d","mail":"m%d"},`, i+1, i, i, i))
	}
	must(t, cat.Load(strings.NewReader(`{"ports":[`+strings.Join(ports, ",")+`],
		"ships":[`+strings.Join(ships, "")+`{"id":777,"slug":"a b","name":"<Ada>","mail":"ada@x.example"},{"id":778,"slug":"b/c","name":"Bee","mail":"bee@x.example"}],
		"voyages":[{"key":"`+firstVoyage+`","from":"a,b","ports":[`+strings.Join(texts, ",")+`],"ship":777,"owner":"ada@x.example"},
			{"key":"00000000-0000-4000-8000-000000000002","from":"A/B","ports":["v1/0"],"ship":778,"owner":"bee@x.example"},
			{"key":"00000000-0000-4000-8000-000000000003","from":null,"ports":[],"ship":999,"owner":"nobody"}],
		"notes":[{"id":1,"port":"a,b"},{"id":2,"port":["x y"]}]}`), catalogue.LoadOptions{}))
	h, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	must(t, err)
	voyages, err := definition.In(cat)
	must(t, err)
	return browsing(t, h, Options{}), voyages
}

// Every reference leads to the record with that name, and from there back, whether or not the form
// has all records. No link leads to a record that no path can address.
func TestLinksByText(t *testing.T) {
	const target = "/api/voyages/" + firstVoyage + "/"
	for _, more := range []int{0, 60} {
		h, _ := voyagePages(t, more)
		list, page, ports := get(h, "/api/voyages/"), get(h, target), get(h, "/api/ports/?limit=99")
		for _, key := range oddKeys {
			name := "Port " + key
			got := follow(t, h, target, page.links()[name])
			if got.status != 200 || got.one(t, "h1", "", "").text != name || !strings.Contains(got.text, "Port "+key+" Code "+key+" ") {
				t.Fatalf("%s leads to %q: %d %s", name, page.links()[name], got.status, got.text)
			}
			checkAccessible(t, got)
			at := "/api/ports/" + url.PathEscape(key) + "/"
			if link, _, _ := strings.Cut(ports.links()[name], "?"); "/api/ports/"+strings.TrimPrefix(link, "./") != at {
				t.Errorf("in the list of ports, %s leads to %q", name, link)
			}
			if back := follow(t, h, at, got.links()["Voyages, ports"]); back.status != 200 || !strings.Contains(back.text, "Ports: Port "+key+" ×") {
				t.Errorf("from %s back to the voyages: %d %s", name, back.status, back.text)
			}
			if back := follow(t, h, at, got.links()["Voyage "+firstVoyage]); back.text != page.text {
				t.Errorf("from %s back to the voyage: %s", name, back.text)
			}
		}
		for i, test := range []struct{ name, link, title string }{
			{firstVoyage, "./" + firstVoyage + "/", "Voyage " + firstVoyage},
		} {
			if got := follow(t, h, "/api/voyages/", list.links()[test.name]); list.links()[test.name] != test.link || got.one(t, "h1", "", "").text != test.title {
				t.Errorf("%d: %s leads to %q: %s", i, test.name, list.links()[test.name], got.text)
			}
		}
		if key, heads := ports.headers()[0], ports.find("th", "scope", "row"); key != "Name⇅" || len(heads) != len(oddKeys)+2+more {
			t.Errorf("the key is not the header of the rows: %s", ports.body)
		}
		if links := get(h, "/api/notes/1/").links(); links["Port a,b"] != "../../ports/a%2Cb/" && links["Port x y"] != "../../ports/x%20y/" {
			t.Errorf("links of records without described fields: %v", links)
		}
		if names := []string{"A/B v1/0 Bee", "No path No path either Bee"}; !strings.Contains(list.text, names[0]) && !strings.Contains(list.text, names[1]) {
			t.Errorf("the names of records without a path: %s", list.text)
		}
		for _, link := range list.find("a", "href", "*") { // Bee has the slug b/c
			if text := link.text; strings.HasPrefix(link.attrs["href"], "../") && slices.Contains([]string{"No path", "No path either", "A/B", "v1/0", "Bee", "999", "nobody"}, text) {
				t.Errorf("%s leads to %q", text, link.attrs["href"])
			}
		}
		if got := get(h, "/api/ships/"); more == 0 && (got.links()["777"] != "" || got.links()["<Ada>"] != "./a%20b/" || len(got.find("tr", "id", "record-a%20b")) != 1) {
			t.Errorf("the list of ships: %v", got.links())
		}
		ship := get(h, "/api/ships/a%20b/")
		if !strings.Contains(ship.text, "Referred to by Voyages 1 Voyage "+firstVoyage+" Voyages, owner 1 Voyage "+firstVoyage) {
			t.Errorf("the page of a ship: %s", ship.text)
		}
	}
}

// A form of a record offers what it can refer to by text, and sends it unchanged.
func TestFormsOfTexts(t *testing.T) {
	tests := []struct {
		reason  string
		more    int
		control string // of the list
		changes map[string]string
		want    string // from, ports, ship and owner
	}{
		{"nothing is changed", 0, "select", nil, `"a,b" ` + strings.Join(oddKeys[:], "|") + ` 777 ada@x.example`},
		{"the list is no select, and nothing is changed", 60, "textarea", nil, `"a,b" ` + strings.Join(oddKeys[:], "|") + ` 777 ada@x.example`},
		{"references by text", 0, "select", map[string]string{"from": "x y", "owner": "bee@x.example"}, `"x y" ` + strings.Join(oddKeys[:], "|") + ` 777 bee@x.example`},
		{"a list of lines", 60, "textarea", map[string]string{"ports": "<em>\r\n\r\n a,b \r\nx y"}, `"a,b" <em>|a,b|x y 777 ada@x.example`},
		{"nothing", 0, "select", map[string]string{"from": "", "ports": "", "owner": ""}, `null  777 null`},
	}
	for _, test := range tests {
		h, voyages := voyagePages(t, test.more)
		target := "/api/voyages/" + firstVoyage + "/?_method=PATCH"
		page := get(h, target)
		checkAccessible(t, page)
		if got := len(page.find(test.control, "name", "ports")); got != 1 {
			t.Errorf("%s: %d controls %s", test.reason, got, test.control)
		}
		action := page.one(t, "form", "method", "post").attrs["action"]
		if got := do(h, formRequest("/api/voyages/"+firstVoyage+"/"+action, page.formValues("post", test.changes).Encode())); got.status != 303 {
			t.Errorf("%s: %d %s", test.reason, got.status, got.text)
		}
		if got := storedVoyage(t, voyages); got != test.want {
			t.Errorf("%s: stored %s, want %s", test.reason, got, test.want)
		}
	}
	// Of several options, a browser sends each.
	h, voyages := voyagePages(t, 0)
	got := do(h, formRequest("/api/voyages/?_method=POST", url.Values{"from": {"a+b"}, "ports": {"", "a,b", "x y"}, "ship": {"778"}}.Encode()))
	for v := range voyages.All() {
		if v.From != nil && *v.From == "a+b" && slices.Equal(v.Ports, []string{"a,b", "x y"}) {
			page := got.next(t, h, "/api/voyages/")
			if page.links()["Voyage "+v.Key] != "./"+v.Key+"/" || !strings.Contains(page.text, "Voyage "+v.Key+" has been added.") {
				t.Errorf("after the form: %s", page.text)
			}
			return
		}
	}
	t.Errorf("nothing is added: %d %s", got.status, got.text)
}

// A form that changes the text of a path leads to the new path.
func TestPathChanges(t *testing.T) {
	for _, test := range []struct{ slug, location, shows string }{
		{"ä/ö", "../", "2 records"},
		{"a b", "./", "<Ada> has been changed."},
		{"%2F", "../%252F/", "<Ada> has been changed."},
	} {
		h, _ := voyagePages(t, 0)
		page := get(h, "/api/ships/a%20b/?_method=PATCH")
		action := page.one(t, "form", "method", "post").attrs["action"]
		got := do(h, formRequest("/api/ships/a%20b/"+action, page.formValues("post", map[string]string{"slug": test.slug}).Encode()))
		location := got.header.Get("Location")
		if page := got.next(t, h, "/api/ships/a%20b/"); location != test.location || page.status != 200 || !strings.Contains(page.text, test.shows) {
			t.Errorf("%s: %d, to %q: %s", test.slug, got.status, location, page.text)
		}
	}
}

// Filters show the names of what texts refer to, and keep the texts.
func TestFiltersByText(t *testing.T) {
	tests := []struct{ reason, query, shows, count string }{
		{"a key", "from=a,b", "From: Port a,b ×", "1 record"},
		{"several keys", "from__in=x+y,A/B", "From one of Port x y, No path ×", "1 record"},
		{"a list", "ports=x+y&ports=v1/0", "Ports: Port x y × Ports: No path either ×", "2 records"},
		{"a key with a comma", "ports=a,b", "Ports: Port a,b ×", "1 record"},
		{"another text", "owner=bee%40x.example", "Owner: Bee ×", "1 record"},
		{"no record", "from__isnull=true", "From is null ×", "1 record"},
		{"an id", "ship=777", "Ship: <Ada> ×", "1 record"},
	}
	h, _ := voyagePages(t, 0)
	for _, test := range tests {
		page := get(h, "/api/voyages/?"+test.query)
		checkAccessible(t, page)
		if page.status != 200 || !strings.Contains(page.text, test.shows) || !strings.Contains(page.text, test.count) {
			t.Errorf("%s: %d %s", test.reason, page.status, page.text)
		}
		want, _ := url.ParseQuery(test.query)
		sent := get(h, "/api/voyages/?"+page.formValues("filters", nil).Encode())
		location, err := url.Parse(sent.header.Get("Location"))
		must(t, err)
		equal(t, fmt.Sprintf("%s: the form sends something else", test.reason), want, location.Query())
	}
	page := get(h, "/api/voyages/")
	for link, name := range map[string]string{"?ship=777": "<Ada>", "?owner=bee%40x.example": "Bee"} {
		if got := page.one(t, "a", "href", link).text; strings.TrimSpace(got) != name {
			t.Errorf("the facet %s has the name %q, want %q", link, got, name)
		}
	}
}

// storedVoyage returns what the first voyage refers to.
func storedVoyage(t *testing.T, voyages *catalogue.Collection[voyage]) string {
	t.Helper()
	v, err := voyages.By("key").Get(firstVoyage)
	must(t, err)
	from, owner := "null", "null"
	if v.From != nil {
		from = wire.Quote(*v.From)
	}
	if v.Owner != nil {
		owner = *v.Owner
	}
	return fmt.Sprint(from, " ", strings.Join(v.Ports, "|"), " ", *v.Ship, " ", owner)
}

// TestIDsUnderOtherNames reads and changes records whose id is not named id, or is in text.
func TestIDsUnderOtherNames(t *testing.T) {
	type pointer struct {
		Name string `json:"name"`
		ID   *int64 `json:"_id"`
	}
	type named struct {
		Name   string `json:"name"`
		Number uint32 `json:"teamNumber"`
	}
	type quoted struct {
		Name string `json:"name"`
		ID   uint64 `json:"id,string"`
	}
	type player struct {
		ID    int   `json:"id"`
		Team  int64 `json:"team" backlist:"refers=teams"`
		Goals int64 `json:"goals,string"`
	}
	for reason, teams := range map[string]catalogue.AnyDefinition{
		"_id":          catalogue.Define[pointer]("teams", catalogue.Options{}),
		"another name": catalogue.Define[named]("teams", catalogue.Options{ID: "teamNumber"}),
		"in text":      catalogue.Define[quoted]("teams", catalogue.Options{}),
	} {
		cat, err := catalogue.New(teams, catalogue.Define[player]("players", catalogue.Options{Description: &schema.Description{Filters: []string{"team"}}}))
		must(t, err)
		h := newHandlers(t, cat, httpapi.Options{Authorizer: httpapi.AllowAll}).browse
		for _, step := range [][2]string{
			{"/api/teams/", "name=Reds"}, {"/api/teams/", "name=Blues"},
			{"/api/players/", "team=1&goals=5"}, {"/api/players/1/?_method=PATCH", "team=2&goals=7"},
		} {
			if res := do(h, formRequest(step[0], step[1])); res.status != http.StatusSeeOther {
				t.Errorf("%s: %s with %s returns %d %s", reason, step[0], step[1], res.status, res.text)
			}
		}
		for target, want := range map[string][2]string{
			"/api/teams/":     {"Blues", "./2/"},
			"/api/teams/2/":   {"Players, team", "../../players/?team=2"},
			"/api/players/1/": {"Blues", "../../teams/2/"},
		} {
			if links := get(h, target).links(); links[want[0]] != want[1] {
				t.Errorf("%s: the links of %s are %v, want %s to %s", reason, target, links, want[0], want[1])
			}
		}
		if page := get(h, "/api/players/1/?_method=PATCH"); page.one(t, "input", "name", "goals").attrs["value"] != "7" {
			t.Errorf("%s: the form has %v", reason, page.one(t, "input", "name", "goals"))
		}
	}
}

// newNumbers returns pages of teams whose keys are integers, and players who refer to them.
func newNumbers(t testing.TB, others int) http.Handler {
	t.Helper()
	key := schema.Field{Name: "id", Kind: schema.Integer, Key: true, Unique: true, Required: true}
	c, err := catalogue.New(
		catalogue.Define[schema.Record]("teams", catalogue.Options{Description: &schema.Description{Name: "team", Lookup: "id", Actions: schema.AllActions,
			Fields: []schema.Field{key, {Name: "name", Kind: schema.Text}}}}),
		catalogue.Define[schema.Record]("players", catalogue.Options{Description: &schema.Description{Name: "player", Lookup: "id", Actions: schema.AllActions, Filters: []string{"team", "teams"},
			Fields: []schema.Field{key, {Name: "team", Kind: schema.Reference, Refers: "teams", Nullable: true}, {Name: "teams", Kind: schema.References, Refers: "teams"}}}}))
	must(t, err)
	teams := `{"id":0,"name":"Zero"},{"id":-3,"name":"Minus"}`
	for i := range others {
		teams += fmt.Sprintf(`,{"id":%d,"name":"Other"}`, 10+i)
	}
	must(t, c.Load(strings.NewReader(`{"teams":[`+teams+`],"players":[{"id":7,"team":-3,"teams":[0,-3]},{"id":8,"team":null,"teams":[]}]}`), catalogue.LoadOptions{References: true}))
	h, err := httpapi.New(c, httpapi.Options{Authorizer: httpapi.AllowAll})
	must(t, err)
	return browsing(t, h, Options{})
}

// TestKeysOfNumbers follows the links to records whose keys are numbers, and changes them.
func TestKeysOfNumbers(t *testing.T) {
	for _, others := range []int{0, maxListing} {
		h := newNumbers(t, others)
		if link := get(h, "/api/teams/").links()["Minus"]; link != "./-3/" {
			t.Errorf("the list leads to %q", link)
		}
		for _, of := range []string{"/api/players/7/"} {
			found := map[string]int{}
			for _, link := range get(h, of).find("a", "href", "*") {
				if _, segment, ok := strings.Cut(link.attrs["href"], "../teams/"); ok {
					found[segment+" "+link.text]++
				}
			}
			if found["-3/ Minus"] != 2 || found["0/ Zero"] != 1 {
				t.Errorf("%s has links to %v", of, found)
			}
		}
		if link := get(h, "/api/teams/-3/").links()["Player 7"]; link != "../../players/7/" {
			t.Errorf("referred to by %q", link)
		}
		for _, step := range []struct{ target, body, says string }{
			{"/api/players/8/?_method=PATCH", "team=0&teams=-3", " has been changed."},
			{"/api/players/8/?_method=PATCH", "team=99999", "object does not exist"},
			{"/api/players/?_method=POST", "id=9&team=-3&teams=0", " has been added."},
			{"/api/players/?_method=POST", "id=9", "already exists"},
			{"/api/players/?_method=POST", "id=x", "A valid integer is required."},
			{"/api/teams/0/?_method=DELETE", "", "Prevent the deletion"},
			{"/api/players/9/?_method=DELETE", "", "Player 9 has been deleted."},
		} {
			page := do(h, formRequest(step.target, step.body))
			if page.status == http.StatusSeeOther {
				page = page.next(t, h, step.target)
			}
			if !strings.Contains(page.text, step.says) {
				t.Errorf("%s %s: %d %.300s, want %s", step.target, step.body, page.status, page.text, step.says)
			}
		}
	}
}
