package linearizability_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/internal/model/play"
	"github.com/gobacklist/backlist/catalogue/internal/model/playhttp"
)

// faultTimeout is the time within which a fault must be detected. Most faults take
// less than a second.
const faultTimeout = time.Minute

// TestInjectedFaults injects one fault at a time between the clients and correct
// collections and expects that it is detected.
func TestInjectedFaults(t *testing.T) {
	typedFilms := func(mix string, changes ...func(*model.Config)) workload { return typed("", mix, 0, changes...) }
	for _, fault := range []struct {
		reason string
		w      workload
		start  func(f *faulty, op model.Op) func() string // nil if the workload has the fault
	}{
		{"a page of an earlier state", typedFilms(forPages), stale("page", "view")},
		{"a count of a later state", typedFilms(forPages), lateCount},
		{"a write that is not made", typedFilms(forUpdates), droppedUpdate},
		{"an update in two steps", typedFilms(forUpdates), lostUpdate},
		{"a batch in several steps", typedFilms(forBatches), tornBatch},
		{"a snapshot that changes", open("", forSnapshots, 0), liveCopy("snapshot")},
		{"an iterator that changes", typedFilms(forSnapshots), liveIterator},
		{"a clone that is the original", typedFilms(forSnapshots), liveCopy("clone")},
		{"changes of an earlier state", typedFilms(forHistory, history(40)), stale("since")},
		{"a batch of collections in several steps", films(forTogether, 0), tornBatch},
		{"a load in two steps", inCatalogue(typedFilms(forLoads, history(40))), tornLoad},
		{"a selection with the count of a later state", typedFilms(forSelections), lateSelection},
		{"a unique field checked before the write", typedFilms("insert insert upsert upsert delete get page", unique("barcode")), earlyCheck},
		{"a catalogue saved at two instants", films(forCatalogues, 0), mixedCopy("save")},
		{"a snapshot of a catalogue at two instants", films(forCatalogues, 0), mixedCopy("snapshot")},
		{"a reference checked before the write", overHTTP[playhttp.Listing]("", "insert update update delete upsert", 0, nil), earlyReference},
		{"a 304 for any tag", overHTTP[playhttp.Listing]("", forRequests, 0, staleTags), nil},
		{"a tag of a later state", overHTTP[playhttp.Listing]("", forRequests, 0, lateTags), nil},
	} {
		t.Run(fault.reason, func(t *testing.T) {
			w, seed := fault.w, seedOf(t)
			if perform := w.perform; fault.start != nil {
				w.perform = func(w *workload, p *play.Player) (_ performer, err error) {
					f := &faulty{performer: p, start: fault.start}
					if perform != nil {
						f.performer, err = perform(w, p)
					}
					return f, err
				}
			}
			if fault.reason == "a unique field checked before the write" {
				w.play = typedFilms("").play // the collection has no unique field, but the model has
			}
			r, err := w.runFor(faultTimeout, seed)
			if !errors.Is(err, errNotLinearizable) {
				t.Fatalf("seed %d: not detected: %v", seed, err)
			}
			t.Logf("seed %d: detected after %d rounds, %v", seed, r.rounds, time.Since(r.start))
		})
	}
}

// A faulty performs operations with a fault.
type faulty struct {
	performer
	start func(f *faulty, op model.Op) func() string

	mu     sync.Mutex
	calls  int
	before map[string]func() string // what stale remembers
}

func (f *faulty) Start(op model.Op) func() string { return f.start(f, op) }

// do performs an operation and returns its result.
func (f *faulty) do(op model.Op) string { return f.performer.Start(op)() }

// chosen selects every eighth call.
func (f *faulty) chosen() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	return f.calls%8 == 0
}

// stale sometimes repeats the result that an operation had before.
func stale(verbs ...string) func(f *faulty, op model.Op) func() string {
	return func(f *faulty, op model.Op) func() string {
		if !strings.Contains(strings.Join(verbs, " "), op.Verb) {
			return f.performer.Start(op)
		}
		text, again := op.String(), f.chosen()
		f.mu.Lock()
		before := f.before[text]
		f.mu.Unlock()
		if again && before != nil {
			return before
		}
		result := f.performer.Start(op)()
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.before == nil {
			f.before = map[string]func() string{}
		}
		f.before[text] = func() string { return result }
		return f.before[text]
	}
}

func lateCount(f *faulty, op model.Op) func() string {
	if op.Verb != "page" || op.Where != nil || op.On != "" {
		return f.performer.Start(op)
	}
	return f.withCount(op, model.Op{In: op.In, Verb: "len"})
}

func lateSelection(f *faulty, op model.Op) func() string {
	if op.Verb != "page" || op.Where == nil || op.On != "" {
		return f.performer.Start(op)
	}
	return f.withCount(op, model.Op{In: op.In, Verb: "count", Where: op.Where})
}

// withCount performs op and replaces the count in its result by that of a later operation.
func (f *faulty) withCount(op, count model.Op) func() string {
	result := f.do(op)
	runtime.Gosched()
	later := f.do(count)
	if !strings.HasPrefix(result, "error") {
		_, records, _ := strings.Cut(result+" ", " ")
		result = strings.TrimSpace(later + " " + records)
	}
	return func() string { return result }
}

