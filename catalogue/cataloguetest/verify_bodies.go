package cataloguetest

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// bodies counts the response bodies that a client has received and not closed. The zero
// value is ready to use. It is safe for concurrent use.
type bodies struct {
	mu             sync.Mutex
	received, open int
}

// track counts the body of a response until it is closed. A response without a body need
// not be closed.
func (b *bodies) track(resp *http.Response) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.received++
	b.open++
	resp.Body = &trackedBody{ReadCloser: resp.Body, owner: b}
}

// problem describes the bodies that are open, or returns "" if there are none. It waits
// for goroutines of the client that are about to close one.
func (b *bodies) problem() string {
	const tries, pause = 20, 5 * time.Millisecond
	for range tries {
		if _, open := b.counts(); open == 0 {
			return ""
		}
		time.Sleep(pause)
	}
	received, open := b.counts()
	return fmt.Sprintf("did not close %d of %d response bodies: call resp.Body.Close for each response, whatever its status, for example in a defer statement; connections whose bodies are not closed are not reused", open, received)
}

func (b *bodies) counts() (received, open int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.received, b.open
}

// A trackedBody is a body that is counted until it is closed.
type trackedBody struct {
	io.ReadCloser
	owner *bodies
	once  sync.Once
}

func (t *trackedBody) Close() error {
	t.once.Do(func() {
		t.owner.mu.Lock()
		defer t.owner.mu.Unlock()
		t.owner.open--
	})
	return t.ReadCloser.Close()
}
