package schema

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A lookupRow describes a lookup. Whether a text satisfies it, or a value that compares with one of
// the test as cmp.Compare says, is known unless the function is nil.
type lookupRow struct {
	name     string
	of       family
	word     string // between a field and a value, such as "≥"
	sentence string // what is true of a record's field
	text     func(s, value string) bool
	order    func(c int) bool
}

const (
	ordered = texts | numbers | moments
	spelled = texts | numbers
)

var lookups = [...]lookupRow{
	{"exact", ordered | truths | links | lists, "is", "is equal to the value.", equalText, func(c int) bool { return c == 0 }},
	{"iexact", spelled, "is (any case)", "is equal to the value in any letter case.", equalUpper, nil},
	{"contains", spelled, "contains (same case)", "contains the value.", strings.Contains, nil},
	{"icontains", spelled, "contains", "contains the value in any letter case.", containsUpper, nil},
	{"startswith", spelled, "begins with (same case)", "begins with the value.", strings.HasPrefix, nil},
	{"istartswith", spelled, "begins with", "begins with the value in any letter case.", beginsUpper, nil},
	{"endswith", spelled, "ends with (same case)", "ends with the value.", strings.HasSuffix, nil},
	{"iendswith", spelled, "ends with", "ends with the value in any letter case.", endsUpper, nil},
	{"regex", spelled, "matches (same case)", "has a match of the regular expression, in the syntax of RE2.", nil, nil},
	{"iregex", spelled, "matches", "has a match of the regular expression, in the syntax of RE2, in any letter case.", nil, nil},
	{"in", ordered | truths | links | lists, "one of", "is one of the values, which are separated by commas.", equalText, func(c int) bool { return c == 0 }},
	{"gt", ordered, ">", "is greater than the value.", nil, func(c int) bool { return c > 0 }},
	{"gte", ordered, "≥", "is at least the value.", nil, func(c int) bool { return c >= 0 }},
	{"lt", ordered, "<", "is less than the value.", nil, func(c int) bool { return c < 0 }},
	{"lte", ordered, "≤", "is at most the value.", nil, func(c int) bool { return c <= 0 }},
	{"range", ordered | truths | links, "between", "is at least the first and at most the second of two values, which are separated by a comma.", nil, nil},
	{"isnull", ordered | truths | links | lists | others, "is", "is null if the value is true, and is not null if it is false.", nil, nil},
}

// lookupOf returns the lookup with a name, or nil.
func lookupOf(name string) *lookupRow {
	for i := range lookups {
		if lookups[i].name == name {
			return &lookups[i]
		}
	}
	return nil
}

// DescribeLookup returns a lookup for people, such as "≥" between a field and a value, and as a
// sentence about the field, such as "is at least the value." For an unknown lookup it returns the
// name and "".
func DescribeLookup(name string) (word, sentence string) {
	row := cmp.Or(lookupOf(name), &lookupRow{word: name})
	return row.word, row.sentence
}

// lookups returns the names of the lookups and of the parts of a field.
func (f Field) lookups() (names []string) {
	for _, row := range lookups {
		if f.Kind.row().of&row.of != 0 {
			names = append(names, row.name)
		}
	}
	for _, p := range parts {
		if slices.Contains(p.of, f.Kind) {
			names = append(names, p.name)
		}
	}
	return names
}

// A Test restricts a field to values. [Description.Filter] returns tests whose values are valid and
// in canonical form:
//
//   - integers and ids as decimal digits with an optional sign, of any size
//   - decimals and floats as JSON numbers with any exponent; a float is the shortest
//     text of a float64, or a number less than all float64
//   - booleans as true or false
//   - dates as 2006-01-02, and date-times, times and durations as in their JSON, date-times
//     in UTC unless the year is out of range there
//   - other values as they are, in valid UTF-8
//
// Tests of year, iso_year and date of a field have the ranges of its values; those of other parts
// have a Match. Null satisfies only isnull=true, and nothing satisfies in without values.
type Test struct {
	Field  string   // in snake_case, or a path such as address__city or born__month
	Lookup string   // as [Description.Filter] names it, such as "gte"; never empty
	Values []string // one; two for each range; any number for in, and for a list of ids

	// Match, if not nil, reports whether a text satisfies the test: that of the field or, for a
	// part, of the whole, as in JSON. It is set for regex, iregex and parts. It returns
	// [FieldErrors] once the regular expressions of the filter have matched as much text as they
	// may. It is safe for concurrent use.
	Match func(text string) (bool, error)

	// All lets references in Field lead to all records, whatever Rows of the filter. Tests of the
	// program rather than of a request have it.
	All bool
}

