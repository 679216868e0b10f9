package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// TestIDsUnderOtherNames serves records whose id is not named id, or is not a number in JSON: in
// pages by cursors, by paths, and in references of a collection of which requests see some records.
func TestIDsUnderOtherNames(t *testing.T) {
	type pointer struct {
		ID   *int64 `json:"_id,omitempty"`
		Name string `json:"name"`
	}
	type named struct {
		Name   string `json:"name"`
		Number uint32 `json:"teamNumber"`
	}
	type quoted struct {
		ID   uint64 `json:"id,string"`
		Name string `json:"name"`
	}
	type player struct {
		ID   int32  `json:"ID"`
		Team *int64 `json:"team" backlist:"refers=teams"`
	}
	for _, row := range []struct {
		reason, name, order string
		quote               string
		teams               catalogue.AnyDefinition
	}{
		{"_id, a pointer", "_id", "id", "", catalogue.Define[pointer]("teams", catalogue.Options{})},
		{"another name", "teamNumber", "team_number", "", catalogue.Define[named]("teams", catalogue.Options{ID: "teamNumber"})},
		{"in text", "id", "id", `"`, catalogue.Define[quoted]("teams", catalogue.Options{})},
	} {
		cat := mustCatalogue(t, row.teams, catalogue.Define[player]("players", catalogue.Options{}))
		h := mustHandler(t, cat, Options{Authorizer: AllowAll, Pages: pagination.Cursors{Limits: pagination.Limits{Default: 1}}})
		member := func(id int) string { return fmt.Sprintf(`"%s":%s%d%s`, row.name, row.quote, id, row.quote) }
		for i, name := range []string{"a", "b", "c"} {
			status, body := send(h, "POST", "/api/teams/", `{"name":"`+name+`",`+member(9)+`}`)
			if status != 201 || !strings.Contains(body, member(i+1)) {
				t.Errorf("%s: a POST returns %d %s, want %s", row.reason, status, body, member(i+1))
			}
		}
		for order, want := range map[string][]int{"": {1, 2, 3}, "?ordering=-" + row.order: {3, 2, 1}, "?ordering=-name": {3, 2, 1}} {
			var page struct {
				Next    *string
				Results []json.RawMessage
			}
			at := "/api/teams/" + order
			for _, id := range want {
				page.Next, page.Results = nil, nil
				must(t, json.Unmarshal([]byte(get(h, at).Body), &page))
				if at == "" || len(page.Results) != 1 || !strings.Contains(string(page.Results[0]), member(id)) {
					t.Errorf("%s: %s has %s, want %s", row.reason, at, page.Results, member(id))
				}
				if at = ""; page.Next != nil {
					at = strings.TrimPrefix(*page.Next, "http://host.example")
				}
			}
			if at != "" {
				t.Errorf("%s: %s is not the end", row.reason, at)
			}
		}
		for _, test := range []struct {
			method, target, body string
			status               int
			want                 string
		}{
			{"PATCH", "/api/teams/2/", `{"name":"B",` + member(7) + `}`, 200, member(2)},
			{"GET", "/api/teams/2/", "", 200, `"B"`},
			{"OPTIONS", "/api/teams/2/", "", 200, `"` + row.name + `":{"type":"integer","required":false,"readOnly":true,"label":"ID"`},
			{"POST", "/api/players/", `{"team":2}`, 201, `{"ID":1,"team":2}`},
			{"POST", "/api/players/", `{"team":4}`, 400, `object does not exist`},
			{"DELETE", "/api/teams/2/", "", 409, "record 1 of players"},
			{"DELETE", "/api/players/1/", "", 204, ""},
			{"DELETE", "/api/teams/2/", "", 204, ""},
			{"GET", "/api/teams/2/", "", 404, ""},
		} {
			if status, body := send(h, test.method, test.target, test.body); status != test.status || !strings.Contains(body, test.want) {
				t.Errorf("%s: %s %s returns %d %s, want %d with %s", row.reason, test.method, test.target, status, body, test.status, test.want)
			}
		}
	}
}

// TestRestrictByAnotherID posts references to records of which a request sees some. Paths name the
// records by a text, references by their id, whose name is another.
func TestRestrictByAnotherID(t *testing.T) {
	type team struct {
		Number int    `json:"teamNumber"`
		Slug   string `json:"slug" backlist:"slug,unique"`
	}
	type player struct {
		ID   int `json:"id"`
		Team int `json:"team" backlist:"refers=teams"`
	}
	teams := catalogue.Define[team]("teams", catalogue.Options{ID: "teamNumber", Description: &schema.Description{Lookup: "slug", Filters: []string{"slug"}}})
	cat := mustCatalogue(t, teams, catalogue.Define[player]("players", catalogue.Options{}))
	must(t, mustIn(teams, cat).ReplaceAll(slices.Values([]team{{1, "a"}, {2, "b"}})))
	mine := Restrict(collectionOf(t, cat, "teams"), func(context.Context) (url.Values, error) { return url.Values{"slug": {"a"}}, nil })
	h := newStubHandler(t, Options{Authorizer: AllowAll}, mine, collectionOf(t, cat, "players"))
	for body, want := range map[string]int{`{"team":1}`: 201, `{"team":2}`: 400} {
		if status, text := send(h, "POST", "/api/players/", body); status != want {
			t.Errorf("a POST of %s returns %d %s, want %d", body, status, text, want)
		}
	}
}
