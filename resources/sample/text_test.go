package sample

import (
	"slices"
	"testing"
	"unicode"
)

func TestSlug(t *testing.T) {
	tests := []struct{ text, want, reason string }{
		{"Gruppo di lettura", "gruppo-di-lettura", "words"},
		{"L'œuvre à l'aube", "l-oeuvre-a-l-aube", "accents and ligatures"},
		{"«Größe»: Straße 9!", "grosse-strasse-9", "punctuation at the ends"},
		{"Źdźbło i Łódź", "zdzblo-i-lodz", "Polish letters"},
		{"サイン会", "fallback", "no Latin letters"},
		{"", "fallback", "empty"},
	}
	for _, tt := range tests {
		if got := slug(tt.text, "fallback"); got != tt.want {
			t.Errorf("%s: slug(%q) = %q, want %q", tt.reason, tt.text, got, tt.want)
		}
	}
}

// TestEveryLatinLetterIsFolded checks the letters of all names, because a letter that is
// not folded splits its word.
func TestEveryLatinLetterIsFolded(t *testing.T) {
	m, err := newMaker(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range m.Languages {
		for _, word := range slices.Concat(l.Given, l.Family, l.Heads, l.Tails, l.Kinds, m.Imprints) {
			for _, r := range word {
				if unicode.Is(unicode.Latin, r) && slug(string(r), "") == "" {
					t.Errorf("%s: slug drops %q of %q", l.Code, r, word)
				}
			}
		}
	}
}
