package ordering_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

type shade string

type stamp struct{ time.Time }

type article struct {
	ID       int             `json:"id"`
	Name     string          `json:"name"`
	Shade    shade           `json:"shade"`
	Note     *string         `json:"note"`
	Live     bool            `json:"live"`
	Port     uint16          `json:"port"`
	Weight   float64         `json:"weight"`
	Start    time.Time       `json:"start"`
	End      *stamp          `json:"end"`
	Tags     []string        `json:"tags"`
	Big      uint64          `json:"big"`
	Anything json.RawMessage `json:"anything"`
	Value    any             `json:"value"`
	Price    float32         `json:"price"`
}

var articles = []article{
	{ID: 1, Name: "Alpha", Shade: "red", Live: true, Port: 80, Weight: 1.5, Start: at("2024-01-01T00:00:00Z"), Tags: []string{"a"}, Big: math.MaxUint64, Anything: json.RawMessage(`5`), Value: "a", Price: 0.1},
	{ID: 2, Name: "alpha", Shade: "blue", Note: ptr("n"), Port: 443, Weight: -2, Start: at("2024-01-01T02:00:00+02:00"), End: &stamp{at("2025-01-01T00:00:00Z")}, Big: 1, Anything: json.RawMessage(`"5"`), Value: 5, Price: 0.2},
	{ID: 3, Name: "Alphabet", Shade: "", Note: ptr(""), Live: true, Port: 8080, Weight: math.Inf(1), Start: at("2024-06-01T00:00:00Z"), Tags: []string{"a", "b"}, Big: 2, Anything: json.RawMessage(`[1]`)},
	{ID: 4, Name: "Al\xffz", Shade: "red", Note: ptr("nn"), Weight: 10, Start: at("2024-06-01T00:00:00.000000001Z"), Tags: []string{}, Anything: json.RawMessage(`null`), Value: 7.5},
	{ID: 5, Name: "\xff\xff", Shade: "green", Port: 1, Weight: 9, Start: at("0001-01-01T00:00:00Z"), Anything: json.RawMessage(`{}`)},
}

func ptr[T any](v T) *T { return &v }

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

