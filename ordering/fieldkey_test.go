package ordering_test

import (
	"encoding/json"
	"errors"
	"math"
	oldrand "math/rand" // for testing/quick
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

type host struct {
	ID      int
	Addr    netip.Addr
	Pointer *netip.Addr
	List    []netip.Addr
	Array   [2]netip.Addr
	Map     map[string]netip.Addr
	Name    string
	Alias   *string
	Seen    *time.Time
	Shade   shade
}

// hosts are in the order of their addresses. Their texts are in another order.
func hosts() []host {
	var list []host
	for i, s := range []string{"9.0.0.1", "10.0.0.1", "192.168.0.1"} {
		a, name := netip.MustParseAddr(s), []string{"a", "B", "c"}[i]
		list = append(list, host{
			ID: i, Addr: a, Pointer: &a, List: []netip.Addr{a}, Array: [2]netip.Addr{a}, Map: map[string]netip.Addr{"x": a},
			Name: name, Alias: &name, Shade: shade(name),
		})
	}
	return list
}

func addrKey(a netip.Addr) sortkey.Key {
	b, _ := a.MarshalBinary()
	return sortkey.Text(string(b))
}

func fold(s string) sortkey.Key { return sortkey.Text(strings.ToLower(s)) }

// order returns the ids of the hosts in the order of a field.
func order(t *testing.T, fields *ordering.Fields[host], name string) (ids []int) {
	t.Helper()
	list := hosts()
	list[0], list[2] = list[2], list[0]
	if err := fields.Sort(list, ordering.Asc(name)); err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		ids = append(ids, h.ID)
	}
	return ids
}

// A TypeKey supplies the keys of all fields of its type, of pointers to it and of lists
// of it. Maps are compared by their JSON all the same.
func TestTypeKey(t *testing.T) {
	fields := fieldsOf[host](t, ordering.TypeKey(addrKey))
	plain := fieldsOf[host](t)
	for _, name := range []string{"addr", "pointer", "list", "array"} {
		if diff := cmp.Diff([]int{0, 1, 2}, order(t, fields, name)); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]int{1, 2, 0}, order(t, plain, name)); diff != "" { // "10." < "19" < "9."
			t.Errorf("by %s without the function (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 0}, order(t, fields, "map")); diff != "" {
		t.Errorf("by map (-want +got):\n%s", diff)
	}
	for _, name := range []string{"pointer", "list"} {
		f, _ := fields.Lookup(name)
		if f.Key(&host{}).Compare(sortkey.Null()) != 0 {
			t.Errorf("%s: the key of nil is not null", name)
		}
	}
	between := ordering.Between("pointer", netip.MustParseAddr("9.255.0.0"), netip.MustParseAddr("11.0.0.0"))
	if diff := cmp.Diff([]int{1}, matching(t, fields, between, hosts())); diff != "" {
		t.Errorf("%v (-want +got):\n%s", between, diff)
	}
}

// A FieldKey supplies the keys of one field, whose conditions compare by them too.
func TestFieldKey(t *testing.T) {
	fields := fieldsOf[host](t, ordering.FieldKey("name", fold), ordering.FieldKey("alias", fold))
	for name, want := range map[string][]int{"name": {0, 1, 2}, "alias": {0, 1, 2}, "shade": {1, 0, 2}} {
		if diff := cmp.Diff(want, order(t, fields, name)); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", name, diff)
		}
	}
	text := "B"
	for _, c := range []ordering.Condition{
		ordering.Equal("name", "b"), ordering.Equal("alias", "b"), ordering.Equal("alias", &text),
		ordering.Prefix("name", "B"), ordering.Between("name", "B", "BZ"),
	} {
		if diff := cmp.Diff([]int{1}, matching(t, fields, c, hosts())); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c, diff)
		}
	}
	f, _ := fields.Lookup("alias")
	if f.Key(&host{}).Compare(sortkey.Null()) != 0 {
		t.Error("the key of a nil pointer is not null")
	}
	if f, _ = fields.Lookup("name"); f.Kind != reflect.Invalid {
		t.Errorf("kind %v, want any: the function can return any key", f.Kind)
	}
	for _, v := range []any{5, shade("b"), json.Number("1")} {
		if _, err := fields.Matcher(ordering.Equal("name", v)); !errors.Is(err, ordering.ErrInvalidCondition) {
			t.Errorf("name = %#v: error %v, want %v: the function decides how strings compare", v, err, ordering.ErrInvalidCondition)
		}
	}
}

