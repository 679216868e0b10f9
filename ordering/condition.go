package ordering

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Condition restricts one field of the records. Functions such as [Equal] and
// [Between] return conditions. A condition is checked when it is used, because only
// then is the type of the field known. The zero Condition restricts no field and is
// invalid.
//
// A value must have the type of the field, or the type that a pointer field points to,
// or be a pointer to such a value. If the type is an interface, the value must implement
// it. A [time.Time] is also accepted for a field of a struct that embeds it. If the type
// has no key function and no method OrderingKey or MarshalJSON, these are accepted too:
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
	value    any   // if the operator takes one or two
	end      any   // the second value of between
	list     []any // the values of oneOf
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

// Between returns the condition that a field is at least from and less than to. It
// never holds if they are equal. It is invalid if from is greater than to or of another
// kind.
func Between(field string, from, to any) Condition {
	return Condition{field: field, operator: between, value: from, end: to}
}

// Prefix returns the condition that a field begins with a prefix. The field must hold
// text. The empty prefix holds for every text. If the field has a key function, the key
// of the record must begin with the key of the prefix, and both must be text.
func Prefix(field, prefix string) Condition {
	return Condition{field: field, operator: prefixed, value: prefix}
}

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
		values := make([]string, len(c.list))
		for i, v := range c.list {
			values[i] = quoted(v)
		}
		return name + " in (" + strings.Join(values, ", ") + ")"
	case between:
		return quoted(c.value) + " <= " + name + " < " + quoted(c.end)
	case isNull:
		return name + " is null"
	case notNull:
		return name + " is not null"
	}
	sign := map[operator]string{equal: "=", less: "<", atMost: "<=", greater: ">", atLeast: ">=", prefixed: "begins with"}
	return name + " " + sign[c.operator] + " " + quoted(c.value)
}

// quoted returns a value as text. A pointer is shown as the value that it points to.
func quoted(value any) string {
	r := reflect.ValueOf(value)
	if value == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return "nil"
	}
	switch v := value.(type) {
	case fmt.Stringer:
		return fmt.Sprintf("%v", v) // fmt handles panics of String
	case json.RawMessage:
		return string(v)
	}
	switch {
	case r.Kind() == reflect.Pointer:
		return quoted(r.Elem().Interface())
	case isInteger(r.Type()): // %#v writes unsigned integers in base 16
		return fmt.Sprintf("%d", value)
	}
	return fmt.Sprintf("%#v", value)
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
	switch c.operator {
	case invalid:
		return nil, fmt.Errorf("%w: the zero Condition: use Equal or another function", ErrInvalidCondition)
	case isNull:
		return []Range{{From: Null(), To: Null(), ToIncluded: true}}, nil
	case notNull:
		return []Range{{From: Bool(false), To: Null()}}, nil
	case oneOf:
		return c.points(keyOf)
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
func (c Condition) key(value any, keyOf func(any) (Key, error)) (Key, error) {
	if value == nil {
		return Key{}, c.errorf("nil: %s", c.nullAdvice())
	}
	k, err := keyOf(value)
	switch {
	case err != nil && c.operator == prefixed:
		return k, c.errorf("%w: Prefix is for fields of text", err)
	case err != nil && c.operator == oneOf && isListOf(value, keyOf):
		return k, c.errorf("%w: pass the elements of the slice with ...", err)
	case err != nil:
		return k, c.errorf("%w", err)
	case k.kind == null:
		return k, c.errorf("%s is null: %s", quoted(value), c.nullAdvice())
	case k.kind == number && k.text == notANumber:
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

// isListOf reports whether a value is a slice or an array whose elements have keys.
func isListOf(value any, keyOf func(any) (Key, error)) bool {
	t := reflect.TypeOf(value)
	if t.Kind() != reflect.Slice && t.Kind() != reflect.Array || t.Elem().Kind() == reflect.Interface {
		return false
	}
	_, err := keyOf(reflect.Zero(t.Elem()).Interface())
	return err == nil
}

func (c Condition) errorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s: "+format, append([]any{ErrInvalidCondition, c.field}, args...)...)
}

// points returns a range for each value.
func (c Condition) points(keyOf func(any) (Key, error)) ([]Range, error) {
	keys := make([]Key, len(c.list))
	for i, v := range c.list {
		k, err := c.key(v, keyOf)
		if err != nil {
			return nil, err
		}
		keys[i] = k
	}
	slices.SortFunc(keys, Key.Compare)
	keys = slices.CompactFunc(keys, func(a, b Key) bool { return a.Compare(b) == 0 })
	ranges := make([]Range, len(keys))
	for i, k := range keys {
		ranges[i] = Range{From: k, To: k, ToIncluded: true}
	}
	return ranges, nil
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

func (c Condition) interval(from Key, keyOf func(any) (Key, error)) ([]Range, error) {
	to, err := c.key(c.end, keyOf)
	switch {
	case err != nil:
		return nil, err
	case from.kind != to.kind:
		return nil, c.errorf("%s and %s are values of different kinds", quoted(c.value), quoted(c.end))
	case from.Compare(to) > 0:
		return nil, c.errorf("%s is greater than %s", quoted(c.value), quoted(c.end))
	case from.Compare(to) == 0:
		return nil, nil
	}
	return []Range{{From: from, To: to}}, nil
}

func (c Condition) prefix(k Key) ([]Range, error) {
	if k.kind != text {
		return nil, c.errorf("the key function of the field returns no text for %s", quoted(c.value))
	}
	r := k.kind.all()
	r.From = k
	end := []byte(k.text)
	for len(end) > 0 && end[len(end)-1] == 0xff { // TrimRight would trim any byte that is not UTF-8
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
		r.To = Text(string(end))
	}
	return []Range{r}, nil
}
