package cataloguetest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestServersDoNotImportFaults checks that neither the handler nor the example that serves it
// nor a client imports this package or testing, and that a client imports no server. The
// command in examples/backlist does.
func TestServersDoNotImportFaults(t *testing.T) {
	const module = "github.com/gobacklist/backlist/"
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	for program, others := range map[string][]string{"httpapi": nil, "examples/films": nil, "httpapi/client": {module + "httpapi"}} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+program).Output()
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		deps := strings.Fields(string(out))
		if !slices.Contains(deps, module+"pagination") {
			t.Fatalf("%s: go list returned %d packages without pagination", program, len(deps))
		}
		for _, not := range append(others, module+"httpapi/cataloguetest", "testing", "net/http/httptest", "github.com/google/go-cmp/cmp") {
			if slices.Contains(deps, not) {
				t.Errorf("%s imports %s", program, not)
			}
		}
	}
}
