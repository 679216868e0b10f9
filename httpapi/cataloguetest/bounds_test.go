package cataloguetest

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// sizes returns the size of the headers and bodies in a log, as counted by the log and as found.
func sizes(l *exchangeLog) (counted, found int) {
	for _, e := range l.exchanges() {
		found += headerSize(e.Header) + headerSize(e.ResponseHeader) + len(e.Body) + len(e.ResponseBody)
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
		for range maxKept/maxBody + 1 {
			others.ServeHTTP(httptest.NewRecorder(), r)
		}
		_, _ = w.Write(long)
	}))
	first.ServeHTTP(httptest.NewRecorder(), r)
	if counted, found := sizes(&l); counted != maxKept || found != maxKept {
		t.Errorf("%d bytes counted, %d kept, want %d", counted, found, maxKept)
	}
	if e := l.exchanges()[0]; !e.Cut || len(e.ResponseBody) != 0 {
		t.Errorf("first exchange: Cut = %t with %d bytes, want true with 0", e.Cut, len(e.ResponseBody))
	}
}

// TestLogDropsHeaders checks that headers count in the limit for all headers and bodies, also
// those of a response that ends after many others, and that nothing else is dropped with them.
func TestLogDropsHeaders(t *testing.T) {
	var l exchangeLog
	const size = 64 << 10
	long := strings.Repeat("x", size-1000)
	quick := l.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", long)
		w.WriteHeader(http.StatusNoContent)
	}))
	r := httptest.NewRequest("GET", "/quick?x=1", nil)
	r.Header.Set("X-Long", long)
	const others = maxKept/size/2 + 100
	slow := l.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range others {
			quick.ServeHTTP(httptest.NewRecorder(), r)
		}
		w.Header().Set("X-Throttle", "yes")
		w.WriteHeader(http.StatusOK)
	}))
	slow.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/slow", nil))
	if counted, found := sizes(&l); counted != found || counted > maxKept || counted < maxKept-2*size {
		t.Errorf("%d bytes counted, %d kept, want at most %d", counted, found, maxKept)
	}
	all := l.exchanges()
	if first := all[0]; first.Header != nil || first.ResponseHeader != nil || !first.Cut || first.Status != 200 || first.URL.Path != "/slow" {
		t.Errorf("first exchange: %v with headers %v, %v", first, first.Header, first.ResponseHeader)
	}
	kept := 0
	for i, e := range all[1:] {
		if e.ResponseHeader != nil {
			kept++
		}
		if (e.Header == nil) != (e.ResponseHeader == nil) || e.Cut != (e.Header == nil) || e.URL.RawQuery != "x=1" || e.Status != 204 {
			t.Fatalf("exchange %d of %d: %v with Cut = %t", i+2, len(all), e, e.Cut)
		}
	}
	if kept == 0 || kept == others {
		t.Errorf("the headers of %d of %d exchanges are kept", kept, others)
	}
	l.forget()
	quick.ServeHTTP(httptest.NewRecorder(), r)
	if e := l.exchanges()[0]; e.Header == nil || e.Cut {
		t.Error("the first exchange after forget has no header")
	}
}

// TestHeaderSize checks that fields and values without text count as well.
func TestHeaderSize(t *testing.T) {
	if got, want := headerSize(http.Header{"A": {"", "bc"}, "De": nil}), 1+32+32+34+2+32; got != want {
		t.Errorf("headerSize = %d, want %d", got, want)
	}
}

// TestLogBoundsRequests checks what is kept of requests that are longer than any that a client
// of the service sends: the beginning of the method and of the URL, and none of the memory of the
// rest.
func TestLogBoundsRequests(t *testing.T) {
	long := strings.Repeat("ä", 100_000)
	escaped := strings.Repeat("%C3%A4", 40_000)
	tests := []struct {
		reason      string
		line        string // of the request, without the protocol
		method, url string // that are kept
		cut         bool
	}{
		{"as usual", "GET /api/?a=1", "GET", "/api/?a=1", false},
		{"query", "GET /api/?a=" + long, "GET", "/api/?a=" + long[:maxURL-len("/api/a=")-1] + "…", true},
		{"path", "GET /" + long, "GET", "/" + strings.Repeat("%C3%A4", maxURL/2-1) + "%E2%80%A6", true},
		{"escapes", "GET /" + escaped + "?a=1", "GET", "/" + strings.Repeat("%C3%A4", maxURL/2-1) + "%E2%80%A6", true},
		{"longest URL", "GET /?" + long[:maxURL-2], "GET", "/?" + long[:maxURL-2], false},
		{"host", "GET http://" + strings.Repeat("a", 250_000) + "/api/", "GET", "/api/", false},
		{"method", strings.Repeat("G", 250_000) + " /api/", strings.Repeat("G", maxURL) + "…", "/api/", true},
	}
	for _, tt := range tests {
		const requests = 5
		l := exchangeLog{max: requests}
		handler := l.wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		before := heap()
		for range requests {
			r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(tt.line + " HTTP/1.1\r\nHost: a\r\n\r\n")))
			if err != nil {
				t.Fatalf("%s: %v", tt.reason, err)
			}
			handler.ServeHTTP(httptest.NewRecorder(), r)
		}
		if kept, most := heap()-before, requests*3*maxURL; kept > most {
			t.Errorf("%s: %d bytes are in use after %d requests, want at most %d", tt.reason, kept, requests, most)
		}
		e := l.exchanges()[0]
		if e.Method != tt.method || e.URL.RequestURI() != tt.url || e.Cut != tt.cut {
			t.Errorf("%s: %.40s %.80s… of %d bytes, Cut = %t", tt.reason, e.Method, e.URL, len(e.URL.RequestURI()), e.Cut)
		}
		if tt.cut && !strings.Contains(e.String(), ", not kept completely") {
			t.Errorf("%s: String() = %q", tt.reason, e.String())
		}
	}
}

// heap returns the number of bytes that are in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
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
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for range 10 {
		server.Inject(Match{}, ResetConnection()).Remove()
	}
	if n := len(server.faults.added) + len(server.faults.active); n != 0 {
		t.Errorf("%d faults are kept", n)
	}
}
