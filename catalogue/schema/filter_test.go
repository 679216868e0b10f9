package schema

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// filterRows are the rows of drf-own.md, section 8, that a filter is read from, and more.
var filterRows = []struct {
	query  string
	want   []Test
	reason string
}{
	{"", nil, "no parameters"},
	{"status=released", []Test{{"status", "exact", []string{"released"}}}, "choice"},
	{"status=", nil, "empty choice"},
	{"status=released&status=announced", []Test{{"status", "exact", []string{"announced"}}}, "the last value counts"},
	{"status=bogus&status=", nil, "the last value counts, though empty"},
	{"Status=bogus", nil, "names in other letters are unknown"},
	{"status__exact=bogus", nil, "exact is not written"},
	{"premiereAt__gte=x", nil, "names in camelCase are unknown"},
	{"status__in=released,announced", []Test{{"status", "in", []string{"released", "announced"}}}, "list of choices"},
	{"status__in=released,%20bogus", []Test{{"status", "in", []string{"released", "bogus"}}}, "choices in a list are trimmed and not checked"},
	{"status__in=,", []Test{{"status", "in", []string{"", ""}}}, "text in a list can be empty"},
	{"status__in=", nil, "empty list"},
	{"status__in=%20", []Test{{"status", "in", []string{""}}}, "a blank is a list of one empty text"},

	{"published=true", []Test{{"published", "exact", []string{"true"}}}, "boolean"},
	{"published=TRUE", []Test{{"published", "exact", []string{"true"}}}, "upper case"},
	{"published=1", []Test{{"published", "exact", []string{"true"}}}, "one"},
	{"published=0", []Test{{"published", "exact", []string{"false"}}}, "zero"},
	{"published=fAlSe", []Test{{"published", "exact", []string{"false"}}}, "mixed case"},
	{"published=yes", nil, "anything else counts as absent"},
	{"published=", nil, "empty boolean"},
	{"published=%20true", nil, "booleans are not trimmed"},

	{"director=4", []Test{{"director", "exact", []string{"4"}}}, "id"},
	{"director=04", []Test{{"director", "exact", []string{"4"}}}, "leading zero"},
	{"director=%204", []Test{{"director", "exact", []string{"4"}}}, "space before an id"},
	{"director=%2B4", []Test{{"director", "exact", []string{"4"}}}, "sign"},
	{"director=", nil, "empty id"},
	{"director__in=4,5", []Test{{"director", "in", []string{"4", "5"}}}, "ids"},
	{"director__in=4,", []Test{{"director", "in", []string{"4"}}}, "empty items of ids are skipped"},
	{"director__in=,", []Test{{"director", "in", nil}}, "only empty items: nothing is found"},
	{"director__in=", nil, "empty list of ids"},

	{"genres=1", []Test{{"genres", "exact", []string{"1"}}}, "one of a list of ids"},
	{"genres=1&genres=3", []Test{{"genres", "exact", []string{"1", "3"}}}, "all values count"},

	{"minutes=90", []Test{{"minutes", "exact", []string{"90"}}}, "integer"},
	{"minutes=90.7", []Test{{"minutes", "exact", []string{"90"}}}, "integers are cut"},
	{"minutes=-0.7", []Test{{"minutes", "exact", []string{"0"}}}, "integers are cut toward zero"},
	{"minutes=%2090", []Test{{"minutes", "exact", []string{"90"}}}, "space before a number"},
	{"minutes=9e1", []Test{{"minutes", "exact", []string{"90"}}}, "exponent"},
	{"minutes=", nil, "empty number"},
	{"minutes=1e50", []Test{{"minutes", "exact", []string{"1" + zeroes(50)}}}, "the largest round number"},
	{"minutes=-1e999999999", []Test{{"minutes", "exact", []string{"-1" + zeroes(51)}}}, "there is no least number"},
	{"minutes__gt=90", []Test{{"minutes", "gt", []string{"90"}}}, "comparison"},
	{"minutes__gte=90.7", []Test{{"minutes", "gte", []string{"90"}}}, "integers are cut in comparisons"},
	{"minutes__gte=90&minutes__lt=100", []Test{{"minutes", "gte", []string{"90"}}, {"minutes", "lt", []string{"100"}}}, "two tests"},
	{"minutes__lte=1&minutes=2", []Test{{"minutes", "exact", []string{"2"}}, {"minutes", "lte", []string{"1"}}}, "tests are in the order of Filters"},
	{"minutes__range=90,100", []Test{{"minutes", "range", []string{"90", "100"}}}, "range"},
	{"minutes__range=100,90", []Test{{"minutes", "range", []string{"100", "90"}}}, "range in the wrong order, which finds nothing"},
	{"minutes__range=%2090,100.9", []Test{{"minutes", "range", []string{"90", "100"}}}, "bounds are trimmed and cut"},
	{"minutes__range=90,", []Test{{"minutes", "in", nil}}, "nothing is in a range without an end"},
	{"minutes__range=,90", []Test{{"minutes", "in", nil}}, "nothing is in a range without a start"},
	{"minutes__range=,", []Test{{"minutes", "in", nil}}, "nothing is in a range without bounds"},
	{"minutes__range=", nil, "empty range"},
	{"price=9.9", []Test{{"price", "exact", []string{"9.9"}}}, "decimal"},
	{"price=9.900", []Test{{"price", "exact", []string{"9.9"}}}, "zeros at the end"},
	{"price=9.999", []Test{{"price", "exact", []string{"9.999"}}}, "more places than the field has"},
	{"price__gte=50&price__lte=60", []Test{{"price", "gte", []string{"50"}}, {"price", "lte", []string{"60"}}}, "comparisons"},

	{"released=2014-11-30", []Test{{"released", "exact", []string{"2014-11-30"}}}, "date"},
	{"released=11/30/2014", []Test{{"released", "exact", []string{"2014-11-30"}}}, "month first"},
	{"released=11/30/14", []Test{{"released", "exact", []string{"2014-11-30"}}}, "two digits of the year"},
	{"released=%202014-11-30", []Test{{"released", "exact", []string{"2014-11-30"}}}, "space before a date"},
	{"released=2014-1-1", []Test{{"released", "exact", []string{"2014-01-01"}}}, "one digit"},
	{"released=", nil, "empty date"},
	{"released__gte=2000-01-01", []Test{{"released", "gte", []string{"2000-01-01"}}}, "dates from"},
	{"released__lte=2000-01-01", []Test{{"released", "lte", []string{"2000-01-01"}}}, "dates to"},
	{"released__isnull=true", []Test{{"released", "isnull", []string{"true"}}}, "null"},
	{"released__isnull=0", []Test{{"released", "isnull", []string{"false"}}}, "not null"},
	{"released__isnull=x", nil, "neither"},
	{"premiere_at__gte=2021-10-27T19:15:00Z", []Test{{"premiere_at", "gte", []string{"2021-10-27T19:15:00Z"}}}, "date-time"},
	{"premiere_at__gte=2021-10-27T21:15:00%2B02:00", []Test{{"premiere_at", "gte", []string{"2021-10-27T19:15:00Z"}}}, "offset"},
	{"premiere_at__gte=2021-10-27T19:15", []Test{{"premiere_at", "gte", []string{"2021-10-27T19:15:00Z"}}}, "no offset means UTC"},
	{"premiere_at__gte=", nil, "empty date-time"},

	{"title=sea+$z+%C3%BCber", []Test{{"title", "exact", []string{"sea $z über"}}}, "text"},
	{"title=%20sea+$z+%C3%BCber%20", []Test{{"title", "exact", []string{"sea $z über"}}}, "text is trimmed"},
	{"title=%C2%A0%1C%20", nil, "Unicode white space alone"},
	{"title=%E2%82", []Test{{"title", "exact", []string{"\ufffd"}}}, "invalid UTF-8"},
	{"title__iexact=SEA+$z+%C3%9CBER", []Test{{"title", "iexact", []string{"SEA $z ÜBER"}}}, "text keeps its letters"},
	{"title__contains=night", []Test{{"title", "contains", []string{"night"}}}, "contains"},
	{"title__icontains=%25", []Test{{"title", "icontains", []string{"%"}}}, "percent"},
	{"title__startswith=night", []Test{{"title", "startswith", []string{"night"}}}, "startswith"},
	{"title__istartswith=night", []Test{{"title", "istartswith", []string{"night"}}}, "istartswith"},
	{"rating=1&synopsis=x&bogus=x", nil, "fields without a filter"},
}

