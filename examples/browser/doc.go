// Package browser tests the pages of package httpapi/browse in Chromium, with mouse
// and keyboard, and examples/playground. It contains only tests, as an example for
// programs that test their own pages.
//
//	cd examples/browser && go test ./...
//
// The tests look for chromium, chromium-browser or google-chrome. Without one they
// are skipped, or fail if BACKLIST_BROWSER is set. If BACKLIST_SCREENSHOTS names a
// directory, the tests store a screenshot of each step in it. If BACKLIST_AXE names the
// axe.min.js of the npm package axe-core, the pages must violate none of its rules. If
// BACKLIST_OPENAPI_TOOLS names the npm packages of examples/openapi, Swagger UI is tested.
package browser
