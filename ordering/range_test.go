package ordering_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// The zero Range is empty, and the bounds of a range belong to it or not as the fields
// say.
func TestRangeContains(t *testing.T) {
	num := ordering.Int
	for _, row := range []struct {
		why string
		r   ordering.Range
		k   ordering.Key
		in  bool
	}{
		{"the zero Range is empty", ordering.Range{}, ordering.Null(), false},
		{"one key", ordering.Range{From: num(1), To: num(1), ToIncluded: true}, num(1), true},
		{"one key in another notation", ordering.Range{From: num(1), To: num(1), ToIncluded: true}, ordering.Number("1.0"), true},
		{"one key, excluded at the start", ordering.Range{From: num(1), To: num(1), FromExcluded: true, ToIncluded: true}, num(1), false},
		{"From is included", ordering.Range{From: num(1), To: num(5)}, num(1), true},
		{"From is excluded", ordering.Range{From: num(1), To: num(5), FromExcluded: true}, num(1), false},
		{"just after an excluded From", ordering.Range{From: num(1), To: num(5), FromExcluded: true}, ordering.Number("1.0000000000000000000001"), true},
		{"just before From", ordering.Range{From: num(1), To: num(5)}, ordering.Number("0.9999999999999999999999"), false},
		{"To is excluded", ordering.Range{From: num(1), To: num(5)}, num(5), false},
		{"To is included", ordering.Range{From: num(1), To: num(5), ToIncluded: true}, num(5), true},
		{"after To", ordering.Range{From: num(1), To: num(5), ToIncluded: true}, ordering.Number("5.1"), false},
		{"a reversed range is empty", ordering.Range{From: num(5), To: num(1), ToIncluded: true}, num(3), false},
		{"a key of a kind between the bounds", ordering.Range{From: ordering.Bool(true), To: ordering.Null()}, ordering.Text("x"), true},
		{"null is the largest key", ordering.Range{From: ordering.Bool(false), To: ordering.Null()}, ordering.Null(), false},
		{"null is included", ordering.Range{From: ordering.Bool(false), To: ordering.Null(), ToIncluded: true}, ordering.Null(), true},
		{"a text that begins with To", ordering.Range{From: ordering.Text("a"), To: ordering.Text("b"), ToIncluded: true}, ordering.Text("b\x00"), false},
	} {
		if got := row.r.Contains(row.k); got != row.in {
			t.Errorf("%s: Contains() = %v, want %v", row.why, got, row.in)
		}
	}
}

// InRanges agrees with Range.Contains of each range, at the bounds and between them.
func TestInRanges(t *testing.T) {
	num := ordering.Int
	point := func(n int64) ordering.Range { return ordering.Range{From: num(n), To: num(n), ToIncluded: true} }
	for _, row := range []struct {
		why    string
		ranges []ordering.Range
	}{
		{"no range", nil},
		{"one value", []ordering.Range{point(3)}},
		{"many values", []ordering.Range{point(1), point(3), point(4), point(7), point(9)}},
		{"ranges that meet at a key that neither has", []ordering.Range{{From: num(0), To: num(2)}, {From: num(2), To: num(4), FromExcluded: true}, point(8)}},
		{"ranges that meet at a key that the first has", []ordering.Range{point(0), {From: num(1), To: num(3), ToIncluded: true}, {From: num(3), To: num(5), FromExcluded: true}}},
		{"ranges that meet at a key that the second has", []ordering.Range{point(0), {From: num(1), To: num(3)}, point(3), {From: num(3), To: num(5), FromExcluded: true}}},
		{"to null", []ordering.Range{point(1), point(2), {From: num(4), To: ordering.Null(), ToIncluded: true}}},
	} {
		for _, k := range []ordering.Key{num(-1), num(0), num(1), num(2), num(3), ordering.Float(3.5), num(4), num(5), num(8), num(9), num(10), ordering.Text("x"), ordering.Null()} {
			want := slices.ContainsFunc(row.ranges, func(r ordering.Range) bool { return r.Contains(k) })
			if got := ordering.InRanges(row.ranges, k); got != want {
				t.Errorf("%s: InRanges(%v) = %v, want %v", row.why, k, got, want)
			}
		}
	}
}

// A comparison holds for values of the same kind only, which shows in its ranges.
func TestRangesStayInKind(t *testing.T) {
	instant := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	samples := map[string][]ordering.Key{
		"boolean": {ordering.Bool(false), ordering.Bool(true)},
		"number":  {ordering.Float(math.Inf(-1)), ordering.Int(0), ordering.Float(math.Inf(1))},
		"NaN":     {ordering.Float(math.NaN())},
		"instant": {ordering.Time(time.Time{}), ordering.Time(instant), ordering.Time(time.Unix(1<<60, 0))},
		"text":    {ordering.Text(""), ordering.Text("\xff\xff")},
		"list":    {ordering.List(), ordering.List(ordering.Null(), ordering.Null())},
		"object":  {ordering.Object("{}"), ordering.Object("\xff")},
		"null":    {ordering.Null()},
	}
	for kind, value := range map[string]any{
		"boolean": true, "number": 1.5, "instant": instant, "text": "m", "list": []int{3}, "object": map[string]int{"a": 1},
	} {
		atMost, err1 := ordering.AtMost("f", value).Ranges(nil)
		greater, err2 := ordering.Greater("f", value).Ranges(nil)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		for other, keys := range samples {
			for i, k := range keys {
				want := 0 // one of the two conditions holds for a value of the same kind
				if other == kind {
					want = 1
				}
				if got := containing(atMost, k) + containing(greater, k); got != want {
					t.Errorf("%d of %s <= f and %s < f hold for %s %d, want %d", got, kind, kind, other, i, want)
				}
			}
		}
	}
}

