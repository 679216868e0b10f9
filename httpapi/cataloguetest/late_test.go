package cataloguetest

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