func zeroes(n int) string { return strings.Repeat("0", n) }

func TestFilter(t *testing.T) {
	for _, row := range filterRows {
		got, err := filterFilms().Filter(query(t, row.query), filterExists)
		if err != nil {
			t.Errorf("%s: Filter(%q): %v", row.reason, row.query, err)
		} else if diff := cmp.Diff(Filter{Tests: row.want}, got); diff != "" {
			t.Errorf("%s: Filter(%q) (-want +got):\n%s", row.reason, row.query, diff)
		}
	}
}

// TestFilterOtherKinds covers lookups that films do not have.
func TestFilterOtherKinds(t *testing.T) {
	d := Description{
		Fields: []Field{
			{Name: "rating", Kind: Float}, {Name: "price", Kind: Decimal}, {Name: "born", Kind: Date}, {Name: "at", Kind: Timestamp},
			{Name: "minutes", Kind: Integer}, {Name: "status", Kind: Choice, Choices: []string{"a"}},
			{Name: "owner", Kind: Reference}, {Name: "tags", Kind: TextList}, {Name: "line1", Kind: Slug},
		},
		Filters: []string{
			"rating", "rating__in", "price__range", "born__range", "born__in", "at", "at__in", "minutes__in", "minutes__contains",
			"status__icontains", "status__isnull", "owner", "owner__isnull", "tags", "line_1", "unknown", "unknown__in",
		},
	}
	for _, row := range []struct {
		query  string
		want   []Test
		reason string
	}{
		{"rating=0.10", []Test{{"rating", "exact", []string{"0.1"}}}, "float"},
		{"rating=0.1000000000000000055511151231257827", []Test{{"rating", "exact", []string{"0.1"}}}, "the nearest float64"},
		{"rating=-1e-999", []Test{{"rating", "exact", []string{"-0"}}}, "too small for a float64"},
		{"rating=-1e400", []Test{{"rating", "exact", []string{"-0.1e401"}}}, "less than all float64"},
		{"rating__in=1,,2.5", []Test{{"rating", "in", []string{"1", "2.5"}}}, "empty items are skipped"},
		{"price__range=.5,5.", []Test{{"price", "range", []string{"0.5", "5"}}}, "a point without digits on one side"},
		{"price__range=1e-60,-2.50e1", []Test{{"price", "range", []string{"0.1e-59", "-25"}}}, "exponents"},
		{"born__range=2000-1-1,12/31/99", []Test{{"born", "range", []string{"2000-01-01", "1999-12-31"}}}, "range of dates"},
		{"born__in=2000-1-1,,1/2/68", []Test{{"born", "in", []string{"2000-01-01", "2068-01-02"}}}, "dates"},
		{"at=2021-10-27+19:15:00.5", []Test{{"at", "exact", []string{"2021-10-27T19:15:00.500000Z"}}}, "fraction"},
		{"at__in=2021-10-27T19:15Z,", []Test{{"at", "in", []string{"2021-10-27T19:15:00Z"}}}, "date-times"},
		{"minutes__in=1.9,,2", []Test{{"minutes", "in", []string{"1", "2"}}}, "integers"},
		{"minutes__contains=1", nil, "a lookup of other kinds"},
		{"status__icontains=B", []Test{{"status", "icontains", []string{"B"}}}, "choices are checked only by exact"},
		{"status__isnull=True", []Test{{"status", "isnull", []string{"true"}}}, "null of any kind"},
		{"owner=99", []Test{{"owner", "exact", []string{"99"}}}, "ids that refer to no collection are not checked"},
		{"owner__isnull=1", []Test{{"owner", "isnull", []string{"true"}}}, "null reference"},
		{"tags=x&unknown=x&unknown__in=x", nil, "filters that Check rejects"},
		{"line_1=x", []Test{{"line_1", "exact", []string{"x"}}}, "snake_case with a digit"},
	} {
		got, err := d.Filter(query(t, row.query), nil)
		if err != nil {
			t.Errorf("%s: Filter(%q): %v", row.reason, row.query, err)
		} else if diff := cmp.Diff(Filter{Tests: row.want}, got); diff != "" {
			t.Errorf("%s: Filter(%q) (-want +got):\n%s", row.reason, row.query, diff)
		}
	}
}

