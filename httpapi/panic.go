package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
)

// ErrPanic is matched by what [Options.OnError] is told of a panic: its value,
// which is matched too if it is an error, and the stack.
var ErrPanic = errors.New("httpapi: panic")

// recovered is deferred around all that calls the program's own code. A panic in
// it is this request's failure alone. [http.ErrAbortHandler] passes through, as
// middleware expects.
func (v *view) recovered() {
	reason := recover()
	if reason == nil {
		return
	}
	if reason == http.ErrAbortHandler {
		panic(reason)
	}
	v.untold = nil
	v.handler.reportPanic(v.r, reason)
	if v.sent {
		panic(http.ErrAbortHandler) // or half an answer would pass for a whole one
	}
	v.indent = 0 // what panicked may be what indents
	v.fail(http.StatusInternalServerError, detailInternal)
}

// reportPanic reports a panic. If OnError panics as well, perhaps again, there is
// nobody left to tell.
func (h *Handler) reportPanic(r *http.Request, reason any) {
	defer func() { _ = recover() }()
	if err, ok := reason.(error); ok {
		h.report(r, fmt.Errorf("%w: %w\n%s", ErrPanic, err, debug.Stack()))
		return
	}
	h.report(r, fmt.Errorf("%w: %v\n%s", ErrPanic, reason, debug.Stack()))
}