// A function can take a pointer. It is not called with nil, which is null.
func TestKeyOfPointer(t *testing.T) {
	key := func(p *time.Time) sortkey.Key { return sortkey.Int(int64(p.Year())) }
	for what, k := range map[string]ordering.KeyFunc{"field": ordering.FieldKey("seen", key), "type": ordering.TypeKey(key)} {
		fields, err := ordering.FieldsOf[host](k)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		f, _ := fields.Lookup("seen")
		if got := f.Key(&host{}); got.Compare(sortkey.Null()) != 0 {
			t.Errorf("%s: the key of nil is %v, want null", what, got)
		}
		seen := time.Date(1958, 1, 1, 0, 0, 0, 0, time.UTC)
		if got := f.Key(&host{Seen: &seen}); got.Compare(sortkey.Int(1958)) != 0 {
			t.Errorf("%s: the key is %v, want that of the function", what, got)
		}
	}
}

// Of several functions for a field or a type, the last one counts. One for the field
// precedes one for the type.
func TestLastKeyFunc(t *testing.T) {
	constant := func(i int64) func(string) sortkey.Key {
		return func(string) sortkey.Key { return sortkey.Int(i) }
	}
	for _, row := range []struct {
		why   string
		funcs []ordering.KeyFunc
		want  int64
	}{
		{"the last for the field", []ordering.KeyFunc{ordering.FieldKey("name", constant(1)), ordering.FieldKey("name", constant(2))}, 2},
		{"the last for the type", []ordering.KeyFunc{ordering.TypeKey(constant(1)), ordering.TypeKey(constant(2))}, 2},
		{"the field before the type", []ordering.KeyFunc{ordering.FieldKey("name", constant(1)), ordering.TypeKey(constant(2))}, 1},
		{"an earlier one of another type", []ordering.KeyFunc{ordering.FieldKey("name", func(int) sortkey.Key { return sortkey.Int(1) }), ordering.FieldKey("name", constant(2))}, 2},
	} {
		fields, err := ordering.FieldsOf[host](row.funcs...)
		if err != nil {
			t.Errorf("%s: %v", row.why, err)
			continue
		}
		f, _ := fields.Lookup("name")
		if got, _ := f.Key(&host{}).AsInt(); got != row.want {
			t.Errorf("%s: key %d, want %d", row.why, got, row.want)
		}
	}
}

func TestInvalidKeyFuncs(t *testing.T) {
	for _, row := range []struct {
		why   string
		funcs []ordering.KeyFunc
		is    error
		want  string
	}{
		{"the zero KeyFunc", []ordering.KeyFunc{{}}, ordering.ErrInvalidFields, "function 0 is nil"},
		{"a nil function for a field", []ordering.KeyFunc{ordering.FieldKey[string]("name", nil)}, ordering.ErrInvalidFields, "function 0 is nil"},
		{"a nil function for a type", []ordering.KeyFunc{ordering.TypeKey(addrKey), ordering.TypeKey[string](nil)}, ordering.ErrInvalidFields, "function 1 is nil"},
		{"another type", []ordering.KeyFunc{ordering.FieldKey("name", func(int) sortkey.Key { return sortkey.Null() })}, ordering.ErrInvalidFields,
			"name: its key function takes int, the field is string"},
		{"a named type", []ordering.KeyFunc{ordering.FieldKey("shade", fold)}, ordering.ErrInvalidFields, "takes string, the field is ordering_test.shade"},
		{"a list of the type", []ordering.KeyFunc{ordering.FieldKey("list", addrKey)}, ordering.ErrInvalidFields, "takes netip.Addr, the field is []netip.Addr"},
		{"an unknown field", []ordering.KeyFunc{ordering.FieldKey("aliass", fold)}, ordering.ErrUnknownField, "did you mean alias?"},
		{"the name of the Go field", []ordering.KeyFunc{ordering.FieldKey("Name", fold)}, ordering.ErrUnknownField, "did you mean name?"},
		{"no field", []ordering.KeyFunc{ordering.FieldKey("", fold)}, ordering.ErrUnknownField, `""`},
	} {
		_, err := ordering.FieldsOf[host](row.funcs...)
		if !errors.Is(err, row.is) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error %v, want %v with %q", row.why, err, row.is, row.want)
		}
	}
}

