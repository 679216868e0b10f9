package ordering_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

type shade string

type stamp struct{ time.Time }

type article struct {
	ID      int             `json:"id"`
	Name    string          `json:"name"`
	Shade   shade           `json:"shade"`
	Note    *string         `json:"note"`
	Live    bool            `json:"live"`
	Port    uint16          `json:"port"`
	Weight  float64         `json:"weight"`
	Start   time.Time       `json:"start"`
	End     *stamp          `json:"end"`
	Tags    []string        `json:"tags"`
	Big     uint64          `json:"big"`
	Anyting json.RawMessage `json:"anything"`
}

var articles = []article{
	{ID: 1, Name: "Alpha", Shade: "red", Live: true, Port: 80, Weight: 1.5, Start: at("2024-01-01T00:00:00Z"), Tags: []string{"a"}, Big: math.MaxUint64, Anyting: json.RawMessage(`5`)},
	{ID: 2, Name: "alpha", Shade: "blue", Note: ptr("n"), Port: 443, Weight: -2, Start: at("2024-01-01T02:00:00+02:00"), End: &stamp{at("2025-01-01T00:00:00Z")}, Big: 1, Anyting: json.RawMessage(`"5"`)},
	{ID: 3, Name: "Alphabet", Shade: "", Note: ptr(""), Live: true, Port: 8080, Weight: math.Inf(1), Start: at("2024-06-01T00:00:00Z"), Tags: []string{"a", "b"}, Big: 2, Anyting: json.RawMessage(`[1]`)},
	{ID: 4, Name: "Al\xffz", Shade: "red", Note: ptr("nn"), Weight: 10, Start: at("2024-06-01T00:00:00.000000001Z"), Tags: []string{}, Anyting: json.RawMessage(`null`)},
	{ID: 5, Name: "\xff\xff", Shade: "green", Port: 1, Weight: 9, Start: at("0001-01-01T00:00:00Z"), Anyting: json.RawMessage(`{}`)},
}

