package schema

import (
	"fmt"
	"strings"
	"time"
)

// The first message is that of the service. The second is for texts without offset,
// which the service interprets in its own time zone.
const (
	wrongTimeFormat = "Datetime has wrong format. Use one of these formats instead: " +
		"YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
	noTimeOffset = "Datetime has no UTC offset. Use one of these formats instead: " +
		"YYYY-MM-DDThh:mm[:ss[.uuuuuu]](+HH:MM|-HH:MM|Z)."
)

// ParseDateTime parses a date-time as the service does in a POST: a date whose month
// and day have one or two digits, T or a space, hours and minutes, and an offset, which
// is Z, +02, +0200 or +02:00. Seconds are optional, and so is their fraction: a point or
// comma and at most twelve digits, truncated to microseconds. A newline may follow.
//
// ParseDateTime returns an error wrapping [ErrInvalid] for all other texts. Like the
// service, it rejects other white space, lower-case letters, days that do not exist,
// second 60, and year 0. Unlike the service, which has a default time zone, it also
// rejects texts without offset; the error says so. O(len).
func ParseDateTime(s string) (DateTime, error) {
	d, message := parseDateTime(s)
	if message != "" {
		return DateTime{}, fmt.Errorf("%w date-time %q: %s", ErrInvalid, s, message)
	}
	return d, nil
}

// parseDateTime is like ParseDateTime, but returns the message of the error, or "".
func parseDateTime(s string) (d DateTime, message string) {
	in := timeReader{rest: strings.TrimSuffix(s, "\n")}
	year := in.number(4, 4)
	in.one("-")
	month := in.number(1, 2)
	in.one("-")
	day := in.number(1, 2)
	in.one("T ")
	hour := in.number(1, 2)
	in.one(":")
	minute := in.number(1, 2)
	second, micro := in.seconds()
	offset, present := in.offset()
	if in.invalid || in.rest != "" {
		return DateTime{}, wrongTimeFormat
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, micro*1000, zone(offset))
	if year < 1 || hour > 23 || minute > 59 || second > 59 || t.Day() != day || int(t.Month()) != month {
		return DateTime{}, wrongTimeFormat
	}
	if !present {
		return DateTime{}, noTimeOffset
	}
	return DateTime{t}, ""
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

// seconds reads the seconds and their fraction, in microseconds, if they are present.
func (r *timeReader) seconds() (second, micro int) {
	if !r.has(":") {
		return 0, 0
	}
	r.one(":")
	second = r.number(1, 2)
	if !r.has(".,") {
		return second, 0
	}
	r.one(".,")
	before := len(r.rest)
	micro = r.number(1, 6)
	for range 6 - (before - len(r.rest)) {
		micro *= 10
	}
	r.number(0, 6)
	return second, micro
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
