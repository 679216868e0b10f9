package browse

import (
	"crypto/sha256"
	_ "embed" // of the template and its stylesheet
	"encoding/base64"
)

//go:embed page.html
var pageHTML string

//go:embed style.css
var styleCSS string

// contentPolicy returns a Content-Security-Policy that allows only the given stylesheet,
// by its hash, and forms to the same site.
func contentPolicy(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}