func ptr(s string) *string { return &s }

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestMatcher(t *testing.T) {
	fields, err := ordering.FieldsOf[article]()
	if err != nil {
		t.Fatal(err)
	}
	january := at("2024-01-01T00:00:00Z")
	for _, test := range []struct {
		why  string
		c    ordering.Condition
		want []int
	}{
		{"text is compared exactly", ordering.Equal("name", "Alpha"), []int{1}},
		{"a string for a named string type", ordering.Equal("shade", "red"), []int{1, 4}},
		{"a value of the named type", ordering.Equal("shade", shade("red")), []int{1, 4}},
		{"the empty text is not null", ordering.Equal("note", ""), []int{3}},
		{"a pointer stands for its value", ordering.Equal("note", ptr("n")), []int{2}},
		{"one of several", ordering.OneOf("id", 4, 1, 4, 99), []int{1, 4}},
		{"one of none", ordering.OneOf[int]("id"), nil},
		{"less excludes the value", ordering.Less("id", 3), []int{1, 2}},
		{"at most includes it", ordering.AtMost("id", 3), []int{1, 2, 3}},
		{"greater excludes it", ordering.Greater("id", 3), []int{4, 5}},
		{"at least includes it", ordering.AtLeast("id", 3), []int{3, 4, 5}},
		{"between is half-open", ordering.Between("id", 2, 4), []int{2, 3}},
		{"between equal values is nothing", ordering.Between("id", 2, 2), nil},
		{"an int of another type", ordering.AtLeast("port", int64(443)), []int{2, 3}},
		{"an int beyond the type of the field", ordering.Less("port", 70000), []int{1, 2, 3, 4, 5}},
		{"an int for a float", ordering.AtLeast("weight", 9), []int{3, 4, 5}},
		{"infinity is a number", ordering.AtLeast("weight", math.Inf(1)), []int{3}},
		{"numbers beyond an int64", ordering.Greater("big", int64(math.MaxInt64)), []int{1}},
		{"false", ordering.Equal("live", false), []int{2, 4, 5}},
		{"booleans have an order", ordering.Greater("live", false), []int{1, 3}},
		{"instants ignore the offset", ordering.Equal("start", january), []int{1, 2}},
		{"instants are exact to the nanosecond", ordering.Greater("start", at("2024-06-01T00:00:00Z")), []int{4}},
		{"the first instant", ordering.Less("start", january), []int{5}},
		{"a time for a struct that embeds one", ordering.AtLeast("end", january), []int{2}},
		{"the struct itself", ordering.Equal("end", stamp{at("2025-01-01T00:00:00Z")}), []int{2}},
		{"less excludes null", ordering.Less("note", "o"), []int{2, 3, 4}},
		{"greater excludes null", ordering.AtLeast("note", "n"), []int{2, 4}},
		{"null", ordering.IsNull("note"), []int{1, 5}},
		{"not null", ordering.NotNull("note"), []int{2, 3, 4}},
		{"a nil slice is null", ordering.IsNull("tags"), []int{2, 5}},
		{"not null of a type without null", ordering.NotNull("live"), []int{1, 2, 3, 4, 5}},
		{"prefix", ordering.Prefix("name", "Alpha"), []int{1, 3}},
		{"prefix before a byte of 255", ordering.Prefix("name", "Al\xff"), []int{4}},
		{"prefix of bytes of 255", ordering.Prefix("name", "\xff"), []int{5}},
		{"the empty prefix excludes null", ordering.Prefix("note", ""), []int{2, 3, 4}},
		{"lists compare element by element", ordering.Greater("tags", []string{"a"}), []int{3}},
		{"the empty list is not null", ordering.Equal("tags", []string{}), []int{4}},
		{"a JSON value", ordering.Equal("anything", json.RawMessage(`"5"`)), []int{2}},
		{"a comparison stays within the kind", ordering.AtLeast("anything", json.RawMessage(`1`)), []int{1}},
		{"not null of mixed kinds", ordering.NotNull("anything"), []int{1, 2, 3, 5}},
	} {
		match, err := fields.Matcher(test.c)
		if err != nil {
			t.Errorf("%s: %v: %v", test.why, test.c, err)
			continue
		}
		var got []int
		for _, a := range articles {
			if match(a) {
				got = append(got, a.ID)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %v:\n%s", test.why, test.c, diff)
		}
	}
}

func TestMatcherAll(t *testing.T) {
	fields, _ := ordering.FieldsOf[article]()
	match, err := fields.Matcher(ordering.Equal("shade", "red"), ordering.Equal("live", true))
	if err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(slices.Clone(articles), func(a article) bool { return !match(a) })
	if len(got) != 1 || got[0].ID != 1 {
		t.Errorf("got %v", got)
	}
	if match, err := fields.Matcher(); err != nil || !match(article{}) {
		t.Errorf("without conditions: %v", err)
	}
}

func TestInvalidConditions(t *testing.T) {
	fields, _ := ordering.FieldsOf[article]()
	for _, test := range []struct {
		c    ordering.Condition
		is   error
		want string
	}{
		{ordering.Equal("nmae", "x"), ordering.ErrUnknownField, "did you mean name?"},
		{ordering.Equal("name", 5), ordering.ErrInvalidCondition, "name: want string, not int"},
		{ordering.Equal("note", 5), ordering.ErrInvalidCondition, "note: want string, not int"},
		{ordering.Equal("id", "5"), ordering.ErrInvalidCondition, "id: want int, not string"},
		{ordering.Equal("id", 5.0), ordering.ErrInvalidCondition, "id: want int, not float64"},
		{ordering.Equal("live", 1), ordering.ErrInvalidCondition, "live: want bool, not int"},
		{ordering.Equal("start", "2024-01-01"), ordering.ErrInvalidCondition, "start: want time.Time, not string"},
		{ordering.Equal("end", "2024-01-01"), ordering.ErrInvalidCondition, "end: want ordering_test.stamp, not string"},
		{ordering.OneOf("name", any("x"), any(5)), ordering.ErrInvalidCondition, "name: want string, not int"},
		{ordering.Equal("name", nil), ordering.ErrInvalidCondition, "name: nil: use IsNull"},
		{ordering.Equal("note", (*string)(nil)), ordering.ErrInvalidCondition, "note: "},
		{ordering.Equal("tags", []string(nil)), ordering.ErrInvalidCondition, "use IsNull"},
		{ordering.Equal("weight", math.NaN()), ordering.ErrInvalidCondition, "weight: NaN equals nothing"},
		{ordering.Between("id", 3, 2), ordering.ErrInvalidCondition, "id: 3 is greater than 2"},
		{ordering.Between("anything", json.RawMessage(`1`), json.RawMessage(`"a"`)), ordering.ErrInvalidCondition, "different kinds"},
		{ordering.Prefix("id", "1"), ordering.ErrInvalidCondition, "id: want int, not string"},
		{ordering.Prefix("tags", "1"), ordering.ErrInvalidCondition, "tags: want []string, not string"},
		{ordering.Condition{}, ordering.ErrInvalidCondition, "the zero Condition"},
	} {
		_, err := fields.Matcher(test.c)
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %v with %q", test.c, err, test.is, test.want)
		}
	}
}
