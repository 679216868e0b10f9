package linearizability_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// What the environment sets.
const (
	timeVariable = "BACKLIST_LINEARIZABILITY"      // how long the tests in shares take together
	seedVariable = "BACKLIST_LINEARIZABILITY_SEED" // of the operations
	htmlVariable = "BACKLIST_LINEARIZABILITY_HTML" // a path for the picture of a history that is not linearizable
)

var errNotLinearizable = errors.New("not linearizable")

// shares divides the time among the tests.
var shares = map[string]int{
	"TestNoStalePage":             5,
	"TestNoLostUpdate":            3,
	"TestNoTornBatch":             4,
	"TestNoMixedSnapshot":         4,
	"TestNoMissingChange":         4,
	"TestNoTornLoad":              4,
	"TestNoMixedCatalogue":        3,
	"TestNoEventWithoutAuthor":    2,
	"TestNoStaleAnswer":           4,
	"TestNoReusedID":              1,
	"TestNoRevisionWithoutChange": 1,
}

func TestNoStalePage(t *testing.T)     { test(t, kindsOfRecords(forPages, 0)...) }
func TestNoLostUpdate(t *testing.T)    { test(t, kindsOfRecords(forUpdates, 0)...) }
func TestNoTornBatch(t *testing.T)     { test(t, kindsOfRecords(forBatches, 0)...) }
func TestNoMixedSnapshot(t *testing.T) { test(t, kindsOfRecords(forSnapshots, 0)...) }
func TestNoTornLoad(t *testing.T)      { test(t, loadable(forLoads)...) }

func TestNoMissingChange(t *testing.T) {
	test(t, append(kindsOfRecords(forHistory, 40), structs("long history", forHistory, 0, 1000))...)
}

func TestNoMixedCatalogue(t *testing.T) {
	test(t, twoCollections("few records", 0), twoCollections("many records", 150))
}

// TestNoReusedID: the highest id that was used since the last load is saved, and so
// not assigned again after loading.
func TestNoReusedID(t *testing.T) {
	w := book("structs", forLoads, plainCodec(), traits{base: newBase(0, false), history: 40})
	w.keepsIDs = true
	test(t, w)
}

// TestNoRevisionWithoutChange: a batch that writes nothing has no revision.
func TestNoRevisionWithoutChange(t *testing.T) {
	w := structs("idle batches", forBatches, 0, 40)
	w.idle = true
	test(t, w)
}

// test runs each workload for its part of the test's time.
func test(t *testing.T, workloads ...workload) {
	each := share(t) / time.Duration(len(workloads))
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			seed := seedOf(t)
			r, err := w.runFor(each, seed)
			if err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			if r != nil {
				t.Logf("seed %d: %d rounds, %d operations, %d rounds unknown", seed, r.rounds, r.calls, r.unknown)
			}
		})
	}
}

// share returns how long a test may take.
func share(t *testing.T) time.Duration {
	total := 0
	for _, n := range shares {
		total += n
	}
	return timeOfAll(t) * time.Duration(shares[t.Name()]) / time.Duration(total)
}

// runFor runs rounds until the time is over or one is not linearizable.
func (w *workload) runFor(d time.Duration, seed uint64) (*run, error) {
	r, err := w.begin(rand.New(rand.NewPCG(seed, 0)), model{of: w.of})
	if err != nil {
		return nil, err
	}
	for err == nil && (r.rounds == 0 || time.Since(r.start) < d) {
		err = r.round()
	}
	return r, err
}

func timeOfAll(t *testing.T) time.Duration {
	text := os.Getenv(timeVariable)
	if text == "" {
		return 10 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(timeVariable, err)
	}
	return d
}

func seedOf(t *testing.T) uint64 {
	text := os.Getenv(seedVariable)
	if text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(seedVariable, err)
	}
	return seed
}
