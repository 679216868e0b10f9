package client_test

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/client"
)

// fetchEvents is a cataloguetest.Fetch.
func fetchEvents(ctx context.Context, http *http.Client, baseURL string) ([]int, error) {
	service, err := client.New(client.Options{BaseURL: baseURL, HTTP: http, Rate: -1})
	if err != nil {
		return nil, err
	}
	var ids []int
	for text, err := range service.All(ctx, "events") {
		if err != nil {
			return nil, err
		}
		record, err := schema.ParseRecord(text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, record.ID)
	}
	return ids, nil
}

func TestVerifyClient(t *testing.T) {
	cataloguetest.VerifyClient(t, fetchEvents, cataloguetest.Verification{})
}

// TestExplore runs the client through random stories. BACKLIST_STORIES sets their number,
// and BACKLIST_STORIES_SEED the first.
func TestExplore(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("BACKLIST_STORIES")) // 0: the default number
	if n == 0 && testing.Short() {
		n = 100
	}
	seed, _ := strconv.ParseUint(os.Getenv("BACKLIST_STORIES_SEED"), 10, 64)
	cataloguetest.Explore(t, fetchEvents, cataloguetest.Exploration{Stories: n, Seed: seed})
}