// String returns the test without Match.
func (t Test) String() string { return fmt.Sprintf("%s %s %q", t.Field, t.Lookup, t.Values) }

// MatchesText reports whether a text satisfies the test, whose lookup is exact, in, or one of text;
// for others it returns false. It calls Match if that is not nil, and returns its error. Lookups
// without regard to case compare the [unicode.ToUpper] of each code point, so that "ß" is not equal
// to "SS". O(len(s) + len of values), expected, if Match is nil.
func (t Test) MatchesText(s string) (bool, error) {
	if t.Match != nil {
		return t.Match(s)
	}
	row := lookupOf(t.Lookup)
	return row != nil && row.text != nil && slices.ContainsFunc(t.Values, func(value string) bool { return row.text(s, value) }), nil
}

func equalText(s, value string) bool { return s == value }

func equalUpper(s, value string) bool {
	rest, ok := cutUpper(s, value)
	return ok && rest == ""
}

func beginsUpper(s, prefix string) bool {
	_, ok := cutUpper(s, prefix)
	return ok
}

// endsUpper reports whether s ends with a text of as many code points that is equal to suffix in any
// letters.
func endsUpper(s, suffix string) bool {
	at := len(s)
	for range utf8.RuneCountInString(suffix) {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return equalUpper(s[at:], suffix)
}

// containsUpper reports whether s contains word in any letters. Few texts have the part of the word
// that is in ASCII, which is found fast. Otherwise it compares word with s at
// each occurrence of its first letter. After many comparisons it converts both, which is slower for
// most texts, but linear for all.
func containsUpper(s, word string) bool {
	if word == "" {
		return true
	}
	if len(word) > utf8.UTFMax*len(s) { // it has more code points
		return false
	}
	if part := asciiPart(word); part != "" {
		found, differs := containsASCII(s, part)
		if !differs && (!found || len(part) == len(word)) {
			return found
		}
	}
	first, _ := firstUpper(word)
	for left := 4 * len(s); s != ""; {
		r, size := rune(s[0]), 1
		switch {
		case r >= utf8.RuneSelf:
			r, size = firstUpper(s)
		case 'a' <= r && r <= 'z':
			r -= 'a' - 'A'
		}
		if r == first {
			rest, ok := cutUpper(s, word)
			if ok {
				return true
			}
			if left -= len(s) - len(rest); left < 0 {
				return strings.Contains(strings.Map(unicode.ToUpper, s), strings.Map(unicode.ToUpper, word))
			}
		}
		s = s[size:]
	}
	return false
}

// asciiPart returns the first part of a word that is in ASCII, or as much of it as containsASCII
// can find.
func asciiPart(word string) string {
	from := 0
	for from < len(word) && word[from] >= utf8.RuneSelf {
		from++
	}
	to := from
	for to < len(word) && word[to] < utf8.RuneSelf && to-from < 32 {
		to++
	}
	return word[from:to]
}

// containsASCII reports whether s contains a part of a word in any letters. It converts eight bytes
// at a time. differs reports that s has one of the two code points beyond ASCII of which
// [unicode.ToUpper] is in ASCII, I and S; then found may be wrong.
func containsASCII(s, part string) (found, differs bool) {
	var word [32]byte
	var text [128]byte
	upperASCII(word[:], copy(word[:], part))
	for ascii := true; ; s = s[len(text)-len(part)+1:] {
		n := copy(text[:], s)
		if !upperASCII(text[:], n) && ascii {
			if ascii = false; strings.Contains(s, "ı") || strings.Contains(s, "ſ") {
				return false, true
			}
		}
		if found := bytes.Contains(text[:n], word[:len(part)]); found || n == len(s) {
			return found, false
		}
	}
}

// upperASCII converts the ASCII letters in the first n bytes of a text, rounded up to a multiple of
// eight, to upper case, and reports whether these bytes are all ASCII. The length of the text is
// such a multiple.
func upperASCII(text []byte, n int) bool {
	const ones = 0x0101010101010101
	others := uint64(0)
	for ; n > 0; text, n = text[8:], n-8 {
		x := binary.LittleEndian.Uint64(text)
		low := x &^ (0x80 * ones)
		letters := (low + (0x80-'a')*ones) &^ (low + (0x7f-'z')*ones) &^ x & (0x80 * ones)
		binary.LittleEndian.PutUint64(text, x-letters>>2)
		others |= x
	}
	return others&(0x80*ones) == 0
}

// cutUpper returns s without a prefix in any letters. If s does not begin with it, ok is
// false, and rest is where s differs.
func cutUpper(s, prefix string) (rest string, ok bool) {
	for prefix != "" {
		if s == "" {
			return "", false
		}
		a, sizeA := firstUpper(s)
		b, sizeB := firstUpper(prefix)
		if a != b {
			return s, false
		}
		s, prefix = s[sizeA:], prefix[sizeB:]
	}
	return s, true
}

// firstUpper returns the first code point of s in upper case and its length in s.
func firstUpper(s string) (r rune, size int) {
	if c := s[0]; c < utf8.RuneSelf {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		return rune(c), 1
	}
	r, size = utf8.DecodeRuneInString(s)
	return unicode.ToUpper(r), size
}

// Regular expressions of a request: the bytes of each, the instructions of all, about, before they
// are compiled, and their work: instructions × bytes of text. A second does a hundred million of it
// or, for simple expressions, much more.
const (
	maxExpression = 256
	maxProgram    = 500
	maxWork       = 200_000_000
)

// letters are names of classes that are letters of all scripts in PostgreSQL, and of ASCII in RE2.
var letters = [...]struct{ posix, class string }{
	{"[:upper:]", `\p{Lu}`}, {"[:lower:]", `\p{Ll}`}, {"[:alpha:]", `\p{L}`}, {"[:alnum:]", `\p{L}\p{N}`},
}

// expression returns the function Match of a regular expression in a parameter, or a message if it is
// invalid or too large. As in PostgreSQL, a point is any character.
func (c *checker) expression(parameter, text string, anyCase bool) (match func(string) (bool, error), message string) {
	const invalid = "Enter a valid regular expression: "
	if len(text) > maxExpression {
		return nil, fmt.Sprintf(invalid+"it can have at most %d bytes.", maxExpression)
	}
	for _, name := range letters {
		text = strings.ReplaceAll(text, name.posix, name.class)
	}
	if text = "(?s)" + text; anyCase {
		text = "(?i)" + text
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if wrong := (*syntax.Error)(nil); errors.As(err, &wrong) {
		return nil, invalid + string(wrong.Code) + "."
	}
	if c.program += instructions(tree); c.program > maxProgram {
		return nil, invalid + "it is too large."
	}
	compiled, err := syntax.Compile(tree.Simplify())
	program, failed := regexp.Compile(text)
	if err != nil || failed != nil {
		return nil, invalid + "it is too large."
	}
	if c.work == nil {
		c.work = new(atomic.Int64)
	}
	size, work := len(compiled.Inst), c.work
	return func(text string) (bool, error) {
		if work.Add(int64(size)*int64(len(text)+1)) > maxWork {
			return false, FieldErrors{{Field: parameter, Messages: []string{tooMuchWork}}}
		}
		return program.MatchString(text), nil
	}, ""
}

const tooMuchWork = "This takes too much work: use a shorter regular expression, or filters that select fewer records."

// instructions returns about as many instructions as a regular expression has when it is compiled.
func instructions(e *syntax.Regexp) int {
	n := 1
	switch e.Op {
	case syntax.OpLiteral:
		n = len(e.Rune)
	case syntax.OpRepeat:
		n = 0
	}
	for _, sub := range e.Sub {
		n += instructions(sub)
	}
	return n * max(e.Min, e.Max, 1)
}

// A part is an integer, a date or a time of which dates and times have one. Filters compare it like a
// field.
type part struct {
	name  string
	kind  Kind
	of    []Kind
	value func(t time.Time, as Framework) sortkey.Key
	// start returns the first day with a value, or, if next is 1, with the next one. It is nil unless
	// the part is in the order of the whole.
	start func(value string, next int) time.Time
}

var (
	days   = []Kind{Date, Timestamp}
	clocks = []Kind{TimeOfDay, Timestamp}
)

var parts = [...]part{
	{"year", Integer, days, number(time.Time.Year), startOfYear},
	{"iso_year", Integer, days, number(isoYear), startOfISOYear},
	{"quarter", Integer, days, number(func(t time.Time) int { return (int(t.Month()) + 2) / 3 }), nil},
	{"month", Integer, days, number(func(t time.Time) int { return int(t.Month()) }), nil},
	{"week", Integer, days, number(isoWeek), nil},
	{"day", Integer, days, number(time.Time.Day), nil},
	{"week_day", Integer, days, number(func(t time.Time) int { return int(t.Weekday()) + 1 }), nil},
	{"iso_week_day", Integer, days, number(func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }), nil},
	{"hour", Integer, clocks, number(time.Time.Hour), nil},
	{"minute", Integer, clocks, number(time.Time.Minute), nil},
	{"second", Integer, clocks, second, nil},
	{"date", Date, []Kind{Timestamp}, nil, startOfDay},
	{"time", TimeOfDay, []Kind{Timestamp}, timeOfDay, nil},
}

func number(of func(time.Time) int) func(time.Time, Framework) sortkey.Key {
	return func(t time.Time, _ Framework) sortkey.Key { return sortkey.Int(int64(of(t))) }
}

func isoYear(t time.Time) int {
	year, _ := t.ISOWeek()
	return year
}

func isoWeek(t time.Time) int {
	_, week := t.ISOWeek()
	return week
}

// second returns the second, with its fraction unless the framework cuts it.
func second(t time.Time, as Framework) sortkey.Key {
	if as.has(cutsSeconds) {
		return sortkey.Int(int64(t.Second()))
	}
	return sortkey.Float(float64(t.Second()) + float64(t.Nanosecond()/1e3)/1e6)
}

func timeOfDay(t time.Time, _ Framework) sortkey.Key {
	return clockKey(clockText(t))
}

func startOfYear(value string, next int) time.Time {
	return time.Date(yearOf(value)+next, time.January, 1, 0, 0, 0, 0, time.UTC)
}

func startOfISOYear(value string, next int) time.Time {
	t := time.Date(yearOf(value)+next, time.January, 4, 0, 0, 0, 0, time.UTC) // in week 1
	return t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

func startOfDay(value string, next int) time.Time {
	t, _ := time.Parse(time.DateOnly, value)
	return t.AddDate(0, 0, next)
}

// yearOf returns the value of digits, or a year outside of the calendar on the same side of it.
func yearOf(digits string) int {
	n, _ := strconv.Atoi(digits) // out of range, it is the nearest int
	return max(-1, min(n, 10_000))
}

// partOf returns the field and the part of it that a name in snake_case consists of.
func (d Description) partOf(name string) (f Field, p *part, ok bool) {
	at := max(0, strings.LastIndex(name, "__"))
	if f, ok = d.anyField(name[:at]); !ok {
		return f, nil, false
	}
	i := slices.IndexFunc(parts[:], func(p part) bool { return name[at:] == "__"+p.name && slices.Contains(p.of, f.Kind) })
	if i < 0 {
		return f, nil, false
	}
	return f, &parts[i], true
}

// field returns the part of a field as a field.
func (p *part) field(of Field) Field {
	return Field{Name: ordering.Snake(of.Name) + "__" + p.name, Kind: p.kind, Nullable: of.Nullable}
}

// test returns the test of a field of which t is the test of a part: ranges of its values, if these are
// in the order of the part, or else t with a function.
func (p *part) test(f Field, t Test, as Framework) Test {
	whole := strings.TrimSuffix(t.Field, "__"+p.name)
	start := p.start
	if p.name == "iso_year" && !as.has(knowsISOYears) && t.Lookup != "in" && t.Lookup != "range" {
		start = startOfYear
	}
	switch {
	case t.Lookup == "isnull" || len(t.Values) == 0:
		return Test{Field: whole, Lookup: t.Lookup, Values: t.Values}
	case start != nil:
		return rangeTest(whole, spans(f.Kind, t, start, as))
	}
	zone := cmp.Or(as.zone, time.UTC)
	keys := make([]sortkey.Key, len(t.Values))
	for i, value := range t.Values {
		keys[i] = Field{Kind: p.kind}.SortKey(value)
	}
	order := lookupOf(t.Lookup).order
	t.Match = func(text string) (bool, error) {
		moment, ok := momentOf(f.Kind, text, zone)
		if !ok {
			return false, nil
		}
		k := p.value(moment, as)
		if order == nil { // a range
			return keys[0].Compare(k) <= 0 && k.Compare(keys[1]) <= 0, nil
		}
		return slices.ContainsFunc(keys, func(value sortkey.Key) bool { return order(k.Compare(value)) }), nil
	}
	return t
}

// rangeTest returns the test that a field is in one of the ranges between bounds, in pairs. Without
// bounds, nothing satisfies it.
func rangeTest(field string, bounds []string) Test {
	if len(bounds) == 0 {
		return Test{Field: field, Lookup: "in"}
	}
	return Test{Field: field, Lookup: "range", Values: bounds}
}

// spans returns the first and the last value of a field for each range in which the test of a part
// holds.
func spans(kind Kind, t Test, start func(value string, next int) time.Time, as Framework) (values []string) {
	zone, unit := cmp.Or(as.zone, time.UTC), time.Microsecond
	if kind == Date {
		zone, unit = time.UTC, 24*time.Hour
	}
	first, end := time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC), time.Date(10_000, time.January, 1, 0, 0, 0, 0, time.UTC)
	add := func(from, to time.Time) { // days, of which the last is not in the range
		if !from.Before(to) {
			return
		}
		for span := range slices.Chunk(append(midnights(from, zone), midnights(to, zone)...), 2) {
			from, to := slices.MaxFunc([]time.Time{span[0], first}, time.Time.Compare), slices.MinFunc([]time.Time{span[1], end}, time.Time.Compare)
			for _, bound := range [...]time.Time{from, to.Add(-unit)} {
				switch {
				case !from.Before(to):
				case kind == Date:
					values = append(values, bound.Format(time.DateOnly))
				default:
					values = append(values, At(bound.UTC()).wire())
				}
			}
		}
	}
	before, after := first.AddDate(-2, 0, 0), end.AddDate(2, 0, 0)
	switch value := t.Values[0]; t.Lookup {
	case "gt":
		add(start(value, 1), after)
	case "gte":
		add(start(value, 0), after)
	case "lt":
		add(before, start(value, 0))
	case "lte":
		add(before, start(value, 1))
	case "range":
		add(start(value, 0), start(t.Values[1], 1))
	default:
		for _, value := range t.Values {
			add(start(value, 0), start(value, 1))
		}
	}
	return values
}

// midnights returns the instants at which the clocks of a zone reach a day. That is not always
// midnight, since they can be set forward over it. If they are set back over it, they leave the day
// and reach it again: then there are three instants.
func midnights(day time.Time, zone *time.Location) (at []time.Time) {
	const most = 48 * time.Hour // more than clocks differ from UTC
	for from := day.Add(-most).In(zone); from.Before(day.Add(most)); {
		_, offset := from.Zone()
		_, end := from.ZoneBounds()
		midnight := day.Add(-time.Duration(offset) * time.Second)
		if len(at)%2 == 1 && from.Before(midnight) {
			at = append(at, from)
		}
		if end.IsZero() {
			end = day.Add(most)
		}
		if len(at)%2 == 0 && midnight.Before(end) {
			at = append(at, slices.MaxFunc([]time.Time{from, midnight}, time.Time.Compare))
		}
		from = end
	}
	return at
}

// momentOf parses a date, a time or a date-time as records have it. A date-time is converted to the zone.
func momentOf(kind Kind, text string, zone *time.Location) (t time.Time, ok bool) {
	if kind == Timestamp {
		d, ok := parseWire([]byte(text))
		return d.In(zone), ok
	}
	layout := time.DateOnly
	if kind == TimeOfDay {
		layout = time.TimeOnly // with or without a fraction
	}
	t, err := time.Parse(layout, text)
	return t, err == nil
}
