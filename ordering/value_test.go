package ordering_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering"
)

// Types of values for KeyOf.
type (
	level    int
	measure  float32
	selfList []selfList
	onValue  struct{ n int64 }
	onTarget struct{ s string }
	priority int // smaller numbers come later
)

func (p priority) OrderingKey() int64 { return -int64(p) }

func (v onValue) OrderingKey() ordering.Key   { return ordering.Int(v.n) }
func (p *onTarget) OrderingKey() ordering.Key { return ordering.Text(strings.ToLower(p.s)) }

// KeyOf returns the key that a field with the value would have.
func TestKeyOf(t *testing.T) {
	noon := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	five, text := 5, "x"
	pointer := &five
	num, list := ordering.Int, ordering.List
	for _, row := range []struct {
		why   string
		value any
		want  ordering.Key
	}{
		{"nil", nil, ordering.Null()},
		{"false", false, ordering.Bool(false)},
		{"true", true, ordering.Bool(true)},
		{"an int", 5, num(5)},
		{"the least int64", int64(math.MinInt64), num(math.MinInt64)},
		{"an int8", int8(-5), num(-5)},
		{"an int16", int16(5), num(5)},
		{"an int32", int32(5), num(5)},
		{"a uint", uint(5), num(5)},
		{"a uint8", uint8(255), num(255)},
		{"a uint16", uint16(5), num(5)},
		{"a uint32", uint32(math.MaxUint32), num(math.MaxUint32)},
		{"a uint64 beyond an int64", uint64(math.MaxUint64), ordering.Number("18446744073709551615")},
		{"a uintptr", uintptr(5), num(5)},
		{"a float32", float32(0.5), ordering.Number("0.5")},
		{"a float64", 2.0, num(2)},
		{"infinity", math.Inf(-1), ordering.Float(math.Inf(-1))},
		{"NaN", math.NaN(), ordering.Float(math.NaN())},
		{"a string", "5", ordering.Text("5")},
		{"a string with bytes that are not UTF-8", "\xff\x00", ordering.Text("\xff\x00")},
		{"a number in JSON", json.Number("5.0"), num(5)},
		{"no number in JSON", json.Number(""), ordering.Null()},
		{"JSON", json.RawMessage(` [1, "x"] `), list(num(1), ordering.Text("x"))},
		{"null in JSON", json.RawMessage("null"), ordering.Null()},
		{"a time", noon, ordering.Time(noon)},
		{"a time in another zone", noon.In(time.FixedZone("", 3600)), ordering.Time(noon)},
		{"a time that has no JSON", time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC), ordering.Time(time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC))},
		{"a struct that embeds a time", stamp{noon}, ordering.Time(noon)},
		{"a duration is an integer", time.Second, num(1e9)},
		{"a named int", level(3), num(3)},
		{"a named float", measure(1.5), ordering.Number("1.5")},
		{"a named string", shade("red"), ordering.Text("red")},
		{"a pointer", &five, num(5)},
		{"a pointer to a pointer", &pointer, num(5)},
		{"a pointer to a string", &text, ordering.Text("x")},
		{"a nil pointer", (*int)(nil), ordering.Null()},
		{"a nil pointer to a time", (*time.Time)(nil), ordering.Null()},
		{"a slice", []int{1, 2}, list(num(1), num(2))},
		{"an empty slice", []string{}, list()},
		{"a nil slice", []string(nil), ordering.Null()},
		{"a slice of pointers", []*int{nil, &five}, list(ordering.Null(), num(5))},
		{"an array", [2]bool{true, false}, list(ordering.Bool(true), ordering.Bool(false))},
		{"a slice of slices", [][]int{{1}, nil}, list(list(num(1)), ordering.Null())},
		{"a slice of values of any type", []any{1, "x", nil}, list(num(1), ordering.Text("x"), ordering.Null())},
		{"a list of itself", selfList{selfList{}}, list(list())},
		{"bytes are text in base64", []byte{1, 2}, ordering.Text("AQI=")},
		{"a map", map[string]int{"b": 1, "a": 2}, ordering.Object(`{"a":2,"b":1}`)},
		{"a nil map", map[string]int(nil), ordering.Null()},
		{"a struct", struct{ A int }{5}, ordering.Object(`{"A":5}`)},
		{"a method on the value", onValue{7}, num(7)},
		{"a method on the value, from a pointer", &onValue{7}, num(7)},
		{"a method on the pointer", onTarget{"ABC"}, ordering.Text("abc")},
		{"a method on the pointer, from a pointer", &onTarget{"ABC"}, ordering.Text("abc")},
		{"a nil pointer with a method", (*onTarget)(nil), ordering.Null()},
		{"a slice of values with a method on the pointer", []onTarget{{"A"}, {"b"}}, list(ordering.Text("a"), ordering.Text("b"))},
	} {
		got, err := ordering.KeyOf(row.value)
		if err != nil || got.Compare(row.want) != 0 {
			t.Errorf("%s: KeyOf() = %v, %v, want %v", row.why, got, err, row.want)
		}
	}
}

