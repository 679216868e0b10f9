package schema

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

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
