package schema

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A DateTime is an instant with an offset, to the microsecond. The zero DateTime is
// 0001-01-01T00:00:00Z. Equal, Before and After ignore the offset; == does not. A DateTime made by
// [At] or from JSON has whole microseconds and an offset of whole minutes. Others are normalized
// when they are marshalled.
type DateTime struct{ time.Time }

// maxOffset is the limit of offsets in JSON, exclusive.
const maxOffset = 24 * time.Hour

// At returns the date-time for t with the offset of t. It truncates the instant to microseconds,
// and drops a monotonic clock reading. An offset with seconds is rounded to minutes, and one of a
// day or more becomes zero; neither changes the instant.
func At(t time.Time) DateTime {
	_, seconds := t.Zone()
	offset := (time.Duration(seconds) * time.Second).Round(time.Minute)
	if offset <= -maxOffset || offset >= maxOffset {
		offset = 0
	}
	zone := time.UTC
	if offset != 0 {
		zone = time.FixedZone("", int(offset/time.Second))
	}
	return DateTime{t.Truncate(time.Microsecond).In(zone)}
}

// MarshalJSON returns the date-time as Django REST framework writes it, such as
// "2024-05-10T18:00:00+02:00", with six digits of fraction unless they are zero, and with Z for
// offset zero. It returns an error wrapping [ErrInvalid] if the year is outside the range 1 to
// 9999.
func (d DateTime) MarshalJSON() ([]byte, error) {
	if _, offset := d.Zone(); offset%60 != 0 || d.Nanosecond()%1000 != 0 || max(offset, -offset) >= int(maxOffset/time.Second) {
		d = At(d.Time)
	}
	if y := d.Year(); y < 1 || y > 9999 {
		return nil, fmt.Errorf("%w date-time: year %d is outside the range 1 to 9999", ErrInvalid, y)
	}
	text := append(make([]byte, 0, len(`"2006-01-02T15:04:05.000000+07:00"`)), '"')
	text, _ = jsontext.AppendTime(text, d.Time)
	return append(text, '"'), nil
}

// wire returns the text of a normalized date-time.
func (d DateTime) wire() string {
	var room [len("2006-01-02T15:04:05.000000+07:00")]byte
	text, _ := jsontext.AppendTime(room[:0], d.Time)
	return string(text)
}

// UnmarshalJSON parses a JSON string in the format of RFC 3339, with a fraction of any length,
// truncated to microseconds. For other values, including null, a string without offset, and year 0,
// it returns an error matching [ErrInvalid] and leaves the date-time unchanged.
func (d *DateTime) UnmarshalJSON(data []byte) error {
	if last := len(data) - 1; last > 0 && data[0] == '"' && data[last] == '"' {
		if read, ok := parseWire(data[1:last]); ok {
			*d = read
			return nil
		}
	}
	return unmarshal(data, "date-time", "2024-05-10T18:00:00+02:00", d, func(value string) (DateTime, bool) {
		return parseWire([]byte(textOf(value)))
	})
}

// unmarshal stores what parse returns for a JSON value. form is an example in the error for other
// values.
func unmarshal[T any](data []byte, what, form string, to *T, parse func(value string) (T, bool)) error {
	if syntax := jsontext.Check(data, jsontext.MaxDepth); syntax != nil {
		return (*SyntaxError)(syntax)
	}
	value := strings.Trim(string(data), jsontext.Space)
	read, ok := parse(value)
	if !ok {
		return fmt.Errorf("%w %s %s: want the form %s", ErrInvalid, what, excerpt(value), form)
	}
	*to = read
	return nil
}

// textOf returns the text of a JSON string, or "" for other values.
func textOf(value string) string {
	if jsontext.KindOf(value) != jsontext.String {
		return ""
	}
	return jsontext.Unquote(value)
}

// A Time is a time of day, to the microsecond: the time since midnight, which is less than 24
// hours.
type Time time.Duration

// String returns the time as Django REST framework writes it, such as "08:00:00", with six digits
// of fraction unless they are zero.
func (t Time) String() string { return clockText(time.Time{}.Add(time.Duration(t))) }

// clockText returns the time of day of an instant.
func clockText(t time.Time) string {
	if t.Nanosecond() < int(time.Microsecond) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.TimeOnly + ".000000")
}

