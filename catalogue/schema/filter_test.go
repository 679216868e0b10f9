package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

func zeroes(n int) string { return strings.Repeat("0", n) }

// Parameters name members of objects by their path. A field takes precedence over a lookup.
func TestParametersOfNestedFields(t *testing.T) {
	d := Description{Key: "buyers", Segment: "buyers", Name: "buyer", Fields: []Field{
		{Name: "name", Kind: Text},
		{Name: "homeAddress", Kind: Object, Fields: []Field{
			{Name: "postalCode", Kind: Text},
			{Name: "geo", Kind: Object, Nullable: true, Fields: []Field{{Name: "lat1", Kind: Float}, {Name: "in", Kind: Integer}}},
		}},
		{Name: "lines", Kind: Array, Item: &Field{Kind: Object, Fields: []Field{{Name: "sku", Kind: Text}}}},
	}}
	var names []string
	for _, f := range Nested(d.Fields) {
		names = append(names, f.Name)
	}
	want := []string{"home_address__postal_code", "home_address__geo", "home_address__geo__lat_1", "home_address__geo__in"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("Nested: -want +got\n%s", diff)
	}
	for _, row := range []struct {
		reason, parameter, field, lookup string
		kind                             Kind
		err                              string
	}{
		{"a member", "home_address__postal_code", "home_address__postal_code", "exact", Text, ""},
		{"with a lookup", "home_address__postal_code__istartswith", "home_address__postal_code", "istartswith", Text, ""},
		{"at any depth", "home_address__geo__lat_1__gte", "home_address__geo__lat_1", "gte", Float, ""},
		{"a member that is named like a lookup", "home_address__geo__in", "home_address__geo__in", "exact", Integer, ""},
		{"its own lookup", "home_address__geo__in__in", "home_address__geo__in", "in", Integer, ""},
		{"a misspelled member", "home_address__postalcode", "", "", 0, "did you mean home_address__postal_code?"},
		{"a misspelled member with a lookup", "home_address__postal_cod__in", "", "", 0, "did you mean home_address__postal_code?"},
		{"an unknown lookup", "home_address__postal_code__year", "", "", 0, `field "home_address__postal_code" has no lookup "year"`},
		{"an element of a list", "lines__sku", "", "", 0, `field "lines" has no lookup "sku"`},
		{"the object", "home_address", "", "", 0, `field "home_address" has no lookup "exact"`},
	} {
		f, lookup, err := d.Parameter(row.parameter)
		switch {
		case row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)):
			t.Errorf("%s: %v, want %q", row.reason, err, row.err)
		case row.err == "" && (err != nil || f.Name != row.field || f.Kind != row.kind || lookup != row.lookup):
			t.Errorf("%s: %s (%v), %s, %v", row.reason, f.Name, f.Kind, lookup, err)
		}
	}
	d.Search = []string{"=home_address__postal_code"}
	must(t, d.Check())
	d.Search = []string{"home_address__geo__in"}
	if err := d.Check(); err == nil || !strings.Contains(err.Error(), "is not text") {
		t.Errorf("a search in a number: %v", err)
	}
}

// filterExists finds the directors 1 to 12 and the genres 1 to 6.
func filterExists(_ context.Context, collection, field, text string) (int, string, error) {
	id := ParseID(text)
	if field != "id" || id > map[string]int{"directors": 12, "genres": 6}[collection] {
		return 0, "", nil
	}
	return id, "", nil
}

// holds reports whether a text satisfies a test, which does not fail.
func holds(ok bool, err error) bool {
	if err != nil {
		panic(err)
	}
	return ok
}

// query parses a query as a server does.
func query(t testing.TB, text string) func(name string) []string {
	t.Helper()
	params, err := url.ParseQuery(text)
	must(t, err)
	return valuesIn(params)
}

func valuesIn(params url.Values) func(name string) []string {
	return func(name string) []string { return params[name] }
}

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
	case "endswith":
		return strings.HasSuffix(s, value)
	}
	return false
}

