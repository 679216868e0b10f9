// Package cataloguetest is a fake of the catalogue service for test suites: a
// house full of records behind an HTTP server, one for each test, in one line.
//
//	func TestMyClient(t *testing.T) {
//		house := cataloguetest.New(t)
//		events, err := myclient.Events(house.Client, house.URL)
//		…
//	}
//
// What the test wants otherwise it changes in house.Catalogue, which is the
// test's alone.
package cataloguetest
