package cataloguetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// errClosed is the error of requests after the end of the test or after Close.
var errClosed = errors.New("cataloguetest: the house is closed; the house of a test is closed when the test ends")

// otherAddress is part of the text of errOtherAddress.
const otherAddress = "does not connect to other addresses"

func errOtherAddress(url, addr string) error {
	return fmt.Errorf("cataloguetest: the client of %s %s: %s", url, otherAddress, addr)
}

// A boundTransport is a transport whose requests end with its house. Otherwise the
// goroutines of a response that is not read to its end and not closed would outlive
// the test.
type boundTransport struct {
	*http.Transport
	lifetime context.Context
	made     side
}

// newClient returns a client with the given transport, and a function that ends all
// its requests.
func newClient(t *http.Transport) (client *http.Client, end func()) {
	lifetime, cancel := context.WithCancel(context.Background())
	lifetime.Done() // creates the channel in the synctest bubble of the caller
	return &http.Client{Transport: &boundTransport{t, lifetime, thisSide()}}, func() {
		cancel()
		t.CloseIdleConnections()
	}
}

// RoundTrip sends the request. Its context is bound to the house even after
// RoundTrip has returned, since the response body may be read until then.
func (t *boundTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.made.check(); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper must close it
		}
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	unbind := context.AfterFunc(t.lifetime, cancel)
	resp, err := t.Transport.RoundTrip(r.WithContext(ctx))
	switch {
	case err != nil && t.lifetime.Err() != nil:
		return nil, errClosed
	case err != nil:
		unbind()
		cancel()
		return nil, err
	}
	resp.Request = r
	if r.URL.Scheme == "https" && resp.TLS == nil {
		resp.TLS = fakeTLSState()
	}
	return resp, nil
}
