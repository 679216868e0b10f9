package ordering_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

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
	fields, err := ordering.FieldsOf[record]()
	if err != nil {
		t.Fatal(err)
	}
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
		if diff := gocmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8}, got); diff != "" {
			t.Errorf("by %s (-want +got)\n%s", name, diff)
		}
	}
	if n := len(fields.Names()); n != 13 {
		t.Errorf("got %d fields, want 13", n)
	}

	null := record{ID: 9, Time: first}
	for _, name := range []string{"pointer", "double", "embedded_pointer", "nested_pointer", "time_and_text", "list"} {
		f, _ := fields.Lookup(name)
		if f.Key(&null).Compare(ordering.Null()) != 0 {
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
	fields, err := ordering.FieldsOf[record]()
	if err != nil {
		t.Fatal(err)
	}
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
	if f.Key(&record{}).Compare(ordering.Null()) != 0 {
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
	fields, err := ordering.FieldsOf[record]()
	if err != nil {
		t.Fatal(err)
	}
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
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("by %s (-want +got)\n%s", name, diff)
		}
	}
}
