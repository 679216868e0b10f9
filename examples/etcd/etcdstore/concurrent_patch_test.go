package etcdstore_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

// TestConcurrentPatches changes each field of a record in a goroutine of its own, through
// all nodes in turn. No change is lost.
func TestConcurrentPatches(t *testing.T) {
	const steps = 40
	n := newNodes(t, typedFilms(), httpapi.Options{Authorizer: httpapi.AllowAll})
	n.load(t, 0, threeFilms)
	fields := map[string]func(step int) string{ // their JSON
		"title":    func(step int) string { return fmt.Sprintf(`"title %d"`, step) },
		"slug":     func(step int) string { return fmt.Sprintf(`"slug-%d"`, step) },
		"synopsis": func(step int) string { return fmt.Sprintf(`"synopsis %d"`, step) },
		"minutes":  func(step int) string { return fmt.Sprint(step) },
		"price":    func(step int) string { return fmt.Sprintf(`"%d.50"`, step) },
		"rating":   func(step int) string { return fmt.Sprintf("%d.5", step) },
	}
	var group sync.WaitGroup
	first := 0
	for name, value := range fields {
		first++
		start := first
		group.Go(func() {
			for step := 1; step <= steps; step++ {
				w := send(n.handlers[(start+step)%3], "PATCH", "/api/films/1/", fmt.Sprintf(`{%q:%s}`, name, value(step)))
				if w.Code != http.StatusOK {
					t.Errorf("%s, step %d: %d %s", name, step, w.Code, w.Body)
				}
				// No other goroutine writes the field, so all nodes have the value now.
				for i, h := range n.handlers {
					checkMember(t, send(h, "GET", "/api/films/1/", "").Body.Bytes(), name, value(step), i+1)
				}
			}
		})
	}
	group.Wait()
	for i, h := range n.handlers {
		record := send(h, "GET", "/api/films/1/", "").Body.Bytes()
		for name, value := range fields {
			checkMember(t, record, name, value(steps), i+1)
		}
	}
	n.compare(t)
}

// checkMember checks a member of a record that a node has returned.
func checkMember(t *testing.T, record []byte, name, want string, node int) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(record, &members); err != nil {
		t.Errorf("node %d: %.200q: %v", node, record, err)
	}
	if diff := cmp.Diff(want, string(members[name])); diff != "" {
		t.Errorf("%s on node %d (-written +read):\n%s", name, node, diff)
	}
}
