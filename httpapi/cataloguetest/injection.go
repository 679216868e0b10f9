package cataloguetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/httpapi/internal/fake"
)

// Inject applies fault to the requests that match selects, until it is removed:
//
//	server.Inject(cataloguetest.Match{Nth: 2}, cataloguetest.Status(503, ""))
//	server.Inject(cataloguetest.Match{Collection: "events", Offset: 21}, cataloguetest.MissingRow())
//
// If several faults apply to one request, they take effect in the order in which a
// response is made: delays and resets before the response, a status in its place,
// changes to its page, headers, truncation, and finally the way its bytes are
// sent. Faults of the same kind take effect in the order of the calls, so the last of
// two statuses is sent. Each fault counts the requests as they arrive, independently
// of other faults.
//
// At the end of the test, a fault that has changed no response is logged with the place
// where Inject was called; see [Options.RequireFaults].
//
// Inject calls Fatalf on the testing.TB of the server if match or fault is invalid, or if
// match can match no request. If the server belongs to no test, Inject logs the error and
// injects nothing; use [Server.TryInject] there.
func (s *Server) Inject(match Match, fault Fault) *Injection {
	i, err := s.faults.add(match, fault, caller())
	if err == nil {
		return i
	}
	if s.tb == nil {
		log.Printf("cataloguetest: Inject: %v", err)
	} else {
		s.tb.Helper()
		s.tb.Fatalf("cataloguetest: Inject: %v", err)
	}
	return &Injection{owner: &s.faults}
}

// TryInject applies fault to the requests that match selects, as [Server.Inject] does. It
// returns an error if match or fault is invalid, or if match can match no request. It is meant
// for programs, whose faults come from a configuration or a request.
func (s *Server) TryInject(match Match, fault Fault) (*Injection, error) {
	i, err := s.faults.add(match, fault, caller())
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	return i, nil
}

// caller returns the file and line from which the caller of this function was called.
func caller() string {
	_, file, line, _ := runtime.Caller(2)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// An Injection is a fault that has been injected into a server. It is safe for concurrent use.
type Injection struct {
	owner   *faults
	match   Match
	fault   Fault
	pattern *pathPattern // of match.Path; nil if that is none
	random  *rand.Rand   // decides what is in match.Share; guarded by owner.mu
	at      string       // file and line of the call of Inject or TryInject

	// Numbers of requests, guarded by owner.mu: that match the fields of match, are
	// in its share, are selected by After and Nth, and were changed.
	matched, shared, selected, count int
}

// Count returns the number of requests that the fault has changed. Selected requests
// that it could not change do not count, such as a request for a page to which another
// fault responds with a status. A fault whose Count is zero at the end of the test is
// logged; see [Options.RequireFaults].
func (j *Injection) Count() int {
	j.owner.mu.Lock()
	defer j.owner.mu.Unlock()
	return j.count
}

// Remove removes the fault and leaves the others of the server. Requests that have
// already arrived are not affected. Only the first call has an effect.
func (j *Injection) Remove() {
	j.owner.mu.Lock()
	defer j.owner.mu.Unlock()
	same := func(other *Injection) bool { return other == j }
	j.owner.active = slices.DeleteFunc(j.owner.active, same)
	if j.count > 0 {
		j.owner.added = slices.DeleteFunc(j.owner.added, same)
	}
}

// selects counts a request and reports whether the fault applies to it. The owner must be
// locked.
func (j *Injection) selects(r *http.Request) bool {
	if !j.match.matches(r, j.owner.paths, j.pattern) {
		return false
	}
	j.matched++
	if j.match.Share > 0 && j.random.Float64() >= j.match.Share {
		return false
	}
	j.shared++
	if !j.match.inRange(j.shared) {
		return false
	}
	j.selected++
	return true
}

// apply applies the fault, and counts the request if it was changed.
func (j *Injection) apply(i *interceptor) {
	if !j.fault.apply(i) {
		return
	}
	j.owner.mu.Lock()
	defer j.owner.mu.Unlock()
	j.count++
}

// faults is the set of faults of one server. It is safe for concurrent use.
type faults struct {
	paths paths

	mu     sync.Mutex
	active []*Injection // in the order in which they were added
	added  []*Injection // including those that were removed before they changed a response

	reported bool // at the end of a test; otherwise added is not used
}

func (f *faults) add(match Match, fault Fault, at string) (*Injection, error) {
	if fault.err != nil {
		return nil, fault.err
	}
	if fault.apply == nil {
		return nil, errors.New("the zero Fault is invalid")
	}
	if err := match.check(f.paths); err != nil {
		return nil, err
	}
	j := &Injection{owner: f, match: match, fault: fault, at: at, random: rand.New(rand.NewPCG(match.Seed, 0))}
	if isPattern(match.Path) {
		j.pattern, _ = newPathPattern(match.Path) // has been checked
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = append(f.active, j)
	if f.reported {
		f.added = append(f.added, j)
	}
	return j, nil
}

// wrap returns a handler that applies the faults to the requests for next.
func (f *faults) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits := f.hits(r)
		if len(hits) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		i := interceptor{w: w, r: r, next: next, paths: f.paths}
		i.serve(hits)
	})
}

