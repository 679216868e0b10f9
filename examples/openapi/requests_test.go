package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
)

// Bodies with the required members only.
const (
	newFilm  = `{"title":"T","slug":"new","minutes":1,"price":"1.5","director":1}`
	newEvent = `{"name":"A reading","slug":"reading","startDate":"2026-05-10T18:00:00+02:00","endDate":"2026-05-10T20:00:00Z"}`
	newLink  = `{"title":"T","url":"https://x.example/","type":"t","author":1}`
)

// with returns an object with members appended.
func with(object, members string) string {
	return strings.TrimSuffix(object, "}") + "," + members + "}"
}

// longURL returns the JSON of a URL.
func longURL(size int) string {
	const begin = "https://x.example/"
	return fmt.Sprintf("%q", begin+strings.Repeat("a", size-len(begin)))
}

// TestBodies compares the schemas of bodies with the bodies that the handler accepts.
// It must accept all that are valid, and refuse the others except for the conversions
// that the package's documentation names.
func TestBodies(t *testing.T) {
	h := newHandler(t, newService(t), httpapi.Options{Authorizer: httpapi.AllowAll})
	d := describe(t, h)
	for _, tt := range []struct {
		reason, path, body string
		valid, accepted    bool // by POST and PUT
		patch              bool // valid and accepted by PATCH
	}{
		{"required members", "films", newFilm, true, true, true},
		{"no members", "films", `{}`, false, false, true},
		{"one member", "films", `{"minutes":2}`, false, false, true},
		{"all members", "films", with(newFilm, `"synopsis":"","released":"2014-11-30","premiereAt":"2021-10-27T19:15:00Z","rating":7.5,`+
			`"status":"released","published":true,"awards":[1,3],"reviews":[]`), true, true, true},
		{"null", "films", with(newFilm, `"released":null,"premiereAt":null,"rating":null`), true, true, true},
		{"negative minutes", "films", with(newFilm, `"minutes":-1`), false, false, false},
		{"minutes out of range", "films", with(newFilm, `"minutes":2147483648`), false, false, false},
		{"largest minutes", "films", with(newFilm, `"minutes":2147483647`), true, true, true},
		{"too many places", "films", with(newFilm, `"price":"1.234"`), false, false, false},
		{"largest price", "films", with(newFilm, `"price":"-999999.99"`), true, true, true},
		{"price with too many digits", "films", with(newFilm, `"price":"1000000"`), false, false, false},
		{"text as a price", "films", with(newFilm, `"price":"x"`), false, false, false},
		{"unknown status", "films", with(newFilm, `"status":"Released"`), false, false, false},
		{"null status", "films", with(newFilm, `"status":null`), false, false, false},
		{"invalid date", "films", with(newFilm, `"released":"2014-11-31"`), false, false, false},
		{"empty date", "films", with(newFilm, `"released":""`), false, false, false},
		{"text as a rating", "films", with(newFilm, `"rating":"x"`), false, false, false},
		{"an address", "films", with(newFilm, `"contact":"a@b.example"`), true, true, true},
		{"no address", "films", with(newFilm, `"contact":"b.example"`), false, false, false},
		{"UUID", "films", with(newFilm, `"serial":"01234567-89ab-cdef-0123-456789abcdef"`), true, true, true},
		{"no UUID", "films", with(newFilm, `"serial":"0123456789"`), false, false, false},
		{"keywords", "films", with(newFilm, `"keywords":["ab","cd","ef"]`), true, true, true},
		{"too many keywords", "films", with(newFilm, `"keywords":["ab","cd","ef","gh"]`), false, false, false},
		{"a short keyword", "films", with(newFilm, `"keywords":["a"]`), false, false, false},
		{"takings", "films", with(newFilm, `"takings":{"2001":0.5}`), true, true, true},
		{"takings below the minimum", "films", with(newFilm, `"takings":{"2001":0.4}`), false, false, false},
		{"a list of takings", "films", with(newFilm, `"takings":[1]`), false, false, false},
		{"studio", "films", with(newFilm, `"studio":{"name":"Cine","city":"Turin","lot":""}`), true, true, true},
		{"studio without defaults", "films", with(newFilm, `"studio":{"name":"Cine"}`), true, true, true},
		{"a short name of a studio", "films", with(newFilm, `"studio":{"name":"C"}`), false, false, false},
		{"cuts", "films", with(newFilm, `"cuts":[{"name":"short","minutes":80},{"name":"long","minutes":180}]`), true, true, true},
		{"a cut without minutes", "films", with(newFilm, `"cuts":[{"name":"short","minutes":80},{"name":"long"}]`), false, false, false},
		{"a cut that is null", "films", with(newFilm, `"cuts":[null]`), false, false, false},
		{"null awards", "films", with(newFilm, `"awards":null`), false, false, false},

		{"required members", "events", newEvent, true, true, false},
		{"no members", "events", `{}`, false, false, false},
		{"no slug", "events", strings.Replace(newEvent, `"slug":"reading",`, ``, 1), false, false, false},
		{"null for text", "events", strings.Replace(newEvent, `"reading"`, `null`, 1), false, false, false},
		{"empty name", "events", strings.Replace(newEvent, `"A reading"`, `""`, 1), false, false, false},
		{"slug with a space", "events", strings.Replace(newEvent, `"reading"`, `"a reading"`, 1), false, false, false},
		{"invalid date-time", "events", strings.Replace(newEvent, `"2026-05-10T20:00:00Z"`, `"tomorrow"`, 1), false, false, false},
		{"date-time without an offset", "events", strings.Replace(newEvent, `00Z`, `00`, 1), false, false, false},
		{"empty poster", "events", with(newEvent, `"poster":""`), true, true, false},
		{"empty summary", "events", with(newEvent, `"summary":""`), true, true, false},
		{"ids of labels", "events", with(newEvent, `"labels":[1,2]`), true, true, false},
		{"names of labels", "events", with(newEvent, `"labels":["x"]`), false, false, false},
		{"boolean", "events", with(newEvent, `"published":true`), true, true, false},
		{"invalid boolean", "events", with(newEvent, `"published":"perhaps"`), false, false, false},
		{"boolean as a word", "events", with(newEvent, `"published":"yes"`), false, true, false},
		{"number for text", "events", strings.Replace(newEvent, `"A reading"`, `1984`, 1), false, true, false},

		{"required members", "social-links", newLink, true, true, false},
		{"null for a logo", "social-links", with(newLink, `"logo":null`), true, true, false},
		{"empty logo", "social-links", with(newLink, `"logo":""`), true, true, false},
		{"null for an author", "social-links", strings.Replace(newLink, `:1}`, `:null}`, 1), false, false, false},
		{"id as a string", "social-links", strings.Replace(newLink, `:1}`, `:"1"}`, 1), false, true, false},
		{"invalid URL", "social-links", strings.Replace(newLink, `"https://x.example/"`, `"nowhere"`, 1), false, false, false},
		{"longest URL", "social-links", strings.Replace(newLink, `"https://x.example/"`, longURL(2048), 1), true, true, false},
		{"URL that is too long", "social-links", strings.Replace(newLink, `"https://x.example/"`, longURL(2049), 1), false, false, false},
		{"logo that is too long", "social-links", with(newLink, `"logo":`+longURL(2049)), false, false, false},
	} {
		list := "/api/" + tt.path + "/"
		requests := []request{{"POST", list, tt.body, nil}}
		if tt.path == "films" {
			unique := `"` + strings.ReplaceAll(tt.reason, " ", "-") + `-`
			requests = []request{
				{"POST", list, strings.Replace(tt.body, `"new`, unique+"post", 1), nil},
				{"PUT", list + "1/", strings.Replace(tt.body, `"new`, unique+"put", 1), nil},
				{"PATCH", list + "1/", strings.Replace(tt.body, `"new`, unique+"patch", 1), nil},
			}
		}
		for _, r := range requests {
			wantValid, wantAccepted := tt.valid, tt.accepted
			if r.method == "PATCH" {
				wantValid, wantAccepted = tt.patch, tt.patch
			}
			_, pointer := d.at("paths", r.path(), strings.ToLower(r.method), "requestBody", "content", "application/json", "schema")
			err := d.valid(pointer, parse(t, []byte(r.body)))
			answer := r.do(h)
			d.check(r, answer)
			if accepted := answer.Code < 300; (err == nil) != wantValid || accepted != wantAccepted {
				t.Errorf("%s %s with %s: valid = %v, want %v; accepted = %v, want %v: %v, %s",
					r.method, r.target, tt.reason, err == nil, wantValid, accepted, wantAccepted, err, answer.Body)
			}
		}
	}
}

// TestFilters compares the schemas of the filters with the values that the handler
// accepts. It must accept all that are valid. It ignores some values of booleans, and
// dates have more formats than the document has.
func TestFilters(t *testing.T) {
	h := newHandler(t, newService(t), httpapi.Options{})
	d := describe(t, h)
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
		{"awards", "1&awards=3", true, true},
		{"awards", "1,3", false, false},
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
		err := d.valid(pointer, d.decoded("Film.filter."+tt.name, query))
		if valid := err == nil; valid != tt.valid {
			t.Errorf("%s: valid = %v, want %v: %v", query, valid, tt.valid, err)
		}
		r := request{method: "GET", target: "/api/films/?" + query}
		answer := r.do(h)
		d.check(r, answer)
		if accepted := answer.Code != http.StatusBadRequest; accepted != tt.accepted {
			t.Errorf("%s: accepted = %v, want %v: %s", query, accepted, tt.accepted, answer.Body)
		}
	}
}

// decoded returns the value of a parameter in a query, as its schema and its style
// determine.
func (d *parsedDocument) decoded(parameter, query string) any {
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
	if err := json.Unmarshal([]byte(text), &value); err != nil || schema["type"] == "string" {
		return text
	}
	return value
}
