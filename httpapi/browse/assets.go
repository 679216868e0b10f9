package browse

import (
	"crypto/sha256"
	_ "embed" // of the template and its stylesheets
	"encoding/base64"
	"slices"
)

//go:embed page.html
var pageHTML string

//go:embed style.css
var styleCSS string

// recordsCSS is the style of the pages of records and of filters.
//
//go:embed records.css
var recordsCSS string

// styleFor returns the stylesheet for the pages of collections.
func styleFor(collections []collection) string {
	if slices.ContainsFunc(collections, func(c collection) bool { return c.hasPages() || c.hasFilters() || c.hasSelect() }) {
		return styleCSS + recordsCSS
	}
	return styleCSS
}

// contentPolicy returns a Content-Security-Policy that allows only the given stylesheet,
// by its hash, and forms to the same site.
func contentPolicy(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}
