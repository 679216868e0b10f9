package httpapi

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

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
	countries.Fields[0].Pattern = nil
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

// TestKeys checks requests about records with keys. The expectations are those of the recorded
// ones in drf-keys.
func TestKeys(t *testing.T) {
	h := mustHandler(t, newKeyed(t), Options{Authorizer: AllowAll})
	checkRequests(t, h, []request{
		{"GET", "/api/countries/?limit=2", "", 200, `{"count":4,"next":"http://host.example/api/countries/?limit=2&offset=2","previous":null,"results":[{"code":"%25","name":"Percent","position":0},{"code":"A/B","name":"Slash","position":0}]}`, "by the key"},
		{"GET", "/api/countries/?limit=2&ordering=-position", "", 200, `{"count":4,"next":"http://host.example/api/countries/?limit=2&offset=2&ordering=-position","previous":null,"results":[{"code":"x y","name":"Space","position":1},{"code":"IT","name":"Italy","position":1}]}`, "ties in the direction of the leading term"},
		{"GET", "/api/countries/?limit=1&ordering=id", "", 200, `{"count":4,"next":"http://host.example/api/countries/?limit=1&offset=1&ordering=id","previous":null,"results":[{"code":"%25","name":"Percent","position":0}]}`, "there is no id"},
		{"GET", "/api/countries/IT/", "", 200, `{"code":"IT","name":"Italy","position":1}`, "a path by the key"},
		{"GET", "/api/countries/it/", "", 404, notFound, "letters differ"},
		{"GET", "/api/countries/1/", "", 404, notFound, "a number is no key"},
		{"GET", "/api/countries/x%20y/", "", 200, `{"code":"x y","name":"Space","position":1}`, "an escaped space"},
		{"GET", "/api/countries/%2525/", "", 200, `{"code":"%25","name":"Percent","position":0}`, "an escaped percent sign"},
		{"GET", "/api/countries/A%2FB/", "", 404, "", "no path addresses a slash"},
		{"GET", "/api/countries/IT/?code=x", "", 404, notFound, "a filter hides it"},
		{"GET", "/api/makers/{459142DECCEA464582A00403CE80C4B0}/", "", 200, `{"id":"` + makerID + `","name":"M","parent":null}`, "another spelling"},
		{"GET", "/api/makers/1/", "", 404, notFound, "a number is no UUID"},
		{"GET", "/api/makers/?id=x", "", 400, `{"id":["Enter a valid UUID."]}`, "no UUID in a filter"},
		{"POST", "/api/countries/", `{"code":"IT","name":"N"}`, 400, `{"code":["country with this code already exists."]}`, "a taken key"},
		{"POST", "/api/countries/", `{"code":" new ","name":"N"}`, 201, `{"code":"new","name":"N","position":0}`, "a key is trimmed"},
		{"POST", "/api/countries/", `{"name":"N"}`, 400, `{"code":["This field is required."]}`, "no key"},
		{"PUT", "/api/countries/IT/", `{"code":"IT","name":"N2"}`, 200, `{"code":"IT","name":"N2","position":1}`, "the record's own key"},
		{"PUT", "/api/countries/zz/", `{"code":"zz","name":"N"}`, 404, notFound, "a PUT creates nothing"},
		{"DELETE", "/api/countries/x%20y/", "", 204, "", "a path by the key"},
		{"GET", "/api/countries/x%20y/", "", 404, notFound, "it is deleted"},
		{"POST", "/api/makers/", `{"id":"x","name":"N"}`, 201, `{"id":"956a7460-5951-45f5-bb10-e88fc8084d2c","name":"N","parent":null}`, "the server makes the key"},
		{"PATCH", "/api/makers/956a7460-5951-45f5-bb10-e88fc8084d2c/", `{"id":"` + makerID + `"}`, 200, `{"id":"956a7460-5951-45f5-bb10-e88fc8084d2c","name":"N","parent":null}`, "a key of the server is read-only"},
	})
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