// fieldsOf returns the fields of T.
func fieldsOf[T any](t testing.TB) *ordering.Fields[T] {
	t.Helper()
	fields, err := ordering.FieldsOf[T]()
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

// matching returns the positions of the records for which a condition holds.
func matching[T any](t *testing.T, fields *ordering.Fields[T], c ordering.Condition, records []T) (at []int) {
	t.Helper()
	match, err := fields.Matcher(c)
	if err != nil {
		t.Errorf("%v: %v", c, err)
		return nil
	}
	for i, r := range records {
		if match(r) {
			at = append(at, i)
		}
	}
	return at
}

func TestMatcher(t *testing.T) {
	fields := fieldsOf[article](t)
	january := at("2024-01-01T00:00:00Z")
	for _, test := range []struct {
		why  string
		c    ordering.Condition
		want []int
	}{
		{"a string for a named string type", ordering.Equal("shade", "red"), []int{1, 4}},
		{"a value of the named type", ordering.Equal("shade", shade("red")), []int{1, 4}},
		{"a pointer stands for its value", ordering.Equal("note", ptr("n")), []int{2}},
		{"one of none", ordering.OneOf[int]("id"), nil},
		{"an int of another type", ordering.AtLeast("port", int64(443)), []int{2, 3}},
		{"an int beyond the type of the field", ordering.Less("port", 70000), []int{1, 2, 3, 4, 5}},
		{"an int for a float", ordering.AtLeast("weight", 9), []int{3, 4, 5}},
		{"numbers beyond an int64", ordering.Greater("big", int64(math.MaxInt64)), []int{1}},
		{"false", ordering.Equal("live", false), []int{2, 4, 5}},
		{"booleans have an order", ordering.Greater("live", false), []int{1, 3}},
		{"instants ignore the offset", ordering.Equal("start", january), []int{1, 2}},
		{"instants are exact to the nanosecond", ordering.Greater("start", at("2024-06-01T00:00:00Z")), []int{4}},
		{"the first instant", ordering.Less("start", january), []int{5}},
		{"a time for a struct that embeds one", ordering.AtLeast("end", january), []int{2}},
		{"the struct itself", ordering.Equal("end", stamp{at("2025-01-01T00:00:00Z")}), []int{2}},
		{"a nil slice is null", ordering.IsNull("tags"), []int{2, 5}},
		{"not null of a type without null", ordering.NotNull("live"), []int{1, 2, 3, 4, 5}},
		{"lists compare element by element", ordering.Greater("tags", []string{"a"}), []int{3}},
		{"the empty list is not null", ordering.Equal("tags", []string{}), []int{4}},
		{"one of no conditions", ordering.Or(), nil},
		{"not one of no conditions", ordering.Not(ordering.Or()), []int{1, 2, 3, 4, 5}},
		{"one of two of which one never holds", ordering.Or(ordering.Equal("id", 1), ordering.Or()), []int{1}},
		{"two negations of never", ordering.Or(ordering.Equal("id", 1), ordering.Not(ordering.Not(ordering.Or()))), []int{1}},
		{"one of two of which one always holds", ordering.Or(ordering.Not(ordering.Or()), ordering.Equal("note", "n")), []int{1, 2, 3, 4, 5}},
		{"never, nested", ordering.Or(ordering.Or(), ordering.Or(ordering.Or())), nil},
		{"always, nested", ordering.Not(ordering.Or(ordering.Or())), []int{1, 2, 3, 4, 5}},
		{"the opposite holds for null", ordering.Not(ordering.Equal("note", "n")), []int{1, 3, 4, 5}},
		{"the opposite of a comparison holds for other kinds", ordering.Not(ordering.AtLeast("value", 5)), []int{1, 3, 5}},
		{"a JSON value", ordering.Equal("anything", json.RawMessage(`"5"`)), []int{2}},
		{"a comparison stays within the kind", ordering.AtLeast("anything", json.RawMessage(`1`)), []int{1}},
		{"not null of mixed kinds", ordering.NotNull("anything"), []int{1, 2, 3, 5}},
		{"text in an interface", ordering.Equal("value", "a"), []int{1}},
		{"a number in an interface", ordering.Equal("value", 5), []int{2}},
		{"only numbers of an interface", ordering.AtLeast("value", 5), []int{2, 4}},
		{"a nil interface", ordering.IsNull("value"), []int{3, 5}},
		{"the number in the JSON of a float32", ordering.Equal("price", 0.1), []int{1}},
		{"a float32", ordering.Equal("price", float32(0.1)), []int{1}},
		{"a named float32", ordering.Equal("price", measure(0.1)), []int{1}},
		{"the float64 nearest to the float32 is another number", ordering.Equal("price", float64(float32(0.1))), nil},
		{"float32s from one number to another", ordering.Between("price", 0.1, 0.2), []int{1, 2}},
	} {
		var got []int
		for _, at := range matching(t, fields, test.c, articles) {
			got = append(got, articles[at].ID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %v:\n%s", test.why, test.c, diff)
		}
	}
}

// An empty name is that of no field, wherever it is.
func TestConditionOnNoField(t *testing.T) {
	nothing := ordering.Equal("", 1)
	for _, c := range []ordering.Condition{
		nothing, ordering.IsNull(""), ordering.OneOf[int](""), ordering.Not(nothing), ordering.Or(nothing),
		ordering.Or(ordering.Equal("id", 1), nothing), ordering.Or(nothing, ordering.Or()),
	} {
		if _, err := fieldsOf[article](t).Matcher(c); !errors.Is(err, ordering.ErrUnknownField) {
			t.Errorf("%v: %v, want ErrUnknownField", c, err)
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
	fields := fieldsOf[thing](t)
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
			if _, err := fields.Matcher(ordering.Equal(row.field, v)); err != nil {
				t.Errorf("%s = %#v: %v", row.field, v, err)
			}
		}
		for _, v := range row.refused {
			_, err := fields.Matcher(ordering.Equal(row.field, v))
			if !errors.Is(err, ordering.ErrInvalidCondition) || !strings.Contains(err.Error(), row.field+": want ") {
				t.Errorf("%s = %#v: error %v, want %v that names the field", row.field, v, err, ordering.ErrInvalidCondition)
			}
		}
	}
}

type leaflet struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Price price    `json:"price"`
	Note  *string  `json:"note"`
	Tags  []string `json:"tags"`
	Any   any      `json:"any"`
	Sales float64  `json:"sales"`
}

// TestConditionMessages checks that the error of an invalid condition names the value or
// its type, and what to use instead.
func TestConditionMessages(t *testing.T) {
	fields := fieldsOf[leaflet](t)
	note := ptr("n")
	for _, test := range []struct {
		why  string
		c    ordering.Condition
		want string
	}{
		{"a slice instead of its elements", ordering.OneOf("name", []string{"a"}), "name: want string, not []string: pass the elements of the slice with ..."},
		{"an empty slice too", ordering.OneOf("id", []int{}), "id: want int, not []int: pass the elements of the slice with ..."},
		{"a slice of another type", ordering.OneOf("name", []int{1}), "name: want string, not []int: pass the elements of the slice with ..."},
		{"several values, one a slice", ordering.OneOf("tags", []any{"a"}), "tags: want []string, not []interface {}: pass the elements of the slice with ..."},
		{"the type as the program wrote it", ordering.Equal("note", &note), "note: want string, not **string"},
		{"equal to null", ordering.Equal("note", (*string)(nil)), "note: *string is null: use IsNull"},
		{"less than null", ordering.Less("id", nil), "id: nil: null is neither less nor greater than any value"},
		{"between null", ordering.Between("id", 1, nil), "id: nil: null is neither less nor greater than any value"},
		{"greater than a number that has no order", ordering.Greater("id", math.NaN()), "id: want int, not float64"},
		{"a prefix of a number", ordering.Prefix("id", "1"), "id: want int, not string: Prefix is for fields of text"},
		{"a prefix that is a number by its key", ordering.Prefix("price", "10"), `price: the order of the field is not one of text: it has no text for "10"`},
		{"no condition", ordering.Condition{}, "the zero Condition: use Equal or another function"},
		{"values of different kinds", ordering.Between("any", 1, "a"), `any: 1 and "a" are values of different kinds`},
		{"equal to a number that equals nothing", ordering.Equal("sales", math.NaN()),
			"sales: NaN equals nothing, and is neither less nor greater than any number"},
		{"conditions on two fields", ordering.Or(ordering.Equal("id", 1), ordering.Equal("name", "a")),
			"id: Or has a condition on name too: select with each and join the results"},
		{"a condition among several", ordering.Or(ordering.Equal("id", 1), ordering.Equal("id", "1")), "id: want int, not string"},
		{"the opposite of no condition", ordering.Not(ordering.Condition{}), "the zero Condition: use Equal or another function"},
		{"one of several is no condition", ordering.Or(ordering.Equal("id", 1), ordering.Condition{}), "the zero Condition: use Equal or another function"},
		{"values in the wrong order", ordering.Between("id", uint8(200), 7), "id: 200 is greater than 7"},
	} {
		_, err := fields.Matcher(test.c)
		want := "invalid condition: " + test.want
		if err == nil || !errors.Is(err, ordering.ErrInvalidCondition) || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", test.why, err, want)
		}
	}
}

