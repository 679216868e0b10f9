package schema

import (
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

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
