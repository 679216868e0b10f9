package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Errors by which a [Collection] tells more than that it failed. They may be
// wrapped with what happened, which goes to [Options.OnError] and never to the
// client: fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err).
var (
	// ErrUnavailable says that the same request may be answered later: the
	// database is restarting, or all its connections are taken. It is answered
	// with 503, and counts before a context that ended. [Unavailable] makes one
	// that says when.
	ErrUnavailable = errors.New("httpapi: collection is unavailable")

	// ErrGone says that the collection was there and will not be again, such as
	// the table of a year that is closed. It is answered with 410.
	ErrGone = errors.New("httpapi: collection is gone")

	// ErrConflict says that what was posted cannot stand beside what is stored,
	// though it is valid in itself, or was overtaken by another write. It is
	// answered with 409. Where it can be told which field is at fault
	// [resources.FieldErrors] tell the client more.
	ErrConflict = errors.New("httpapi: conflict with what is stored")
)

// Details of these errors; the first is what the framework's documentation has.
const (
	detailUnavailable = "Service temporarily unavailable, try again later."
	detailGone        = "This collection is gone."
	detailConflict    = "The record is in conflict with what is stored."
)

// unavailable is an [ErrUnavailable] that knows for how long.
type unavailable struct {
	error
	after time.Duration
}

// Unavailable returns an [ErrUnavailable] whose answer has a Retry-After of so
// many seconds, rounded up; 0 and less: none. It matches err too, unless that is nil.
func Unavailable(retryAfter time.Duration, err error) error {
	if err == nil {
		return &unavailable{ErrUnavailable, retryAfter}
	}
	return &unavailable{fmt.Errorf("%w: %w", ErrUnavailable, err), retryAfter}
}

func (e *unavailable) Unwrap() error { return e.error }

// failUnavailable answers for an [ErrUnavailable].
func (v *view) failUnavailable(err error) {
	var e *unavailable
	if errors.As(err, &e) && e.after > 0 {
		seconds := 1 + (e.after-1)/time.Second // rounded up, without overflow
		v.w.Header()["Retry-After"] = []string{strconv.FormatInt(int64(seconds), 10)}
	}
	v.fail(http.StatusServiceUnavailable, detailUnavailable)
}
