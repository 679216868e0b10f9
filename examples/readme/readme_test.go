// Package readme holds the README's snippets, so that a test compiles and runs
// each of them.
package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSnippets looks for each block of Go in the README in a file of this
// package, line by line; only the indentation may differ.
func TestSnippets(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(blocks) < 4 {
		t.Fatalf("%d snippets in the README", len(blocks))
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		if want := flat(block[1]); !compiled(t, files, want) {
			t.Errorf("nothing here compiles this snippet:\n%s", block[1])
		}
	}
}

func compiled(t *testing.T, files []string, snippet string) bool {
	t.Helper()
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(flat(source), snippet) {
			return true
		}
	}
	return false
}

// flat takes off indentation, trailing space and empty lines.
func flat(source []byte) string {
	var lines []string
	for line := range strings.Lines(string(source)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

// TestConcurrencyContract keeps the README's guarantee in the code's own words.
func TestConcurrencyContract(t *testing.T) {
	for name, comment := range map[string]string{"../../README.md": "", "../../catalogue/doc.go": "// ", "../../catalogue/collection.go": "// "} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(strings.ReplaceAll("\n"+string(text), "\n"+comment, "\n")), " ")
		if !strings.Contains(words, contract) {
			t.Errorf("%s does not hold the contract", name)
		}
	}
}

const contract = "A Collection is safe for concurrent use. Each read sees one state: everything that was written " +
	"before the read began, nothing that is written after it. A read never waits for a writer's work, whatever a " +
	"writer does in an Update or a Load; it waits at most for the step that puts a few records in their places, " +
	"which runs no code of the program. Writers of one collection take turns. The writes of one Update become " +
	"visible together or, on an error or a panic, not at all."
