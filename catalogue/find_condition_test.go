package catalogue_test

import (
	"math/rand/v2"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// A findField draws conditions on a field.
type findField struct {
	name   string
	draw   func(rng *rand.Rand) (value, any) // a value, and what a program writes for it
	prefix func(text string) value           // what a prefix compares as; nil if the field holds no text
	wrong  []any                             // values that the field does not accept
}

// A findCondition is a condition and what it means in the model.
type findCondition struct {
	ordering.Condition
	holds   func(v value) bool // of the value of the field
	invalid bool
}

// compared returns a predicate that holds for the values of the kind of v whose comparison
// with v satisfies test.
func compared(v value, test func(c int) bool) func(value) bool {
	return func(x value) bool { return x.kind == v.kind && test(compareValues(x, v)) }
}

// random returns a random condition on the field.
func (f findField) random(rng *rand.Rand) findCondition {
	v, arg := f.draw(rng)
	c := findCondition{invalid: v.kind == isNull}
	switch n := rng.IntN(100); {
	case n < 25:
		c.Condition = ordering.Equal(f.name, arg)
		c.holds = compared(v, func(c int) bool { return c == 0 })
	case n < 33:
		c.Condition = ordering.Less(f.name, arg)
		c.holds = compared(v, func(c int) bool { return c < 0 })
	case n < 41:
		c.Condition = ordering.AtMost(f.name, arg)
		c.holds = compared(v, func(c int) bool { return c <= 0 })
	case n < 49:
		c.Condition = ordering.Greater(f.name, arg)
		c.holds = compared(v, func(c int) bool { return c > 0 })
	case n < 57:
		c.Condition = ordering.AtLeast(f.name, arg)
		c.holds = compared(v, func(c int) bool { return c >= 0 })
	case n < 67:
		return f.between(rng, v, arg)
	case n < 78:
		return f.oneOf(rng, v, arg)
	case n < 88 && f.prefix != nil, n < 79:
		return f.randomPrefix(rng)
	case n < 92:
		return findCondition{Condition: ordering.IsNull(f.name), holds: func(x value) bool { return x.kind == isNull }}
	case n < 99:
		return findCondition{Condition: ordering.NotNull(f.name), holds: func(x value) bool { return x.kind != isNull }}
	default:
		return f.randomInvalid(rng)
	}
	return c
}

// between returns a condition with two bounds. They are seldom in the wrong order.
func (f findField) between(rng *rand.Rand, from value, fromArg any) findCondition {
	to, toArg := f.draw(rng)
	if compareValues(from, to) > 0 && rng.IntN(20) > 0 {
		from, to, fromArg, toArg = to, from, toArg, fromArg
	}
	return findCondition{
		Condition: ordering.Between(f.name, fromArg, toArg),
		holds: func(x value) bool {
			return x.kind == from.kind && compareValues(x, from) >= 0 && compareValues(x, to) < 0
		},
		invalid: from.kind == isNull || from.kind != to.kind || compareValues(from, to) > 0,
	}
}

// oneOf returns a condition with up to four values, which may be equal.
func (f findField) oneOf(rng *rand.Rand, v value, arg any) findCondition {
	values, args := []value{v, v}, []any{arg, arg}
	for range rng.IntN(3) {
		v, arg := f.draw(rng)
		values, args = append(values, v), append(args, arg)
	}
	skip := rng.IntN(3)
	if rng.IntN(20) == 0 {
		skip = len(values) // no value at all
	}
	values, args = values[skip:], args[skip:]
	c := findCondition{Condition: ordering.OneOf(f.name, args...)}
	for _, v := range values {
		c.invalid = c.invalid || v.kind == isNull
	}
	c.holds = func(x value) bool {
		for _, v := range values {
			if x.kind == v.kind && compareValues(x, v) == 0 {
				return true
			}
		}
		return false
	}
	return c
}

// randomPrefix returns a condition with part of a text as its prefix. The part may end
// inside a rune or with bytes that are in no text.
func (f findField) randomPrefix(rng *rand.Rand) findCondition {
	text := pick(rng, "", "a", "ab", "a\x00b", "Anna B", "éa", "日本", "\U0010ffff\U0010ffff", "fr", "12")
	text = text[:rng.IntN(len(text)+1)] + pick(rng, "", "", "", "\x00", "\xff", "\xff\xff")
	c := findCondition{Condition: ordering.Prefix(f.name, text), invalid: true}
	if f.prefix != nil {
		v := f.prefix(text)
		c.invalid = v.kind != isText
		c.holds = func(x value) bool { return x.kind == isText && strings.HasPrefix(x.text, v.text) }
	}
	return c
}

// randomInvalid returns a condition with a value that the field does not accept.
func (f findField) randomInvalid(rng *rand.Rand) findCondition {
	wrong := pick(rng, f.wrong...)
	_, arg := f.draw(rng)
	return findCondition{invalid: true, Condition: pick(rng,
		ordering.Equal(f.name, wrong), ordering.OneOf(f.name, arg, wrong), ordering.Less(f.name, wrong),
		ordering.AtLeast(f.name, wrong), ordering.Between(f.name, arg, wrong), ordering.Condition{})}
}
