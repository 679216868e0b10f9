// Package values makes up valid values of the fields of a description, for examples, for samples
// and for tests of a program's own collections.
//
//	m := values.Maker{Choose: rand.IntN}
//	body := m.Object(films.Fields) // of a POST
package values

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A Maker makes up values. It keeps no state, so it is safe for concurrent use if its functions
// are. Equal choices make equal values.
type Maker struct {
	// Choose returns a number from 0 to n-1, which chooses among n alternatives, as rand.IntN
	// does. n is at most 10⁹. It must not be nil.
	Choose func(n int) int

	// Text, if not nil, returns text for a field of the kinds Text, Slug, UnicodeSlug, Email and
	// URL. It is cut, lengthened and, except in a Text, converted to a slug as the field demands. If
	// nil, the text is the label of the field, with a number before it in a Unique field.
	Text func(f schema.Field) string

	// Refer, if not nil, returns what a Reference may be, as JSON, or "" if there is nothing. If
	// nil, the id 1 exists.
	Refer func(f schema.Field) string

	// Odd makes values that programs handle badly, in all spellings that a request may have, and
	// leaves out some members that objects may lack. Then Text is not called.
	Odd bool
}

// Fields returns a field of each kind, for tests that range over the kinds. The fields are called a, b
// and so on, have nothing but what their kinds demand, and refer to the collection x.
func Fields() (fields []schema.Field) {
	for kind := schema.Integer; ; kind++ {
		f := schema.Field{Name: string(rune('a' + len(fields))), Kind: kind}
		switch kind {
		case schema.Decimal:
			f.Digits, f.Places = 8, 2
		case schema.Choice:
			f.Choices = []string{"first", "second"}
		case schema.Regex:
			f.Pattern = regexp.MustCompile("^[A-Z]{3}-[0-9]{4}$")
		case schema.Reference, schema.References:
			f.Refers = "x"
		case schema.Array, schema.Map:
			f.Item = &schema.Field{Kind: schema.Text}
		case schema.JSON:
			f.Nullable = true
		case schema.Object:
			f.Fields = []schema.Field{{Name: "text", Kind: schema.Text}}
		}
		if err := (schema.Description{Key: "x", Segment: "x", Name: "x", Fields: []schema.Field{f}}).Check(); err != nil && strings.Contains(err.Error(), "is unknown") {
			return fields
		}
		fields = append(fields, f)
	}
}

// Value returns a valid value of a field as JSON, or "" if it finds none: if the pattern of a
// text contradicts its length, or a reference that cannot be null has nothing to refer to. Rules,
// checks and uniqueness are ignored, but of Unique fields there are many values: of other numbers
// without bounds, Value returns those near zero. O(length of the value).
func (m Maker) Value(f schema.Field) string {
	if f.Nullable && m.Choose(4) == 3 {
		return "null"
	}
	value := m.value(f)
	switch {
	case value == "" && f.Nullable:
		return "null"
	case f.Quoted && value != "" && value[0] != '"':
		return quote(value)
	}
	return value
}

// Object returns an object with a value of each field that can be sent, or "" if it finds none for
// one of them. O(its length).
func (m Maker) Object(fields []schema.Field) string {
	var list []string
	for _, f := range fields {
		if f.ReadOnly || f.Computed || m.Odd && !f.Required && m.Choose(4) == 3 {
			continue
		}
		name := f.Name
		if m.Odd && m.Choose(8) == 7 {
			name = ordering.Snake(name)
		}
		list = append(list, pair(name, m.Value(f)))
	}
	return enclosed("{", list, "}")
}

