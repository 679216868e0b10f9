package schema

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering"
)

// modelParts returns the parts of a moment of the calendar, which count days as ISO 8601 does.
func modelParts(year, month, day, hour, minute, second int) map[string]int {
	leap := func(y int) bool { return y%4 == 0 && y%100 != 0 || y%400 == 0 }
	ordinal := day // in the year
	for m := 1; m < month; m++ {
		ordinal += []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[m-1]
	}
	if leap(year) && month > 2 {
		ordinal++
	}
	before := 0 // days from 1900-01-01, a Monday, to the year
	for y := 1900; y < year; y++ {
		before += 365
		if leap(y) {
			before++
		}
	}
	isoDay := (before+ordinal-1)%7 + 1
	weeksOf := func(y int) int { // 53 if the year begins or ends on a Thursday
		last := func(y int) int { return (y + y/4 - y/100 + y/400) % 7 }
		if last(y) == 4 || last(y-1) == 3 {
			return 53
		}
		return 52
	}
	isoYear, week := year, (ordinal-isoDay+10)/7
	if week < 1 {
		isoYear, week = year-1, weeksOf(year-1)
	} else if week > weeksOf(year) {
		isoYear, week = year+1, 1
	}
	return map[string]int{
		"year": year, "iso_year": isoYear, "quarter": (month + 2) / 3, "month": month, "week": week, "day": day,
		"week_day": isoDay%7 + 1, "iso_week_day": isoDay, "hour": hour, "minute": minute, "second": second,
	}
}

// inRange reports whether a canonical value satisfies a test of the lookup range, if it is one.
func inRange(f Field, t Test, text string) bool {
	k, in := f.SortKey(text), false
	for i := 0; i+1 < len(t.Values); i += 2 {
		in = in || f.SortKey(t.Values[i]).Compare(k) <= 0 && k.Compare(f.SortKey(t.Values[i+1])) <= 0
	}
	return in
}

// TestParts compares filters by the parts of random dates and date-times with a model. Those by year,
// iso_year and date must be ranges, which an index answers.
func TestParts(t *testing.T) {
	zone := time.FixedZone("", 5*3600+1800)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, as := range []Framework{{}, DRF318(nil), DRF318(zone)} {
		ctx := WithFramework(t.Context(), as)
		for _, f := range []Field{{Name: "on", Kind: Date}, {Name: "startsAt", Kind: Timestamp}, {Name: "opens", Kind: TimeOfDay}} {
			d := Description{Fields: []Field{f}}
			for range 400 {
				local := time.Date(1995+rng.IntN(40), 1, 1+rng.IntN(366), rng.IntN(24), rng.IntN(60), rng.IntN(60), rng.IntN(2)*250_000_000, time.UTC)
				if rng.IntN(2) == 0 { // around the new year
					local = time.Date(local.Year(), 12, 27+rng.IntN(12), local.Hour(), 0, 0, 0, time.UTC)
				}
				text := local.Format(time.DateOnly)
				switch f.Kind {
				case TimeOfDay:
					text = local.Format("15:04:05.999999")
				case Timestamp:
					text = local.Format("2006-01-02T15:04:05.999999Z")
					if as.zone != nil {
						text = local.Add(-(5*3600 + 1800) * time.Second).Format("2006-01-02T15:04:05.999999Z")
					}
				}
				values := modelParts(local.Year(), int(local.Month()), local.Day(), local.Hour(), local.Minute(), local.Second())
				for name, is := range values {
					if clock := slices.Contains([]string{"hour", "minute", "second"}, name); clock && f.Kind == Date || !clock && f.Kind == TimeOfDay {
						continue
					}
					param := ordering.Snake(f.Name) + "__" + name
					value := is + rng.IntN(3) - 1
					fraction := local.Nanosecond() > 0 && name == "second" && !as.has(cutsSeconds)
					calendar := name == "iso_year" && !as.has(knowsISOYears) // except in lists
					for lookup, want := range map[string]bool{
						"": is == value && !fraction, "__gt": is > value || is == value && fraction, "__gte": is >= value,
						"__lt": is < value, "__lte": is < value || is == value && !fraction,
						"__in": (is == value || is == value+2) && !fraction, "__range": value <= is && (is < value+2 || is == value+2 && !fraction),
					} {
						sent := strconv.Itoa(value)
						switch {
						case lookup == "__in" || lookup == "__range":
							sent = fmt.Sprintf("%d,%d", value, value+2)
						case calendar:
							want = map[string]bool{"": values["year"] == value, "__gt": values["year"] > value, "__gte": values["year"] >= value,
								"__lt": values["year"] < value, "__lte": values["year"] <= value}[lookup]
						}
						d.Filters = []string{param + lookup}
						filter, err := d.Filter(ctx, valuesIn(url.Values{param + lookup: {sent}}), Checks{})
						must(t, err)
						test := filter.Tests[0]
						got := test.Match != nil && holds(test.Match(text)) || test.Match == nil && inRange(f, test, text)
						if whole := strings.HasSuffix(name, "year"); got != want || whole != (test.Match == nil) {
							t.Fatalf("%s: %s=%s: %v (%v), want %v", text, param+lookup, sent, got, test, want)
						}
					}
				}
			}
		}
	}
}