// KeyOf returns an error for a value that cannot be marshaled.
func TestKeyOfError(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	for _, row := range []struct {
		why   string
		value any
	}{
		{"a function", func() {}},
		{"a channel", make(chan int)},
		{"a complex number", 1i},
		{"a struct with a function", struct{ F func() }{func() {}}},
		{"a map that contains itself", cycle},
		{"invalid JSON", json.RawMessage("{")},
	} {
		if k, err := ordering.KeyOf(row.value); err == nil {
			t.Errorf("%s: KeyOf() = %v, want an error", row.why, k)
		}
	}
}

// A value can stand for one of a field's type if the documentation of Condition says so.
func TestConditionValues(t *testing.T) {
	type thing struct {
		Int      int
		Byte     uint8
		Float    float64
		Small    float32
		Level    level
		Text     string
		Shade    shade
		Pointer  *string
		Double   **string
		Live     bool
		Time     time.Time
		Stamp    stamp
		Year     yearOnly
		Method   onValue
		Target   *onTarget
		Priority priority
		List     []int
		Map      map[string]int
		JSON     json.RawMessage
		Number   json.Number
		Anything any
		Stringer fmt.Stringer
	}
	fields, err := ordering.FieldsOf[thing]()
	if err != nil {
		t.Fatal(err)
	}
	now, text := time.Now(), "x"
	pointer := &text
	for _, row := range []struct {
		field    string
		accepted []any
		refused  []any
	}{
		{"int", []any{1, int8(1), uint64(math.MaxUint64), level(1), new(int), time.Second}, []any{1.0, float32(1), "1", true, json.Number("1"), now, []int{1}}},
		{"byte", []any{byte(1), -1, 1000}, []any{1.0, "1"}},
		{"float", []any{1, uint8(1), 1.5, float32(1.5), measure(1), math.Inf(1)}, []any{"1", true, json.Number("1")}},
		{"small", []any{1, 1.5, float32(1.5)}, []any{"1"}},
		{"level", []any{level(1), 1, int64(1)}, []any{1.0, "1"}},
		{"text", []any{"x", shade("x"), &text}, []any{1, []byte("x"), 'x', &pointer}},
		{"shade", []any{"x", shade("x"), &text}, []any{1}},
		{"pointer", []any{"x", &text, shade("x")}, []any{1, &pointer}},
		{"double", []any{&pointer, &text}, []any{1}},
		{"live", []any{true}, []any{1, "true"}},
		{"time", []any{now, &now}, []any{"2024-01-01", 5, stamp{now}}},
		{"stamp", []any{now, stamp{now}, &stamp{now}}, []any{"2024-01-01", yearOnly{now}}},
		{"year", []any{now, yearOnly{now}}, []any{2024, stamp{now}}},
		{"method", []any{onValue{1}, &onValue{1}}, []any{1, onTarget{"x"}}},
		{"target", []any{onTarget{"x"}, &onTarget{"x"}}, []any{"x", onValue{1}}},
		{"priority", []any{priority(1)}, []any{1, uint8(1), level(1)}},
		{"list", []any{[]int{1}, []int{}}, []any{1, []int64{1}, [1]int{1}}},
		{"map", []any{map[string]int{"a": 1}}, []any{map[string]any{"a": 1}, "{}"}},
		{"json", []any{json.RawMessage("1")}, []any{1, "1", []byte("1")}},
		{"number", []any{json.Number("1")}, []any{1, 1.5, "1"}},
		{"anything", []any{1, "x", []any{1}, true, 1.5, now, new(int)}, nil},
		{"stringer", []any{time.Second, &now}, []any{1, "x", level(1)}},
	} {
		for _, v := range row.accepted {
			if _, err := fields.Ranges(ordering.Equal(row.field, v)); err != nil {
				t.Errorf("%s = %#v: %v", row.field, v, err)
			}
		}
		for _, v := range row.refused {
			_, err := fields.Ranges(ordering.Equal(row.field, v))
			if !errors.Is(err, ordering.ErrInvalidCondition) || !strings.Contains(err.Error(), row.field+": want ") {
				t.Errorf("%s = %#v: error %v, want %v that names the field", row.field, v, err, ordering.ErrInvalidCondition)
			}
		}
	}
}
