package main

import (
	"errors"
	"log"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

// While the database is unavailable, there is a message a minute. Each other error is logged.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text strings.Builder
		f := failures{log: log.New(&text, "", 0)}
		refused := httpapi.Unavailable(time.Second, errors.New("refused"))
		request := httptest.NewRequest("GET", "/api/events/", nil)
		for range 61 {
			f.report(request, refused)
			time.Sleep(time.Second)
		}
		f.report(request, errors.New("count"))
		f.report(request, refused)
		f.end()
		want := "requests failed: 1, the last with: " + refused.Error() + "\n" +
			"requests failed: 60, the last with: " + refused.Error() + "\n" +
			"GET /api/events/: count\n" +
			"more requests failed: 1\n"
		if diff := cmp.Diff(want, text.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