// TestPartsWhereClocksChange compares filters by days and years with the calendar of zones whose clocks
// are set forward over midnight, to later than 00:00 or over a whole day, and back over it.
func TestPartsWhereClocksChange(t *testing.T) {
	d := Description{Fields: []Field{{Name: "at", Kind: Timestamp}}}
	for _, name := range []string{"America/Santiago", "America/Asuncion", "Africa/Cairo", "Asia/Beirut", "America/Havana", "America/St_Johns", "Pacific/Apia", "Pacific/Kiritimati", "Europe/Rome"} {
		zone, err := time.LoadLocation(name)
		must(t, err)
		ctx := WithFramework(t.Context(), DRF318(zone))
		changes := 0
		for _, end := time.Date(1994, 9, 1, 0, 0, 0, 0, zone).ZoneBounds(); !end.IsZero() && end.Year() < 2015; _, end = end.ZoneBounds() {
			if changes++; end.Year() > 1995 && end.Year() < 2010 {
				continue
			}
			var samples []time.Time
			for minutes := -50 * 60; minutes <= 50*60; minutes += 60 {
				at := end.Add(time.Duration(minutes) * time.Minute)
				samples = append(samples, at, at.Add(-time.Minute), at.Add(-time.Microsecond))
			}
			for _, part := range []struct {
				name string
				of   func(time.Time) string
			}{{"date", func(t time.Time) string { return t.Format(time.DateOnly) }}, {"year", func(t time.Time) string { return t.Format("2006") }}, {"iso_year", func(t time.Time) string { return fmt.Sprint(isoYear(t)) }}} {
				given := map[string]bool{}
				for _, at := range samples {
					given[part.of(at)] = true
				}
				for value := range given {
					for lookup, holds := range map[string]func(order int) bool{
						"": func(c int) bool { return c == 0 }, "__in": func(c int) bool { return c == 0 }, "__range": func(c int) bool { return c == 0 },
						"__gt": func(c int) bool { return c > 0 }, "__gte": func(c int) bool { return c >= 0 }, "__lt": func(c int) bool { return c < 0 }, "__lte": func(c int) bool { return c <= 0 },
					} {
						param, sent := "at__"+part.name+lookup, value
						if lookup == "__range" {
							sent += "," + value
						}
						d.Filters = []string{param}
						filter, err := d.Filter(ctx, valuesIn(url.Values{param: {sent}}), Checks{})
						must(t, err)
						for _, at := range samples {
							got, want := inRange(d.Fields[0], filter.Tests[0], At(at.UTC()).wire()), holds(strings.Compare(part.of(at), value))
							if got != want {
								t.Fatalf("%s: %v: %s=%s: %t (%v), want %t", name, at, param, sent, got, filter.Tests[0], want)
							}
						}
					}
				}
			}
		}
		if changes == 0 {
			t.Errorf("%s: the clocks do not change", name)
		}
	}
}