// MarshalJSON returns the text of String. It returns an error wrapping [ErrInvalid] if the time is
// negative or not less than 24 hours.
func (t Time) MarshalJSON() ([]byte, error) {
	if t < 0 || t >= Time(maxOffset) {
		return nil, fmt.Errorf("%w time: %v since midnight", ErrInvalid, time.Duration(t))
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON parses a JSON string with hours and minutes, such as 8:00 or 08:00:00.250000. For
// other values, including null, it returns an error matching [ErrInvalid] and leaves the time
// unchanged.
func (t *Time) UnmarshalJSON(data []byte) error {
	return unmarshal(data, "time", "08:00:00", t, func(value string) (Time, bool) { return readClock(textOf(value)) })
}

// OrderingKey returns the number of microseconds since midnight, by which package ordering
// compares.
func (t Time) OrderingKey() int64 { return time.Duration(t).Microseconds() }

// clockKey returns the key of a time. Other text remains text.
func clockKey(text string) sortkey.Key {
	if t, ok := readClock(text); ok {
		return sortkey.Int(t.OrderingKey())
	}
	return sortkey.Text(text)
}

// readClock reads hours and minutes, and optional seconds with a fraction of at most six digits.
func readClock(text string) (t Time, ok bool) {
	_, fraction, _ := strings.Cut(text, ".")
	t, ok = clockOf(text)
	return t, ok && len(fraction) <= 6 && !strings.Contains(text, ",")
}

// clockOf reads hours and minutes, and optional seconds with a fraction after a point or comma.
func clockOf(text string) (Time, bool) {
	t, err := time.Parse("15:4:5", text)
	if err != nil {
		t, err = time.Parse("15:4", text)
	}
	return Time(t.Sub(t.Truncate(24 * time.Hour)).Truncate(time.Microsecond)), err == nil
}

// djangoClock is the form of a time in Django: hours, minutes, and optional seconds with their
// fraction.
const djangoClock = `(\d\d?:\d\d?(?::\d\d?(?:[.,]\d{1,12})?)?)`

// clockForm is the form of a time and of what follows.
var clockForm = compiled(`(?s)^` + djangoClock + `(.*)$`)

// parseClock parses a time as Django REST framework does: as readClock, with a fraction of up to
// twelve digits after a point or comma. Anything may follow. For a Framework that reads ISO forms, it
// is a newline at most, and these forms come first. An offset does not matter.
func parseClock(text string, as Framework) (t Time, ok bool) {
	if t, ok := clockOf(text); ok && strings.Trim(text, "0123456789:") == "" { // most times need no expression
		return t, true
	}
	if as.has(readsISO) {
		if day, _, _, ok := isoTime(strings.TrimPrefix(text, "T")); ok {
			return Time(day % (24 * time.Hour)), true
		}
	}
	m := clockForm().FindStringSubmatch(text)
	if m == nil || as.has(readsISO) && m[2] != "" && m[2] != "\n" {
		return 0, false
	}
	return clockOf(m[1])
}

// parseWire parses a date-time in the format of RFC 3339.
func parseWire(text []byte) (d DateTime, ok bool) {
	var t time.Time
	if err := t.UnmarshalText(text); err != nil || t.Year() < 1 {
		return DateTime{}, false
	}
	// UnmarshalText also accepts hours of one digit, commas, and offsets up to 24:60.
	n := len(text)
	inRange := text[n-1] == 'Z' || string(text[n-5:n-3]) < "24" && string(text[n-2:]) < "60"
	return At(t), inRange && text[len("2006-01-02T15")] == ':' && text[len("2006-01-02T15:04:05")] != ','
}

// The first message is Django REST framework's. The second is for texts without an offset,
// which the framework interprets in a default time zone.
const (
	wrongTimeFormat = "Datetime has wrong format. Use one of these formats instead: " +
		"YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
	noTimeOffset = "Datetime has no UTC offset. Use one of these formats instead: " +
		"YYYY-MM-DDThh:mm[:ss[.uuuuuu]](+HH:MM|-HH:MM|Z)."
)

// dateTimeForm is the form of a date-time in Django: the date, the time, white space, and the offset with
// its hours and minutes.
var dateTimeForm = compiled(`^(\d{4}-\d\d?-\d\d?)[T ]` + djangoClock +
	`([` + spaces + `]*?)(Z|([+-]\d\d)(?::?(\d\d))?)?\n?$`)

// parseDateTime parses a date-time as Django REST framework does: a date whose month
// and day have one or two digits, T or a space, hours and minutes, and an offset, which
// is Z, +02, +0200 or +02:00. Seconds are optional, and so is their fraction: a point or
// comma and at most twelve digits, truncated to microseconds. A newline may follow. A Framework
// that reads ISO forms reads these first, and white space before the offset. Without an offset
// the date-time is in the zone of the Framework. For all other texts it returns a message.
func parseDateTime(s string, as Framework) (d DateTime, message string) {
	if len("2006-01-02T") < len(s) && len(s) <= len("2006-01-02T15:04:05.000000+07:00") && s[len("2006-01-02")] == 'T' {
		if d, ok := parseWire([]byte(s)); ok {
			return d, ""
		}
	}
	var local time.Time
	var offset time.Duration
	present, ok := false, false
	if as.has(readsISO) {
		local, offset, present, ok = isoDateTime(s)
	}
	if !ok {
		m := dateTimeForm().FindStringSubmatch(s)
		if m == nil || m[3] != "" && !as.has(readsISO) {
			return DateTime{}, wrongTimeFormat
		}
		day, ok := djangoDate(m[1])
		clock, valid := clockOf(m[2])
		if present = m[4] != ""; m[5] != "" {
			offset, _ = time.ParseDuration(m[5] + "h" + cmp.Or(m[6], "0") + "m")
		}
		if !ok || !valid || offset.Abs() >= maxOffset {
			return DateTime{}, wrongTimeFormat
		}
		local = day.Add(time.Duration(clock))
	}
	switch {
	case present:
		return At(local.Add(-offset).In(time.FixedZone("", int(offset/time.Second)))), ""
	case as.zone == nil:
		return DateTime{}, noTimeOffset
	}
	return At(time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), as.zone)), ""
}

