package ordering

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Condition restricts one field of the records. Functions such as [Equal] and
// [Between] return conditions. A condition is checked when it is used, because only
// then is the type of the field known. The zero Condition restricts no field and is
// invalid.
//
// A value must have the type of the field, or the type that a pointer field points to,
// or be a pointer to such a value. If the type is an interface, the value must implement
// it. A [time.Time] is also accepted for a field of a struct that embeds it. If the type
// has no method OrderingKey or MarshalJSON, these are accepted too, and the strings even if
// it has an OrderingKey:
//
//   - an integer of any type for a field of integers or floats
//   - a float of any type for a field of floats; its value is the number in its JSON, so
//     0.1 equals float32(0.1)
//   - a string of any type for a field of strings
//   - a boolean of any type for a field of booleans
//
// A comparison holds only for values of the same kind: it never holds for null, and
// Less("price", 10) does not hold for text or booleans.
type Condition struct {
	field    string
	operator operator
	value    any         // if the operator takes one or two
	end      any         // the second value of between
	list     []any       // the values of oneOf
	parts    []Condition // the conditions of or, or the one of not
}

// An operator relates a field to the values of a condition.
type operator uint8

const (
	invalid operator = iota
	equal
	oneOf
	less
	atMost
	greater
	atLeast
	between
	prefixed
	isNull
	notNull
	or // and the following have the fields of their parts
	not
)

// Equal returns the condition that a field equals a value.
func Equal(field string, value any) Condition {
	return Condition{field: field, operator: equal, value: value}
}

// OneOf returns the condition that a field equals one of the values. Without values
// it never holds. The elements of a slice are passed as OneOf("status", list...).
func OneOf[V any](field string, values ...V) Condition {
	c := Condition{field: field, operator: oneOf, list: make([]any, len(values))}
	for i, v := range values {
		c.list[i] = v
	}
	return c
}

// Less returns the condition that a field is less than a value.
func Less(field string, value any) Condition {
	return Condition{field: field, operator: less, value: value}
}

// AtMost returns the condition that a field is less than or equal to a value.
func AtMost(field string, value any) Condition {
	return Condition{field: field, operator: atMost, value: value}
}

// Greater returns the condition that a field is greater than a value.
func Greater(field string, value any) Condition {
	return Condition{field: field, operator: greater, value: value}
}

// AtLeast returns the condition that a field is greater than or equal to a value.
func AtLeast(field string, value any) Condition {
	return Condition{field: field, operator: atLeast, value: value}
}

// Between returns the condition that a field is at least from and at most to, as in SQL.
// It is invalid if from is greater than to or of another kind.
func Between(field string, from, to any) Condition {
	return Condition{field: field, operator: between, value: from, end: to}
}

// Prefix returns the condition that a field begins with a prefix. The field must hold
// text. The empty prefix holds for every text. If the field has an order of its own, the key
// of the record must begin with the key of the prefix, and both must be text.
func Prefix(field, prefix string) Condition {
	return Condition{field: field, operator: prefixed, value: prefix}
}

// IsNull returns the condition that a field is null or absent.
func IsNull(field string) Condition { return Condition{field: field, operator: isNull} }

// NotNull returns the condition that a field is neither null nor absent.
func NotNull(field string) Condition { return Condition{field: field, operator: notNull} }

// Or returns the condition that one of several conditions on the same field holds. Without
// conditions it never holds. It is invalid if one of them is, or if they restrict different
// fields: no index answers that.
func Or(conditions ...Condition) Condition {
	c := Condition{operator: or, parts: slices.Clone(conditions)}
	for _, p := range conditions {
		c.field = cmp.Or(c.field, p.field)
	}
	return c
}

// Not returns the condition that holds exactly where another does not. So it holds for null
// where a comparison does not: Not(Equal("status", "open")) holds for records without
// a status. To exclude them, as SQL does, add [NotNull].
func Not(condition Condition) Condition {
	return Condition{field: condition.field, operator: not, parts: []Condition{condition}}
}

// Field returns the name of the field. It is empty if the condition holds for all records or
// for none, such as Or without conditions.
func (c Condition) Field() string { return c.field }

