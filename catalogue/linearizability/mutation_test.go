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
			reason: "a reader that is pinned does not keep a writer from writing in place",
			file:   "catalogue/internal/store/pin.go",
			old:    "\t\tif c.pins.idle() && !s.frozen.Load() {\n",
			new:    "\t\tif !s.frozen.Load() {\n",
			test:   "TestNoStalePage",
		},
		{
			reason: "a state stays visible while it is changed in place",
			file:   "catalogue/internal/store/pin.go",
			old:    "\t\tc.published.Store(nil)\n",
			new:    "",
			test:   "TestNoStalePage",
		},
		{
			reason: "a state that is handed out is changed",
			file:   "catalogue/internal/store/pin.go",
			old:    "\t\ts.frozen.Store(true) // before unpin: the writer checks the pins first\n",
			new:    "",
			test:   "TestNoMixedSnapshot",
		},
		{
			reason: "the count of a page is of a later state",
			file:   "catalogue/internal/store/store.go",
			old:    "\t\tunpin(p)\n\t\treturn entries, count, nil\n",
			new:    "\t\tunpin(p)\n\t\treturn entries, c.Len(), nil\n",
			test:   "TestNoStalePage",
		},
		{
			reason: "collections are frozen one after another",
			file:   "catalogue/internal/store/store.go",
			old:    "\tlock(stores)\n\tdefer unlock(stores)\n\tstates := make([]*State, len(stores))\n\tfor i, c := range stores {\n\t\tstates[i] = c.published.Load()\n\t\tstates[i].frozen.Store(true)\n",
			new:    "\tstates := make([]*State, len(stores))\n\tfor i, c := range stores {\n\t\tstates[i] = c.Current()\n",
			test:   "TestNoEventWithoutAuthor",
		},
		{
			reason: "a batch in several steps",
			file:   "catalogue/internal/store/tx.go",
			old:    "\t\tc.commit(tx.list(), tx.used)\n",
			new:    "\t\tfor _, ch := range tx.list() {\n\t\t\tc.commit([]Change{ch}, tx.used)\n\t\t}\n",
			test:   "TestNoTornBatch",
		},
		{
			reason: "a revision is not in the history",
			file:   "catalogue/internal/store/write.go",
			old:    "\ts.history.add(s.revision, changes, c.schema.History)\n",
			new:    "\tif s.revision%16 > 0 {\n\t\ts.history.add(s.revision, changes, c.schema.History)\n\t}\n",
			test:   "TestNoMissingChange",
		},
		{
			reason: "an index is written to that was installed after its keys were computed",
			file:   "catalogue/internal/store/write.go",
			old:    "\t\tif now == s {\n",
			new:    "\t\tif now == s || len(now.indexes)+len(now.builds) >= len(s.indexes)+len(s.builds) {\n",
			test:   "TestNoLostUpdate",
		},
		{
			reason: "arrays of a page outlive a write",
			file:   "catalogue/internal/store/parts.go",
			old:    "\tif p.pages.Load() != 0 {\n",
			new:    "\tif p.pages.Load() < 0 {\n",
			test:   "TestNoStalePage",
		},
		{
			reason: "an index is installed without the last changes",
			file:   "catalogue/internal/store/build.go",
			old:    "\tfor _, m := range missed {\n\t\tx.set(m.Change, m.keys)\n\t}\n\tnamed",
			new:    "\tnamed",
			test:   "TestNoLostUpdate",
		},
		{
			reason: "an index is installed without a large batch",
			file:   "catalogue/internal/store/write.go",
			old:    "\t\tb.stale, b.missed = true, nil\n",
			new:    "\t\tb.missed = nil\n",
			test:   "TestNoTornBatch",
		},
		{
			reason: "an old snapshot takes an index of a later state",
			file:   "catalogue/internal/store/read.go",
			old:    "err == nil && now.state.revision == s.revision {",
			new:    "err == nil && now.state != nil {",
			test:   "TestNoMixedSnapshot",
		},
		{
			reason: "the tag of a page is taken after it",
			file:   "httpapi/etag.go",
			old:    "\tif now, ok := v.askRevision(); !ok || now != v.revision {\n\t\tv.tag = \"\"\n",
			new:    "\tif now, ok := v.askRevision(); ok && now != v.revision {\n\t\tv.findTag()\n",
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
