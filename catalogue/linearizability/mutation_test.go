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

// TestMutations changes the source code of the module, one mutation at a time, and
// checks that the result compiles, or with -short only that it applies. If BACKLIST_MUTATIONS is set, it expects that a test
// detects the mutation, which takes up to 20 minutes and an otherwise idle machine: the
// test finds some of them by chance.
func TestMutations(t *testing.T) {
	for _, m := range []mutation{
		{
			reason: "a writer changes a pinned state in place",
			file:   "catalogue/internal/store/store.go",
			old:    "\t\tif c.pins.idle() && !s.frozen.Load() {\n",
			new:    "\t\tif !s.frozen.Load() {\n",
			test:   "TestNoStalePage",
		},
		{
			reason: "a state stays published while it is changed in place",
			file:   "catalogue/internal/store/store.go",
			old:    "\t\tc.published.Store(nil)\n",
			new:    "",
			test:   "TestNoStalePage",
		},
		{
			reason: "a state that Current returned is changed",
			file:   "catalogue/internal/store/store.go",
			old:    "\t\ts.frozen.Store(true) // before unpin: the writer checks the pins first\n",
			new:    "",
			test:   "TestNoMixedSnapshot",
		},
		{
			reason: "the count of a page is that of a later state",
			file:   "catalogue/internal/store/query.go",
			old:    "\t\tentries, count, ok, err := s.readyPage(&q)\n\t\tunpin(p)\n",
			new:    "\t\tentries, count, ok, err := s.readyPage(&q)\n\t\tunpin(p)\n\t\tcount = c.Len()\n",
			test:   "TestNoStalePage",
		},
		{
			reason: "stores are frozen one after another",
			file:   "catalogue/internal/store/store.go",
			old:    "\tlock(stores)\n\tdefer unlock(stores)\n\tstates := make([]*State, len(stores))\n\tfor i, c := range stores {\n\t\tstates[i] = c.published.Load()\n\t\tstates[i].frozen.Store(true)\n",
			new:    "\tstates := make([]*State, len(stores))\n\tfor i, c := range stores {\n\t\tstates[i] = c.Current()\n",
			test:   "TestNoBrokenReference",
		},
		{
			reason: "a batch is committed in several steps",
			file:   "catalogue/internal/store/tx.go",
			old:    "\t\treturn c.commit(tx.list(), tx.used)\n",
			new:    "\t\tfor _, ch := range tx.list() {\n\t\t\tif err := c.commit([]Change{ch}, tx.used); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t}\n\t\treturn nil\n",
			test:   "TestNoTornBatch",
		},
		{
			reason: "the history lacks a revision",
			file:   "catalogue/internal/store/write.go",
			old:    "\ts.history.add(s.revision, changes, c.typ.History)\n",
			new:    "\tif s.revision%16 > 0 {\n\t\ts.history.add(s.revision, changes, c.typ.History)\n\t}\n",
			test:   "TestNoMissingChange",
		},
		{
			reason: "a write uses keys computed before an index was installed",
			file:   "catalogue/internal/store/write.go",
			old:    "\t\tif now == s {\n",
			new:    "\t\tif now == s || len(now.indexes)+len(now.builds) >= len(s.indexes)+len(s.builds) {\n",
			test:   "TestNoLostUpdate",
		},
		{
			reason: "a write does not drop the arrays of an index",
			file:   "catalogue/internal/store/cache.go",
			old:    "\tt.parts.drop()\n",
			new:    "",
			test:   "TestNoStalePage",
		},
		{
			reason: "a new index lacks the last changes",
			file:   "catalogue/internal/store/build.go",
			old:    "\tfor _, m := range missed {\n\t\tx.set(m.Change, m.keys)\n\t}\n\tinstalled",
			new:    "\tinstalled",
			test:   "TestNoLostUpdate",
		},
		{
			reason: "a new index lacks a large batch",
			file:   "catalogue/internal/store/write.go",
			old:    "\t\tb.stale, b.missed = true, nil\n",
			new:    "\t\tb.missed = nil\n",
			test:   "TestNoTornBatch",
		},
		{
			reason: "an old snapshot uses an index of a later state",
			file:   "catalogue/internal/store/query.go",
			old:    "err == nil && now.revision == s.revision {",
			new:    "err == nil {",
			test:   "TestNoMixedSnapshot",
		},
		{
			reason: "a page with conditions is read from a later state than its ranges",
			file:   "catalogue/internal/store/query.go",
			old:    "\t\tselected, n = spansOf(spans[:0], x, c.Ranges)\n",
			new:    "\t\tselected, n = spansOf(spans[:0], x, c.Ranges)\n\t\tif store := s.store.Value(); store != nil {\n\t\t\tif later := store.Current().index(s.termsOf(nil, c.Field)); later != nil {\n\t\t\t\tx = later\n\t\t\t}\n\t\t}\n",
			test:   "TestNoStaleSelection",
		},
		{
			reason: "the count of a page with conditions is that of a later state",
			file:   "catalogue/internal/store/query.go",
			old:    "\ta, ok, err := s.ready(&q)\n\tunpin(p)\n",
			new:    "\ta, ok, err := s.ready(&q)\n\tunpin(p)\n\tif ok && len(q.Where) > 0 {\n\t\t_, a.n, _ = c.Current().Page(ctx, q)\n\t}\n",
			test:   "TestNoStaleSelection",
		},
		{
			reason: "the first range in descending order is searched last",
			file:   "catalogue/internal/store/query.go",
			old:    "\t\tif desc {\n\t\t\ti = len(c.Ranges) - 1 - i\n\t\t}\n",
			new:    "",
			test:   "TestNoStaleSelection",
		},
		{
			reason: "the position of a record is that in a later state",
			file:   "catalogue/internal/store/query.go",
			old:    "\t\tif e = s.Get(q.id); e == nil {\n",
			new:    "\t\tif c := s.store.Value(); c != nil {\n\t\t\ts = c.Current()\n\t\t}\n\t\tif e = s.Get(q.id); e == nil {\n",
			test:   "TestNoMixedSnapshot",
		},
		{
			reason: "merge returns nil",
			file:   "catalogue/internal/store/plan.go",
			old:    "\treturn where, nil\n",
			new:    "\treturn nil, nil\n",
			test:   "TestNoStaleSelection",
		},
		{
			reason: "a count is repeated with what merge returned for an earlier state, which is nil if that was empty",
			file:   "catalogue/internal/store/query.go",
			old:    "\tif q.want > wantScan {\n",
			new:    "\tif q.want == wantCount {\n\t\ts, p := c.pin()\n\t\twhere, err := s.merge(q.Where)\n\t\tunpin(p)\n\t\tif err != nil {\n\t\t\treturn answer{}, err\n\t\t}\n\t\tq.Where = where\n\t\treturn c.Current().answer(ctx, q)\n\t}\n\tif q.want > wantScan {\n",
			test:   "TestNoLostCondition",
		},
		{
			reason: "a bound before its key is after it, and the reverse",
			file:   "catalogue/internal/store/bound.go",
			old:    "\tif b.after {\n",
			new:    "\tif !b.after {\n",
			test:   "TestNoStaleSelection",
		},
		{
			reason: "a write does not drop the probes of an index",
			file:   "catalogue/internal/store/cache.go",
			old:    "\tt.probes.drop()\n",
			new:    "",
			test:   "TestNoStaleSelection",
		},
		{
			reason: "a write does not drop the remembered ranks of an index",
			file:   "catalogue/internal/store/cache.go",
			old:    "\tt.recent.drop()\n",
			new:    "",
			test:   "TestNoStaleSelection",
		},
		{
			reason: "unique fields are not checked",
			file:   "catalogue/internal/store/write.go",
			old:    "\tif err := c.published.Load().unique(changes); err != nil {\n\t\treturn err\n\t}\n",
			new:    "",
			test:   "TestNoDuplicate",
		},
		{
			reason: "unique fields are checked as if a batch changed no other record",
			file:   "catalogue/internal/store/write.go",
			old:    "!changed(changes, other.ID) {",
			new:    "other.ID != ch.New.ID {",
			test:   "TestNoDuplicate",
		},
		{
			reason: "unique fields of the records that a batch writes are not compared",
			file:   "catalogue/internal/store/write.go",
			old:    "\tif len(changes) > 1 {\n",
			new:    "\tif len(changes) > fewChanges {\n",
			test:   "TestNoDuplicate",
		},
		{
			reason: "a batch does not read the writes after its first query",
			file:   "catalogue/internal/store/tx.go",
			old:    "\tif tx.draft != nil {\n\t\ttx.draft.write(ch) // first, because it may panic\n\t}\n",
			new:    "",
			test:   "TestNoTornBatch",
		},
		{
			reason: "the writes of a batch are visible before it ends",
			file:   "catalogue/internal/store/tx.go",
			old:    "\td := tx.store.published.Load().fork()\n",
			new:    "\td := tx.store.published.Load().fork()\n\ttx.store.published.Store(d)\n",
			test:   "TestNoTornBatch",
		},
		{
			reason: "the tag of a page is that of a later state",
			file:   "httpapi/conditional.go",
			old:    "\tif now, ok := v.askRevision(); !ok || now != v.revision {\n\t\tv.tag = \"\"\n",
			new:    "\tif now, ok := v.askRevision(); ok && now != v.revision {\n\t\tv.findTag(nil)\n",
			test:   "TestNoStaleResponse",
		},
	} {
		t.Run(m.reason, m.run)
	}
}