// TestMatchesText checks the texts in testdata/search.txtar.
func TestMatchesText(t *testing.T) {
	for _, s := range readRows(t, "search.txtar") {
		lookup, not := strings.CutPrefix(s.name, "not ")
		for _, row := range s.rows {
			if got := holds((Test{Field: "title", Lookup: lookup, Values: []string{row.value}}).MatchesText(row.want)); got == not && lookup != "words" {
				t.Errorf("%s: %s %q of %q = %v", row.reason, lookup, row.value, row.want, got)
			}
		}
	}
	if list := (Test{Field: "title", Lookup: "in", Values: []string{"a", "b"}}); !holds(list.MatchesText("b")) || holds(list.MatchesText("c")) {
		t.Error("in does not compare with each value")
	}
	for _, lookup := range []string{"exact", "in", "icontains", "istartswith"} {
		if holds((Test{Field: "title", Lookup: lookup, Values: nil}).MatchesText("")) {
			t.Errorf("a text satisfies %s without values", lookup)
		}
	}
}

// TestMatchesTextModel compares random texts of few letters, so that many match.
func TestMatchesTextModel(t *testing.T) {
	letters := []rune("aAbBzZ@[`{éÉßςσΣıiIİ\u0301ſS𐐨𐐀")
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
		if random.IntN(8) == 0 { // longer than what is compared at once
			s, value = text(300), text(70)
		}
		if random.IntN(2) == 0 {
			s = text(3) + swapLetters(value) + text(3)
		}
		for _, lookup := range []string{"exact", "iexact", "contains", "icontains", "startswith", "istartswith", "endswith", "iendswith", "in", "lt"} {
			got, want := holds((Test{Field: "f", Lookup: lookup, Values: []string{value}}).MatchesText(s)), modelMatches(lookup, s, value)
			if got != want {
				t.Fatalf("%s %q of %q = %v, want %v", lookup, value, s, got, want)
			}
			if want {
				found++
			}
		}
	}
	if found < 50_000 {
		t.Errorf("only %d matches", found)
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
			test := Test{Field: "title", Lookup: "icontains", Values: []string{string(other)}}
			if got := holds(test.MatchesText("-" + string(r))); got != want {
				t.Errorf("%U contains %U = %v, want %v", r, other, got, want)
			}
		}
	}
}

