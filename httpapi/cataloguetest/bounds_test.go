package cataloguetest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// sizes returns the size of the bodies in a log, as counted by the log and as found.
func sizes(l *exchangeLog) (counted, found int) {
	for _, e := range l.exchanges() {
		found += len(e.Body) + len(e.ResponseBody)
	}
	return l.size, found
}

// TestForgetResponseUnderWay checks that a response that is forgotten while it is written
// does not count in the limit for all bodies.
func TestForgetResponseUnderWay(t *testing.T) {
	var l exchangeLog
	handler := l.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 1000))
		l.forget()
		_, _ = w.Write(make([]byte, 1000))
	}))
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	if counted, found := sizes(&l); counted != 0 || found != 0 {
		t.Errorf("%d bytes counted, %d kept, want 0", counted, found)
	}
}

// TestLogForgetsBodies checks that old exchanges are forgotten for the size of their bodies, but
// only if their number has a bound.
func TestLogForgetsBodies(t *testing.T) {
	const requests = maxKept/maxBody + 3
	for _, limit := range []int{0, 1000} {
		l := exchangeLog{max: limit}
		handler := l.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, maxBody+1)) }))
		for range requests {
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		}
		want := requests
		if limit > 0 {
			want = maxKept / maxBody
		}
		if counted, found := sizes(&l); counted != want*maxBody || found != counted {
			t.Errorf("at most %d exchanges: %d bytes counted, %d kept, want %d", limit, counted, found, want*maxBody)
		}
		if all := l.exchanges(); len(all) != want || !all[0].Cut {
			t.Errorf("at most %d exchanges: %d are kept, want %d; Cut: %t", limit, len(all), want, all[0].Cut)
		}
	}
}

// TestLogForgetsResponseUnderWay checks that nothing is kept of a response that is
// forgotten while it is written, because others followed.
func TestLogForgetsResponseUnderWay(t *testing.T) {
	l := exchangeLog{max: 2}
	quick := l.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 10)) }))
	r := httptest.NewRequest("GET", "/quick", nil)
	slow := l.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 1000))
		for range 3 {
			quick.ServeHTTP(httptest.NewRecorder(), r)
		}
		_, _ = w.Write(make([]byte, 1000))
	}))
	slow.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/slow", nil))
	if counted, found := sizes(&l); counted != 20 || found != 20 {
		t.Errorf("%d bytes counted, %d kept, want 20", counted, found)
	}
	if all := l.exchanges(); len(all) != 2 || all[0].URL.Path != "/quick" {
		t.Errorf("exchanges %v, want the last 2", all)
	}
}

// TestFaultsWithoutReport checks that a server without a test does not keep the faults that
// were removed.
func TestFaultsWithoutReport(t *testing.T) {
	server, err := Open(Options{Empty: true})
	must(t, err)
	defer server.Close()
	for range 10 {
		server.Inject(Match{}, ResetConnection()).Remove()
	}
	if n := len(server.faults.added) + len(server.faults.active); n != 0 {
		t.Errorf("%d faults are kept", n)
	}
}
