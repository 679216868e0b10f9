package readme

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// eventNames is the program that is tested: it follows the links.
func eventNames(ctx context.Context, client *http.Client, baseURL string) (names []string, err error) {
	for next := baseURL + "/api/events/"; next != ""; {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, next, nil)
		if err != nil {
			return nil, err
		}
		answer, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		var page pagination.Envelope[resources.Event]
		err = json.NewDecoder(answer.Body).Decode(&page)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			return nil, errors.Join(err, errors.New(answer.Status))
		}
		for _, e := range page.Records {
			names = append(names, e.Name)
		}
		next = page.Next
	}
	return names, nil
}

// eventIDs is one that believes nothing.
func eventIDs(ctx context.Context, c *http.Client, baseURL string) (ids []int, err error) {
	service, err := client.New(client.Options{BaseURL: baseURL, HTTP: c, Rate: -1})
	if err != nil {
		return nil, err
	}
	for text, err := range service.All(ctx, "events") {
		if err != nil {
			return nil, err
		}
		var event struct{ ID int }
		if err := json.Unmarshal(text, &event); err != nil {
			return nil, err
		}
		ids = append(ids, event.ID)
	}
	return ids, nil
}

func TestAgainstTheFake(t *testing.T) {
	house := cataloguetest.New(t)

	names, err := eventNames(t.Context(), house.Client, house.URL)

	if err != nil || len(names) != house.Catalogue.Events().Count() {
		t.Errorf("%d names, %v", len(names), err)
	}
}

func TestEventNames(t *testing.T) {
	t.Parallel() // each house is alone
	house := cataloguetest.New(t)
	err := house.Catalogue.Events().Update(1, func(e *resources.Event) error { e.Name = "Renamed"; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eventNames(t.Context(), house.Client, house.URL); err != nil {
		t.Error(err)
	}
	house.WalkedOnce(t, "events") // each page once, nothing left out
	house.NeverWrote(t)
}

func TestNoEvents(t *testing.T) {
	house := cataloguetest.NewWith(t, cataloguetest.Options{
		Fixtures:   os.DirFS("testdata"), // arrays, saved answers, a record a line; or Empty, or a Catalogue
		Authorizer: httpapi.Bearer("s3cret"),
	})
	eventNames(t.Context(), house.Client, house.URL)
	house.Asked(t, "GET /api/events/") // and nothing else
}

func TestServiceInTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // waits take no time
		house := cataloguetest.New(t)
		slow := house.Break(cataloguetest.Where{Nth: 1}, cataloguetest.Delay(time.Hour))
		house.Break(cataloguetest.Where{Collection: "events", Page: cataloguetest.AtOffset(21)}, cataloguetest.Status(503, "busy"))

		if _, err := eventNames(t.Context(), house.Client, house.URL); err == nil || slow.Count() != 1 {
			t.Errorf("after an hour the second page failed, and nobody said so: %v", err)
		}
	})
}

func TestOurClient(t *testing.T) {
	cataloguetest.VerifyClient(t, eventIDs, cataloguetest.Verification{Collection: "events"})
}