// Text reports true only for functions of one field that take a string.
func TestKeyFuncText(t *testing.T) {
	for _, row := range []struct {
		why  string
		k    ordering.KeyFunc
		want bool
	}{
		{"a field of text", ordering.FieldKey("price", sortkey.Decimal), true},
		{"a field of a named type", ordering.FieldKey("shade", func(shade) sortkey.Key { return sortkey.Null() }), false},
		{"a type", ordering.TypeKey(sortkey.Decimal), false},
		{"a nil function", ordering.FieldKey[string]("price", nil), false},
		{"the zero KeyFunc", ordering.KeyFunc{}, false},
	} {
		_, key, ok := row.k.ForText()
		if ok != row.want || ok && key("2.0").Compare(sortkey.Int(2)) != 0 {
			t.Errorf("%s: Text() reports %v, want %v", row.why, ok, row.want)
		}
	}
}

type (
	timeValue     struct{ time.Time }
	timePointer   struct{ *time.Time }
	nestedValue   struct{ timeValue }
	nestedPointer struct{ *timeValue }
	timeAndText   struct {
		time.Time
		Text string
	}
	yearOnly struct{ time.Time }
)

// MarshalJSON returns only the year. It does not affect the order.
func (y yearOnly) MarshalJSON() ([]byte, error) { return json.Marshal(y.Year()) }

// TestTimesCompareByInstant covers all ways in which a field can hold a time.
func TestTimesCompareByInstant(t *testing.T) {
	type record struct {
		ID              int
		Time            time.Time
		Pointer         *time.Time
		Double          **time.Time
		Embedded        timeValue
		EmbeddedPointer timePointer
		Nested          nestedValue
		NestedPointer   nestedPointer
		TimeAndText     *timeAndText
		Marshaler       yearOnly
		List            []time.Time
		Array           [1]timeValue
		timeValue       `json:"unexported"`
	}
	at := func(id int, instant time.Time) record {
		p := &instant
		v := timeValue{instant}
		return record{id, instant, p, &p, v, timePointer{p}, nestedValue{v}, nestedPointer{&v},
			&timeAndText{instant, "x"}, yearOnly{instant}, []time.Time{instant}, [1]timeValue{v}, v}
	}
	east := time.FixedZone("", 5*3600)
	first := time.Date(2026, 5, 10, 20, 0, 0, 123_456_000, time.UTC)
	want := []record{
		at(1, time.Unix(-1<<40, 0)),                         // cannot be marshalled
		at(2, time.Unix(-1, 999_999_999)),                   // before 1970
		at(3, first),                                        // with microseconds
		at(4, first.Add(1).In(east)),                        // a nanosecond later, in another offset
		at(5, first.Add(2)),                                 // two nanoseconds later
		at(6, time.Date(2026, 5, 11, 2, 0, 0, 0, east)),     // an hour later
		at(7, time.Date(2300, 1, 1, 0, 0, 0, 1, time.UTC)),  // out of range for nanoseconds in an int64
		at(8, time.Date(20300, 1, 1, 0, 0, 0, 0, time.UTC)), // cannot be marshalled
	}
	fields := fieldsOf[record](t)
	for _, name := range fields.Names() {
		rows := slices.Clone(want)
		slices.Reverse(rows)
		if err := fields.Sort(rows, ordering.Asc(name)); err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, r := range rows {
			got = append(got, r.ID)
		}
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8}, got); diff != "" {
			t.Errorf("by %s (-want +got)\n%s", name, diff)
		}
	}
	if n := len(fields.Names()); n != 13 {
		t.Errorf("got %d fields, want 13", n)
	}

	null := record{ID: 9, Time: first}
	for _, name := range []string{"pointer", "double", "embedded_pointer", "nested_pointer", "time_and_text", "list"} {
		f, _ := fields.Lookup(name)
		if f.Key(&null).Compare(sortkey.Null()) != 0 {
			t.Errorf("%s: key of nil is not null", name)
		}
	}
}

// Types with a method OrderingKey.
type (
	valueKey     struct{ Text string } // on the value
	pointerKey   string                // on the pointer
	embeddedKey  struct{ pointerKey }  // by embedding
	century      struct{ time.Time }   // a time
	marshalerKey struct{ json.Number } // a Marshaler
)

