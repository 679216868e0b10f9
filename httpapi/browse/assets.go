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

// contentPolicy allows the one stylesheet, by its hash, and forms to the same
// site; nothing else that a page could load or run.
func contentPolicy(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}
