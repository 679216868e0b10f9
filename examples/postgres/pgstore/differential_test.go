package pgstore_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/gobacklist/backlist/httpapi"
)

// Two handlers of the same records, in memory and in PostgreSQL, answer whatever
// is asked with the same bytes, while both are written to. BACKLIST_POSTGRES_SEED
// repeats a run, BACKLIST_POSTGRES_REQUESTS makes it longer than 20,000.
func TestDifferential(t *testing.T) {
	seed := setting(t, "BACKLIST_POSTGRES_SEED", uint64(time.Now().UnixNano()))
	requests := setting(t, "BACKLIST_POSTGRES_REQUESTS", 20_000)
	if testing.Short() {
		requests = min(requests, 5_000)
	}
	t.Logf("BACKLIST_POSTGRES_SEED=%d", seed)
	for i, opts := range []httpapi.Options{
		{Authorizer: httpapi.AllowAll},
		{Authorizer: httpapi.AllowAll, ETags: true},
	} {
		t.Run(map[bool]string{false: "plain", true: "tagged"}[opts.ETags], func(t *testing.T) {
			newPair(t, opts, newDice(seed+uint64(i))).run(t, int(requests)/2)
		})
	}
}

func setting(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
