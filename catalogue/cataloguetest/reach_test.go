package cataloguetest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// No program that serves can be broken by what is here: neither the handler nor
// the server example knows this package, nor testing. A program's own code that
// imports this package is another matter.
func TestServersKnowNothingOfFaults(t *testing.T) {
	const module = "github.com/gobacklist/backlist/"
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to ask")
	}
	for _, program := range []string{"httpapi", "examples/serve", "examples/embed"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+program).Output()
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		deps := strings.Fields(string(out))
		if !slices.Contains(deps, module+"pagination") {
			t.Fatalf("%s: these cannot be all that it imports: %d", program, len(deps))
		}
		for _, not := range []string{module + "catalogue/cataloguetest", "testing", "net/http/httptest", "github.com/google/go-cmp/cmp"} {
			if slices.Contains(deps, not) {
				t.Errorf("%s imports %s", program, not)
			}
		}
	}
}
