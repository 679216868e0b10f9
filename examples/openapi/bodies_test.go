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

// TestBodies holds what is said of bodies to what is taken: all that is described is,
// and of what is not all but what the package's documentation names is refused.
func TestBodies(t *testing.T) {
	house := sampled(t, sample.Options{})
	h, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	d := describe(t, h, openapi.Options{})
	const link = `{"title":"T","url":"https://x.example/","type":"t","author":1}`
	with := func(object, member string) string { return strings.TrimSuffix(object, "}") + "," + member + "}" }
	url := func(size int) string {
		const begin = "https://x.example/"
		return fmt.Sprintf("%q", begin+strings.Repeat("a", size-len(begin)))
	}
	const events, links = "/api/events/", "/api/social-links/"
	for _, tt := range []struct {
		reason, path, body string
		described, taken   bool
	}{
		{"what is required", events, event, true, true},
		{"what is required", links, link, true, true},
		{"nothing", events, `{}`, false, false},
		{"no slug", events, strings.Replace(event, `"slug":"reading",`, ``, 1), false, false},
		{"null for a text", events, strings.Replace(event, `"reading"`, `null`, 1), false, false},
		{"an empty name", events, strings.Replace(event, `"A reading"`, `""`, 1), false, false},
		{"a slug with a blank", events, strings.Replace(event, `"reading"`, `"a reading"`, 1), false, false},
		{"no date", events, strings.Replace(event, `"2026-05-10T20:00:00Z"`, `"tomorrow"`, 1), false, false},
		{"no offset", events, strings.Replace(event, `00Z`, `00`, 1), false, false},
		{"an empty poster", events, with(event, `"poster":""`), true, true},
		{"an empty summary", events, with(event, `"summary":""`), true, true},
		{"ids of labels", events, with(event, `"labels":[1,2]`), true, true},
		{"names of labels", events, with(event, `"labels":["x"]`), false, false},
		{"no boolean", events, with(event, `"published":"perhaps"`), false, false},
		{"a boolean", events, with(event, `"published":true`), true, true},
		{"null for a logo", links, with(link, `"logo":null`), true, true},
		{"an empty logo", links, with(link, `"logo":""`), true, true},
		{"null for an author", links, strings.Replace(link, `:1}`, `:null}`, 1), false, false},
		{"no URL", links, strings.Replace(link, `"https://x.example/"`, `"nowhere"`, 1), false, false},
		{"a long URL", links, strings.Replace(link, `"https://x.example/"`, url(2048), 1), true, true},
		{"too long a URL", links, strings.Replace(link, `"https://x.example/"`, url(2049), 1), false, false},
		{"too long a logo", links, with(link, `"logo":`+url(2049)), false, false},
		{"a boolean in words", events, with(event, `"published":"yes"`), false, true},
		{"an id in a string", links, strings.Replace(link, `:1}`, `:"1"}`, 1), false, true},
		{"a number for a text", events, strings.Replace(event, `"A reading"`, `1984`, 1), false, true},
	} {
		content := []string{"paths", tt.path, "post", "requestBody", "content", "application/json", "schema"}
		_, pointer := d.at(content...)
		described := d.schema(pointer).Validate(parse(t, []byte(tt.body))) == nil
		answer := request{method: "POST", target: tt.path, body: tt.body}.do(h)
		taken := answer.Code == http.StatusCreated
		if described != tt.described || taken != tt.taken {
			t.Errorf("%s: described %v, want %v; taken %v, want %v: %s", tt.reason, described, tt.described, taken, tt.taken, answer.Body)
		}
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
