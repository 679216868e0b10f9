package cataloguetest_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// TestExplorePrintedTest compiles the tests that Explore prints and runs them: each must fail
// with the client whose mistake it shows. The clients are those of this package, whose files
// are compiled together with the printed tests.
func TestExplorePrintedTest(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	fetches := map[string]cataloguetest.Fetch{
		"followNext":               followNext,
		"trustLimit":               trustLimit,
		"azurePager().ids":         azurePager().ids,
		"keployOffsets":            keployOffsets,
		"offsetsOnly().ids":        offsetsOnly().ids,
		"retrying().ids":           retrying().ids,
		"ignoreErrors":             ignoreErrors,
		`readOnce("/api/events/")`: readOnce("/api/events/"),
	}
	creates := map[string]cataloguetest.Create{
		"poster{attempts: 3}.create": poster{attempts: 3}.create,
		"trusting":                   trusting,
	}
	var file bytes.Buffer
	fmt.Fprintf(&file, "package cataloguetest_test\n\nimport (\n%s)\n\n", `	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
`)
	// The imports are used even if no test that is printed needs them.
	file.WriteString("var _ = []any{context.Background, slices.Sort[[]int], strings.Contains, time.Now, synctest.Wait, pagination.Limits{}, cataloguetest.Cut, testing.Short}\n\n")
	names := map[string]string{}
	add := func(client, parameter string, f *cataloguetest.Finding) {
		if f == nil {
			t.Errorf("%s: nothing found", client)
			return
		}
		_, code, _ := strings.Cut(f.Report, "is the client:\n\n")
		name := fmt.Sprintf("TestPrinted%d", len(names))
		names[name] = client
		code = strings.Replace(code, "func TestStory(t *testing.T) {\n", fmt.Sprintf("func %s(t *testing.T) {\n\t%s := %s\n", name, parameter, client), 1)
		file.WriteString(code + "\n")
	}
	for client, fetch := range fetches {
		add(client, "fetch", cataloguetest.Search(t, fetch, cataloguetest.Exploration{}))
	}
	for client, create := range creates {
		add(client, "create", cataloguetest.SearchCreate(t, create, cataloguetest.Exploration{Collection: "social-links"}))
	}

	// An overlay adds the file to the package without writing into it.
	dir := t.TempDir()
	source, overlay := filepath.Join(dir, "printed_test.go"), filepath.Join(dir, "overlay.json")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	replaced := fmt.Sprintf("{%q: {%q: %q}}", "Replace", filepath.Join(here, "printed_test.go"), source)
	if err := os.WriteFile(overlay, []byte(replaced), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-run", "^TestPrinted", "-v", "-timeout", "5m", ".")
	out, _ := cmd.CombinedOutput() // it must fail
	for name, client := range names {
		if !strings.Contains(string(out), "--- FAIL: "+name) {
			t.Errorf("%s: the printed test did not fail", client)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", file.Bytes(), out)
	}
}
