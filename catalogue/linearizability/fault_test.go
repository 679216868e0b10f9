package linearizability_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// faultTimeout is the time within which a fault must be detected. Most faults take
// less than a second.
const faultTimeout = time.Minute

// TestInjectedFaults injects one fault at a time between the clients and a correct
// collection and expects that it is detected.
func TestInjectedFaults(t *testing.T) {
	for _, fault := range []struct {
		reason string
		w      workload
		wrap   func(target) target
	}{
		{"a page of an earlier state", structs("", forPages, 0, 0), inEach(func(c collection) collection { return &stalePages{collection: c} })},
		{"a count of a later state", structs("", forPages, 0, 0), inEach(func(c collection) collection { return lateCounts{c} })},
		{"a write that is not made", structs("", forUpdates, 0, 0), inEach(func(c collection) collection { return &droppedWrites{collection: c} })},
		{"an update in two steps", structs("", forUpdates, 0, 0), inEach(func(c collection) collection { return lostUpdates{c} })},
		{"a batch in several steps", withoutAborts(structs("", forBatches, 0, 0)), inEach(func(c collection) collection { return tornBatches{c} })},
		{"a snapshot that changes", openRecords("", forSnapshots, 0, 0), inEach(func(c collection) collection { return liveSnapshots{c} })},
		{"an iterator that changes", structs("", forSnapshots, 0, 0), inEach(func(c collection) collection { return liveIterators{c} })},
		{"a clone that is the original", structs("", forSnapshots, 0, 0), sharedClones},
		{"changes of an earlier state", structs("", forHistory, 0, 40), inEach(func(c collection) collection { return &lateChanges{collection: c} })},
		{"a load in two steps", loadable(forLoads)[0], inEach(func(c collection) collection { return tornLoads{c} })},
		{"a selection with the count of a later state", structs("", forSelections, 0, 0), inEach(func(c collection) collection { return lateSelections{c} })},
		{"a unique field checked before the write", withoutUniqueField(forUnique.with(map[kind]int{batch: 0})), inEach(func(c collection) collection { return earlyChecks{c} })},
		{"a catalogue saved at two instants", twoCollections("", 0), mixedSaves},
		{"a 304 for any tag", eventsOverHTTP("", 0, staleTags), nil},
		{"a tag of a later state", eventsOverHTTP("", 0, lateTags), nil},
	} {
		t.Run(fault.reason, func(t *testing.T) {
			w, seed := fault.w, seedOf(t)
			if newTarget := w.newTarget; fault.wrap != nil {
				w.newTarget = func() (target, error) {
					t, err := newTarget()
					return fault.wrap(t), err
				}
			}
			r, err := w.runFor(faultTimeout, seed)
			if !errors.Is(err, errNotLinearizable) {
				t.Fatalf("seed %d: not detected: %v", seed, err)
			}
			t.Logf("seed %d: detected after %d rounds, %v", seed, r.rounds, time.Since(r.start))
		})
	}
}

// withoutAborts returns the workload without batches that are aborted.
func withoutAborts(w workload) workload {
	w.noAborts = true
	return w
}

// inEach returns a function that applies wrap to all collections of a target and of
// its clones.
func inEach(wrap func(collection) collection) func(target) target {
	var wrapAll func(target) target
	wrapAll = func(t target) target {
		t.collections = slices.Clone(t.collections)
		for i, c := range t.collections {
			t.collections[i] = wrap(c)
		}
		clone := t.clone
		t.clone = func() target { return wrapAll(clone()) }
		return t
	}
	return wrapAll
}

// everyEighth selects every eighth call of a method.
type everyEighth struct {
	mu sync.Mutex
	n  int
}

// next reports whether the next call is selected.
func (s *everyEighth) next() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return s.n%8 == 0
}

type stalePages struct {
	collection
	everyEighth
	cache sync.Map // readings by window
}

