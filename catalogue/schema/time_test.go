package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

func TestAt(t *testing.T) {
	hours := func(h, m, s int) *time.Location { return time.FixedZone("X", h*3600+m*60+s) }
	tests := []struct {
		t            time.Time
		want, reason string
	}{
		{time.Date(2024, 5, 10, 18, 0, 0, 0, hours(2, 0, 0)), `"2024-05-10T18:00:00+02:00"`, "offset"},
		{time.Date(2024, 5, 10, 18, 0, 0, 0, time.UTC), `"2024-05-10T18:00:00Z"`, "UTC"},
		{time.Date(2024, 5, 10, 18, 0, 0, 0, hours(0, 0, 0)), `"2024-05-10T18:00:00Z"`, "offset zero"},
		{time.Date(2024, 5, 10, 18, 0, 0, 250e6, time.UTC), `"2024-05-10T18:00:00.250000Z"`, "fraction of six digits"},
		{time.Date(2024, 5, 10, 18, 0, 0, 1999, time.UTC), `"2024-05-10T18:00:00.000001Z"`, "truncated to a microsecond"},
		{time.Date(2024, 5, 10, 18, 0, 0, 999, time.UTC), `"2024-05-10T18:00:00Z"`, "truncated to a second"},
		{time.Date(1850, 1, 1, 0, 49, 56, 0, hours(0, 49, 56)), `"1850-01-01T00:50:00+00:50"`, "offset rounded up"},
		{time.Date(1850, 1, 1, 0, 0, 0, 0, hours(-1, 0, -20)), `"1850-01-01T00:00:20-01:00"`, "offset rounded down"},
		{time.Date(2024, 5, 10, 18, 0, 0, 0, hours(-9, -30, 0)), `"2024-05-10T18:00:00-09:30"`, "negative offset"},
		{time.Date(2024, 5, 10, 18, 0, 0, 0, hours(24, 0, 0)), `"2024-05-09T18:00:00Z"`, "offset of a day"},
		{time.Date(2024, 5, 10, 18, 0, 0, 0, hours(23, 59, 45)), `"2024-05-09T18:00:15Z"`, "offset rounded to a day"},
		{time.Time{}, `"0001-01-01T00:00:00Z"`, "zero time"},
		{time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), `"9999-12-31T23:59:59Z"`, "last year"},
	}
	for _, test := range tests {
		for _, d := range []DateTime{At(test.t), {test.t}} {
			got, err := d.MarshalJSON()
			if err != nil || string(got) != test.want {
				t.Errorf("%v (%s): got %s, %v, want %s", test.t, test.reason, got, err, test.want)
			}
		}
		if !At(test.t).Equal(test.t.Truncate(time.Microsecond)) {
			t.Errorf("%v (%s): At changed the instant", test.t, test.reason)
		}
	}
}

