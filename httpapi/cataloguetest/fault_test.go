package cataloguetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// An injection is a fault that a test injects.
type injection struct {
	match Match
	fault Fault
}

func at(match Match, fault Fault) injection { return injection{match, fault} }

// serveFaults serves seven books, with the ids 1 to 7, with faults: in process, or over a
// loopback port.
func serveFaults(t testing.TB, loopback bool, all ...injection) (*Server, []*Injection) {
	t.Helper()
	server := NewWith(t, Options{Ignored: []string{"x"}, Catalogue: holding(`{"books":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]}`)})
	if loopback {
		listen(t, server)
	}
	var injections []*Injection
	for _, p := range all {
		injections = append(injections, server.Inject(p.match, p.fault))
	}
	return server, injections
}

// timed serves one request inside a bubble. It returns the time that this took and
// whether the connection was cut.
func timed(t *testing.T, ctx context.Context, all ...injection) (took time.Duration, w *httptest.ResponseRecorder, cut bool) {
	t.Helper()
	server, _ := serveFaults(t, false, all...)
	w = httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, "GET", "/api/none/", nil)
	start := time.Now()
	func() {
		defer func() {
			switch reason := recover(); reason {
			case nil:
			case http.ErrAbortHandler:
				cut = true
			default:
				t.Errorf("panic: %v", reason)
			}
		}()
		server.Handler.ServeHTTP(w, r)
	}()
	return time.Since(start), w, cut
}

// TestFaultTiming uses the response of /api/none/, which has 23 bytes.
func TestFaultTiming(t *testing.T) {
	tests := []struct {
		reason  string
		timeout time.Duration // 0: none
		faults  []Fault
		took    time.Duration
		body    string
		cut     bool
	}{
		{"delay", 0, []Fault{Delay(time.Hour)}, time.Hour, `{"detail":"Not found."}`, false},
		{"negative delay", 0, []Fault{Delay(-time.Hour)}, 0, `{"detail":"Not found."}`, false},
		{"two delays", 0, []Fault{Delay(time.Hour), Delay(time.Minute)}, 61 * time.Minute, `{"detail":"Not found."}`, false},
		{"delay before a status", 0, []Fault{Status(500, "x"), Delay(time.Hour)}, time.Hour, `x`, false},
		{"delay before a cut", 0, []Fault{ResetConnection(), Delay(time.Hour)}, time.Hour, ``, true},
		{"client disconnects during the delay", time.Minute, []Fault{Delay(time.Hour)}, time.Minute, ``, true},
		{"stall in the body", time.Minute, []Fault{Stall(9)}, time.Minute, `{"detail"`, true},
		{"stall before the body", time.Minute, []Fault{Stall(-1)}, time.Minute, ``, true},
		{"stall before the last byte", time.Minute, []Fault{Stall(1000)}, time.Minute, `{"detail":"Not found."`, true},
		{"stall after a delay", time.Minute, []Fault{Stall(9), Delay(time.Second)}, time.Minute, `{"detail"`, true},
		{"the last of two ends", time.Minute, []Fault{Stall(9), ResetAfter(3)}, 0, `{"d`, true},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.timeout)
					defer cancel()
				}
				var all []injection
				for _, f := range tt.faults {
					all = append(all, at(Match{}, f))
				}
				took, w, cut := timed(t, ctx, all...)
				if took != tt.took || w.Body.String() != tt.body || cut != tt.cut {
					t.Errorf("took %v, body %q, cut %t; want %v, %q, %t", took, w.Body, cut, tt.took, tt.body, tt.cut)
				}
			})
		})
	}
}

func TestDelayEndsWithTheClient(t *testing.T) {
	for method, body := range map[string]io.Reader{"GET": nil, "POST": strings.NewReader(`{"name":"x"}`)} {
		server, injections := serveFaults(t, false, at(Match{}, Delay(time.Hour)))
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for injections[0].Count() == 0 && t.Context().Err() == nil { // until the delay has begun
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		r, err := http.NewRequestWithContext(ctx, method, server.URL+"/api/books/", body)
		must(t, err)
		resp, err := server.Client.Do(r)
		if err == nil {
			resp.Body.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", method, err, context.Canceled)
		}
		if n := injections[0].Count(); n != 1 {
			t.Errorf("%s: Count() = %d, want 1", method, n)
		}
		server.Close() // waits for the handler
	}
}

// TestStall checks what a client sees of a body that stops: the header and a part at once, and the rest
// never. Neither the client nor the end of the server waits for longer.
func TestStall(t *testing.T) {
	for _, tt := range []struct {
		reason   string
		loopback bool
		method   string
		body     string
		changed  int
		stored   int
	}{
		{"in process", false, "GET", "", 1, 0},
		{"over a port", true, "GET", "", 1, 0},
		{"a write has its effect", false, "POST", eventBody, 1, 1},
		{"a body that nobody reads", true, "POST", strings.Repeat(" ", 3*maxBody), 1, 0},
		{"a HEAD has no body that could stop", false, "HEAD", "", 0, 0},
	} {
		server, injections := serveFaults(t, tt.loopback, at(Match{}, Stall(4)))
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, tt.method, server.URL+"/api/events/", strings.NewReader(tt.body))
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		resp, err := server.Client.Do(r)
		must(t, err)
		part := make([]byte, 4)
		if tt.changed > 0 {
			if _, err := io.ReadFull(resp.Body, part); err != nil || resp.ContentLength <= 4 {
				t.Errorf("%s: %v, length %d", tt.reason, err, resp.ContentLength)
			}
			cancel()
		}
		rest, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		cancel()
		if errors.Is(err, context.Canceled) != (tt.changed > 0) || len(rest) > 0 {
			t.Errorf("%s: read %q and then %q, %v", tt.reason, part, rest, err)
		}
		if n := injections[0].Count(); n != tt.changed {
			t.Errorf("%s: Count() = %d, want %d", tt.reason, n, tt.changed)
		}
		if stored := eventsOf(server.Catalogue).Count(); stored != tt.stored {
			t.Errorf("%s: %d events", tt.reason, stored)
		}
		injections[0].Remove()
		server.Close()
	}

	server, _ := serveFaults(t, false, at(Match{}, Stall(4)))
	resp, err := server.Client.Get(server.URL + "/api/books/")
	must(t, err)
	server.Close() // does not wait for a client that has no time-out
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the body has an end")
	}
	resp.Body.Close()
}

