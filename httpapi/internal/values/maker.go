package values

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A Maker makes up the JSON of values, in the spellings that a handler accepts.
type Maker struct {
	*rand.Rand
	Refer func(f schema.Field) string // returns the JSON of what the field can refer to; if nil, 1
}

// Object returns an object with a valid value of each field that can be sent. If it is partial,
// some members are absent, and otherwise some that may be. If it is broken, some of its
// parts probably are.
func (m Maker) Object(fields []schema.Field, partial, broken bool) string {
	var members []string
	for i, f := range fields {
		value, wrong := m.Valid(f), broken && m.IntN(len(fields)) == 0
		switch {
		case m.IntN(4) == 0 && (partial || wrong || !f.Required), f.ReadOnly && !wrong:
			continue
		case wrong:
			value = m.Broken(f)
		}
		name := fields[i].Name
		if m.IntN(8) == 0 {
			name = ordering.Snake(name)
		}
		members = append(members, quote(name)+":"+value)
	}
	m.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

// Valid returns a valid value of a field, unless the program has a rule for it.
func (m Maker) Valid(f schema.Field) string {
	if f.Nullable && m.IntN(5) == 0 {
		return "null"
	}
	switch f.Kind {
	case schema.Integer:
		return m.spelled(m.number(f, 0))
	case schema.Float:
		return m.spelled(m.number(f, m.IntN(4)))
	case schema.Decimal:
		if f.Digits > f.Places && m.IntN(3) == 0 {
			return m.spelled(m.number(f, 0))
		}
		return m.spelled(m.number(f, f.Places))
	case schema.Timestamp:
		return quote(m.date() + m.oneOf("T18:00:00Z", "T23:59:59.999999+02:00", "T00:00:00.5-11:30"))
	case schema.Boolean:
		return m.oneOf("true", "false", `"true"`, `"f"`, "1", "0", "1.0")
	case schema.Date:
		return quote(m.date())
	case schema.Choice:
		return quote(m.oneOf(f.Choices...))
	case schema.UUID:
		digits := fmt.Sprintf("%016x%016X", m.Uint64(), m.Uint64())
		return m.oneOf(quote(digits), quote("{"+digits[:8]+"-"+digits[8:]+"}"), quote("urn:uuid:"+digits), strconv.Itoa(m.IntN(1000)))
	case schema.Reference:
		return m.refer(f)
	case schema.References:
		return list(f.MinLength+m.IntN(4), func() string { return m.refer(f) })
	case schema.Array:
		most := cmp.Or(f.MaxLength, f.MinLength+3)
		return list(f.MinLength+m.IntN(most-f.MinLength+1), func() string { return m.Valid(*f.Item) })
	case schema.Map:
		return m.sorted(func() string { return m.Valid(*f.Item) })
	case schema.Object:
		return m.Object(f.Fields, false, false)
	case schema.JSON:
		return m.any(3)
	}
	return quote(m.text(f))
}

// Broken returns a value of a field that is probably not valid: of another kind, out of bounds, or
// with a part that is not valid.
func (m Maker) Broken(f schema.Field) string {
	if m.IntN(3) == 0 {
		return m.oddity()
	}
	switch f.Kind {
	case schema.Integer, schema.Float, schema.Decimal:
		return m.oneOf(beside(f.Min, -1, 0), beside(f.Max, 1, 0), beside(f.Min, -1, 9), quote(beside(f.Max, 1, 9)), "-1e-7")
	case schema.Array:
		if n := f.MaxLength + 1; n > 1 && m.IntN(3) == 0 {
			return list(n, func() string { return m.Valid(*f.Item) })
		}
		return list(m.IntN(4), func() string { return m.either(*f.Item) })
	case schema.Map:
		return m.sorted(func() string { return m.either(*f.Item) })
	case schema.Object:
		return m.Object(f.Fields, m.IntN(2) == 0, true)
	}
	text := m.text(f)
	long, short := strings.Repeat("x", f.MaxLength+1), strings.Repeat("x", max(0, f.MinLength-1))
	return quote(m.oneOf(text+"!", text+"\x00", long, long, short, short, text[:len(text)/2], text+" "+text, "x"+text+"é\u0301"))
}

// beside returns a number that differs from a bound by one unit of the last of some places.
func beside(bound string, units int64, places int) string {
	n, ok := new(big.Rat).SetString(bound)
	if !ok {
		return fmt.Sprintf("%de30", units)
	}
	unit, _ := new(big.Rat).SetString(fmt.Sprintf("1e-%d", places))
	return n.Add(n, unit.Mul(unit, big.NewRat(units, 1))).FloatString(places + 3)
}

func (m Maker) either(f schema.Field) string {
	if m.IntN(2) == 0 {
		return m.Valid(f)
	}
	return m.Broken(f)
}

// oddity returns a value that few fields accept.
func (m Maker) oddity() string {
	return m.oneOf("null", "true", "0", "-0", "-0.0", "1e400", "1E-400", "7.0", "123456789012345678901234567890", `""`, `" "`, `"\u0000"`, `"\ud800"`, `"NaN"`, `"x"`,
		`"𝔘ﬃİ"`, "[]", "{}", "[[]]", "[null]", `{"a":null}`, `{"":{"a_b":[1e999]}}`, `"2024-02-30"`, quote(strings.Repeat("long", 600)), "9223372036854775808", "1e22")
}

// number returns a number with some places within the bounds of a field.
func (m Maker) number(f schema.Field, places int) string {
	most := int64(1000)
	if digits := f.Digits - f.Places; f.Kind == schema.Decimal && digits < 3 {
		most = []int64{0, 9, 99}[digits]
	}
	low, high := big.NewRat(-most, 1), big.NewRat(most, 1)
	if n, ok := new(big.Rat).SetString(f.Min); ok {
		low, high = n, new(big.Rat).Add(n, high)
	}
	if n, ok := new(big.Rat).SetString(f.Max); ok && (n.Cmp(high) < 0 || f.Min == "") {
		high = n
		if low.Cmp(high) > 0 {
			low = n
		}
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	first := new(big.Rat).Mul(low, scale)
	units := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(first.Num()), first.Denom())) // rounded up
	span := new(big.Rat).Mul(new(big.Rat).Sub(high, low), scale)
	units.Add(units, big.NewInt(m.Int64N(new(big.Int).Div(span.Num(), span.Denom()).Int64()+1)))
	if n := new(big.Rat).Quo(new(big.Rat).SetInt(units), scale); n.Cmp(high) <= 0 {
		return n.FloatString(places)
	}
	return cmp.Or(f.Min, f.Max, "0")
}