// quoted returns a value as text: its JSON, if it has one.
func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// Ranges returns the ranges of keys that satisfy the condition. The ranges are sorted,
// do not overlap and are not empty. keyOf returns the key of a value for the field; if
// nil, it is [KeyOf]. A [ValueField] has such a function. Ranges is for collections of records.
//
// The error wraps [ErrInvalidCondition] and names the field, or wraps [ErrUnknownField] if
// the name of the field is empty. O(v log v) for v values.
func (c Condition) Ranges(keyOf func(value any) (sortkey.Key, error)) ([]Range, error) {
	if keyOf == nil {
		keyOf = KeyOf
	}
	if c.field == "" && invalid < c.operator && c.operator < or {
		return nil, fmt.Errorf("%w: the condition has an empty name", ErrUnknownField)
	}
	switch c.operator {
	case invalid:
		return nil, fmt.Errorf("%w: the zero Condition: use Equal or another function", ErrInvalidCondition)
	case isNull:
		return []Range{{From: sortkey.Null(), To: sortkey.Null(), ToIncluded: true}}, nil
	case notNull:
		return []Range{{From: sortkey.Bool(false), To: sortkey.Null()}}, nil
	case oneOf:
		return c.points(keyOf)
	case or:
		return c.union(keyOf)
	case not:
		ranges, err := c.parts[0].Ranges(keyOf)
		if err != nil {
			return nil, err
		}
		return complement(ranges), nil
	}
	k, err := c.key(c.value, keyOf)
	if err != nil {
		return nil, err
	}
	switch c.operator {
	case between:
		return c.interval(k, keyOf)
	case prefixed:
		return c.prefix(k)
	case equal:
		return []Range{{From: k, To: k, ToIncluded: true}}, nil
	}
	return c.half(k), nil
}

// key returns the key of a value of the condition.
func (c Condition) key(value any, keyOf func(any) (sortkey.Key, error)) (sortkey.Key, error) {
	if value == nil {
		return sortkey.Key{}, c.errorf("nil: %s", c.nullAdvice())
	}
	k, err := keyOf(value)
	switch {
	case err != nil && c.operator == prefixed:
		return k, c.errorf("%w: Prefix is for fields of text", err)
	case err != nil && c.operator == oneOf && reflect.TypeOf(value).Kind() == reflect.Slice:
		return k, c.errorf("%w: pass the elements of the slice with ...", err)
	case err != nil:
		return k, c.errorf("%w", err)
	case k.Compare(sortkey.Null()) == 0:
		return k, c.errorf("%T is null: %s", value, c.nullAdvice())
	case isNaN(k):
		return k, c.errorf("NaN equals nothing, and is neither less nor greater than any number")
	}
	return k, nil
}

// nullAdvice returns what to use instead of a comparison with null.
func (c Condition) nullAdvice() string {
	if c.operator == equal || c.operator == oneOf {
		return "use IsNull"
	}
	return "null is neither less nor greater than any value"
}

func (c Condition) errorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s: "+format, append([]any{ErrInvalidCondition, c.field}, args...)...)
}

// points returns a range for each value.
func (c Condition) points(keyOf func(any) (sortkey.Key, error)) ([]Range, error) {
	keys := make([]sortkey.Key, len(c.list))
	for i, v := range c.list {
		k, err := c.key(v, keyOf)
		if err != nil {
			return nil, err
		}
		keys[i] = k
	}
	slices.SortFunc(keys, sortkey.Key.Compare)
	keys = slices.CompactFunc(keys, func(a, b sortkey.Key) bool { return a.Compare(b) == 0 })
	ranges := make([]Range, len(keys))
	for i, k := range keys {
		ranges[i] = Range{From: k, To: k, ToIncluded: true}
	}
	return ranges, nil
}

// half returns the range of the keys of k's kind before or after k.
func (c Condition) half(k sortkey.Key) []Range {
	r := kinds[kindOf(k)]
	switch c.operator {
	case less, atMost:
		r.To, r.ToIncluded = k, c.operator == atMost
	default:
		r.From, r.FromExcluded = k, c.operator == greater
	}
	if r.From.Compare(r.To) == 0 && (r.FromExcluded || !r.ToIncluded) {
		return nil // k is the least or the greatest key
	}
	return []Range{r}
}

func (c Condition) interval(from sortkey.Key, keyOf func(any) (sortkey.Key, error)) ([]Range, error) {
	to, err := c.key(c.end, keyOf)
	switch {
	case err != nil:
		return nil, err
	case kindOf(from) != kindOf(to):
		return nil, c.errorf("%s and %s are values of different kinds", quoted(c.value), quoted(c.end))
	case from.Compare(to) > 0:
		return nil, c.errorf("%s is greater than %s", quoted(c.value), quoted(c.end))
	}
	return []Range{{From: from, To: to, ToIncluded: true}}, nil
}