// TestMatchesTextAllocations checks that a search allocates nothing for a record.
func TestMatchesTextAllocations(t *testing.T) {
	text := strings.Repeat("Ünder the midnight sky ", 50)
	tests, _ := own()["films"].searchTests("ÜBERX", "search", nil)
	allocations := testing.AllocsPerRun(10, func() {
		for _, test := range tests {
			if holds(test.MatchesText(text)) {
				t.Error("found")
			}
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// TestMatchesLongWord checks that a word that is longer than a text can be is not compared with
// it. In an "ⱥ" of three bytes is a "Ⱥ" of two.
func TestMatchesLongWord(t *testing.T) {
	text := strings.Repeat("a", 40)
	for _, word := range []string{strings.Repeat("a", 161), strings.Repeat("a", 1<<14)} {
		test := Test{Field: "title", Lookup: "icontains", Values: []string{word}}
		if n := testing.AllocsPerRun(10, func() {
			if holds(test.MatchesText(text)) {
				t.Error("found")
			}
		}); n != 0 {
			t.Errorf("%v allocations for a word of %d bytes", n, len(word))
		}
	}
}

// A sign that is a part of the name of a field is no sign of a search.
func TestSearchOfSigns(t *testing.T) {
	d := Description{Key: "files", Segment: "files", Name: "file", Fields: []Field{{Name: "$schema", Kind: Text}, {Name: "^x", Kind: Text}, {Name: "=x", Kind: Text}, {Name: "x", Kind: Text},
		{Name: "$of", Kind: Object, Fields: []Field{{Name: "name", Kind: Text}}}}}
	d.Search = []string{"$schema", "^x", "=x", "$$schema", "=^x", "^=x", "$x", "$of__name", "=$of__name"}
	must(t, d.Check())
	filter, err := d.Filter(t.Context(), query(t, "search=a"), Checks{})
	must(t, err)
	var got []string
	for _, test := range filter.Search[0] {
		got = append(got, test.Field+" "+test.Lookup)
	}
	equal(t, "tests", []string{"$schema icontains", "^x icontains", "=x icontains", "$schema iregex", "^x iexact", "=x istartswith", "x iregex", "$of__name icontains", "$of__name iexact"}, got)
}

// TestSearchWords checks the queries in testdata/search.txtar.
func TestSearchWords(t *testing.T) {
	for _, row := range readRows(t, "search.txtar")[0].rows {
		for _, d := range []Description{own()["films"], own()["directors"]} {
			got, err := d.Filter(t.Context(), query(t, row.value), Checks{})
			if words := strings.Join(wordsOf(got), " | "); err != nil || words != strings.TrimPrefix(row.want, "none") || got.Tests != nil {
				t.Errorf("%s: words %s of %s, %v and %v, want %s", row.reason, words, d.Key, got.Tests, err, row.want)
			}
		}
		got, err := own()["genres"].Filter(t.Context(), query(t, row.value), Checks{})
		if diff := cmp.Diff(Filter{}, got); err != nil || diff != "" {
			t.Errorf("%s: without search fields: %v (-want +got):\n%s", row.reason, err, diff)
		}
	}
}

// wordsOf returns the words of a search.
func wordsOf(filter Filter) (words []string) {
	for _, tests := range filter.Search {
		words = append(words, tests[0].Values[0])
	}
	return words
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
	tooMany := FieldError{Field: "search", Messages: []string{"Too many words: at most 100 are allowed."}}
	words := "search=" + strings.Join(manyWords(101), "+")
	for _, row := range []struct {
		d      Description
		query  string
		want   error
		reason string
	}{
		{own()["films"], words, FieldErrors{tooMany}, "one word too many"},
		{own()["films"], words + "&search=a", nil, "the last value counts"},
		{own()["films"], words + "&minutes=x", FieldErrors{{Field: "minutes", Messages: []string{"Enter a number."}}, tooMany}, "after the filters"},
		{own()["genres"], words, nil, "without search fields"},
	} {
		_, err := row.d.Filter(t.Context(), query(t, row.query), Checks{})
		equal(t, row.reason, row.want, err, cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }))
	}
}

// FuzzFilter checks that a filter does not depend on other parameters, that its values
// are valid UTF-8 and canonical, so that they result in the same filter, and that errors
// are about parameters of the query.
func FuzzFilter(f *testing.F) {
	for _, s := range readRows(f, "filters.txtar") {
		for _, row := range s.rows {
			f.Add(row.value)
		}
	}
	for _, text := range []string{
		"status=bogus&minutes=x&premiere_at__gte=x", "search=n%00ight,%C2%A0x&title=%00", "genres=1&genres=,&director__in=,4",
		"minutes=1e51&price=-1e-99&minutes__range=1,2,3", "released=1/2/69&released__gte=2000-01-%20%31", "title=%FF&search=%FF",
		"status=%FF&director=%FF&minutes=%FF&released=%FF", "genres=1%FF",
	} {
		f.Add(text)
	}
	descriptions := []Description{own()["films"], own()["directors"], own()["genres"]}
	f.Fuzz(func(t *testing.T, text string) {
		params, _ := url.ParseQuery(text) // with the pairs that it can read
		for _, d := range descriptions {
			filter, err := d.Filter(t.Context(), valuesIn(params), Checks{Find: filterExists})
			if err != nil {
				checkFilterErrors(t, d, params, err)
				continue
			}
			if strings.Contains(text, `"`) || strings.Contains(text, "%22") {
				continue // a value with a quote may have commas, and join others to a list with quotes
			}
			given := parametersOf(t, filter)
			if len(filter.Search) > 0 {
				given["search"] = []string{strings.Join(wordsOf(filter), " ")}
			}
			again, err := d.Filter(t.Context(), valuesIn(given), Checks{Find: filterExists})
			if err != nil {
				t.Fatalf("filter %v of %q: %v", filter, text, err)
			}
			filter.Tests = slices.DeleteFunc(filter.Tests, func(t Test) bool { return strings.Join(t.Values, "") == "" })
			if diff := cmp.Diff(filter.Search, again.Search); diff != "" {
				t.Fatalf("search of %q, then of %v:\n%s", text, given, diff)
			}
			if len(filter.Tests) > 0 || len(again.Tests) > 0 {
				again.Tests = slices.DeleteFunc(again.Tests, func(t Test) bool { return strings.Join(t.Values, "") == "" })
				if diff := cmp.Diff(filter.Tests, again.Tests); diff != "" {
					t.Fatalf("filter of %q, then of %v:\n%s", text, given, diff)
				}
			}
		}
	})
}

// parametersOf returns the parameters that describe a filter.
func parametersOf(t *testing.T, filter Filter) url.Values {
	params := url.Values{}
	for _, test := range filter.Tests {
		name := test.Field
		if test.Lookup != "exact" {
			name += "__" + test.Lookup
		}
		for _, value := range test.Values {
			if !utf8.ValidString(value) {
				t.Fatalf("%s: value %q", name, value)
			}
		}
		params[name] = test.Values
		if test.Lookup == "in" || test.Lookup == "range" {
			params[name] = []string{strings.Join(test.Values, ",")}
		}
		if len(test.Values) == 0 && test.Lookup != "in" || test.Lookup == "range" && len(test.Values) != 2 {
			t.Fatalf("%s: %d values", name, len(test.Values))
		}
	}
	return params
}

// checkFilterErrors checks that errors are in the order of Filters and about parameters
// of the query.
func checkFilterErrors(t *testing.T, d Description, params url.Values, err error) {
	var errs FieldErrors
	if !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("Filter(%v): %v", params, err)
	}
	if !utf8.ValidString(err.Error()) {
		t.Fatalf("error %q", err)
	}
	names := d.Filters
	for _, e := range errs {
		i := slices.IndexFunc(names, func(name string) bool { return ordering.Camel(name) == e.Field })
		if i < 0 || len(params[names[i]]) == 0 || len(e.Messages) != 1 {
			t.Fatalf("Filter(%v): %v", params, err)
		}
		names = names[i+1:]
	}
}

// The numbers that filters accept, apart from exponents beyond Python's.
var numberForm = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// filtered returns the canonical form of a value in a filter.
func filtered(kind Kind, value string) (text, message string) {
	text, message = Field{Kind: kind}.filterValue("exact", value, &checker{})
	if message != "" {
		text = ""
	}
	return text, message
}

// checkFilterNumber compares the canonical forms of a number with package big.
func checkFilterNumber(t *testing.T, text string) {
	t.Helper()
	const tooLarge = "Ensure this value is less than or equal to 1e+50."
	message, exact := "Enter a number.", new(big.Rat)
	if number := strings.TrimSpace(text); numberForm.MatchString(number) {
		message = ""
		exact.SetString(number)
		if exact.Cmp(new(big.Rat).SetFloat64(1e50)) > 0 {
			message = tooLarge
		}
	}
	for _, kind := range []Kind{Integer, Float, Decimal} {
		got, gotMessage := filtered(kind, text)
		if gotMessage != message {
			t.Fatalf("kind %d: message of %q is %q, want %q", kind, text, gotMessage, message)
		}
		if message != "" {
			continue
		}
		value, ok := new(big.Rat).SetString(got)
		if !ok || !json.Valid([]byte(got)) {
			t.Fatalf("kind %d: %q becomes %q, which is not a number", kind, text, got)
		}
		want := exact
		switch kind {
		case Integer:
			want = cutRat(exact)
		case Float:
			nearest, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err == nil {
				want = new(big.Rat).SetFloat64(nearest)
				again, _ := strconv.ParseFloat(got, 64)
				value = new(big.Rat).SetFloat64(again)
			}
		}
		if value.Cmp(want) != 0 {
			t.Fatalf("kind %d: %q becomes %q, want %s", kind, text, got, want.RatString())
		}
	}
}

// cutRat returns a number cut toward zero, but at least -1e51.
func cutRat(r *big.Rat) *big.Rat {
	n := new(big.Rat).SetInt(new(big.Int).Quo(r.Num(), r.Denom()))
	least := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(51), nil))
	if least.Neg(least); n.Cmp(least) < 0 {
		return least
	}
	return n
}