func TestFilterWithoutParameters(t *testing.T) {
	for _, params := range []url.Values{nil, {}, {"status": nil, "search": {}, "genres": {}}} {
		got, err := filterFilms().Filter(params, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Filter{}, got); diff != "" {
			t.Errorf("Filter(%v) (-want +got):\n%s", params, diff)
		}
	}
}

// TestFilterLargeValues gives every parameter large values. It takes very long if the cost
// is not linear.
func TestFilterLargeValues(t *testing.T) {
	d := filterFilms()
	for _, part := range []string{"1", "-9", "0", ".", ",", "1,", " ", "/", "é", "\xff", "\x00", "a ", "e1"} {
		large := strings.Repeat(part, 1<<14)
		for _, name := range append(d.Filters, "search") {
			for _, value := range []string{large, "1" + large, large + "1"} {
				_, err := d.Filter(url.Values{name: {value}}, filterExists)
				if errs := (FieldErrors)(nil); err != nil && !errors.As(err, &errs) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// The three collections of drf-own.md, section 0, as far as filters need them.

func filterDirectors() Description {
	return Description{
		Key: "directors", Segment: "directors", Name: "director", Actions: AllActions,
		Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "name", Kind: Text, Required: true},
			{Name: "slug", Kind: Slug, Required: true, Unique: true},
			{Name: "born", Kind: Date, Nullable: true, Default: `null`},
			{Name: "website", Kind: URL, Blank: true, Default: `""`},
		},
		Search: []string{"^name", "=slug"},
	}
}

func filterGenres() Description {
	return Description{
		Key: "genres", Segment: "genres", Name: "genre", Actions: AllActions,
		Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "name", Kind: Text, Required: true, Unique: true},
			{Name: "position", Kind: Integer, Default: `0`},
		},
	}
}

