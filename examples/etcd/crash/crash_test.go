package crash_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// These are the names of the environment variables.
const (
	killsVariable     = "BACKLIST_ETCD_KILLS"
	stopsVariable     = "BACKLIST_ETCD_STOPS"
	seedVariable      = "BACKLIST_ETCD_SEED"
	mutationsVariable = "BACKLIST_ETCD_MUTATIONS"
)

// TestKill tests that nothing is lost if one of three nodes is killed at a time.
func TestKill(t *testing.T) { test(t, number(t, killsVariable, 3), crowded(killOne)) }

// TestStopLeader tests that nothing is lost, and no page is stale, if the leader stops for
// some time.
func TestStopLeader(t *testing.T) { test(t, number(t, stopsVariable, 1), crowded(stopLeader)) }

// TestKillAfterDelete tests that no id is used again after a node is killed.
func TestKillAfterDelete(t *testing.T) { test(t, 1, killAfterDelete) }

// TestReadAfterWrite tests that a node serves what was written through another.
func TestReadAfterWrite(t *testing.T) { test(t, 1, readAfterWrite) }

// test runs rounds with a fault each.
func test(t *testing.T, rounds int, fault func(*round) error) {
	seed := uint64(number(t, seedVariable, int(rand.Uint32())))
	program, err := unedited()
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(startCluster(t, program), rand.New(rand.NewPCG(seed, 0)))
	defer r.http.CloseIdleConnections()
	for i := range rounds {
		if err := r.round(fault); err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, &r.checker.stats)
		}
		if i%10 == 9 {
			t.Log(&r.checker.stats)
		}
	}
	t.Logf("seed %d: %v", seed, &r.checker.stats)
}

// number returns the value of an environment variable.
func number(t *testing.T, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}
