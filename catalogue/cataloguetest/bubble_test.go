package cataloguetest

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestInABubble: a house works where time is synthetic, and time passes when
// client and handler wait.
func TestInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := New(t)
		begun := time.Now()
		answer, err := house.Client.Get(house.URL + "/api/events/?limit=1000")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK || len(body) < 1000 {
			t.Errorf("%d, %d bytes, %v", answer.StatusCode, len(body), err)
		}
		if date, err := http.ParseTime(answer.Header.Get("Date")); err != nil || !date.Equal(begun) {
			t.Errorf("answered at %v, it was %v", date, begun)
		}
		time.Sleep(time.Hour) // the connection waits for another request
		house.WalkedOnce(t, "events")
		if took := time.Since(begun); took != time.Hour {
			t.Errorf("it took %v", took)
		}
	})
}

// TestSleepInABubble: what sleeps in a handler takes its time from the test's
// clock, and so does the client's patience. The log tells both.
func TestSleepInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var notes journal
		url, client, end, err := serveInProcess(notes.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(time.Minute):
				w.WriteHeader(http.StatusNoContent)
			case <-r.Context().Done():
			}
		})), "http", log.New(io.Discard, "", 0))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(end)
		if answer, err := client.Get(url + "/patient"); err != nil || answer.StatusCode != http.StatusNoContent {
			t.Errorf("%v", err)
		}
		client.Timeout = time.Second
		if _, err := client.Get(url + "/impatient"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("out of patience: %v", err)
		}
		synctest.Wait()
		var took []time.Duration
		for _, e := range notes.exchanges() {
			took = append(took, e.Took)
		}
		if len(took) != 2 || took[0] != time.Minute || took[1] != time.Second {
			t.Errorf("the handler took %v", took)
		}
	})
}

// TestWalkGivenUpInABubble: who gives up a page while it comes, and asks for it
// again, has walked once.
func TestWalkGivenUpInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := New(t)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "GET", house.URL+"/api/events/?limit=300", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := house.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		synctest.Wait() // the client has noticed; until then it goes on reading
		if _, err := io.Copy(io.Discard, answer.Body); err != context.Canceled {
			t.Errorf("the page that was given up: %v", err)
		}
		answer.Body.Close()
		answer, err = house.Client.Get(house.URL + "/api/events/?limit=300")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Error(err)
		}
		answer.Body.Close()
		synctest.Wait() // the first handler has noticed
		if log := house.Exchanges(); !log[0].Aborted || log[1].Aborted {
			t.Errorf("aborted: %t and %t", log[0].Aborted, log[1].Aborted)
		}
		house.WalkedOnce(t, "events")
	})
}

// TestUnreadInABubble: a bubble ends though an answer was never read or closed.
func TestUnreadInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := New(t)
		if _, err := house.Client.Get(house.URL + "/api/books/?limit=1000"); err != nil {
			t.Fatal(err)
		}
	})
}
