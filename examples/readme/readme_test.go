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

const contract = "A Collection may be used by any number of goroutines at once. Each read sees " +
	"one snapshot: what had been written when the read began, nothing of what is written after. " +
	"A read never waits for a writer's work, whatever a writer does in an Update or a Load: it takes " +
	"the snapshot that is published or, as the first read since a write, publishes it, a step that " +
	"does not depend on the number of records and waits at most for a few of them being put in their places. " +
	"Writers of one collection take turns. Several writes in one Update become visible together or, " +
	"on an error or a panic, not at all."