func (c Condition) prefix(k sortkey.Key) ([]Range, error) {
	s, ok := k.AsText()
	if !ok {
		return nil, c.errorf("the order of the field is not one of text: it has no text for %s", quoted(c.value))
	}
	r := kinds[kindOf(k)]
	r.From = k
	end := []byte(s)
	for len(end) > 0 && end[len(end)-1] == 0xff { // TrimRight would trim any byte that is not UTF-8
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
		r.To = sortkey.Text(string(end))
	}
	return []Range{r}, nil
}

// union returns the ranges of keys that satisfy one of the parts.
func (c Condition) union(keyOf func(any) (sortkey.Key, error)) (ranges []Range, err error) {
	var all []Range
	for _, p := range c.parts {
		if p.field != c.field && p.field != "" {
			return nil, c.errorf("Or has a condition on %s too: select with each and join the results", p.field)
		}
		list, err := p.Ranges(keyOf)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b Range) int { return a.From.Compare(b.From) })
	for _, r := range all {
		last := len(ranges) - 1
		if last < 0 {
			ranges = append(ranges, r)
			continue
		}
		l := &ranges[last]
		if c := r.From.Compare(l.To); c > 0 || c == 0 && r.FromExcluded && !l.ToIncluded {
			ranges = append(ranges, r)
			continue
		}
		if r.From.Compare(l.From) == 0 {
			l.FromExcluded = l.FromExcluded && r.FromExcluded
		}
		if c := r.To.Compare(l.To); c > 0 {
			l.To, l.ToIncluded = r.To, r.ToIncluded
		} else if c == 0 {
			l.ToIncluded = l.ToIncluded || r.ToIncluded
		}
	}
	return ranges, nil
}

// complement returns the ranges of all other keys.
func complement(ranges []Range) (others []Range) {
	gap := Range{From: sortkey.Bool(false)} // the least key
	for _, r := range append(slices.Clip(ranges), Range{From: sortkey.Null(), FromExcluded: true}) {
		gap.To, gap.ToIncluded = r.From, r.FromExcluded
		if c := gap.From.Compare(gap.To); c < 0 || c == 0 && !gap.FromExcluded && gap.ToIncluded {
			others = append(others, gap)
		}
		gap.From, gap.FromExcluded = r.To, r.ToIncluded
	}
	return others
}

// A Range is a range of keys. It includes From unless FromExcluded is set, and excludes
// To unless ToIncluded is set. The zero Range is empty.
type Range struct {
	From, To                 sortkey.Key
	FromExcluded, ToIncluded bool
}

func (r Range) contains(k sortkey.Key) bool {
	from, to := k.Compare(r.From), k.Compare(r.To)
	return (from > 0 || from == 0 && !r.FromExcluded) && (to < 0 || to == 0 && r.ToIncluded)
}

// InRanges reports whether a key is in one of several ranges, which must be sorted and not overlap,
// as those of [Condition.Ranges]. O(log n) comparisons.
func InRanges(ranges []Range, k sortkey.Key) bool {
	if len(ranges) > 2 {
		i, _ := slices.BinarySearchFunc(ranges, k, func(r Range, k sortkey.Key) int { return r.To.Compare(k) })
		ranges = ranges[i:min(i+2, len(ranges))] // the first may end before k, where the second begins
	}
	for _, r := range ranges {
		if r.contains(k) {
			return true
		}
	}
	return false
}

// kinds are the ranges of all keys of one kind, in ascending order, without NaN.
var kinds = [...]Range{
	{From: sortkey.Bool(false), To: sortkey.Bool(true), ToIncluded: true},
	{From: sortkey.Float(math.Inf(-1)), To: sortkey.Float(math.Inf(1)), ToIncluded: true},
	{From: sortkey.Time(time.Unix(math.MinInt64, 0)), To: sortkey.Text("")},
	{From: sortkey.Text(""), To: sortkey.List()},
	{From: sortkey.List(), To: sortkey.Object("")},
	{From: sortkey.Object(""), To: sortkey.Null()},
	{From: sortkey.Null(), To: sortkey.Null(), ToIncluded: true},
}

// kindOf returns the index of k's kind in kinds. Comparing kinds is faster than comparing numbers.
func kindOf(k sortkey.Key) int {
	const booleans, times = 0, 2
	if k.Compare(kinds[booleans].To) <= 0 {
		return booleans
	}
	i := times
	for i < len(kinds) && k.Compare(kinds[i].From) >= 0 {
		i++
	}
	return i - 1
}

func isNaN(k sortkey.Key) bool { return k == sortkey.Float(math.NaN()) }
