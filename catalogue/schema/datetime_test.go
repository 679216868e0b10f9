package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/gobacklist/backlist/ordering"
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

func TestDateTimeUnmarshal(t *testing.T) {
	tests := []struct{ text, want, reason string }{
		{`"2024-05-10T18:00:00+02:00"`, `"2024-05-10T18:00:00+02:00"`, "wire form"},
		{`"2024-05-10T18:00:00.250000Z"`, `"2024-05-10T18:00:00.250000Z"`, "wire form with fraction"},
		{`"2024-05-10T18:00:00.25Z"`, `"2024-05-10T18:00:00.250000Z"`, "fraction of two digits"},
		{`"2024-05-10T18:00:00.1234567Z"`, `"2024-05-10T18:00:00.123456Z"`, "fraction of seven digits"},
		{`"2024-05-10T18:00:00-00:00"`, `"2024-05-10T18:00:00Z"`, "negative offset zero"},
		{`"2024\u002d05-10T18:00:00Z"`, `"2024-05-10T18:00:00Z"`, "escape"},
		{`"2024-05-10T18:00:00"`, "", "no offset"},
		{`"2024-05-10 18:00:00Z"`, "", "space instead of T"},
		{`"2024-05-10T18:00:00z"`, "", "lower case"},
		{`"2024-05-10T18:00Z"`, "", "no seconds"},
		{`"2024-05-10T18:00:00,5Z"`, "", "comma"},
		{`"2024-05-10T18:00:00+0200"`, "", "no colon"},
		{`"2024-05-10T18:00:00+24:00"`, "", "offset of a day"},
		{`"2024-5-10T18:00:00Z"`, "", "month of one digit"},
		{`"2024-05-10T8:00:00Z"`, "", "hour of one digit"},
		{`"2024-02-30T18:00:00Z"`, "", "no such day"},
		{`"0000-01-01T00:00:00Z"`, "", "year 0"},
		{`""`, "", "empty"},
		{`null`, "", "null"},
		{`5`, "", "number"},
		{`{`, "", "invalid JSON"},
		{``, "", "no JSON"},
	}
	for _, test := range tests {
		before := At(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
		d := before
		err := d.UnmarshalJSON([]byte(test.text))
		if test.want == "" {
			if !errors.Is(err, ErrInvalid) || d != before {
				t.Errorf("%s (%s): got %v, error %v, want it unchanged and ErrInvalid", test.text, test.reason, d, err)
			}
			continue
		}
		got, _ := d.MarshalJSON()
		if err != nil || string(got) != test.want {
			t.Errorf("%s (%s): got %s, %v, want %s", test.text, test.reason, got, err, test.want)
		}
	}
}

// checkUnmarshal checks that a date-time is read if and only if it is in the format of RFC 3339,
// and as parseDateTime reads it, which shares no code with UnmarshalJSON.
func checkUnmarshal(t *testing.T, data []byte) (accepted bool) {
	var got DateTime
	err := got.UnmarshalJSON(data)
	var text string
	if json.Unmarshal(data, &text) != nil || !rfc3339.MatchString(text) {
		text = ""
	}
	want, wantErr := parsedTime(text)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(want, got) {
		t.Fatalf("UnmarshalJSON of %q: %#v, %v, want %#v, %v", data, got, err, want, wantErr)
	}
	return err == nil
}

var rfc3339 = regexp.MustCompile(`^[0-9]{4}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-5][0-9])$`)

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
}

