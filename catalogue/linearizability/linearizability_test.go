package linearizability_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// These are the names of the environment variables.
const (
	timeVariable = "BACKLIST_LINEARIZABILITY"      // duration of all tests in shares
	seedVariable = "BACKLIST_LINEARIZABILITY_SEED" // seed of the operations
	htmlVariable = "BACKLIST_LINEARIZABILITY_HTML" // file for the diagram of a history
)

var errNotLinearizable = errors.New("not linearizable")

// shares holds the relative duration of each test.
var shares = map[string]int{
	"TestNoStalePage":             5,
	"TestNoStaleSelection":        5,
	"TestNoLostCondition":         2,
	"TestNoDuplicate":             4,
	"TestNoLostUpdate":            3,
	"TestNoTornBatch":             4,
	"TestNoMixedSnapshot":         4,
	"TestNoMissingChange":         4,
	"TestNoTornLoad":              4,
	"TestNoMixedCatalogue":        3,
	"TestNoEventWithoutAuthor":    2,
	"TestNoStaleResponse":         4,
	"TestNoReusedID":              1,
	"TestNoRevisionWithoutChange": 1,
}

func TestNoStalePage(t *testing.T)      { test(t, kindsOfRecords(forPages, 0)...) }
func TestNoStaleSelection(t *testing.T) { test(t, kindsOfRecords(forSelections, 0)...) }
func TestNoDuplicate(t *testing.T)      { test(t, withUniqueFields(forUnique)...) }
func TestNoLostUpdate(t *testing.T)     { test(t, kindsOfRecords(forUpdates, 0)...) }
func TestNoTornBatch(t *testing.T)      { test(t, kindsOfRecords(forBatches, 0)...) }
func TestNoMixedSnapshot(t *testing.T)  { test(t, kindsOfRecords(forSnapshots, 0)...) }
func TestNoTornLoad(t *testing.T)       { test(t, loadable(forLoads)...) }

func TestNoMissingChange(t *testing.T) {
	test(t, append(kindsOfRecords(forHistory, 40), structs("long history", forHistory, 0, 1000))...)
}

func TestNoMixedCatalogue(t *testing.T) {
	test(t, twoCollections("few records", 0), twoCollections("many records", 150))
}

// TestNoReusedID tests that the ids used since the last load are not assigned again
// after the catalogue is saved and loaded.
func TestNoReusedID(t *testing.T) {
	w := catalogueWorkload("structs", forLoads, plainCodec(), 0, collectionModel{history: 40})
	w.keepsIDs = true
	test(t, w)
}

// TestNoRevisionWithoutChange tests that a batch without changes adds no revision.
func TestNoRevisionWithoutChange(t *testing.T) {
	w := structs("batches without changes", forBatches, 0, 40)
	w.noChanges = true
	test(t, w)
}

// test runs each workload for an equal part of the duration of the test.
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
				t.Logf("seed %d: %d rounds, %d operations, %d rounds not checked in time", seed, r.rounds, r.calls, r.unknown)
			}
		})
	}
}

// share returns the duration of a test.
func share(t *testing.T) time.Duration {
	total := 0
	for _, n := range shares {
		total += n
	}
	return totalTime(t) * time.Duration(shares[t.Name()]) / time.Duration(total)
}

// runFor runs rounds until the time has passed or a round fails.
func (w *workload) runFor(d time.Duration, seed uint64) (*run, error) {
	r, err := w.begin(rand.New(rand.NewPCG(seed, 0)), model{collections: w.collections})
	if err != nil {
		return nil, err
	}
	for err == nil && (r.rounds == 0 || time.Since(r.start) < d) {
		err = r.round()
	}
	return r, err
}

// totalTime returns the duration of all tests.
func totalTime(t *testing.T) time.Duration {
	text := os.Getenv(timeVariable)
	if text == "" {
		return 10 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", timeVariable, err)
	}
	return d
}

// seedOf returns the seed of the operations.
func seedOf(t *testing.T) uint64 {
	text := os.Getenv(seedVariable)
	if text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	return seed
}