// isoDateTime reads a date-time as fromisoformat of Python does: a date as isoDate reads it, any
// character, and what isoTime reads. The result is in UTC, without regard to the offset, if one is
// present.
func isoDateTime(s string) (local time.Time, offset time.Duration, present, ok bool) {
	if len(s) < len("2024W19") {
		return local, 0, false, false
	}
	at := min(isoDateLen(s), len(s))
	if local, ok = isoDate(s[:at]); !ok || at == len(s) {
		return local, 0, false, ok
	}
	_, size := utf8.DecodeRuneInString(s[at:])
	day, offset, present, ok := isoTime(s[at+size:])
	local = local.Add(day)
	return local, offset, present, ok && local.Year() <= 9999
}

// isoTime reads a time and an offset as isoClock reads them. 24:00 is the end of the day.
func isoTime(text string) (day, offset time.Duration, present, ok bool) {
	at := strings.IndexAny(text, "+-Z")
	if present = at >= 0; !present {
		at = len(text)
	}
	day, left, ok := isoClock(text[:at])
	if !present {
		ok = ok && isEnd(left)
	} else if ok = ok && left != "." && left != ","; ok && text[at:] != "Z" {
		offset, left, ok = isoClock(text[at+1:])
		ok = ok && isEnd(left) && text[at] != 'Z' && offset < maxOffset
		if text[at] == '-' {
			offset = -offset
		}
	}
	return day, offset, present, ok && day <= 24*time.Hour
}

// isEnd reports whether nothing is left of a text. A null character ends it, as in C.
func isEnd(left string) bool { return left == "" || left == "\x00" }

// isoDateLen returns the length of the date with which a text of at least seven bytes begins.
func isoDateLen(s string) int {
	switch digits := len(s[7:]) - len(strings.TrimLeft(s[7:], "0123456789")); {
	case s[4] == '-' && s[5] == 'W' && (len(s) < 9 || s[8] != '-' || len(s) > 10 && '0' <= s[10] && s[10] <= '9'):
		return len("2024-W19")
	case s[4] == '-':
		return len("2024-05-10")
	case s[4] == 'W' && (digits == 0 || digits > 1 && digits%2 == 1): // the time has pairs of digits
		return len("2024W19")
	}
	return len("20240510") // or 2024W195
}

// weekForm is the form of a date with its week and, perhaps, the day of the week.
var weekForm = compiled(`^(\d{4})(?:-W(\d\d)(?:-(\d))?|W(\d\d)(\d)?)$`)

// isoDate reads a date in one of the forms 2024-05-10, 20240510, 2024-W19-5 and 2024W195. A week
// without a day is its Monday.
func isoDate(text string) (date time.Time, ok bool) {
	for _, layout := range [...]string{time.DateOnly, "20060102"} {
		if date, err := time.Parse(layout, text); err == nil {
			return date, date.Year() > 0
		}
	}
	m := weekForm().FindStringSubmatch(text)
	if m == nil {
		return date, false
	}
	year, _ := strconv.Atoi(m[1])
	week, _ := strconv.Atoi(m[2] + m[4])
	day, _ := strconv.Atoi(cmp.Or(m[3]+m[5], "1"))
	date = time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // in week 1
	date = date.AddDate(0, 0, 7*(week-1)+day-1-(int(date.Weekday())+6)%7)
	isoYear, isoWeek := date.ISOWeek()
	return date, year > 0 && date.Year() <= 9999 && isoYear == year && isoWeek == week
}