func (m Maker) value(f schema.Field) string {
	if f.Choices != nil {
		return m.oneOf(f.ChoiceValues()...)
	}
	switch f.Kind {
	case schema.Integer:
		return m.spelled(m.number(f, 0))
	case schema.Float:
		places := 1
		if m.Odd {
			places = m.Choose(4)
		}
		return m.spelled(m.number(f, places))
	case schema.Decimal:
		switch {
		case !m.Odd:
			return quote(m.number(f, f.Places))
		case f.Digits > f.Places && m.Choose(3) == 2:
			return m.spelled(m.number(f, 0))
		}
		return m.spelled(m.number(f, f.Places))
	case schema.Boolean:
		if m.Odd {
			return m.oneOf("true", "false", `"true"`, `"f"`, "1", "0", "1.0")
		}
		return m.oneOf("false", "true")
	case schema.Date:
		return quote(m.date(f))
	case schema.Timestamp:
		return quote(m.date(f) + m.clock())
	case schema.TimeOfDay, schema.Interval:
		if m.Odd {
			return m.oneOf(`"8:00"`, `"23:59:59.999999"`, `"00:00:00.5"`)
		}
		return quote(schema.Time(time.Duration(m.Choose(24*60*60)) * time.Second).String())
	case schema.UUID:
		return m.uuid()
	case schema.Reference:
		return m.refer(f)
	case schema.References:
		list := m.list(f.MinLength+m.Choose(4), func() string { return m.refer(f) })
		list = slices.DeleteFunc(list, func(value string) bool { return value == "" })
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) // as ids
		if distinct := slices.Compact(slices.Clone(list)); len(distinct) >= f.MinLength {
			list = distinct
		}
		if len(list) < f.MinLength {
			return ""
		}
		return enclosed("[", list, "]")
	case schema.Array:
		item, most := *f.Item, cmp.Or(f.MaxLength, f.MinLength+3)
		item.Name = f.Name // of which the label is
		return enclosed("[", m.list(f.MinLength+m.Choose(most-f.MinLength+1), func() string { return m.Value(item) }), "]")
	case schema.Map:
		return m.mapped(func() string { return m.Value(*f.Item) })
	case schema.Object:
		return m.Object(f.Fields)
	case schema.JSON:
		if m.Odd {
			return m.anything(3)
		}
		return m.anything(1)
	}
	return m.text(f)
}

// spelled returns a number as a number or, if that is odd, as text.
func (m Maker) spelled(number string) string {
	if m.Odd {
		return m.oneOf(number, number, quote(number), quote(" "+number+" "))
	}
	return number
}

// number returns a number with some places that the bounds of a field allow.
func (m Maker) number(f schema.Field, places int) string {
	if f.Kind == schema.Integer {
		f.Min, f.Max = cmp.Or(f.Min, strconv.Itoa(math.MinInt)), cmp.Or(f.Max, strconv.Itoa(math.MaxInt))
	}
	scale := power(places)
	least, most := units(f.Min, scale, true), units(f.Max, scale, false)
	if f.Kind == schema.Decimal {
		end := power(f.Digits - f.Places + places)
		end.Sub(end, big.NewInt(1))
		most = clamp(end, nil, most)
		least = clamp(new(big.Int).Neg(end), least, nil)
	}
	if least != nil && most != nil && least.Cmp(most) > 0 { // numbers between them have more places
		return cmp.Or(f.Min, f.Max)
	}
	steps := big.NewInt(999_999_999)
	if n := new(big.Int).Mul(scale, big.NewInt(999)); !f.Unique && n.Cmp(steps) < 0 {
		steps = n
	}
	low := new(big.Int)
	if m.Odd {
		low.Quo(steps, big.NewInt(-2))
	}
	low = clamp(low, least, most)
	high := clamp(new(big.Int).Add(low, steps), nil, most)
	if f.Unique || low.Cmp(high) == 0 {
		low = clamp(new(big.Int).Sub(high, steps), least, nil)
	}
	n := int(new(big.Int).Sub(high, low).Int64())
	return new(big.Rat).SetFrac(low.Add(low, big.NewInt(int64(m.Choose(n+1)))), scale).FloatString(places)
}

