package cataloguetest

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// unavailablePage is the body of a response by [Unavailable].
const unavailablePage = "<!doctype html><title>503 Service Unavailable</title><h1>Service Unavailable</h1>"

// Unavailable responds with status 503, a page of HTML like that of a proxy, and a header
// Retry-After with the given time in seconds, rounded up. As with [Status], the request
// does not reach the catalogue. The time must not be negative. It is only announced: a
// request that comes earlier is not treated differently.
func Unavailable(after time.Duration) Fault {
	if after < 0 {
		return Fault{err: fmt.Errorf("Unavailable: negative time %v", after)}
	}
	seconds := after / time.Second
	if after%time.Second > 0 {
		seconds++
	}
	status := Status(http.StatusServiceUnavailable, unavailablePage)
	return Fault{call: call("Unavailable", after), stage: inPlaceOf, apply: func(i *interceptor, nth int) bool {
		status.apply(i, nth)
		i.response.header.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
		return true
	}}
}