func filterFilms() Description {
	return Description{
		Key: "films", Segment: "films", Name: "film", Actions: AllActions,
		Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "title", Kind: Text, Required: true},
			{Name: "slug", Kind: Slug, Required: true, Unique: true},
			{Name: "synopsis", Kind: Text, Blank: true, Default: `""`},
			{Name: "released", Kind: Date, Nullable: true, Default: `null`},
			{Name: "premiereAt", Kind: Timestamp, Nullable: true, Default: `null`},
			{Name: "minutes", Kind: Integer, Required: true},
			{Name: "rating", Kind: Float, Nullable: true, Default: `null`},
			{Name: "price", Kind: Decimal, Required: true, Digits: 8, Places: 2},
			{Name: "status", Kind: Choice, Choices: []string{"announced", "released", "withdrawn"}, Default: `"announced"`},
			{Name: "published", Kind: Boolean, Default: `false`},
			{Name: "director", Kind: Reference, Required: true, Refers: "directors"},
			{Name: "genres", Kind: References, Refers: "genres", Default: `[]`},
			{Name: "createdAt", Kind: Timestamp, ReadOnly: true, Created: true},
		},
		Filters: []string{
			"status", "status__in", "published", "director", "director__in", "genres",
			"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
			"released", "released__gte", "released__lte", "released__isnull",
			"price", "price__gte", "price__lte",
			"title", "title__iexact", "title__contains", "title__icontains", "title__startswith", "title__istartswith",
			"premiere_at__gte", "premiere_at__lte",
		},
		Search: []string{"title", "synopsis", "director__name"},
	}
}

