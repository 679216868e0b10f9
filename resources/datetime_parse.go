package resources

import (
	"fmt"
	"strings"
	"time"
)

// What the service says of a text that is no date-time, and what we say of one
// that it would place in its own zone.
const (
	wrongTimeFormat = "Datetime has wrong format. Use one of these formats instead: " +
		"YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
	noTimeOffset = "Datetime has no UTC offset. Use one of these formats instead: " +
		"YYYY-MM-DDThh:mm[:ss[.uuuuuu]](+HH:MM|-HH:MM|Z)."
)

// ParseDateTime reads what the service takes in a POST: a date with one- or
// two-digit month and day, T or a blank, hours and minutes, if need be seconds
// with up to twelve digits of fraction behind a point or comma (those from the
// seventh on are cut off), and an offset: Z, +02, +0200 or +02:00. One line
// feed may end it. White space elsewhere, lower-case letters, days that the
// calendar has not, second 60 and the year 0 are refused, as the service does;
// a missing offset is refused too, where the service would take its own zone.
// Errors match [ErrInvalid] and say which of the two it was. O(1).
func ParseDateTime(s string) (DateTime, error) {
	d, message := parseDateTime(s)
	if message != "" {
		return DateTime{}, fmt.Errorf("%w date-time %q: %s", ErrInvalid, s, message)
	}
	return d, nil
}

// parseDateTime is ParseDateTime with the bare message, "" for none.
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
	if in.bad || in.rest != "" {
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

// A timeReader takes a text apart from its front; bad is set for good at the
// first thing that is not as asked for.
type timeReader struct {
	rest string
	bad  bool
}

// has says whether one of the characters of set comes next.
func (r *timeReader) has(set string) bool {
	return r.rest != "" && strings.IndexByte(set, r.rest[0]) >= 0
}

// one takes a character of set.
func (r *timeReader) one(set string) (c byte) {
	if !r.has(set) {
		r.bad = true
		return 0
	}
	c, r.rest = r.rest[0], r.rest[1:]
	return c
}

// number takes as many digits as there are, from low to high.
func (r *timeReader) number(low, high int) (n int) {
	digits := 0
	for digits < high && r.has("0123456789") {
		n = n*10 + int(r.one("0123456789")-'0')
		digits++
	}
	r.bad = r.bad || digits < low
	return n
}

// seconds takes the seconds and their fraction in microseconds, if they follow.
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

// offset takes the offset, if one follows.
func (r *timeReader) offset() (offset time.Duration, present bool) {
	if r.rest == "" {
		return 0, false
	}
	sign := r.one("Z+-")
	if sign == 'Z' || r.bad {
		return 0, !r.bad
	}
	minutes := 60 * r.number(2, 2)
	if r.rest != "" {
		if r.has(":") {
			r.one(":")
		}
		minutes += r.number(2, 2)
	}
	offset = time.Duration(minutes) * time.Minute
	r.bad = r.bad || offset >= maxOffset
	if sign == '-' {
		offset = -offset
	}
	return offset, true
}
