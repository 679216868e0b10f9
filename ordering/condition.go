package ordering

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Condition restricts one field of the records. Functions such as [Equal] and
// [Between] return conditions. A condition is checked when it is used, because only
// then the type of the field is known. The zero Condition restricts no field and is
// invalid.
//
// A value must have the type of the field, or the type that a pointer field points to, or
// implement the field's interface type. An integer of any type can be compared with any
// field of integers or floats, a string with any field of strings, and a [time.Time] with
// any field of a struct that embeds it. A comparison holds for values of the same kind
// only: it never holds for null, and Less("price", 10) does not hold for text or booleans.
type Condition struct {
	field    string
	operator operator
	values   []any
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
)

// Equal returns the condition that a field equals a value.
func Equal(field string, value any) Condition { return Condition{field, equal, []any{value}} }

// OneOf returns the condition that a field equals one of the values. Without values
// it never holds.
func OneOf[V any](field string, values ...V) Condition {
	c := Condition{field: field, operator: oneOf, values: make([]any, len(values))}
	for i, v := range values {
		c.values[i] = v
	}
	return c
}

// Less returns the condition that a field is less than a value.
func Less(field string, value any) Condition { return Condition{field, less, []any{value}} }

// AtMost returns the condition that a field is less than or equal to a value.
func AtMost(field string, value any) Condition { return Condition{field, atMost, []any{value}} }

// Greater returns the condition that a field is greater than a value.
func Greater(field string, value any) Condition { return Condition{field, greater, []any{value}} }

// AtLeast returns the condition that a field is greater than or equal to a value.
func AtLeast(field string, value any) Condition { return Condition{field, atLeast, []any{value}} }

// Between returns the condition that a field is at least from and less than to. It is
// invalid if from is greater than to.
func Between(field string, from, to any) Condition {
	return Condition{field, between, []any{from, to}}
}

// Prefix returns the condition that a field begins with a prefix. The field must hold
// text. The empty prefix holds for every text.
func Prefix(field, prefix string) Condition { return Condition{field, prefixed, []any{prefix}} }

// IsNull returns the condition that a field is null or absent.
func IsNull(field string) Condition { return Condition{field: field, operator: isNull} }

// NotNull returns the condition that a field is neither null nor absent.
func NotNull(field string) Condition { return Condition{field: field, operator: notNull} }

// Field returns the name of the field.
func (c Condition) Field() string { return c.field }

// String returns the condition as text for people, such as `status = "released"`.
func (c Condition) String() string {
	name := c.field
	switch c.operator {
	case invalid:
		return "no condition"
	case oneOf:
		return name + " in (" + strings.Join(quoted(c.values), ", ") + ")"
	case between:
		q := quoted(c.values)
		return q[0] + " <= " + name + " < " + q[1]
	case isNull:
		return name + " is null"
	case notNull:
		return name + " is not null"
	}
	sign := map[operator]string{equal: "=", less: "<", atMost: "<=", greater: ">", atLeast: ">=", prefixed: "begins with"}
	return name + " " + sign[c.operator] + " " + quoted(c.values)[0]
}

// quoted returns values as text.
func quoted(values []any) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = quote(v)
	}
	return list
}

// quote returns a value, or what it points to, as text.
func quote(value any) string {
	v := reflect.ValueOf(value)
	if value == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return "nil"
	}
	if _, ok := value.(fmt.Stringer); ok {
		return fmt.Sprintf("%v", value) // fmt handles panics of String
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.String:
		return fmt.Sprintf("%q", v)
	case v.CanUint():
		return fmt.Sprint(v.Uint()) // %#v is hexadecimal
	}
	return fmt.Sprintf("%#v", v)
}

// Ranges returns the ranges of keys that satisfy the condition. The ranges are sorted,
// do not overlap and are not empty. keyOf returns the key of a value for the field, like
// [Field].KeyOf; if nil, it is [KeyOf].
//
// The error wraps [ErrInvalidCondition] and names the field. O(v log v) for v values.
func (c Condition) Ranges(keyOf func(value any) (Key, error)) ([]Range, error) {
	if keyOf == nil {
		keyOf = KeyOf
	}
	keys := make([]Key, len(c.values))
	for i, v := range c.values {
		k, err := keyOf(v)
		switch {
		case v == nil:
			err = errors.New("nil: use IsNull")
		case err == nil && k.kind == null:
			err = fmt.Errorf("%v is null: use IsNull", quoted(c.values)[i])
		case err == nil && k.kind == number && k.text == notANumber:
			err = errors.New("NaN equals nothing")
		}
		if err != nil {
			return nil, c.errorf("%w", err)
		}
		keys[i] = k
	}
	switch c.operator {
	case equal, oneOf:
		return points(keys), nil
	case less, atMost, greater, atLeast:
		return c.half(keys[0]), nil
	case between:
		return c.interval(keys[0], keys[1])
	case prefixed:
		return c.prefix(keys[0])
	case isNull:
		return []Range{{From: Null(), To: Null(), ToIncluded: true}}, nil
	case notNull:
		return []Range{{From: Bool(false), To: Null()}}, nil
	}
	return nil, fmt.Errorf("%w: the zero Condition", ErrInvalidCondition)
}

func (c Condition) errorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s: "+format, append([]any{ErrInvalidCondition, c.field}, args...)...)
}

// points returns ranges of one key each.
func points(keys []Key) []Range {
	slices.SortFunc(keys, Key.Compare)
	keys = slices.CompactFunc(keys, func(a, b Key) bool { return a.Compare(b) == 0 })
	list := make([]Range, len(keys))
	for i, k := range keys {
		list[i] = Range{From: k, To: k, ToIncluded: true}
	}
	return list
}

// half returns the range of the keys of k's kind before or after k.
func (c Condition) half(k Key) []Range {
	r := k.kind.all()
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

func (c Condition) interval(from, to Key) ([]Range, error) {
	q := quoted(c.values)
	switch {
	case from.kind != to.kind:
		return nil, c.errorf("%s and %s are values of different kinds", q[0], q[1])
	case from.Compare(to) > 0:
		return nil, c.errorf("%s is greater than %s", q[0], q[1])
	case from.Compare(to) == 0:
		return nil, nil
	}
	return []Range{{From: from, To: to}}, nil
}

func (c Condition) prefix(k Key) ([]Range, error) {
	if k.kind != text {
		return nil, c.errorf("the field does not hold text")
	}
	r := k.kind.all()
	r.From = k
	end := k.text
	for strings.HasSuffix(end, "\xff") { // TrimRight would trim any byte that is not UTF-8
		end = end[:len(end)-1]
	}
	if end != "" {
		r.To = Text(end[:len(end)-1] + string([]byte{end[len(end)-1] + 1}))
	}
	return []Range{r}, nil
}