// A mutation is a change of the source code of the module.
type mutation struct {
	reason   string
	file     string // relative to root
	old, new string // old must occur exactly once
	test     string // the test that detects it
}

// root is the directory of the module.
const root = "../.."

// detected matches the output of a test that detects a fault, but not that of one
// that does not compile.
var detected = regexp.MustCompile(`round \d+.*|without (its studio|the condition)|panic: .*|fatal error: .*`)

func (m mutation) run(t *testing.T) {
	overlay := m.overlay(t)
	if testing.Short() {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if os.Getenv("BACKLIST_MUTATIONS") == "" {
		compile := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "./"+filepath.Dir(m.file))
		compile.Dir = root
		if out, err := compile.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	command := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-vet=off", "-count=1", "-failfast", "-run", "^"+m.test+"$", ".")
	command.Env = append(os.Environ(), timeVariable+"=5m", htmlVariable+"=")
	start := time.Now()
	out, err := command.CombinedOutput()
	if err == nil || !detected.Match(out) {
		t.Fatalf("%s does not detect it: %v\n%s", m.test, err, out)
	}
	t.Logf("detected by %s in %v, build included: %s", m.test, time.Since(start), detected.Find(out))
}

// overlay writes the mutated file and an overlay file for the go command that refers
// to it. It returns the path of the overlay file.
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
		t.Fatalf("%s contains the old text %d times, want once; adapt the mutation:\n%s", m.file, n, m.old)
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
