// Package cataloguetest provides a fake of the catalogue service for tests.
//
// [New] returns a [Server] with records and an HTTP client that belongs to the test. The
// server is closed when the test ends.
//
//	func TestEventNames(t *testing.T) {
//		t.Parallel() // servers share no state
//		server := cataloguetest.New(t)
//		names, err := eventNames(t.Context(), server.Client, server.URL)
//		if err != nil || len(names) == 0 {
//			t.Errorf("eventNames = %d names, %v", len(names), err)
//		}
//		server.AssertWalkedOnce(t, "events")
//	}
//
// In these examples, eventNames is the code under test.
//
// # Records
//
// By default a server holds the records that package sample generates for the 39
// documented collections. They are the same in every run, generated once per process and
// cloned for each server.
// Tests change them through server.Catalogue:
//
//	events, err := resources.Events.In(server.Catalogue)
//	…
//	err = events.Update(1, func(e *resources.Event) error {
//		e.Name = "Renamed"
//		return nil
//	})
//
// [Options] selects other records: none at all, a catalogue that the test has
// built, or fixture files.
//
//	server := cataloguetest.NewWith(t, cataloguetest.Options{
//		Fixtures:   os.DirFS("testdata"),
//		Authorizer: httpapi.Bearer("s3cret"),
//	})
//
// A fixture file holds an array of records, a saved response of the service, one
// record per line, or several collections. An invalid file fails the test with
// its name and the line, column and member at fault.
//
// # Services of the program
//
// A program that defines its own collections has a fake of its own service:
//
//	server := cataloguetest.NewWith(t, cataloguetest.Options{
//		Definitions: []catalogue.AnyDefinition{Directors, Films},
//		Root:        "/v1/",
//		Fixtures:    os.DirFS("testdata"),
//	})
//
// Fixtures, faults and assertions then use the keys and path segments of these
// collections, below that root. There are no sample records for them, so a server without
// fixtures is empty. Its records have paths of their own, such as /v1/films/7/. A
// [Match] selects them by Path, or all of a collection by Collection. Faults of pages do
// not change them.
//
// With [Options.Wrap], the server has endpoints of the program's own as well, such as
// /login, behind the same client, log and faults.
//
// # Requests
//
// [Server.Exchanges] returns every request with its response. [Server.AssertRequests],
// [Server.AssertReadOnly] and [Server.AssertWalkedOnce] make assertions about them:
//
//	server.AssertRequests(t, "GET /api/events/") // and nothing else
//	server.AssertReadOnly(t)                // no POST, PUT, PATCH or DELETE
//	server.AssertWalkedOnce(t, "events")      // every page once, no record left out
//
// When a test fails, its last requests are logged, with the bodies of error responses,
// together with the changes that were made to the catalogue.
//
// # Faults
//
// [Server.Inject] applies a fault to requests. A [Match] selects the requests: the nth
// one, a path, a page, or a fraction of all. A [Fault] is an error status, a delay, a
// connection that is reset, a slow or truncated body, HTML instead of JSON, a write between
// two requests, or a page with wrong contents, such as a next link that leads to the page
// itself, or a missing or repeated record. [Page] makes any other. At the end of the test, a
// fault that has changed no response is logged or, with [Options.RequireFaults], fails the test.
//
//	func TestUnavailable(t *testing.T) {
//		synctest.Test(t, func(t *testing.T) { // the delay takes no time
//			server := cataloguetest.New(t)
//			slow := server.Inject(cataloguetest.Match{Nth: 1}, cataloguetest.Delay(time.Hour))
//			server.Inject(
//				cataloguetest.Match{Collection: "events", Offset: 21},
//				cataloguetest.Status(503, "busy"))
//
//			_, err := eventNames(t.Context(), server.Client, server.URL)
//			if err == nil || slow.Count() != 1 {
//				t.Errorf("error %v after %d delays", err, slow.Count())
//			}
//		})
//	}
//
// # Programs
//
// [Open] returns a server for a program that is not a test, such as the command in
// examples/backlist, which serves tests in any language. [Server.TryInject] applies
// a fault and returns an error if it is invalid.
//
// Package clienttest runs a client through many situations of such servers.
//
// # Comparing catalogues
//
// [Diff] compares two catalogues. To compare one with a service, or with recorded responses,
// fill another catalogue with package client. The command in examples/mirror saves a service
// to a file.
//
// # Transport
//
// By default the client reaches the server in process, without sockets, at
// http://catalogue.test. The connection is a [net.Pipe] between the
// [http.Transport] and the [http.Server] of net/http. Contexts, timeouts,
// streaming, limits, HEAD and headers therefore behave as they do over a network,
// with these differences:
//
//   - A pipe has no buffer. A write blocks until the other side reads, whereas a
//     socket buffers some hundred kilobytes.
//   - With [Options.Secure], requests and responses have a TLS state, but nothing
//     is encrypted and there is no certificate.
//   - The errors of a connection that is reset differ in their texts.
//   - There is no HTTP/2.
//
// With [Options.Loopback], the same handler listens on a loopback port. In both
// cases the client reaches only its own server. A request to any other address
// returns an error.
//
// # Synthetic time
//
// In process, a server works inside a bubble of [testing/synctest.Test] if it is
// made there with the T of the bubble. All its goroutines block durably, so a
// handler that sleeps and a client that times out take no time. If a server is made
// outside the bubble and used inside, or the other way round, its requests return an error
// that says so.
package cataloguetest
