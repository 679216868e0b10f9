package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlot checks that a plot is well-formed and has a curve and a label for each
// store.
func TestPlot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "depth.svg")
	if err := run([]string{"-quick", "-plot", path}, nil, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	curves, text := 0, ""
	for decoder := xml.NewDecoder(file); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "polyline" {
				curves++
			}
		case xml.CharData:
			text += string(token)
		}
	}
	stores := settings(true, false).newStores(1)
	defer closeAll(stores)
	if curves != len(stores) {
		t.Errorf("want %d curves, got %d", len(stores), curves)
	}
	for _, name := range storeNames(stores) {
		if !strings.Contains(text, name) {
			t.Errorf("no label %q", name)
		}
	}
}

// TestLabelsDoNotOverlap draws two curves with the same end.
func TestLabelsDoNotOverlap(t *testing.T) {
	end := []point{{10, 100}, {1000, 100}}
	c := chart{curves: []curve{{"one", end}, {"two", end}}, records: 1000}
	svg := string(c.svg())
	one := svg[strings.LastIndex(svg, `<text class="c0"`):strings.Index(svg, ">one<")]
	two := svg[strings.LastIndex(svg, `<text class="c1"`):strings.Index(svg, ">two<")]
	if one[strings.Index(one, "y="):] == two[strings.Index(two, "y="):] {
		t.Errorf("labels at the same place: %s, %s", one, two)
	}
}
