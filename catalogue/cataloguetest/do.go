package cataloguetest

import "errors"

var errNilDo = errors.New("Do: nil function")

// Do calls f when the request arrives, before the catalogue responds to it. A test uses it
// to change records while a client reads them:
//
//	house.Break(cataloguetest.Where{Nth: 2}, cataloguetest.Do(func() { house.Catalogue.Events().Delete(1) }))
//
// f runs in the goroutine of the request, and concurrently if requests are. If f panics,
// the connection is cut. If f is nil, the fault is invalid.
func Do(f func()) Fault {
	if f == nil {
		return Fault{err: errNilDo}
	}
	return Fault{call: call("Do"), stage: beforeResponse, apply: func(*interceptor, int) bool {
		f()
		return true
	}}
}