// TestDelayKeepsBody checks that the handler receives the body that was read before the
// delay, and that it is not called if the body cannot be read.
func TestDelayKeepsBody(t *testing.T) {
	long := strings.Repeat("x", maxBody)
	for _, tt := range []struct {
		reason string
		body   io.Reader
		want   string
		err    bool
	}{
		{"no body", http.NoBody, "", false},
		{"short body", strings.NewReader("hello"), "hello", false},
		{"body of the maximum size", strings.NewReader(long), long, false},
		{"longer body", strings.NewReader(long + long + "end"), long + long + "end", false},
		{"body that fails", &failingReader{"half"}, "", true},
	} {
		var got []byte
		receive := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			var err error
			if got, err = io.ReadAll(r.Body); err != nil {
				t.Errorf("%s: %v", tt.reason, err)
			}
		})
		server := NewWith(t, Options{Catalogue: mustNew(), Wrap: func(http.Handler) http.Handler { return receive }})
		delay := server.Inject(Match{}, Delay(time.Nanosecond))
		resp, err := server.Client.Post(server.URL, "text/plain", tt.body)
		delay.Remove()
		if err == nil {
			resp.Body.Close()
		}
		server.Close()
		if (err != nil) != tt.err || string(got) != tt.want {
			t.Errorf("%s: received %d bytes, want %d; error %v", tt.reason, len(got), len(tt.want), err)
		}
	}
}

// The write happens, whatever becomes of its response. Without Late it does not.
func TestLate(t *testing.T) {
	for _, tt := range []struct {
		fault  Fault
		posted int    // events
		late   int    // with Late
		want   string // the response, with Late
		took   time.Duration
	}{
		{Status(500, "x"), 0, 1, "500 x", 0},
		{ResetConnection(), 0, 1, "EOF", 0},
		{Delay(time.Hour), 1, 1, "201", time.Hour},
		{RateLimit(time.Minute), 0, 1, `429 {"detail":"Request was throttled. Expected available in 60 seconds."}`, 0},
		{Header("X", "y"), 1, 1, "201", 0},
		{Truncate(3), 1, 1, `201 {"i`, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			post := func(fault Fault) (made int, response string) {
				server := NewWith(t, Options{Catalogue: mustNew()})
				server.Inject(Match{}, fault)
				resp, err := server.Client.Post(server.URL+"/api/events/", "application/json", strings.NewReader(eventBody))
				if err != nil {
					return eventsOf(server.Catalogue).Count(), innermost(err)
				}
				defer resp.Body.Close()
				body := make([]byte, 200)
				n, _ := resp.Body.Read(body)
				return eventsOf(server.Catalogue).Count(), fmt.Sprint(resp.StatusCode, " ", string(body[:n]))
			}
			made, _ := post(tt.fault)
			start := time.Now()
			late, response := post(Late(tt.fault))
			if made != tt.posted || late != tt.late || !strings.HasPrefix(response, tt.want) || time.Since(start) != tt.took {
				t.Errorf("%d events, and late %d with %s after %v; want %d, %d, %s, %v",
					made, late, response, time.Since(start), tt.posted, tt.late, tt.want, tt.took)
			}
		})
	}
}

// A late Do sees the write.
func TestLateDo(t *testing.T) {
	server := NewWith(t, Options{Catalogue: mustNew()})
	seen := -1
	server.Inject(Match{}, Late(Do(func() { seen = eventsOf(server.Catalogue).Count() })))
	if status := postEvent(t, server); status != 201 || seen != 1 {
		t.Errorf("status %d, %d events seen", status, seen)
	}
	if _, err := server.TryInject(Match{}, Late(Status(1, ""))); err == nil {
		t.Error("Late of an invalid fault: no error")
	}
	if _, err := server.TryInject(Match{}, Late(Fault{})); err == nil {
		t.Error("Late of the zero Fault: no error")
	}
}

// A limit ends when its time has passed since the first response, as its header says.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := NewWith(t, Options{Catalogue: mustNew()})
		server.Inject(Match{}, RateLimit(90*time.Second+1))
		var got []string
		for _, wait := range []time.Duration{0, 60 * time.Second, 30 * time.Second, time.Second} {
			time.Sleep(wait)
			resp, _ := ask(t, server, "GET /api/books/", "")
			got = append(got, fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Retry-After")))
		}
		if diff := cmp.Diff([]string{"429 91", "429 31", "429 1", "200 "}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
