// Package clienttest tests clients of a paginated service.
//
// The client under test is a function, a [Fetch], that reads all records of a collection with
// the program's own code and returns their ids. In these examples it is called eventIDs.
//
// # Situations
//
// [VerifyClient] runs a client through 32 situations. In each of them the client must end,
// close the response bodies, and return either all records or an error. A client that only
// follows next links fails ten of them. The client in examples/client passes all of them and
// uses only the standard library.
//
//	func TestClient(t *testing.T) {
//		clienttest.VerifyClient(t, eventIDs, clienttest.Options{Collection: "events"})
//	}
//
// For a client of another service, set [Options].Catalogue to a catalogue with records, and
// Root.
//
// # Scenarios
//
// Real clients also fail in situations that no list contains. [Explore] runs the same
// client through many random scenarios, in which responses are wrong or late, connections
// break, and records are inserted, deleted and changed between two requests. It reports
// the smallest scenario in which the client loses or repeats a record, never ends, or does
// not return in time, with a Go test that repeats it. [ExploreCreate] does so for a client
// that creates a record.
//
//	func TestClientExplored(t *testing.T) {
//		clienttest.Explore(t, eventIDs, clienttest.Options{Collection: "events"})
//	}
//
// The servers are those of package cataloguetest. To make one situation by hand, inject faults
// there.
package clienttest
