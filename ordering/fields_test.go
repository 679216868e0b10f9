package ordering_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
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
	for _, name := range []string{"id", "created_at", "weight", "name", "pages", "price", "in_print", "tags", "any", "raw"} {
		if got := fields.Parse(name); !slices.Equal(got, []ordering.Term{ordering.Asc(name)}) {
			t.Errorf("Parse(%s) = %v", name, got)
		}
	}
	for _, name := range []string{"in_print", "inPrint", "createdAt", "Raw"} { // as in JSON, too
		if got := fields.Parse(name + ",id"); !slices.Equal(got, ordering.Parse(name+",id", nil)) {
			t.Errorf("Parse(%s) = %v", name, got)
		}
	}
	for _, name := range []string{"InPrint", "IN_PRINT", "hidden", "private", ""} {
		if got := fields.Parse(name); got != nil {
			t.Errorf("Parse(%q) = %v", name, got)
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
		{"no name in snake_case", func() error { _, err := ordering.FieldsOf[nameless](); return err }, "the name of A is \"_\", which is empty"},
	} {
		if err := row.make(); err == nil || !strings.Contains(err.Error(), row.names) {
			t.Errorf("%s: err = %v, want an error with %q", row.reason, err, row.names)
		}
	}
	if _, err := ordering.FieldsOf[self](); err != nil {
		t.Errorf("struct that embeds itself: %v", err)
	}
	var none ordering.Fields[book]
	if got := none.Parse("x"); got != nil {
		t.Errorf("the zero value has the field %v", got)
	}
}

