package readme

import (
	"encoding/json"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

func TestAgainstTheFake(t *testing.T) {
	house := cataloguetest.New(t)

	answer, err := house.Client.Get(house.URL + "/api/events/?ordering=-start_date")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var page pagination.Envelope[resources.Event]
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		t.Fatal(err)
	}
	if len(page.Results) != 21 || page.Count != house.Catalogue.Events().Count() {
		t.Errorf("%d events of %d", len(page.Results), page.Count)
	}
}
