package sample

import (
	"slices"
	"testing"
	"unicode"
)

func TestSlug(t *testing.T) {
	tests := []struct{ text, want, reason string }{
		{"Gruppo di lettura", "gruppo-di-lettura", "words are joined"},
		{"L'œuvre à l'aube", "l-oeuvre-a-l-aube", "accents and ligatures are folded"},
		{"«Größe»: Straße 9!", "grosse-strasse-9", "signs at the ends leave no dash"},
		{"Źdźbło i Łódź", "zdzblo-i-lodz", "Polish letters"},
		{"サイン会", "fallback", "nothing is left"},
		{"", "fallback", "nothing was there"},
	}
	for _, tt := range tests {
		if got := slug(tt.text, "fallback"); got != tt.want {
			t.Errorf("%s: slug(%q) = %q, want %q", tt.reason, tt.text, got, tt.want)
		}
	}
}

// A letter that is not folded would split its word in two.
func TestEveryLatinLetterIsFolded(t *testing.T) {
	for _, l := range languages() {
		for _, word := range slices.Concat(l.given, l.family, l.heads, l.tails, l.kinds, imprints()) {
			for _, r := range word {
				if unicode.Is(unicode.Latin, r) && slug(string(r), "") == "" {
					t.Errorf("%s: %q of %q is dropped from slugs", l.code, r, word)
				}
			}
		}
	}
}
