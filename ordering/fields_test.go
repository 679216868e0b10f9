package ordering_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

type base struct {
	ID      int       `json:"id"`
	Created time.Time `json:"createdAt"`
}

type book struct {
	base
	*extra
	Name    string   `json:"name"`
	Pages   *int     `json:"pages"`
	Price   float64  `json:"price,omitempty"`
	InPrint bool     `json:"inPrint"`
	Tags    []string `json:"tags"`
	Any     any      `json:"any"`
	Raw     json.RawMessage
	Hidden  string `json:"-"`
	private string //lint:ignore U1000 unexported fields are not members
}

type extra struct {
	Weight uint64 `json:"weight"`
	Name   string `json:"name"` // hidden by book.Name
}

func TestFieldsOfNames(t *testing.T) {
	fields := fieldsOf[book](t)
	want := []string{"id", "created_at", "weight", "name", "pages", "price", "in_print", "tags", "any", "raw"}
	if diff := gocmp.Diff(want, fields.Names()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if f, ok := fields.Lookup("in_print"); !ok || f.Name != "in_print" {
		t.Errorf("Lookup(in_print) = field %q, %v", f.Name, ok)
	}
	for _, name := range []string{"inPrint", "hidden", "private", ""} {
		if f, ok := fields.Lookup(name); ok || f.Key != nil {
			t.Errorf("Lookup(%q) = field %q, %v", name, f.Name, ok)
		}
	}
}

func TestFieldsErrors(t *testing.T) {
	type clash struct {
		A int `json:"line1"`
		B int `json:"line_1"`
	}
	type self struct {
		*self //lint:ignore U1000 must be visited only once
		ID    int
	}
	type nameless struct {
		A int `json:"_"`
	}
	for _, row := range []struct {
		reason string
		make   func() error
		names  string
	}{
		{"not a struct", func() error { _, err := ordering.FieldsOf[int](); return err }, "int"},
		{"two fields with the same name", func() error { _, err := ordering.FieldsOf[clash](); return err }, "line_1"},
		{"no name in snake_case", func() error { _, err := ordering.FieldsOf[nameless](); return err }, "the name of A is \"\", which is empty"},
	} {
		if err := row.make(); !errors.Is(err, ordering.ErrInvalidFields) || !strings.Contains(err.Error(), row.names) {
			t.Errorf("%s: err = %v, want ErrInvalidFields with %q", row.reason, err, row.names)
		}
	}
	if _, err := ordering.FieldsOf[self](); err != nil {
		t.Errorf("struct that embeds itself: %v", err)
	}
	var none ordering.Fields[book]
	if _, ok := none.Lookup("x"); ok || len(none.Names()) != 0 {
		t.Error("the zero value has names")
	}
}

func TestUnknownTerms(t *testing.T) {
	fields := fieldsOf[book](t)
	books := []book{{Name: "b"}, {Name: "a"}}
	if err := fields.Sort(books, ordering.Asc("name"), ordering.Asc("bogus")); !errors.Is(err, ordering.ErrUnknownField) || !strings.Contains(err.Error(), "bogus") {
		t.Errorf("Sort: %v", err)
	}
	if books[0].Name != "b" {
		t.Error("Sort moved records despite an error")
	}
}

// comparisons compares books by a field, independently of the package.
var comparisons = map[string]func(a, b book) int{
	"id":         func(a, b book) int { return cmp.Compare(a.ID, b.ID) },
	"name":       func(a, b book) int { return cmp.Compare(a.Name, b.Name) },
	"price":      func(a, b book) int { return cmp.Compare(a.Price, b.Price) },
	"created_at": func(a, b book) int { return a.Created.Compare(b.Created) },
	"in_print": func(a, b book) int {
		switch {
		case a.InPrint == b.InPrint:
			return 0
		case b.InPrint:
			return -1
		}
		return 1
	},
	"pages": func(a, b book) int {
		switch {
		case a.Pages == nil && b.Pages == nil:
			return 0
		case a.Pages == nil:
			return 1
		case b.Pages == nil:
			return -1
		}
		return cmp.Compare(*a.Pages, *b.Pages)
	},
	"tags":   func(a, b book) int { return slices.Compare(a.Tags, b.Tags) },
	"weight": func(a, b book) int { return cmp.Compare(a.Weight, b.Weight) },
}

func TestSortAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	names := make([]string, 0, len(comparisons))
	for n := range comparisons {
		names = append(names, n)
	}
	slices.Sort(names)
	fields := fieldsOf[book](t)
	for range 300 {
		books := make([]book, r.IntN(30))
		for i := range books {
			books[i] = randomBook(r, i)
		}
		terms := make([]ordering.Term, 1+r.IntN(3))
		for i := range terms {
			terms[i] = ordering.Term{Field: names[r.IntN(len(names))], Desc: r.IntN(2) == 0}
		}
		want := slices.Clone(books)
		slices.SortStableFunc(want, func(a, b book) int {
			for _, term := range terms {
				c := comparisons[term.Field](a, b)
				if term.Desc {
					c = -c
				}
				if c != 0 {
					return c
				}
			}
			return 0
		})
		if err := fields.Sort(books, terms...); err != nil {
			t.Fatal(err)
		}
		ids := func(bs []book) (ids []int) {
			for _, b := range bs {
				ids = append(ids, b.ID)
			}
			return ids
		}
		if diff := gocmp.Diff(ids(want), ids(books)); diff != "" {
			t.Fatalf("Sort by %s: -want +got\n%s", ordering.Format(terms), diff)
		}
	}
}

