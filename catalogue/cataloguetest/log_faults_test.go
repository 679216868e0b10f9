package cataloguetest_test

import (
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// TestExchangesWithFaults checks that exchanges include the effect of faults, and that a
// page that is fetched again after an error counts once.
func TestExchangesWithFaults(t *testing.T) {
	for name, opts := range map[string]cataloguetest.Options{"in process": {}, "loopback": {Server: true}} {
		t.Run(name, func(t *testing.T) {
			house := cataloguetest.NewWith(t, opts)
			house.Break(cataloguetest.Where{Nth: 2}, cataloguetest.Status(503, "busy"))
			house.Break(cataloguetest.Where{Nth: 3}, cataloguetest.CutAfter(10))
			for _, offset := range []int{0, 150, 150, 150} {
				resp, err := house.Client.Get(fmt.Sprintf("%s/api/events/?limit=150&offset=%d", house.URL, offset))
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body) // one is cut
				resp.Body.Close()
			}
			house.Client.CloseIdleConnections()
			var got []string
			for _, e := range house.Exchanges() {
				got = append(got, fmt.Sprintf("%d %.5s aborted %t", e.Status, e.Answer, e.Aborted))
			}
			want := []string{`200 {"cou aborted false`, `503 busy aborted false`, `200 {"cou aborted true`, `200 {"cou aborted false`}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			house.WalkedOnce(t, "events")
		})
	}
}

func TestDelayInSynctest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := cataloguetest.New(t)
		house.Break(cataloguetest.Where{Path: "/api/news/"}, cataloguetest.Delay(time.Hour))
		getAll(t, house, "/api/news/")
		if took := house.Exchanges()[0].Took; took != time.Hour {
			t.Errorf("Took = %v, want 1h", took)
		}
	})
}
