// Package txtar reads files of several texts, for tests. A line such as "-- name --"
// begins each text. What comes before the first is a comment.
package txtar

import (
	"os"
	"strings"
	"testing"
)

// A Text is one of the texts of a file.
type Text struct{ Name, Data string }

// Read returns the texts of a file in the directory testdata. A file that cannot be read, or
// has no text, fails the test.
func Read(t testing.TB, name string) (texts []Text) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		title, begins := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		title, ends := strings.CutSuffix(title, " --")
		if begins && ends {
			texts = append(texts, Text{Name: title})
		} else if len(texts) > 0 {
			texts[len(texts)-1].Data += line
		}
	}
	if len(texts) == 0 {
		t.Fatalf("%s: no texts", name)
	}
	return texts
}
