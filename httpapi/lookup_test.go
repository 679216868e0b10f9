package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// A city has an id, and a path by its name. A parcel has one by a UUID.
type city struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"unique,maxlength=30"`
}

type parcel struct {
	ID     int    `json:"id"`
	Number string `json:"number" backlist:"uuid,unique"`
}

// TestLookup checks requests about records whose paths have a unique text in place of the id.
func TestLookup(t *testing.T) {
	c := mustCatalogue(t,
		catalogue.Define[city]("cities", catalogue.Options{Description: &schema.Description{Lookup: "name"}}),
		catalogue.Define[parcel]("parcels", catalogue.Options{Description: &schema.Description{Lookup: "number"}}),
	)
	data := `{"cities":[{"id":3,"name":"A.B"},{"id":4,"name":"A/B"},{"id":5,"name":"5"}],"parcels":[{"id":1,"number":"` + makerID + `"}]}`
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	h := mustHandler(t, c, Options{Authorizer: AllowAll})
	const parcel = `{"id":1,"number":"` + makerID + `"}`
	id := 5
	for text, segment := range map[string]string{
		"x y": "x%20y", "%25": "%2525", "é": "%C3%A9", "e\u0301": "e%CC%81", "a+b": "a+b", "a+c": "a%2Bc", "<em>": "%3Cem%3E", "?#": "%3F%23", "01": "01", "6": "6",
	} {
		id++
		quoted := strconv.Quote(text)
		record, path := fmt.Sprintf(`{"id":%d,"name":%s}`, id, quoted), "/api/cities/"+segment+"/"
		renamed := fmt.Sprintf(`{"id":%d,"name":"new name"}`, id)
		checkRequests(t, h, []request{
			{"GET", path, "", 404, notFound, "there is none yet"},
			{"POST", "/api/cities/", `{"name":` + quoted + `}`, 201, record, "any text is a name"},
			{"POST", "/api/cities/", `{"name":` + quoted + `}`, 400, `{"name":["city with this name already exists."]}`, "a taken name"},
			{"GET", path, "", 200, record, "the path has the name"},
			{"GET", "/api/cities/" + segment, "", 301, "", "a missing slash"},
			{"HEAD", path, "", 200, "", "the path has the name"},
			{"GET", fmt.Sprintf("/api/cities/%d/", 1000+id), "", 404, notFound, "a number is a name"},
			{"PUT", path, `{"name":` + quoted + `}`, 200, record, "its own name"},
			{"PATCH", path, `{"name":"5"}`, 400, `{"name":["city with this name already exists."]}`, "that of another city"},
			{"PATCH", path, `{"name":"new name"}`, 200, renamed, "a new name"},
			{"GET", path, "", 404, notFound, "the path has moved"},
			{"GET", "/api/cities/new%20name/", "", 200, renamed, "to the new name"},
			{"PUT", path, `{"name":` + quoted + `}`, 404, notFound, "the path has moved"},
			{"PUT", "/api/cities/new%20name/", `{"name":` + quoted + `}`, 200, record, "and back"},
			{"DELETE", "/api/cities/new%20name/", "", 404, notFound, "the path has moved back"},
			{"DELETE", path, "", 204, "", "the path has the name"},
			{"GET", path, "", 404, notFound, "it is deleted"},
		})
	}
	checkRequests(t, h, []request{
		{"GET", "/api/cities/3/", "", 404, notFound, "the id finds nothing"},
		{"GET", "/api/cities/5/", "", 200, `{"id":5,"name":"5"}`, "a name that is a number"},
		{"GET", "/api/cities/05/", "", 404, notFound, "a number is compared as text"},
		{"GET", "/api/cities/%205/", "", 404, notFound, "white space counts"},
		{"GET", "/api/cities/A.B/", "", 200, `{"id":3,"name":"A.B"}`, "a point is part of a text that a record has"},
		{"GET", "/api/cities/A.C/", "", 404, notFound, "otherwise a point begins a format"},
		{"GET", "/api/cities/A.B.C/", "", 404, notFound, "no record has the text"},
		{"GET", "/api/cities/A%2EB/", "", 200, `{"id":3,"name":"A.B"}`, "an escaped one too"},
		{"GET", "/api/cities/A%2FB/", "", 404, notFound, "a slash ends the segment, even an escaped one"},
		{"DELETE", "/api/cities/A%2FB/", "", 404, notFound, "for every method"},
		{"GET", "/api/cities/%00/", "", 404, notFound, "NUL"},
		{"GET", "/api/cities/%FF/", "", 404, notFound, "no UTF-8"},
		{"GET", "/api/parcels/" + makerID + "/", "", 200, parcel, "the usual form"},
		{"GET", "/api/parcels/" + strings.ToUpper(makerID) + "/", "", 200, parcel, "other letters"},
		{"GET", "/api/parcels/" + strings.ReplaceAll(makerID, "-", "") + "/", "", 200, parcel, "no hyphens"},
		{"GET", "/api/parcels/%7B" + makerID + "%7D/", "", 200, parcel, "braces"},
		{"GET", "/api/parcels/urn:uuid:" + makerID + "/", "", 200, parcel, "a URN"},
		{"GET", "/api/parcels/%20" + makerID + "/", "", 404, notFound, "white space"},
		{"GET", "/api/parcels/1/", "", 404, notFound, "the id"},
		{"PATCH", "/api/parcels/" + strings.ToUpper(makerID) + "/", `{"number":"1111111111114111811111111111111A"}`, 200, `{"id":1,"number":"11111111-1111-4111-8111-11111111111a"}`, "a new number"},
		{"GET", "/api/parcels/" + makerID + "/", "", 404, notFound, "the path has moved"},
		{"GET", "/api/parcels/1111111111114111811111111111111a/", "", 200, `{"id":1,"number":"11111111-1111-4111-8111-11111111111a"}`, "to the new number"},
	})
}

// request is a request with the response to expect. If want is empty, any body is right.
type request struct {
	method, target, body string
	status               int
	want, why            string
}

// checkRequests sends requests one after the other.
func checkRequests(t *testing.T, h http.Handler, rows []request) {
	t.Helper()
	for _, row := range rows {
		got := call{method: row.method, target: "http://host.example" + row.target, body: row.body}.do(h)
		if got.Status != row.status || row.want != "" && got.Body != row.want {
			t.Errorf("%s: %s %s %s: %d %s, want %d %s", row.why, row.method, row.target, row.body, got.Status, got.Body, row.status, row.want)
		}
		if row.status == http.StatusMovedPermanently {
			from, err1 := url.PathUnescape(row.target)
			to, err2 := url.PathUnescape(got.Header["Location"])
			if err := errors.Join(err1, err2); err != nil || to != from+"/" {
				t.Errorf("%s: %s leads to %q, %v", row.why, row.target, to, err)
			}
		}
	}
}

// TestKeyedCursors reads pages whose cursors have the keys of records as positions.
func TestKeyedCursors(t *testing.T) {
	h := mustHandler(t, newKeyed(t), Options{Authorizer: AllowAll, Pages: pagination.Cursors{Limits: pagination.Limits{Default: 2}}})
	checkRequests(t, h, []request{
		{"POST", "/api/makers/", `{"name":"N"}`, 201, "", "another maker"},
		{"GET", "/api/countries/", "", 200, `{"next":"http://host.example/api/countries/?cursor=cD1BJTJGQg%3D%3D","previous":null,"results":[{"code":"%25","name":"Percent","position":0},{"code":"A/B","name":"Slash","position":0}]}`, "p=A%2FB"},
		{"GET", "/api/countries/?cursor=cD1BJTJGQg%3D%3D", "", 200, `{"next":null,"previous":"http://host.example/api/countries/?cursor=cj0xJnA9SVQ%3D","results":[{"code":"IT","name":"Italy","position":1},{"code":"x y","name":"Space","position":1}]}`, "r=1&p=IT"},
		{"GET", "/api/makers/?cursor=cD00NTkxNDJkZS1jY2VhLTQ2NDUtODJhMC0wNDAzY2U4MGM0YjA%3D", "", 200, `{"next":null,"previous":"http://host.example/api/makers/?cursor=cj0xJnA9OTU2YTc0NjAtNTk1MS00NWY1LWJiMTAtZTg4ZmM4MDg0ZDJj","results":[{"id":"956a7460-5951-45f5-bb10-e88fc8084d2c","name":"N","parent":null}]}`, "p=459142de-…"},
	})
}
