package httpapi

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi/internal/rows"
)

const (
	differencesFile = "differences.txtar"
	differencesPage = "DIFFERENCES.md"
)

// TestDifference has one script for each deliberate difference from Django REST framework.
// DIFFERENCES.md consists of their texts. With BACKLIST_UPDATE it is written.
func TestDifference(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Differences from Django REST framework

The tests replay 5,586 requests recorded from six services built with Django REST framework 3.14,
and 536 recorded with version 3.18, and compare the responses byte by byte. A Handler differs
deliberately in the points below, and in no others that are known. A row holds for both versions unless it
names one. Each is a test of this package: ` + "`go test -run 'TestDifference/NAME' ./httpapi`" + `,
with the requests in [testdata/differences.txtar](testdata/differences.txtar), from which this
page is written.
`)
	_, parts := rows.Texts(t, differencesFile)
	for _, part := range parts {
		if section, ok := strings.CutPrefix(part.Name, "# "); ok && strings.TrimSpace(part.Data) == "" {
			fmt.Fprintf(&page, "\n## %s\n\n| | a Handler | Django REST framework | why | version |\n|---|---|---|---|---|\n", section)
			continue
		}
		about, script, _ := strings.Cut(part.Data, "\n\n")
		lines := strings.Split(about, "\n")
		row := []string{part.Name}
		for i, label := range []string{"here: ", "framework: ", "why: "} {
			if i >= len(lines) || !strings.HasPrefix(lines[i], label) {
				t.Fatalf("%s: line %d does not begin with %q", part.Name, i+1, label)
			}
			row = append(row, strings.TrimPrefix(lines[i], label))
		}
		version := ""
		if len(lines) > 3 {
			version = strings.TrimPrefix(lines[3], "version: ")
		}
		fmt.Fprintf(&page, "| %s | %s |\n", strings.Join(row, " | "), version)
		t.Run(part.Name, func(t *testing.T) { runScript(t, nil, script) })
	}
	if os.Getenv("BACKLIST_UPDATE") != "" {
		must(t, os.WriteFile(differencesPage, []byte(page.String()), 0o666))
	}
	got, err := os.ReadFile(differencesPage)
	must(t, err)
	equal(t, fmt.Sprintf("%s differs; BACKLIST_UPDATE=1 writes it", differencesPage), page.String(), string(got))
}
