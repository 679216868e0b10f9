package browse

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
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
		for _, of := range []string{"/api/visits/?limit=1", "/api/visits/1/"} {
			found := make(map[string]int)
			for _, link := range get(h, of).find("a", "href", "*") {
				for _, name := range []string{"countries", "cities"} {
					if strings.HasSuffix(link.attrs["href"], "../"+name+"/"+segment+"/") && link.text == text {
						found[name]++
					}
				}
			}
			if found["countries"] != 2 || found["cities"] != 1 {
				t.Errorf("%s has links to %v, want 2 countries and a city", of, found)
			}
		}
		path := "/api/countries/" + segment + "/"
		page := get(h, path)
		if link := page.links()["Visit 1"]; link != "../../visits/1/" {
			t.Errorf("%s is referred to by %q", path, page.links())
		}
		for _, step := range []struct{ target, body, says string }{
			{path + "?_method=PATCH", "rank=77", " has been changed."},
			{path + "?_method=DELETE", "", "Conflict"},
			{"/api/visits/1/?_method=DELETE", "", " has been deleted."},
			{path + "?_method=DELETE", "", "Country " + text + " has been deleted."},
			{"/api/countries/?_method=POST", "rank=1&code=" + url.QueryEscape(text), "Country " + text + " has been added."},
		} {
			page := do(h, formRequest(step.target, step.body))
			if page.status == http.StatusSeeOther {
				page = page.next(t, h, step.target)
			}
			if link := page.links()["Visit 1"]; step.says == "Conflict" && link != "../../visits/1/" {
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
