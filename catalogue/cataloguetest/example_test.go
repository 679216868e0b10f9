package cataloguetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// firstEvent is the program under test: it asks the service for the first event.
func firstEvent(client *http.Client, base string) (string, error) {
	resp, err := client.Get(base + "/api/events/?limit=1")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var page pagination.Envelope[resources.Event]
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil || len(page.Records) == 0 {
		return "", err
	}
	return page.Records[0].Name, nil
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

// What was asked is in the log; assertions about it fail with a difference.
func TestFirstEventAsksOnce(t *testing.T) {
	house := cataloguetest.New(t)
	if _, err := firstEvent(house.Client, house.URL); err != nil {
		t.Fatal(err)
	}
	house.Asked(t, "GET /api/events/?limit=1")
	house.NeverWrote(t)
	if agent := house.Exchanges()[0].Header.Get("User-Agent"); agent != "Go-http-client/1.1" {
		t.Errorf("asked as %s", agent)
	}
}

// eventNames is a program that reads all events, page by page.
func eventNames(ctx context.Context, client *http.Client, base string) (names []string, err error) {
	next := base + "/api/events/"
	for next != "" {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, next, nil)
		if err != nil {
			return nil, err
		}
		resp, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		var page pagination.Envelope[resources.Event]
		err = json.NewDecoder(resp.Body).Decode(&page)
		resp.Body.Close()
		if err != nil {
			return nil, err
		}
		for _, event := range page.Records {
			names = append(names, event.Name)
		}
		next = page.Next
	}
	return names, nil
}

// A walk is right if each page was fetched once.
func TestEventNames(t *testing.T) {
	house := cataloguetest.New(t)
	names, err := eventNames(t.Context(), house.Client, house.URL)
	if len(names) != house.Catalogue.Events().Count() || err != nil {
		t.Errorf("%d names, %v", len(names), err)
	}
	house.WalkedOnce(t, "events")
}

// Fixtures are files: in a program they come from os.DirFS("testdata") or from an
// embed.FS.
func TestFirstEventOfFixtures(t *testing.T) {
	house := cataloguetest.NewWith(t, cataloguetest.Options{Fixtures: fstest.MapFS{
		"events.ndjson": {Data: []byte(
			`{"id": 1, "name": "Later", "slug": "later", "startDate": "2026-06-01T18:00:00Z", "endDate": "2026-06-01T20:00:00Z"}
			{"id": 2, "name": "Sooner", "slug": "sooner", "startDate": "2026-05-01T18:00:00Z", "endDate": "2026-05-01T20:00:00Z"}`)},
	}})
	if name, err := firstEvent(house.Client, house.URL); name != "Sooner" || err != nil {
		t.Errorf("first event: %q, %v", name, err)
	}
}

// With a catalogue of its own a test writes records in Go. Server gives it a port.
func TestFirstEventOfCatalogue(t *testing.T) {
	records := catalogue.New()
	if _, err := records.Events().Insert(resources.Event{Name: "Reading", Slug: "reading"}); err != nil {
		t.Fatal(err)
	}
	house := cataloguetest.NewWith(t, cataloguetest.Options{Catalogue: records, Server: true})
	if name, err := firstEvent(http.DefaultClient, house.URL); name != "Reading" || err != nil {
		t.Errorf("first event: %q, %v", name, err)
	}
}

// An authorizer is the service's, whose refusals a client has to stand. What was
// asked before Forget is not asserted about.
func TestRefusedPost(t *testing.T) {
	house := cataloguetest.NewWith(t, cataloguetest.Options{Empty: true, Authorizer: httpapi.Bearer("s3cret")})
	if _, err := firstEvent(house.Client, house.URL); err != nil {
		t.Fatal(err)
	}
	house.Forget()
	resp, err := house.Client.Post(house.URL+"/api/events/", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("answered with %s", resp.Status)
	}
	house.Asked(t, "POST /api/events/")
}

// In a bubble time is synthetic: a deadline comes without waiting.
func TestEventNamesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := cataloguetest.New(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		time.Sleep(2 * time.Hour)
		if _, err := eventNames(ctx, house.Client, house.URL); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("too late: %v", err)
		}
		house.Asked(t) // nothing
	})
}
