package ordering_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

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

type (
	title struct {
		Title string `json:"title"`
	}
	id1 struct{ ID int }
	id2 struct{ ID int }
)

func TestSortByFieldThatHidesEmbeddedOnes(t *testing.T) {
	type record struct {
		id1
		id2
		ID    int
		title `json:"embedded"`
	}
	fields, err := ordering.FieldsOf[record]()
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]string{"id", "embedded"}, fields.Names()); diff != "" {
		t.Fatalf("names (-want +got)\n%s", diff)
	}
	rows := []record{{ID: 1, id1: id1{3}, title: title{"b"}}, {ID: 2, id1: id1{2}, title: title{"a"}}}
	for name, want := range map[string]int{"id": 1, "embedded": 2} {
		if err := fields.Sort(rows, ordering.Asc(name)); err != nil || rows[0].ID != want {
			t.Errorf("by %s: %+v, %v", name, rows, err)
		}
	}
	f, _ := fields.Lookup("embedded")
	if got, want := f.Key(&record{title: title{"x"}}), ordering.Object(`{"title":"x"}`); got.Compare(want) != 0 {
		t.Errorf("key of a tagged embedded struct = %v, want %v", got, want)
	}
}