// A key is in several ranges if it is in one of them, also at the bounds and between them.
func TestInRanges(t *testing.T) {
	num := sortkey.Int
	point := func(n int64) ordering.Range { return ordering.Range{From: num(n), To: num(n), ToIncluded: true} }
	for _, row := range []struct {
		why    string
		ranges []ordering.Range
	}{
		{"no range", nil},
		{"the zero range, which is empty", []ordering.Range{{}}},
		{"one value", []ordering.Range{point(3)}},
		{"many values", []ordering.Range{point(1), point(3), point(4), point(7), point(9)}},
		{"ranges that meet at a key that neither has", []ordering.Range{{From: num(0), To: num(2)}, {From: num(2), To: num(4), FromExcluded: true}, point(8)}},
		{"ranges that meet at a key that the first has", []ordering.Range{point(0), {From: num(1), To: num(3), ToIncluded: true}, {From: num(3), To: num(5), FromExcluded: true}}},
		{"ranges that meet at a key that the second has", []ordering.Range{point(0), {From: num(1), To: num(3)}, point(3), {From: num(3), To: num(5), FromExcluded: true}}},
		{"to null", []ordering.Range{point(1), point(2), {From: num(4), To: sortkey.Null(), ToIncluded: true}}},
	} {
		for _, k := range []sortkey.Key{num(-1), num(0), num(1), num(2), num(3), sortkey.Float(3.5), num(4), num(5), num(8), num(9), num(10), sortkey.Text("x"), sortkey.Null()} {
			want := slices.ContainsFunc(row.ranges, func(r ordering.Range) bool { return ordering.InRanges([]ordering.Range{r}, k) })
			if got := ordering.InRanges(row.ranges, k); got != want {
				t.Errorf("%s: InRanges(%v) = %v, want %v", row.why, k, got, want)
			}
		}
	}
}

// A comparison holds for values of the same kind only, which shows in its ranges.
func TestRangesStayInKind(t *testing.T) {
	instant := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	samples := map[string][]sortkey.Key{
		"boolean": {sortkey.Bool(false), sortkey.Bool(true)},
		"number":  {sortkey.Float(math.Inf(-1)), sortkey.Int(0), sortkey.Float(math.Inf(1))},
		"NaN":     {sortkey.Float(math.NaN())},
		"instant": {sortkey.Time(time.Unix(math.MinInt64, 0)), sortkey.Time(time.Time{}), sortkey.Time(instant), sortkey.Time(time.Unix(1<<60, 0))},
		"text":    {sortkey.Text(""), sortkey.Text("\xff\xff")},
		"list":    {sortkey.List(), sortkey.List(sortkey.Null(), sortkey.Null())},
		"object":  {sortkey.Object("{}"), sortkey.Object("\xff")},
		"null":    {sortkey.Null()},
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
func containing(ranges []ordering.Range, k sortkey.Key) (n int) {
	for _, r := range ranges {
		if ordering.InRanges([]ordering.Range{r}, k) {
			n++
		}
	}
	return n
}

// The error of a function that returns the keys is wrapped.
func TestRangesKeyError(t *testing.T) {
	failed := errors.New("no such unit")
	keyOf := func(any) (sortkey.Key, error) { return sortkey.Key{}, failed }
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

// A price is text that compares by value.
type price string

func (p price) OrderingKey() sortkey.Key { return sortkey.Decimal(string(p)) }