// FuzzExpression matches texts with an expression that a parameter may have. It agrees with package
// regexp until the instructions that it compiles to, times the bytes of the texts, are too many, and
// never matches from then on.
func FuzzExpression(f *testing.F) {
	for _, e := range []string{"b", "^[a-m]", "(?:a?){240}b", `(?:\p{L}?){245}$`, "[^#]{0,480}#", "(?:.{0,20}){24}#", "((a|b)*c){30}", "(a{100}){4}", "((a{10}){10}){10}", "", "(?-s).", "((((x{0,22}){0,22})))", "^", `\b`, "z{240}", "(?i:ſ)", "a{1000}", "(|a)*", "(?P<n>a)"} {
		f.Add(e, false, "bär in the\nwood", uint8(3))
		f.Add(e, true, "", uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, anyCase bool, s string, calls uint8) {
		c, flags := &checker{}, "(?s)"
		match, message := c.expression("title_Regex", text, anyCase)
		if message != "" {
			if !strings.HasPrefix(message, "Enter a valid regular expression: ") || len(message) > 100 {
				t.Fatalf("%q: %s", text, message)
			}
			return
		}
		if anyCase {
			flags = "(?i)(?s)"
		}
		for _, l := range letters {
			text = strings.ReplaceAll(text, l.posix, l.class)
		}
		tree, err := syntax.Parse(flags+text, syntax.Perl)
		must(t, err)
		program, err := syntax.Compile(tree.Simplify())
		must(t, err)
		if len(text) > 2*maxExpression || len(program.Inst) > 4*maxProgram {
			t.Errorf("%q has %d instructions", text, len(program.Inst))
		}
		cost := len(program.Inst) * (len(s) + 1)
		c.work.Store(int64(200_000_000 - int(calls)*cost))
		want := regexp.MustCompile(flags + text).MatchString(s)
		for i := range int(calls) + 2 {
			got, err := match(s)
			if i < int(calls) && (err != nil || got != want) {
				t.Fatalf("%q: match %d of %q: %t, %v, want %t", text, i, s, got, err, want)
			}
			if errs := (FieldErrors)(nil); i >= int(calls) && (!errors.As(err, &errs) || len(errs) != 1 || errs[0].Field != "title_Regex" || got) {
				t.Fatalf("%q: match %d of %q: %t, %v, want an error after %d", text, i, s, got, err, calls)
			}
		}
	})
}

// The expressions of a request, also those of its search, share the bound of their work. A text counts
// in every test of it, and the error has the name of the parameter that was matched last.
func TestWorkOfExpressions(t *testing.T) {
	d := Description{Fields: []Field{{Name: "longTitle", Kind: Text}, {Name: "note", Kind: Text}}, Filters: []string{"long_title__regex", "note__iregex"}, Search: []string{"$note", "$long_title"}}
	text := strings.Repeat("a", 99_999)
	for _, row := range []struct {
		reason, query string
		matches       int // of the text, of 100 thousand letters with one before the first
		want          string
	}{
		{"three instructions", "long_title__regex=z", 666, `{"longTitle_Regex":["` + tooMuchWork + `"]}`},
		{"242 instructions", "long_title__regex=z{240}", 8, `{"longTitle_Regex":["` + tooMuchWork + `"]}`},
		{"two parameters", "long_title__regex=z{240}&note__iregex=z{160}", 9, `{"note_Iregex":["` + tooMuchWork + `"]}`},
		{"a search in two fields", "search=z{240}", 8, `{"search":["` + tooMuchWork + `"]}`},
	} {
		filter, err := d.Filter(t.Context(), query(t, row.query), Checks{})
		must(t, err)
		tests := filter.Tests
		if filter.Search != nil {
			tests = filter.Search[0]
		}
		for i := 0; ; i++ {
			ok, err := tests[i%len(tests)].MatchesText(text)
			if err == nil && !ok && i < row.matches {
				continue
			}
			var errs FieldErrors
			if errors.As(err, &errs); i != row.matches || errs == nil {
				t.Errorf("%s: match %d: %t, %v, want an error after %d", row.reason, i, ok, err, row.matches)
			} else if got, _ := errs.MarshalJSON(); string(got) != row.want {
				t.Errorf("%s: %s, want %s", row.reason, got, row.want)
			}
			break
		}
	}
}
