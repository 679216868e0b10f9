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

func TestSynctest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := New(t)
		start := time.Now()
		resp, err := house.Client.Get(house.URL + "/api/events/?limit=1000")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK || len(body) < 1000 {
			t.Errorf("status %d, %d bytes, %v", resp.StatusCode, len(body), err)
		}
		if date, err := http.ParseTime(resp.Header.Get("Date")); err != nil || !date.Equal(start) {
			t.Errorf("Date = %v, want %v", date, start)
		}
		time.Sleep(time.Hour) // with an idle connection
		house.WalkedOnce(t, "events")
		if took := time.Since(start); took != time.Hour {
			t.Errorf("took %v, want 1h", took)
		}
	})
}

// TestSynctestTimeouts checks that the delays of handlers, the timeouts of clients and
// Exchange.Took use synthetic time.
func TestSynctestTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l exchangeLog
		url, client, end, err := serveInProcess(l.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
		if resp, err := client.Get(url + "/"); err != nil || resp.StatusCode != http.StatusNoContent {
			t.Errorf("without a timeout: %v", err)
		}
		client.Timeout = time.Second
		if _, err := client.Get(url + "/"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a timeout: %v, want %v", err, context.DeadlineExceeded)
		}
		synctest.Wait()
		var took []time.Duration
		for _, e := range l.exchanges() {
			took = append(took, e.Took)
		}
		if len(took) != 2 || took[0] != time.Minute || took[1] != time.Second {
			t.Errorf("Took = %v, want [1m0s 1s]", took)
		}
	})
}

// TestSynctestAbandonedPage checks that a page that the client abandons and fetches again
// counts once.
func TestSynctestAbandonedPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := New(t)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "GET", house.URL+"/api/events/?limit=300", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := house.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		synctest.Wait() // until the client has noticed, it continues to read
		if _, err := io.Copy(io.Discard, resp.Body); err != context.Canceled {
			t.Errorf("reading the abandoned page: %v, want %v", err, context.Canceled)
		}
		resp.Body.Close()
		resp, err = house.Client.Get(house.URL + "/api/events/?limit=300")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Error(err)
		}
		resp.Body.Close()
		synctest.Wait() // until the first handler has noticed
		if log := house.Exchanges(); !log[0].Aborted || log[1].Aborted {
			t.Errorf("Aborted = %t, %t, want true, false", log[0].Aborted, log[1].Aborted)
		}
		house.WalkedOnce(t, "events")
	})
}

// TestSynctestUnreadResponse checks that a response that is neither read nor closed leaves
// no goroutine in the bubble.
func TestSynctestUnreadResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := New(t)
		if _, err := house.Client.Get(house.URL + "/api/books/?limit=1000"); err != nil {
			t.Fatal(err)
		}
	})
}
