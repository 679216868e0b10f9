package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/gobacklist/backlist/httpapi/openapi"
)

// TestLint checks both versions of the document with an independent validator, and with
// the rules of redocly and Spectral. The rules that are disabled, with the reasons, are in
// tools. A warning is an error.
func TestLint(t *testing.T) { inVersions(t, checkLint) }

func checkLint(t *testing.T, opts openapi.Options) {
	t.Parallel()
	s, dir := serve(t), t.TempDir()
	opts.Scheme = "Bearer"
	document := s.document(t, dir, opts)
	for _, tt := range []struct {
		name string
		args []string
	}{
		{"validate-api", []string{document}},
		{"redocly", []string{"lint", "--config", "tools/redocly.yaml", document}},
		{"spectral", []string{"lint", "--fail-severity", "hint", "--ruleset", "tools/spectral.yaml", document}},
	} {
		c := exec.Command(tool(t, tt.name), tt.args...)
		c.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, out)
		}
	}
}
