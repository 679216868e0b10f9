package ordering_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

func TestMembersMatchEncodingJSON(t *testing.T) {
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
		got = append(got, m.Name)
		if f := reflect.TypeFor[book]().FieldByIndex(m.Index); f.Type != m.Type {
			t.Errorf("%s has type %v, want %v", m.Name, m.Type, f.Type)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

type nest []nest

type link *link

// TestRecursiveTypes uses a list of itself and a pointer to itself, which must not
// overflow the stack.
func TestRecursiveTypes(t *testing.T) {
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
		t.Errorf("(-want +got)\n%s", diff)
	}
}
