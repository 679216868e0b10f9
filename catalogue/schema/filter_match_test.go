package schema

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
)

// modelMatches converts both texts to upper case before it compares them.
func modelMatches(lookup, s, value string) bool {
	if lookup, ok := strings.CutPrefix(lookup, "i"); ok && lookup != "n" {
		return modelMatches(lookup, strings.Map(unicode.ToUpper, s), strings.Map(unicode.ToUpper, value))
	}
	switch lookup {
	case "exact", "in":
		return s == value
	case "contains":
		return strings.Contains(s, value)
	case "startswith":
		return strings.HasPrefix(s, value)
	}
	return false
}

func TestMatchesText(t *testing.T) {
	for _, row := range []struct {
		lookup, value, text string
		want                bool
		reason              string
	}{
		{"exact", "Sea", "Sea", true, "equal"},
		{"exact", "sea", "Sea", false, "other letters"},
		{"in", "Sea", "Sea", true, "in a list"},
		{"iexact", "SEA $z ÜBER", "Sea $z über", true, "equal in any letters"},
		{"iexact", "sea", "seas", false, "longer text"},
		{"iexact", "seas", "sea", false, "shorter text"},
		{"iexact", "SS", "ß", false, "ß is one letter"},
		{"iexact", "ß", "ß", true, "equal ß"},
		{"iexact", "ς", "σ", true, "the two small sigmas"},
		{"iexact", "i", "ı", true, "dotless i"},
		{"iexact", "i", "İ", false, "dotted capital I"},
		{"iexact", "é", "e\u0301", false, "combining marks count"},
		{"iexact", "s", "ſ", true, "long s"},
		{"contains", "night", "Midnight", true, "inside"},
		{"contains", "Night", "Midnight", false, "inside in other letters"},
		{"icontains", "NIGHT", "Midnight", true, "inside in any letters"},
		{"icontains", "night", "nigh", false, "only the beginning"},
		{"icontains", "aab", "AAAB", true, "after a partial match"},
		{"icontains", "%", "100", false, "percent stands for itself"},
		{"icontains", "_", "a_b", true, "underscore stands for itself"},
		{"icontains", `\`, `a\b`, true, "backslash stands for itself"},
		{"icontains", "", "", true, "empty in empty"},
		{"icontains", "", "a", true, "empty in text"},
		{"icontains", "a", "", false, "text in empty"},
		{"startswith", "Mid", "Midnight", true, "beginning"},
		{"startswith", "mid", "Midnight", false, "beginning in other letters"},
		{"istartswith", "MID", "midnight", true, "beginning in any letters"},
		{"istartswith", "night", "midnight", false, "not at the beginning"},
		{"gte", "a", "a", false, "no lookup of text"},
		{"isnull", "true", "true", false, "no lookup of text"},
	} {
		test := Test{"title", row.lookup, []string{row.value}}
		if got := test.MatchesText(row.text); got != row.want {
			t.Errorf("%s: %s %q of %q = %v", row.reason, row.lookup, row.value, row.text, got)
		}
	}
	if list := (Test{"title", "in", []string{"a", "b"}}); !list.MatchesText("b") || list.MatchesText("c") {
		t.Error("in does not compare with each value")
	}
	for _, lookup := range []string{"exact", "in", "icontains", "istartswith"} {
		if (Test{"title", lookup, nil}).MatchesText("") {
			t.Errorf("a text satisfies %s without values", lookup)
		}
	}
}

// TestMatchesTextModel compares random texts of few letters, so that many match.
func TestMatchesTextModel(t *testing.T) {
	letters := []rune("aAbBéÉßςσΣıiIİ\u0301ſ𐐨𐐀")
	random := rand.New(rand.NewPCG(1, 2))
	text := func(most int) string {
		few := letters[random.IntN(len(letters)-2):][:2]
		runes := make([]rune, random.IntN(most+1))
		for i := range runes {
			runes[i] = few[random.IntN(2)]
		}
		return string(runes)
	}
	found := 0
	for range 50_000 {
		s, value := text(12), text(4)
		if random.IntN(2) == 0 {
			s = text(3) + swapLetters(value) + text(3)
		}
		for _, lookup := range []string{"exact", "iexact", "contains", "icontains", "startswith", "istartswith", "in", "lt"} {
			got, want := (Test{"f", lookup, []string{value}}).MatchesText(s), modelMatches(lookup, s, value)
			if got != want {
				t.Fatalf("%s %q of %q = %v, want %v", lookup, value, s, got, want)
			}
			if want {
				found++
			}
		}
		if got, want := searchUpper(s, value), modelMatches("icontains", s, value); got != want {
			t.Fatalf("searchUpper(%q, %q) = %v, want %v", s, value, got, want)
		}
	}
	if found < 50_000 {
		t.Errorf("only %d matches", found)
	}
}

// TestMatchesTextRepeated searches in texts that repeat the beginning of the word.
func TestMatchesTextRepeated(t *testing.T) {
	long := func(letter string, n int) string { return strings.Repeat(letter, n) }
	for _, row := range []struct {
		word, text string
		want       bool
	}{
		{long("a", 300) + "b", long("A", 3000) + "B", true},
		{long("a", 300) + "b", long("A", 3000), false},
		{long("É", 300) + "b" + long("é", 300), long("é", 3000) + "b" + long("é", 300), true},
		{long("É", 300) + "b" + long("é", 300), long("é", 3000) + "b" + long("é", 299), false},
		{long("ı", 300) + "é", long("i", 3000) + long("I", 3000) + "É", true},
	} {
		test := Test{"title", "icontains", []string{row.word}}
		if got := test.MatchesText(row.text); got != row.want {
			t.Errorf("%.10s… contains %.10s… = %v", row.text, row.word, got)
		}
	}
}

// swapLetters converts upper case to lower case and the reverse.
func swapLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if u := unicode.ToUpper(r); u != r {
			return u
		}
		return unicode.ToLower(r)
	}, s)
}

// TestMatchesTextEveryLetter compares every code point with its upper case and its
// lower case.
func TestMatchesTextEveryLetter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for _, other := range []rune{unicode.ToUpper(r), unicode.ToLower(r)} {
			if other == r && r > unicode.MaxASCII {
				continue
			}
			want := unicode.ToUpper(r) == unicode.ToUpper(other)
			test := Test{"title", "icontains", []string{string(other)}}
			if got := test.MatchesText("-" + string(r)); got != want {
				t.Errorf("%U contains %U = %v, want %v", r, other, got, want)
			}
		}
	}
}

// TestMatchesTextAllocations checks that a search allocates nothing for a record.
func TestMatchesTextAllocations(t *testing.T) {
	text, tests := strings.Repeat("Ünder the midnight sky ", 50), filterFilms().SearchTests("ÜBERX")
	allocations := testing.AllocsPerRun(10, func() {
		for _, test := range tests {
			if test.MatchesText(text) {
				t.Error("found")
			}
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// BenchmarkMatchesText measures texts that repeat the beginning of the word, in which
// comparing at each position would be quadratic.
func BenchmarkMatchesText(b *testing.B) {
	for _, row := range []struct{ name, word, text string }{
		{"ASCII", "lighthouse", strings.Repeat("under the midnight sky ", 10)},
		{"Greek", "φάρος", strings.Repeat("κάτω από τον ουρανό ", 10)},
		{"Repeated", strings.Repeat("a", 2000) + "b", strings.Repeat("a", 4000)},
	} {
		b.Run(row.name, func(b *testing.B) {
			test := Test{"title", "icontains", []string{row.word}}
			b.SetBytes(int64(len(row.text)))
			b.ReportAllocs()
			for b.Loop() {
				test.MatchesText(row.text)
			}
		})
	}
}