func randomBook(r *rand.Rand, id int) book {
	b := book{
		base:    base{ID: id, Created: time.Unix(int64(r.IntN(4)), 0).In(time.FixedZone("", 3600*r.IntN(5)))},
		extra:   &extra{Weight: []uint64{0, 1, 1 << 63, 1<<64 - 1}[r.IntN(4)]},
		Name:    []string{"", "a", "ab", "b", "é", "Z"}[r.IntN(6)],
		Price:   []float64{-1, 0, 0.5, 1e10}[r.IntN(4)],
		InPrint: r.IntN(2) == 0,
		Tags:    []string{"x", "y", "x"}[:r.IntN(4)],
	}
	if r.IntN(3) > 0 {
		n := r.IntN(3) - 1
		b.Pages = &n
	}
	return b
}

func TestNilEmbeddedPointerIsNull(t *testing.T) {
	fields := fieldsOf[book](t)
	books := []book{{Name: "none"}, {Name: "some", extra: &extra{Weight: 9}}}
	if err := fields.Sort(books, ordering.Asc("weight")); err != nil || books[0].Name != "some" {
		t.Errorf("got %v first, %v", books[0].Name, err)
	}
}

// TestOtherTypesCompareByJSON also checks that a value without JSON is null.
func TestOtherTypesCompareByJSON(t *testing.T) {
	type inner struct {
		Title string
	}
	type other struct {
		Title string
	}
	type record struct {
		ID    int `json:"id"`
		inner     // Title is ambiguous
		other
		Map    map[string]int `json:"map"`
		Bytes  []byte         `json:"bytes"`
		Chan   chan int       `json:"chan"`
		Small  uint8          `json:"small"`
		Number json.Number    `json:"number"`
		Dates  []time.Time    `json:"dates"`
	}
	fields := fieldsOf[record](t)
	if _, ok := fields.Lookup("title"); ok {
		t.Error("Lookup reports true for an ambiguous field")
	}
	rows := []record{
		{ID: 1, Map: map[string]int{"<": 2}, Number: "10", Dates: []time.Time{time.Unix(2, 0)}, Small: 2},
		{ID: 2, Map: map[string]int{"<": 1}, Number: "9.5", Dates: []time.Time{time.Unix(1, 0)}, Small: 1},
	}
	for _, name := range []string{"map", "number", "dates", "small"} {
		got := slices.Clone(rows)
		if err := fields.Sort(got, ordering.Asc(name)); err != nil || got[0].ID != 2 {
			t.Errorf("by %s: got %v first, %v", name, got[0].ID, err)
		}
	}
	f, _ := fields.Lookup("chan")
	if f.Key(&rows[0]).Compare(sortkey.Null()) != 0 {
		t.Error("the key of a channel is not null")
	}
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	books := make([]book, 1000)
	for i := range books {
		books[i] = randomBook(r, i)
	}
	fields := fieldsOf[book](b)
	for b.Loop() {
		if err := fields.Sort(slices.Clone(books), ordering.Desc("created_at"), ordering.Asc("name")); err != nil {
			b.Fatal(err)
		}
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
	fields := fieldsOf[record](t)
	full, null, empty := record{Nest: nest{{}, {{}}}}, record{}, record{Nest: nest{}}
	records := []record{null, full, empty}
	if err := fields.Sort(records, ordering.Asc("nest"), ordering.Asc("link")); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]nest{{}, full.Nest, nil}, []nest{records[0].Nest, records[1].Nest, records[2].Nest}); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

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
	fields := fieldsOf[keyedRecord](t)
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
		{ordering.Less("value", onValue{10}), []int{1, 2}},
		{ordering.Equal("value", &onValue{9}), []int{1}},
		{ordering.AtLeast("target", target("B")), []int{1, 2}},
		{ordering.Equal("target", &onTarget{"a"}), []int{0}},
		{ordering.AtMost("pointer", target("B")), []int{1}},
		{ordering.OneOf("pointer", &b, &onTarget{"c"}), []int{1, 2}},
		{ordering.IsNull("pointer"), []int{0}},
		{ordering.Greater("list", []onTarget{target("B")}), []int{2}},
		{ordering.Less("inner", target("c")), []int{0, 1}},
	} {
		if diff := gocmp.Diff(row.want, matching(t, fields, row.c, records)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", row.c, diff)
		}
	}
	for _, c := range []ordering.Condition{ordering.Equal("value", 9), ordering.Equal("target", "b"), ordering.Prefix("target", "b")} {
		if _, err := fields.Matcher(c); !errors.Is(err, ordering.ErrInvalidCondition) {
			t.Errorf("%v: error %v, want %v: the type decides how its values compare", c, err, ordering.ErrInvalidCondition)
		}
	}
}
