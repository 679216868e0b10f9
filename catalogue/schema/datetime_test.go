package schema

import (
	"errors"
	"testing"
	"time"
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

// TestParseDateTimeErrors checks only the texts of errors. TestTimestamp checks which
// texts are valid.
func TestParseDateTimeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"now":                 `schema: invalid date-time "now": ` + wrongFormat,
		"2024-05-10T18:00:00": `schema: invalid date-time "2024-05-10T18:00:00": ` + noOffset,
	} {
		_, err := ParseDateTime(text)
		if !errors.Is(err, ErrInvalid) || err.Error() != want {
			t.Errorf("ParseDateTime(%q): error %v, want %s", text, err, want)
		}
	}
}
