package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"
)

func TestErrors(t *testing.T) {
	const (
		unavailable = `{"detail":"Service temporarily unavailable, try again later."}`
		givenUp     = `{"detail":"The request was given up before it could be answered."}`
		gone        = `{"detail":"This collection is gone."}`
		conflict    = `{"detail":"The record is in conflict with what is stored."}`
	)
	secret := errors.New("password is 1234")
	tests := []struct {
		reason     string
		err        error
		status     int
		retryAfter string
		body       string
	}{
		{"unavailable", ErrUnavailable, 503, "", unavailable},
		{"wrapped", fmt.Errorf("%w: %w", ErrUnavailable, secret), 503, "", unavailable},
		{"with a time", Unavailable(7*time.Second, secret), 503, "7", unavailable},
		{"with a time, wrapped", fmt.Errorf("books: %w", Unavailable(time.Minute, nil)), 503, "60", unavailable},
		{"less than a second", Unavailable(1, secret), 503, "1", unavailable},
		{"a little more than a second", Unavailable(time.Second+1, secret), 503, "2", unavailable},
		{"longest time", Unavailable(math.MaxInt64, secret), 503, "9223372037", unavailable},
		{"time zero", Unavailable(0, secret), 503, "", unavailable},
		{"negative time", Unavailable(-time.Second, secret), 503, "", unavailable},
		{"with the error of a context", Unavailable(time.Second, context.DeadlineExceeded), 503, "1", unavailable},
		{"canceled", context.Canceled, 503, "", givenUp},
		{"gone", fmt.Errorf("%w: %w", ErrGone, secret), 410, "", gone},
		{"conflict", fmt.Errorf("%w: %w", ErrConflict, secret), 409, "", conflict},
		{"any other error", secret, 500, "", internalError},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var reported []error
			opts := Options{Authorizer: AllowAll, OnError: func(_ *http.Request, err error) { reported = append(reported, err) }}
			broken := creatableCollection{&sliceCollection{err: test.err}, func([]byte) ([]byte, error) { return nil, test.err }}
			h := newTestHandler(t, opts, map[string]Collection{"events": broken})
			for i, c := range []call{{target: "/api/events/"}, {target: "/api/events/?ordering=id"}, {method: "POST", target: "/api/events/"}} {
				got := c.do(h)
				if got.Status != test.status || got.Header["Retry-After"] != test.retryAfter || got.Body != test.body {
					t.Errorf("%s %s: %d, Retry-After %q, %s, want %d, %q, %s", c.method, c.target, got.Status, got.Header["Retry-After"], got.Body, test.status, test.retryAfter, test.body)
				}
				if len(reported) != i+1 || reported[i] != test.err {
					t.Errorf("OnError was called with %v, want %v last", reported, test.err)
				}
			}
		})
	}
	if err := Unavailable(0, secret); !errors.Is(err, secret) || !errors.Is(err, ErrUnavailable) || errors.Is(Unavailable(0, nil), secret) {
		t.Errorf("Unavailable(0, err) = %v, want an error wrapping ErrUnavailable and err only", err)
	}
}
