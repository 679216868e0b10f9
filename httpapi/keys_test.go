package httpapi

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A country has a key that clients choose, a maker one that the server makes.
type country struct {
	Code     string `json:"code" backlist:"key,maxlength=8"`
	Name     string `json:"name" backlist:"maxlength=30"`
	Position int    `json:"position" backlist:"default=0"`
}

type maker struct {
	ID   string `json:"id" backlist:"key,uuid,readonly"`
	Name string `json:"name" backlist:"maxlength=30"`
}

const makerID = "459142de-ccea-4645-82a0-0403ce80c4b0"

// newKeyed returns a catalogue of records with keys.
func newKeyed(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.New(
		catalogue.Define[country]("countries", catalogue.Options{Description: &schema.Description{Filters: []string{"code", "code__in"}}}),
		catalogue.Define[maker]("makers", catalogue.Options{NewKey: func() string { return "956a7460-5951-45f5-bb10-e88fc8084d2c" }, Description: &schema.Description{Filters: []string{"id", "id__in"}}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	data := `{"countries":[{"code":"x y","name":"Space","position":1},{"code":"%25","name":"Percent","position":0},{"code":"IT","name":"Italy","position":1},{"code":"A/B","name":"Slash","position":0}],
		"makers":[{"id":"` + makerID + `","name":"M"}]}`
	if err := c.Load(strings.NewReader(data), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestKeys checks requests about records with keys. The expectations are those of the recorded
// ones in drf-keys.
func TestKeys(t *testing.T) {
	h, err := New(newKeyed(t), Options{Authorizer: AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	const notFound = `{"detail":"Not found."}`
	for _, row := range []struct {
		method, target, body string
		status               int
		want, why            string
	}{
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
		{"GET", "/api/makers/{459142DECCEA464582A00403CE80C4B0}/", "", 200, `{"id":"` + makerID + `","name":"M"}`, "another spelling"},
		{"GET", "/api/makers/1/", "", 404, notFound, "a number is no UUID"},
		{"GET", "/api/makers/?id=x", "", 400, `{"id":["Enter a valid UUID."]}`, "no UUID in a filter"},
		{"POST", "/api/countries/", `{"code":"IT","name":"N"}`, 400, `{"code":["country with this code already exists."]}`, "a taken key"},
		{"POST", "/api/countries/", `{"code":" new ","name":"N"}`, 201, `{"code":"new","name":"N","position":0}`, "a key is trimmed"},
		{"POST", "/api/countries/", `{"name":"N"}`, 400, `{"code":["This field is required."]}`, "no key"},
		{"PUT", "/api/countries/IT/", `{"code":"IT","name":"N2"}`, 200, `{"code":"IT","name":"N2","position":1}`, "the record's own key"},
		{"PUT", "/api/countries/zz/", `{"code":"zz","name":"N"}`, 404, notFound, "a PUT creates nothing"},
		{"DELETE", "/api/countries/x%20y/", "", 204, "", "a path by the key"},
		{"GET", "/api/countries/x%20y/", "", 404, notFound, "it is deleted"},
		{"POST", "/api/makers/", `{"id":"x","name":"N"}`, 201, `{"id":"956a7460-5951-45f5-bb10-e88fc8084d2c","name":"N"}`, "the server makes the key"},
		{"PATCH", "/api/makers/956a7460-5951-45f5-bb10-e88fc8084d2c/", `{"id":"` + makerID + `"}`, 200, `{"id":"956a7460-5951-45f5-bb10-e88fc8084d2c","name":"N"}`, "a key of the server is read-only"},
	} {
		status, body := send(h, row.method, "http://host.example"+row.target, row.body)
		if status != row.status || row.want != "" && body != row.want {
			t.Errorf("%s: %s %s %s: %d %s, want %d %s", row.why, row.method, row.target, row.body, status, body, row.status, row.want)
		}
	}
}
