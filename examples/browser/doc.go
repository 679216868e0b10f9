// Package browser tests the pages of package httpapi/browse in Chromium, with mouse
// and keyboard. It shows how a program can test its own pages; it has no code except
// tests.
//
//	cd examples/browser && go test ./...
//
// The tests look for chromium, chromium-browser or google-chrome. Without one they
// are skipped, or fail if BACKLIST_BROWSER is set. If BACKLIST_SCREENSHOTS names a
// directory, a picture of each step is stored there.
package browser
