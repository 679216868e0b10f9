package cataloguetest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// A closeRecorder is a request body that records whether it is closed.
type closeRecorder struct {
	io.Reader
	closed bool
}

func (c *closeRecorder) Close() error {
	c.closed = true
	return nil
}

// postTo sends a request with a body, and reports whether the body was closed.
func postTo(t *testing.T, house *cataloguetest.House) (closed bool, err error) {
	t.Helper()
	body := &closeRecorder{Reader: strings.NewReader("{}")}
	resp, err := house.Client.Post(house.URL+"/api/events/", "application/json", body)
	if err == nil {
		resp.Body.Close()
	}
	return body.closed, err
}

// TestHouseMadeOutsideBubble would otherwise end the process. The error must come before
// the transport has created anything, so that the house can still be used outside.
func TestHouseMadeOutsideBubble(t *testing.T) {
	for reason, opts := range map[string]cataloguetest.Options{"in process": {}, "loopback": {Server: true}} {
		t.Run(reason, func(t *testing.T) {
			house := cataloguetest.NewWith(t, opts)
			if status, _ := get(t, house, "/api/"); status != http.StatusOK {
				t.Errorf("before the bubble: status %d", status)
			}
			synctest.Test(t, func(t *testing.T) {
				closed, err := postTo(t, house)
				if err == nil || !strings.Contains(err.Error(), "make it inside the bubble") {
					t.Errorf("inside the bubble: error %v", err)
				}
				if !closed {
					t.Error("the request body was not closed")
				}
			})
			if status, _ := get(t, house, "/api/"); status != http.StatusOK {
				t.Errorf("after the bubble: status %d", status)
			}
			if n := len(house.Exchanges()); n != 2 {
				t.Errorf("%d requests were received, want 2", n)
			}
		})
	}
}

// TestHouseMadeInsideBubble makes a house with the TB of the surrounding test, so that it
// outlives the bubble.
func TestHouseMadeInsideBubble(t *testing.T) {
	outer := &recorder{TB: t}
	var house *cataloguetest.House
	synctest.Test(t, func(*testing.T) { house = cataloguetest.New(outer) })
	closed, err := postTo(t, house)
	if err == nil || !strings.Contains(err.Error(), "use it only inside the bubble") || !closed {
		t.Errorf("outside the bubble: error %v, body closed: %t", err, closed)
	}
	outer.end()
	if len(outer.errors) != 1 || !strings.Contains(outer.errors[0], "with the T that synctest.Test passes") {
		t.Errorf("at the end of the test: failures %q", outer.errors)
	}
}

// TestBubbleSleepsForDecades checks that a house is recognized as made inside when the
// date of the bubble has passed that of the machine.
func TestBubbleSleepsForDecades(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := cataloguetest.New(t)
		time.Sleep(100 * 365 * 24 * time.Hour)
		if status, _ := get(t, house, "/api/"); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	})
}
