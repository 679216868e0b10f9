package schema

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A DateTime is an instant with an offset, to the microsecond. The zero DateTime is
// 0001-01-01T00:00:00Z. Compare date-times with the methods Equal, Before and After of
// [time.Time], which ignore the offset.
//
// A DateTime made by [At] or from JSON is normalized: it has whole
// microseconds and an offset of whole minutes. Others are normalized when they are
// marshalled.
type DateTime struct{ time.Time }

// maxOffset is the limit of offsets in JSON, exclusive.
const maxOffset = 24 * time.Hour

// At returns the date-time for t with the offset of t. The instant is truncated to
// microseconds, and a monotonic clock reading is dropped. An offset with seconds, as
// in time zones before 1900, is rounded to minutes. An offset of a day or more becomes
// zero. Neither changes the instant. O(1).
func At(t time.Time) DateTime {
	_, seconds := t.Zone()
	offset := (time.Duration(seconds) * time.Second).Round(time.Minute)
	if offset <= -maxOffset || offset >= maxOffset {
		offset = 0
	}
	return DateTime{t.Truncate(time.Microsecond).In(zone(offset))}
}

// zone returns the location with an offset. It is UTC if the offset is zero.
func zone(offset time.Duration) *time.Location {
	if offset == 0 {
		return time.UTC
	}
	return time.FixedZone("", int(offset/time.Second))
}

// MarshalJSON returns the date-time as Django REST framework writes it, such as
// "2024-05-10T18:00:00+02:00", with six digits of fraction if the microseconds are not
// zero, and with Z for offset zero. It returns an error wrapping [ErrInvalid] if the
// year is outside the range 1 to 9999. O(1).
func (d DateTime) MarshalJSON() ([]byte, error) {
	if _, offset := d.Zone(); offset%60 != 0 || d.Nanosecond()%1000 != 0 || max(offset, -offset) >= int(maxOffset/time.Second) {
		d = At(d.Time)
	}
	if y := d.Year(); y < 1 || y > 9999 {
		return nil, fmt.Errorf("%w date-time: year %d is outside the range 1 to 9999", ErrInvalid, y)
	}
	text := append(make([]byte, 0, len(`"2006-01-02T15:04:05.000000+07:00"`)), '"')
	return append(d.appendWire(text), '"'), nil
}

// OrderingKey returns the number of microseconds since January 1, 1970 UTC. Package
// ordering calls it to order date-times by instant. O(1).
func (d DateTime) OrderingKey() int64 { return d.UnixMicro() }

// appendWire appends the wire form of a normalized date-time.
func (d DateTime) appendWire(dst []byte) []byte {
	dst, _ = jsontext.AppendTime(dst, d.Time)
	return dst
}

// UnmarshalJSON parses a JSON string in the format of RFC 3339, with a fraction of any length,
// truncated to microseconds. For all other values, including null, a string without offset,
// and year 0, it returns an error matching [ErrInvalid] and leaves the date-time unchanged.
// O(len).
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

// A Time is a time of day, to the microsecond: the time since midnight, which is less than 24 hours.
type Time time.Duration

// String returns the time as Django REST framework writes it, such as "08:00:00". If there is a
// fraction of a second, it has six digits. O(1).
func (t Time) String() string { return clockText(time.Duration(t)) }

// clockText returns a time since midnight.
func clockText(d time.Duration) string {
	layout := time.TimeOnly
	if d%time.Second >= time.Microsecond {
		layout += ".000000"
	}
	return time.Time{}.Add(d).Format(layout)
}

