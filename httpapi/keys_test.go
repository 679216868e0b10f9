package httpapi

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A country has a key that clients choose, a maker one that the server makes, an item an id, and a
// ticket a key that either may make.
type country struct {
	Code     string `json:"code" backlist:"key,maxlength=8"`
	Name     string `json:"name" backlist:"maxlength=30"`
	Position int32  `json:"position" backlist:"default=0"`
}

type maker struct {
	ID     string  `json:"id" backlist:"key,uuid,readonly"`
	Name   string  `json:"name" backlist:"maxlength=30"`
	Parent *string `json:"parent" backlist:"refers=makers,ondelete=setnull"`
}

type item struct {
	ID        int      `json:"id"`
	Title     string   `json:"title" backlist:"maxlength=30"`
	Maker     string   `json:"maker" backlist:"refers=makers,ondelete=cascade"`
	Country   *string  `json:"country" backlist:"refers=countries,ondelete=setnull"`
	Countries []string `json:"countries" backlist:"refers=countries"`
	Price     string   `json:"price" backlist:"decimal=6.2,default=0"`
}

type ticket struct {
	ID      string   `json:"id" backlist:"key,uuid,optional"`
	Subject string   `json:"subject" backlist:"maxlength=30"`
	Item    *int     `json:"item" backlist:"refers=items,ondelete=cascade"`
	Country *string  `json:"country" backlist:"refers=countries"`
	Makers  []string `json:"makers" backlist:"refers=makers"`
}

// recordedKeys returns the function that returns the keys that the recorded service makes.
func recordedKeys(collection string) func() string {
	n := 0
	return func() string {
		n++
		b := sha256.Sum256(fmt.Appendf(nil, "%s %d", collection, n))
		b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
	}
}

// newRecordedKeys returns a catalogue as that of the recorded service, in which a key can also be
// a text that no path addresses.
func newRecordedKeys(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	countries := mustDescribe[country](t, "countries")
	countries.Fields[0].Pattern = regexp.MustCompile("")
	countries.Filters = strings.Fields("code code__in code__istartswith code__gte code__lt name__icontains position__gte")
	countries.Search = []string{"^code", "name"}
	c := mustCatalogue(t,
		catalogue.Define[country]("countries", catalogue.Options{Description: &countries}),
		catalogue.Define[maker]("makers", catalogue.Options{NewKey: recordedKeys("makers"), Description: &schema.Description{
			Filters: strings.Fields("id id__in id__gt name name__icontains parent parent__in parent__isnull parent__name__icontains"),
			Search:  []string{"name", "^id", "=parent__id"},
		}}),
		catalogue.Define[item]("items", catalogue.Options{Description: &schema.Description{
			Filters: strings.Fields("maker maker__in country country__in country__isnull countries maker__name__icontains maker__parent " +
				"country__name country__code__istartswith price__gte price__lte"),
			Search:   []string{"title", "=country__code", "maker__name"},
			Sortable: strings.Fields("id title maker country price maker__name country__position"),
		}}),
		catalogue.Define[ticket]("tickets", catalogue.Options{NewKey: recordedKeys("tickets"), Description: &schema.Description{
			Filters: strings.Fields("id id__in item item__isnull country makers item__maker item__maker__in"),
			Search:  []string{"subject", "id", "item__country__code"},
		}}),
	)
	loadFile(t, c, "testdata/keys/dataset.json")
	return c
}

const makerID = "459142de-ccea-4645-82a0-0403ce80c4b0"

// newKeyed returns a catalogue of records with keys.
func newKeyed(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	c := mustCatalogue(t,
		catalogue.Define[country]("countries", catalogue.Options{Description: &schema.Description{Filters: []string{"code", "code__in"}}}),
		catalogue.Define[maker]("makers", catalogue.Options{NewKey: func() string { return "956a7460-5951-45f5-bb10-e88fc8084d2c" }, Description: &schema.Description{Filters: []string{"id", "id__in"}}}),
	)
	data := `{"countries":[{"code":"x y","name":"Space","position":1},{"code":"%25","name":"Percent","position":0},{"code":"IT","name":"Italy","position":1},{"code":"A/B","name":"Slash","position":0}],
		"makers":[{"id":"` + makerID + `","name":"M"}]}`
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	return c
}

