package requests

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
)

// A Maker makes up odd values, some of which are not valid, in the spellings that a handler accepts.
type Maker struct {
	values.Maker
	*rand.Rand
}

func newMaker(seed uint64) Maker {
	r := rand.New(rand.NewPCG(seed, 0))
	return Maker{values.Maker{Choose: r.IntN, Odd: true}, r}
}

// Body returns an object with a value of each field that can be sent, about one of which is
// broken. If it is partial, required members may be absent, too.
func (m Maker) Body(fields []schema.Field, partial bool) string {
	var members []string
	for _, f := range fields {
		value, wrong := m.Value(f), m.IntN(len(fields)) == 0
		switch {
		case m.IntN(4) == 0 && (partial || wrong || !f.Required), f.ReadOnly && !wrong:
			continue
		case wrong:
			value = m.Broken(f)
		}
		members = append(members, quote(f.Name)+":"+value)
	}
	m.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
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
		parts := make([]string, m.IntN(4))
		if f.MaxLength > 0 && m.IntN(3) == 0 {
			parts = make([]string, f.MaxLength+1)
		}
		for i := range parts {
			parts[i] = m.either(*f.Item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case schema.Map:
		return `{"":` + m.either(*f.Item) + `,"a_b":` + m.either(*f.Item) + `,"ü1":` + m.either(*f.Item) + `}`
	case schema.Object:
		return m.Body(f.Fields, m.IntN(2) == 0)
	}
	var text string
	_ = json.Unmarshal([]byte(m.Value(f)), &text) // "" if the value is no text
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
		return m.Value(f)
	}
	return m.Broken(f)
}

// oddity returns a value that few fields accept.
func (m Maker) oddity() string {
	return m.oneOf("null", "true", "0", "-0", "-0.0", "1e400", "1E-400", "7.0", "123456789012345678901234567890", `""`, `" "`, `"\u0000"`, `"\ud800"`, `"NaN"`, `"x"`,
		`"𝔘ﬃİ"`, "[]", "{}", "[[]]", "[null]", `{"a":null}`, `{"":{"a_b":[1e999]}}`, `"2024-02-30"`, quote(strings.Repeat("long", 600)), "9223372036854775808", "1e22")
}

func (m Maker) oneOf(values ...string) string { return values[m.IntN(len(values))] }

func quote(text string) string {
	b, _ := json.Marshal(text) // of a string
	return string(b)
}
