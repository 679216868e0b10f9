// Package walk tests two clients that read all films, page by page, from a service that fails
// while it sends the second page.
package walk

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

type film struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// careless checks nothing.
func careless(ctx context.Context, client *http.Client, next string) ([]film, error) {
	var films []film
	for next != "" {
		_, page, err := fetch(ctx, client, next)
		if err != nil {
			return films, err
		}
		films, next = append(films, page.Records...), page.Next
	}
	return films, nil
}

// careful tries again when a page is late, broken, or does not lead to the rest.
func careful(ctx context.Context, client *http.Client, next string) ([]film, error) {
	var films []film
	for tries := 0; next != ""; {
		attempt, cancel := context.WithTimeout(ctx, time.Second)
		status, page, err := fetch(attempt, client, next)
		cancel()
		end := len(films) + len(page.Records)
		follows := page.Next == "" && end == page.Count
		if end < page.Count {
			follows = strings.Contains(page.Next+"&", fmt.Sprintf("offset=%d&", end))
		}
		switch {
		case err != nil:
		case status != http.StatusOK:
			err = fmt.Errorf("status %d", status)
		case !follows:
			err = fmt.Errorf("after %d of %d films, next is %q", end, page.Count, page.Next)
		default:
			films, next, tries = append(films, page.Records...), page.Next, 0
			continue
		}
		if tries++; tries == 4 {
			return films, err
		}
		time.Sleep(time.Duration(tries) * time.Second / 2)
	}
	return films, nil
}

type page = pagination.Envelope[film]

func fetch(ctx context.Context, client *http.Client, url string) (status int, page page, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, page, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, page, err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&page)
	return resp.StatusCode, page, err
}

func TestSecondPage(t *testing.T) {
	lastTooEarly := func(_ *http.Request, page *pagination.Envelope[json.RawMessage]) { page.Next = "" }
	for name, fault := range map[string]cataloguetest.Fault{
		"503":        cataloguetest.Status(503, `{"detail": "busy"}`),
		"cut":        cataloguetest.Truncate(100),
		"wrong next": cataloguetest.Page(lastTooEarly),
		"same next":  cataloguetest.NextIsSelf(),
		"delay":      cataloguetest.Delay(time.Minute),
	} {
		t.Run(name, func(t *testing.T) {
			if films, err := walk(t, fault, careless); err == nil && len(films) == 10 {
				t.Error("the careless client has all films, want it to fail")
			}
			if films, err := walk(t, fault, careful); err != nil || len(films) != 10 {
				t.Errorf("the careful client has %d films and the error %v, want 10", len(films), err)
			}
		})
	}
}

type client func(ctx context.Context, client *http.Client, next string) ([]film, error)

// walk reads ten films from a service that fails once. It takes no time, since the clock is that
// of package synctest.
func walk(t *testing.T, fault cataloguetest.Fault, read client) (films []film, err error) {
	synctest.Test(t, func(t *testing.T) {
		server := cataloguetest.NewWith(t, cataloguetest.Options{
			Definitions: []catalogue.AnyDefinition{catalogue.Define[film]("films", catalogue.Options{})},
			Handler:     httpapi.Options{Root: "/v1/"},
		})
		var records []string
		for id := range 10 {
			records = append(records, fmt.Sprintf(`{"id": %d, "name": "Film %d"}`, id+1, id+1))
		}
		saved := strings.NewReader(`{"films": [` + strings.Join(records, ",") + `]}`)
		if err := server.Catalogue.Load(saved, catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		server.Inject(cataloguetest.Match{Query: url.Values{"offset": {"4"}}, Nth: 1}, fault)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		films, err = read(ctx, server.Client, server.URL+"/v1/films/?limit=4")
	})
	return films, err
}
