package schema

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