func TestFilterNumbers(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "+0", "00", "0.0", ".0", "0.", ".", "", "-", "+", "e", "e5", ".e5", "1e", "1e+", "1e-", "1e1.5", "--1", "+-1",
		"1", "-1", "+1", "007", "90.7", "-90.7", "0.9", "-0.9", "9e1", "9E+1", "907e-1", "907e-3", "907e-4", "100", "1e2", "120e-1",
		"1e50", "1e51", "1.00000000000000007e50", "1.00000000000000008e50", "1" + zeroes(50), "1" + zeroes(51), "0.1e51", "10e49",
		"100000000000000007629769841091887003294964970946560", "100000000000000007629769841091887003294964970946561",
		"100000000000000007629769841091887003294964970946560.1", "99999999999999999e34",
		"-1e51", "-9e51", "-1e52", "-1e50", "-1.5e51", "-" + strings.Repeat("9", 60), "1e-51", "1e-52", "1e-60", "-1e-400", "-1e400", "-1.5e308", "4.9e-324",
		"0.1", "0.30000000000000004", "9007199254740993", "1_0", "0x10", "1,5", "NaN", "nan", "sNaN", "inf", "-Infinity", "١", "１", "1 2", " 1 ", "\u00a01\u2003", "1\x00",
	} {
		checkFilterNumber(t, text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		text := make([]byte, random.IntN(12))
		for i := range text {
			const set = "0123456789059..--+eE "
			text[i] = set[random.IntN(len(set))]
		}
		if i := strings.IndexAny(string(text), "eE"); i >= 0 && len(text)-i > 5 {
			text = text[:i+5] // package big expands the exponent
		}
		checkFilterNumber(t, string(text))
	}
}

