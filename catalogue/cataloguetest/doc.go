// Package cataloguetest is a fake of the catalogue service for test suites: a
// house full of records behind an HTTP client, one for each test, in one line.
//
//	func TestMyClient(t *testing.T) {
//		house := cataloguetest.New(t)
//		events, err := myclient.Events(house.Client, house.URL)
//		…
//		house.WalkedOnce(t, "events")
//	}
//
// # Data
//
// A house begins with the records of package sample, made once in a process and
// forked for each test. What the test wants otherwise it changes in
// house.Catalogue, which is the test's alone, or chooses in [Options]: no
// records, files of an [io/fs.FS], or a catalogue of its own.
//
// # Two ways behind one client
//
// By default the client reaches the house in this process, without sockets, at
// http://catalogue.test. Nothing of HTTP is imitated for that: a connection is a
// [net.Pipe], and what speaks over it is net/http, its [http.Transport] on one
// side and its [http.Server] on the other. Contexts, timeouts, streaming, limits,
// HEAD and headers are therefore what they are over a network. These are not:
//
//   - A pipe has no buffer: who writes waits until the other side reads, where a
//     socket takes some hundred kilobytes first.
//   - With [Options.Secure] requests and answers have a TLS state, but nothing is
//     encrypted, and there is no certificate.
//   - The errors of a connection that is cut have other texts than a socket's.
//   - There is no HTTP/2.
//
// With [Options.Server] the same handler listens on a loopback port. Either way
// the client reaches its own house alone; every other address is an error, since
// a test that leaves its fake has found a mistake.
//
// # Synthetic time
//
// In process, a house works inside [testing/synctest.Test] if it is made there,
// with the T of the bubble: whatever waits in it waits durably, and what sleeps
// in a handler or times out in the client takes no time.
//
// # What was asked
//
// Every request and its answer is in [House.Exchanges]. [House.Asked],
// [House.NeverWrote] and [House.WalkedOnce] assert about it. When a test has
// failed, the last requests are logged, and how the catalogue was changed.
//
// # When things go wrong
//
// [House.Break] makes requests fail, and pages say what is not so. [VerifyClient]
// leads a client through all that can go wrong and tells what it did not stand;
// [CheckClient] does so without a testing.T. [Diff] and [DiffService] tell how a
// catalogue differs from another and from a live service.
package cataloguetest
