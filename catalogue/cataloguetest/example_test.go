package cataloguetest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// firstEvent is the program under test: it asks the service for the first event.
func firstEvent(client *http.Client, base string) (string, error) {
	answer, err := client.Get(base + "/api/events/?limit=1")
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var page pagination.Envelope[resources.Event]
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil || len(page.Results) == 0 {
		return "", err
	}
	return page.Results[0].Name, nil
}

// What a test with a house looks like. (It is a test and no Example, since only a
// test has the testing.TB that a house belongs to.)
func TestFirstEvent(t *testing.T) {
	house := cataloguetest.New(t)
	err := house.Catalogue.LoadCollection("events", strings.NewReader(`[{"id": 1, "name": "Reading", "slug": "reading",
		"startDate": "2026-05-10T18:00:00+02:00", "endDate": "2026-05-10T20:00:00+02:00"}]`))
	if err != nil {
		t.Fatal(err)
	}
	name, err := firstEvent(house.Client, house.URL)
	if name != "Reading" || err != nil {
		t.Errorf("first event: %q, %v", name, err)
	}
}