// filterExists reports that the directors 1 to 12 and the genres 1 to 6 exist.
func filterExists(collection string, id int) bool {
	return collection == "directors" && id <= 12 || collection == "genres" && id <= 6
}

// query parses a query as a server does.
func query(t testing.TB, text string) url.Values {
	t.Helper()
	params, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return params
}

// TestFilterErrors uses the answers in drf-own.md, section 8, and more of the same kinds.
func TestFilterErrors(t *testing.T) {
	const unavailable = `["Select a valid choice. That choice is not one of the available choices."]`
	for _, row := range []struct{ query, want, reason string }{
		{"status=Released", `{"status":["Select a valid choice. Released is not one of the available choices."]}`, "choices are case-sensitive"},
		{"status=%20released", `{"status":["Select a valid choice.  released is not one of the available choices."]}`, "choices are not trimmed"},
		{"status=%20", `{"status":["Select a valid choice.   is not one of the available choices."]}`, "nor is a blank"},
		{"status=x%22%00", `{"status":["Select a valid choice. x\"\u0000 is not one of the available choices."]}`, "the value is escaped as JSON"},
		{"status__in=a,%00", `{"status_In":["Null characters are not allowed."]}`, "null character in a list"},
		{"status=bogus&minutes=x&premiere_at__gte=x", `{"status":["Select a valid choice. bogus is not one of the available choices."],` +
			`"minutes":["Enter a number."],"premiereAt_Gte":["Enter a valid date/time."]}`, "all errors, in the order of Filters"},
		{"premiere_at__gte=x&status=bogus", `{"status":["Select a valid choice. bogus is not one of the available choices."],` +
			`"premiereAt_Gte":["Enter a valid date/time."]}`, "the order of the query does not matter"},

		{"director=999", `{"director":` + unavailable + `}`, "no such record"},
		{"director=x", `{"director":` + unavailable + `}`, "not a number"},
		{"director=%20", `{"director":` + unavailable + `}`, "a blank is not an id"},
		{"director=24.0", `{"director":` + unavailable + `}`, "not an integer"},
		{"director=0", `{"director":` + unavailable + `}`, "ids are positive"},
		{"director=-4", `{"director":` + unavailable + `}`, "negative"},
		{"director=1_1", `{"director":` + unavailable + `}`, "underscores are not digits"},
		{"director=%D9%A1", `{"director":` + unavailable + `}`, "digits are ASCII"},
		{"director=99999999999999999999", `{"director":` + unavailable + `}`, "out of range"},
		{"director=%1C4", `{"director":` + unavailable + `}`, "U+001C is white space of str.strip, but not of int"},
		{"director=4%1F", `{"director":` + unavailable + `}`, "nor is U+001F"},
		{"director__in=4,4%1D", `{"director_In":` + unavailable + `}`, "nor is U+001D in a list"},
		{"director__in=4,999", `{"director_In":` + unavailable + `}`, "no such record in a list"},
		{"director__in=%20,4", `{"director_In":` + unavailable + `}`, "a blank item is not empty"},

		{"genres=1,3", `{"genres":["“1,3” is not a valid value."]}`, "several values are not separated by commas"},
		{"genres=999", `{"genres":["Select a valid choice. 999 is not one of the available choices."]}`, "no such record"},
		{"genres=x", `{"genres":["“x” is not a valid value."]}`, "not a number"},
		{"genres=x&genres=999", `{"genres":["“x” is not a valid value."]}`, "only the first error"},
		{"genres=999&genres=x", `{"genres":["“x” is not a valid value."]}`, "what is not a number comes first"},
		{"genres=1&genres=998&genres=999", `{"genres":["Select a valid choice. 998 is not one of the available choices."]}`, "the first missing record"},
		{"genres=-1", `{"genres":["Select a valid choice. -1 is not one of the available choices."]}`, "negative"},
		{"genres=01", `{"genres":["Select a valid choice. 01 is not one of the available choices."]}`, "the text of an id is compared"},
		{"genres=%201", `{"genres":["Select a valid choice.  1 is not one of the available choices."]}`, "with its white space"},
		{"genres=1%1E", `{"genres":["“1\u001e” is not a valid value."]}`, "U+001E is white space of str.strip, but not of int"},
		{"genres=", `{"genres":["“” is not a valid value."]}`, "empty"},
		{"genres=1&genres=", `{"genres":["“” is not a valid value."]}`, "one is empty"},
		{"genres=99999999999999999999", `{"genres":["Select a valid choice. 99999999999999999999 is not one of the available choices."]}`, "out of range"},

		{"minutes=x", `{"minutes":["Enter a number."]}`, "text"},
		{"minutes=%20", `{"minutes":["Enter a number."]}`, "a blank is not empty"},
		{"minutes=NaN", `{"minutes":["Enter a number."]}`, "NaN"},
		{"price=inf", `{"price":["Enter a number."]}`, "infinity"},
		{"price=-Infinity", `{"price":["Enter a number."]}`, "negative infinity"},
		{"minutes=1e51", `{"minutes":["Ensure this value is less than or equal to 1e+50."]}`, "too large"},
		{"price__gte=1e9999999999", `{"price_Gte":["Ensure this value is less than or equal to 1e+50."]}`, "much too large"},
		{"minutes=1e1000000000000000000", `{"minutes":["Enter a number."]}`, "too large for Python"},
		{"minutes__range=90", `{"minutes_Range":["Range query expects two values."]}`, "one value"},
		{"minutes__range=1,2,3", `{"minutes_Range":["Range query expects two values."]}`, "three values"},
		{"minutes__range=90,100,", `{"minutes_Range":["Range query expects two values."]}`, "an empty value is a value"},
		{"minutes__range=x,1", `{"minutes_Range":["Enter a number."]}`, "text in a range"},
		{"minutes__range=1,2,x", `{"minutes_Range":["Enter a number."]}`, "values are read before they are counted"},
		{"minutes__range=90,%20", `{"minutes_Range":["Enter a number."]}`, "a blank bound"},
		{"price=9,99", `{"price":["Enter a number."]}`, "comma"},
		{"minutes=1_0", `{"minutes":["Enter a number."]}`, "underscore"},
		{"minutes=%D9%A1", `{"minutes":["Enter a number."]}`, "digits are ASCII"},

		{"released=Nov%2030,%202014", `{"released":["Enter a valid date."]}`, "name of a month"},
		{"released=2014-11-31", `{"released":["Enter a valid date."]}`, "no such day"},
		{"released=20141130", `{"released":["Enter a valid date."]}`, "no separators"},
		{"released=2014-11-30T00:00:00", `{"released":["Enter a valid date."]}`, "date-time"},
		{"released=%20", `{"released":["Enter a valid date."]}`, "a blank is not empty"},
		{"released__gte=x&released__lte=x", `{"released_Gte":["Enter a valid date."],"released_Lte":["Enter a valid date."]}`, "keys are camelized"},
		{"premiere_at__gte=2021-10-27T21:15:00+02:00", `{"premiereAt_Gte":["Enter a valid date/time."]}`, "a plus sign is a blank in a query"},
		{"premiere_at__lte=2021-10-27", `{"premiereAt_Lte":["Enter a valid date/time."]}`, "no time"},
		{"premiere_at__lte=%20", `{"premiereAt_Lte":["Enter a valid date/time."]}`, "a blank is not empty"},

		{"title=%00", `{"title":["Null characters are not allowed."]}`, "null character"},
		{"title__icontains=%20a%00", `{"title_Icontains":["Null characters are not allowed."]}`, "null character in text"},
	} {
		got, err := filterFilms().Filter(query(t, row.query), filterExists)
		var errs FieldErrors
		if !errors.As(err, &errs) || !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: Filter(%q) = %v, %v, want FieldErrors", row.reason, row.query, got, err)
			continue
		}
		text, _ := errs.MarshalJSON()
		if string(text) != row.want {
			t.Errorf("%s: errors of %q are\n%s, want\n%s", row.reason, row.query, text, row.want)
		}
		if diff := cmp.Diff(Filter{}, got); diff != "" {
			t.Errorf("%s: Filter(%q) with an error (-want +got):\n%s", row.reason, row.query, diff)
		}
	}
}

