// Package linearizability has no API. Its tests check with porcupine that the
// collections of package catalogue, and the answers of package httpapi over them,
// are linearizable: each operation takes effect at one instant between its call
// and its return.
//
// A test runs short rounds. In each, a few clients make random operations on one
// collection at once, from a known state; then the history is compared with a
// sequential model that shares no code with the library. The collection goes on
// into the next round, so that it grows old. A snapshot, a clone, an iterator and
// a saved catalogue belong to the instant when they were taken, although they are
// read later.
//
// The environment sets how long the tests run together (BACKLIST_LINEARIZABILITY,
// a duration, 10s by default), the seed of the operations
// (BACKLIST_LINEARIZABILITY_SEED; goroutines take turns differently in each run
// all the same), and where a history that is not linearizable is drawn
// (BACKLIST_LINEARIZABILITY_HTML, a path).
//
// That the tests find faults is tested in two ways: faults between the clients and
// a correct collection, and mutations of the module's text, each of which is
// compiled with go test -overlay. The latter take longer and are left out with
// -short.
package linearizability