// Errors about unknown fields suggest a known one, and Sort moves no record.
func TestUnknownFields(t *testing.T) {
	fields := fieldsOf[book](t)
	books := []book{{Name: "b"}, {Name: "a"}}
	_, err1 := fields.Matcher(ordering.IsNull("CreatedAt"))
	err2 := fields.Sort(books, ordering.Asc("name"), ordering.Asc("CreatedAt"))
	for _, err := range []error{err1, err2} {
		if !errors.Is(err, ordering.ErrUnknownField) || !strings.HasSuffix(err.Error(), `"CreatedAt": did you mean created_at?`) {
			t.Errorf("err = %v, want ErrUnknownField with a suggestion", err)
		}
	}
	if books[0].Name != "b" {
		t.Error("Sort moved records despite an error")
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// comparisons compares books by a field, independently of the package.
var comparisons = map[string]func(a, b book) int{
	"id":         func(a, b book) int { return cmp.Compare(a.ID, b.ID) },
	"name":       func(a, b book) int { return cmp.Compare(a.Name, b.Name) },
	"price":      func(a, b book) int { return cmp.Compare(a.Price, b.Price) },
	"created_at": func(a, b book) int { return a.Created.Compare(b.Created) },
	"in_print": func(a, b book) int {
		return boolToInt(a.InPrint) - boolToInt(b.InPrint)
	},
	"pages": func(a, b book) int {
		if a.Pages == nil || b.Pages == nil {
			return boolToInt(a.Pages == nil) - boolToInt(b.Pages == nil)
		}
		return cmp.Compare(*a.Pages, *b.Pages)
	},
	"tags": func(a, b book) int { return slices.Compare(a.Tags, b.Tags) },
	"weight": func(a, b book) int {
		if a.extra == nil || b.extra == nil { // null is the largest
			return boolToInt(a.extra == nil) - boolToInt(b.extra == nil)
		}
		return cmp.Compare(a.Weight, b.Weight)
	},
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
	if r.IntN(5) == 0 {
		b.extra = nil
	}
	return b
}

// keys holds the keys of a value: that of a field with it, and that which KeyOf returns.
type keys struct {
	field, value sortkey.Key
	kind         reflect.Kind // of the field
	err          error
}

func keysOf[T any](v T) keys {
	k := fieldKey(v)
	if k.err == nil {
		k.value, k.err = ordering.KeyOf(v)
	}
	return k
}

// fieldKey returns the key of a field. It calls ValueFields, because FieldsOf would be
// compiled for each of the types.
func fieldKey[T any](v T) keys {
	record := struct{ Value T }{v}
	fields, err := ordering.ValueFields(reflect.TypeOf(record))
	if err != nil {
		return keys{err: err}
	}
	return keys{field: fields[0].Key(reflect.ValueOf(&record).Elem()), kind: fields[0].Kind}
}

// Types of values for TestKeys.
type (
	level    int
	measure  float32
	digit    uint8
	selfList []selfList
	link     *link
	loud     string
	reversed int // its pointer has MarshalJSON
	priority int // smaller numbers come later

	timeValue     struct{ time.Time }
	timePointer   struct{ *time.Time }
	nestedValue   struct{ timeValue }
	nestedPointer struct{ *timeValue }
	timeAndText   struct {
		time.Time
		Text string
	}
	yearOnly struct{ time.Time }

	onValue      struct{ n int64 }     // OrderingKey on the value returns a Key
	onTarget     struct{ s string }    // on the pointer
	valueKey     struct{ Text string } // on the value, returns an int64
	pointerKey   string                // on the pointer
	embeddedKey  struct{ pointerKey }  // by embedding
	century      struct{ time.Time }
	marshalerKey struct{ json.Number }
)

func (l loud) MarshalJSON() ([]byte, error) { return json.Marshal(strings.ToUpper(string(l))) }

func (r *reversed) MarshalJSON() ([]byte, error) { return json.Marshal(-int(*r)) }

// MarshalJSON returns only the year. It does not affect the order.
func (y yearOnly) MarshalJSON() ([]byte, error) { return json.Marshal(y.Year()) }

func (v onValue) OrderingKey() sortkey.Key          { return sortkey.Int(v.n) }
func (p *onTarget) OrderingKey() sortkey.Key        { return sortkey.Text(strings.ToLower(p.s)) }
func (p priority) OrderingKey() int64               { return -int64(p) }
func (v valueKey) OrderingKey() int64               { return int64(len(v.Text)) }
func (p *pointerKey) OrderingKey() int64            { return -int64(len(*p)) }
func (c century) OrderingKey() int64                { return int64(c.Year() / 100) }
func (m marshalerKey) OrderingKey() int64           { n, _ := m.Int64(); return -n }
func (m marshalerKey) MarshalJSON() ([]byte, error) { return json.Marshal(m.Number) }

// TestKeys checks the key of a field of each type. KeyOf returns the same key for the value.
func TestKeys(t *testing.T) {
	noon := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	noonValue := timeValue{noon}
	late := time.Date(20_000, 1, 1, 0, 0, 0, 1, time.UTC)
	five, text, long := 5, "x", pointerKey("bbb")
	pointer := &five
	num, str, list, object := sortkey.Int, sortkey.Text, sortkey.List, sortkey.Object
	null, at := sortkey.Null(), sortkey.Time(noon)
	const none, boolean, integer, isText, instant = reflect.Invalid, reflect.Bool, reflect.Int, reflect.String, reflect.Struct
	for _, row := range []struct {
		why  string
		got  keys
		kind reflect.Kind
		want sortkey.Key
	}{
		{"a bool", keysOf(true), boolean, sortkey.Bool(true)},
		{"an int", keysOf(5), integer, num(5)},
		{"the least int64", keysOf(int64(math.MinInt64)), integer, num(math.MinInt64)},
		{"an int8", keysOf(int8(-5)), integer, num(-5)},
		{"an int16", keysOf(int16(5)), integer, num(5)},
		{"an int32", keysOf(int32(5)), integer, num(5)},
		{"a uint", keysOf(uint(5)), none, num(5)},
		{"a uint8", keysOf(uint8(255)), integer, num(255)},
		{"a uint16", keysOf(uint16(5)), integer, num(5)},
		{"a uint32", keysOf(uint32(math.MaxUint32)), integer, num(math.MaxUint32)},
		{"a uint64 beyond an int64", keysOf(uint64(math.MaxUint64)), none, sortkey.Decimal("18446744073709551615")},
		{"a uintptr", keysOf(uintptr(5)), none, num(5)},
		{"a duration", keysOf(time.Second), integer, num(1e9)},
		{"a float64", keysOf(2.0), none, num(2)},
		{"infinity", keysOf(math.Inf(-1)), none, sortkey.Float(math.Inf(-1))},
		{"NaN", keysOf(math.NaN()), none, sortkey.Float(math.NaN())},
		{"a float32 is the number in its JSON", keysOf(float32(0.1)), none, sortkey.Decimal("0.1")},
		{"the least float32", keysOf(float32(math.SmallestNonzeroFloat32)), none, sortkey.Decimal("1e-45")},
		{"float32s", keysOf([]float32{0.1, 1e21}), none, list(sortkey.Decimal("0.1"), sortkey.Decimal("1e21"))},
		{"float32s of a named type", keysOf([2]measure{0.1, 2}), none, list(sortkey.Decimal("0.1"), num(2))},
		{"a float32 in an interface", keysOf(any(float32(0.1))), none, sortkey.Decimal("0.1")},
		{"a string", keysOf("5"), isText, str("5")},
		{"a string with bytes that are not UTF-8", keysOf("\xff\x00"), isText, str("\xff\x00")},
		{"a number in JSON", keysOf(json.Number("5.0")), none, num(5)},
		{"JSON", keysOf(json.RawMessage(` [1, "x"] `)), none, list(num(1), str("x"))},
		{"null in JSON", keysOf(json.RawMessage("null")), none, null},
		{"a named int", keysOf(level(3)), integer, num(3)},
		{"a named float", keysOf(measure(1.5)), none, sortkey.Decimal("1.5")},
		{"a named string", keysOf(shade("red")), isText, str("red")},
		{"a string with MarshalJSON", keysOf(loud("red")), none, str("RED")},
		{"an int whose pointer has MarshalJSON", keysOf(reversed(5)), none, num(-5)},
		{"a pointer that has MarshalJSON", keysOf(ptr(reversed(5))), none, num(-5)},
		{"pointers that have MarshalJSON", keysOf([]reversed{5, -7}), none, list(num(-5), num(7))},
		{"an array of pointers that have MarshalJSON", keysOf([1]reversed{5}), none, list(num(-5))},

		{"a time", keysOf(noon), instant, at},
		{"a time in another zone", keysOf(noon.In(time.FixedZone("", 3600))), instant, at},
		{"a time that has no JSON", keysOf(late), instant, sortkey.Time(late)},
		{"a pointer to a time", keysOf(&noon), none, at},
		{"a struct that embeds a time", keysOf(noonValue), instant, at},
		{"a struct that embeds a pointer to a time", keysOf(timePointer{&noon}), none, at},
		{"a struct in a struct that embeds a time", keysOf(nestedValue{noonValue}), none, at},
		{"a pointer in a struct that embeds a time", keysOf(nestedPointer{&noonValue}), none, at},
		{"a struct with a time and text", keysOf(&timeAndText{noon, "x"}), none, at},
		{"a time with other JSON", keysOf(yearOnly{noon}), instant, at},
		{"times", keysOf([]time.Time{noon}), none, list(at)},
		{"structs that embed times", keysOf([1]timeValue{noonValue}), none, list(at)},

		{"a pointer", keysOf(&five), none, num(5)},
		{"a pointer to a pointer", keysOf(&pointer), none, num(5)},
		{"a pointer to a string", keysOf(&text), none, str("x")},
		{"a nil pointer", keysOf((*int)(nil)), none, null},
		{"a nil pointer to a time", keysOf((*time.Time)(nil)), none, null},
		{"a nil pointer to itself", keysOf(link(nil)), none, null},
		{"a slice", keysOf([]int{1, 2}), none, list(num(1), num(2))},
		{"an empty slice", keysOf([]string{}), none, list()},
		{"a nil slice", keysOf([]string(nil)), none, null},
		{"a slice of pointers", keysOf([]*int{nil, &five}), none, list(null, num(5))},
		{"an array", keysOf([2]bool{true, false}), none, list(sortkey.Bool(true), sortkey.Bool(false))},
		{"a slice of slices", keysOf([][]int{{1}, nil}), none, list(list(num(1)), null)},
		{"a slice of values of any type", keysOf([]any{1, "x", nil}), none, list(num(1), str("x"), null)},
		{"a list of itself", keysOf(selfList{selfList{}}), none, list(list())},
		{"bytes are text in base64", keysOf([]byte{1, 2}), none, str("AQI=")},
		{"bytes of a named type", keysOf([]digit{255}), none, str("/w==")},
		{"no bytes", keysOf([]byte{}), none, str("")},
		{"nil bytes", keysOf([]byte(nil)), none, null},
		{"an array of bytes", keysOf([1]byte{200}), none, list(num(200))},
		{"a map", keysOf(map[string]int{"b": 1, "a": 2}), none, object(`{"a":2,"b":1}`)},
		{"a map with HTML", keysOf(map[string]int{"<&>": 1}), none, object(`{"<&>":1}`)},
		{"a nil map", keysOf(map[string]int(nil)), none, null},
		{"a struct", keysOf(struct{ A float32 }{0.1}), none, object(`{"A":0.1}`)},
		{"nil in an interface", keysOf(any(nil)), none, null},
		{"a string in an interface", keysOf(any("x")), none, str("x")},

		{"a method on the value", keysOf(onValue{7}), none, num(7)},
		{"a method on the value, from a pointer", keysOf(&onValue{7}), none, num(7)},
		{"a method on the pointer", keysOf(onTarget{"ABC"}), none, str("abc")},
		{"a method on the pointer, from a pointer", keysOf(&onTarget{"ABC"}), none, str("abc")},
		{"a nil pointer with a method", keysOf((*onTarget)(nil)), none, null},
		{"values with a method on the pointer", keysOf([]onTarget{{"A"}, {"b"}}), none, list(str("a"), str("b"))},
		{"an int64 from the value", keysOf(valueKey{"10"}), integer, num(2)},
		{"an int64 from the pointer", keysOf(long), integer, num(-3)},
		{"an int64 from a pointer", keysOf(&long), none, num(-3)},
		{"an int64 from an embedded field", keysOf(embeddedKey{long}), integer, num(-3)},
		{"an int64 from a time", keysOf(century{noon}), integer, num(20)},
		{"an int64 from a Marshaler", keysOf(marshalerKey{"10"}), integer, num(-10)},
		{"int64s", keysOf([]pointerKey{long}), none, list(num(-3))},
	} {
		if k := row.got; k.err != nil || k.field.Compare(row.want) != 0 || k.value.Compare(row.want) != 0 {
			t.Errorf("%s: the key is %v, KeyOf returns %v, %v, want %v", row.why, k.field, k.value, k.err, row.want)
		}
		if row.got.kind != row.kind {
			t.Errorf("%s: kind %v, want %v", row.why, row.got.kind, row.kind)
		}
	}
	r := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		f := math.Float32frombits(r.Uint32())
		text, err := json.Marshal(f)
		if k := keysOf(f); err == nil && k.field.Compare(sortkey.JSON(string(text))) != 0 {
			t.Errorf("the key of %v is %v, not that of its JSON", f, k.field)
		}
	}
	type unexported struct {
		onValue `json:"embedded"` // with a tag, it is a member
	}
	inner := unexported{onValue{7}}
	fields, err := ordering.ValueFields(reflect.TypeFor[unexported]())
	if k := fields[0].Key(reflect.ValueOf(&inner).Elem()); err != nil || k.Compare(num(7)) != 0 {
		t.Errorf("the key of an unexported struct is %v, %v, want 7", k, err)
	}
	for why, k := range map[string]sortkey.Key{
		"a channel": fieldKey(make(chan int)).field, "a nil pointer in a struct that embeds it": fieldKey(timePointer{}).field,
		"one in a struct in a struct": fieldKey(nestedPointer{}).field,
	} {
		if k.Compare(null) != 0 {
			t.Errorf("the key of %s is %v, want null", why, k)
		}
	}
}

func TestKeyAllocations(t *testing.T) {
	type record struct {
		ID      int
		Name    string
		OnValue valueKey
		OnPoint pointerKey
	}
	fields, err := ordering.ValueFields(reflect.TypeFor[record]())
	if err != nil || len(fields) != 5 { // and on_value__text
		t.Fatalf("%d fields, %v", len(fields), err)
	}
	r := reflect.ValueOf(&record{Name: "x"}).Elem()
	for _, f := range fields {
		if n := testing.AllocsPerRun(100, func() { f.Key(r) }); n != 0 {
			t.Errorf("%s: %v allocations, want 0", f.Name, n)
		}
	}
}
