package schema

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Duration is a length of time of at most 999999999 days, to the microsecond. It is the sum of its
// fields: a [time.Duration] d is Duration{Microseconds: d.Microseconds()}. Durations from JSON can be
// compared with ==. Their microseconds are those of one day, from 0 to 86399999999, even if the duration
// is negative.
type Duration struct {
	Days         int
	Microseconds int64
}

const (
	maxDays   = 999_999_999
	daySecs   = 24 * 60 * 60
	dayMicros = daySecs * 1_000_000
)

// normal returns the duration with microseconds of one day.
func (d Duration) normal() Duration {
	days := d.Microseconds / dayMicros
	if d.Microseconds%dayMicros < 0 {
		days--
	}
	return Duration{d.Days + int(days), d.Microseconds - days*dayMicros}
}

// inRange reports whether a normal duration has at most as many days as in Python.
func (d Duration) inRange() bool { return -maxDays <= d.Days && d.Days <= maxDays }

// String returns the duration as Django REST framework writes it, such as "08:00:00" and
// "1 00:30:00". The time of a negative duration is positive: half an hour less than nothing is
// "-1 23:30:00". If there is a fraction of a second, it has six digits. O(1).
func (d Duration) String() string {
	d = d.normal()
	text := clockText(time.Duration(d.Microseconds) * time.Microsecond)
	if d.Days != 0 {
		text = strconv.Itoa(d.Days) + " " + text
	}
	return text
}

// MarshalJSON returns the text of String. It returns an error wrapping [ErrInvalid] if the duration
// has more than 999999999 days. O(1).
func (d Duration) MarshalJSON() ([]byte, error) {
	if !d.normal().inRange() {
		return nil, fmt.Errorf("%w duration %v: %s", ErrInvalid, d, wrongDays)
	}
	return []byte(`"` + d.String() + `"`), nil
}

// UnmarshalJSON parses a duration in one of the forms that requests may have, as text or as a number
// of seconds. For all other values, including null, it returns an error matching [ErrInvalid] and
// leaves the duration unchanged. O(len).
func (d *Duration) UnmarshalJSON(data []byte) error {
	return unmarshal(data, "duration", "08:00:00", d, func(value string) (Duration, bool) {
		read, message := parseDuration(pythonText(value))
		return read, message == ""
	})
}

// OrderingKey returns a key with the days and the microseconds. Package ordering calls it to order
// durations by their length. O(1).
func (d Duration) OrderingKey() sortkey.Key {
	d = d.normal()
	return sortkey.List(sortkey.Int(int64(d.Days)), sortkey.Int(d.Microseconds))
}

// durationKey returns the key of a duration. Other text remains text.
func durationKey(text string) sortkey.Key {
	if d, message := parseDuration(text); message == "" {
		return d.OrderingKey()
	}
	return sortkey.Text(text)
}

const (
	wrongDuration = "Duration has wrong format. Use one of these formats instead: [DD] [HH:[MM:]]ss[.uuuuuu]."
	wrongDays     = "The number of days must be between -999999999 and 999999999."
)

// durationForms are the forms of durations that Django reads: its own, that of ISO 8601, and that of
// PostgreSQL.
var durationForms = [...]*regexp.Regexp{
	regexp.MustCompile(`^(?:(?P<days>-?\d+) (?:days?, )?)?(?P<sign>-?)` +
		`(?:(?:(?P<hours>\d+):)?(?P<minutes>\d+):)?(?P<seconds>\d+)(?:[.,](?P<micros>\d{1,6})\d{0,6})?\n?$`),
	regexp.MustCompile(`^(?P<sign>[-+]?)P(?:(?P<days>\d+(?:[.,]\d+)?)D)?(?P<micros>)` +
		`(?:T(?:(?P<hours>\d+(?:[.,]\d+)?)H)?(?:(?P<minutes>\d+(?:[.,]\d+)?)M)?(?:(?P<seconds>\d+(?:[.,]\d+)?)S)?)?\n?$`),
	regexp.MustCompile(`^(?:(?P<days>-?\d+) days? ?)?` +
		`(?:(?P<sign>[-+]?)(?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d)(?:\.(?P<micros>\d{1,6}))?)?\n?$`),
}

// parseDuration parses a duration as Django does. For other texts, and for durations that Python
// cannot represent, it returns a message.
func parseDuration(text string) (d Duration, message string) {
	for _, form := range durationForms {
		m := form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		part := func(name string) string { return m[form.SubexpIndex(name)] }
		sign, day := int64(1), int64(daySecs)
		if part("sign") == "-" {
			sign = -1
		}
		if form == durationForms[1] {
			day *= sign
		}
		days, ok1 := total(quantity{part("days"), day})
		rest, ok2 := total(quantity{part("hours"), sign * 60 * 60}, quantity{part("minutes"), sign * 60},
			quantity{part("seconds"), sign}, quantity{"0." + part("micros"), sign})
		d = Duration{days.Days + rest.Days, days.Microseconds + rest.Microseconds}.normal()
		if !ok1 || !ok2 || !d.inRange() {
			return Duration{}, wrongDays
		}
		return d, ""
	}
	return Duration{}, wrongDuration
}

// A quantity is a decimal number of units of some seconds.
type quantity struct {
	number  string
	seconds int64
}

// total returns the sum of quantities, rounded to microseconds, and reports whether Python can
// represent it.
func total(parts ...quantity) (d Duration, ok bool) {
	var seconds int64
	var micros float64
	for _, q := range parts {
		n, _ := strconv.ParseFloat(strings.Replace(q.number, ",", ".", 1), 64) // an empty number is 0
		whole, fraction := math.Modf(n)
		if math.Abs(float64(seconds)+whole*float64(q.seconds)) > (maxDays+1)*daySecs {
			return Duration{}, false
		}
		seconds += int64(whole) * q.seconds
		micros += fraction * float64(q.seconds) * 1e6
	}
	d = Duration{int(seconds / daySecs), seconds%daySecs*1_000_000 + int64(math.RoundToEven(micros))}.normal()
	return d, d.inRange()
}

// cleanDuration accepts a duration in one of the forms of Django, or a number of seconds.
func cleanDuration(_ Field, value string, _ *checker) (text string, messages []string) {
	d, message := parseDuration(pythonText(value))
	if message != "" {
		return "", []string{message}
	}
	return `"` + d.String() + `"`, nil
}

func filterDuration(_ Field, _, value string, _ *checker) (text, message string) {
	d, message := parseDuration(value)
	if message == wrongDuration {
		message = "Enter a valid duration."
	}
	return d.String(), message
}
