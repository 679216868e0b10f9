package cataloguetest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
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
	// An overlay adds the files to the package without writing into it.
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	replaced := map[string]string{}
	names := map[string]string{}
	add := func(client string, f *cataloguetest.Finding) {
		if f == nil {
			t.Errorf("%s: nothing found", client)
			return
		}
		_, code, _ := strings.Cut(f.Report, "is the client:\n\n")
		name := fmt.Sprintf("TestPrinted%d", len(names))
		names[name] = client
		for old, with := range map[string]string{
			"package client_test":                    "package cataloguetest_test",
			"func TestStory(":                        "func " + name + "(",
			" // set it to the client":               " = " + client,
			" // set it to the Catalogue of the Exp": " = samples() //",
		} {
			code = strings.Replace(code, old, with, 1)
		}
		source := filepath.Join(dir, fmt.Sprintf("printed%d_test.go", len(names)))
		replaced[filepath.Join(here, filepath.Base(source))] = source
		if err := os.WriteFile(source, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for client, fetch := range fetches {
		add(client, cataloguetest.Search(t, fetch, cataloguetest.Exploration{}))
	}
	for client, create := range creates {
		add(client, cataloguetest.SearchCreate(t, create, cataloguetest.Exploration{Collection: "social-links"}))
	}

	add("withoutCount().ids", cataloguetest.Search(t, withoutCount().ids, cataloguetest.Exploration{Catalogue: samples(), Collection: "events"}))

	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
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
		t.Logf("%s", out)
	}
}

// samples returns the sample records as a catalogue of the program.
func samples() *catalogue.Catalogue {
	house, err := cataloguetest.Open(cataloguetest.Options{})
	if err != nil {
		panic(err)
	}
	defer house.Close()
	return house.Catalogue
}
