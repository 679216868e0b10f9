package main

import (
	"errors"
	"log"
	"net/http"
	"sync"
	"time"

	"github.com/gobacklist/backlist/httpapi"
)

// failures logs errors of requests. While the database is unavailable, every request fails:
// one message a minute says how many did.
type failures struct {
	log *log.Logger

	mu    sync.Mutex
	since time.Time // the last message
	more  int       // failures since
}

// report logs the error of a request.
func (f *failures) report(r *http.Request, err error) {
	if !errors.Is(err, httpapi.ErrUnavailable) {
		f.log.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.more++; time.Since(f.since) >= time.Minute {
		f.log.Printf("requests failed: %d, the last with: %v", f.more, err)
		f.since, f.more = time.Now(), 0
	}
}

// end logs the number of failures since the last message.
func (f *failures) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.more > 0 {
		f.log.Printf("more requests failed: %d", f.more)
	}
}