// hits counts a request for every fault, and returns the faults that apply to it
// in the order of their stages.
func (f *faults) hits(r *http.Request) (hits []*Injection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.active {
		if j.selects(r) {
			hits = append(hits, j)
		}
	}
	slices.SortStableFunc(hits, func(a, b *Injection) int { return int(a.fault.stage - b.fault.stage) })
	return hits
}

// report logs the faults that changed no response, or fails the test if they are required
// to change one. It reports nothing of a test that was skipped.
func (f *faults) report(tb testing.TB, required bool) {
	tb.Helper()
	if tb.Skipped() {
		return
	}
	report := tb.Logf
	if required {
		report = tb.Errorf
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.added {
		if j.count == 0 {
			report("cataloguetest: %s: the fault changed no response; requests that matched: %d, of which Share, After and Nth selected %d",
				j.at, j.matched, j.selected)
		}
	}
}

// An interceptor serves one request with the faults that apply to it.
type interceptor struct {
	w     http.ResponseWriter
	r     *http.Request
	next  http.Handler
	paths paths

	delay time.Duration
	reset bool // reset the connection after the delay

	response *fake.Recorder // nil: the handler has not been called

	chunk      int // bytes of the body per write; 0: all
	pause      time.Duration
	resetsBody bool // reset the connection after resetAfter bytes of the body
	resetAfter int
}

// serve responds to the request. The hits must be in the order of their stages.
func (i *interceptor) serve(hits []*Injection) {
	for len(hits) > 0 && hits[0].fault.stage <= inPlaceOf {
		hits[0].apply(i)
		hits = hits[1:]
	}
	if i.delay > 0 && !i.readBody() || !sleep(i.r.Context(), i.delay) || i.reset {
		panic(http.ErrAbortHandler)
	}
	if len(hits) == 0 && i.response == nil {
		i.next.ServeHTTP(i.w, i.r) // only delayed: not buffered
		return
	}
	if i.response == nil {
		i.response = i.record(i.r)
	}
	for _, hit := range hits {
		hit.apply(i)
	}
	i.send()
}

// readBody reads the request body into memory and reports whether it could.
// net/http does not detect before the end of the body that the client has disconnected.
// The rest of a body that is longer than the service accepts is not read.
func (i *interceptor) readBody() bool {
	if i.r.Body == nil || i.r.Body == http.NoBody {
		return true
	}
	front, err := io.ReadAll(io.LimitReader(i.r.Body, maxBody+1))
	if err != nil {
		return false
	}
	rest := i.r.Body
	i.r = i.r.WithContext(i.r.Context()) // a copy
	i.r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(front), rest), rest}
	return true
}

// record calls the handler and returns its response. A HEAD is handled as a GET, so
// that both have the same header even if a fault changes the body.
func (i *interceptor) record(r *http.Request) *fake.Recorder {
	if r.Method == http.MethodHead {
		r = r.WithContext(r.Context()) // a copy
		r.Method = http.MethodGet
	}
	recorder := fake.NewRecorder(i.w.Header().Clone())
	i.next.ServeHTTP(recorder, r)
	recorder.WriteHeader(http.StatusOK) // no effect if it has been called
	return recorder
}

// sendsBody reports whether the response has a body on the wire.
func (i *interceptor) sendsBody() bool {
	return i.r.Method != http.MethodHead && len(i.response.Body) > 0 && mayHaveBody(i.response.Status)
}

// send writes the response to the client.
func (i *interceptor) send() {
	header := i.w.Header()
	clear(header)
	maps.Copy(header, i.response.Sent)
	if mayHaveBody(i.response.Status) {
		header.Set("Content-Length", strconv.Itoa(len(i.response.Body)))
	}
	i.w.WriteHeader(i.response.Status)
	if !i.sendsBody() {
		return
	}
	body := i.response.Body
	if i.resetsBody {
		body = body[:min(i.resetAfter, len(body)-1)]
	}
	ok := i.write(body)
	if i.resetsBody || !ok {
		_ = http.NewResponseController(i.w).Flush() // the abort discards what is buffered
		panic(http.ErrAbortHandler)
	}
}

// write writes the body, in chunks if necessary, and reports whether it could.
func (i *interceptor) write(body []byte) bool {
	if i.chunk == 0 {
		_, err := i.w.Write(body)
		return err == nil
	}
	for first := true; len(body) > 0; first = false {
		if !first && !sleep(i.r.Context(), i.pause) {
			return false
		}
		n := min(i.chunk, len(body))
		if _, err := i.w.Write(body[:n]); err != nil {
			return false
		}
		_ = http.NewResponseController(i.w).Flush()
		body = body[n:]
	}
	return true
}

// mayHaveBody reports whether a response with that status can have a body.
func mayHaveBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// sleep reports whether it slept for d before the context ended.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