var rfc3339 = regexp.MustCompile(`^[0-9]{4}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-9]{2}([.][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)

// checkUnmarshal checks that a date-time is read if and only if it is in the format of RFC 3339,
// and as package time reads it.
func checkUnmarshal(t *testing.T, data []byte) (accepted bool) {
	var got DateTime
	err := got.UnmarshalJSON(data)
	var text string
	_ = json.Unmarshal(data, &text) // other JSON is no text
	want, wrong := time.Parse(time.RFC3339, text)
	valid := wrong == nil && want.Year() > 0 && rfc3339.MatchString(text)
	if !valid {
		want = time.Time{} // nothing is stored
	}
	if valid != (err == nil) || !valid && !errors.Is(err, ErrInvalid) || !reflect.DeepEqual(At(want), got) {
		t.Fatalf("UnmarshalJSON of %q: %#v, %v, want %#v, %v", data, got, err, want, wrong)
	}
	return valid
}

// TestUnmarshalWire checks which texts are date-times, and what differs from them by one byte that
// is replaced, inserted or removed.
func TestUnmarshalWire(t *testing.T) {
	for _, row := range []struct{ text, reason string }{
		{`"2024-05-10T18:00:00Z"`, "UTC"},
		{`"2024-12-31T18:00:00.250000Z"`, "microseconds"},
		{`"2024-05-10T23:00:00+02:00"`, "offset"},
		{`"2024-05-10T18:00:00-00:00"`, "negative offset zero"},
		{`"2024-05-10T18:00:00+23:59"`, "largest offset"},
		{`"2024-02-29T23:59:59Z"`, "leap day"},
		{`"0001-01-01T00:00:59.000001-09:30"`, "first year, microseconds and offset"},
		{`"9999-12-31T23:59:59.999999Z"`, "last year"},
	} {
		text := row.text
		if !checkUnmarshal(t, []byte(text)) {
			t.Errorf("%s: UnmarshalJSON rejects %s", row.reason, text)
		}
		for i := range text {
			for b := range 256 {
				checkUnmarshal(t, []byte(text[:i]+string([]byte{byte(b)})+text[i+1:]))
				checkUnmarshal(t, []byte(text[:i]+string([]byte{byte(b)})+text[i:]))
			}
			checkUnmarshal(t, []byte(text[:i]+text[i+1:]))
			checkUnmarshal(t, []byte(text[:i]))
		}
	}
	for _, text := range []string{`"2024-05-10T18:00:00.1234567Z"`, `"2024\u002d05-10T18:00:00Z"`, `"0000-01-01T00:00:00Z"`, `null`, `5`, `{`} {
		checkUnmarshal(t, []byte(text))
	}
}

// TestDateTimeOrder compares the order of date-times in collections with the order of the instants in
// their JSON. In a slice, those that are not normalized compare as their times do.
func TestDateTimeOrder(t *testing.T) {
	start := time.Date(2024, 5, 10, 18, 0, 0, 0, time.UTC)
	east := time.FixedZone("", 2*3600+17)
	times := []time.Time{
		start, start.Add(1), start.Add(999).In(east), start.Add(1000), start.Add(1999).In(east),
		time.Unix(0, -1), time.Unix(0, 0), time.Unix(0, -1000), time.Unix(0, -1001),
		time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Now(),
	}
	order := Field{Kind: Timestamp}.Order()
	for _, a := range times {
		for _, b := range times {
			x, y := DateTime{Time: a}, DateTime{Time: b} // not normalized until they are marshalled
			for _, values := range [][2]any{{x, y}, {&x, &y}} {
				k, err := ordering.KeyOf(values[0])
				must(t, err)
				other, err := ordering.KeyOf(values[1])
				must(t, err)
				if got, want := k.Compare(other), a.Compare(b); got != want {
					t.Errorf("%T: keys of %v and %v compare %d, want %d", values[0], a, b, got, want)
				}
				want := written(t, x).Compare(written(t, y))
				if got := order(k).Compare(order(other)); got != want {
					t.Errorf("%T: keys of %v and %v compare %d in a collection, want %d", values[0], a, b, got, want)
				}
				if got := bytes.Compare(order(k).Append(nil), order(other).Append(nil)); got != want {
					t.Errorf("%T: encodings of %v and %v compare %d, want %d", values[0], a, b, got, want)
				}
			}
		}
	}
}

// written returns the instant in the JSON of a date-time.
func written(t *testing.T, d DateTime) time.Time {
	t.Helper()
	text, err := json.Marshal(d)
	must(t, err)
	var read time.Time
	must(t, json.Unmarshal(text, &read))
	return read
}

// TestFilterDates has the forms of dates. In Python, a space may replace the first digit of the day, and
// white space around the date includes information separators.
func TestFilterDates(t *testing.T) {
	for want, texts := range map[string][]string{
		"2014-11-30": {"2014-11-30", "11/30/2014", "11/30/14", " 2014-11-30 ", "\t2014-11-30\n", "\x1c2014-11-30\x1f"},
		"2014-01-02": {"2014-1-2", "2014-01-2", "2014-1-02", "2014-1- 2", "1/2/2014", "01/02/2014", "1/ 2/2014", " 1/2/14"},
		"2016-02-29": {"2016-02-29", "2/29/16"},
		"2000-02-29": {"2000-2-29", "2/29/00"},
		"0001-01-01": {"0001-01-01", "1/1/0001"},
		"9999-12-31": {"9999-12-31"},
		"2068-01-02": {"1/2/68"},
		"1969-01-02": {"1/2/69"},
		"1999-01-02": {"1/2/99"},
		"": {
			"2014-11-31", "2014-02-29", "1900-02-29", "0000-01-01", "10000-01-01", "2014-001-1", "2014-1-001", "2014-0-1", "2014-1-0", "2014-13-1",
			"214-1-1", "14-1-1", "2014- 1-5", "2014-11- 15", "2014-11- 0", "2014-11-  5", "13/1/2014", "1/32/2014", "1/2/0000", "1/2/201", "1/2/20145",
			"1/2/2014/", "/1/2014", "1/2/6", "2/29/01", "1/2/-1", "1/2/+1", "1/2/", "1/2", "2014/11/30", "11-30-2014", "+014-11-30", "2014-+1-1",
			"2014-11-30Z", "２014-11-30", "Nov 30, 2014",
		},
	} {
		for _, text := range texts {
			if got, message := filtered(Date, text); got != want || (message == "Enter a valid date.") != (want == "") {
				t.Errorf("%q is %q, %q, want %q", text, got, message, want)
			}
		}
	}
}

// TestFilterTimes writes random instants in the forms that filters accept and expects the
// instant in UTC.
func TestFilterTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	forms := []struct {
		layout string
		unit   time.Duration
		zone   bool
	}{
		{"2006-01-02T15:04", time.Minute, false},
		{"2006-1-2 15:04:05", time.Second, false},
		{"2006-01-02T15:04:05.000000", time.Microsecond, false},
		{" 2006-01-02T15:04:05Z07:00\n", time.Second, true},
		{"2006-01-02T15:04-0700", time.Minute, true},
		{"2006-01-02 15:04:05.000-07:00", time.Millisecond, true},
		{"2006-01-02T15:04:05,000000000Z07:00", time.Microsecond, true},
	}
	for range 20_000 {
		form := forms[random.IntN(len(forms))]
		at := time.UnixMicro(random.Int64N(4e15) - 2e15).UTC().Truncate(form.unit)
		written := at
		if form.zone {
			written = at.In(time.FixedZone("", 60*(random.IntN(2*1439)-1439)))
		}
		layout := "2006-01-02T15:04:05Z"
		if at.Nanosecond() != 0 {
			layout = "2006-01-02T15:04:05.000000Z"
		}
		text, want := written.Format(form.layout), at.Format(layout)
		if got, message := filtered(Timestamp, text); got != want {
			t.Fatalf("filterTime(%q) = %q, %q, want %q", text, got, message, want)
		}
	}
}

const day = 24 * time.Hour / time.Microsecond

// TestClockJSON checks the JSON of times and durations that a program writes and reads.
func TestClockJSON(t *testing.T) {
	for _, row := range []struct {
		reason string
		value  any // a Time or a Duration
		want   string
	}{
		{"midnight", Time(0), `"00:00:00"`},
		{"a fraction", Time(8*time.Hour + 250*time.Millisecond), `"08:00:00.250000"`},
		{"less than a microsecond", Time(time.Second + 999), `"00:00:01"`},
		{"the last", Time(24*time.Hour - 1), `"23:59:59.999999"`},
		{"a day", Time(24 * time.Hour), ""},
		{"before midnight", Time(-1), ""},
		{"nothing", Duration{}, `"00:00:00"`},
		{"days", Duration{Days: 3}, `"3 00:00:00"`},
		{"microseconds of two days", Duration{1, 2 * int64(day)}, `"3 00:00:00"`},
		{"less than nothing", Duration{0, -1}, `"-1 23:59:59.999999"`},
		{"less than a day less", Duration{0, -int64(day)}, `"-1 00:00:00"`},
		{"the longest", Duration{maxDays, int64(day) - 1}, `"999999999 23:59:59.999999"`},
		{"longer", Duration{maxDays, int64(day)}, ""},
		{"the least", Duration{-maxDays, 0}, `"-999999999 00:00:00"`},
		{"less", Duration{-maxDays, -1}, ""},
	} {
		got, err := json.Marshal(row.value)
		if string(got) != row.want || (row.want == "") != errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %s and error %v, want %s", row.reason, got, err, row.want)
		}
	}
	for _, row := range []struct {
		reason, text string
		time         Time // negative if the text is none
		duration     Duration
		short        bool // no duration
	}{
		{"hours and minutes", `"8:5"`, Time(8*time.Hour + 5*time.Minute), Duration{0, 485e6}, false},
		{"seconds and a fraction", ` "08:00:00.25"`, Time(8*time.Hour + 250*time.Millisecond), Duration{0, 28800250e3}, false},
		{"a comma", `"08:00:00,25"`, -1, Duration{0, 28800250e3}, false},
		{"seven digits", `"08:00:00.1234567"`, -1, Duration{0, 28800123456}, false},
		{"days", `"-2 23:00:00"`, -1, Duration{-2, 82800e6}, false},
		{"a number", `90.5`, -1, Duration{0, 90500e3}, false},
		{"what follows a time", `"08:00Z"`, -1, Duration{}, true},
		{"null", `null`, -1, Duration{}, true},
		{"no JSON", `"`, -1, Duration{}, true},
	} {
		at, lasts := Time(-1), Duration{Days: -7}
		err := at.UnmarshalJSON([]byte(row.text))
		if at != row.time || (err == nil) != (row.time >= 0) || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: time %d and error %v, want %d", row.reason, at, err, row.time)
		}
		want := row.duration
		if row.short {
			want = lasts
		}
		err = lasts.UnmarshalJSON([]byte(row.text))
		if lasts != want || (err != nil) != row.short || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: duration %v and error %v, want %v", row.reason, lasts, err, want)
		}
	}
}

// Durations are ordered by their length, as fields of Go and as text.
func TestDurationOrder(t *testing.T) {
	ascending := []Duration{
		{-maxDays, 0}, {-10, 0}, {-2, 0}, {-1, 0}, {0, -1}, {0, 0}, {0, 999_999}, {0, 1_000_000}, {1, 0}, {9, 0}, {10, 0},
		{106_752, 0}, {maxDays, int64(day) - 1}, // beyond an int64 of nanoseconds and of microseconds
	}
	order := Field{Kind: Interval}.Order()
	for i, d := range ascending {
		if text := order(sortkey.Text(d.String())); text != d.OrderingKey() || text != (Duration{d.Days - 1, d.Microseconds + int64(day)}).OrderingKey() {
			t.Errorf("%v has several keys", d)
		}
		if i > 0 && ascending[i-1].OrderingKey().Compare(d.OrderingKey()) >= 0 {
			t.Errorf("%v is not less than %v", ascending[i-1], d)
		}
	}
	if got := Time(time.Second + 1999).OrderingKey(); got != 1_000_001 {
		t.Errorf("the key of a time is %d, want its microseconds", got)
	}
}
