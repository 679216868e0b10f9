// Package readme contains the code of the README. Its tests check that the code in the
// README compiles, and that the README has a limited size, valid links, and the
// concurrency contract of package catalogue.
package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// readmeBlock is a block of code in a README, with its language.
var readmeBlock = regexp.MustCompile("(?ms)^```(\\S*)\n(.*?)^```\n")

// readFile returns the text of a file.
func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSnippets checks that each block of Go in the README is in a file of this package,
// except for indentation, or is a program, which TestMemory runs.
func TestSnippets(t *testing.T) {
	readme := readFile(t, "../../README.md")
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readme, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d snippets in the README", len(blocks))
	}
	files, err := filepath.Glob("*_test.go")
	check(err)
	for _, block := range blocks {
		if want := flat(block[1]); !strings.HasPrefix(want, "\npackage main\n") && !compiled(t, files, want) {
			t.Errorf("no file of this package has this snippet:\n%s", block[1])
		}
	}
}

func compiled(t *testing.T, files []string, snippet string) bool {
	t.Helper()
	for _, name := range files {
		if strings.Contains(flat(readFile(t, name)), snippet) {
			return true
		}
	}
	return false
}

// flat returns source without indentation, trailing space and empty lines.
func flat(source string) string {
	var lines []string
	for line := range strings.Lines(source) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

// TestConcurrencyContract checks that the README and the documentation of Collection have the
// contract in the same words.
func TestConcurrencyContract(t *testing.T) {
	for name, comment := range map[string]string{"../../README.md": "", "../../catalogue/collection.go": "// "} {
		text := readFile(t, name)
		words := strings.Join(strings.Fields(strings.ReplaceAll("\n"+text, "\n"+comment, "\n")), " ")
		if !strings.Contains(words, contract) {
			t.Errorf("%s does not have the contract", name)
		}
	}
}

const contract = "A Collection is safe for concurrent use. Each read sees one state: every write that returned before " +
	"the read began, and no write that begins after it. A read never waits for a writer's work. It takes a lock for " +
	"microseconds, never while your functions run. Writers of one collection take turns. The writes of one batch " +
	"become visible together or, after an error or a panic, not at all."

// TestSize checks that the README is short, and that GitHub shows its code without cutting lines.
func TestSize(t *testing.T) {
	readme := readFile(t, "../../README.md")
	if most := 6144; len(readme) > most {
		t.Errorf("the README has %d bytes, want at most %d", len(readme), most)
	}
	for _, block := range readmeBlock.FindAllStringSubmatch(readme, -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[2], "\t", "        ")) {
			if n, most := utf8.RuneCountInString(line), 88; n > most {
				t.Errorf("%d characters, want at most %d: %s", n, most, line)
			}
		}
	}
}

// TestLinks checks that the files that the README links to exist.
func TestLinks(t *testing.T) {
	readme := readFile(t, "../../README.md")
	for _, link := range regexp.MustCompile(`\](?:\()([\w./:-]+)\)`).FindAllStringSubmatch(readme, -1) {
		if strings.HasPrefix(link[1], "https://") {
			continue
		}
		if _, err := os.Stat(filepath.Join("../..", link[1])); err != nil {
			t.Error(err)
		}
	}
}
