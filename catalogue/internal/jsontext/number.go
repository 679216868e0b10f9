package jsontext

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"time"
)

// AppendFloat appends the shortest text for a finite number of 32 or 64 bits, as Python does:
// with a point or an exponent.
func AppendFloat(dst []byte, n float64, bitSize int) []byte {
	abs := math.Abs(n)
	large, small := abs >= 1e16, abs < 1e-4 && abs > 0
	if bitSize == 32 {
		large, small = float32(abs) >= 1e16, float32(abs) < 1e-4 && abs > 0
	}
	if large || small {
		return strconv.AppendFloat(dst, n, 'e', -1, bitSize)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, n, 'f', -1, bitSize)
	if bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// AppendTime appends a date-time in the format of RFC 3339, with Z for offset zero. A fraction
// has six digits, as in Python, or nine if there are nanoseconds. It returns an error if the
// format has no such year or offset.
func AppendTime(dst []byte, t time.Time) ([]byte, error) {
	const seconds = "2006-01-02T15:04:05"
	start := len(dst)
	dst, err := t.AppendText(dst)
	if nanos := t.Nanosecond(); nanos != 0 && err == nil {
		end := start + len(seconds) + bytes.IndexAny(dst[start+len(seconds):], "Z+-")
		want := start + len(seconds+".000000")
		if nanos%1000 != 0 {
			want += len("000")
		}
		dst = slices.Insert(dst, end, []byte("000000000")[:want-end]...)
	}
	return dst, err
}
