package schema

import (
	"fmt"
	"strings"
	"time"
)

// A DateTime is an instant with an offset, to the microsecond. The zero DateTime is
// 0001-01-01T00:00:00Z. Compare date-times with the methods Equal, Before and After of
// [time.Time], which ignore the offset.
//
// A DateTime made by [At] or [ParseDateTime] or from JSON is normalized: it has whole
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

// MarshalJSON returns the date-time as the service writes it, such as
// "2024-05-10T18:00:00+02:00", with six digits of fraction if the microseconds are not
// zero, and with Z for offset zero. It returns an error wrapping [ErrInvalid] if the
// year is outside the range 1 to 9999. O(1).
func (d DateTime) MarshalJSON() ([]byte, error) {
	d = At(d.Time)
	if y := d.Year(); y < 1 || y > 9999 {
		return nil, fmt.Errorf("%w date-time: year %d is outside the range 1 to 9999", ErrInvalid, y)
	}
	return append(d.appendWire([]byte{'"'}), '"'), nil
}

// OrderingKey returns the number of microseconds since January 1, 1970 UTC. Package
// ordering calls it to order date-times by instant. O(1).
func (d DateTime) OrderingKey() int64 { return d.UnixMicro() }

// appendWire appends the wire form of a normalized date-time.
func (d DateTime) appendWire(dst []byte) []byte {
	if d.Nanosecond() == 0 {
		return d.AppendFormat(dst, "2006-01-02T15:04:05Z07:00")
	}
	return d.AppendFormat(dst, "2006-01-02T15:04:05.000000Z07:00")
}

// UnmarshalJSON parses a JSON string in the format of RFC 3339, with at most twelve
// digits of fraction, truncated to microseconds. For all other values, including null, a
// string without offset, and year 0, it returns an error matching [ErrInvalid] and leaves
// the date-time unchanged. O(len).
func (d *DateTime) UnmarshalJSON(data []byte) error {
	if read, ok := readWire(data); ok {
		*d = read
		return nil
	}
	if serr := checkSyntax(data, maxDepth); serr != nil {
		return serr
	}
	text := trimSpace(string(data))
	if kindOf(text) != jsonString {
		return fmt.Errorf("%w date-time: want a string, got %s", ErrInvalid, excerpt(text))
	}
	written := unquote(text)
	read, message := parseDateTime(written)
	if message != "" || !isWireForm(written) {
		return fmt.Errorf("%w date-time %s: want the form 2024-05-10T18:00:00+02:00", ErrInvalid, excerpt(text))
	}
	*d = read
	return nil
}

// isWireForm reports whether a text that parseDateTime accepts is in the format of
// RFC 3339.
func isWireForm(text string) bool {
	const form = "0000-00-00T00:00:00"
	if len(text) < len(form) || zeros(text[:len(form)]) != form {
		return false
	}
	offset := text[len(form):]
	if fraction, found := strings.CutPrefix(offset, "."); found {
		offset = strings.TrimLeft(fraction, "0123456789")
	}
	return offset == "Z" || zeros(offset) == offset[:1]+"00:00" && offset[4] < '6'
}

// zeros replaces every digit by 0.
func zeros(text string) string {
	return strings.Map(func(r rune) rune {
		if isDigit(r) {
			return '0'
		}
		return r
	}, text)
}
