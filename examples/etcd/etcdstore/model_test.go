package etcdstore_test

import (
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// TestModel sends random requests to three nodes alternately and to the handler of a
// catalogue in memory, and compares the responses. The environment variable
// BACKLIST_ETCD_SEED repeats a run, and BACKLIST_ETCD_REQUESTS sets the number of
// requests instead of 4,000. With -short, there are at most 1,000.
func TestModel(t *testing.T) {
	seed := setting(t, "BACKLIST_ETCD_SEED", uint64(time.Now().UnixNano()))
	requests := setting(t, "BACKLIST_ETCD_REQUESTS", 4000)
	if testing.Short() {
		requests = min(requests, 1000)
	}
	t.Logf("BACKLIST_ETCD_SEED=%d", seed)

	n := newNodes(t, typedFilms(), httpapi.Options{Authorizer: httpapi.AllowAll})
	house, err := newFilms()
	if err != nil {
		t.Fatal(err)
	}
	model, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	g, statuses := newGenerator(seed), map[string]int{}
	for i := range int(requests) {
		a := g.request()
		want, got := a.send(model), a.send(n.handlers[i%3])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("request %d of seed %d, to node %d: %v (-want +got):\n%s", i, seed, i%3+1, a, diff)
		}
		if a.method == "POST" && want.Status == http.StatusCreated {
			g.created[a.collection]++
		}
		statuses[a.method+" "+strconv.Itoa(want.Status)]++
		if i%100 == 99 {
			n.compareWith(t, house)
		}
	}
	t.Log(statuses)
	for _, answer := range []string{"POST 201", "POST 400", "PATCH 200", "PATCH 400", "PUT 200", "PUT 400", "DELETE 204", "DELETE 409", "GET 200", "GET 400", "GET 404"} {
		if statuses[answer] == 0 && requests >= 4000 { // fewer may lack a rare one
			t.Errorf("no %s among %d requests", answer, requests)
		}
	}
	n.compareWith(t, house)
}

// compareWith compares the records and highest ids of all nodes, and of a new one, with
// those of a catalogue.
func (n *nodes) compareWith(t *testing.T, house *catalogue.Catalogue) {
	t.Helper()
	if diff := cmp.Diff(saveCatalogue(t, house), n.compare(t)); diff != "" {
		t.Errorf("records (-memory +nodes):\n%.3000s", diff)
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
