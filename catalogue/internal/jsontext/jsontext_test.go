package jsontext

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzAppend compares strings with those of encoding/json, which has the same escapes, and reads
// numbers and date-times again.
func FuzzAppend(f *testing.F) {
	f.Add("<\u2028\\\"\x00é", 1e16, int64(0), int64(5e8))
	f.Add("plain text of more than eight bytes \u2029", -1e-5, int64(1<<31), int64(1))
	f.Add("", math.Copysign(0, -1), int64(-62135596800), int64(0))
	f.Fuzz(func(t *testing.T, text string, n float64, seconds, nanos int64) {
		text = strings.ToValidUTF8(text, "?")
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(text); err != nil {
			t.Fatal(err)
		}
		if got := AppendString([]byte{}, text); string(got) != strings.TrimSuffix(want.String(), "\n") {
			t.Errorf("%s, want %s", got, want.String())
		}
		for _, bits := range []int{32, 64} {
			if bits == 32 {
				n = float64(float32(n))
			}
			if math.IsNaN(n) || math.IsInf(n, 0) {
				continue
			}
			got := string(AppendFloat(nil, n, bits))
			digits, _, exponent := strings.Cut(got, "e")
			back, err := strconv.ParseFloat(got, bits)
			if math.Float64bits(back) != math.Float64bits(n) || err != nil || !exponent && !strings.Contains(digits, ".") {
				t.Errorf("%v in %d bits is %s", n, bits, got)
			}
		}
		at := time.Unix(seconds%(1<<37), nanos).In(time.FixedZone("", int(seconds%1439)*60))
		got, err := AppendTime([]byte("at "), at)
		if y := at.Year(); y < 0 || y > 9999 {
			if err == nil {
				t.Errorf("year %d is %s", y, got)
			}
			return
		}
		back, parseErr := time.Parse("at 2006-01-02T15:04:05Z07:00", string(got))
		point, zone := bytes.IndexByte(got, '.'), bytes.LastIndexAny(got, "Z+-")
		if digits := zone - point - 1; err != nil || parseErr != nil || !back.Equal(at) || point >= 0 && digits != 6 && digits != 9 {
			t.Errorf("%v is %s: %v, %v", at, got, err, parseErr)
		}
	})
}
