package ordering_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// TestMembersAreThoseOfJSON compares with what encoding/json writes.
func TestMembersAreThoseOfJSON(t *testing.T) {
	text, err := json.Marshal(book{extra: &extra{}, Raw: json.RawMessage("1"), Price: 1})
	if err != nil {
		t.Fatal(err)
	}
	var written map[string]any
	if err := json.Unmarshal(text, &written); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for name := range written {
		want = append(want, name)
	}
	for _, m := range ordering.Members(reflect.TypeFor[book]()) {
		got = append(got, m.Wire)
		if f := reflect.TypeFor[book]().FieldByIndex(m.Index); f.Type != m.Type {
			t.Errorf("%s is %v, and %v at its index", m.Wire, m.Type, f.Type)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-written +members)\n%s", diff)
	}
}

type nest []nest

type link *link

// TestEndlessTypes would overflow the stack if a list of itself were followed to its
// end.
func TestEndlessTypes(t *testing.T) {
	type record struct {
		Nest nest `json:"nest"`
		Link link `json:"link"`
	}
	fields, err := ordering.FieldsOf[record]()
	if err != nil {
		t.Fatal(err)
	}
	full, null, empty := record{Nest: nest{{}, {{}}}}, record{}, record{Nest: nest{}}
	records := []record{null, full, empty}
	if err := fields.Sort(records, ordering.Asc("nest"), ordering.Asc("link")); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]nest{{}, full.Nest, nil}, []nest{records[0].Nest, records[1].Nest, records[2].Nest}); diff != "" {
		t.Errorf("lists element by element, null last (-want +got)\n%s", diff)
	}
}
