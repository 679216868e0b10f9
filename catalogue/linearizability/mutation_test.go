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

// TestMutations changes the source code of the module, one mutation at a time, and checks that
// the result compiles, or with -short only that it applies. If BACKLIST_MUTATIONS is set, it
// expects that a test detects the mutation, which takes up to 20 minutes and an otherwise idle
// machine: the test finds some of them by chance.
func TestMutations(t *testing.T) {
	for _, m := range []mutation{
		{"a writer changes a pinned state in place", "TestNoStalePage", "catalogue/internal/store/store.go",
			"\t\tif c.pins.idle() && !s.frozen.Load() {\n",
			"\t\tif !s.frozen.Load() {\n"},
		{"a state stays published while it is changed in place", "TestNoStalePage", "catalogue/internal/store/store.go",
			"\t\tc.published.Store(nil)\n",
			""},
		{"a state that Current returned is changed", "TestNoMixedSnapshot", "catalogue/internal/store/store.go",
			"\t\ts.frozen.Store(true) // before unpin: the writer checks the pins first\n",
			""},
		{"the count of a page is that of a later state", "TestNoStalePage", "catalogue/internal/store/query.go",
			"\t\treturn s.readyPage(a, q)\n",
			"\t\tok, err = s.readyPage(a, q)\n\t\tif c := s.store.Value(); c != nil {\n\t\t\ta.N = c.Len()\n\t\t}\n\t\treturn ok, err\n"},
		{"stores are frozen one after another", "TestNoBrokenReference", "catalogue/internal/store/store.go",
			"\tlock(stores)\n\tdefer unlock(stores)\n\tstates := make([]*State, len(stores))\n\tfor i, c := range stores {\n\t\tstates[i] = c.published.Load()\n\t\tstates[i].frozen.Store(true)\n",
			"\tstates := make([]*State, len(stores))\n\tfor i, c := range stores {\n\t\tstates[i] = c.Current()\n"},
		{"a batch is committed in several steps", "TestNoTornBatch", "catalogue/internal/store/tx.go",
			"\t\tif len(changes) > 0 ||",
			"\t\tfor i := 0; i < len(changes)-1; i++ {\n\t\t\tif err := commit([]pending{{store: tx.store, edit: edit{changes: changes[i : i+1 : i+1]}, used: tx.used}}); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t}\n\t\tchanges = changes[max(0, len(changes)-1):]\n\t\tif len(changes) > 0 ||"},
		{"the collections of a batch are committed one after another", "TestNoTornTogether", "catalogue/internal/store/tx.go",
			"\treturn commit(written)\n",
			"\tfor i := range written {\n\t\tif err := commit(written[i : i+1]); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil\n"},
		{"the history lacks a revision", "TestNoMissingChange", "catalogue/internal/store/write.go",
			"\t\tp.state.history.add(p.revision, p.changes, c.typ.History)\n",
			"\t\tif p.revision%16 > 0 {\n\t\t\tp.state.history.add(p.revision, p.changes, c.typ.History)\n\t\t}\n"},
		{"an index is installed while a write has keys for the others", "TestNoLostUpdate", "catalogue/internal/store/build.go",
			"\tcase c.writing.TryLock():\n\t\tc.install(b)\n\t\tc.writing.Unlock()\n",
			"\tcase true:\n\t\tc.install(b)\n"},
		{"an index that is built during a write lacks the write", "TestNoLostUpdate", "catalogue/internal/store/build.go",
			"\tmissed, stale, s := b.missed, b.stale, c.published.Load()\n",
			"\tmissed, stale, s := b.missed[:0], b.stale, c.published.Load()\n"},
		{"a write does not replace the part of an index that it changes", "TestNoStalePage", "catalogue/internal/store/tree.go",
			"\tt.note(new, t.items.Len()-n)\n",
			""},
		{"a new index lacks the last changes", "TestNoLostUpdate", "catalogue/internal/store/build.go",
			"\t\tx.prepare(missed)\n\t\tx.apply(x)\n",
			""},
		{"a new index lacks a large batch", "TestNoTornBatch", "catalogue/internal/store/build.go",
			"\tb.missed = append(b.missed, changes...)\n",
			"\tif len(changes) <= fewChanges {\n\t\tb.missed = append(b.missed, changes...)\n\t}\n"},
		{"an old snapshot uses an index of a later state", "TestNoMixedSnapshot", "catalogue/internal/store/plan.go",
			"err == nil && built.Revision() == s.Revision() {",
			"err == nil {"},
		{"a page with conditions is read from a later state than its ranges", "TestNoStaleSelection", "catalogue/internal/store/query.go",
			"\t\tselected, n := s.spans(spans[:0], x, &sel, &r)\n",
			"\t\tselected, n := s.spans(spans[:0], x, &sel, &r)\n\t\tif store := s.store.Value(); store != nil {\n\t\t\tif later, _, found := store.Current().direct(&sel); found {\n\t\t\t\tx = later\n\t\t\t}\n\t\t}\n"},
		{"the count of a page with conditions is that of a later state", "TestNoStaleSelection", "catalogue/internal/store/query.go",
			"\t\tok, err = s.ready(&a, &inPlace)\n",
			"\t\tok, err = s.ready(&a, &inPlace)\n\t\tif ok && len(q.Where) > 0 {\n\t\t\t_, a.N, _ = Page(ctx, from.Current(), q, terms)\n\t\t}\n"},
		{"the first range in descending order is searched last", "TestNoStaleSelection", "catalogue/internal/store/route.go",
			"\t\tif t.Desc != reverse {\n",
			"\t\tif t.Desc {\n"},
		{"the position of a record is that in a later state", "TestNoMixedSnapshot", "catalogue/internal/store/query.go",
			"\t\tif e = s.Get(q.ID); e == nil {\n",
			"\t\tif c := s.store.Value(); c != nil {\n\t\t\ts = c.Current()\n\t\t}\n\t\tif e = s.Get(q.ID); e == nil {\n"},
		{"merge returns nil", "TestNoStaleSelection", "catalogue/internal/store/route.go",
			"\treturn where, nil\n",
			"\treturn nil, nil\n"},
		{"a count is repeated with what merge returned for an earlier state, which is nil if that was empty", "TestNoLostCondition", "catalogue/internal/store/query.go",
			"\tif ok, err := c.answerPinned(ctx, &a, &q); ok || err != nil {\n",
			"\tif q.Want == WantCount {\n\t\ts, p := c.pin()\n\t\twhere, err := s.merge(q.Where)\n\t\tunpin(p)\n\t\tif err != nil {\n\t\t\treturn Answer{}, err\n\t\t}\n\t\tq.Where = where\n\t\treturn c.Current().Answer(ctx, q)\n\t}\n\tif ok, err := c.answerPinned(ctx, &a, &q); ok || err != nil {\n"},
		{"a bound before its key is after it, and the reverse", "TestNoStaleSelection", "catalogue/internal/store/sequence.go",
			"\tif r.FromExcluded {\n",
			"\tif !r.FromExcluded {\n"},
		{"a removed entry is counted in its part of an index", "TestNoStaleSelection", "catalogue/internal/store/tree.go",
			"\t\tt.note(old, -1)\n",
			""},
		{"unique fields are not checked", "TestNoDuplicate", "catalogue/internal/store/write.go",
			"\t\tif err := s.unique(p.changes); err != nil {\n\t\t\treturn err\n\t\t}\n",
			""},
		{"unique fields are checked as if a batch changed no other record", "TestNoDuplicate", "catalogue/internal/store/state.go",
			"!changed(changes, other.ID) {",
			"other.ID != ch.New.ID {"},
		{"unique fields of the records that a batch writes are not compared", "TestNoDuplicate", "catalogue/internal/store/state.go",
			"\tif len(changes) > 1 {\n",
			"\tif len(changes) > fewChanges {\n"},
		{"a batch does not read the writes after its first query", "TestNoTornBatch", "catalogue/internal/store/tx.go",
			"\tif tx.draft != nil {\n\t\ttx.draft.write(ch) // first, because it may panic\n\t}\n",
			""},
		{"the writes of a batch are visible before it ends", "TestNoTornBatch", "catalogue/internal/store/tx.go",
			"\td := tx.store.fork()\n",
			"\td := tx.store.fork()\n\ttx.store.published.Store(d)\n"},
		{"the tag of a page is that of a later state", "TestNoStaleResponse", "httpapi/conditional.go",
			"\tif now, ok := v.askRevision(); !ok || now != v.revision {\n\t\tv.tag = \"\"\n",
			"\tif now, ok := v.askRevision(); ok && now != v.revision {\n\t\tv.findTag(schema.Filter{}, nil)\n"},
	} {
		t.Run(m.reason, m.run)
	}
}

// A mutation is a change of the source code of the module.
type mutation struct {
	reason   string
	test     string // that detects it
	file     string // relative to root
	old, new string // old must occur exactly once
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
