package cataloguetest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// timed answers one request inside a bubble, whose time it measures. It says
// whether the connection was cut.
func timed(t *testing.T, ctx context.Context, breaks ...placed) (took time.Duration, w *httptest.ResponseRecorder, cut bool) {
	t.Helper()
	var f faults
	for _, b := range breaks {
		if _, err := f.add(b.where, b.fault); err != nil {
			t.Fatal(err)
		}
	}
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
		f.wrap(sevenBooks(t)).ServeHTTP(w, r)
	}()
	return time.Since(start), w, cut
}

// The answer of /api/none/ has 23 bytes.
func TestFaultsTakeTime(t *testing.T) {
	tests := []struct {
		reason  string
		timeout time.Duration // 0: none
		faults  []Fault
		took    time.Duration
		body    string
		cut     bool
	}{
		{"a delay", 0, []Fault{Delay(time.Hour)}, time.Hour, `{"detail":"Not found."}`, false},
		{"no delay", 0, []Fault{Delay(-time.Hour)}, 0, `{"detail":"Not found."}`, false},
		{"delays add up", 0, []Fault{Delay(time.Hour), Delay(time.Minute)}, 61 * time.Minute, `{"detail":"Not found."}`, false},
		{"before a status too", 0, []Fault{Status(500, "x"), Delay(time.Hour)}, time.Hour, `x`, false},
		{"and before a cut", 0, []Fault{Cut(), Delay(time.Hour)}, time.Hour, ``, true},
		{"the client has gone", time.Minute, []Fault{Delay(time.Hour)}, time.Minute, ``, true},
		{"three pieces, two pauses", 0, []Fault{Slow(10, time.Minute)}, 2 * time.Minute, `{"detail":"Not found."}`, false},
		{"one piece, no pause", 0, []Fault{Slow(23, time.Minute)}, 0, `{"detail":"Not found."}`, false},
		{"the client goes in the second pause", 90 * time.Second, []Fault{Slow(10, time.Minute)}, 90 * time.Second, `{"detail":"Not found`, true},
		{"delayed and slow", 0, []Fault{Slow(12, time.Minute), Delay(time.Hour)}, 61 * time.Minute, `{"detail":"Not found."}`, false},
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
				var breaks []placed
				for _, f := range tt.faults {
					breaks = append(breaks, at(Where{}, f))
				}
				took, w, cut := timed(t, ctx, breaks...)
				if took != tt.took || w.Body.String() != tt.body || cut != tt.cut {
					t.Errorf("%v, %q, cut %v; want %v, %q, cut %v", took, w.Body, cut, tt.took, tt.body, tt.cut)
				}
			})
		})
	}
}

// Over a real connection: what is slow comes piece by piece, and a client that goes
// away in a pause sets the handler free, or the server could not be closed.
func TestSlowIsSentAsItGoes(t *testing.T) {
	server, _ := serveBroken(t, at(Where{}, Slow(10, time.Hour)))
	answer, err := server.Client().Get(server.URL + "/api/none/")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var first [10]byte
	if _, err := io.ReadFull(answer.Body, first[:]); err != nil || string(first[:]) != `{"detail":` {
		t.Errorf("%q, %v", first, err)
	}
}

func TestDelayEndsWithTheClient(t *testing.T) {
	for method, body := range map[string]io.Reader{"GET": nil, "POST": strings.NewReader(`{"name":"x"}`)} {
		server, made := serveBroken(t, at(Where{}, Delay(time.Hour)))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, method, server.URL+"/api/books/", body)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := server.Client().Do(r)
		if err == nil {
			answer.Body.Close()
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", method, err)
		}
		if n := made[0].Count(); n != 1 {
			t.Errorf("%s: it has happened %d times", method, n)
		}
		server.Close() // waits for the handler
	}
}

// What was read before the wait is what the handler gets, and it gets nothing of a
// body that does not come.
func TestDelayKeepsTheBody(t *testing.T) {
	long := strings.Repeat("x", maxBody)
	for _, tt := range []struct {
		reason string
		body   io.Reader
		want   string
		err    bool
	}{
		{"nothing", http.NoBody, "", false},
		{"a short one", strings.NewReader("hello"), "hello", false},
		{"as much as is taken", strings.NewReader(long), long, false},
		{"more than that", strings.NewReader(long + long + "end"), long + long + "end", false},
		{"one that breaks off", &broken{"half"}, "", true},
	} {
		var f faults
		if _, err := f.add(Where{}, Delay(time.Nanosecond)); err != nil {
			t.Fatal(err)
		}
		var got []byte
		server := httptest.NewServer(f.wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			var err error
			if got, err = io.ReadAll(r.Body); err != nil {
				t.Errorf("%s: %v", tt.reason, err)
			}
		})))
		answer, err := server.Client().Post(server.URL, "text/plain", tt.body)
		if err == nil {
			answer.Body.Close()
		}
		server.Close()
		if (err != nil) != tt.err || string(got) != tt.want {
			t.Errorf("%s: %d bytes of %d, %v", tt.reason, len(got), len(tt.want), err)
		}
	}
}
