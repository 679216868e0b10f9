package cataloguetest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// sizes returns the size of the bodies in a log, as counted by the log and as found.
func sizes(l *exchangeLog) (counted, found int) {
	for _, e := range l.exchanges() {
		found += len(e.Body) + len(e.Answer)
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

// TestLogDropsResponseUnderWay checks that nothing more is kept of a response whose
// beginning was dropped while it was written.
func TestLogDropsResponseUnderWay(t *testing.T) {
	var l exchangeLog
	long := make([]byte, maxBody)
	others := l.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(long) }))
	r := httptest.NewRequest("GET", "/", nil)
	first := l.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(long[:10])
		for range maxBodies/maxBody + 1 {
			others.ServeHTTP(httptest.NewRecorder(), r)
		}
		_, _ = w.Write(long)
	}))
	first.ServeHTTP(httptest.NewRecorder(), r)
	if counted, found := sizes(&l); counted != maxBodies || found != maxBodies {
		t.Errorf("%d bytes counted, %d kept, want %d", counted, found, maxBodies)
	}
	if e := l.exchanges()[0]; !e.Cut || len(e.Answer) != 0 {
		t.Errorf("first exchange: Cut = %t with %d bytes, want true with 0", e.Cut, len(e.Answer))
	}
}

// TestLogDropsHeaders checks that the headers of the last exchanges are kept, and no
// others, not even those of a response that ends after many others.
func TestLogDropsHeaders(t *testing.T) {
	var l exchangeLog
	quick := l.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	r := httptest.NewRequest("GET", "/quick?x=1", nil)
	r.Header.Set("Accept", "text/x")
	slow := l.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range maxHeaders + 2 {
			quick.ServeHTTP(httptest.NewRecorder(), r)
		}
		w.Header().Set("X-Slow", "yes")
		w.WriteHeader(http.StatusOK)
	}))
	slow.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/slow", nil))
	all := l.exchanges()
	if first := all[0]; first.Header != nil || first.AnswerHeader != nil || first.Status != 200 || first.URL.Path != "/slow" {
		t.Errorf("first exchange: %v with headers %v, %v", first, first.Header, first.AnswerHeader)
	}
	for i, e := range all[1:] {
		kept := i+1 >= len(all)-maxHeaders
		if (e.Header.Get("Accept") == "text/x") != kept || (e.AnswerHeader != nil) != kept || e.URL.RawQuery != "x=1" || e.Status != 204 {
			t.Fatalf("exchange %d of %d: %v with headers %v, %v", i+2, len(all), e, e.Header, e.AnswerHeader)
		}
	}
	l.forget()
	quick.ServeHTTP(httptest.NewRecorder(), r)
	if e := l.exchanges()[0]; e.Header == nil {
		t.Error("the first exchange after forget has no header")
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

// TestFaultsWithoutReport checks that a house without a test does not keep the faults that
// were mended.
func TestFaultsWithoutReport(t *testing.T) {
	house, err := Open(Options{Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	defer house.Close()
	for range 10 {
		house.Break(Where{}, Cut()).Mend()
	}
	if n := len(house.faults.added) + len(house.faults.active); n != 0 {
		t.Errorf("%d faults are kept", n)
	}
}
