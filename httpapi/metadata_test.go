package httpapi

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	common        = `"renders":["application/json"],"parses":["application/json"]`
	eventsOptions = `{"name":"Event List","description":"",` + common
	eventsActions = `,"actions":{"POST":{"id":{"type":"integer","required":false,"readOnly":true,"label":"ID"},"name":{"type":"string","required":true,"readOnly":false,"label":"Name"},"slug":{"type":"slug","required":true,"readOnly":false,"label":"Slug"},"summary":{"type":"string","required":false,"readOnly":false,"label":"Summary"},"description":{"type":"string","required":false,"readOnly":false,"label":"Description"},"location":{"type":"string","required":false,"readOnly":false,"label":"Location"},"startDate":{"type":"datetime","required":true,"readOnly":false,"label":"Start date"},"endDate":{"type":"datetime","required":true,"readOnly":false,"label":"End date"},"published":{"type":"boolean","required":false,"readOnly":false,"label":"Published"},"poster":{"type":"url","required":false,"readOnly":false,"label":"Poster"},"posterWebp":{"type":"url","required":false,"readOnly":false,"label":"Poster webp"},"labels":{"type":"field","required":false,"readOnly":false,"label":"Labels"},"authors":{"type":"field","required":false,"readOnly":false,"label":"Authors"}}}`
	linksOptions  = `{"name":"Social Link List","description":"",` + common
	linksActions  = `,"actions":{"POST":{"id":{"type":"integer","required":false,"readOnly":true,"label":"ID"},"title":{"type":"string","required":true,"readOnly":false,"label":"Title"},"url":{"type":"url","required":true,"readOnly":false,"label":"Url"},"logo":{"type":"url","required":false,"readOnly":false,"label":"Logo"},"type":{"type":"string","required":true,"readOnly":false,"label":"Type"},"author":{"type":"field","required":true,"readOnly":false,"label":"Author"}}}`
)

func TestOptions(t *testing.T) {
	denied := newTestHandler(t, Options{}, nil)
	allowed := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	token := newTestHandler(t, Options{Authorizer: Bearer("secret")}, nil)
	readOnly := newTestHandler(t, Options{Authorizer: AllowAll}, map[string]Collection{"events": newCollection(0)})
	tests := []struct {
		reason      string
		handler     http.Handler
		target      string
		credentials string
		vary, allow string
		body        string
	}{
		{"events, all may post", allowed, "/api/events/", "", authorizedVary, createMethods, eventsOptions + eventsActions + "}"},
		{"events, none may post", denied, "/api/events/", "", authorizedVary, createMethods, eventsOptions + "}"},
		{"events, without the token", token, "/api/events/", "", authorizedVary, createMethods, eventsOptions + "}"},
		{"events, with a wrong token", token, "/api/events/", "Bearer x", authorizedVary, createMethods, eventsOptions + "}"},
		{"events, with the token", token, "/api/events/", "Bearer secret", authorizedVary, createMethods, eventsOptions + eventsActions + "}"},
		{"events that are read-only", readOnly, "/api/events/", "", authorizedVary, readMethods, eventsOptions + "}"},
		{"social links", allowed, "/api/social-links/?format=api", "", "Accept", createMethods, linksOptions + linksActions + "}"},
		{"labels", allowed, "/api/labels/?limit=5&ordering=x&zzz", "", "Accept", readMethods, `{"name":"Label List","description":"",` + common + "}"},
		{"item variants", allowed, "/api/item_variants/", "", "Accept", readMethods, `{"name":"Item Variant List","description":"",` + common + "}"},
		{"root", allowed, "/api/", "", "Accept", readMethods, `{"name":"Api Root","description":"The default basic root view for DefaultRouter",` + common + "}"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			c := call{method: "OPTIONS", target: test.target}
			if test.credentials != "" {
				c.header = http.Header{"Authorization": {test.credentials}}
			}
			want := answer{200, viewHeader(test.vary, test.allow, len(test.body)), test.body}
			if diff := cmp.Diff(want, c.do(test.handler)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