// MarshalJSON returns the text of String. It returns an error wrapping [ErrInvalid] if the time is
// negative or not less than 24 hours. O(1).
func (t Time) MarshalJSON() ([]byte, error) {
	if t < 0 || t >= Time(maxOffset) {
		return nil, fmt.Errorf("%w time: %v since midnight", ErrInvalid, time.Duration(t))
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON parses a JSON string with hours and minutes, such as 8:00 or 08:00:00.250000. For
// all other values, including null, it returns an error matching [ErrInvalid] and leaves the time
// unchanged. O(len).
func (t *Time) UnmarshalJSON(data []byte) error {
	return unmarshal(data, "time", "08:00:00", t, func(value string) (Time, bool) { return readClock(textOf(value)) })
}

// OrderingKey returns the number of microseconds since midnight. Package ordering calls it to order
// times. O(1).
func (t Time) OrderingKey() int64 { return time.Duration(t).Microseconds() }

// readClock reads hours and minutes, and optional seconds with a fraction of at most six digits.
func readClock(text string) (t Time, ok bool) {
	in := timeReader{rest: text}
	t, ok = in.clock()
	_, fraction, _ := strings.Cut(text, ".")
	return t, ok && in.rest == "" && len(fraction) <= 6 && !strings.Contains(text, ",")
}

// parseClock parses a time as Django REST framework does: as readClock, with a fraction of up to
// twelve digits after a point or comma. Anything may follow. For a Framework that reads ISO forms, it
// is a newline at most, and these forms come first. An offset does not matter.
func parseClock(text string, as Framework) (t Time, ok bool) {
	if as.readsISO {
		if day, _, _, ok := isoTime(strings.TrimPrefix(text, "T")); ok {
			return Time(day % (24 * time.Hour)), true
		}
	}
	in := timeReader{rest: text}
	t, ok = in.clock()
	return t, ok && (!as.readsISO || in.rest == "" || in.rest == "\n")
}

// clock reads hours, minutes, and, if they have digits, seconds and their fraction.
func (r *timeReader) clock() (t Time, ok bool) {
	hour := r.number(1, 2)
	r.one(":")
	minute, second, micro := r.number(1, 2), 0, 0
	if r.hasNumber(":") {
		second, micro = r.seconds()
	}
	return Time(clock(hour, minute, second, micro)), !r.invalid && hour < 24 && minute < 60 && second < 60
}

// hasNumber reports whether the next character is in set, and a digit follows it.
func (r *timeReader) hasNumber(set string) bool {
	return r.has(set) && len(r.rest) > 1 && isDigit(rune(r.rest[1]))
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

// parseDateTime parses a date-time as Django REST framework does: a date whose month
// and day have one or two digits, T or a space, hours and minutes, and an offset, which
// is Z, +02, +0200 or +02:00. Seconds are optional, and so is their fraction: a point or
// comma and at most twelve digits, truncated to microseconds. A newline may follow. A Framework
// that reads ISO forms reads these first, and white space before the offset. Without an offset
// the date-time is in the zone of the Framework. For all other texts it returns a message.
func parseDateTime(s string, as Framework) (d DateTime, message string) {
	var local time.Time
	var offset time.Duration
	present, ok := false, false
	if as.readsISO {
		local, offset, present, ok = isoDateTime(s)
	}
	if !ok {
		in := timeReader{rest: strings.TrimSuffix(s, "\n")}
		local = in.date()
		in.one("T ")
		hour := in.number(1, 2)
		in.one(":")
		minute := in.number(1, 2)
		second, micro := in.seconds()
		if as.readsISO {
			in.rest = strings.TrimLeftFunc(in.rest, isSpace)
		}
		offset, present = in.offset()
		if in.invalid || in.rest != "" || hour > 23 || minute > 59 || second > 59 {
			return DateTime{}, wrongTimeFormat
		}
		local = local.Add(clock(hour, minute, second, micro))
	}
	switch {
	case present && offset%time.Minute == 0:
		return DateTime{local.Add(-offset).In(zone(offset))}, ""
	case present:
		return At(local.Add(-offset).In(zone(offset))), ""
	case as.zone == nil:
		return DateTime{}, noTimeOffset
	}
	return At(time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), as.zone)), ""
}

// clock returns the time since midnight.
func clock(hour, minute, second, micro int) time.Duration {
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute +
		time.Duration(second)*time.Second + time.Duration(micro)*time.Microsecond
}

// isoDateTime reads a date-time as fromisoformat of Python does: a date as isoDate reads it, any
// character, and what isoTime reads. The result is in UTC, without regard to the offset, if one is
// present.
func isoDateTime(s string) (local time.Time, offset time.Duration, present, ok bool) {
	if len(s) < len("2024W19") {
		return local, 0, false, false
	}
	at := min(isoDateLen(s), len(s))
	in := timeReader{rest: s[:at]}
	if local = in.isoDate(); in.invalid || in.rest != "" || at == len(s) {
		return local, 0, false, !in.invalid && in.rest == ""
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

// isoDate reads a date in one of the forms 2024-05-10, 20240510, 2024-W19-5 and 2024W195. A week
// without a day is its Monday.
func (r *timeReader) isoDate() time.Time {
	year, extended := r.number(4, 4), r.has("-")
	dash := func() {
		if extended {
			r.one("-")
		}
	}
	if dash(); !r.has("W") {
		month := r.number(2, 2)
		dash()
		return r.dateOf(year, month, r.number(2, 2))
	}
	r.one("W")
	week, day := r.number(2, 2), 1
	if r.rest != "" {
		dash()
		day = r.number(1, 1)
	}
	date := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC) // in week 1
	date = date.AddDate(0, 0, 7*(week-1)+day-1-(int(date.Weekday())+6)%7)
	isoYear, isoWeek := date.ISOWeek()
	r.invalid = r.invalid || year < 1 || date.Year() > 9999 || isoYear != year || isoWeek != week
	return date
}

// isoClock reads two digits each of hours, minutes and seconds, and a fraction of seconds. All but
// the hours may be absent. As in Python, one character may be left after two digits, and without
// colons the fraction needs no point.
func isoClock(text string) (d time.Duration, left string, ok bool) {
	in := timeReader{rest: text}
	hour, extended := in.number(2, 2), in.has(":")
	var parts [2]int
	for i := range parts {
		if len(in.rest) < 2 {
			break
		}
		if extended {
			in.one(":")
		}
		parts[i] = in.number(2, 2)
	}
	micro := 0
	if len(in.rest) > 1 {
		if extended || in.has(".,") {
			in.one(".,")
		}
		micro = in.fraction()
		in.invalid = in.invalid || strings.TrimLeft(in.rest, "0123456789") != ""
		in.rest = ""
	}
	return clock(hour, parts[0], parts[1], micro), in.rest, !in.invalid && parts[0] <= 59 && parts[1] <= 59
}

// A timeReader reads the parts of a text in turn. invalid is set when the text does not
// have the requested part.
type timeReader struct {
	rest    string
	invalid bool
}

// has reports whether the next character is in set.
func (r *timeReader) has(set string) bool {
	return r.rest != "" && strings.IndexByte(set, r.rest[0]) >= 0
}

// one reads a character that is in set.
func (r *timeReader) one(set string) (c byte) {
	if !r.has(set) {
		r.invalid = true
		return 0
	}
	c, r.rest = r.rest[0], r.rest[1:]
	return c
}

// number reads a number of at least low and at most high digits.
func (r *timeReader) number(low, high int) (n int) {
	digits := 0
	for digits < high && r.has("0123456789") {
		n = n*10 + int(r.one("0123456789")-'0')
		digits++
	}
	r.invalid = r.invalid || digits < low
	return n
}

// date reads a date. Month and day have one or two digits.
func (r *timeReader) date() time.Time {
	year := r.number(4, 4)
	r.one("-")
	month := r.number(1, 2)
	r.one("-")
	return r.dateOf(year, month, r.number(1, 2))
}

// dateOf returns midnight UTC on a day, which must exist.
func (r *timeReader) dateOf(year, month, day int) time.Time {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	r.invalid = r.invalid || year < 1 || t.Day() != day || int(t.Month()) != month
	return t
}

// seconds reads the seconds and their fraction, in microseconds, if they are present.
func (r *timeReader) seconds() (second, micro int) {
	if !r.has(":") {
		return 0, 0
	}
	r.one(":")
	second = r.number(1, 2)
	if !r.hasNumber(".,") {
		return second, 0
	}
	r.one(".,")
	micro = r.fraction()
	r.number(0, 6)
	return second, micro
}

// fraction reads the first digits of a fraction of a second, in microseconds.
func (r *timeReader) fraction() (micro int) {
	before := len(r.rest)
	micro = r.number(1, 6)
	for range 6 - (before - len(r.rest)) {
		micro *= 10
	}
	return micro
}

// offset reads the offset, if it is present.
func (r *timeReader) offset() (offset time.Duration, present bool) {
	if r.rest == "" {
		return 0, false
	}
	sign := r.one("Z+-")
	if sign == 'Z' || r.invalid {
		return 0, !r.invalid
	}
	minutes := 60 * r.number(2, 2)
	if r.rest != "" {
		if r.has(":") {
			r.one(":")
		}
		minutes += r.number(2, 2)
	}
	offset = time.Duration(minutes) * time.Minute
	r.invalid = r.invalid || offset >= maxOffset
	if sign == '-' {
		offset = -offset
	}
	return offset, true
}

// filterDate reads a date in one of three forms, 2006-1-2, 1/2/2006 and 1/2/06, and
// returns it as 2006-01-02. Two digits of a year are in the years 1969 to 2068. As in
// Python, a space may replace the first digit of the day.
func filterDate(_ Field, _, value string, checks *checker) (text, message string) {
	if checks.as.readsMonths {
		if date, ok := namedDate(value); ok {
			return date.Format(time.DateOnly), ""
		}
	}
	in := timeReader{rest: strings.TrimFunc(value, isSpace)}
	var year, month, day int
	if strings.IndexByte(in.rest, '/') < 0 {
		year = in.number(4, 4)
		in.one("-")
		month = in.number(1, 2)
		in.one("-")
		day = in.day()
	} else {
		month = in.number(1, 2)
		in.one("/")
		day = in.day()
		in.one("/")
		year = in.year()
	}
	date := in.dateOf(year, month, day)
	if in.invalid || in.rest != "" {
		return "", "Enter a valid date."
	}
	return date.Format(time.DateOnly), ""
}

// namedDate reads a date with the name of its month in English, in full or abbreviated.
func namedDate(value string) (date time.Time, ok bool) {
	value = strings.Join(strings.FieldsFunc(value, isSpace), " ")
	for _, month := range [...]string{"Jan", "January"} {
		for _, layout := range [...]string{month + " 2 2006", month + " 2, 2006", "2 " + month + " 2006", "2 " + month + ", 2006"} {
			if date, err := time.Parse(layout, value); err == nil && date.Year() > 0 {
				return date, true
			}
		}
	}
	return date, false
}

// day reads the day of a month.
func (r *timeReader) day() int {
	if r.has(" ") {
		r.one(" ")
		return r.number(1, 1)
	}
	return r.number(1, 2)
}

// year reads the four or two digits of a year up to the end.
func (r *timeReader) year() int {
	if len(r.rest) != 2 {
		return r.number(4, 4)
	}
	year := r.number(2, 2)
	if year >= 69 {
		return 1900 + year
	}
	return 2000 + year
}

// filterTime reads a date-time with optional white space around it. Without an offset it is in
// the zone of the framework or in UTC. It returns the date-time in UTC, or with its own offset if
// the year in UTC is out of range.
func filterTime(_ Field, _, value string, checks *checker) (text, message string) {
	as := checks.as
	as.zone = cmp.Or(as.zone, time.UTC)
	d, message := parseDateTime(strings.TrimFunc(value, isSpace), as)
	if message != "" {
		return "", "Enter a valid date/time."
	}
	if utc := d.UTC(); utc.Year() >= 1 && utc.Year() <= 9999 {
		d.Time = utc
	}
	return string(d.appendWire(nil)), ""
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
	return `"` + string(d.appendWire(nil)) + `"`, nil
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
	if as.readsISO {
		in := timeReader{rest: text}
		if date = in.isoDate(); !in.invalid && in.rest == "" {
			return date, true
		}
	}
	in := timeReader{rest: strings.TrimSuffix(text, "\n")}
	date = in.date()
	return date, !in.invalid && in.rest == ""
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
	return `"` + string(At(now().UTC()).appendWire(nil)) + `"`
}
