// Package linearizability tests that collections are linearizable. It has no API.
// Its tests use porcupine to check that each operation on a collection of package
// catalogue, and each response of package httpapi, takes effect at one instant
// between its call and its return.
//
// A test runs short rounds. In each round a few clients concurrently perform random
// operations on the collections of a catalogue or on a collection without one, starting
// from a known state. The history of the operations and their results is then compared
// with package catalogue/internal/model, which is a simple model that has no code in common
// with the library. The next round continues with the same collections. A snapshot, a
// clone, an iterator or a saved catalogue must have the records of the instant at which it
// was taken, although it is read later. All collections of a workload are one object for
// porcupine: reads of two collections in a row, copies of a catalogue and references are
// checked without anything else.
//
// Among the operations are pages, counts, first records and positions of the records
// that satisfy conditions, on a collection, on a snapshot and within a batch. Some
// collections have unique fields. A write must then return ErrDuplicate if, after it, two
// records would have the same value, and only then. A batch may have duplicates until it
// ends.
//
// A failure lists the operations of the round. A question mark is before those that are
// not in the longest part of the history that is linearizable; the first of them is
// often what is wrong.
//
// Environment variables configure the tests:
//
//   - BACKLIST_LINEARIZABILITY is the total duration of the tests. The default is
//     10s.
//   - BACKLIST_LINEARIZABILITY_SEED is the seed of the random operations. Runs with
//     the same seed still differ in the scheduling of goroutines.
//   - BACKLIST_LINEARIZABILITY_HTML is the path of a file to which a history that
//     is not linearizable is written as a diagram.
//   - BACKLIST_LINEARIZABILITY_KEYS is text or uuid to give the typed records keys in
//     place of ids, for the same operations with equal results.
//   - BACKLIST_MUTATIONS=1 makes TestMutations run a test for each mutation.
//
// Two tests check that the others detect faults. TestInjectedFaults injects faults
// between the clients and a correct collection. TestMutations changes the source
// code of the module, using go test -overlay; by default it only checks that each
// change applies and compiles.
package linearizability
