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
	v.reportPanic(reason)
	if v.sent {
		panic(http.ErrAbortHandler) // or half an answer would pass for a whole one
	}
	v.indent = 0 // what panicked may be what indents
	v.fail(http.StatusInternalServerError, detailInternal)
}

// reportPanic reports a panic. If OnError panics as well, perhaps again, there is
// nobody left to tell.
func (v *view) reportPanic(reason any) {
	defer func() { _ = recover() }()
	if err, ok := reason.(error); ok {
		v.report(fmt.Errorf("%w: %w\n%s", ErrPanic, err, debug.Stack()))
		return
	}
	v.report(fmt.Errorf("%w: %v\n%s", ErrPanic, reason, debug.Stack()))
}
