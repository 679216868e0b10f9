package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSearchWords uses the queries in drf-own.md, section 9, and more.
func TestSearchWords(t *testing.T) {
	for _, row := range []struct {
		query  string
		want   []string
		reason string
	}{
		{"search=night", []string{"night"}, "word"},
		{"search=NIGHT", []string{"NIGHT"}, "letters are kept"},
		{"search=night+city", []string{"night", "city"}, "blank"},
		{"search=night,city", []string{"night", "city"}, "comma"},
		{"search=%22night+city%22", []string{`"night`, `city"`}, "quotes mean nothing"},
		{"search=", nil, "empty"},
		{"search=%20,%20", nil, "blank"},
		{"search=n%00ight", []string{"night"}, "null characters are dropped"},
		{"search=%00", nil, "only null characters"},
		{"search=night&search=zzz", []string{"zzz"}, "the last value counts"},
		{"search=night&search=", nil, "the last value counts, though empty"},
		{"search=%25+_", []string{"%", "_"}, "punctuation"},
		{"search=nbsp%C2%A0inside", []string{"nbsp", "inside"}, "no-break space"},
		{"search=a%1Cb%1Fc%C2%85d%E2%80%83e%E3%80%80f", []string{"a", "b", "c", "d", "e", "f"}, "white space of Python"},
		{"search=a%E2%80%8Bb", []string{"a\u200bb"}, "a zero-width space is none"},
		{"search=%5Egiu", []string{"^giu"}, "a sign in a word is a letter"},
		{"search=x%FF", []string{"x\ufffd"}, "invalid UTF-8"},
		{"Search=night", nil, "names in other letters are unknown"},
		{"search=a+b,a+A+b", []string{"a", "b", "A"}, "a repeated word counts once"},
		{"search=" + strings.Join(manyWords(100), ","), manyWords(100), "the most words"},
		{"search=" + strings.Repeat("a,b+", 4000), []string{"a", "b"}, "two words, often"},
	} {
		for _, d := range []Description{filterFilms(), filterDirectors()} {
			got, err := d.Filter(query(t, row.query), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Filter{Search: row.want}, got); diff != "" {
				t.Errorf("%s: %s: Filter(%q) (-want +got):\n%s", row.reason, d.Key, row.query, diff)
			}
		}
		got, err := filterGenres().Filter(query(t, row.query), nil)
		if diff := cmp.Diff(Filter{}, got); err != nil || diff != "" {
			t.Errorf("%s: without search fields: %v (-want +got):\n%s", row.reason, err, diff)
		}
	}
}

// manyWords returns n different words.
func manyWords(n int) (words []string) {
	for i := range n {
		words = append(words, strconv.Itoa(i))
	}
	return words
}

// TestTooManyWords checks the error about a search, which follows those about filters.
func TestTooManyWords(t *testing.T) {
	tooMany := FieldError{"search", []string{"Too many words: at most 100 are allowed."}}
	words := "search=" + strings.Join(manyWords(101), "+")
	for _, row := range []struct {
		d      Description
		query  string
		want   error
		reason string
	}{
		{filterFilms(), words, FieldErrors{tooMany}, "one word too many"},
		{filterFilms(), words + "&search=a", nil, "the last value counts"},
		{filterFilms(), words + "&minutes=x", FieldErrors{{"minutes", []string{"Enter a number."}}, tooMany}, "after the filters"},
		{filterGenres(), words, nil, "without search fields"},
	} {
		_, err := row.d.Filter(query(t, row.query), nil)
		if diff := cmp.Diff(row.want, err, cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestSearchTests(t *testing.T) {
	want := []Test{
		{"title", "icontains", []string{"Night"}},
		{"synopsis", "icontains", []string{"Night"}},
		{"director__name", "icontains", []string{"Night"}},
	}
	if diff := cmp.Diff(want, filterFilms().SearchTests("Night")); diff != "" {
		t.Errorf("films (-want +got):\n%s", diff)
	}
	want = []Test{{"name", "istartswith", []string{"^x"}}, {"slug", "iexact", []string{"^x"}}}
	if diff := cmp.Diff(want, filterDirectors().SearchTests("^x")); diff != "" {
		t.Errorf("directors (-want +got):\n%s", diff)
	}
	if got := filterGenres().SearchTests("x"); len(got) != 0 {
		t.Errorf("genres: %v", got)
	}
}

// TestSearchDirectors searches in a few records as drf-own.md, section 9, records it for
// more of them.
func TestSearchDirectors(t *testing.T) {
	d := filterDirectors()
	records := []map[string]string{
		{"name": "Giulia Rossi", "slug": "giulia-rossi"},
		{"name": "X", "slug": "x"},
		{"name": "Anna", "slug": "anna_4"},
	}
	for _, row := range []struct {
		search string
		want   []int
		reason string
	}{
		{"giu", []int{0}, "^name finds the beginning"},
		{"GIULIA", []int{0}, "in any letters"},
		{"rossi", nil, "^name does not find the rest"},
		{"giulia rossi", nil, "every word must be found"},
		{"X", []int{1}, "name and slug"},
		{"x-", nil, "neither"},
		{"ANNA_4", []int{2}, "=slug is equal in any letters"},
		{"anna_", nil, "=slug compares the whole"},
		{"^giu", nil, "a sign in a word is a letter"},
		{"", []int{0, 1, 2}, "no words"},
	} {
		filter, err := d.Filter(url.Values{"search": {row.search}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for i, record := range records {
			if !slices.ContainsFunc(filter.Search, func(word string) bool {
				return !slices.ContainsFunc(d.SearchTests(word), func(test Test) bool { return test.MatchesText(record[test.Field]) })
			}) {
				got = append(got, i)
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: search=%s (-want +got):\n%s", row.reason, row.search, diff)
		}
	}
}
