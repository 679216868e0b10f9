// Package browser has no code but its tests: they drive Chromium through the
// pages of package httpapi/browse, as somebody with a mouse or a keyboard would.
//
//	cd examples/browser && go test ./...
//
// The program is found as chromium, chromium-browser or google-chrome; without
// one the tests are skipped, unless BACKLIST_BROWSER is set: then they fail. Each
// step's picture goes to the directory that BACKLIST_SCREENSHOTS names, if any.
package browser