// spelled returns a number as a number or as text.
func (m Maker) spelled(number string) string {
	return m.oneOf(number, number, quote(number), quote(" "+number+" "))
}

// text returns a text of a kind with the length and the pattern of a field. It is not always valid
// if the field has both.
func (m Maker) text(f schema.Field) string {
	if f.Blank && m.IntN(6) == 0 {
		return ""
	}
	least := max(f.MinLength, 1)
	n := least + m.IntN(cmp.Or(f.MaxLength, least+12)-least+1)
	switch {
	case f.Pattern != nil:
		return Text(f.Pattern, m.IntN)
	case f.Kind == schema.Email:
		return m.letters("abc", max(1, min(n-12, 50))) + m.oneOf("@b.example", "@localhost", "@[::1]")
	case f.Kind == schema.URL:
		return m.oneOf("https://", "http://") + m.letters("abc", 5) + ".example/" + m.letters("ab/?=&", max(0, min(n-22, 20)))
	case f.Kind == schema.Slug:
		return m.letters("abcXYZ-_09", n)
	case f.Kind == schema.UnicodeSlug:
		return m.letters("abc-_é路½Ⅷß", n)
	}
	return "a" + m.letters("abc é路😀'\"\\<&ß\n", max(0, n-2)) + strings.Repeat("z", min(1, n-1))
}

func (m Maker) letters(of string, n int) string {
	letters, text := []rune(of), make([]rune, n)
	for i := range text {
		text[i] = letters[m.IntN(len(letters))]
	}
	return string(text)
}

func (m Maker) date() string {
	return fmt.Sprintf("%04d-%02d-%02d", 1+m.IntN(9998), 1+m.IntN(12), 1+m.IntN(28))
}

func (m Maker) refer(f schema.Field) string {
	if m.Refer == nil {
		return "1"
	}
	return m.Refer(f)
}

// any returns any JSON of limited depth that can be stored.
func (m Maker) any(depth int) string {
	inner := func() string { return m.any(depth - 1) }
	switch n := m.IntN(4); {
	case n == 0 && depth > 0:
		return list(m.IntN(4), inner)
	case n == 1 && depth > 0:
		return m.sorted(inner)
	}
	return m.oneOf("null", "true", "1", "-2.50", "1e22", "123456789012345678901234567890", `""`, `"é\u0000"`, `"a b"`)
}

// names of members, in the order in which a map of Go is encoded after they have been converted to
// camelCase.
var names = [...]string{"", "a", "A b", "a_b", "b", "_x", "ü1"}

// sorted returns an object whose members a map of Go keeps in order.
func (m Maker) sorted(value func() string) string {
	var members []string
	for _, name := range names {
		if m.IntN(3) == 0 {
			members = append(members, quote(name)+":"+value())
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (m Maker) oneOf(values ...string) string { return values[m.IntN(len(values))] }

func list(n int, value func() string) string {
	values := make([]string, n)
	for i := range values {
		values[i] = value()
	}
	return "[" + strings.Join(values, ",") + "]"
}

func quote(text string) string {
	b, _ := json.Marshal(text) // of a string
	return string(b)
}
