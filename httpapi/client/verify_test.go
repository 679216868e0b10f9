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
	"github.com/gobacklist/backlist/pagination"
)

// fetchEvents returns a clienttest.Fetch of pages of a style.
func fetchEvents(pages pagination.Style) clienttest.Fetch {
	return func(ctx context.Context, http *http.Client, baseURL string) ([]int, error) {
		service, err := client.New(client.Options{BaseURL: baseURL, HTTP: http, Rate: -1, Pages: pages})
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
}

// styles are the styles of pages that a client reads.
var styles = map[string]pagination.Style{
	"offsets": nil, "numbers": pagination.Numbers{}, "numbers and sizes": pagination.Numbers{Page: "p", Size: "page_size"},
	"cursors": pagination.Cursors{}, "cursors and sizes": pagination.Cursors{Cursor: "from", Size: "page_size"},
}

func TestVerifyClient(t *testing.T) {
	for name, pages := range styles {
		t.Run(name, func(t *testing.T) { clienttest.VerifyClient(t, fetchEvents(pages), clienttest.Options{Pages: pages}) })
	}
}

// TestExplore runs the client through random scenarios. BACKLIST_SCENARIOS sets their number,
// and BACKLIST_SCENARIOS_SEED the first.
func TestExplore(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("BACKLIST_SCENARIOS")) // 0: the default number
	if n == 0 && testing.Short() {
		n = 100
	}
	seed, _ := strconv.ParseUint(os.Getenv("BACKLIST_SCENARIOS_SEED"), 10, 64)
	for name, pages := range styles {
		t.Run(name, func(t *testing.T) {
			clienttest.Explore(t, fetchEvents(pages), clienttest.Options{Pages: pages, Scenarios: n, Seed: seed})
		})
	}
}
