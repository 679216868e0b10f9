package ordering_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

type keyedRecord struct {
	ID      int
	Value   onValue   // OrderingKey() Key on the value
	Target  onTarget  // on the pointer
	Pointer *onTarget // may be nil
	List    []onTarget
	hidden
}

type hidden struct{ Inner onTarget }

// A method OrderingKey() Key supplies the keys of records and of the values of
// conditions, whether it is on the value or on the pointer.
func TestOrderingKeyOfAnyKind(t *testing.T) {
	fields, err := ordering.FieldsOf[keyedRecord]()
	if err != nil {
		t.Fatal(err)
	}
	target := func(s string) onTarget { return onTarget{s} }
	b, c := target("b"), target("C")
	records := []keyedRecord{
		{1, onValue{10}, target("A"), nil, nil, hidden{target("A")}},
		{2, onValue{9}, b, &b, []onTarget{b}, hidden{b}},
		{3, onValue{-1}, c, &c, []onTarget{b, c}, hidden{c}},
	}
	for _, row := range []struct {
		c    ordering.Condition
		want []int
	}{
		{ordering.Less("value", onValue{10}), []int{2, 3}},
		{ordering.Equal("value", &onValue{9}), []int{2}},
		{ordering.AtLeast("target", target("B")), []int{2, 3}},
		{ordering.Equal("target", &onTarget{"a"}), []int{1}},
		{ordering.AtMost("pointer", target("B")), []int{2}},
		{ordering.OneOf("pointer", &b, &onTarget{"c"}), []int{2, 3}},
		{ordering.IsNull("pointer"), []int{1}},
		{ordering.Greater("list", []onTarget{target("B")}), []int{3}},
		{ordering.Less("inner", target("c")), []int{1, 2}},
	} {
		match, err := fields.Matcher(row.c)
		if err != nil {
			t.Errorf("%v: %v", row.c, err)
			continue
		}
		var got []int
		for _, r := range records {
			if match(r) {
				got = append(got, r.ID)
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", row.c, diff)
		}
	}
	for _, c := range []ordering.Condition{ordering.Equal("value", 9), ordering.Equal("target", "b"), ordering.Prefix("target", "b")} {
		if _, err := fields.Ranges(c); !errors.Is(err, ordering.ErrInvalidCondition) {
			t.Errorf("%v: error %v, want %v: the type decides how its values compare", c, err, ordering.ErrInvalidCondition)
		}
	}
}
