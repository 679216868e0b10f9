package schema

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
)

var (
	threeNumbers = regexp.MustCompile(`^[0-9]+[-/][0-9]+[-/][0-9]+$`)

	// In Python, a space may replace the first digit of the day.
	lastDay   = regexp.MustCompile(`- ([0-9])$`)
	middleDay = regexp.MustCompile(`/ ([0-9])/`)
)

// modelDate parses a date with package time.
func modelDate(text string) (value string, ok bool) {
	text = strings.TrimFunc(text, unicode.IsSpace)
	text = lastDay.ReplaceAllString(text, "-0$1")
	text = middleDay.ReplaceAllString(text, "/0$1/")
	if !threeNumbers.MatchString(text) {
		return "", false // package time accepts some signs
	}
	for _, layout := range []string{"2006-1-2", "1/2/2006", "1/2/06"} {
		if d, err := time.Parse(layout, text); err == nil && d.Year() > 0 {
			return d.Format("2006-01-02"), true
		}
	}
	return "", false
}

func checkFilterDate(t *testing.T, text string) {
	t.Helper()
	want, ok := modelDate(text)
	got, message := filterDate(text)
	if got != want || ok != (message == "") || !ok && message != "Enter a valid date." {
		t.Fatalf("filterDate(%q) = %q, %q, want %q, %v", text, got, message, want, ok)
	}
}

func TestFilterDates(t *testing.T) {
	for _, text := range []string{
		"2014-11-30", "2014-11-31", "2014-02-29", "2016-02-29", "1900-02-29", "2000-2-29", "0001-01-01", "0000-01-01", "9999-12-31", "10000-01-01",
		"2014-1-1", "2014-01-1", "2014-001-1", "2014-1-001", "2014-0-1", "2014-1-0", "2014-13-1", "214-1-1", "14-1-1", "2014-11- 5", "2014- 1-5", "2014-11- 15", "2014-11- 0",
		"1/2/2014", "01/02/2014", "13/1/2014", "1/32/2014", "1/2/0000", "1/2/0001", "1/2/201", "1/2/20145", "1/ 2/2014", " 1/2/2014", "1/2/2014/", "/1/2014",
		"1/2/00", "1/2/68", "1/2/69", "1/2/99", "1/2/6", "2/29/00", "2/29/01", "1/2/-1", "1/2/", "1/2", "",
		"2014/11/30", "11-30-2014", "+014-11-30", "2014-+1-1", "2014-11-30Z", "2014-11-30 ", "\t2014-11-30\n", "２014-11-30", "Nov 30, 2014",
	} {
		checkFilterDate(t, text)
	}
	// Python splits information separators off, too. They are not white space in Go.
	if got, _ := filterDate("\x1c2014-11-30\x1f"); got != "2014-11-30" {
		t.Errorf("a date between separators is %q", got)
	}
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 20_000 {
		text := time.Date(random.IntN(12_000)-1000, 1, random.IntN(400), 0, 0, 0, 0, time.UTC).
			Format([]string{"2006-1-2", "2006-01-02", "1/2/2006", "1/_2/06", "01/02/06"}[random.IntN(5)])
		if b := []byte(text); random.IntN(2) == 0 {
			b[random.IntN(len(b))] = "0123456789/- "[random.IntN(13)]
			text = string(b)
		}
		checkFilterDate(t, text)
		if _, ok := modelDate(text); ok {
			accepted++
		}
	}
	if accepted < 4_000 {
		t.Errorf("only %d random dates are accepted", accepted)
	}
}

// TestFilterTimes writes random instants in the forms that filters accept and expects the
// instant in UTC.
func TestFilterTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	forms := []struct {
		layout string
		unit   time.Duration
		zone   bool
	}{
		{"2006-01-02T15:04", time.Minute, false},
		{"2006-1-2 15:04:05", time.Second, false},
		{"2006-01-02T15:04:05.000000", time.Microsecond, false},
		{" 2006-01-02T15:04:05Z07:00\n", time.Second, true},
		{"2006-01-02T15:04-0700", time.Minute, true},
		{"2006-01-02 15:04:05.000-07:00", time.Millisecond, true},
		{"2006-01-02T15:04:05,000000000Z07:00", time.Microsecond, true},
	}
	for range 20_000 {
		form := forms[random.IntN(len(forms))]
		at := time.UnixMicro(random.Int64N(4e15) - 2e15).UTC().Truncate(form.unit)
		written := at
		if form.zone {
			written = at.In(time.FixedZone("", 60*(random.IntN(2*1439)-1439)))
		}
		layout := "2006-01-02T15:04:05Z"
		if at.Nanosecond() != 0 {
			layout = "2006-01-02T15:04:05.000000Z"
		}
		text, want := written.Format(form.layout), at.Format(layout)
		if got, message := filterTime(text); got != want {
			t.Fatalf("filterTime(%q) = %q, %q, want %q", text, got, message, want)
		}
	}
}

func TestFilterTimeRows(t *testing.T) {
	for _, row := range []struct{ text, want, reason string }{
		{"2021-10-27T19:15", "2021-10-27T19:15:00Z", "no offset means UTC"},
		{"2021-10-27T19:15:00.5+02", "2021-10-27T17:15:00.500000Z", "hours of offset"},
		{"2021-10-27T19:15:00.1234567", "2021-10-27T19:15:00.123456Z", "cut to microseconds"},
		{"0001-01-01T00:00", "0001-01-01T00:00:00Z", "the first instant"},
		{"0001-01-01T00:00+02:00", "0001-01-01T00:00:00+02:00", "year 0 in UTC: the offset is kept"},
		{"9999-12-31T23:59-02:00", "9999-12-31T23:59:00-02:00", "year 10000 in UTC: the offset is kept"},
		{"2021-10-27", "", "no time"},
		{"2021-10-27T19", "", "no minutes"},
		{"2021-10-27t19:15", "", "lower case"},
		{"2021-10-27T19:15z", "", "lower case offset"},
		{"2021-10-27T19:15 Z", "", "space before the offset"},
		{"2021-10-27T19:15ZZ", "", "two offsets"},
		{"2021-10-27T19:15+02:0", "", "incomplete offset"},
		{"2021-10-27T24:00", "", "hour 24"},
		{"2021-02-29T00:00", "", "no such day"},
		{"0000-01-01T00:00", "", "year 0"},
		{"10/27/2021 19:15", "", "a form of en-us"},
	} {
		if got, message := filterTime(row.text); got != row.want || (message == "") != (row.want != "") {
			t.Errorf("%s: filterTime(%q) = %q, %q, want %q", row.reason, row.text, got, message, row.want)
		}
	}
}