// A key that the server chooses and that stays taken is a conflict: the client sends another.
func TestTakenNewKey(t *testing.T) {
	type coupon struct {
		Code string `json:"code" backlist:"key,optional"`
	}
	cat := mustCatalogue(t, catalogue.Define[coupon]("coupons", catalogue.Options{NewKey: func() string { return "taken" }}))
	h := mustHandler(t, cat, Options{Authorizer: AllowAll})
	for i, want := range []int{201, 409, 409} {
		if got := (call{"POST", "/api/coupons/", nil, `{}`}).do(h); got.Status != want {
			t.Errorf("POST %d: %d %s, want %d", i+1, got.Status, got.Body, want)
		}
	}
	if got := (call{"POST", "/api/coupons/", nil, `{"code":"free"}`}).do(h); got.Status != 201 {
		t.Errorf("POST of another key: %d %s, want 201", got.Status, got.Body)
	}
}

// A city has an id, and a path by its name. A parcel has one by a UUID.
type city struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"unique,maxlength=30"`
}

type parcel struct {
	ID     int    `json:"id"`
	Number string `json:"number" backlist:"uuid,unique"`
}

// newCities returns a catalogue of records whose paths have a unique text in place of the id.
func newCities(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	c := mustCatalogue(t,
		catalogue.Define[city]("cities", catalogue.Options{Description: &schema.Description{Lookup: "name"}}),
		catalogue.Define[parcel]("parcels", catalogue.Options{Description: &schema.Description{Lookup: "number"}}),
	)
	data := `{"cities":[{"id":3,"name":"A.B"},{"id":4,"name":"A/B"},{"id":5,"name":"5"}],"parcels":[{"id":1,"number":"` + makerID + `"}]}`
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	return c
}

// asked is a collection that counts the calls of Get.
type asked struct {
	catalogue.AnyCollection
	gets *int
}

func (a asked) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	*a.gets++
	return a.AnyCollection.Get(ctx, segment, filter)
}

// A path with a point tells nothing about a record before the request is authorized, with and without a slash
// at its end: no collection is asked.
func TestPointTellsNothing(t *testing.T) {
	type doc struct {
		Name string `json:"name" backlist:"key"`
	}
	type label struct {
		Slug string `json:"slug" backlist:"key,slug"`
	}
	cat := mustCatalogue(t, catalogue.Define[doc]("docs", catalogue.Options{}), catalogue.Define[label]("labels", catalogue.Options{}))
	must(t, cat.Load(strings.NewReader(`{"docs":[{"name":"notes.txt"}],"labels":[{"slug":"a"}]}`), catalogue.LoadOptions{}))
	gets := 0
	docs, labels := asked{collectionOf(t, cat, "docs"), &gets}, asked{collectionOf(t, cat, "labels"), &gets}
	h := newStubHandler(t, Options{Authorizer: Bearer("x"), AuthorizeReads: true}, docs)
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"} {
		for _, end := range []string{"", "/", "/?format=json"} {
			a, b := call{method: method, target: "/api/docs/notes.txt" + end}.do(h), call{method: method, target: "/api/docs/other.txt" + end}.do(h)
			delete(a.Header, "Location")
			delete(b.Header, "Location")
			if diff := cmp.Diff(a, b); diff != "" || gets != 0 {
				t.Errorf("%s %s: the collection is asked %d times (-record +none):\n%s", method, end, gets, diff)
			}
		}
	}
	for target, want := range map[string]int{"/api/docs/notes.txt/": 200, "/api/docs/other.txt/": 404, "/api/docs/notes.txt": 301} {
		if got := (call{target: target, header: http.Header{"Authorization": {"Bearer x"}}}).do(h); got.Status != want {
			t.Errorf("%s with credentials: %d, want %d", target, got.Status, want)
		}
	}
	gets = 0
	if got := (call{target: "/api/labels/a.json/"}).do(newStubHandler(t, Options{}, labels)); got.Status != 404 || gets != 0 {
		t.Errorf("a slug with a suffix: %d, asked %d times, want 404 without being asked", got.Status, gets)
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