func droppedUpdate(f *faulty, op model.Op) func() string {
	if op.Verb != "update" || op.How != "" || strings.Contains(op.Records[0], `"id":`) || !f.chosen() {
		return f.performer.Start(op)
	}
	was := f.do(model.Op{In: op.In, Verb: "get", ID: op.ID})
	if strings.HasPrefix(was, "{") {
		was = "was " + was + ", ok"
	}
	return func() string { return was }
}

// lostUpdate replaces the whole record by what an update makes of an earlier one.
func lostUpdate(f *faulty, op model.Op) func() string {
	if op.Verb != "update" || op.How != "" || strings.Contains(op.Records[0], `"id":`) {
		return f.performer.Start(op)
	}
	record := f.do(model.Op{Verb: "get", ID: op.ID})
	if !strings.HasPrefix(record, "{") {
		return func() string { return record }
	}
	w, _ := model.New(play.Films()).Do(model.Op{Verb: "insert", Records: []string{record}})
	w, result := w.Do(op)
	_, changed := w.Do(model.Op{Verb: "get", ID: op.ID})
	runtime.Gosched()
	f.do(model.Op{Verb: "upsert", Records: []string{changed}})
	return func() string { return result }
}

func tornBatch(f *faulty, op model.Op) func() string {
	if op.Verb != "batch" || op.How != "" {
		return f.performer.Start(op)
	}
	var lines []string
	for _, inner := range op.Ops {
		inner.In = cmp.Or(inner.In, op.In)
		lines = append(lines, f.do(inner))
		runtime.Gosched()
	}
	return func() string { return strings.Join(append(lines, "ok"), "\n") }
}

// liveCopy performs the operations on a copy on the original.
func liveCopy(verb string) func(f *faulty, op model.Op) func() string {
	return func(f *faulty, op model.Op) func() string {
		if op.Verb != verb || op.Ops == nil {
			return f.performer.Start(op)
		}
		return func() string {
			lines := []string{"ok"}
			for _, inner := range op.Ops {
				lines = append(lines, f.do(inner))
			}
			return strings.Join(lines, "\n")
		}
	}
}

func liveIterator(f *faulty, op model.Op) func() string {
	if op.Verb != "all" {
		return f.performer.Start(op)
	}
	return func() string { return f.do(op) }
}

func tornLoad(f *faulty, op model.Op) func() string {
	if op.Verb == "load" {
		half := op
		half.Records = op.Records[:len(op.Records)/2]
		f.do(half)
		runtime.Gosched()
	}
	return f.performer.Start(op)
}

// earlyCheck returns ErrDuplicate if the barcode is taken, but another writer can take it
// between the check and the write.
func earlyCheck(f *faulty, op model.Op) func() string {
	if op.Verb != "insert" && op.Verb != "upsert" || op.How != "" {
		return f.performer.Start(op)
	}
	var r struct {
		ID      int
		Barcode uint64
	}
	if err := json.Unmarshal([]byte(op.Records[0]), &r); err != nil {
		panic(err)
	}
	exists := op.Verb == "insert" && f.do(model.Op{Verb: "has", ID: r.ID}) == "true"
	barcode := model.Condition{Field: "barcode", Operator: "=", Value: fmt.Sprint(r.Barcode)}
	for _, operator := range []string{"<", ">"} {
		other := model.Condition{Field: "id", Operator: operator, Value: fmt.Sprint(r.ID)}
		taken := f.do(model.Op{Verb: "count", Where: []model.Condition{barcode, other}}) != "0"
		if taken && !exists && r.ID >= 0 {
			return func() string { return "error: duplicate" }
		}
	}
	runtime.Gosched()
	return f.performer.Start(op)
}

// earlyReference writes without a check what it has found to be valid.
func earlyReference(f *faulty, op model.Op) func() string {
	if op.In != "studios" || op.Verb != "delete" || op.How != "checked" {
		return f.performer.Start(op)
	}
	where := []model.Condition{{Field: "studio", Operator: "=", Value: fmt.Sprint(op.ID)}}
	referred := f.do(model.Op{In: "listings", Verb: "view", Where: where})
	if !strings.HasPrefix(referred, "0") {
		return f.performer.Start(op)
	}
	time.Sleep(50 * time.Microsecond)
	op.How = ""
	return f.performer.Start(op)
}

// mixedCopy copies a catalogue twice and reads one collection of each copy.
func mixedCopy(verb string) func(f *faulty, op model.Op) func() string {
	return func(f *faulty, op model.Op) func() string {
		if op.Verb != verb || op.In != "" || op.Ops == nil {
			return f.performer.Start(op)
		}
		of := func(key string) model.Op {
			part := op
			part.Ops = nil
			for _, inner := range op.Ops {
				if inner.In == key {
					part.Ops = append(part.Ops, inner)
				}
			}
			return part
		}
		first := f.performer.Start(of("films"))
		runtime.Gosched()
		second := f.performer.Start(of("reels"))
		return func() string { return first() + strings.TrimPrefix(second(), "ok") }
	}
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
