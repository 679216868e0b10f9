package httpapi

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
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
	// known, [schema.FieldErrors] are more helpful to the client.
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

// causes are the errors of a step that are the client's mistake. All other errors of the
// step are failures of the program, whatever they wrap.
type causes uint8

const (
	ifPrecondition causes = 1 << iota
	ifNotFound
	ifReferenced
	ifSyntax // of the body
	ifFields // of the body or of the parameters
	ifFull   // no id is left
)

// causesOfGet returns the causes of an error of a step that finds a record by its id and
// the parameters.
func causesOfGet(params url.Values) causes { return ifNotFound | causesOfParams(params) }

// causesOfParams returns the causes of an error of a step that evaluates the parameters.
func causesOfParams(params url.Values) causes {
	if params == nil {
		return 0
	}
	return ifFields
}

// failBecause sends the response to the error of a step. It contains the text of errors in
// the request and of no others.
func (v *view) failBecause(err error, possible causes) {
	var precondition *preconditionError
	var syntax *schema.SyntaxError
	var fields schema.FieldErrors
	may := func(c causes) bool { return possible&c != 0 }
	switch {
	case may(ifPrecondition) && errors.As(err, &precondition):
		v.fail(http.StatusPreconditionFailed, precondition.detail)
	case may(ifNotFound) && errors.Is(err, catalogue.ErrNotFound):
		v.fail(http.StatusNotFound, detailNotFound)
	case may(ifReferenced) && errors.Is(err, catalogue.ErrReferenced):
		v.fail(http.StatusConflict, referencedDetail(err))
	case may(ifSyntax) && errors.As(err, &syntax):
		v.fail(http.StatusBadRequest, syntax.Detail())
	case may(ifFields) && errors.As(err, &fields):
		body, _ := fields.MarshalJSON() // always nil; json.Marshal would escape <, > and &
		v.write(http.StatusBadRequest, body)
	case may(ifFull) && errors.Is(err, catalogue.ErrInvalidID):
		v.handler.report(v.r, err)
		v.fail(http.StatusConflict, fmt.Sprintf("No id is left above %d.", math.MaxInt))
	default:
		v.failWith(err)
	}
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
