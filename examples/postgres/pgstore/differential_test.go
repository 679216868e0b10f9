package pgstore_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/gobacklist/backlist/httpapi"
)

// TestDifferential compares two handlers of the same records, in memory and in
// PostgreSQL, with random requests and writes. The environment variable
// BACKLIST_POSTGRES_SEED repeats a run, and BACKLIST_POSTGRES_REQUESTS sets the number
// of requests instead of 20,000.
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
		t.Run(map[bool]string{false: "without tags", true: "with tags"}[opts.ETags], func(t *testing.T) {
			newPair(t, opts, newGenerator(seed+uint64(i))).run(t, int(requests)/2)
		})
	}
}

// setting returns the number in an environment variable, or a default.
func setting(t *testing.T, name string, byDefault uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return byDefault
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
