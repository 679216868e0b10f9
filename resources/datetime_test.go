package resources

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
		{time.Date(2024, 5, 10, 18, 0, 0, 0, hours(2, 0, 0)), `"2024-05-10T18:00:00+02:00"`, "offset stays"},
		{time.Date(2024, 5, 10, 18, 0, 0, 0, time.UTC), `"2024-05-10T18:00:00Z"`, "zero is Z"},
		{time.Date(2024, 5, 10, 18, 0, 0, 0, hours(0, 0, 0)), `"2024-05-10T18:00:00Z"`, "zero is Z"},
		{time.Date(2024, 5, 10, 18, 0, 0, 250e6, time.UTC), `"2024-05-10T18:00:00.250000Z"`, "six digits"},
		{time.Date(2024, 5, 10, 18, 0, 0, 1999, time.UTC), `"2024-05-10T18:00:00.000001Z"`, "cut off"},
		{time.Date(2024, 5, 10, 18, 0, 0, 999, time.UTC), `"2024-05-10T18:00:00Z"`, "cut off"},
		{time.Date(1850, 1, 1, 0, 49, 56, 0, hours(0, 49, 56)), `"1850-01-01T00:50:00+00:50"`, "seconds of offset up"},
		{time.Date(1850, 1, 1, 0, 0, 0, 0, hours(-1, 0, -20)), `"1850-01-01T00:00:20-01:00"`, "seconds of offset down"},
		{time.Date(2024, 5, 10, 18, 0, 0, 0, hours(-9, -30, 0)), `"2024-05-10T18:00:00-09:30"`, "behind UTC"},
		{time.Date(2024, 5, 10, 18, 0, 0, 0, hours(24, 0, 0)), `"2024-05-09T18:00:00Z"`, "no such offset"},
		{time.Date(2024, 5, 10, 18, 0, 0, 0, hours(23, 59, 45)), `"2024-05-09T18:00:15Z"`, "rounded to a day"},
		{time.Time{}, `"0001-01-01T00:00:00Z"`, "zero"},
		{time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), `"9999-12-31T23:59:59Z"`, "last"},
	}
	for _, test := range tests {
		for _, d := range []DateTime{At(test.t), {test.t}} {
			got, err := d.MarshalJSON()
			if err != nil || string(got) != test.want {
				t.Errorf("%v (%s): got %s, %v, want %s", test.t, test.reason, got, err, test.want)
			}
		}
		if !At(test.t).Equal(test.t.Truncate(time.Microsecond)) {
			t.Errorf("%v (%s): another instant", test.t, test.reason)
		}
	}
}

func TestDateTimeUnmarshal(t *testing.T) {
	tests := []struct{ text, want, reason string }{
		{`"2024-05-10T18:00:00+02:00"`, `"2024-05-10T18:00:00+02:00"`, "wire form"},
		{`"2024-05-10T18:00:00.250000Z"`, `"2024-05-10T18:00:00.250000Z"`, "wire form"},
		{`"2024-05-10T18:00:00.25Z"`, `"2024-05-10T18:00:00.250000Z"`, "RFC 3339"},
		{`"2024-05-10T18:00:00.1234567Z"`, `"2024-05-10T18:00:00.123456Z"`, "cut off"},
		{`"2024-05-10T18:00:00-00:00"`, `"2024-05-10T18:00:00Z"`, "zero is Z"},
		{`"2024\u002d05-10T18:00:00Z"`, `"2024-05-10T18:00:00Z"`, "escape"},
		{`"2024-05-10T18:00:00"`, "", "no offset"},
		{`"2024-05-10 18:00:00Z"`, "", "blank"},
		{`"2024-05-10T18:00:00z"`, "", "lower case"},
		{`"2024-05-10T18:00Z"`, "", "no seconds"},
		{`"2024-05-10T18:00:00,5Z"`, "", "comma"},
		{`"2024-05-10T18:00:00+0200"`, "", "no colon"},
		{`"2024-05-10T18:00:00+24:00"`, "", "offset"},
		{`"2024-5-10T18:00:00Z"`, "", "one digit"},
		{`"2024-05-10T8:00:00Z"`, "", "one digit"},
		{`"2024-02-30T18:00:00Z"`, "", "no such day"},
		{`"0000-01-01T00:00:00Z"`, "", "year 0"},
		{`""`, "", "empty"},
		{`null`, "", "null"},
		{`5`, "", "number"},
		{`{`, "", "broken"},
		{``, "", "nothing"},
	}
	for _, test := range tests {
		before := At(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
		d := before
		err := d.UnmarshalJSON([]byte(test.text))
		if test.want == "" {
			if !errors.Is(err, ErrInvalid) || d != before {
				t.Errorf("%s (%s): got %v, error %v", test.text, test.reason, d, err)
			}
			continue
		}
		got, _ := d.MarshalJSON()
		if err != nil || string(got) != test.want {
			t.Errorf("%s (%s): got %s, %v, want %s", test.text, test.reason, got, err, test.want)
		}
	}
}

// What ParseDateTime takes is tested by what is posted; here is what its errors
// say.
func TestParseDateTimeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"now":                 `resources: invalid date-time "now": ` + wrongFormat,
		"2024-05-10T18:00:00": `resources: invalid date-time "2024-05-10T18:00:00": ` + noOffset,
	} {
		_, err := ParseDateTime(text)
		if !errors.Is(err, ErrInvalid) || err.Error() != want {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}
