package cataloguetest

import (
	"fmt"
	"log"
)

// Open returns a house configured by opts that belongs to no test, for a program such as a
// fake service with a port of its own. The caller must call Close. Errors that are not sent
// to clients are logged by the standard logger of package log.
//
// Methods that would fail the test, such as Break with an invalid fault, panic; Inject
// returns an error.
//
// Open returns an error in the cases in which [NewWith] fails the test, and if
// RequireFaults is set. In a program that runs for long, set [Options.MaxExchanges].
//
//	house, err := cataloguetest.Open(cataloguetest.Options{Catalogue: records, MaxExchanges: 1000})
//	if err != nil {
//		return err
//	}
//	defer house.Close()
//	return http.ListenAndServe("127.0.0.1:8080", house.Handler)
func Open(opts Options) (*House, error) {
	if opts.RequireFaults {
		return nil, fmt.Errorf("cataloguetest: %w", errNoTest)
	}
	h, err := newHouse(opts, log.Printf)
	if err == nil {
		h.tb = noTest{}
		err = h.open(opts, log.Default())
	}
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	return h, nil
}

// A failer is the part of a testing.TB that the methods of a House use.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// noTest is the failer of houses that belong to no test. It panics.
type noTest struct{}

func (noTest) Helper()                           {}
func (noTest) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (noTest) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// Close cuts the connections of the house's client and waits for their handlers. Requests
// that the client sends later return an error. Close has no effect on callers of Handler,
// and none after the first call. Houses of a test are closed when the test ends, and need
// not be closed before.
func (h *House) Close() { h.end() }