func (v valueKey) OrderingKey() int64               { return int64(len(v.Text)) }
func (p *pointerKey) OrderingKey() int64            { return -int64(len(*p)) }
func (c century) OrderingKey() int64                { return int64(c.Year() / 100) }
func (m marshalerKey) OrderingKey() int64           { n, _ := m.Int64(); return -n }
func (m marshalerKey) MarshalJSON() ([]byte, error) { return json.Marshal(m.Number) }

func TestOrderingKey(t *testing.T) {
	type record struct {
		Value     valueKey
		OnPointer pointerKey
		Embedded  embeddedKey
		Century   century
		Marshaler marshalerKey
		Pointer   *pointerKey
		List      []pointerKey
	}
	year := func(y int) century { return century{time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)} }
	long, short := pointerKey("bbb"), pointerKey("a")
	want := []record{
		{valueKey{"9"}, long, embeddedKey{long}, year(1850), marshalerKey{"10"}, &long, []pointerKey{long}},
		{valueKey{"10"}, short, embeddedKey{short}, year(1950), marshalerKey{"9"}, &short, []pointerKey{long, short}},
	}
	fields := fieldsOf[record](t)
	for _, name := range fields.Names() {
		rows := []record{want[1], want[0]}
		if err := fields.Sort(rows, ordering.Asc(name)); err != nil {
			t.Fatal(err)
		}
		if rows[0].Value != want[0].Value {
			t.Errorf("by %s: got %+v first", name, rows[0])
		}
	}
	f, _ := fields.Lookup("century")
	if got, ok := f.Key(&want[0]).AsInt(); got != 18 || !ok {
		t.Errorf("key of a century = %d, %v, want 18", got, ok)
	}
	f, _ = fields.Lookup("pointer")
	if f.Key(&record{}).Compare(sortkey.Null()) != 0 {
		t.Error("key of nil is not null")
	}
	if n := testing.AllocsPerRun(100, func() { f.Key(&want[0]) }); n != 0 {
		t.Errorf("Key: %v allocations, want 0", n)
	}
}

// TestBytesCompareAsBase64 checks that []byte compares by its JSON: text in padded
// base64 of the standard alphabet.
func TestBytesCompareAsBase64(t *testing.T) {
	type digit uint8
	type record struct {
		Bytes []byte
		Named []digit
		Array [1]byte // a list of numbers in JSON
	}
	fields := fieldsOf[record](t)
	rows := []record{
		{nil, nil, [1]byte{255}},
		{[]byte{0}, []digit{0}, [1]byte{0}},
		{[]byte{255}, []digit{255}, [1]byte{200}},
		{[]byte{}, []digit{}, [1]byte{10}},
		{[]byte{0, 0}, []digit{0, 0}, [1]byte{9}},
	}
	for name, want := range map[string][]record{
		"bytes": {rows[3], rows[2], rows[1], rows[4], rows[0]}, // "", "/w==", "AA==", "AAA=", null
		"named": {rows[3], rows[2], rows[1], rows[4], rows[0]},
		"array": {rows[1], rows[4], rows[3], rows[2], rows[0]}, // 0, 9, 10, 200, 255
	} {
		got := slices.Clone(rows)
		if err := fields.Sort(got, ordering.Asc(name)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s (-want +got)\n%s", name, diff)
		}
	}
}

type rating string

func (r *rating) OrderingKey() int64 { return int64(len(*r)) }

type version string

func (v version) OrderingKey() sortkey.Key { return sortkey.List(sortkey.Text(string(v))) }

type loud string

func (l loud) MarshalJSON() ([]byte, error) { return json.Marshal(strings.ToUpper(string(l))) }

type inner struct{ Inner int }

type allKinds struct {
	Int     int
	Int8    int8
	Int64   int64
	Bool    bool
	Byte    uint8
	Uint32  uint32
	Rating  rating
	Version version
	String  string
	Folded  string
	Uint64  uint64
	Float   float64
	Number  json.Number
	Loud    loud
	Time    time.Time
	Pointer *int
	List    []int
	Any     any
	*inner
}

