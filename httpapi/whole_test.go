package httpapi

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

type (
	plant struct {
		ID     int     `json:"id"`
		Name   string  `json:"name" backlist:"maxlength=20"`
		Height int     `json:"height"`
		SownOn *string `json:"sownOn" backlist:"date"`
	}
	plantLeaf struct {
		ID    int    `json:"id"`
		Plant int    `json:"plant" backlist:"refers=plants,related=leaves"`
		Shape string `json:"leaf_shape" backlist:"choices=round|long"`
	}
)

// newPlants returns a catalogue of four plants, which are a list without pages, and three leaves. Most
// parameters have names of their own.
func newPlants(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	c := mustCatalogue(t,
		catalogue.Define[plant]("plants", catalogue.Options{Description: &schema.Description{
			Ordering:      []ordering.Term{ordering.Asc("name")},
			Search:        []string{"name", "leaves__leaf_shape"},
			Pages:         pagination.Whole{Max: 4},
			OrderingParam: "sort",
			SearchParam:   "full_text",
			Filters:       []string{"height", "min_height", "max_height", "sown_after", "sown_before", "search"},
			Parameters: map[string]string{
				"min_height": "height__gte", "max_height": "height__lte", "sown_after": "sown_on__gte", "sown_before": "sown_on__lte", "search": "name__icontains",
			},
		}}),
		catalogue.Define[plantLeaf]("leaves", catalogue.Options{Description: &schema.Description{
			Search:        []string{"plant__name"},
			SearchParam:   "of_plant",
			OrderingParam: "search",
			Filters:       []string{"shape", "tall", "height_min", "height_max"},
			Parameters:    map[string]string{"shape": "leaf_shape", "tall": "plant__height__gt", "height_min": "plant__height__gte", "height_max": "plant__height__lte"},
			JSONNames:     true,
		}}),
	)
	data := `{"plants":[{"id":1,"name":"Oak","height":9,"sownOn":null},{"id":2,"name":"Fern","height":1,"sownOn":"2024-05-01"},
		{"id":3,"name":"Elm","height":7,"sownOn":"2023-04-01"},{"id":4,"name":"Moss","height":0,"sownOn":"2024-06-01"}],
		"leaves":[{"id":1,"plant":1,"leaf_shape":"long"},{"id":2,"plant":2,"leaf_shape":"round"},{"id":3,"plant":3,"leaf_shape":"round"}]}`
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	return c
}

// A list without pages of 10,000 records of 1 kB is written in chunks: a request allocates a few words for
// each. Of one that is longer, no more records are read than are allowed, and none is sent.
func TestCostOfWholeLists(t *testing.T) {
	const n, each, fixed = 10_000, 40, 128 << 10 // bytes
	type doc struct {
		ID   int    `json:"id"`
		Text string `json:"text"`
	}
	c := mustCatalogue(t, catalogue.Define[doc]("docs", catalogue.Options{Description: &schema.Description{Pages: pagination.Whole{}}}))
	var records strings.Builder
	for i := range n {
		fmt.Fprintf(&records, `,{"id":%d,"text":%q}`, i+1, strings.Repeat("x", 1000))
	}
	must(t, c.Load(strings.NewReader(`{"docs":[`+records.String()[1:]+`]}`), catalogue.LoadOptions{}))
	h := mustHandler(t, c, Options{Authorizer: AllowAll})
	cost := func(target string, status, size int) {
		t.Helper()
		var before, after runtime.MemStats
		w := newDiscard()
		h.ServeHTTP(w, call{target: target}.request())
		w = newDiscard()
		runtime.ReadMemStats(&before)
		h.ServeHTTP(w, call{target: target}.request())
		runtime.ReadMemStats(&after)
		if got := int(after.TotalAlloc - before.TotalAlloc); got > n*each+fixed || w.status != status || w.size < size {
			t.Errorf("%s: %d, %d bytes, of which %d are allocated; want at most %d", target, w.status, w.size, got, n*each+fixed)
		}
	}
	cost("/api/docs/", 200, n*1000)
	cost("/api/docs/?ordering=-id", 200, n*1000)
	got := call{method: "POST", target: "/api/docs/", body: `{"text":"one more"}`}.do(h)
	equal(t, "the status of one more record", 201, got.Status)
	cost("/api/docs/", 400, 0)

	asked := 0
	films := listFunc{about: newStub(0).Description(), list: func(q catalogue.Query) (catalogue.Listing, error) {
		asked = q.Window.Limit
		return catalogue.Listing{Count: 8}, nil
	}}
	films.about.Pages = pagination.Whole{Max: 7}
	stubs := newStubHandler(t, Options{}, films)
	equal(t, "a list that is too long", `{"detail":"Too many records: the list has 8, and at most 7 are sent."}`, get(stubs, "/api/films/?limit=3").Body)
	equal(t, "the records that are read", 7, asked)
}
