package resources

import (
	"fmt"
	"strings"
	"time"
)

// A DateTime is an instant with the offset it was given in, to the microsecond.
// The zero DateTime is 0001-01-01T00:00:00Z. It is compared by Equal, Before
// and After of [time.Time], which look at the instant alone.
//
// A DateTime made by [At], [ParseDateTime] or from JSON is normal: whole
// microseconds, and for a location an offset of whole minutes. One made by
// literal is brought into that form when it is marshalled.
type DateTime struct{ time.Time }

// maxOffset bounds the offsets that the wire form can show: less than a day.
const maxOffset = 24 * time.Hour

// At gives the instant t in t's offset. What is below a microsecond is cut off,
// a monotonic clock reading dropped. An offset with seconds, as zones had
// before 1900, is rounded to whole minutes, and one of a day or more becomes
// zero; the instant stays the same. O(1).
func At(t time.Time) DateTime {
	_, seconds := t.Zone()
	offset := (time.Duration(seconds) * time.Second).Round(time.Minute)
	if offset <= -maxOffset || offset >= maxOffset {
		offset = 0
	}
	return DateTime{t.Truncate(time.Microsecond).In(zone(offset))}
}

// zone is the location of a numeric offset; zero is UTC.
func zone(offset time.Duration) *time.Location {
	if offset == 0 {
		return time.UTC
	}
	return time.FixedZone("", int(offset/time.Second))
}

// MarshalJSON writes the instant as the service does: 2024-05-10T18:00:00+02:00,
// six digits of fraction if it has microseconds, Z for offset zero. A year
// outside 1 to 9999 is an error that matches [ErrInvalid]. O(1).
func (d DateTime) MarshalJSON() ([]byte, error) {
	d = At(d.Time)
	if y := d.Year(); y < 1 || y > 9999 {
		return nil, fmt.Errorf("%w date-time: year %d is not within 1 to 9999", ErrInvalid, y)
	}
	return append(d.appendWire([]byte{'"'}), '"'), nil
}

// OrderingKey returns the microseconds since 1970, so that date-times are ordered
// by instant, as their JSON shows it. It has the form that package ordering asks
// for. O(1).
func (d DateTime) OrderingKey() int64 { return d.UnixMicro() }

// appendWire appends the wire form of a normal date-time.
func (d DateTime) appendWire(dst []byte) []byte {
	if d.Nanosecond() == 0 {
		return d.AppendFormat(dst, "2006-01-02T15:04:05Z07:00")
	}
	return d.AppendFormat(dst, "2006-01-02T15:04:05.000000Z07:00")
}

// UnmarshalJSON reads the wire form: a JSON string of RFC 3339, with up to
// twelve digits of fraction; those below the microsecond are cut off. Any other form, null, a missing
// offset and the year 0 are errors that match [ErrInvalid]; the date-time is
// then unchanged. O(1).
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

// isWireForm says whether what parseDateTime took is RFC 3339 to the letter.
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

// zeros puts 0 in place of every digit.
func zeros(text string) string {
	return strings.Map(func(r rune) rune {
		if isDigit(r) {
			return '0'
		}
		return r
	}, text)
}
