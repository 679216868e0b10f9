package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"
)

// Errors that a [Collection] returns to choose the status of the answer. It may wrap
// them together with a cause, which goes to [Options.OnError] and never to the
// client: fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err).
var (
	// ErrUnavailable means that the same request may succeed later, for instance
	// because the database is restarting or all its connections are in use. It is
	// answered with 503, even if the error wraps that of a context as well. To tell
	// the client when to try again, use [Unavailable].
	ErrUnavailable = errors.New("httpapi: collection is unavailable")

	// ErrGone means that the collection no longer exists and will not come back, such
	// as the table of a closed year. It is answered with 410.
	ErrGone = errors.New("httpapi: collection is gone")

	// ErrConflict means that a posted record is valid but conflicts with stored
	// records, or that another write came first. It is answered with 409. If the
	// field at fault is known, [resources.FieldErrors] tell the client more.
	ErrConflict = errors.New("httpapi: conflict with what is stored")
)

// ErrPanic is wrapped by the error that [Options.OnError] receives after a panic. The
// error also wraps the value of the panic if that is an error. Its text ends with the
// stack.
var ErrPanic = errors.New("httpapi: panic")

// Details of these errors. That of ErrUnavailable is from the documentation of Django
// REST framework.
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

// Unavailable returns an error wrapping [ErrUnavailable], and err unless that is nil.
// Its answer has a Retry-After of retryAfter in seconds, rounded up, or none if
// retryAfter is not positive.
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

// recovered is deferred by everything that calls the program's own code. It answers
// with 500 after a panic, or aborts the request if some of the answer has been sent.
// [http.ErrAbortHandler] passes through, as middleware expects.
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
		panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
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
