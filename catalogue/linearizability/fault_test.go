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

// bound is how long a fault may take to be found. Most take less than a second.
const bound = time.Minute

// TestFaultsAreFound puts one fault at a time between the clients and a
// collection that has none.
func TestFaultsAreFound(t *testing.T) {
	for _, fault := range []struct {
		reason string
		w      workload
		wrap   func(target) target
	}{
		{"a page of an earlier state", structs("", forPages, 0, 0), each(func(c collection) collection { return &stalePages{collection: c} })},
		{"a count of a later state", structs("", forPages, 0, 0), each(func(c collection) collection { return lateCounts{c} })},
		{"a write that is not made", structs("", forUpdates, 0, 0), each(func(c collection) collection { return &droppedWrites{collection: c} })},
		{"an update that is read and written in two steps", structs("", forUpdates, 0, 0), each(func(c collection) collection { return lostUpdates{c} })},
		{"a batch in several steps", committed(structs("", forBatches, 0, 0)), each(func(c collection) collection { return tornBatches{c} })},
		{"a snapshot that changes", open("", forSnapshots, 0, 0), each(func(c collection) collection { return liveSnapshots{c} })},
		{"an iterator that changes", structs("", forSnapshots, 0, 0), each(func(c collection) collection { return liveIterators{c} })},
		{"a clone that is the original", structs("", forSnapshots, 0, 0), sharedClones},
		{"changes that are told late", structs("", forHistory, 0, 40), each(func(c collection) collection { return &lateChanges{collection: c} })},
		{"a load in two steps", loadable(forLoads)[0], each(func(c collection) collection { return tornLoads{c} })},
		{"a catalogue saved at two instants", twoCollections("", 0), mixedSaves},
		{"an old tag is good for ever", events("", 0, staleTags), nil},
		{"a tag that is taken after the page", events("", 0, lateTags), nil},
	} {
		t.Run(fault.reason, func(t *testing.T) {
			w, seed := fault.w, seedOf(t)
			if open := w.open; fault.wrap != nil {
				w.open = func() (target, error) {
					t, err := open()
					return fault.wrap(t), err
				}
			}
			r, err := w.runFor(bound, seed)
			if !errors.Is(err, errNotLinearizable) {
				t.Fatalf("seed %d: not found: %v", seed, err)
			}
			t.Logf("seed %d: found after %d rounds, %v", seed, r.rounds, time.Since(r.start))
		})
	}
}

// committed is a workload without batches that are aborted.
func committed(w workload) workload {
	w.commits = true
	return w
}

// each returns the func that puts a fault into all collections of a target and
// of its clones.
func each(wrap func(collection) collection) func(target) target {
	var wrapAll func(target) target
	wrapAll = func(t target) target {
		t.of = slices.Clone(t.of)
		for i, c := range t.of {
			t.of[i] = wrap(c)
		}
		clone := t.clone
		t.clone = func() target { return wrapAll(clone()) }
		return t
	}
	return wrapAll
}

// sometimes reports true every eighth time.
type sometimes struct {
	mu sync.Mutex
	n  int
}

func (s *sometimes) now() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return s.n%8 == 0
}

type stalePages struct {
	collection
	sometimes
	kept sync.Map // of readings by window
}

func (c *stalePages) page(in input) reading {
	if before, ok := c.kept.Load(in.String()); ok && c.now() {
		return before.(reading)
	}
	r := c.collection.page(in)
	c.kept.Store(in.String(), r)
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
	sometimes
}

func (c *droppedWrites) modify(id int, f func(*row)) error {
	if !c.now() {
		return c.collection.modify(id, f)
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

func (c lostUpdates) modify(id int, f func(*row)) error {
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

func (c tornBatches) update(f func(writer) error) error { return f(c.collection) }

type liveSnapshots struct{ collection }

func (c liveSnapshots) snapshot() snapshotReader {
	return struct {
		collection
		constant
	}{c.collection, constant(c.collection.snapshot().revision())}
}

type constant uint64

func (c constant) revision() uint64 { return uint64(c) }

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
	sometimes
	told sync.Map // by the revision that was asked for
}

type answer struct {
	changes func() ([]change, error)
	now     uint64
	err     error
}

func (c *lateChanges) since(revision uint64) (func() ([]change, error), uint64, error) {
	if before, ok := c.told.Load(revision); ok && c.now() {
		a := before.(answer)
		return a.changes, a.now, a.err
	}
	var a answer
	a.changes, a.now, a.err = c.collection.since(revision)
	c.told.Store(revision, a)
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
			return target{of: []collection{a.of[0], b.of[1]}}, err
		}, err
	}
	t.clone = func() target { return mixedSaves(clone()) }
	return t
}

// staleTags answers 304 to whoever has any page of a URL.
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

// lateTags answers with the tag that the page has a moment later.
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
