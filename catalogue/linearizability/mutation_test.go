package linearizability_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestMutationsAreFound builds one of the tests against the module with one fault
// in its text and expects it to fail. To add a fault, add a row.
func TestMutationsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the module once for each mutation")
	}
	for _, m := range []mutation{
		{
			reason: "some writes are not published",
			file:   "catalogue/store.go",
			old:    "\tc.published.Store(nil)\n",
			new:    "\tif c.live.revision%16 > 0 {\n\t\tc.published.Store(nil)\n\t}\n",
			test:   "TestNoStalePage",
		},
		{
			reason: "the count of a page is of a later state",
			file:   "catalogue/view.go",
			old:    "\treturn entries, count\n",
			new:    "\treturn entries, r.c.current().t.primary.len()\n",
			test:   "TestNoStalePage",
		},
		{
			reason: "readers and writers share a tree",
			file:   "catalogue/tables.go",
			old:    "\t\tk.shared = k.order.fork()\n",
			new:    "\t\tk.shared = k.order\n",
			test:   "TestNoMixedSnapshot",
		},
		{
			reason: "a batch writes to the present state",
			file:   "catalogue/txn.go",
			old:    "primary: c.live.copyPrimary(),",
			new:    "primary: c.live.primary,",
			test:   "TestNoTornBatch",
		},
		{
			reason: "history is published by the next write",
			file:   "catalogue/store.go",
			old:    "\tif c.feed != nil {\n\t\tc.feed.publish()\n",
			new:    "\tif c.feed != nil && c.live.revision%16 > 0 {\n\t\tc.feed.publish()\n",
			test:   "TestNoMissingChange",
		},
		{
			reason: "the tag of a page is taken after it",
			file:   "httpapi/keep.go",
			old:    "\tif (v.keepable || v.tagged) && v.revision() != v.place.revision {\n",
			new:    "\tif v.place.revision = v.revision(); false {\n",
			test:   "TestNoStaleAnswer",
		},
	} {
		t.Run(m.reason, m.run)
	}
}

// A mutation is a fault in the module's text.
type mutation struct {
	reason   string
	file     string // from the module's root
	old, new string // old is there exactly once
	test     string // finds it
}

// root is the module's root, from the tests' directory.
const root = "../.."

// found is what a test prints that has found a fault. One that cannot be compiled
// does not print it.
var found = regexp.MustCompile(`round \d+.*|without its author|panic: .*|fatal error: .*`)

func (m mutation) run(t *testing.T) {
	overlay := m.overlay(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-vet=off", "-count=1", "-failfast", "-run", "^"+m.test+"$", ".")
	command.Env = append(os.Environ(), timeVariable+"=5m", htmlVariable+"=")
	start := time.Now()
	printed, err := command.CombinedOutput()
	if err == nil || !found.Match(printed) {
		t.Fatalf("%s does not find it: %v\n%s", m.test, err, printed)
	}
	t.Logf("found by %s, %v with the build: %s", m.test, time.Since(start), found.Find(printed))
}

// overlay writes the mutated file, and the file that tells the go command to take
// it, and returns the path of the latter.
func (m mutation) overlay(t *testing.T) string {
	original, err := filepath.Abs(filepath.Join(root, m.file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		t.Fatalf("%s has the text to be mutated %d times, want once; write the mutation anew:\n%s", m.file, n, m.old)
	}
	mutated := filepath.Join(t.TempDir(), filepath.Base(m.file))
	if err := os.WriteFile(mutated, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return overlay
}
