// Package cataloguetest provides a fake of the catalogue service for tests.
//
// [New] returns a [House]: a catalogue with records, served to an HTTP client that
// belongs to the test. The house is closed when the test ends.
//
//	func TestEventNames(t *testing.T) {
//		t.Parallel() // houses share no state
//		house := cataloguetest.New(t)
//		names, err := eventNames(t.Context(), house.Client, house.URL)
//		if err != nil || len(names) != house.Catalogue.Events().Count() {
//			t.Errorf("eventNames = %d names, %v", len(names), err)
//		}
//		house.WalkedOnce(t, "events")
//	}
//
// In these examples, eventNames and eventIDs are the code under test.
//
// # Records
//
// By default a house holds the records that package sample generates for all 39
// collections, with the oddities that the service's document shows. They are the same
// in every run, generated once per process and cloned for each house.
// Tests change them through house.Catalogue:
//
//	err := house.Catalogue.Events().Update(1, func(e *schema.Event) error {
//		e.Name = "Renamed"
//		return nil
//	})
//
// [Options] selects other records: none at all, a catalogue that the test has
// built, or fixture files.
//
//	house := cataloguetest.NewWith(t, cataloguetest.Options{
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
//	house := cataloguetest.NewWith(t, cataloguetest.Options{
//		Definitions: []catalogue.AnyDefinition{Directors, Films},
//		Root:        "/v1/",
//		Fixtures:    os.DirFS("testdata"),
//	})
//
// Fixtures, faults and assertions then use the keys and path segments of these
// collections, below that root. There are no sample records for them, so a house without
// fixtures is empty. Its records have paths of their own, such as /v1/films/7/. A
// [Where] selects them by Path, or all of a collection by Collection. Faults of pages do
// not change them.
//
// With [Options.Wrap], the house has endpoints of the program's own as well, such as
// /login, behind the same client, log and faults.
//
// # Requests
//
// [House.Exchanges] returns every request with its response. [House.Asked],
// [House.NeverWrote] and [House.WalkedOnce] make assertions about them:
//
//	house.Asked(t, "GET /api/events/") // and nothing else
//	house.NeverWrote(t)                // no POST, PUT, PATCH or DELETE
//	house.WalkedOnce(t, "events")      // every page once, no record left out
//
// When a test fails, its last requests are logged, with the bodies of error responses,
// together with the changes that were made to the catalogue.
//
// # Faults
//
// [House.Break] applies a fault to requests. A [Where] selects the requests: the nth
// one, a path, a page, or a fraction of all. A [Fault] is an error status, a delay, a
// cut connection, a slow or truncated body, HTML instead of JSON, or a page with wrong
// contents, such as a next link that leads to an earlier page or to another host, a missing
// or repeated record, or a count that shrinks. At the end of the test, a fault that has
// changed no response is logged or, with [Options.RequireFaults], fails the test.
//
//	func TestUnavailable(t *testing.T) {
//		synctest.Test(t, func(t *testing.T) { // the delay takes no time
//			house := cataloguetest.New(t)
//			slow := house.Break(cataloguetest.Where{Nth: 1}, cataloguetest.Delay(time.Hour))
//			house.Break(
//				cataloguetest.Where{Collection: "events", Page: cataloguetest.AtOffset(21)},
//				cataloguetest.Status(503, "busy"))
//
//			_, err := eventNames(t.Context(), house.Client, house.URL)
//			if err == nil || slow.Count() != 1 {
//				t.Errorf("error %v after %d delays", err, slow.Count())
//			}
//		})
//	}
//
// # Programs
//
// [Open] returns a house for a program that is not a test, such as the command in
// examples/backlist, which serves houses to tests in any language. [House.Inject] applies
// a fault and returns an error if it is invalid.
//
// # Verifying a client
//
// [VerifyClient] runs a client through 32 pathologies of paginated services. In
// each of them the client must end, close the response bodies, and return either all
// records or an error. A client that only follows next links fails ten of them. The client in
// examples/client passes all of them and uses only the standard library.
//
//	func TestClient(t *testing.T) {
//		cataloguetest.VerifyClient(t, eventIDs, cataloguetest.Verification{Collection: "events"})
//	}
//
// [CheckClient] does the same without a [testing.T]. For a client of another service,
// set [Verification].Catalogue to a catalogue with records, and Root.
//
// # Exploring a client
//
// Real clients also fail in situations that no list contains. [Explore] runs the same
// client through many random stories, in which responses are wrong or late, connections
// break, and records are inserted, deleted and changed between two requests. It reports
// the smallest story in which the client loses or repeats a record, never ends, or does
// not return in time, as a Go test. [ExploreCreate] does so for a client that creates a
// record.
//
//	func TestClientExplored(t *testing.T) {
//		cataloguetest.Explore(t, eventIDs, cataloguetest.Exploration{Collection: "events"})
//	}
//
// [House.Keep], [House.Swap] and [Do] make such stories by hand.
//
// # Comparing catalogues
//
// [Diff] compares two catalogues. [DiffService] compares a catalogue with a live
// service, or with recorded responses that [client.ReadFiles] or [client.ReadHAR]
// has read:
//
//	service, err := client.New(client.Options{BaseURL: "https://shop.example"})
//	…
//	report, err := cataloguetest.DiffService(ctx, house.Catalogue, service, "events")
//
// To fill a catalogue from a service, use [client.Import]. The command in
// examples/mirror saves a service to a file.
//
// # Transport
//
// By default the client reaches the house in process, without sockets, at
// http://catalogue.test. The connection is a [net.Pipe] between the
// [http.Transport] and the [http.Server] of net/http. Contexts, timeouts,
// streaming, limits, HEAD and headers therefore behave as they do over a network,
// with these differences:
//
//   - A pipe has no buffer. A write blocks until the other side reads, whereas a
//     socket buffers some hundred kilobytes.
//   - With [Options.Secure], requests and responses have a TLS state, but nothing
//     is encrypted and there is no certificate.
//   - The errors of a connection that is cut differ in their texts.
//   - There is no HTTP/2.
//
// With [Options.Server], the same handler listens on a loopback port. In both
// cases the client reaches only its own house. A request to any other address
// returns an error.
//
// # Synthetic time
//
// In process, a house works inside a bubble of [testing/synctest.Test] if it is
// made there with the T of the bubble. All its goroutines block durably, so a
// handler that sleeps and a client that times out take no time. If a house is made
// outside the bubble and used inside, or the other way round, its requests return an error
// that says so.
package cataloguetest