// power returns 10ⁿ.
func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// units returns a bound as a multiple of 1/scale, rounded up or down, or nil if it is no number.
func units(bound string, scale *big.Int, up bool) *big.Int {
	r, ok := new(big.Rat).SetString(bound)
	if !ok {
		return nil
	}
	r.Mul(r, new(big.Rat).SetInt(scale))
	n, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if up && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// clamp returns a copy of n, or of the bound that it exceeds. Bounds may be nil.
func clamp(n, least, most *big.Int) *big.Int {
	switch {
	case least != nil && n.Cmp(least) < 0:
		n = least
	case most != nil && n.Cmp(most) > 0:
		n = most
	}
	return new(big.Int).Set(n)
}

// date returns a day of the 30 years before May 2026, and if many days are needed, one of almost
// any year.
func (m Maker) date(f schema.Field) string {
	if f.Unique || m.Odd {
		return fmt.Sprintf("%04d-%02d-%02d", 1+m.Choose(9998), 1+m.Choose(12), 1+m.Choose(28))
	}
	return time.Date(2026, 5, 10-m.Choose(30*365), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// clock returns a time of day with its offset.
func (m Maker) clock() string {
	if m.Odd {
		return m.oneOf("T18:00:00Z", "T23:59:59.999999+02:00", "T00:00:00.5-11:30")
	}
	return fmt.Sprintf("T%02d:%02d:00Z", m.Choose(24), m.Choose(60))
}

func (m Maker) uuid() string {
	digits := m.letters("0123456789abcdef", 32)
	if m.Odd {
		digits = m.letters("0123456789abcdefABCDEF", 32)
		return m.oneOf(quote(digits), quote("{"+digits[:8]+"-"+digits[8:]+"}"), quote("urn:uuid:"+digits), strconv.Itoa(m.Choose(1000)))
	}
	return quote(digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:])
}

func (m Maker) refer(f schema.Field) string {
	if m.Refer == nil {
		return "1"
	}
	return m.Refer(f)
}

// anything returns JSON of limited depth that can be stored.
func (m Maker) anything(depth int) string {
	inner := func() string { return m.anything(depth - 1) }
	switch n := m.Choose(4); {
	case n == 2 && depth > 0:
		return enclosed("[", m.list(m.Choose(4), inner), "]")
	case n == 3 && depth > 0:
		return m.mapped(inner)
	case m.Odd:
		return m.oneOf("null", "true", "1", "-2.50", "1e22", "123456789012345678901234567890", `""`, `"é\u0000"`, `"a b"`)
	case n == 0:
		return strconv.Itoa(m.Choose(1000))
	}
	return quote("text " + strconv.Itoa(m.Choose(1000)))
}

// mapped returns an object whose members are in the order in which a map of Go is encoded, also
// after their names have been converted to camelCase.
func (m Maker) mapped(value func() string) string {
	names := []string{"a", "b", "c"}
	if m.Odd {
		names = []string{"", "a", "A b", "a_b", "b", "_x", "ü1"}
	}
	var list []string
	for _, name := range names {
		if m.Choose(3) > 0 {
			list = append(list, pair(name, value()))
		}
	}
	return enclosed("{", list, "}")
}

func (m Maker) oneOf(values ...string) string { return values[m.Choose(len(values))] }

func (m Maker) list(n int, value func() string) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = value()
	}
	return values
}

// enclosed returns a list or an object, or "" if one of its parts is "".
func enclosed(open string, parts []string, end string) string {
	if slices.Contains(parts, "") {
		return ""
	}
	return open + strings.Join(parts, ",") + end
}

// pair returns a member of an object, or "" if it has no value.
func pair(name, value string) string {
	if value == "" {
		return ""
	}
	return quote(name) + ":" + value
}

func quote(text string) string { return string(jsontext.AppendString(nil, text)) }

// text returns a text of a kind with the length and the pattern of a field, or "" if it finds none.
func (m Maker) text(f schema.Field) string {
	if f.Blank && !f.Unique && m.Choose(4) == 3 {
		return `""`
	}
	text := fit(f, m.form(f))
	if n := utf8.RuneCountInString(text); n < f.MinLength || f.Pattern != nil && !f.Pattern.MatchString(text) {
		return ""
	}
	return quote(text)
}