// TestDateTimeOrder compares the order of date-times with the order of the instants in
// their JSON.
func TestDateTimeOrder(t *testing.T) {
	start := time.Date(2024, 5, 10, 18, 0, 0, 0, time.UTC)
	east := time.FixedZone("", 2*3600+17)
	times := []time.Time{
		start, start.Add(1), start.Add(999).In(east), start.Add(1000), start.Add(1999).In(east),
		time.Unix(0, -1), time.Unix(0, 0), time.Unix(0, -1000), time.Unix(0, -1001),
		time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Now(),
	}
	for _, a := range times {
		for _, b := range times {
			// Literals are not normalized until they are marshalled.
			x, y := DateTime{Time: a}, DateTime{Time: b}
			want := written(t, x).Compare(written(t, y))
			for _, values := range [][2]any{{x, y}, {&x, &y}} {
				k, err := ordering.KeyOf(values[0])
				must(t, err)
				other, err := ordering.KeyOf(values[1])
				must(t, err)
				if got := k.Compare(other); got != want {
					t.Errorf("%T: keys of %v and %v compare %d, want %d", values[0], a, b, got, want)
				}
				if got := bytes.Compare(k.Append(nil), other.Append(nil)); got != want {
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

var (
	threeNumbers = regexp.MustCompile(`^[0-9]+[-/][0-9]+[-/][0-9]+$`)

	// In Python, a space may replace the first digit of the day.
	lastDay   = regexp.MustCompile(`- ([0-9])$`)
	middleDay = regexp.MustCompile(`/ ([0-9])/`)
)

// modelDate parses a date with package time.
func modelDate(text string) (value string, ok bool) {
	text = strings.TrimFunc(text, unicode.IsSpace)
	text = lastDay.ReplaceAllString(text, "-0$1")
	text = middleDay.ReplaceAllString(text, "/0$1/")
	if !threeNumbers.MatchString(text) {
		return "", false // package time accepts some signs
	}
	for _, layout := range []string{"2006-1-2", "1/2/2006", "1/2/06"} {
		if d, err := time.Parse(layout, text); err == nil && d.Year() > 0 {
			return d.Format("2006-01-02"), true
		}
	}
	return "", false
}

func checkFilterDate(t *testing.T, text string) {
	t.Helper()
	want, ok := modelDate(text)
	got, message := filtered(Date, text)
	if got != want || ok != (message == "") || !ok && message != "Enter a valid date." {
		t.Fatalf("filterDate(%q) = %q, %q, want %q, %v", text, got, message, want, ok)
	}
}

func TestFilterDates(t *testing.T) {
	for _, text := range []string{
		"2014-11-30", "2014-11-31", "2014-02-29", "2016-02-29", "1900-02-29", "2000-2-29", "0001-01-01", "0000-01-01", "9999-12-31", "10000-01-01",
		"2014-1-1", "2014-01-1", "2014-001-1", "2014-1-001", "2014-0-1", "2014-1-0", "2014-13-1", "214-1-1", "14-1-1", "2014-11- 5", "2014- 1-5", "2014-11- 15", "2014-11- 0",
		"1/2/2014", "01/02/2014", "13/1/2014", "1/32/2014", "1/2/0000", "1/2/0001", "1/2/201", "1/2/20145", "1/ 2/2014", " 1/2/2014", "1/2/2014/", "/1/2014",
		"1/2/00", "1/2/68", "1/2/69", "1/2/99", "1/2/6", "2/29/00", "2/29/01", "1/2/-1", "1/2/", "1/2", "",
		"2014/11/30", "11-30-2014", "+014-11-30", "2014-+1-1", "2014-11-30Z", "2014-11-30 ", "\t2014-11-30\n", "２014-11-30", "Nov 30, 2014",
	} {
		checkFilterDate(t, text)
	}
	// Python splits information separators off, too. They are not white space in Go.
	if got, _ := filtered(Date, "\x1c2014-11-30\x1f"); got != "2014-11-30" {
		t.Errorf("a date between separators is %q", got)
	}
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 20_000 {
		text := time.Date(random.IntN(12_000)-1000, 1, random.IntN(400), 0, 0, 0, 0, time.UTC).
			Format([]string{"2006-1-2", "2006-01-02", "1/2/2006", "1/_2/06", "01/02/06"}[random.IntN(5)])
		if b := []byte(text); random.IntN(2) == 0 {
			b[random.IntN(len(b))] = "0123456789/- "[random.IntN(13)]
			text = string(b)
		}
		checkFilterDate(t, text)
		if _, ok := modelDate(text); ok {
			accepted++
		}
	}
	if accepted < 4_000 {
		t.Errorf("only %d random dates are accepted", accepted)
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

// parsedTime is parseDateTime with an error instead of a message.
func parsedTime(text string) (DateTime, error) {
	d, message := parseDateTime(text, Framework{})
	if message != "" {
		return d, errors.New(message)
	}
	return d, nil
}
