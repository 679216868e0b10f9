package ordering_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

type leaflet struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Price string   `json:"price"`
	Note  *string  `json:"note"`
	Tags  []string `json:"tags"`
	Any   any      `json:"any"`
}

// TestConditionMessages checks that the error of an invalid condition names the value or
// its type, and what to use instead.
func TestConditionMessages(t *testing.T) {
	fields, err := ordering.FieldsOf[leaflet](ordering.FieldKey("price", ordering.Decimal))
	if err != nil {
		t.Fatal(err)
	}
	note := ptr("n")
	for _, test := range []struct {
		why  string
		c    ordering.Condition
		want string
	}{
		{"a slice instead of its elements", ordering.OneOf("name", []string{"a"}), "name: want string, not []string: pass the elements of the slice with ..."},
		{"an empty slice too", ordering.OneOf("id", []int{}), "id: want int, not []int: pass the elements of the slice with ..."},
		{"a slice of another type", ordering.OneOf("name", []int{1}), "name: want string, not []int"},
		{"several values, one a slice", ordering.OneOf("tags", []any{"a"}), "tags: want []string, not []interface {}"},
		{"the type as the program wrote it", ordering.Equal("note", &note), "note: want string, not **string"},
		{"equal to null", ordering.Equal("note", (*string)(nil)), "note: nil is null: use IsNull"},
		{"less than null", ordering.Less("id", nil), "id: nil: null is neither less nor greater than any value"},
		{"between null", ordering.Between("id", 1, nil), "id: nil: null is neither less nor greater than any value"},
		{"greater than a number that has no order", ordering.Greater("id", math.NaN()), "id: want int, not float64"},
		{"a prefix of a number", ordering.Prefix("id", "1"), "id: want int, not string: Prefix is for fields of text"},
		{"a prefix that is a number by its key", ordering.Prefix("price", "10"), `price: the key function of the field returns no text for "10"`},
		{"no condition", ordering.Condition{}, "the zero Condition: use Equal or another function"},
		{"values in the wrong order", ordering.Between("id", uint8(200), 7), "id: 200 is greater than 7"},
	} {
		_, err := fields.Matcher(test.c)
		want := "invalid condition: " + test.want
		if err == nil || !errors.Is(err, ordering.ErrInvalidCondition) || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", test.why, err, want)
		}
	}
}

func TestConditionOnInterface(t *testing.T) {
	fields, err := ordering.FieldsOf[leaflet]()
	if err != nil {
		t.Fatal(err)
	}
	list := []leaflet{{ID: 1, Any: "a"}, {ID: 2, Any: 5}, {ID: 3}, {ID: 4, Any: 7.5}}
	for _, test := range []struct {
		why  string
		c    ordering.Condition
		want []int
	}{
		{"text", ordering.Equal("any", "a"), []int{1}},
		{"a number", ordering.Equal("any", 5), []int{2}},
		{"numbers only", ordering.AtLeast("any", 5), []int{2, 4}},
		{"no value", ordering.IsNull("any"), []int{3}},
	} {
		match, err := fields.Matcher(test.c)
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		var got []int
		for _, l := range list {
			if match(l) {
				got = append(got, l.ID)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.why, diff)
		}
	}
}

func TestConditionText(t *testing.T) {
	for _, test := range []struct {
		why  string
		c    ordering.Condition
		want string
	}{
		{"a named string", ordering.Equal("a", shade("red")), `a = "red"`},
		{"a pointer", ordering.Equal("a", ptr("x")), `a = "x"`},
		{"a nil pointer", ordering.Equal("a", (*big.Rat)(nil)), "a = nil"},
		{"nil", ordering.Equal("a", nil), "a = nil"},
		{"an unsigned number", ordering.AtMost("a", uint8(30)), "a <= 30"},
		{"a method String", ordering.Equal("a", big.NewRat(1, 2)), "a = 1/2"},
		{"JSON", ordering.Equal("a", json.RawMessage(`[1]`)), "a = [1]"},
	} {
		if got := test.c.String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.why, got, test.want)
		}
	}
}

// TestFieldKeyWithoutName checks that a function for the field "" is an error and not a
// function for all fields of its type.
func TestFieldKeyWithoutName(t *testing.T) {
	_, err := ordering.FieldsOf[leaflet](ordering.FieldKey("", ordering.Decimal))
	if !errors.Is(err, ordering.ErrUnknownField) || !strings.Contains(err.Error(), `""`) {
		t.Errorf("got error %v, want %v", err, ordering.ErrUnknownField)
	}
}

func TestDecimalWithTwoSigns(t *testing.T) {
	for _, s := range []string{"+-5", "-+5", "--5", "++5"} {
		if text, ok := ordering.Decimal(s).AsText(); !ok || text != s {
			t.Errorf("the key of %s is not its text", s)
		}
	}
}
