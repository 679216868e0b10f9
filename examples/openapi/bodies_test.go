package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
	"github.com/gobacklist/backlist/resources/sample"
)

// TestBodies compares the schemas of bodies with the bodies that the handler accepts.
// It must accept all that are valid, and refuse the others except for the conversions
// that the package's documentation names.
func TestBodies(t *testing.T) { inVersions(t, checkBodies) }

func checkBodies(t *testing.T, opts openapi.Options) {
	house := sampled(t, sample.Options{})
	h, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	d := describe(t, h, opts)
	const link = `{"title":"T","url":"https://x.example/","type":"t","author":1}`
	with := func(object, member string) string { return strings.TrimSuffix(object, "}") + "," + member + "}" }
	url := func(size int) string {
		const begin = "https://x.example/"
		return fmt.Sprintf("%q", begin+strings.Repeat("a", size-len(begin)))
	}
	const events, links = "/api/events/", "/api/social-links/"
	for _, tt := range []struct {
		reason, path, body string
		valid, accepted    bool
	}{
		{"required members", events, event, true, true},
		{"required members", links, link, true, true},
		{"no members", events, `{}`, false, false},
		{"no slug", events, strings.Replace(event, `"slug":"reading",`, ``, 1), false, false},
		{"null for text", events, strings.Replace(event, `"reading"`, `null`, 1), false, false},
		{"empty name", events, strings.Replace(event, `"A reading"`, `""`, 1), false, false},
		{"slug with a space", events, strings.Replace(event, `"reading"`, `"a reading"`, 1), false, false},
		{"invalid date", events, strings.Replace(event, `"2026-05-10T20:00:00Z"`, `"tomorrow"`, 1), false, false},
		{"date without an offset", events, strings.Replace(event, `00Z`, `00`, 1), false, false},
		{"empty poster", events, with(event, `"poster":""`), true, true},
		{"empty summary", events, with(event, `"summary":""`), true, true},
		{"ids of labels", events, with(event, `"labels":[1,2]`), true, true},
		{"names of labels", events, with(event, `"labels":["x"]`), false, false},
		{"invalid boolean", events, with(event, `"published":"perhaps"`), false, false},
		{"boolean", events, with(event, `"published":true`), true, true},
		{"null for a logo", links, with(link, `"logo":null`), true, true},
		{"empty logo", links, with(link, `"logo":""`), true, true},
		{"null for an author", links, strings.Replace(link, `:1}`, `:null}`, 1), false, false},
		{"invalid URL", links, strings.Replace(link, `"https://x.example/"`, `"nowhere"`, 1), false, false},
		{"longest URL", links, strings.Replace(link, `"https://x.example/"`, url(2048), 1), true, true},
		{"URL that is too long", links, strings.Replace(link, `"https://x.example/"`, url(2049), 1), false, false},
		{"logo that is too long", links, with(link, `"logo":`+url(2049)), false, false},
		{"boolean as a word", events, with(event, `"published":"yes"`), false, true},
		{"id as a string", links, strings.Replace(link, `:1}`, `:"1"}`, 1), false, true},
		{"number for text", events, strings.Replace(event, `"A reading"`, `1984`, 1), false, true},
	} {
		content := []string{"paths", tt.path, "post", "requestBody", "content", "application/json", "schema"}
		_, pointer := d.at(content...)
		valid := d.schema(pointer).Validate(parse(t, []byte(tt.body))) == nil
		answer := request{method: "POST", target: tt.path, body: tt.body}.do(h)
		accepted := answer.Code == http.StatusCreated
		if valid != tt.valid || accepted != tt.accepted {
			t.Errorf("%s: valid = %v, want %v; accepted = %v, want %v: %s", tt.reason, valid, tt.valid, accepted, tt.accepted, answer.Body)
		}
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