// isoClockForm is the form of a time with colons or without: hours, minutes, seconds and their
// fraction, and what is left. As in Python, that is one character at most, and without colons the
// fraction needs no point.
var isoClockForm = compiled(`(?s)^(\d\d)(?::([0-5]\d)(?::([0-5]\d)([.,]\d+$)?)?|` +
	`([0-5]\d)(?:([0-5]\d)([.,]\d+$|\d\d+$)?)?)?([[:ascii:]]?)$`)

// isoClock reads a time in the form of isoClockForm.
func isoClock(text string) (d time.Duration, left string, ok bool) {
	m := isoClockForm().FindStringSubmatch(text)
	if m == nil {
		return 0, "", false
	}
	fraction := strings.TrimLeft(m[4]+m[7], ".,")
	d, _ = time.ParseDuration(m[1] + "h0" + m[2] + m[5] + "m0" + m[3] + m[6] + "." + fraction + "s")
	return d.Truncate(time.Microsecond), m[8], true
}

// dateForm is the form of the dates of filters that have no name of a month. As in Python, a space may
// replace the first digit of the day.
var dateForm = compiled(`^(?:\d{4}-\d\d?-[\d ]?\d|\d\d?/[\d ]?\d/\d\d(?:\d\d)?)$`)

// filterDate reads a date in one of three forms, 2006-1-2, 1/2/2006 and 1/2/06, or with the name of its
// month in English, in full or abbreviated, and returns it as 2006-01-02. Two digits of a year are in the
// years 1969 to 2068.
func filterDate(_ Field, _, value string, checks *checker) (text, message string) {
	value = strings.TrimFunc(value, isSpace)
	layouts := []string{"2006-1-_2", "1/_2/2006", "1/_2/06"}
	if !dateForm().MatchString(value) {
		if !checks.as.has(readsMonths) {
			return "", "Enter a valid date."
		}
		value = strings.Join(strings.FieldsFunc(value, isSpace), " ")
		layouts = []string{"Jan 2 2006", "Jan 2, 2006", "2 Jan 2006", "2 Jan, 2006",
			"January 2 2006", "January 2, 2006", "2 January 2006", "2 January, 2006"}
	}
	for _, layout := range layouts {
		if date, err := time.Parse(layout, value); err == nil && date.Year() > 0 {
			return date.Format(time.DateOnly), ""
		}
	}
	return "", "Enter a valid date."
}

// filterTime reads a date-time with optional white space around it. Without an offset it is in
// the zone of the framework or in UTC.
func filterTime(_ Field, _, value string, checks *checker) (text, message string) {
	as := checks.as
	as.zone = cmp.Or(as.zone, time.UTC)
	d, message := parseDateTime(strings.TrimFunc(value, isSpace), as)
	if message != "" {
		return "", "Enter a valid date/time."
	}
	return d.inFilter(), ""
}

// inFilter returns a date-time in UTC, or with its own offset if the year in UTC is out of range.
func (d DateTime) inFilter() string {
	if utc := d.UTC(); utc.Year() >= 1 && utc.Year() <= 9999 {
		d.Time = utc
	}
	return d.wire()
}

// cleanTime accepts a string that contains a date-time, and converts it to the zone of the
// framework.
func cleanTime(_ Field, value string, checks *checker) (text string, messages []string) {
	d, message := parseDateTime(textOf(value), checks.as)
	if message != "" {
		return invalid("%s", message)
	}
	if zone := checks.as.zone; zone != nil {
		d = At(d.In(zone))
	}
	if year := d.Year(); year < 1 || year > 9999 {
		return invalid("Datetime value out of range.")
	}
	return `"` + d.wire() + `"`, nil
}

// cleanDate accepts a string that contains a date. Month and day have one or two digits.
func cleanDate(_ Field, value string, checks *checker) (text string, messages []string) {
	date, ok := parseDate(textOf(value), checks.as)
	if !ok {
		return invalid("Date has wrong format. Use one of these formats instead: YYYY-MM-DD.")
	}
	return date.Format(`"2006-01-02"`), nil
}

