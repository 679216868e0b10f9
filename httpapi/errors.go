package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"
)

// Errors that a [Collection] returns to determine the status of the response. It may wrap
// them together with a cause: fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err). The
// cause is passed to [Options.OnError] and never sent to the client.
var (
	// ErrUnavailable means that the same request may succeed later, for instance
	// because the database is restarting or all its connections are in use. It results
	// in 503. To tell the client when to try again, use [Unavailable].
	ErrUnavailable = errors.New("httpapi: collection is unavailable")

	// ErrGone means that the collection no longer exists and will not come back, such
	// as the table of a closed year. It results in 410.
	ErrGone = errors.New("httpapi: collection is gone")

	// ErrConflict means that a posted record is valid but conflicts with stored
	// records or with a concurrent write. It results in 409. If the invalid field is
	// known, [resources.FieldErrors] are more helpful to the client.
	ErrConflict = errors.New("httpapi: conflict with stored records")
)

// ErrPanic is wrapped by the error that is passed to [Options.OnError] after a panic. The
// error also wraps the value of the panic if that is an error. Its text ends with the
// stack trace.
var ErrPanic = errors.New("httpapi: panic")

// Details of these errors. The first is that of Django REST framework's documentation.
const (
	detailUnavailable = "Service temporarily unavailable, try again later."
	detailGone        = "This collection is gone."
	detailConflict    = "The record is in conflict with what is stored."
)

// unavailable is an [ErrUnavailable] with a time after which to try again.
type unavailable struct {
	error
	after time.Duration
}

// Unavailable returns an error that wraps [ErrUnavailable], and err if it is not nil. The
// response has a Retry-After of retryAfter in seconds, rounded up, or none if retryAfter
// is not positive.
func Unavailable(retryAfter time.Duration, err error) error {
	if err == nil {
		return &unavailable{ErrUnavailable, retryAfter}
	}
	return &unavailable{fmt.Errorf("%w: %w", ErrUnavailable, err), retryAfter}
}

func (e *unavailable) Unwrap() error { return e.error }

// failUnavailable sends the response to an [ErrUnavailable].
func (v *view) failUnavailable(err error) {
	var e *unavailable
	if errors.As(err, &e) && e.after > 0 {
		seconds := 1 + (e.after-1)/time.Second // rounded up, without overflow
		v.w.Header()["Retry-After"] = []string{strconv.FormatInt(int64(seconds), 10)}
	}
	v.fail(http.StatusServiceUnavailable, detailUnavailable)
}

// recovered is deferred by functions that call the program's own code. After a panic it
// sends a response of 500, or aborts the request if part of a response has been sent.
// It does not recover [http.ErrAbortHandler], which middleware expects.
func (v *view) recovered() {
	reason := recover()
	if reason == nil {
		return
	}
	if reason == http.ErrAbortHandler {
		panic(reason)
	}
	v.revisionErr = nil
	v.handler.reportPanic(v.r, reason)
	if v.sent {
		panic(http.ErrAbortHandler) // otherwise the client could consider the response complete
	}
	v.indent = 0 // the panic may come from indenting
	v.fail(http.StatusInternalServerError, detailInternal)
}

// reportPanic reports a panic. A panic of OnError is ignored.
func (h *Handler) reportPanic(r *http.Request, reason any) {
	defer func() { _ = recover() }()
	if err, ok := reason.(error); ok {
		h.report(r, fmt.Errorf("%w: %w\n%s", ErrPanic, err, debug.Stack()))
		return
	}
	h.report(r, fmt.Errorf("%w: %v\n%s", ErrPanic, reason, debug.Stack()))
}
