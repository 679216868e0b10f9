package main

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/gobacklist/backlist/httpapi/clienttest"
)

// TestExplore runs the client through random scenarios. BACKLIST_SCENARIOS sets their number,
// and BACKLIST_SCENARIOS_SEED the first.
func TestExplore(t *testing.T) {
	fetch := func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		records, err := fetchAll(ctx, client, baseURL+"/api/", "events")
		for _, r := range records {
			ids = append(ids, r.id)
		}
		return ids, err
	}
	n, _ := strconv.Atoi(os.Getenv("BACKLIST_SCENARIOS")) // 0: the default number
	if n == 0 && testing.Short() {
		n = 100
	}
	seed, _ := strconv.ParseUint(os.Getenv("BACKLIST_SCENARIOS_SEED"), 10, 64)
	clienttest.Explore(t, fetch, clienttest.Options{Scenarios: n, Seed: seed})
}
