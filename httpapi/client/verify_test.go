package client_test

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/httpapi/clienttest"
)

// fetchEvents is a clienttest.Fetch.
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
	clienttest.VerifyClient(t, fetchEvents, clienttest.Options{})
}

// TestExplore runs the client through random scenarios. BACKLIST_SCENARIOS sets their number,
// and BACKLIST_SCENARIOS_SEED the first.
func TestExplore(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("BACKLIST_SCENARIOS")) // 0: the default number
	if n == 0 && testing.Short() {
		n = 100
	}
	seed, _ := strconv.ParseUint(os.Getenv("BACKLIST_SCENARIOS_SEED"), 10, 64)
	clienttest.Explore(t, fetchEvents, clienttest.Options{Scenarios: n, Seed: seed})
}
