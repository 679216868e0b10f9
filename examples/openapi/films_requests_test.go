package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

// TestFilters compares the schemas of the filters with the values that the handler
// accepts. It must accept all that are valid. It ignores some values of booleans, and
// dates have more formats than the document has.
func TestFilters(t *testing.T) { inVersions(t, checkFilters) }

func checkFilters(t *testing.T, opts openapi.Options) {
	h, err := httpapi.New(filmHouse(t), httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := describe(t, h, opts)
	for _, tt := range []struct {
		name, value     string
		valid, accepted bool
	}{
		{"status", "released", true, true},
		{"status", "Released", false, false},
		{"status__in", "released,announced", true, true},
		{"status__in", "released,other", true, true},
		{"published", "true", true, true},
		{"published", "yes", false, true},
		{"director", "1", true, true},
		{"director", "x", false, false},
		{"director__in", "1,2", true, true},
		{"director__in", "1,x", false, false},
		{"genres", "1&genres=3", true, true},
		{"genres", "1,3", false, false},
		{"minutes", "90", true, true},
		{"minutes", "90.7", true, true},
		{"minutes", " 90", true, true},
		{"minutes", "-.5e1 ", true, true},
		{"minutes", "5.", true, true},
		{"minutes", "NaN", false, false},
		{"minutes__gte", "x", false, false},
		{"minutes__gte", "1_0", false, false},
		{"minutes__range", "1,100", true, true},
		{"minutes__range", "1", false, false},
		{"minutes__range", "1,2,3", false, false},
		{"minutes__range", "1,x", false, false},
		{"price", "9,90", false, false},
		{"price__in", "9,90", true, true},
		{"price__in", "9,x", false, false},
		{"rating__lt", "1e3", true, true},
		{"released", "2014-11-30", true, true},
		{"released", "2014-11-31", false, false},
		{"released__gte", "11/30/2014", false, true},
		{"released__isnull", "false", true, true},
		{"premiere_at__gte", "2021-10-27T19:15:00%2B02:00", true, true},
		{"premiere_at__gte", "2021-10-27", false, false},
		{"title__icontains", "%25", true, true},
		{"search", "night, city", true, true},
	} {
		query := tt.name + "=" + strings.ReplaceAll(tt.value, " ", "%20")
		_, pointer := d.at("components", "parameters", "Film.filter."+tt.name, "schema")
		value := d.decoded("Film.filter."+tt.name, query)
		err := d.schema(pointer).Validate(value)
		if valid := err == nil; valid != tt.valid {
			t.Errorf("%s: valid = %v, want %v: %v", query, valid, tt.valid, err)
		}
		for _, path := range []string{"/api/films/", "/api/films/1/"} {
			r := request{method: "GET", target: path + "?" + query}
			answer := r.do(h)
			d.checkAt(template(path), r, answer)
			if accepted := answer.Code != http.StatusBadRequest; accepted != tt.accepted {
				t.Errorf("%s?%s: accepted = %v, want %v: %s", path, query, accepted, tt.accepted, answer.Body)
			}
		}
	}
}

// decoded returns the value of a parameter in a query, as its schema and its style
// determine.
func (d *document) decoded(parameter, query string) any {
	d.t.Helper()
	p, _ := d.at("components", "parameters", parameter)
	values, err := url.ParseQuery(query)
	if err != nil {
		d.t.Fatal(err)
	}
	list := values[p["name"].(string)]
	schema := p["schema"].(map[string]any)
	if schema["type"] != "array" {
		return scalar(schema, list[0])
	}
	if p["explode"] == false {
		list = strings.Split(list[0], ",")
	}
	var items []any
	for _, text := range list {
		items = append(items, scalar(schema["items"].(map[string]any), text))
	}
	return items
}

// scalar returns a value as the type in a schema, or as text if it has another type.
func scalar(schema map[string]any, text string) any {
	var value any
	switch err := json.Unmarshal([]byte(text), &value); {
	case err != nil || schema["type"] == "string":
		return text
	default:
		return value
	}
}

// TestFilmBodies compares the schemas of the bodies of three methods with the bodies
// that the handler accepts.
func TestFilmBodies(t *testing.T) { inVersions(t, checkFilmBodies) }

func checkFilmBodies(t *testing.T, opts openapi.Options) {
	house := filmHouse(t)
	h, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	d := describe(t, h, opts)
	const full = `{"title":"T","slug":"SLUG","minutes":1,"price":"1.5","director":1}`
	with := func(member string) string { return strings.TrimSuffix(full, "}") + "," + member + "}" }
	for _, tt := range []struct {
		reason, body string
		valid        bool // and accepted, in POST and PUT
		patch        bool // the same for PATCH
	}{
		{"required members", full, true, true},
		{"no members", `{}`, false, true},
		{"one member", `{"minutes":2}`, false, true},
		{"all members", with(`"synopsis":"","released":"2014-11-30","premiereAt":"2021-10-27T19:15:00Z","rating":7.5,"status":"released","published":true,"genres":[1,3],"awards":[]`), true, true},
		{"null", with(`"released":null,"premiereAt":null,"rating":null`), true, true},
		{"negative minutes", with(`"minutes":-1`), false, false},
		{"minutes out of range", with(`"minutes":2147483648`), false, false},
		{"largest minutes", with(`"minutes":2147483647`), true, true},
		{"too many places", with(`"price":"1.234"`), false, false},
		{"largest price", with(`"price":"-999999.99"`), true, true},
		{"price with too many digits", with(`"price":"1000000"`), false, false},
		{"text as a price", with(`"price":"x"`), false, false},
		{"unknown status", with(`"status":"Released"`), false, false},
		{"null status", with(`"status":null`), false, false},
		{"invalid date", with(`"released":"2014-11-31"`), false, false},
		{"empty date", with(`"released":""`), false, false},
		{"text as a rating", with(`"rating":"x"`), false, false},
		{"null genres", with(`"genres":null`), false, false},
	} {
		for method, target := range map[string]string{"POST": "/api/films/", "PUT": "/api/films/1/", "PATCH": "/api/films/1/"} {
			want := tt.valid
			if method == "PATCH" {
				want = tt.patch
			}
			body := strings.Replace(tt.body, "SLUG", strings.ToLower(method)+strings.ReplaceAll(tt.reason, " ", "-"), 1)
			path := template(target)
			_, pointer := d.at("paths", path, strings.ToLower(method), "requestBody", "content", "application/json", "schema")
			valid := d.schema(pointer).Validate(parse(t, []byte(body))) == nil
			r := request{method: method, target: target, body: body}
			answer := r.do(h)
			d.checkAt(path, r, answer)
			if accepted := answer.Code < 300; valid != want || accepted != want {
				t.Errorf("%s of %s: valid = %v, accepted = %v, want %v: %s", method, tt.reason, valid, accepted, want, answer.Body)
			}
		}
	}
}

// TestFilmRecords validates records that were loaded, or inserted with nil lists.
func TestFilmRecords(t *testing.T) { inVersions(t, checkFilmRecords) }

func checkFilmRecords(t *testing.T, opts openapi.Options) {
	house := filmHouse(t)
	films, err := filmsOf.In(house)
	if err != nil {
		t.Fatal(err)
	}
	if err := insert(films, film{Status: "announced"}); err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	d := describe(t, h, opts)
	for _, target := range []string{"/api/", "/api/films/", "/api/genres/", "/api/directors/?search=anna", "/api/films/3/", "/api/genres/3/", "/api/directors/2/"} {
		r := request{method: "GET", target: target}
		if listed := d.checkAt(template(target), r, r.do(h)); listed != "200" {
			t.Errorf("GET %s is answered with response %s, want 200", target, listed)
		}
	}
}