// cleanClock accepts a string that contains a time of day.
func cleanClock(_ Field, value string, checks *checker) (text string, messages []string) {
	t, ok := parseClock(textOf(value), checks.as)
	if !ok {
		return invalid("Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]].")
	}
	return `"` + t.String() + `"`, nil
}

func filterClock(_ Field, _, value string, _ *checker) (text, message string) {
	t, ok := readClock(strings.TrimFunc(value, isSpace))
	if !ok {
		return "", "Enter a valid time."
	}
	return t.String(), ""
}

// parseDate parses a date whose month and day have one or two digits. A newline may follow. A
// Framework that reads ISO forms reads these first.
func parseDate(text string, as Framework) (date time.Time, ok bool) {
	if as.has(readsISO) {
		if date, ok = isoDate(text); ok {
			return date, true
		}
	}
	return djangoDate(strings.TrimSuffix(text, "\n"))
}

// djangoDate reads a date whose month and day have one or two digits.
func djangoDate(text string) (date time.Time, ok bool) {
	date, err := time.Parse("2006-1-2", text)
	return date, err == nil && date.Year() > 0
}

// timeKey returns the key of a date-time. Other text remains text.
func timeKey(text string) sortkey.Key {
	d, message := parseDateTime(text, Framework{})
	if message != "" {
		return sortkey.Text(text)
	}
	return sortkey.Time(d.Time)
}

// created returns the JSON of the current time.
func (c *checker) created() string {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	return `"` + At(now().UTC()).wire() + `"`
}

// A Duration is a length of time of at most 999999999 days, to the microsecond: the sum of its
// fields. A time.Duration d is Duration{Microseconds: d.Microseconds()}. Durations from JSON can be
// compared with ==: their Microseconds are at least 0 and less than one day.
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

// String returns the duration as Django REST framework writes it, such as "08:00:00" and "1
// 00:30:00", with six digits of fraction unless they are zero. The time of a negative duration is
// positive: minus half an hour is "-1 23:30:00".
func (d Duration) String() string {
	d = d.normal()
	text := clockText(time.Time{}.Add(time.Duration(d.Microseconds) * time.Microsecond))
	if d.Days != 0 {
		text = strconv.Itoa(d.Days) + " " + text
	}
	return text
}

// MarshalJSON returns the text of String. It returns an error wrapping [ErrInvalid] if the duration
// has more than 999999999 days.
func (d Duration) MarshalJSON() ([]byte, error) {
	if !d.normal().inRange() {
		return nil, fmt.Errorf("%w duration %v: %s", ErrInvalid, d, wrongDays)
	}
	return []byte(`"` + d.String() + `"`), nil
}

// UnmarshalJSON parses a duration in one of the forms that requests may have, as text or as a
// number of seconds. For other values, including null, it returns an error matching [ErrInvalid]
// and leaves the duration unchanged.
func (d *Duration) UnmarshalJSON(data []byte) error {
	return unmarshal(data, "duration", "08:00:00", d, func(value string) (Duration, bool) {
		read, message := parseDuration(pythonText(value))
		return read, message == ""
	})
}

// OrderingKey returns a key of the days and the microseconds, by which package ordering compares.
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
var durationForms = [...]func() *regexp.Regexp{
	compiled(`^(?:(?P<days>-?\d+) (?:days?, )?)?(?P<sign>-?)` +
		`(?:(?:(?P<hours>\d+):)?(?P<minutes>\d+):)?(?P<seconds>\d+)(?:[.,](?P<micros>\d{1,6})\d{0,6})?\n?$`),
	compiled(`^(?P<sign>[-+]?)P(?:(?P<days>\d+(?:[.,]\d+)?)D)?(?P<micros>)` +
		`(?:T(?:(?P<hours>\d+(?:[.,]\d+)?)H)?(?:(?P<minutes>\d+(?:[.,]\d+)?)M)?(?:(?P<seconds>\d+(?:[.,]\d+)?)S)?)?\n?$`),
	compiled(`^(?:(?P<days>-?\d+) days? ?)?` +
		`(?:(?P<sign>[-+]?)(?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d)(?:\.(?P<micros>\d{1,6}))?)?\n?$`),
}

// parseDuration parses a duration as Django does. For other texts, and for durations that Python
// cannot represent, it returns a message.
func parseDuration(text string) (d Duration, message string) {
	for i, compiled := range durationForms {
		form := compiled()
		m := form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		part := func(name string) string { return m[form.SubexpIndex(name)] }
		sign, day := int64(1), int64(daySecs)
		if part("sign") == "-" {
			sign = -1
		}
		if i == 1 { // of ISO 8601
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
