package schema

import (
	"strings"
	"time"
)

// filterDate reads a date in one of three forms, 2006-1-2, 1/2/2006 and 1/2/06, and
// returns it as 2006-01-02. Two digits of a year are in the years 1969 to 2068. As in
// Python, a space may replace the first digit of the day.
func filterDate(text string) (value, message string) {
	in := timeReader{rest: strings.TrimFunc(text, isSpace)}
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
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if in.invalid || in.rest != "" || year < 1 || t.Day() != day || int(t.Month()) != month {
		return "", "Enter a valid date."
	}
	return t.Format(time.DateOnly), ""
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

// filterTime reads a date-time like [ParseDateTime], except that white space may surround
// it and that it may have no offset, which means UTC. It returns the date-time in UTC, or
// with its own offset if the year in UTC is out of range.
func filterTime(text string) (value, message string) {
	text = strings.TrimFunc(text, isSpace)
	d, message := parseDateTime(text)
	if message == noTimeOffset {
		d, message = parseDateTime(text + "Z")
	}
	if message != "" {
		return "", "Enter a valid date/time."
	}
	if utc := d.UTC(); utc.Year() >= 1 && utc.Year() <= 9999 {
		d.Time = utc
	}
	return string(d.appendWire(nil)), ""
}