// TestFilterLongNumbers checks numbers that cannot be expanded.
func TestFilterLongNumbers(t *testing.T) {
	for _, row := range []struct {
		text                         string
		integer, float, decimal, err string
		reason                       string
	}{
		{"1e-999999999999999999", "0", "0", "0.1e-999999999999999998", "", "the smallest exponent"},
		{"-1e999999999999999999", "-1" + zeroes(51), "-0.1e1000000000000000000", "-0.1e1000000000000000000", "", "the largest exponent"},
		{"1e-1000000000000000000", "", "", "", "Enter a number.", "a smaller exponent"},
		{"-1e1000000000000000000", "", "", "", "Enter a number.", "a larger exponent"},
		{"0.001e-9223372036854775808", "", "", "", "Enter a number.", "the least int64"},
		{"1e99999999999999999999", "", "", "", "Enter a number.", "out of range for an int64"},
		{"0e999999999999999999", "0", "0", "0", "", "zero with an exponent"},
		{zeroes(1<<16) + "." + zeroes(1<<16) + "1e65537", "1", "1", "1", "", "many zeros"},
	} {
		for kind, want := range map[Kind]string{Integer: row.integer, Float: row.float, Decimal: row.decimal} {
			if got, message := filtered(kind, row.text); got != want || message != row.err {
				t.Errorf("%s: kind %d: %q, %q, want %q, %q", row.reason, kind, got, message, want, row.err)
			}
		}
	}
}