// containing returns the number of ranges that contain a key.
func containing(ranges []ordering.Range, k ordering.Key) (n int) {
	for _, r := range ranges {
		if r.Contains(k) {
			n++
		}
	}
	return n
}

// Conditions that hold for nothing have no ranges.
func TestEmptyRanges(t *testing.T) {
	for _, c := range []ordering.Condition{
		ordering.OneOf[int]("f"),
		ordering.Between("f", 2, 2.0),
		ordering.Less("f", false),
		ordering.Greater("f", true),
		ordering.Less("f", math.Inf(-1)),
		ordering.Greater("f", math.Inf(1)),
		ordering.Less("f", ""),
		ordering.Less("f", []int{}),
	} {
		if ranges, err := c.Ranges(nil); err != nil || len(ranges) != 0 {
			t.Errorf("%v: ranges %v, %v, want none", c, ranges, err)
		}
	}
}

// The error of a function that returns the keys is wrapped.
func TestRangesKeyError(t *testing.T) {
	failed := errors.New("no such unit")
	keyOf := func(any) (ordering.Key, error) { return ordering.Key{}, failed }
	_, err := ordering.Less("price", "5 kr").Ranges(keyOf)
	if !errors.Is(err, ordering.ErrInvalidCondition) || !errors.Is(err, failed) || !strings.Contains(err.Error(), "price") {
		t.Errorf("error %v, want both errors and the name", err)
	}
	for _, c := range []ordering.Condition{ordering.IsNull("price"), ordering.NotNull("price"), ordering.OneOf[string]("price")} {
		if _, err := c.Ranges(keyOf); err != nil {
			t.Errorf("%v has no value, but its error is %v", c, err)
		}
	}
}

// A condition is text for people.
func TestConditionString(t *testing.T) {
	day := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		c    ordering.Condition
		want string
	}{
		{ordering.Condition{}, "no condition"},
		{ordering.Equal("status", "released"), `status = "released"`},
		{ordering.Equal("name", `a "b"`), `name = "a \"b\""`},
		{ordering.OneOf("id", 1, 2), "id in (1, 2)"},
		{ordering.OneOf[string]("id"), "id in ()"},
		{ordering.Less("price", 1.5), "price < 1.5"},
		{ordering.AtMost("price", -3), "price <= -3"},
		{ordering.Greater("live", false), "live > false"},
		{ordering.AtLeast("start", day), "start >= 2024-05-01 12:00:00 +0000 UTC"},
		{ordering.Between("id", 3, 7), "3 <= id < 7"},
		{ordering.Between("name", "a", "b"), `"a" <= name < "b"`},
		{ordering.Prefix("name", "Al"), `name begins with "Al"`},
		{ordering.IsNull("name"), "name is null"},
		{ordering.NotNull("name"), "name is not null"},
		{ordering.Equal("port", uint16(80)), "port = 80"},
		{ordering.Equal("byte", byte(200)), "byte = 200"},
		{ordering.Equal("shade", shade("red")), `shade = "red"`},
		{ordering.Equal("note", ptr("n")), `note = "n"`},
		{ordering.Equal("note", nil), "note = nil"},
		{ordering.Equal("note", (*string)(nil)), "note = nil"},
	} {
		if diff := cmp.Diff(row.want, row.c.String()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if got := fmt.Sprint(row.c); got != row.c.String() {
			t.Errorf("fmt.Sprint returns %q, String %q", got, row.c.String())
		}
	}
	if got := ordering.Equal("status", panickingStringer{}).String(); !strings.HasPrefix(got, "status = ") {
		t.Errorf("a value whose String panics: %q", got)
	}
	if got := ordering.AtMost("status", 1).Field(); got != "status" {
		t.Errorf("Field() = %q", got)
	}
}

type panickingStringer struct{}

func (panickingStringer) String() string { panic("no text") }

// A prefix is a sequence of bytes, which may end within a character.
func TestPrefixOfBytes(t *testing.T) {
	texts := []string{"", "a", "a\x7f", "a\x80", "a\x80b", "a\xc3", "aé", "aê", "a\xfe", "a\xff", "a\xffb", "a\ufffd", "a\ufffdb", "a\uffff", "b", "\ufffd", "\xff", "\xff\xff", "\xffa", "\xfe\xff"}
	for _, prefix := range texts {
		ranges, err := ordering.Prefix("name", prefix).Ranges(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range texts {
			if got, want := containing(ranges, ordering.Text(s)) > 0, strings.HasPrefix(s, prefix); got != want {
				t.Errorf("%q begins with %q: %v, want %v", s, prefix, got, want)
			}
		}
	}
}