// form returns a text of the kind or with the pattern of a field.
func (m Maker) form(f schema.Field) string {
	if f.Pattern != nil {
		return m.matching(f.Pattern)
	}
	if m.Odd {
		return m.odd(f)
	}
	text := f.Label()
	switch {
	case m.Text != nil:
		text = m.Text(f)
	case f.Unique:
		text = strconv.Itoa(m.Choose(1_000_000_000)) + " " + text
	}
	switch f.Kind {
	case schema.Slug, schema.UnicodeSlug:
		return slug(text)
	case schema.Email:
		return slug(text) + "@example.org"
	case schema.URL:
		return "https://www.example.org/" + slug(text)
	}
	return cmp.Or(text, "text")
}

// odd returns a text of a kind whose characters and length are unusual.
func (m Maker) odd(f schema.Field) string {
	least := max(f.MinLength, 1)
	n := least + m.Choose(cmp.Or(f.MaxLength, least+12)-least+1)
	switch f.Kind {
	case schema.Email:
		return m.letters("abc", max(1, min(n-12, 50))) + m.oneOf("@b.example", "@localhost", "@[::1]")
	case schema.URL:
		return m.oneOf("https://", "http://") + m.letters("abc", 5) + ".example/" + m.letters("ab/?=&", max(0, min(n-22, 20)))
	case schema.Slug:
		return m.letters("abcXYZ-_09", n)
	case schema.UnicodeSlug:
		return m.letters("abc-_é路½Ⅷß", n)
	}
	return "a" + m.letters("abc é路😀'\"\\<&ß\n", max(0, n-2)) + strings.Repeat("z", min(1, n-1))
}

func (m Maker) letters(of string, n int) string {
	letters, text := []rune(of), make([]rune, n)
	for i := range text {
		text[i] = letters[m.Choose(len(letters))]
	}
	return string(text)
}

// fit shortens or lengthens a text to a length that a field permits. An e-mail address keeps its
// host.
func fit(f schema.Field, text string) string {
	host := ""
	if at := strings.LastIndexByte(text, '@'); f.Kind == schema.Email && at >= 0 {
		text, host = text[:at], text[at:]
	}
	if room := f.MaxLength - len(host); f.MaxLength > 0 && utf8.RuneCountInString(text) > room {
		text = strings.TrimRight(string([]rune(text)[:max(room, 1)]), " -")
	}
	if n := f.MinLength - len(host) - utf8.RuneCountInString(text); n > 0 {
		text += strings.Repeat("x", n)
	}
	return text + host
}

// slug converts a text to words of its ASCII letters and digits, joined by hyphens. If nothing
// remains, as of Japanese, it returns "text".
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return cmp.Or(strings.Join(words, "-"), "text")
}

// matching returns a text in which a pattern is found, unless that depends on word boundaries.
func (m Maker) matching(pattern *regexp.Regexp) string {
	re, err := syntax.Parse(pattern.String(), syntax.Perl)
	if err != nil { // of a POSIX pattern
		return ""
	}
	var b strings.Builder
	m.match(&b, re)
	return b.String()
}

// match appends a text that matches an expression.
func (m Maker) match(b *strings.Builder, re *syntax.Regexp) {
	least, most := 1, 1 // repetitions
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		i := 2 * m.Choose(len(re.Rune)/2)
		b.WriteRune(m.character(re.Rune[i], re.Rune[i+1]))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune(m.character('a', 'z'))
	case syntax.OpAlternate:
		m.match(b, re.Sub[m.Choose(len(re.Sub))])
		return
	case syntax.OpStar:
		least, most = 0, 3
	case syntax.OpPlus:
		most = 3
	case syntax.OpQuest:
		least = 0
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
		if most < 0 {
			most = least + 3
		}
	}
	for range least + m.Choose(most-least+1) {
		for _, sub := range re.Sub {
			m.match(b, sub)
		}
	}
}

// character returns a character from low to high, if possible one that is printed.
func (m Maker) character(low, high rune) rune {
	if high >= '!' {
		low, high = max(low, '!'), min(high, max(low, '~'))
	}
	return low + rune(m.Choose(int(high-low+1)))
}
