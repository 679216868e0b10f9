package cataloguetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// errOver says that nobody serves any more.
var errOver = errors.New("cataloguetest: the test is over, and its house closed")

func errForeign(url, addr string) error {
	return fmt.Errorf("cataloguetest: the client of %s reaches nothing else, and so not %s", url, addr)
}

// tied is a transport whose requests end with the house. Without that the goroutines
// of an answer that nobody read to its end, or closed, would outlive the test.
type tied struct {
	*http.Transport
	house context.Context
}

// newClient makes a client of a transport, and what gives up all its requests.
func newClient(t *http.Transport) (client *http.Client, end func()) {
	house, cancel := context.WithCancel(context.Background())
	house.Done() // a channel of the bubble that the house is made in
	return &http.Client{Transport: &tied{t, house}}, func() {
		cancel()
		t.CloseIdleConnections()
	}
}

// RoundTrip is the transport's. What ties an answer to the house stays until the
// house ends, as its body may be read until then.
func (t *tied) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	untie := context.AfterFunc(t.house, cancel)
	answer, err := t.Transport.RoundTrip(r.WithContext(ctx))
	switch {
	case err != nil && t.house.Err() != nil:
		return nil, errOver
	case err != nil:
		untie()
		cancel()
		return nil, err
	}
	answer.Request = r
	if r.URL.Scheme == "https" && answer.TLS == nil {
		answer.TLS = pretendedTLS()
	}
	return answer, nil
}
