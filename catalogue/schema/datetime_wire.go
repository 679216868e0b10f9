package schema

import "time"

// readWire parses a date-time in the form that MarshalJSON writes, including quotes. ok
// is false for all other forms, some of which are valid.
func readWire(data []byte) (d DateTime, ok bool) {
	const form = `"0000-00-00T00:00:00`
	if len(data) < len(form+`Z"`) || data[0] != '"' || data[5] != '-' || data[8] != '-' ||
		data[11] != 'T' || data[14] != ':' || data[17] != ':' {
		return DateTime{}, false
	}
	year, month, day := digits(data[1:5]), digits(data[6:8]), digits(data[9:11])
	hour, minute, second := digits(data[12:14]), digits(data[15:17]), digits(data[18:20])
	micro, rest := 0, data[len(form):]
	if rest[0] == '.' && len(rest) >= len(`.000000Z"`) {
		micro, rest = digits(rest[1:7]), rest[7:]
	}
	offset, ok := wireOffset(rest)
	if !ok || min(year, month, day) < 1 || min(hour, minute, second, micro) < 0 ||
		month > 12 || hour > 23 || minute > 59 || second > 59 {
		return DateTime{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, micro*1000, zone(offset))
	return DateTime{t}, t.Day() == day // false if the month has fewer days
}

// wireOffset parses Z or an offset, followed by the closing quote.
func wireOffset(data []byte) (offset time.Duration, ok bool) {
	if string(data) == `Z"` {
		return 0, true
	}
	if len(data) != len(`+00:00"`) || data[0] != '+' && data[0] != '-' || data[3] != ':' || data[6] != '"' {
		return 0, false
	}
	hours, minutes := digits(data[1:3]), digits(data[4:6])
	if min(hours, minutes) < 0 || hours > 23 || minutes > 59 {
		return 0, false
	}
	offset = time.Duration(60*hours+minutes) * time.Minute
	if data[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// digits returns the value of a text of digits, or -1 if it has other characters.
func digits(text []byte) (n int) {
	for _, c := range text {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}