// TestKinds checks that an index can rely on the kind of a field.
func TestKinds(t *testing.T) {
	want := map[string]reflect.Kind{
		"int": reflect.Int, "int_8": reflect.Int, "int_64": reflect.Int, "bool": reflect.Bool,
		"byte": reflect.Int, "uint_32": reflect.Int, "rating": reflect.Int, "string": reflect.String,
	}
	fields := fieldsOf[allKinds](t, ordering.FieldKey("folded", func(s string) sortkey.Key { return sortkey.Int(int64(len(s))) }))
	rng := oldrand.New(oldrand.NewSource(1))
	for i, name := range fields.Names() {
		f, _ := fields.Lookup(name)
		if f.Kind != want[name] {
			t.Errorf("%s: kind %v, want %v", name, f.Kind, want[name])
		}
		for range 200 {
			var record allKinds
			if v := reflect.ValueOf(&record).Elem().Field(min(i, reflect.TypeFor[allKinds]().NumField()-1)); v.Kind() != reflect.Struct && v.Kind() != reflect.Interface {
				if random, ok := quick.Value(v.Type(), rng); ok && v.CanSet() {
					v.Set(random)
				}
			}
			key := f.Key(&record)
			_, isInt := key.AsInt()
			_, isText := key.AsText()
			if (f.Kind == reflect.Int || f.Kind == reflect.Bool) && !isInt || f.Kind == reflect.String && !isText {
				t.Fatalf("%s of %+v: the key is neither a number nor text", name, record)
			}
		}
	}
}

type ratio float32

// A rated has fields whose numbers are float32s.
type rated struct {
	Price  float32   `json:"price"`
	Ratio  ratio     `json:"ratio"`
	Ref    *float32  `json:"ref"`
	List   []float32 `json:"list"`
	Pair   [2]ratio  `json:"pair"`
	Any    any       `json:"any"`
	Struct struct {
		Of float32 `json:"of"`
	} `json:"struct"`
}

// TestFloat32KeysAreThoseOfJSON compares the key of each field with that of its JSON.
func TestFloat32KeysAreThoseOfJSON(t *testing.T) {
	fields := fieldsOf[rated](t)
	values := []float32{0, 1, 0.1, -0.1, 16777216, 3.4e38, math.SmallestNonzeroFloat32, 1e21, 1e-7}
	r := rand.New(rand.NewPCG(9, 10))
	for len(values) < 200 {
		if f := math.Float32frombits(r.Uint32()); f-f == 0 {
			values = append(values, f)
		}
	}
	for _, f := range values {
		record := rated{f, ratio(f), &f, []float32{f, 1}, [2]ratio{1, ratio(f)}, f, struct {
			Of float32 `json:"of"`
		}{f}}
		text, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			t.Fatal(err)
		}
		for name, value := range members {
			field, _ := fields.Lookup(name)
			if field.Key(&record).Compare(sortkey.JSON(string(value))) != 0 {
				t.Errorf("the key of %s is not that of its JSON %s", name, value)
			}
		}
		if k, err := ordering.KeyOf(f); err != nil || k.Compare(sortkey.JSON(string(members["price"]))) != 0 {
			t.Errorf("KeyOf(float32 %v) is not the key of its JSON: %v", f, err)
		}
	}
}

func TestFloat32Conditions(t *testing.T) {
	records := []rated{{Price: 0.1}, {Price: 0.2}, {Price: 0.3}}
	fields := fieldsOf[rated](t)
	for _, row := range []struct {
		reason    string
		condition ordering.Condition
		want      []float32
	}{
		{"the number in the JSON", ordering.Equal("price", 0.1), []float32{0.1}},
		{"a float32", ordering.Equal("price", float32(0.1)), []float32{0.1}},
		{"a named float32", ordering.Equal("price", ratio(0.1)), []float32{0.1}},
		{"the float64 nearest to the float32 is another number", ordering.Equal("price", float64(float32(0.1))), nil},
		{"less", ordering.Less("price", 0.2), []float32{0.1}},
		{"at most", ordering.AtMost("price", 0.2), []float32{0.1, 0.2}},
		{"greater", ordering.Greater("price", 0.2), []float32{0.3}},
		{"at least", ordering.AtLeast("price", 0.2), []float32{0.2, 0.3}},
		{"between", ordering.Between("price", 0.1, 0.2), []float32{0.1, 0.2}},
		{"one of", ordering.OneOf("price", 0.1, 0.3), []float32{0.1, 0.3}},
	} {
		var got []float32
		for _, at := range matching(t, fields, row.condition, records) {
			got = append(got, records[at].Price)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", row.reason, diff)
		}
	}
}