func (c *stalePages) page(in input) reading {
	if before, ok := c.cache.Load(in.String()); ok && c.next() {
		return before.(reading)
	}
	r := c.collection.page(in)
	c.cache.Store(in.String(), r)
	return r
}

type lateCounts struct{ collection }

func (c lateCounts) page(in input) reading {
	r := c.collection.page(in)
	runtime.Gosched()
	r.count = c.count()
	return r
}

type droppedWrites struct {
	collection
	everyEighth
}

func (c *droppedWrites) update(id int, f func(*row)) error {
	if !c.next() {
		return c.collection.update(id, f)
	}
	r := c.get(id)
	if r.err != nil {
		return r.err
	}
	rows, err := r.rows()
	f(&rows[0])
	return err
}

type lostUpdates struct{ collection }

func (c lostUpdates) update(id int, f func(*row)) error {
	r := c.get(id)
	if r.err != nil {
		return r.err
	}
	rows, err := r.rows()
	if err != nil {
		return err
	}
	f(&rows[0])
	_, err = c.upsert(rows[0])
	return err
}

type tornBatches struct{ collection }

func (c tornBatches) batch(f func(writer) error) error { return f(c.collection) }

type liveSnapshots struct{ collection }

func (c liveSnapshots) snapshot() snapshotReader {
	return struct {
		collection
		fixedRevision
	}{c.collection, fixedRevision(c.collection.snapshot().revision())}
}

type fixedRevision uint64

func (c fixedRevision) revision() uint64 { return uint64(c) }

type liveIterators struct{ collection }

func (c liveIterators) iterate(by []term) reading {
	r := c.collection.iterate(by)
	rows := func() ([]row, error) { return c.collection.iterate(by).rows() }
	return reading{rows: rows, err: r.err}
}

func sharedClones(t target) target {
	t.clone = func() target { return t }
	return t
}

type lateChanges struct {
	collection
	everyEighth
	cache sync.Map // results by revision
}

// A sinceResult is the result of since.
type sinceResult struct {
	changes func() ([]change, error)
	now     uint64
	err     error
}

func (c *lateChanges) since(revision uint64) (func() ([]change, error), uint64, error) {
	if before, ok := c.cache.Load(revision); ok && c.next() {
		a := before.(sinceResult)
		return a.changes, a.now, a.err
	}
	var a sinceResult
	a.changes, a.now, a.err = c.collection.since(revision)
	c.cache.Store(revision, a)
	return a.changes, a.now, a.err
}

type tornLoads struct{ collection }

func (c tornLoads) load(rows []row) error {
	if err := c.collection.load(rows[:len(rows)/2]); err != nil {
		return err
	}
	return c.collection.load(rows)
}

func mixedSaves(t target) target {
	save, clone := t.save, t.clone
	t.save = func() (func() (target, error), error) {
		first, err := save()
		if err != nil {
			return nil, err
		}
		second, err := save()
		return func() (target, error) {
			a, err := first()
			if err != nil {
				return a, err
			}
			b, err := second()
			return target{collections: []collection{a.collections[0], b.collections[1]}}, err
		}, err
	}
	t.clone = func() target { return mixedSaves(clone()) }
	return t
}

// staleTags responds with status 304 to every request that has a tag.
func staleTags(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tags := r.Header.Get("If-None-Match"); tags != "" {
			tag, _, _ := strings.Cut(tags, ", ")
			w.Header().Set("ETag", tag)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// lateTags responds with a page and the tag of a later response.
func lateTags(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("If-None-Match") != "" {
			h.ServeHTTP(w, r)
			return
		}
		first, second := httptest.NewRecorder(), httptest.NewRecorder()
		h.ServeHTTP(first, r)
		runtime.Gosched()
		h.ServeHTTP(second, r)
		w.Header()["Etag"] = second.Header()["Etag"]
		w.WriteHeader(first.Code)
		w.Write(first.Body.Bytes())
	})
}