func TestFilterWithoutExists(t *testing.T) {
	for _, text := range []string{"director=4", "director__in=4", "genres=1"} {
		if got, err := filterFilms().Filter(query(t, text), nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("Filter(%q, nil) = %v, %v, want an error", text, got, err)
		}
	}
}

// TestFilterInvalidUTF8 checks that values in messages are valid UTF-8.
func TestFilterInvalidUTF8(t *testing.T) {
	for _, text := range []string{"status=%FF", "genres=1%FF", "director=%FF", "minutes=%FF", "released=%FF"} {
		_, err := filterFilms().Filter(query(t, text), filterExists)
		if err == nil || !utf8.ValidString(err.Error()) {
			t.Errorf("Filter(%q): error %q", text, err)
		}
	}
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
	text, tests := strings.Repeat("Ünder the midnight sky ", 50), filterFilms().searchTests("ÜBERX")
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
			if diff := cmp.Diff(row.want, wordsOf(got)); diff != "" || got.Tests != nil {
				t.Errorf("%s: %s: Filter(%q) (-want +got):\n%s", row.reason, d.Key, row.query, diff)
			}
		}
		got, err := filterGenres().Filter(query(t, row.query), nil)
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
	tests := func(d Description, word string) [][]Test {
		filter, err := d.Filter(url.Values{"search": {word}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return filter.Search
	}
	want := []Test{
		{"title", "icontains", []string{"Night"}},
		{"synopsis", "icontains", []string{"Night"}},
		{"director__name", "icontains", []string{"Night"}},
	}
	if diff := cmp.Diff([][]Test{want}, tests(filterFilms(), "Night")); diff != "" {
		t.Errorf("films (-want +got):\n%s", diff)
	}
	want = []Test{{"name", "istartswith", []string{"^x"}}, {"slug", "iexact", []string{"^x"}}}
	if diff := cmp.Diff([][]Test{want}, tests(filterDirectors(), "^x")); diff != "" {
		t.Errorf("directors (-want +got):\n%s", diff)
	}
	if got := tests(filterGenres(), "x"); len(got) != 0 {
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
			if !slices.ContainsFunc(filter.Search, func(word []Test) bool {
				return !slices.ContainsFunc(word, func(test Test) bool { return test.MatchesText(record[test.Field]) })
			}) {
				got = append(got, i)
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: search=%s (-want +got):\n%s", row.reason, row.search, diff)
		}
	}
}

// FuzzFilter checks that a filter does not depend on other parameters, that its values
// are valid UTF-8 and canonical, so that they result in the same filter, and that errors
// are about parameters of the query.
func FuzzFilter(f *testing.F) {
	for _, row := range filterRows {
		f.Add(row.query)
	}
	for _, text := range []string{
		"status=bogus&minutes=x&premiere_at__gte=x", "search=n%00ight,%C2%A0x&title=%00", "genres=1&genres=,&director__in=,4",
		"minutes=1e51&price=-1e-99&minutes__range=1,2,3", "released=1/2/69&released__gte=2000-01-%20%31", "title=%FF&search=%FF",
	} {
		f.Add(text)
	}
	descriptions := []Description{filterFilms(), filterDirectors(), filterGenres()}
	f.Fuzz(func(t *testing.T, text string) {
		params, _ := url.ParseQuery(text) // with the pairs that it can read
		for _, d := range descriptions {
			filter, err := d.Filter(params, filterExists)
			if err != nil {
				checkFilterErrors(t, d, params, err)
				continue
			}
			given := parametersOf(t, filter)
			if len(filter.Search) > 0 {
				given["search"] = []string{strings.Join(wordsOf(filter), " ")}
			}
			again, err := d.Filter(given, filterExists)
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
